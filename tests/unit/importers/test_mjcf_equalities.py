"""Equality constraints of MJCF files: loops, gears, joints that are held."""

import mujoco
import numpy as np
import pytest
from tests.unit.importers.mjcf_texts import GEOM, body, document, loaded, reasons

import sarrus

CLOSED = 1e-10
"""[m] a loop of joints is closed this well by an assembled state."""
LINKS = body("a", '<joint name="p" axis="0 1 0"/>', at="0 0 1") + body(
    "b", '<joint name="q" axis="0 1 0"/>', at="1 0 1"
)


def joined(world: str, equality: str, option: str = "") -> str:
    return document(world, f"<equality>{equality}</equality>", option)


def anchors(path, e: int = 0) -> np.ndarray:
    """Both anchors (2, 3) of a connect in the world at qpos0, as MuJoCo has them."""
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    ends = (model.eq_obj1id[e], model.eq_data[e, :3]), (model.eq_obj2id[e], model.eq_data[e, 3:6])
    return np.array([data.xpos[b] + data.xmat[b].reshape(3, 3) @ p for b, p in ends])


def test_a_connect_is_a_spherical_joint_at_both_anchors(tmp_path):
    mech = loaded(tmp_path, joined(LINKS, '<connect name="loop" body1="a" body2="b" anchor="0.3 0 -0.2"/>'))
    loop = mech.joints["loop"]
    assert (loop.kind, loop.parent, loop.child) == ("spherical", "a", "b")
    np.testing.assert_allclose(anchors(tmp_path / "small.xml"), [loop.at, loop.at], atol=CLOSED)
    assert sarrus.build(mech).loops


def test_a_weld_is_a_fixed_joint(tmp_path):
    text = joined(
        body("a", "<freejoint/>") + body("b", "<freejoint/>", at="1 0 0"), '<weld body1="a" body2="b"/>'
    )
    mech = loaded(tmp_path, text)
    assert mech.joints["weld a b"].kind == "fixed"
    assert sarrus.build(mech).dof == 6


def test_a_weld_to_the_world_holds_a_body(tmp_path):
    mech = loaded(tmp_path, joined(body("a", "<freejoint/>"), '<weld name="w" body1="a"/>'))
    assert sarrus.build(mech).dof == 0


def test_a_linear_relation_of_joints_is_a_gear_in_coordinates_that_count_from_the_reference(tmp_path):
    world = LINKS.replace('name="p"', 'name="p" ref="20"')
    mech = loaded(tmp_path, joined(world, '<joint name="g" joint1="p" joint2="q" polycoef="0 -2 0 0 0"/>'))
    gear = mech.joints["g"]
    assert (gear.joint_a, gear.joint_b, gear.ratio) == ("p", "q", -2.0)
    state = sarrus.build(mech).state(joints={"q": 0.1})
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "small.xml"))
    data = mujoco.MjData(model)
    # MuJoCo: p - p0 = -2 (q - q0)
    data.qpos[:] = np.deg2rad(20) - 0.2, 0.1
    mujoco.mj_kinematics(model, data)
    np.testing.assert_allclose(state.orientation[0], data.body("a").xquat, atol=CLOSED)


def test_a_gear_between_two_joints_of_one_body_names_their_coordinates(tmp_path):
    world = body("a", '<joint name="s" type="slide" axis="0 0 1"/><joint name="h" axis="0 0 1"/>')
    mech = loaded(
        tmp_path, joined(world, '<joint name="thread" joint1="s" joint2="h" polycoef="0 0.01 0 0 0"/>')
    )
    gear = mech.joints["thread"]
    assert (gear.component_a, gear.component_b, gear.ratio) == (0, 1, 0.01)
    assert sarrus.build(mech).dof == 1


def test_relations_that_do_not_hold_at_qpos0_move_the_reference(tmp_path):
    mech = loaded(tmp_path, joined(LINKS, '<joint name="g" joint1="p" joint2="q" polycoef="0.5 1 0 0 0"/>'))
    offsets = mech.import_report.offsets
    assert offsets["p"] - 0.5 - offsets["q"] == pytest.approx(0.0, abs=CLOSED)
    assert mech.joints["g"].ratio == 1.0
    assert reasons(mech, "reference", changed=True)


def test_sites_that_lie_apart_at_qpos0_are_brought_together(tmp_path):
    world = body("a", '<joint name="p" axis="0 1 0"/>', '<site name="s" pos="0.6 0 0"/>', at="0 0 1")
    world += body("b", '<joint name="q" axis="0 1 0"/>', '<site name="t" pos="-0.6 0 0"/>', at="1 0 1")
    mech = loaded(tmp_path, joined(world, '<connect name="loop" site1="s" site2="t"/>'))
    np.testing.assert_allclose(mech.frames["s"].at, mech.frames["t"].at, atol=CLOSED)
    np.testing.assert_allclose(mech.joints["loop"].at, mech.frames["s"].at, atol=CLOSED)
    assert set(mech.import_report.offsets) == {"p", "q"}


def test_a_keyframe_counts_from_a_reference_that_was_moved_also_for_ball_joints(tmp_path):
    world = body("a", '<joint name="p" type="ball"/>', '<site name="s" pos="0.6 0 0"/>', at="0 0 1")
    world += body("b", '<joint name="q" type="ball"/>', '<site name="t" pos="-0.6 0 0.1"/>', at="1 0 1")
    key = '<keyframe><key name="k" qpos="0.9 0.1 0.2 -0.1 0.8 0.3 0 0.2"/></keyframe>'
    mech = loaded(
        tmp_path,
        joined(world, '<connect name="loop" site1="s" site2="t"/>').replace("</mujoco>", key + "</mujoco>"),
    )
    key = mech.keyframes["k"]
    del mech.joints["loop"]  # leaves the tree, whose places MuJoCo knows
    state = sarrus.build(mech).state(joints=key.joints)
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "small.xml"))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_kinematics(model, data)
    for i, name in enumerate(("a", "b")):
        assert abs(state.orientation[i] @ data.body(name).xquat) == pytest.approx(1.0, abs=CLOSED)


def test_a_joint_that_an_equality_holds_is_fixed_there(tmp_path):
    text = joined(LINKS, '<joint name="lock" joint1="p" polycoef="0.25 0 0 0 0"/>')
    mech = loaded(tmp_path, text.replace("</mujoco>", '<actuator><motor joint="p"/></actuator></mujoco>'))
    assert {name: j.kind for name, j in mech.joints.items()} == {"a fixed": "fixed", "q": "revolute"}
    np.testing.assert_allclose(
        mech.bodies["a"].orientation, [np.cos(0.125), 0, np.sin(0.125), 0], atol=CLOSED
    )
    assert reasons(mech, "actuator")


@pytest.mark.parametrize(
    "equality",
    [
        '<joint name="e" joint1="p" joint2="q" polycoef="0 1 0.5 0 0"/>',
        '<connect name="e" body1="a" body2="b" anchor="0.5 0 0" active="false"/>',
        '<tendon name="e" tendon1="t"/>',
        '<connect name="e" body1="a" body2="c" anchor="0.5 0 0"/>',
    ],
    ids=["not linear", "inactive", "tendon", "same rigid body"],
)
def test_what_cannot_be_exact_is_listed_and_not_added(tmp_path, equality):
    world = body(
        "a", '<joint name="p" axis="0 1 0"/>', f'<body name="c">{GEOM}</body>'.replace('1"/>', '0"/>')
    )
    world += body("b", '<joint name="q" axis="0 1 0"/>', at="1 0 1")
    tendon = '<tendon><fixed name="t"><joint joint="p" coef="1"/></fixed></tendon>'
    mech = loaded(tmp_path, joined(world, equality).replace("<equality>", f"{tendon}<equality>"))
    assert any(why.startswith("e: ") for why in reasons(mech, "equality"))
    assert "e" not in mech.joints


def test_loops_that_no_configuration_closes_are_listed(tmp_path):
    world = body("a", '<joint name="p" axis="0 1 0"/>', '<site name="s" pos="0.1 0 0"/>')
    world += body("b", '<joint name="q" axis="0 1 0"/>', '<site name="t" pos="0.1 0 0"/>', at="1 0 1")
    mech = loaded(tmp_path, joined(world, '<connect name="e" site1="s" site2="t"/>'))
    assert any("open by" in why for why in reasons(mech, "equality"))
    assert not mech.import_report.offsets


def test_bodies_between_joints_inside_a_loop_are_heavy_enough_for_its_rank(tmp_path):
    inner = body("c", '<joint name="r" axis="0 1 0"/>', at="0.5 0 -0.5")
    world = body("a", '<joint name="p" axis="0 1 0"/><joint name="q" type="slide" axis="1 0 0"/>', inner)
    mech = loaded(tmp_path, joined(world, '<connect name="loop" body1="c" anchor="0.5 0 0.5"/>'))
    assert mech.bodies["a/p"].mass == pytest.approx(1e-5)
    assert mech.bodies["a/p"].mass + mech.bodies["a"].mass == pytest.approx(1.0, rel=1e-12)
    # in the plane, three coordinates less two rows of the connect; its third row is redundant
    model = sarrus.build(mech)
    assert (model.dof, model.redundant_constraints) == (1, 1)
