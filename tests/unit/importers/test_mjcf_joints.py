"""Joints of MJCF files: kinds, coordinates, limits, springs, friction."""

import re

import numpy as np
import pytest
from tests.unit.importers.mjcf_texts import GEOM, body, document, loaded, reasons

import sarrus

X, Y, Z = '"1 0 0"', '"0 1 0"', '"0 0 1"'


def hinge(name: str, axis: str, more: str = "") -> str:
    return f'<joint name="{name}" type="hinge" axis={axis} {more}/>'


def slide(name: str, axis: str, more: str = "") -> str:
    return f'<joint name="{name}" type="slide" axis={axis} {more}/>'


KINDS = {
    "one hinge": (hinge("a", X), {"a": "revolute"}),
    "one slide": (slide("a", X), {"a": "prismatic"}),
    "a ball": ('<joint name="a" type="ball"/>', {"a": "spherical"}),
    "crossing hinges": (hinge("a", X) + hinge("b", Y), {"a+b": "universal"}),
    "hinges that do not cross": (
        hinge("a", X) + hinge("b", Y, 'pos="0 0 0.1"'),
        {"a": "revolute", "b": "revolute"},
    ),
    "oblique hinges": (hinge("a", X) + hinge("b", '"1 1 0"'), {"a": "revolute", "b": "revolute"}),
    "three hinges": (hinge("a", X) + hinge("b", Y) + hinge("c", Z), {"a+b": "universal", "c": "revolute"}),
    "along and about": (slide("a", Z) + hinge("b", Z), {"a+b": "cylindrical"}),
    "about and along": (hinge("a", Z) + slide("b", Z), {"a+b": "cylindrical"}),
    "along, then about another": (slide("a", X) + hinge("b", Z), {"a+b": "pin_in_slot"}),
    "about, then along another": (hinge("a", X) + slide("b", Z), {"a": "revolute", "b": "prismatic"}),
    "two slides": (slide("a", X) + slide("b", Z), {"a+b": "rectangular"}),
    "in a plane": (slide("a", X) + slide("b", Z) + hinge("c", Y), {"a+b+c": "planar"}),
    "three slides": (slide("a", Z) + slide("b", X) + slide("c", Y), {"a+b+c": "cartesian"}),
    "three slides and a hinge": (
        slide("a", Z) + slide("b", X) + slide("c", Y) + hinge("d", '"1 1 0"'),
        {"a+b+c+d": "parallel_axis"},
    ),
    "three slides and a ball": (
        slide("a", Z) + slide("b", X) + slide("c", Y) + '<joint name="d" type="ball"/>',
        {"a+b+c+d": "free"},
    ),
    "two slides and a ball": (
        slide("a", X) + slide("b", Y) + '<joint name="d" type="ball"/>',
        {"a+b+d": "point_on_plane"},
    ),
    "two oblique slides and a ball": (
        slide("a", '"1 1 0"') + slide("b", '"1 -1 0"') + '<joint name="d" type="ball"/>',
        {"a+b": "rectangular", "d": "spherical"},
    ),
    "slide and ball": (slide("a", X) + '<joint name="b" type="ball"/>', {"a+b": "slot"}),
}


@pytest.mark.parametrize("case", KINDS)
def test_joints_of_one_body_become_the_kinds_that_move_it_alike(tmp_path, case):
    joints, expected = KINDS[case]
    mech = loaded(tmp_path, document(body("link", joints)))
    assert {name: j.kind for name, j in mech.joints.items()} == expected
    assert len(mech.bodies) == len(expected)


def test_bodies_between_joints_are_negligible_and_named_after_them(tmp_path):
    mech = loaded(tmp_path, document(body("link", hinge("a", X) + hinge("b", '"1 1 0"'))))
    assert list(mech.bodies) == ["link", "link/a"]
    between = mech.bodies["link/a"]
    assert between.mass == pytest.approx(1e-9 * mech.bodies["link"].mass)
    assert mech.joints["a"].child == "link/a"
    assert mech.joints["b"].parent == "link/a"
    assert any("1e-09" in why for why in reasons(mech, "body", changed=True))


def leg(side):
    """A leg with three hinges that are no joint of one kind at the hip, and two of them at the ankle."""
    hip = (hinge("hx", X, 'range="-25 5"') + hinge("hz", Z, 'range="-60 35"')
           + hinge("hy", '"0 1 0.2"', 'range="-110 20"'))  # fmt: skip
    ankle = hinge("ay", '"0 1 0"', 'range="-50 50"') + hinge("ax", '"1 0 0.5"', 'range="-50 50"')
    feet = "".join(
        f'<geom type="capsule" size=".027" fromto="-.07 {-y} 0 .14 {3 * y} 0" mass="1"/>'
        for y in (0.01, -0.01)
    )
    text = (
        f'<body name="thigh" pos="{0.1 * side} 0 -.1">{hip}'
        '<geom type="capsule" size=".06" fromto="0 0 0 0 .01 -.34" mass="4"/>'
        '<body name="shin" pos="0 .01 -.4">'
        + hinge("knee", '"0 -1 0"', 'range="-160 2"')
        + '<geom type="capsule" size=".05" fromto="0 0 0 0 0 -.3" mass="2.5"/>'
        f'<body name="foot" pos="0 0 -.39">{ankle}{feet}</body></body></body>'
    )
    return re.sub(r'name="', f'name="{"left" if side > 0 else "right"} ', text)


def test_legs_with_three_hinges_at_the_hip_fall_to_the_floor_and_to_their_limits(tmp_path):
    """With 1e-9 of the inertia between the hinges, no step solved the first touch."""
    torso = '<body name="torso" pos="0 0 1.02"><freejoint/><geom type="sphere" size="0.1" mass="10"/>'
    floor = '<geom name="floor" type="plane" size="5 5 1"/>'
    mech = loaded(tmp_path, document(f"{floor}{torso}{leg(1)}{leg(-1)}</body>"))
    assert "left thigh/left hx+left hz" in mech.bodies
    run = sarrus.simulate(sarrus.build(mech), duration=0.5, dt=0.005)
    assert run.gap().min() >= 0.0
    assert run.stats.iterations_max.max() < 100


def test_attributes_go_to_the_coordinate_of_their_joint(tmp_path):
    # hinge first: the coordinates of a cylindrical joint are distance, angle
    joints = hinge("turn", Z, 'damping="0.2" armature="0.3" stiffness="4" frictionloss="0.5" range="-10 20"')
    joints += slide("shift", Z, 'damping="2" armature="3" stiffness="40" frictionloss="5" range="-1 2"')
    mech = loaded(tmp_path, document(body("link", joints)))
    joint, spring = mech.joints["turn+shift"], mech.joint_springs["turn+shift spring"]
    assert joint.armature == (3.0, 0.3)
    np.testing.assert_allclose(spring.stiffness, [40, 4])
    np.testing.assert_allclose(spring.damping, [2, 0.2])
    np.testing.assert_allclose(mech.joint_frictions["turn+shift"].effort, [5, 0.5])
    np.testing.assert_allclose(mech.limits["turn"].upper, [np.inf, np.deg2rad(20)])
    np.testing.assert_allclose(mech.limits["shift"].lower, [-1, -np.inf])
    places = mech.import_report.coordinates
    assert (places["turn"].joint, places["turn"].component) == ("turn+shift", 1)
    assert (places["shift"].joint, places["shift"].component) == ("turn+shift", 0)


def test_a_planar_joint_follows_the_sense_of_its_hinge(tmp_path):
    for axis, order in (('"0 1 0"', {"z": 0, "x": 1, "y": 2}), ('"0 -1 0"', {"x": 0, "z": 1, "y": 2})):
        mech = loaded(tmp_path, document(body("link", slide("x", X) + slide("z", Z) + hinge("y", axis))))
        assert {n: c.component for n, c in mech.import_report.coordinates.items()} == order


def test_limits_and_springs_count_from_the_reference(tmp_path):
    joint = hinge("h", X, 'ref="30" range="-10 50" stiffness="2" springref="45"')
    mech = loaded(tmp_path, document(body("link", joint)))
    np.testing.assert_allclose(np.rad2deg(mech.limits["h"].lower), [-40])
    np.testing.assert_allclose(np.rad2deg(mech.limits["h"].upper), [20])
    np.testing.assert_allclose(np.rad2deg(mech.joint_springs["h spring"].rest), [15])
    assert mech.import_report.offsets == {"h": pytest.approx(np.deg2rad(30))}
    assert "h: 0.523598776" in str(mech.import_report)


def test_a_reference_beyond_a_limit_is_named(tmp_path):
    mech = loaded(tmp_path, document(body("link", hinge("knee", X, 'range="-90 -30"'))))
    assert mech.import_report.beyond == ("knee",)
    assert "knee" in str(mech.import_report)


def test_joints_without_limits_or_springs_have_none(tmp_path):
    mech = loaded(tmp_path, document(body("link", hinge("h", X))))
    assert not mech.limits
    assert not mech.joint_springs
    assert not mech.joint_frictions


def test_flags_of_the_file_switch_springs_dampers_limits_and_friction_off(tmp_path):
    joint = hinge("h", X, 'range="-10 50" stiffness="2" damping="3" frictionloss="1"')
    flags = (
        '<option><flag limit="disable" frictionloss="disable" spring="disable" damper="disable"/></option>'
    )
    mech = loaded(tmp_path, document(body("link", joint), option=flags))
    assert not mech.limits
    assert not mech.joint_springs
    assert not mech.joint_frictions
    assert len(reasons(mech, "option")) == 4


def test_the_limit_of_a_ball_is_noted_and_its_damper_acts_on_the_angular_velocity(tmp_path):
    joint = '<joint name="b" type="ball" range="0 60" damping="0.1"/>'
    mech = loaded(tmp_path, document(body("link", joint)))
    assert reasons(mech, "joint")
    assert mech.joints["b"].rates == "angular"
    assert not reasons(mech, "joint", changed=True)
    np.testing.assert_allclose(mech.joint_springs["b spring"].damping, [0.1, 0.1, 0.1])


def test_a_free_joint_reads_the_place_of_the_link_not_of_its_centre_of_mass(tmp_path):
    ball = GEOM.replace("/>", f" pos={X}/>")
    text = document(f'<body name="a" pos="1 0 0"><freejoint name="root"/>{ball}</body>')
    mech = loaded(tmp_path, text)
    np.testing.assert_allclose(mech.bodies["a"].position, [2, 0, 0])
    np.testing.assert_allclose(mech.joints["root"].at, [1, 0, 0])
