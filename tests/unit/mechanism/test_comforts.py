"""Orientations in several forms, bars, one mechanism attached to another."""

import copy

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import sarrus
from sarrus.mechanism.rotations import rotation

EXACT = 1e-12


def hand(fixed=True):
    """A palm with one finger, in its own world; a post that the finger can touch."""
    mech = sarrus.Mechanism(name="hand")
    mech.add_body("palm", mass=0.5, position=(0, 0, 0.05), shapes=[sarrus.Box((0.1, 0.1, 0.1))])
    mech.add_body("finger", mass=0.1, position=(0, 0.1, 0.2), shapes=[sarrus.Sphere(0.02)])
    mech.add_joint("mount", "fixed" if fixed else "free", "world", "palm", at=(0, 0, 0))
    mech.add_joint("knuckle", "revolute", "palm", "finger", at=(0, 0, 0.1), axis=(1, 0, 0))
    mech.add_motor("pull", "knuckle", limit=2.0)
    mech.add_limit("stop", "knuckle", -1.0, 1.0)
    mech.add_frame("tip", "finger", at=(0, 0.1, 0.22))
    mech.add_obstacle("post", sarrus.Sphere(0.01, at=(0, 0, 0.3)))
    mech.add_keyframe("closed", joints={"knuckle": 0.5}, inputs={"pull": 0.1})
    return mech


def wrist():
    mech = sarrus.Mechanism(name="arm")
    mech.add_body("arm", mass=1.0, position=(0.5, 0, 1), shapes=[sarrus.Box((1, 0.05, 0.05))])
    mech.add_joint("shoulder", "revolute", "world", "arm", at=(0, 0, 1), axis=(0, 1, 0))
    mech.add_frame("tool", "arm", at=(1, 0, 1), orientation=Rotation.from_euler("y", 90, degrees=True))
    mech.add_ground()
    return mech


@pytest.mark.parametrize("form", ["numbers", "matrix", "scipy"])
def test_an_orientation_may_be_a_quaternion_a_matrix_or_a_rotation(form):
    turn = Rotation.from_euler("xyz", [0.3, -0.5, 1.2])
    x, y, z, w = turn.as_quat()
    given = {"numbers": (w, x, y, z), "matrix": turn.as_matrix(), "scipy": turn}[form]
    mech = sarrus.Mechanism()
    mech.add_body("a", mass=1.0, orientation=given, shapes=[sarrus.Box((1, 1, 1), orientation=given)])
    mech.add_frame("f", "a", orientation=given)
    for q in (mech.bodies["a"].orientation, mech.frames["f"].orientation):
        np.testing.assert_allclose(rotation(q), turn.as_matrix(), atol=EXACT)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((0.1, 0.2, 0.3), "three numbers is ambiguous"),
        (np.diag([1.0, 1.0, -1.0]), "must be a rotation, but it reflects"),
        (np.diag([1.0, 1.0, 1.1]), "must be a rotation, but its rows miss orthonormal ones by 0.21"),
        ((1.0, 1.0, 0.0, 0.0), "unit quaternion"),
    ],
)
def test_what_is_no_orientation_is_refused(given, message):
    with pytest.raises(sarrus.MechanismError, match=f"body 'a': orientation .*{message}"):
        sarrus.Mechanism().add_body("a", mass=1.0, inertia=(1, 1, 1), orientation=given)


@pytest.mark.parametrize("end", [(1, 2, 3), (0, 0, 2), (0, 0, -2), (1e-9, 0, -1)])
def test_a_bar_reaches_from_one_point_to_the_other(end):
    mech = sarrus.Mechanism()
    start = np.array([0.5, -1.0, 0.2])
    mech.add_bar("bar", start, start + end, 0.02, density=1000.0)
    body = mech.bodies["bar"]
    length = np.linalg.norm(end)
    half = rotation(body.orientation) @ [0, 0, 0.5 * length]
    np.testing.assert_allclose(body.position + half, start + end, atol=EXACT)
    assert body.mass == pytest.approx(1000.0 * np.pi * 0.02**2 * length)
    with pytest.raises(sarrus.MechanismError, match="a and b are the same point"):
        mech.add_bar("dot", start, start, mass=1.0)
    with pytest.raises(sarrus.MechanismError, match=r"bar .light.: give mass .* or density"):
        mech.add_bar("light", start, start + end)


def test_a_hand_on_an_arm_is_held_where_the_frame_is():
    mech = wrist()
    mech.attach(hand(), frame="tool", prefix="hand/")
    palm = mech.bodies["hand/palm"]
    np.testing.assert_allclose(palm.position, [1.05, 0, 1], atol=EXACT)
    np.testing.assert_allclose(rotation(palm.orientation) @ [0, 0, 1], [1, 0, 0], atol=EXACT)
    mount = mech.joints["hand/mount"]
    assert (mount.parent, mount.child, mount.kind) == ("arm", "hand/palm", "fixed")
    np.testing.assert_allclose(mech.joints["hand/knuckle"].axis, [0, 0, -1], atol=EXACT)
    np.testing.assert_allclose(mech.frames["hand/tip"].at, [1.22, 0.1, 1.0], atol=EXACT)
    assert mech.motors["hand/pull"].joint == "hand/knuckle"
    assert mech.keyframes["hand/closed"].joints["hand/knuckle"] == [0.5]
    # The post, fixed in the world of the hand, is a shape of the arm now, and the finger meets it.
    np.testing.assert_allclose(mech.bodies["arm"].shapes[-1].at, [0.8, 0, 0], atol=EXACT)
    assert ("arm", "hand/finger") in mech.contacts
    model = sarrus.build(mech)
    assert model.dof == 2


def test_the_motion_of_what_is_attached_is_that_of_the_whole():
    """The finger swings as in a mechanism that was written out by hand."""
    mech = wrist()
    mech.attach(hand(), frame="tool", prefix="hand/")
    start = {"shoulder": 0.2, "hand/knuckle": 0.3}
    model = sarrus.build(mech)
    energy = sarrus.simulate(model, duration=0.2, dt=0.005, state=model.state(start)).energy().total
    assert np.ptp(energy) < 1e-3 * np.abs(energy).max()


def test_two_robots_share_one_ground_and_float_where_they_were_put():
    scene = sarrus.Mechanism()
    scene.add_ground()
    one = hand(fixed=False)
    one.add_ground()
    for side, x in (("left", -1.0), ("right", 1.0)):
        turned = Rotation.from_euler("z", 90, degrees=True)
        scene.add_frame(side, "world", at=(x, 0, 0), orientation=turned)
        scene.attach(one, frame=side, prefix=f"{side} ")
    assert list(scene.obstacles) == ["ground", "left post", "right post"]
    assert scene.joints["left mount"].kind == "free"
    np.testing.assert_allclose(scene.bodies["right finger"].position, [0.9, 0, 0.2], atol=EXACT)


def test_what_cannot_be_attached_is_refused_and_changes_nothing():
    mech = wrist()
    mech.attach(hand(), frame="tool", prefix="a/")
    before = repr(mech)
    with pytest.raises(sarrus.MechanismError, match="a body 'a/palm' already; give another prefix"):
        mech.attach(hand(), frame="tool", prefix="a/")
    with pytest.raises(sarrus.UnknownName, match="attach: no frame named 'tol'"):
        mech.attach(hand(), frame="tol", prefix="b/")
    loose = sarrus.Mechanism(name="stone")
    loose.add_body("stone", mass=1.0, inertia=(1, 1, 1))
    with pytest.raises(sarrus.MechanismError, match="no joint holds it in its world"):
        mech.attach(loose, frame="tool", prefix="c/")
    with pytest.raises(sarrus.MechanismError, match="attach takes a Mechanism, not str"):
        mech.attach("hand.xml")
    assert repr(mech) == before


def test_a_mechanism_is_not_attached_to_itself():
    mech = hand()
    with pytest.raises(sarrus.MechanismError, match=r"cannot be attached to itself; attach copy\.deepcopy"):
        mech.attach(mech, prefix="a/")
    mech.attach(copy.deepcopy(mech), prefix="a/")
    assert len(mech.bodies) == 2 * len(hand().bodies)
