"""Ground, obstacles, contacts, groups and exclusions: what is stored, and the message for each fault."""

import numpy as np
import pytest

from sarrus.errors import MechanismError, UnknownName
from sarrus.mechanism import Box, HalfSpace, Mechanism, Sphere

O = (0.0, 0.0, 0.0)
Y = (0.0, 1.0, 0.0)


def drag(x, q, p, out):
    out[0] = x[0, 0] - x[1, 0]


@pytest.fixture
def mech():
    """Bodies a to d with a ball each, one without shapes, and one whose shape collides with nothing."""
    mech = Mechanism()
    for name in "abcd":
        mech.add_body(name, 1.0, shapes=[Sphere(0.1)])
    mech.add_body("bare", 1.0, (1, 1, 1))
    mech.add_body("ghost", 1.0, shapes=[Sphere(0.1, collide=False)])
    return mech


def test_the_ground_is_a_half_space_through_the_origin_that_looks_up(mech):
    mech.add_ground()
    ground = mech.obstacles["ground"]
    assert (ground.friction, ground.restitution) == (0.5, 0.0)
    np.testing.assert_array_equal(ground.shape.normal, [0, 0, 1])
    np.testing.assert_array_equal(ground.shape.at, O)


def test_there_may_be_several_grounds_of_any_pose(mech):
    mech.add_ground()
    mech.add_ground(0.2, 0.7, normal=(0, 3, 4), at=(1, 2, 3), name="slope")
    slope = mech.obstacles["slope"]
    assert isinstance(slope.shape, HalfSpace)
    np.testing.assert_allclose(slope.shape.normal, [0, 0.6, 0.8])
    np.testing.assert_array_equal(slope.shape.at, [1, 2, 3])
    assert (slope.friction, slope.restitution) == (0.2, 0.7)


def test_any_shape_may_be_an_obstacle(mech):
    step = Box((1, 1, 0.2), at=(2, 0, 0.1), friction=0.9)
    mech.add_obstacle("step", step, friction=0.3, restitution=1)
    assert mech.obstacles["step"].shape is step
    assert (mech.obstacles["step"].friction, mech.obstacles["step"].restitution) == (0.3, 1.0)


def test_a_contact_is_kept_once_by_the_names_of_both_bodies(mech):
    mech.add_contact("b", "a", friction=0, restitution=0.5)
    assert list(mech.contacts) == [("a", "b")]
    contact = mech.contacts["a", "b"]
    assert (contact.a, contact.b, contact.friction, contact.restitution) == ("b", "a", 0.0, 0.5)
    with pytest.raises(MechanismError, match="'a' and 'b': these two bodies already have a contact"):
        mech.add_contact("a", "b")


def test_a_group_of_all_bodies_leaves_out_those_that_cannot_touch(mech):
    mech.add_contact_group(friction=0.1, restitution=0.2)
    assert set(mech.contacts) == {("a", "b"), ("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "d")}
    assert {(c.friction, c.restitution) for c in mech.contacts.values()} == {(0.1, 0.2)}


def test_a_group_leaves_out_pairs_that_a_joint_connects(mech):
    mech.add_joint("hinge", "revolute", "a", "b", at=O, axis=Y)
    mech.add_point_on_curve("curve", "b", "c", at=O, curve=[O, Y])
    mech.add_constraint("own", ["c", "d"], drag)
    mech.add_distance("wire", "a", "c", at_a=O, at_b=Y)
    mech.add_contact_group()
    assert set(mech.contacts) == {("a", "c"), ("a", "d"), ("b", "d")}


def test_for_a_group_bodies_tied_by_fixed_joints_are_one_body(mech):
    mech.add_joint("weld", "fixed", "a", "b", at=O)
    mech.add_joint("hinge", "revolute", "c", "b", at=O, axis=Y)
    mech.add_contact_group()
    assert set(mech.contacts) == {("a", "d"), ("b", "d"), ("c", "d")}


def test_for_a_group_the_world_connects_nothing(mech):
    mech.add_joint("hinge", "revolute", "world", "a", at=O, axis=Y)
    mech.add_joint("weld", "fixed", "world", "b", at=O)
    mech.add_contact_group(["a", "b"])
    assert set(mech.contacts) == {("a", "b")}


def test_a_group_keeps_the_contacts_and_the_exclusions_there_are(mech):
    mech.add_contact("a", "b", friction=0.9)
    mech.exclude("c", "b")
    mech.add_contact_group(["a", "b", "c"], friction=0.1)
    assert {pair: c.friction for pair, c in mech.contacts.items()} == {("a", "b"): 0.9, ("a", "c"): 0.1}


def test_an_exclusion_ends_a_contact_and_refuses_a_new_one(mech):
    mech.add_contact_group(["a", "b", "c"])
    mech.exclude("b", "a")
    mech.exclude("a", "b")
    assert set(mech.contacts) == {("a", "c"), ("b", "c")}
    assert mech.exclusions == {frozenset("ab")}
    with pytest.raises(MechanismError, match="contact of 'a' and 'b': this pair is excluded"):
        mech.add_contact("a", "b")


def test_a_body_may_be_excluded_from_a_ground_or_an_obstacle(mech):
    mech.add_ground()
    mech.add_obstacle("step", Box((1, 1, 1)))
    mech.exclude("a", "ground")
    mech.exclude("step", "b")
    assert mech.exclusions == {frozenset(("a", "ground")), frozenset(("b", "step"))}


def test_bodies_and_obstacles_share_their_names(mech):
    mech.add_ground()
    for add in (
        lambda: mech.add_ground(),
        lambda: mech.add_obstacle("ground", Box((1, 1, 1))),
        lambda: mech.add_obstacle("a", Box((1, 1, 1))),
        lambda: mech.add_ground(name="world"),
        lambda: mech.add_body("ground", 1.0, (1, 1, 1)),
    ):
        with pytest.raises(MechanismError, match="there is already a body or obstacle of this name"):
            add()
    assert list(mech.obstacles) == ["ground"]
    assert "ground" not in mech.bodies


FAULTS = {
    "friction": (lambda m: m.add_ground(-0.1), "ground 'ground': friction must be zero or positive"),
    "friction NaN": (
        lambda m: m.add_ground(np.nan),
        "friction must be zero or positive, and finite, not nan",
    ),
    "restitution": (lambda m: m.add_ground(0.5, 1.1), "restitution must lie between 0 and 1, not 1.1"),
    "restitution below": (
        lambda m: m.add_ground(0.5, -0.1),
        "restitution must lie between 0 and 1, not -0.1",
    ),
    "restitution NaN": (lambda m: m.add_ground(0.5, np.nan), "ground 'ground': restitution must be finite"),
    "normal": (lambda m: m.add_ground(normal=O), "ground 'ground': normal must not be zero"),
    "normal NaN": (lambda m: m.add_ground(normal=(0, 0, np.nan)), "normal must be 3 finite numbers"),
    "at": (lambda m: m.add_ground(at=(0, 0)), "ground 'ground': at must be 3 finite numbers"),
    "name": (lambda m: m.add_ground(name=""), "must be a non-empty str"),
    "obstacle shape": (
        lambda m: m.add_obstacle("o", "box"),
        "obstacle 'o': shape must be a HalfSpace, Sphere",
    ),
    "obstacle ghost": (
        lambda m: m.add_obstacle("o", Box((1, 1, 1), collide=False)),
        "obstacle 'o': a shape with collide=False would collide with nothing",
    ),
    "obstacle friction": (
        lambda m: m.add_obstacle("o", Sphere(1), -1),
        "obstacle 'o': friction must be zero",
    ),
    "contact friction": (
        lambda m: m.add_contact("a", "b", -1),
        "contact of 'a' and 'b': friction must be zero",
    ),
    "contact restitution": (lambda m: m.add_contact("a", "b", 0, 2), "restitution must lie between 0 and 1"),
    "itself": (lambda m: m.add_contact("a", "a"), "'a' and 'a': a body does not collide with itself"),
    "world": (lambda m: m.add_contact("world", "a"), "add_ground and add_obstacle"),
    "wall": (lambda m: m.add_contact("a", "wall"), "'wall' is fixed; every body collides"),
    "no shapes": (lambda m: m.add_contact("a", "bare"), "'bare' cannot collide with anything: it has no"),
    "ghost": (
        lambda m: m.add_contact("ghost", "a"),
        "body 'ghost' cannot collide with anything: its shapes have collide=False",
    ),
    "group friction": (lambda m: m.add_contact_group(["a", "b"], -1), "contact group: friction must be zero"),
    "group of one": (lambda m: m.add_contact_group("a"), "bodies must name at least two bodies, not ('a',)"),
    "group twice": (lambda m: m.add_contact_group(["a", "a"]), "contact group: bodies must be different"),
    "group world": (lambda m: m.add_contact_group(["a", "world"]), "leave 'world' out of bodies"),
    "group bare": (lambda m: m.add_contact_group(["a", "bare"]), "body 'bare' cannot collide with anything"),
    "exclude itself": (lambda m: m.exclude("a", "a"), "exclusion of 'a' and 'a': a and b are the same"),
    "exclude world": (
        lambda m: m.exclude("a", "world"),
        "name the ground or obstacle in the place of 'world'",
    ),
    "exclude walls": (lambda m: m.exclude("wall", "floor"), "both are fixed in the world and never collide"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_contact_is_refused_with_a_clear_message_and_not_stored(mech, fault):
    mech.add_ground(name="wall", normal=Y)
    mech.add_ground(name="floor")
    add, message = FAULTS[fault]
    with pytest.raises(MechanismError) as caught:
        add(mech)
    assert message in str(caught.value)
    assert list(mech.obstacles) == ["wall", "floor"]
    assert not mech.contacts
    assert not mech.exclusions


@pytest.mark.parametrize(
    "add",
    [
        lambda m: m.add_contact("a", "e"),
        lambda m: m.add_contact_group(["a", "e"]),
        lambda m: m.exclude("a", "e"),
    ],
)
def test_an_unknown_name_lists_the_known_ones(mech, add):
    with pytest.raises(UnknownName, match="named 'e'; known: 'a', 'b'"):
        add(mech)


def test_a_group_of_bodies_without_shapes_is_refused():
    mech = Mechanism()
    mech.add_body("bare", 1.0, (1, 1, 1))
    with pytest.raises(MechanismError, match="contact group: no body has a shape that collides"):
        mech.add_contact_group()
