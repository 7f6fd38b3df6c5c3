"""Distances, gears, curves, rolling and custom constraints: what is stored, and each fault's message."""

import numpy as np
import pytest

from sarrus.errors import MechanismError
from sarrus.mechanism import Mechanism

O = (0.0, 0.0, 0.0)
X = (1.0, 0.0, 0.0)
SPLINE_ERROR = 1e-8  # 5/384 h^4 for a circle through 256 points: 5e-9


def residual(x, q, p, out):
    out[0] = x[0, 0] - p[0]


@pytest.fixture
def mech():
    mech = Mechanism()
    for name in ("a", "b"):
        mech.add_body(name, 1.0, (1, 1, 1))
    mech.add_joint("hinge a", "revolute", "world", "a", at=O, axis=X)
    mech.add_joint("tube b", "cylindrical", "a", "b", at=O, axis=X)
    mech.add_joint("weld", "fixed", "a", "b", at=O)
    return mech


def test_a_distance_is_by_default_as_placed(mech):
    mech.add_distance("wire", "a", "world", at_a=O, at_b=(3, 4, 0))
    mech.add_distance("short wire", "a", "b", at_a=O, at_b=(3, 4, 0), length=4.5)
    assert mech.joints["wire"].length == 5.0
    assert mech.joints["short wire"].length == 4.5


def test_a_gear_couples_single_coordinates_or_named_components(mech):
    mech.add_gear("pair", "hinge a", "tube b", -2.0, component_b=1)
    gear = mech.joints["pair"]
    assert (gear.ratio, gear.component_a, gear.component_b) == (-2.0, 0, 1)


def test_a_curve_is_closed_when_its_ends_meet(mech):
    square = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
    mech.add_point_on_curve("open", "world", "a", O, square)
    mech.add_point_on_curve("closed", "world", "a", O, [*square, (0, 0, 1e-12)])
    assert not mech.joints["open"].closed
    assert mech.joints["closed"].closed
    np.testing.assert_array_equal(mech.joints["closed"].points[-1], mech.joints["closed"].points[0])


def test_a_curve_given_as_a_function_is_sampled_finely_enough_for_a_spline(mech):
    from scipy.interpolate import CubicSpline

    mech.add_point_on_curve(
        "ring", "world", "a", X, lambda s: (np.cos(2 * np.pi * s), np.sin(2 * np.pi * s), 0.0)
    )
    points = mech.joints["ring"].points
    assert mech.joints["ring"].closed
    spline = CubicSpline(np.linspace(0, 1, len(points)), points, bc_type="periodic")
    path = spline(np.linspace(0, 1, 5000))
    assert np.max(np.abs(np.linalg.norm(path, axis=1) - 1.0)) < SPLINE_ERROR


def test_rolling_is_a_disc_with_an_axis_and_a_sphere_without(mech):
    mech.add_rolling("disc", "a", 0.5, axis=(0, 2, 0))
    mech.add_rolling("ball", "b", radius=0.5)
    np.testing.assert_array_equal(mech.joints["disc"].axis, [0, 1, 0])
    assert mech.joints["ball"].axis is None


def test_a_custom_constraint_keeps_its_functions_and_parameters(mech):
    mech.add_constraint("mine", ["a", "b"], residual, rows=1, parameters=(0.5,))
    custom = mech.joints["mine"]
    assert custom.bodies == ("a", "b")
    assert custom.residual is residual
    assert custom.jacobian is None
    np.testing.assert_array_equal(custom.parameters, [0.5])


FAULTS = {
    "distance to itself": (lambda m: m.add_distance("f", "a", "a", O, X), "a and b are the same body, 'a'"),
    "distance unknown": (lambda m: m.add_distance("f", "a", "c", O, X), "distance 'f': no body named 'c'"),
    "distance nowhere": (lambda m: m.add_distance("f", "a", "b", O, O), "at_a and at_b coincide"),
    "distance zero": (
        lambda m: m.add_distance("f", "a", "b", O, X, 0.0),
        "length must be positive and finite",
    ),
    "distance NaN": (lambda m: m.add_distance("f", "a", "b", O, (0, 0, np.nan)), "at_b must be 3 finite"),
    "gear unknown": (
        lambda m: m.add_gear("f", "hinge", "tube b", 1),
        "no joint named 'hinge'; known: 'hinge a'",
    ),
    "gear fixed": (lambda m: m.add_gear("f", "hinge a", "weld", 1), "'weld' (fixed) has no joint coordinate"),
    "gear vague": (
        lambda m: m.add_gear("f", "hinge a", "tube b", 1),
        "joint 'tube b' has 2 coordinates; give component_b: 0 (distance), 1 (angle)",
    ),
    "gear component": (
        lambda m: m.add_gear("f", "hinge a", "tube b", 1, component_b=2),
        "joint 'tube b' has no coordinate 2; component_b may be 0 (distance), 1 (angle)",
    ),
    "gear itself": (
        lambda m: m.add_gear("f", "hinge a", "hinge a", 1),
        "are the same coordinate of joint 'hinge a'",
    ),
    "gear zero": (lambda m: m.add_gear("f", "hinge a", "tube b", 0, component_b=1), "ratio must not be 0"),
    "gear NaN": (
        lambda m: m.add_gear("f", "hinge a", "tube b", np.nan, 0, 1),
        "ratio must be finite, not nan",
    ),
    "curve point": (lambda m: m.add_point_on_curve("f", "world", "a", O, [O]), "at least 2 points, not 1"),
    "curve NaN": (
        lambda m: m.add_point_on_curve("f", "world", "a", O, [O, (np.nan, 0, 0)]),
        "curve must be N x 3 finite numbers",
    ),
    "curve double": (
        lambda m: m.add_point_on_curve("f", "world", "a", O, [O, X, X]),
        "points 1 and 2 of the curve coincide",
    ),
    "curve lune": (
        lambda m: m.add_point_on_curve("f", "world", "a", O, [O, X, O]),
        "a closed curve must have at least 3 different points, not 2",
    ),
    "curve function": (
        lambda m: m.add_point_on_curve("f", "world", "a", O, lambda s: (s, s)),
        "curve(0) must be 3 finite numbers",
    ),
    "rolling world": (lambda m: m.add_rolling("f", "world", 1.0), "rolling 'f': no body named 'world'"),
    "rolling radius": (lambda m: m.add_rolling("f", "a", 0.0), "radius must be positive and finite"),
    "rolling flat": (lambda m: m.add_rolling("f", "a", 1.0, axis=(0, 0, 1)), "axis must not be vertical"),
    "custom none": (lambda m: m.add_constraint("f", [], residual), "bodies must name at least one body"),
    "custom world": (lambda m: m.add_constraint("f", ["world"], residual), "leave 'world' out of bodies"),
    "custom twice": (lambda m: m.add_constraint("f", ["a", "a"], residual), "bodies must be different"),
    "custom unknown": (lambda m: m.add_constraint("f", ["z"], residual), "constraint 'f': no body named 'z'"),
    "custom rows": (
        lambda m: m.add_constraint("f", ["a"], residual, rows=0),
        "rows must be a whole number of at least 1",
    ),
    "custom number": (
        lambda m: m.add_constraint("f", ["a"], 3),
        "residual must be a function residual(x, q, p, out), not 3",
    ),
    "custom arguments": (
        lambda m: m.add_constraint("f", ["a"], lambda x, q: 0),
        "residual must be a function residual(x, q, p, out): too many positional arguments",
    ),
    "custom jacobian": (
        lambda m: m.add_constraint("f", ["a"], residual, jacobian=lambda x: 0),
        "jacobian must be a function jacobian(x, q, p, out)",
    ),
    "custom NaN": (
        lambda m: m.add_constraint("f", ["a"], residual, parameters=(np.nan,)),
        "parameters must be N finite numbers",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_constraint_is_refused_with_a_clear_message_and_not_stored(mech, fault):
    add, message = FAULTS[fault]
    before = list(mech.joints)
    with pytest.raises(MechanismError) as caught:
        add(mech)
    assert message in str(caught.value)
    assert "'f': " in str(caught.value)
    assert list(mech.joints) == before
