"""URDF trees: links, bases, joints, motors, shapes and what is listed of the rest."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings

import numpy as np
import pytest
from tests.unit.importers.urdf_texts import joint, link, robot, written

import sarrus
from sarrus.errors import LossyImport

CLOSE = 1e-12
"""Placing a link takes a few products of numbers near 1."""
ARM = robot(link("arm"), '<link name="base"/>', joint("hinge", "base", "arm", "0 0 1"))


def loaded(folder, text, **options):
    """The mechanism of a URDF text, whatever it leaves out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LossyImport)
        return sarrus.load(written(folder, text), **options)


def notes(mech, part="changed"):
    """The report's items by kind and name."""
    return {(item.kind, item.name): item.why for item in getattr(mech.import_report, part)}


def test_links_keep_their_names_places_and_mass_properties(tmp_path):
    inertial = (
        '<inertial><origin xyz="0.1 0.2 0.3" rpy="0 0 1.5707963267948966"/><mass value="2"/>'
        '<inertia ixx="1" ixy="0.1" ixz="0.2" iyy="2" iyz="0.3" izz="2.5"/></inertial>'
    )
    text = robot(
        '<link name="base"/>',
        f'<link name="arm">{inertial}</link>',
        joint("hinge", "base", "arm", "1 0 0", "0 0 1.5707963267948966", axis="0 0 2"),
    )
    mech = loaded(tmp_path, text)
    body = mech.bodies["arm"]
    assert mech.name == "robot"
    assert body.mass == 2.0
    np.testing.assert_allclose(body.position, (1 - 0.2, 0.1, 0.3), atol=CLOSE)
    np.testing.assert_allclose(body.orientation, (np.sqrt(0.5), 0, 0, np.sqrt(0.5)), atol=CLOSE)
    # The axes of the inertia are turned by a quarter about z against those of the link.
    wanted = [[2, -0.1, -0.3], [-0.1, 1, 0.2], [-0.3, 0.2, 2.5]]
    np.testing.assert_allclose(body.inertia, wanted, atol=CLOSE)
    hinge = mech.joints["hinge"]
    assert (hinge.kind, hinge.parent, hinge.child) == ("revolute", "world", "arm")
    np.testing.assert_allclose(hinge.at, (1, 0, 0), atol=CLOSE)
    np.testing.assert_allclose(hinge.axis, (0, 0, 1), atol=CLOSE)
    assert {name: frame.body for name, frame in mech.frames.items()} == {"base": "world", "arm": "arm"}
    np.testing.assert_allclose(mech.frames["arm"].at, (1, 0, 0), atol=CLOSE)


def test_all_types_of_joints_are_read_and_the_axis_is_x_by_default(tmp_path):
    bounds = '<limit lower="-1" upper="2" effort="3" velocity="0"/>'
    kinds = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar", "spherical")
    parts = [link("base"), *(link(kind) for kind in kinds)]
    parts += [
        joint(f"{kind} joint", "base", kind, kind=kind, axis=None, inner=bounds if kind == "revolute" else "")
        for kind in kinds
    ]
    mech = loaded(tmp_path, robot(*parts))
    found = {name.removesuffix(" joint"): j.kind for name, j in mech.joints.items()}
    assert found == {
        "base free": "free",
        "revolute": "revolute",
        "continuous": "revolute",
        "prismatic": "prismatic",
        "fixed": "fixed",
        "floating": "free",
        "planar": "planar",
        "spherical": "spherical",
    }
    for name in ("revolute", "prismatic", "planar"):
        assert mech.joints[f"{name} joint"].axis.tolist() == [1.0, 0.0, 0.0]
    limit = mech.limits["revolute joint"]
    assert (limit.lower[0], limit.upper[0]) == (-1.0, 2.0)
    assert list(mech.limits) == ["revolute joint"]
    assert notes(mech)["joint", "prismatic joint"] == "has no limits lower < upper, so it is not limited"
    assert sarrus.build(mech).dof == 6 + 1 + 1 + 1 + 0 + 6 + 3 + 3


def test_a_root_with_mass_floats_unless_it_is_held(tmp_path):
    text = robot(link("base", mass=3.0), link("arm"), joint("hinge", "base", "arm"))
    floating = loaded(tmp_path, text)
    assert floating.joints["base free"].kind == "free"
    assert sarrus.build(floating).dof == 7
    held = loaded(tmp_path, text, fixed_base=True)
    assert held.joints["base fixed"].kind == "fixed"
    assert list(held.bodies) == ["base", "arm"]
    assert sarrus.build(held).dof == 1


@pytest.mark.parametrize("root", ['<link name="base"/>', '<link name="world"/>', ""])
def test_a_root_without_mass_or_named_world_is_the_ground(tmp_path, root):
    name = "base" if "base" in root else "world"
    mech = loaded(tmp_path, robot(root, link("arm"), joint("hinge", name, "arm")))
    assert list(mech.bodies) == ["arm"]
    assert mech.joints["hinge"].parent == "world"
    assert sarrus.build(mech).dof == 1


def test_a_root_without_mass_that_is_fixed_to_one_with_mass_floats_with_it(tmp_path):
    text = robot(
        '<link name="footprint"/>', link("base"), joint("up", "footprint", "base", "0 0 2", kind="fixed")
    )
    mech = loaded(tmp_path, text)
    assert list(mech.joints) == ["base free"]
    assert mech.frames["footprint"].body == "base"
    assert notes(mech) == {("link", "footprint"): "has no mass and is a frame of the body 'base'"}


def test_fixed_links_with_mass_stay_bodies_and_those_without_become_frames(tmp_path):
    text = robot(
        '<link name="base"/>', link("arm"), link("tool", 0.1), '<link name="tip"/>', '<link name="camera"/>',
        joint("hinge", "base", "arm"),
        joint("mount", "arm", "tool", "1 0 0", kind="fixed"),
        joint("end", "tool", "tip", "0.1 0 0", kind="fixed"),
        joint("view", "arm", "camera", "0.5 0 0", kind="fixed"),
    )  # fmt: skip
    mech = loaded(tmp_path, text)
    assert list(mech.bodies) == ["arm", "tool"]
    assert mech.joints["mount"].kind == "fixed"
    assert {n: f.body for n, f in mech.frames.items()} == {
        "base": "world", "arm": "arm", "tool": "tool", "tip": "tool", "camera": "arm",
    }  # fmt: skip
    np.testing.assert_allclose(mech.frames["tip"].at, (1.1, 0, 0), atol=CLOSE)
    assert sarrus.build(mech).dof == 1


def test_an_inertia_that_misses_the_triangle_inequality_by_little_is_replaced_by_the_nearest(tmp_path):
    """So do files of several robots in use, by 2 to 4 per cent."""
    text = robot(
        '<link name="base"/>',
        link("arm").replace('ixx="0.0001"', 'ixx="0.17"'),
        joint("hinge", "base", "arm"),
    )
    mech = loaded(tmp_path, text)
    moments = np.linalg.eigvalsh(mech.bodies["arm"].inertia)
    assert moments[2] == pytest.approx(moments[0] + moments[1])
    lacking = 0.17 - 2 / 12
    np.testing.assert_allclose(moments, [1 / 12 + lacking / 3, 1 / 12 + lacking / 3, 0.17 - lacking / 3])
    assert notes(mech, "lost")["inertia", "arm"] == (
        "no rigid body has the principal moments 0.0833333, 0.0833333, 0.17 kg m^2; they were replaced "
        "by the nearest possible ones, changed by 0.65 % of the largest"
    )


@pytest.mark.parametrize("ixx", ["9", "-1", "0"])
def test_whatever_inertia_a_moving_link_has_the_body_gets_one_that_a_rigid_body_can_have(tmp_path, ixx):
    """Files of Romeo, iCub and TIAGo hold such numbers on links that move."""
    text = robot(
        '<link name="base"/>',
        link("arm").replace('ixx="0.0001"', f'ixx="{ixx}"'),
        joint("hinge", "base", "arm"),
    )
    mech = loaded(tmp_path, text)
    moments = np.linalg.eigvalsh(mech.bodies["arm"].inertia)
    assert moments[0] > 0.0
    assert moments[2] <= (moments[0] + moments[1]) * (1 + CLOSE)
    assert (("inertia", "arm") in notes(mech, "lost")) == (ixx != "0")  # a rod has none about itself
    sarrus.build(mech)


def test_a_moment_that_is_negative_by_rounding_counts_as_none(tmp_path):
    text = robot(
        '<link name="base"/>',
        link("arm").replace('ixx="0.0001"', 'ixx="-2.4e-35"'),
        joint("hinge", "base", "arm"),
    )
    mech = loaded(tmp_path, text)
    assert np.linalg.eigvalsh(mech.bodies["arm"].inertia)[0] > 0.0
    assert not mech.import_report.lost


CAMERA = (
    '<link name="camera"><inertial><origin xyz="0 0 0.1" rpy="0 0 0.3"/><mass value="0.2"/>'
    '<inertia ixx="1e-5" ixy="0" ixz="0" iyy="1e-5" iyz="0" izz="1e-3"/></inertial></link>'
)


def test_a_link_with_an_impossible_inertia_is_a_part_of_the_body_that_it_is_fixed_to(tmp_path):
    """Mass, centre and the whole inertia of the two stay as they are in the file (Steiner)."""
    text = robot(link("arm"), CAMERA, joint("mount", "arm", "camera", "1 0 0", kind="fixed"))
    mech = loaded(tmp_path, text)
    body = mech.bodies["arm"]
    assert list(mech.bodies) == ["arm"]
    assert mech.frames["camera"].body == "arm"
    assert body.mass == pytest.approx(1.2)
    places = np.array([[0.5, 0.0, 0.0], [1.0, 0.0, 0.1]])
    centre = np.array([1.0, 0.2]) @ places / 1.2
    np.testing.assert_allclose(body.position, centre, atol=CLOSE)
    wanted = np.diag([1e-4, 1 / 12, 1 / 12]) + np.diag([1e-5, 1e-5, 1e-3])
    for m, p in zip((1.0, 0.2), places - centre, strict=True):
        wanted += m * (p @ p * np.eye(3) - np.outer(p, p))
    np.testing.assert_allclose(body.inertia, wanted, atol=CLOSE)
    said = notes(mech)["link", "camera"]
    assert said == "has an inertia that no rigid body has; with its mass it is a part of the body 'arm'"


def test_a_root_with_an_impossible_inertia_floats_with_the_trunk_that_is_fixed_to_it(tmp_path):
    text = robot(
        CAMERA.replace("camera", "base"), link("trunk"), joint("weld", "base", "trunk", kind="fixed")
    )
    mech = loaded(tmp_path, text)
    assert list(mech.bodies) == ["trunk"]
    assert mech.joints["trunk free"].kind == "free"


def test_a_link_without_mass_keeps_its_inertia(tmp_path):
    rotor = CAMERA.replace('"0.2"', '"0"').replace('"1e-5"', '"1e-3"')
    alone = loaded(tmp_path, robot(link("arm"), rotor, joint("spin", "arm", "camera")))
    np.testing.assert_allclose(np.linalg.eigvalsh(alone.bodies["camera"].inertia)[2], 1e-3)
    fixed = loaded(tmp_path, robot(link("arm"), rotor, joint("weld", "arm", "camera", kind="fixed")))
    np.testing.assert_allclose(fixed.bodies["arm"].inertia[2, 2], 1 / 12 + 1e-3, atol=CLOSE)


def test_mimics_that_mean_nothing_are_listed_and_dropped(tmp_path):
    parts = (link("a"), link("b"), link("c"), link("d"))
    text = robot(
        *parts,
        joint("A", "a", "b", inner='<mimic joint="nowhere"/>'),
        joint("B", "b", "c", kind="fixed", inner='<mimic joint="A"/>'),
        joint("C", "c", "d", inner='<mimic joint="B" offset="0.4"/>'),
    )
    mech = loaded(tmp_path, text)
    lost = notes(mech, "lost")
    assert lost["mimic", "A"] == "it mimics 'nowhere', which is not a joint of the file"
    assert lost["mimic", "B"] == "it mimics 'A', but is fixed"
    assert [mech.joints[name].kind for name in "ABC"] == ["revolute", "fixed", "fixed"]
    assert notes(mech)["joint", "C"] == "mimics a joint that is fixed, so it is fixed"


def test_limits_upside_down_bound_nothing_and_motors_of_unknown_joints_are_listed(tmp_path):
    text = robot(
        '<link name="base"/>',
        link("arm"),
        joint("h", "base", "arm", kind="revolute", inner='<limit lower="1" upper="0"/>'),
        '<transmission name="t"><joint name="x"/></transmission>',
    )
    mech = loaded(tmp_path, text)
    assert not mech.limits
    assert notes(mech)["joint", "h"] == "has no limits lower < upper, so it is not limited"
    assert notes(mech, "lost")["motor", "x"] == "the file has no joint 'x'"


def test_shapes_of_size_0_are_listed_and_blank_lines_may_precede_the_declaration(tmp_path):
    ball = '<collision><geometry><sphere radius="0"/></geometry></collision>'
    mech = loaded(tmp_path, '\n\n<?xml version="1.0"?>\n' + robot(link("arm", inner=ball)))
    assert not mech.bodies["arm"].shapes
    assert notes(mech, "lost")["sphere", "arm"] == "it has the size 0"


def test_the_axis_of_a_fixed_joint_may_be_zero(tmp_path):
    text = robot('<link name="base"/>', link("arm"), joint("weld", "base", "arm", kind="fixed", axis="0 0 0"))
    assert list(loaded(tmp_path, text).bodies) == ["arm"]


def test_damping_friction_and_springs_act_on_the_joint(tmp_path):
    inner = '<dynamics damping="0.3" friction="0.2"/>'
    spring = (
        '<gazebo reference="hinge"><springStiffness>4</springStiffness>'
        "<springReference>0.5</springReference></gazebo>"
    )
    text = robot('<link name="base"/>', link("arm"), joint("hinge", "base", "arm", inner=inner), spring)
    mech = loaded(tmp_path, text)
    assert mech.joint_springs["hinge"].damping.tolist() == [0.3]
    assert mech.joint_springs["hinge"].stiffness.tolist() == [0.0]
    assert mech.joint_frictions["hinge"].effort.tolist() == [0.2]
    assert (mech.joint_springs["hinge spring"].stiffness[0], mech.joint_springs["hinge spring"].rest[0]) == (
        4.0,
        0.5,
    )
    assert not mech.import_report.lost


def test_a_joint_whose_zero_is_outside_its_limits_starts_from_a_keyframe(tmp_path):
    inner = '<limit lower="0.5" upper="1.5" effort="0" velocity="0"/>'
    text = robot(
        '<link name="base"/>', link("arm"), joint("hinge", "base", "arm", kind="revolute", inner=inner)
    )
    mech = loaded(tmp_path, text)
    assert mech.keyframes["start"].joints["hinge"].tolist() == [1.0]
    assert "keyframe='start'" in notes(mech)["joint", "hinge"]
    assert sarrus.build(mech).state(keyframe="start").joint_position("hinge") == pytest.approx(1.0, abs=1e-9)


def test_transmissions_and_ros2_control_make_motors_with_the_effort_limit(tmp_path):
    bound = '<limit lower="-1" upper="1" effort="7" velocity="0"/>'
    parts = ['<link name="base"/>', *(link(n) for n in "abc")]
    parts += [joint(f"j{n}", "base", n, kind="revolute", inner=bound) for n in "abc"]
    drive = (
        '<transmission name="t"><type>transmission_interface/SimpleTransmission</type><joint name="ja">'
        '<hardwareInterface>EffortJointInterface</hardwareInterface></joint><actuator name="motor a">'
        "<mechanicalReduction>50</mechanicalReduction></actuator></transmission>"
        '<ros2_control><joint name="jb"><command_interface name="effort"/></joint></ros2_control>'
    )
    mech = loaded(tmp_path, robot(*parts, drive))
    assert {m.name: (m.joint, m.mode, m.limit) for m in mech.motors.values()} == {
        "motor a": ("ja", "force", 7.0),
        "jb": ("jb", "force", 7.0),
    }
    assert notes(mech, "lost") == {("mechanical reduction", "t"): "50; the input acts on the joint"}
    without = loaded(tmp_path, robot(*parts))
    assert {m.name: m.limit for m in without.motors.values()} == {"ja": 7.0, "jb": 7.0, "jc": 7.0}
    assert "no transmissions" in notes(without)["motor", ""]


def test_inertias_of_rotors_and_named_frames_are_read(tmp_path):
    drive = (
        '<transmission name="t"><type>SimpleTransmission</type><joint name="hinge"/><actuator name="m">'
        '<drake:rotor_inertia value="0.001"/><drake:gear_ratio value="10"/></actuator></transmission>'
        '<frame name="tool" link="arm" xyz="1 0 0" rpy="0 0 0"/>'
        '<fixed_frame name="eye"><parent link="arm"/><origin xyz="0.5 0 0"/></fixed_frame>'
    )
    inner = '<dynamics armature="0.2" spring="3"/>'
    text = robot('<link name="base"/>', link("arm"), joint("hinge", "base", "arm", inner=inner), drive)
    mech = loaded(tmp_path, text)
    assert mech.joints["hinge"].armature == pytest.approx((0.2 + 0.1,))
    assert [(mech.frames[n].body, *mech.frames[n].at) for n in ("tool", "eye")] == [
        ("arm", 1, 0, 0),
        ("arm", 0.5, 0, 0),
    ]
    assert list(notes(mech, "lost")) == [("attribute spring of <dynamics>", "hinge")]


def test_a_differential_transmission_is_listed(tmp_path):
    joints = '<joint name="hinge"/><joint name="hinge"/>'
    drive = f'<transmission name="diff">{joints}<actuator name="m"/></transmission>'
    mech = loaded(tmp_path, ARM.replace("</robot>", drive + "</robot>"))
    assert not mech.motors
    assert notes(mech, "lost") == {("transmission", "diff"): "it joins 2 joints to 1 actuators"}


def test_nothing_is_left_out_silently(tmp_path):
    extra = (
        '<gazebo reference="arm"><turnGravityOff>true</turnGravityOff></gazebo><sensor name="eye"/>'
        "<gazebo><plugin/></gazebo><drake:linear_bushing_rpy/></robot>"
    )
    inner = '<safety_controller k_velocity="1"/><calibration rising="0"/><limit effort="1" velocity="9"/>'
    text = robot(
        '<link name="base"/>', link("arm", inner="<verbose/>"), joint("hinge", "base", "arm", inner=inner)
    )
    path = written(tmp_path, text.replace("</robot>", extra))
    with pytest.warns(LossyImport, match=r"robot\.urdf: left out: .*safety_controller.*mech\.import_report"):
        mech = sarrus.load(path)
    lost = {f"{item.kind} {item.name}{item.why}" for item in mech.import_report.lost}
    for what in (
        "<turnGravityOff> element of <gazebo> 'arm'",
        "<sensor> element eyesensors have no effect on the motion",
        "<plugin> element of <gazebo>",
        "<drake:linear_bushing_rpy> element it is a soft connection",
        "<safety_controller> element of joint 'hinge'",
        "<calibration> element of joint 'hinge'",
        "<verbose> element of link 'arm'",
        "velocity limit hinge",
    ):
        assert any(line.startswith(what) for line in lost), what
    assert len(lost) == 8


def test_links_meet_each_other_only_where_selfcollide_says_so(tmp_path):
    ball = '<collision><geometry><sphere radius="0.1"/></geometry></collision>'
    parts = ['<link name="base"/>', *(link(n, inner=ball) for n in "abc")]
    parts += [joint(f"j{n}", "base", n, f"0 {k} 0") for k, n in enumerate("abc")]
    both = "".join(
        f'<gazebo reference="{n}"><selfCollide>true</selfCollide><mu1>0.9</mu1></gazebo>' for n in "ac"
    )
    mech = loaded(tmp_path, robot(*parts, both))
    assert list(mech.contacts) == [("a", "c")]
    assert [body.shapes[0].friction for body in mech.bodies.values()] == [0.9, None, 0.9]
    assert not loaded(tmp_path, robot(*parts, both), self_contact=False).contacts
    assert not loaded(tmp_path, robot(*parts)).contacts


def test_a_robot_is_read_without_mujoco_and_without_compiling(tmp_path):
    path = written(tmp_path, ARM)
    check = (
        f"import sarrus, sys; sarrus.load({str(path)!r}); assert not {{'mujoco', 'numba'}} & set(sys.modules)"
    )
    paths = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", check], check=True, timeout=60, env=paths)
