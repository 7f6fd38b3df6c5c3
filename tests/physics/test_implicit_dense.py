"""BDF and SDIRK against a dense reference that has the equations of [Mal25] written out."""

import numpy as np
import pytest
from tests.physics.scenes import SAME, SHARP, add_random_body, random_axes
from tests.reference.implicit import DenseImplicit

import sarrus

STEPS, DT = 8, 0.01
METHODS = {
    "bdf1": lambda form: sarrus.Bdf(order=1, form=form, tolerance=SHARP),
    "bdf2": lambda form: sarrus.Bdf(form=form, tolerance=SHARP),
    "alexander": lambda form: sarrus.Sdirk(form=form, tolerance=SHARP),
}


def assert_same(run, dense, within=SAME):
    """Both move alike; the energy of the reference counts servos as springs, so it is not compared."""
    for name in ("position", "velocity", "angular_velocity"):
        assert np.abs(getattr(run, name) - getattr(dense, name)).max() < within, name
    same_side = np.sign((run.orientation * dense.orientation).sum(-1, keepdims=True))
    assert np.abs(same_side * run.orientation - dense.orientation).max() < within


def run_both(mechanism, method, form="momentum", inputs=None):
    model = sarrus.build(mechanism)
    run = sarrus.simulate(model, STEPS * DT, DT, METHODS[method](form), inputs=inputs)
    return run, DenseImplicit(mechanism, DT, method, inputs, form == "printed").run(STEPS)


def loop():
    """A four-bar with springs, dampers, a servo and armature, and a body that hangs from its coupler."""
    mechanism = sarrus.gallery.four_bar(speed=3.0)
    mechanism.add_joint_spring("brake", "crank pin", stiffness=0.5, damping=0.1)
    mechanism.add_spring(
        "coil", "crank", "rocker", at_a=(0, 0.1, 0.1), at_b=(0, 0.8, 0.4), stiffness=4.0, damping=0.3
    )
    mechanism.add_motor("servo", "rocker pin", mode="servo", stiffness=2.0, damping=0.1)
    mechanism.add_motor("motor", "crank pivot")
    mechanism.add_body("bob", 0.2, (1e-3, 2e-3, 3e-3), position=(0.1, 0.5, 0.3), angular_velocity=(1, 2, 3))
    mechanism.add_joint("ball", "spherical", "coupler", "bob", at=(0.05, 0.5, 0.4), armature=0.01)
    return mechanism


@pytest.mark.parametrize("form", ["momentum", "printed"])
@pytest.mark.parametrize("method", METHODS)
def test_steps_of_a_loop_with_springs_and_motors_are_those_of_the_dense_reference(method, form):
    assert_same(*run_both(loop(), method, form, {"servo": 0.3, "motor": 0.4}), 10 * SAME)


KINDS = [k for k in sarrus.JOINT_KINDS if k != "free"]


@pytest.mark.parametrize("kind", KINDS)
def test_steps_of_every_kind_of_joint_are_those_of_the_dense_reference(kind):
    rng = np.random.default_rng(KINDS.index(kind))
    mechanism = sarrus.Mechanism()
    for name in ("one", "two"):
        add_random_body(mechanism, name, rng, speed=0.7)
    mechanism.add_joint("first", "spherical", "world", "one", at=rng.normal(size=3))
    # The tree is built from the world: the second joint is met from its child.
    mechanism.add_joint("second", kind, "two", "one", at=rng.normal(size=3), **random_axes(kind, rng))
    assert_same(*run_both(mechanism, "bdf2"))
