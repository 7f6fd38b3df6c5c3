"""Degrees of freedom, loops and redundant rows of the gallery, by a joint model of the tests' own."""

import numpy as np
import pytest
from tests.unit.gallery.mobility import Joints, mobility, rotation

from sarrus import gallery

ROUNDING = 1e-14  # lengths and velocities of order one
DIFFERENCE_ERROR = (
    1e-8  # central differences of step 1e-6: truncation 1e-12, rounding 1e-10, times sqrt(6 nb)
)
LIGHTEST_PULL = (
    0.02  # [N]: the woodpecker of 5 g, spread over a motion of unit length; the others pull > 0.05
)

LARGE = 100  # bodies beyond which one short motion must do: dense matrices

# name, parameters, degrees of freedom, loops, redundant rows
COUNTS = [
    ("pendulum", {"links": 3}, 3, 0, 0),
    ("pendulum", {"links": 3, "joint": "universal"}, 6, 0, 0),
    ("pendulum", {"links": 3, "joint": "spherical"}, 9, 0, 0),
    ("spherical_pendulum", {}, 3, 0, 0),
    ("four_bar", {}, 1, 1, 3),
    ("double_four_bar", {}, 1, 2, 6),
    ("rhombus_chain", {}, 2, 1, 3),
    ("rhombus_chain", {"segments": 3}, 6, 3, 9),
    ("slider_crank", {}, 1, 1, 3),
    ("three_link_loop", {}, 1, 1, 3),
    ("scissor_lift", {"segments": 1}, 1, 2, 6),
    ("scissor_lift", {"segments": 3}, 1, 4, 12),
    ("hoberman_ring", {}, 1, 8, 28),
    ("hoberman_ring", {"units": 5}, 1, 7, 25),
    ("bricard", {}, 1, 1, 1),
    ("sarrus", {}, 1, 1, 1),
    ("bennett", {}, 1, 1, 3),
    ("bennett", {"twist": 0.4, "twist2": 1.9, "angle": -2.0}, 1, 1, 3),
    ("door", {}, 1, 1, 5),
    ("stewart_platform", {}, 6, 5, 0),
    ("delta_robot", {}, 3, 5, 0),
    ("hoberman_sphere", {"rings": 3}, 7, 37, 115),
    ("hoberman_sphere", {"rings": 4, "units": 1}, 7, 49, 151),
    ("satellite", {}, 7, 12, 36),
    ("satellite", {"units": 2}, 7, 4, 12),
    ("overactuated_legs", {}, 20, 7, 6),
    ("large_figure", {}, 27, 47, 67),
    ("exoskeleton", {}, 5, 2, 3),
    ("fast_pendulum", {}, 1, 0, 0),
    ("spinning_top", {}, 3, 0, 0),
    ("gyroscope", {}, 3, 0, 0),
    ("free_chain", {"links": 4}, 15, 0, 0),
    ("free_chain", {"links": 4, "joint": "revolute"}, 9, 0, 0),
    ("tree", {"depth": 3}, 7, 0, 0),
    ("tree", {"depth": 2, "branching": 3, "joint": "spherical"}, 12, 0, 0),
    ("sphere_chain", {"n": 5, "tilt": 0.5}, 18, 0, 0),
    ("newton_cradle", {"n": 3}, 3, 0, 0),
    ("box_stack", {"n": 3}, 18, 0, 0),
    ("pyramid", {"rows": 3}, 36, 0, 0),
    ("dominoes", {"n": 3}, 18, 0, 0),
    ("arch", {"n": 3}, 18, 0, 0),
    ("woodpecker", {}, 3, 0, 0),
    ("brick_wall", {"rows": 2, "columns": 2}, 30, 0, 0),
    ("brick_wall", {"rows": 2, "columns": 2, "speed": 0.0}, 24, 0, 0),
    ("card_house", {}, 42, 0, 0),
    ("heap", {"n": 5}, 30, 0, 0),
    ("ring_chain", {"n": 3}, 18, 0, 0),
    ("hand", {}, 22, 0, 0),
    ("hand", {"fingers": 2, "object": "none"}, 10, 0, 0),
    ("gripper", {}, 9, 0, 0),
    ("quadruped", {}, 18, 0, 0),
    ("humanoid", {}, 24, 0, 0),
]
IDS = [name + "".join(f"-{v}" for v in parameters.values()) for name, parameters, *_ in COUNTS]


@pytest.mark.parametrize(("name", "parameters", "dof", "loops", "redundant"), COUNTS, ids=IDS)
def test_the_documented_counts_hold_at_a_generic_configuration(name, parameters, dof, loops, redundant):
    mech = gallery.make(name, **parameters)
    large = len(mech.bodies) > LARGE
    assert mobility(mech, *(((0,), 2) if large else ())) == (dof, redundant)
    assert len(mech.joints) - len(mech.bodies) + free_bodies(mech) == loops


def free_bodies(mech):
    """How many groups of bodies, tied together by joints, hang on nothing."""
    group = {name: name for name in [*mech.bodies, "world"]}

    def first(name):
        while group[name] != name:
            name = group[name]
        return name

    for joint in mech.joints.values():
        group[first(joint.parent if hasattr(joint, "parent") else "world")] = first(joint.child)
    return len({first(name) for name in mech.bodies} - {first("world")})


def test_the_table_covers_the_gallery():
    """The rolling disc's only joint is not holonomic, see test_references; the others are one free body."""
    single = {
        name
        for name in gallery.NAMES
        if not gallery.make(name).joints and len(gallery.make(name).bodies) == 1
    }
    assert set(gallery.NAMES) - {name for name, *_ in COUNTS} == {"rolling_disc"} | single


MOVING = [
    ("four_bar", {"speed": 2.0}),
    ("slider_crank", {"speed": 3.0}),
    ("slider_crank", {"speed": 3.0, "angle": 4.0}),
    ("double_four_bar", {}),
    ("door", {"speed": 1.0}),
    ("spherical_pendulum", {"speed": 2.0}),
    ("spinning_top", {}),
    ("gyroscope", {}),
    ("free_chain", {}),
    ("woodpecker", {}),
]


@pytest.mark.parametrize(("name", "parameters"), MOVING)
def test_initial_velocities_satisfy_the_constraints(name, parameters):
    mech = gallery.make(name, **parameters)
    z = [np.r_[b.velocity, rotation(b.orientation) @ b.angular_velocity] for b in mech.bodies.values()]
    z = np.concatenate(z)
    assert np.max(np.abs(z)) > 0.1
    assert np.max(np.abs(Joints(mech).jacobian() @ z)) < ROUNDING * max(1.0, np.max(np.abs(z)))


FALLING = set(gallery.NAMES) - {
    "t_handle", "free_chain", "double_four_bar", "rolling_disc", "satellite", "hoberman_sphere",
    "fast_pendulum",
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(FALLING))
def test_gravity_moves_the_mechanism_from_its_reference_configuration(name):
    """The others fly freely or start with a velocity."""
    mech = gallery.make(name)
    weight = np.concatenate([np.r_[body.mass * mech.gravity, 0, 0, 0] for body in mech.bodies.values()])
    assert np.linalg.norm(Joints(mech).null_space().T @ weight) > LIGHTEST_PULL


@pytest.mark.parametrize("name", ["pendulum", "gyroscope", "slider_crank", "scissor_lift", "bricard"])
def test_the_jacobian_of_these_tests_is_the_derivative_of_their_residual(name):
    mech = gallery.make(name)
    joints = Joints(mech)
    step = np.random.default_rng(0).normal(size=6 * len(mech.bodies))
    joints.move(0.3 * step)  # off the constraints, where every term counts
    G = joints.jacobian()
    values = []
    for sign in (1, -1):
        other = Joints(mech)
        other.x, other.R = joints.x.copy(), joints.R.copy()
        other.move(sign * 1e-6 * step)
        values.append(other.residual())
    np.testing.assert_allclose((values[0] - values[1]) / 2e-6, G @ step, atol=DIFFERENCE_ERROR)
