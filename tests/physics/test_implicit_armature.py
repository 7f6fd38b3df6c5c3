"""Armatures keep the order of the implicit family: their momenta are projected as those of bodies."""

import numpy as np
import pytest

import sarrus

AXES = {"revolute": {"axis": (0, 0, 1)}, "slot": {"axis": (0, 0, 1)}, "spherical": {}}


def hanging(kind: str) -> sarrus.Model:
    mech = sarrus.Mechanism()
    mech.add_body(
        "body", 1.5, (0.2, 0.3, 0.35), position=(0.3, 0.1, -0.4), velocity=(0, 1, 0.25),
        angular_velocity=(1, -0.5, 2),
    )  # fmt: skip
    mech.add_joint("joint", kind, "world", "body", at=(0, 0, 0), armature=0.2, **AXES[kind])
    return sarrus.build(mech)


@pytest.mark.parametrize("method", ["sdirk", "bdf2"])
@pytest.mark.parametrize("kind", AXES)
def test_a_body_with_an_armature_moves_to_second_order(kind, method):
    model = hanging(kind)
    exact = sarrus.simulate(model, 0.4, 0.001, method="variational4").position[-1]
    errors = [
        np.abs(sarrus.simulate(model, 0.4, dt, method=method).position[-1] - exact).max()
        for dt in (0.008, 0.004, 0.002)
    ]
    slopes = np.log2(np.array(errors[:-1]) / errors[1:])
    assert slopes == pytest.approx([2.0, 2.0], abs=0.15)
