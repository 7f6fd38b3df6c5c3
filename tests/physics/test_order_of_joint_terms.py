"""The matrix of what acts on joint coordinates: every kind of joint, in the tree and closing a loop, with
each term alone, at every order of the method.

The finest run of order 4 is the reference of all: orders that settled on different motions would show as a
slope of 0.  A short sample runs with the suite, all of it with the slow tests."""

from itertools import product

import numpy as np
import pytest
from tests.physics.scenes import SHARP, add_random_body, random_axes

import sarrus
from sarrus.mechanism.joints import JOINT_KINDS

KINDS = [kind for kind in JOINT_KINDS if JOINT_KINDS[kind].coordinates]
TERMS = ("armature", "damper", "spring", "servo", "motor")
PLACES = ("in the tree", "closing a loop")
# Kinds whose rotation vector is a border row wherever the joint stands, and one with and one without a row.
SAMPLE = {
    *product(("spherical", "free"), ("armature",), PLACES),
    ("slot", "armature", "closing a loop"),
    ("point_on_plane", "armature", "in the tree"),
    ("spherical", "damper", "in the tree"),
    ("revolute", "spring", "closing a loop"),
    ("universal", "servo", "closing a loop"),
    ("cylindrical", "motor", "closing a loop"),
    ("planar", "spring", "in the tree"),
}
DURATION = 0.2
# Step of the reference: a smaller one adds up more of what Newton's tolerance leaves, 1e-10 m at 1e-3 s.
REFERENCE = 0.005
# Order: (coarsest step, largest difference of the slope that two steps show).
SLOPES = {1: (0.01, 0.3), 2: (0.02, 0.2), 4: (0.04, 0.5)}
# Change of the end that a term makes at least [m].
MATTERS = 1e-4


def model_with(kind, term, place):
    """A body on a ball joint that carries another one by the joint, which closes a loop or not."""
    rng = np.random.default_rng(40 + KINDS.index(kind))
    mechanism = sarrus.Mechanism()
    for name in "ab":
        add_random_body(mechanism, name, rng)
    mechanism.add_joint("base", "spherical", "world", "a", at=rng.normal(size=3))
    if place == "closing a loop":
        # All of the motion is in the tree, so the joint can only close a loop.
        mechanism.add_joint("carrier", "free", "a", "b", at=rng.normal(size=3))
    armature = {"armature": 0.3} if term == "armature" else {}
    mechanism.add_joint("joint", kind, "a", "b", at=rng.normal(size=3), **random_axes(kind, rng), **armature)
    count = len(JOINT_KINDS[kind].coordinates)
    inputs = {}
    if term == "damper":
        mechanism.add_joint_spring("damper", "joint", stiffness=0.0, damping=0.4)
    elif term == "spring":
        # Soft, so that it is explicit at every dt; the servo is implicit at every dt.
        mechanism.add_joint_spring("spring", "joint", stiffness=0.5, rest=4.0)
    elif term == "servo":
        mechanism.add_motor("servo", "joint", mode="servo", stiffness=8.0, damping=0.2)
        inputs["servo"] = 0.4 if count == 1 else np.full(count, 0.4)
    elif term == "motor":
        mechanism.add_motor("motor", "joint")
        inputs["motor"] = lambda t: 2.0 * np.cos(9.0 * t) * (1.0 if count == 1 else np.ones(count))
    return sarrus.build(mechanism), inputs


def end_of(model, inputs, order, dt):
    method = sarrus.Variational(order=order, tolerance=SHARP)
    run = sarrus.simulate(model, duration=DURATION, dt=dt, method=method, inputs=inputs)
    assert run.stats.substeps.sum() == 0
    return run.position[-1]


CASES = [
    pytest.param(*case, marks=() if case in SAMPLE else pytest.mark.slow, id=" ".join(case))
    for case in product(KINDS, TERMS, PLACES)
]


@pytest.mark.filterwarnings("ignore:variational4 runs a stage backwards")
@pytest.mark.parametrize(("kind", "term", "place"), CASES)
def test_every_order_converges_to_the_same_motion_with_its_slope(kind, term, place):
    model, inputs = model_with(kind, term, place)
    exact = end_of(model, inputs, 4, REFERENCE)
    for order, (dt, within) in SLOPES.items():
        coarse, fine = (np.abs(end_of(model, inputs, order, h) - exact).max() for h in (dt, dt / 2))
        slope = np.log2(coarse / fine)
        assert slope == pytest.approx(order, abs=within), f"order {order}: slope {slope:.2f}"
    bare, _ = model_with(kind, None, place)
    assert np.abs(end_of(bare, {}, 4, REFERENCE) - exact).max() > MATTERS


@pytest.mark.filterwarnings("ignore:variational4 runs a stage backwards")
def test_a_damper_and_an_armature_that_cancel_in_the_backward_stage_leave_the_step_solvable():
    method, dt, armature = sarrus.Variational(order=4, tolerance=SHARP), 0.01, 1e-3
    mechanism = sarrus.Mechanism()
    mechanism.add_body("top", 1.5, (0.2, 0.3, 0.35), position=(0.3, 0.1, -0.4), angular_velocity=(1, -0.5, 2))
    mechanism.add_joint("ball", "spherical", "world", "top", at=(0, 0, 0), armature=armature)
    # The impulse of the damper is c / 2 per radian, that of the armature I / dt, which is negative there.
    backward = -min(method.stages) * dt
    mechanism.add_joint_spring("damper", "ball", stiffness=0.0, damping=2.0 * armature / backward)
    model = sarrus.build(mechanism)
    run = sarrus.simulate(model, duration=DURATION, dt=dt, method=method)
    assert run.stats.substeps.sum() == 0
    assert np.abs(run.position[-1] - end_of(model, {}, 4, dt / 2)).max() < 1e-8
