"""Every kind of joint, as a tree joint and where it closes a loop, against the dense reference."""

import numpy as np
import pytest
from tests.physics.scenes import add_random_body, assert_same, random_axes, random_unit, run_both

import sarrus
from sarrus.mechanism.joints import JOINT_KINDS

CLOSED = 1e-9  # the promise of the engine at its usual tolerance of 1e-10
PARENTS = {"forward": ("a", "b"), "backward": ("b", "a")}


def number(kind):
    """A seed of its own for every kind, the same on every machine."""
    return 1000 + list(JOINT_KINDS).index(kind)


def freedoms(kind):
    return len(JOINT_KINDS[kind].coordinates)


def two_bodies_and(kind, order, seed_shift=0):
    """Bodies a and b fly; a joint of the kind ties them together."""
    rng = np.random.default_rng(number(kind) + seed_shift)
    mechanism = sarrus.Mechanism()
    for name in "ab":
        add_random_body(mechanism, name, rng)
    mechanism.add_joint("joint", kind, *PARENTS[order], at=rng.normal(size=3), **random_axes(kind, rng))
    return mechanism, rng


@pytest.mark.parametrize("order", PARENTS)
@pytest.mark.parametrize("kind", JOINT_KINDS)
def test_a_joint_of_the_tree_moves_as_in_the_dense_reference(kind, order):
    mechanism, rng = two_bodies_and(kind, order)
    mechanism.add_joint("base", "spherical", "world", "a", at=rng.normal(size=3))
    model, run, dense = run_both(mechanism)
    assert model.dof == 3 + freedoms(kind)
    assert model.redundant_constraints == 0
    assert_same(run, dense)
    assert run.violation().max() < CLOSED


@pytest.mark.parametrize("kind", JOINT_KINDS)
def test_a_joint_of_the_tree_may_be_reached_from_its_child(kind):
    mechanism, rng = two_bodies_and(kind, "forward", 100)
    axes = random_axes("universal", rng)
    mechanism.add_joint("base", "universal", "b", "world", at=rng.normal(size=3), **axes)
    model, run, dense = run_both(mechanism)
    assert model.dof == 2 + freedoms(kind)
    assert_same(run, dense)


# The second joint leaves five freedoms, so that the loop moves and no row of the closing joint is redundant
# unless that joint leaves none.
@pytest.mark.parametrize("order", PARENTS)
@pytest.mark.parametrize("kind", JOINT_KINDS)
def test_a_joint_that_closes_a_loop_between_two_bodies_moves_as_in_the_dense_reference(kind, order):
    rng = np.random.default_rng(number(kind) + 200)
    mechanism = sarrus.Mechanism()
    for name in "ab":
        add_random_body(mechanism, name, rng)
    mechanism.add_joint("base", "spherical", "world", "a", at=rng.normal(size=3))
    mechanism.add_joint("slide", "point_on_plane", "a", "b", at=rng.normal(size=3), axis=random_unit(rng))
    mechanism.add_joint("joint", kind, *PARENTS[order], at=rng.normal(size=3), **random_axes(kind, rng))
    model, run, dense = run_both(mechanism)
    closing = len(model.loops)
    assert closing == 1
    assert model.dof == 3 + max(freedoms(kind) - 1, 0)
    assert model.redundant_constraints == (1 if kind == "fixed" else 0)
    assert_same(run, dense)
    assert run.violation().max() < CLOSED


@pytest.mark.parametrize("order", ["from the world", "to the world"])
@pytest.mark.parametrize("kind", JOINT_KINDS)
def test_a_joint_that_closes_a_loop_with_the_world_moves_as_in_the_dense_reference(kind, order):
    rng = np.random.default_rng(number(kind) + 300)
    mechanism = sarrus.Mechanism()
    add_random_body(mechanism, "a", rng)
    add_random_body(mechanism, "b", rng)
    axes = random_axes("universal", rng)
    mechanism.add_joint("base", "universal", "world", "a", at=rng.normal(size=3), **axes)
    mechanism.add_joint("knee", "spherical", "a", "b", at=rng.normal(size=3))
    pair = ("world", "b") if order == "from the world" else ("b", "world")
    mechanism.add_joint("joint", kind, *pair, at=rng.normal(size=3), **random_axes(kind, rng))
    model, run, dense = run_both(mechanism)
    assert model.dof == max(5 + freedoms(kind) - 6, 0)
    assert_same(run, dense)
    assert run.violation().max() < CLOSED


def test_a_point_mass_fixed_to_a_body_moves_like_the_body_with_its_mass():
    rod, spin = np.diag([1.01, 1.01, 0.02]) / 12, (0, 0.4, 1.0)
    places = np.array([[0, 0.5, 0], [0, 1.0, 0.2]])
    centre = (places[0] + 0.5 * places[1]) / 1.5
    arms = places - centre
    offsets = [mass * (d @ d * np.eye(3) - np.outer(d, d)) for mass, d in zip((1.0, 0.5), arms, strict=True)]

    def swing(*bodies):
        mechanism = sarrus.Mechanism()
        for name, mass, inertia, at in bodies:
            velocity = np.cross(spin, at)
            mechanism.add_body(name, mass, inertia, position=at, velocity=velocity, angular_velocity=spin)
        if len(bodies) == 2:
            mechanism.add_joint("clamp", "fixed", "rod", "weight", at=places[1])
        mechanism.add_joint("pivot", "spherical", "world", "rod", at=(0, 0, 0))
        return sarrus.simulate(sarrus.build(mechanism), duration=1.0, dt=0.01)

    two = swing(("rod", 1.0, rod, places[0]), ("weight", 0.5, 0, places[1]))
    one = swing(("rod", 1.5, rod + sum(offsets), centre))
    # The discrete kinetic energy is that of the same rigid body; what remains is the tolerance of 100 steps.
    assert np.abs(one.joint_position("pivot") - two.joint_position("pivot")).max() < 1e-8
    assert np.abs(one.energy().total - two.energy().total).max() < 1e-8
