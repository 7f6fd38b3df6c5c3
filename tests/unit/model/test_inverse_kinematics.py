"""Frames brought to given places: loops closed, limits kept, what is missed said."""

import warnings

import numpy as np
import pytest

import sarrus

# The search ends with steps of 1e-12; places are met to this.
MET = 1e-7


def arm(limit=2.5):
    """Six turning joints; the last three axes do not meet."""
    mech = sarrus.Mechanism()
    at, before = np.zeros(3), "world"
    for k, axis in enumerate([(0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0)]):
        end = at + (np.array([0, 0, 0.3]) if k < 2 else np.array([0.3, 0, 0]))
        mech.add_bar(f"bar {k}", at, end, 0.02, mass=1.0, collide=False)
        mech.add_joint(f"joint {k}", "revolute", before, f"bar {k}", at=at, axis=axis)
        mech.add_limit(f"joint {k}", f"joint {k}", -limit, limit)
        at, before = end, f"bar {k}"
    mech.add_frame("tool", before, at=at)
    return sarrus.build(mech)


ARM = arm()


@pytest.mark.parametrize("seed", range(4))
def test_a_pose_that_can_be_reached_is_reached_within_the_limits(seed):
    rng = np.random.default_rng(seed)
    target = ARM.state({f"joint {k}": rng.uniform(-2.0, 2.0) for k in range(6)}).frame_pose("tool")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = sarrus.assemble(ARM, frames={"tool": target}, limits=True)
    np.testing.assert_allclose(found.frame_pose("tool").matrix, target.matrix, atol=MET)
    assert all(abs(found.joint_position(f"joint {k}")) <= 2.5 + MET for k in range(6))


def test_a_place_out_of_reach_is_approached_and_the_miss_is_said():
    with pytest.warns(sarrus.TargetsMissed, match=r"frame 'tool' misses its position by 1\.5\d* m"):
        found = sarrus.assemble(ARM, frames={"tool": (3.0, 0.0, 0.3)}, limits=True)
    assert np.linalg.norm(found.frame_pose("tool").position - [0, 0, 0.3]) == pytest.approx(1.5, abs=1e-4)


def test_limits_bind_and_are_named():
    stiff = arm(limit=0.2)
    with pytest.warns(sarrus.TargetsMissed, match="at their limits: .*'joint 0'"):
        found = sarrus.assemble(stiff, frames={"tool": (-1.0, 0.5, 0.6)}, limits=True)
    assert max(abs(found.joint_position(f"joint {k}")) for k in range(6)) <= 0.2 + 1e-9


def test_given_coordinates_may_have_limits_of_their_own():
    """Nothing is left that could move a given coordinate off its limit."""
    for limit in (0.5, 0.3 + 1e-9):
        model = arm(limit)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sarrus.TargetsMissed)
            found = sarrus.assemble(
                model, {f"joint {k}": 0.3 for k in range(6)}, frames={"tool": (0, 0, 0.9)}, limits=True
            )
        np.testing.assert_allclose([found.joint_position(f"joint {k}") for k in range(6)], 0.3, atol=MET)


def test_a_place_may_be_a_position_with_a_quaternion():
    wanted = ARM.state(joints={"joint 1": 0.4, "joint 3": -0.5}).frame_pose("tool")
    found = sarrus.assemble(ARM, frames={"tool": (wanted.position, wanted.orientation)}).frame_pose("tool")
    np.testing.assert_allclose(found.position, wanted.position, atol=MET)
    assert abs(found.orientation @ wanted.orientation) == pytest.approx(1.0, abs=1e-9)


def test_given_coordinates_hold_and_loops_are_closed():
    mech = sarrus.gallery.four_bar()
    bodies = list(mech.bodies)
    mech.add_frame("pen", bodies[1])
    model = sarrus.build(mech)
    name = next(iter(mech.joints))
    target = model.state({name: 0.4}).frame_pose("pen").position
    found = sarrus.assemble(model, frames={"pen": target})
    np.testing.assert_allclose(found.frame_pose("pen").position, target, atol=MET)
    assert found.joint_position(name) == pytest.approx(0.4, abs=1e-6)
    assert np.abs(model.residuals(found.position[None], found.orientation[None])).max() < 1e-9
    with pytest.warns(sarrus.TargetsMissed, match="frame 'pen' misses"):
        held = sarrus.assemble(model, {name: 0.0}, frames={"pen": target})
    assert held.joint_position(name) == pytest.approx(0.0, abs=1e-9)


def test_what_is_no_place_is_refused_by_name():
    with pytest.raises(sarrus.UnknownName, match="no frame named 'tip'"):
        sarrus.assemble(ARM, frames={"tip": (0, 0, 0)})
    with pytest.raises(sarrus.MechanismError, match="frame 'tool': position"):
        sarrus.assemble(ARM, frames={"tool": (0, 0)})
    with pytest.raises(sarrus.MechanismError, match="orientation of three numbers is ambiguous"):
        sarrus.assemble(ARM, frames={"tool": ((0, 0, 0), (0, 0, 1))})
    with pytest.raises(sarrus.MechanismError, match=r"orientation must be 4 finite numbers, not 'up'"):
        sarrus.assemble(ARM, frames={"tool": ((0, 0, 0), "up")})
    with pytest.raises(sarrus.MechanismError, match="last line of a pose"):
        sarrus.assemble(ARM, frames={"tool": np.ones((4, 4))})
