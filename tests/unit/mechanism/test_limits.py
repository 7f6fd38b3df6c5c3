"""Limits, joint friction and ropes: what is stored, and the message for each fault."""

import numpy as np
import pytest

from sarrus.errors import MechanismError
from sarrus.mechanism import Mechanism

O = (0.0, 0.0, 0.0)
X = (1.0, 0.0, 0.0)
INF = np.inf


@pytest.fixture
def mech():
    mech = Mechanism()
    for name in ("a", "b"):
        mech.add_body(name, 1.0, (1, 1, 1))
    mech.add_joint("hinge", "revolute", "world", "a", at=O, axis=X)
    mech.add_joint("ball", "spherical", "a", "b", at=O)
    mech.add_joint("weld", "fixed", "a", "b", at=O)
    mech.add_distance("wire", "a", "b", at_a=O, at_b=X)
    mech.add_rolling("wheel", "a", radius=1.0)
    mech.add_joint("table", "rectangular", "world", "b", at=O, axis=X)
    return mech


def test_a_limit_bounds_a_coordinate_on_both_sides_or_on_one(mech):
    mech.add_limit("stop", "hinge", lower=-1, upper=2.0)
    mech.add_limit("wall", "table", upper=0.5)
    np.testing.assert_array_equal(mech.limits["stop"].lower, [-1])
    np.testing.assert_array_equal(mech.limits["stop"].upper, [2])
    np.testing.assert_array_equal(mech.limits["wall"].lower, [-INF, -INF])
    np.testing.assert_array_equal(mech.limits["wall"].upper, [0.5, 0.5])
    assert not mech.limits["stop"].lower.flags.writeable


def test_a_limit_takes_one_bound_per_coordinate_or_one_component(mech):
    mech.add_limit("cone", "ball", lower=(-1, None, -INF), upper=(1, 2, None))
    mech.add_limit("side", "table", lower=0.1, component=1)
    np.testing.assert_array_equal(mech.limits["cone"].lower, [-1, -INF, -INF])
    np.testing.assert_array_equal(mech.limits["cone"].upper, [1, 2, INF])
    np.testing.assert_array_equal(mech.limits["side"].lower, [-INF, 0.1])
    np.testing.assert_array_equal(mech.limits["side"].upper, [INF, INF])


def test_two_limits_may_share_a_joint_but_not_a_coordinate(mech):
    mech.add_limit("x", "table", lower=0, component=0)
    mech.add_limit("y", "table", lower=0, component=1)
    with pytest.raises(MechanismError, match="limit 'z': limit 'y' already bounds y of joint 'table'"):
        mech.add_limit("z", "table", upper=1, component=1)
    assert list(mech.limits) == ["x", "y"]


def test_joint_friction_is_one_effort_or_one_per_coordinate(mech):
    mech.add_joint_friction("hinge", 0.2)
    mech.add_joint_friction("ball", effort=(0, 1, 2))
    np.testing.assert_array_equal(mech.joint_frictions["hinge"].effort, [0.2])
    np.testing.assert_array_equal(mech.joint_frictions["ball"].effort, [0, 1, 2])


def test_a_rope_is_taut_as_placed_unless_told_otherwise(mech):
    mech.add_rope("leash", "a", "world", at_a=O, at_b=(0, 3, 4))
    mech.add_rope("slack", "a", "b", at_a=O, at_b=O, length=2)
    assert mech.ropes["leash"].length == 5.0
    assert mech.ropes["slack"].length == 2.0


FAULTS = {
    "crossed": (
        lambda m: m.add_limit("f", "hinge", 1, -1),
        "lower must be less than upper, but for angle 1 > -1",
    ),
    "equal": (
        lambda m: m.add_limit("f", "hinge", 1, 1),
        "lower and upper of angle are both 1; lower must be less",
    ),
    "no bound": (lambda m: m.add_limit("f", "hinge"), "give lower, upper, or both"),
    "no finite bound": (lambda m: m.add_limit("f", "hinge", -INF, INF), "give lower, upper, or both"),
    "NaN": (lambda m: m.add_limit("f", "hinge", np.nan), "lower must be finite, not nan"),
    "NaN among others": (lambda m: m.add_limit("f", "ball", (0, np.nan, 0)), "lower must be finite, not nan"),
    "wrong infinity": (lambda m: m.add_limit("f", "hinge", INF), "lower must be finite, not inf"),
    "text": (lambda m: m.add_limit("f", "hinge", "0"), "lower must be a number, not '0'"),
    "count": (
        lambda m: m.add_limit("f", "ball", (0, 0)),
        "one number (None: no bound) for each of 3 coordinates",
    ),
    "list for a component": (
        lambda m: m.add_limit("f", "ball", (0, 0, 0), component=0),
        "lower must be a number, not (0, 0, 0)",
    ),
    "component": (lambda m: m.add_limit("f", "ball", 0, component=3), "joint 'ball' has no coordinate 3"),
    "unknown joint": (lambda m: m.add_limit("f", "hing", 0), "no joint named 'hing'; known: 'hinge'"),
    "fixed": (
        lambda m: m.add_limit("f", "weld", 0),
        "'weld' (fixed) has no joint coordinate; kinds that have",
    ),
    "distance": (lambda m: m.add_limit("f", "wire", 0), "'wire' (Distance) has no joint coordinate"),
    "rolling": (lambda m: m.add_limit("f", "wheel", 0), "'wheel' (Rolling) has no joint coordinate"),
    "rope itself": (lambda m: m.add_rope("f", "a", "a", O, X), "a and b are the same body, 'a'"),
    "rope unknown": (lambda m: m.add_rope("f", "a", "c", O, X), "no body named 'c'; known: "),
    "rope without length": (lambda m: m.add_rope("f", "a", "b", O, O), "at_a and at_b coincide; give length"),
    "rope of length 0": (
        lambda m: m.add_rope("f", "a", "b", O, X, 0.0),
        "length must be positive and finite",
    ),
    "rope of length -1": (
        lambda m: m.add_rope("f", "a", "b", O, X, -1),
        "length must be positive and finite",
    ),
    "rope NaN": (
        lambda m: m.add_rope("f", "a", "b", O, X, np.nan),
        "length must be positive and finite, not nan",
    ),
    "rope point": (lambda m: m.add_rope("f", "a", "b", O, (0, 0)), "at_b must be 3 finite numbers"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_limit_or_rope_is_refused_with_a_clear_message_and_not_stored(mech, fault):
    add, message = FAULTS[fault]
    with pytest.raises(MechanismError) as caught:
        add(mech)
    assert message in str(caught.value)
    assert "'f': " in str(caught.value)
    assert not mech.limits
    assert not mech.ropes


@pytest.mark.parametrize(
    ("joint", "effort", "message"),
    [
        ("hinge", -0.1, "friction of joint 'hinge': effort must be zero or positive, and finite, not -0.1"),
        ("hinge", np.nan, "effort must be zero or positive, and finite, not nan"),
        ("ball", (1, 1), "effort must be 3 finite numbers, not (1, 1)"),
        ("ball", (1, 1, -1), "effort must be zero or positive"),
        ("weld", 1.0, "'weld' (fixed) has no joint coordinate"),
        ("wire", 1.0, "'wire' (Distance) has no joint coordinate"),
        ("knee", 1.0, "friction of joint 'knee': no joint named 'knee'; known: "),
    ],
)
def test_faulty_joint_friction_is_refused_with_a_clear_message_and_not_stored(mech, joint, effort, message):
    with pytest.raises(MechanismError) as caught:
        mech.add_joint_friction(joint, effort)
    assert message in str(caught.value)
    assert not mech.joint_frictions


def test_names_are_unique_among_limits_and_among_ropes_and_friction_is_given_once(mech):
    mech.add_limit("stop", "hinge", lower=0)
    with pytest.raises(MechanismError, match="limit 'stop': there is already a limit of this name"):
        mech.add_limit("stop", "ball", lower=0)
    mech.add_rope("stop", "a", "b", O, X)
    with pytest.raises(MechanismError, match="rope 'stop': there is already a rope of this name"):
        mech.add_rope("stop", "a", "b", O, X)
    mech.add_joint_friction("hinge", 1.0)
    with pytest.raises(MechanismError, match="friction of joint 'hinge': the joint already has friction"):
        mech.add_joint_friction("hinge", 1.0)
