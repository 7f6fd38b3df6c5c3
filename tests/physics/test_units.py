"""The same mechanism in other units of length, mass and time moves alike."""

import numpy as np
import pytest

import sarrus

POINTS = np.array([[0.0, 0.0, 0.0], [0.3, 0.0, 0.1], [1.0, 0.0, 0.4], [0.9, 0.0, -0.1]])
UNITS = {
    "millimetres": (1e3, 1.0, 1.0),
    "millimetres and tonnes": (1e3, 1e-3, 1.0),
    "kilometres": (1e-3, 1.0, 1.0),
    "micrometres": (1e6, 1e9, 1.0),
    "megametres": (1e-6, 1e-15, 1.0),
    "milliseconds": (1.0, 1.0, 1e3),
    "hours": (1.0, 1.0, 1.0 / 3600.0),
}


def four_bar(length: float, mass: float, time: float) -> sarrus.Mechanism:
    mech = sarrus.Mechanism(gravity=(0.0, 0.0, -9.81 * length / time**2))
    names, points = ("world", "crank", "coupler", "rocker", "world"), POINTS * length
    for k in range(3):
        inertia = np.array([0.01, 0.02, 0.02]) * mass * length**2
        mech.add_body(names[k + 1], mass, inertia, position=(points[k] + points[k + 1]) / 2)
    for k in range(4):
        mech.add_joint(f"hinge {k}", "revolute", names[k], names[k + 1], at=points[k], axis=(0, 1, 0))
    return mech


@pytest.fixture(scope="module")
def in_metres() -> dict[str, np.ndarray]:
    model = sarrus.build(four_bar(1.0, 1.0, 1.0))
    return {
        method: sarrus.simulate(model, 1.0, 0.005, method=method).position[-1]
        for method in ("variational", "variational4", "bdf2", "sdirk", "tree-midpoint")
    }


@pytest.mark.parametrize("method", ["variational", "variational4", "bdf2", "sdirk", "tree-midpoint"])
@pytest.mark.parametrize("units", UNITS)
def test_a_four_bar_in_other_units_moves_alike(units, method, in_metres):
    length, mass, time = UNITS[units]
    model = sarrus.build(four_bar(length, mass, time))
    assert (model.dof, model.redundant_constraints) == (1, 3)
    traj = sarrus.simulate(model, time, 0.005 * time, method=method)
    assert traj.stats.substeps.sum() == 0
    # Tolerances are 1e-10; those of angles are coarser in units in which the mechanism is large.
    assert traj.position[-1] / length == pytest.approx(in_metres[method], abs=1e-9)
