"""Mechanisms written as MJCF: MuJoCo moves them alike, `load` reads them back, what is not said is listed."""

from __future__ import annotations

import warnings
from xml.etree import ElementTree

import mujoco
import numpy as np
import pytest

import sarrus
from sarrus.errors import LossySave
from sarrus.importers.mjcf_writer.writer import MAX_DEPTH, mjcf_document

DURATION = 0.3  # [s]
SAME = 1e-5
"""Second order at dt = 0.5 ms errs by some 1e-6 m over 0.3 s; MuJoCo's RK4 at 1 ms by less."""
EXACT = 1e-9
"""A mechanism that was written and read differs by roundings of its numbers alone [m]."""
DRY = 1e-4
"""MuJoCo's dry friction is soft: it creeps before it slips [m]."""
TREES = {
    "pendulum": {"links": 3},
    "spherical_pendulum": {},
    "spinning_top": {},
    "gyroscope": {},
    "free_chain": {},
    "tree": {},
}
LOOPS = ["four_bar", "slider_crank", "sarrus", "bennett", "scissor_lift"]


def compiled(mech):
    """MuJoCo's model and data in the reference configuration."""
    model = mujoco.MjModel.from_xml_string(mjcf_document(mech).text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


def in_mujoco(mech, key: str | None = None, dt: float = 1e-3) -> np.ndarray:
    """Positions (nb, 3) of the bodies after DURATION in MuJoCo, by RK4."""
    model, data = compiled(mech)
    model.opt.timestep, model.opt.integrator = dt, mujoco.mjtIntegrator.mjINT_RK4
    keys = [model.key(k).name for k in range(model.nkey)]
    if key or "initial" in keys:
        mujoco.mj_resetDataKeyframe(model, data, model.key(key or "initial").id)
    for _ in range(round(DURATION / dt)):
        mujoco.mj_step(model, data)
    mujoco.mj_forward(model, data)
    return np.array([data.body(name).xpos for name in mech.bodies])


def in_sarrus(mech, key: str | None = None, inputs=None, dt: float = 5e-4) -> np.ndarray:
    """Positions (nb, 3) of the bodies after DURATION."""
    model = sarrus.build(mech)
    key = key or ("initial" if "initial" in mech.keyframes else None)
    state = model.state(keyframe=key) if key else None
    return sarrus.simulate(model, duration=DURATION, dt=dt, state=state, inputs=inputs).position[-1]


def saved_and_loaded(mech, tmp_path):
    """The mechanism after a way through MJCF on which nothing may be left out."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mech.save(tmp_path / "m.xml")
        return sarrus.load(tmp_path / "m.xml")


def two_bodies(kind: str = "revolute", turned: bool = False, **options) -> sarrus.Mechanism:
    """A hinged body and a second one on a joint of `kind`, whose parent is the second where `turned`."""
    mech = sarrus.Mechanism()
    q = np.array([0.1, -0.5, 0.7, np.sqrt(0.25)])
    q = q / np.linalg.norm(q)
    matrix = [[0.02, 0.001, 0], [0.001, 0.03, 0.002], [0, 0.002, 0.03]]
    mech.add_body("a", 1.0, (0.02, 0.03, 0.04), position=(0.3, 0.1, 0), orientation=q)
    mech.add_body("b", 0.7, matrix, position=(0.7, 0.2, 0.1), orientation=q[::-1])
    mech.add_joint("root", "revolute", "world", "a", at=(0, 0, 0), axis=(0, 1, 0.2))
    parent, child = ("b", "a") if turned else ("a", "b")
    mech.add_joint("j", kind, parent, child, at=(0.5, 0.2, 0.0), **axes(kind), **options)
    return mech


def axes(kind: str) -> dict:
    """Arguments that a joint of the kind takes."""
    takes = sarrus.JOINT_KINDS[kind].takes
    given = {"axis": (0.1, 1, 0.3), "axis2": np.cross((0.1, 1, 0.3), (1, 0, 0)), "pitch": 0.3}
    return {what: value for what, value in given.items() if what in takes}


@pytest.mark.parametrize("name", TREES)
def test_a_tree_of_the_gallery_moves_as_in_mujoco(name):
    mech = sarrus.gallery.make(name, **TREES[name])
    assert mjcf_document(mech).unsaid == []
    assert np.abs(in_mujoco(mech) - in_sarrus(mech)).max() < SAME


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("kind", [kind for kind in sarrus.JOINT_KINDS if kind != "screw"])
def test_a_joint_of_every_kind_moves_as_in_mujoco_whichever_body_is_its_parent(kind, turned):
    mech = two_bodies(kind, turned)
    count = len(sarrus.JOINT_KINDS[kind].coordinates)
    ball = sarrus.JOINT_KINDS[kind].rotations == 3
    if count:
        stiffness = 20.0 if ball else np.linspace(10, 30, count)
        mech.add_joint_spring("s", "j", stiffness, rest=0.0 if ball else 0.1, damping=0.0 if ball else 0.3)
    start = {"root": 0.2} | ({"j": np.linspace(0.1, 0.3, count)} if count else {})
    mech.add_keyframe(
        "start",
        start,
        velocities=None if ball else {name: 0.4 * np.ones(np.size(q)) for name, q in start.items()},
    )
    assert mjcf_document(mech).unsaid == []
    assert np.abs(in_mujoco(mech, "start") - in_sarrus(mech, "start")).max() < SAME


def with_force(mech, frame):
    mech.add_force("f", "b", force=(3, -2, 5), torque=(0.1, 0.2, -0.3), at=(0.8, 0.3, 0.1), frame=frame)


def with_spring(mech):
    ends = {"at_a": (0.8, 0.3, 0.1), "at_b": (1, 1, 1)}
    mech.add_spring("s", "b", "world", **ends, stiffness=30.0, rest_length=0.2, damping=1.0)


ACTIONS = {
    "a force in the world frame": (lambda m: with_force(m, "world"), {}),
    "a force in the body frame": (lambda m: with_force(m, "body"), {}),
    "the input of a force": (lambda m: with_force(m, "world"), {"f": (1.0, 2.0, 3.0, 0.1, 0.1, 0.1)}),
    "a spring between points": (with_spring, {}),
    "two springs on a joint": (
        lambda m: [m.add_joint_spring(f"{k}", "j", 10.0 * k, 0.3 - 0.2 * k, damping=0.1) for k in (1, 2)],
        {},
    ),
    "a servo": (lambda m: m.add_motor("m", "j", mode="servo", stiffness=20.0, damping=1.0), {"m": 0.5}),
    "a motor at its limit": (lambda m: m.add_motor("m", "j", limit=1.0), {"m": 3.0}),
    "a slack rope": (lambda m: m.add_rope("r", "b", "world", (0.8, 0.3, 0.1), (0.8, 0.3, 0), 2.0), {}),
    "a limit that is not reached": (lambda m: m.add_limit("l", "j", lower=-2.0), {}),
}  # fmt: skip


@pytest.mark.parametrize("what", ACTIONS)
def test_what_acts_on_bodies_and_joints_acts_alike_in_mujoco(what):
    add, inputs = ACTIONS[what]
    mech = two_bodies()
    add(mech)
    if inputs:
        mech.add_keyframe("start", inputs=inputs)
    assert mjcf_document(mech).unsaid == []
    key = "start" if inputs else None
    assert np.abs(in_mujoco(mech, key) - in_sarrus(mech, key, inputs)).max() < SAME


def test_armature_and_friction_of_joints_act_alike_in_mujoco():
    mech = two_bodies("universal", armature=(0.1, 0.3))
    assert np.abs(in_mujoco(mech) - in_sarrus(mech)).max() < SAME
    mech.add_joint_friction("j", (0.5, 0.2))
    assert np.abs(in_mujoco(mech) - in_sarrus(mech)).max() < DRY


@pytest.mark.parametrize("name", ["free_chain", "tree", *LOOPS])
def test_a_gallery_mechanism_that_was_saved_and_loaded_moves_the_same(name, tmp_path):
    mech = sarrus.gallery.make(name)
    back = saved_and_loaded(mech, tmp_path)
    rows = [list(back.bodies).index(body) for body in mech.bodies]
    assert sarrus.build(back).dof == sarrus.build(mech).dof
    assert np.abs(in_sarrus(back, dt=2e-3)[rows] - in_sarrus(mech, dt=2e-3)).max() < EXACT


def loop(kind: str, **options) -> sarrus.Mechanism:
    """Three bodies on spherical joints, two of them tied to a loop by a joint of `kind`."""
    mech = sarrus.Mechanism()
    for name, x in (("a", (0.3, 0, 0)), ("b", (0.8, 0.1, 0.2)), ("c", (0.5, -0.3, 0))):
        mech.add_body(name, 1.0, (0.02, 0.03, 0.04), position=x, orientation=(0.5, -0.5, 0.5, 0.5))
    mech.add_joint("1", "spherical", "world", "a", at=(0, 0, 0))
    mech.add_joint("2", "spherical", "a", "b", at=(0.5, 0, 0))
    mech.add_joint("3", "spherical", "a", "c", at=(0.4, -0.1, 0))
    mech.add_joint("loop", kind, "b", "c", at=(0.7, -0.2, 0.1), **axes(kind), **options)
    return mech


@pytest.mark.parametrize("kind", [kind for kind in sarrus.JOINT_KINDS if kind not in ("screw", "free")])
def test_a_joint_of_every_kind_that_closes_a_loop_comes_back_the_same(kind, tmp_path):
    mech = loop(kind)
    back = saved_and_loaded(mech, tmp_path)
    rows = [list(back.bodies).index(body) for body in mech.bodies]
    assert sum(body.mass for body in back.bodies.values()) == pytest.approx(3.0, rel=1e-8)
    assert np.abs(in_sarrus(back, dt=2e-3)[rows] - in_sarrus(mech, dt=2e-3)).max() < EXACT


def test_what_acts_on_a_joint_that_closes_a_loop_is_written(tmp_path):
    mech = loop("revolute")
    mech.add_joint_spring("s", "loop", stiffness=3.0, damping=0.2)
    mech.add_motor("m", "loop")
    back = saved_and_loaded(mech, tmp_path)
    rows = [list(back.bodies).index(body) for body in mech.bodies]
    inputs = {"m": 0.5}
    assert (
        np.abs(in_sarrus(back, inputs=inputs, dt=2e-3)[rows] - in_sarrus(mech, inputs=inputs, dt=2e-3)).max()
        < EXACT
    )


@pytest.mark.parametrize("turned", [False, True])
def test_screws_and_gears_come_back_the_same(turned, tmp_path):
    mech = two_bodies("screw", turned)
    mech.add_body("c", 1.0, (0.02, 0.03, 0.04), position=(0, 0.5, 0.3))
    mech.add_joint("k", "cylindrical", "world", "c", at=(0, 0.5, 0), axis=(1, 0, 0))
    mech.add_gear("gear", "k", "root", -1.5, component_a=1)
    back = saved_and_loaded(mech, tmp_path)
    assert sarrus.build(back).dof == sarrus.build(mech).dof
    rows = [list(back.bodies).index(body) for body in mech.bodies]
    assert np.abs(in_sarrus(back, dt=1e-3)[rows] - in_sarrus(mech, dt=1e-3)).max() < EXACT


SOFT = 2e-3
"""How far MuJoCo's soft equalities give way here [m]."""


def test_wires_and_ropes_keep_their_length_in_mujoco_as_far_as_it_is_hard():
    mech = two_bodies()
    ends = {"at_a": (0.8, 0.3, 0.1), "at_b": (0.1, 0.6, 0.5)}
    length = float(np.linalg.norm(np.subtract(ends["at_b"], ends["at_a"])))
    mech.add_distance("wire", "b", "world", **ends)
    mech.add_rope("rope", "a", "world", at_a=(0.3, 0, 0), at_b=(0.3, 0, 0.5), length=0.6)
    model, data = compiled(mech)
    assert data.tendon("wire").length[0] == pytest.approx(length, rel=1e-12)
    assert model.tendon_range[model.tendon("rope").id].tolist() == [0.0, 0.6]
    for _ in range(200):
        mujoco.mj_step(model, data)
    assert data.tendon("wire").length[0] == pytest.approx(length, abs=SOFT)
    assert data.tendon("rope").length[0] < 0.6 + SOFT


def test_contacts_have_the_friction_of_the_mechanism():
    mech = sarrus.Mechanism()
    for k, own in enumerate((None, 0.1, 0.9)):
        mech.add_body(f"{k}", 1.0, position=(k, 0, 0.1), shapes=[sarrus.Sphere(0.1, friction=own)])
    mech.add_body("high", 1.0, position=(0, 0, 0.25), shapes=[sarrus.Sphere(0.1)])
    mech.add_body(
        "drawn", 1.0, position=(9, 0, 0), shapes=[sarrus.Box((1, 1, 1), collide=False)], inertia=(1, 1, 1)
    )
    mech.add_ground(0.5)
    mech.add_contact("0", "high", friction=0.7)
    model, data = compiled(mech)
    friction = {
        tuple(sorted(model.geom(g).name for g in contact.geom)): contact.friction[0]
        for contact in data.contact
    }
    assert friction == {
        ("0 0", "ground"): 0.5,
        ("1 0", "ground"): 0.1,
        ("2 0", "ground"): 0.9,
        ("0 0", "high 0"): 0.7,
    }


def test_a_body_that_an_obstacle_is_excluded_for_meets_the_others():
    mech = sarrus.Mechanism()
    mech.add_body("ball", 1.0, position=(0, 0, 0.05), shapes=[sarrus.Sphere(0.1)])
    mech.add_ground(0.5)
    mech.add_obstacle("wall", sarrus.Box((0.1, 1, 1), at=(0.1, 0, 0)), friction=0.2)
    assert len(compiled(mech)[1].contact) == 2
    mech.exclude("ball", "wall")
    contacts = compiled(mech)[1].contact
    assert [contact.friction[0] for contact in contacts] == [0.5]


def test_meshes_keep_their_places():
    rng = np.random.default_rng(1)
    hull = sarrus.ConvexMesh(
        rng.normal(size=(20, 3)) + 1.0, at=(0.2, 0.1, 0), orientation=(0.5, 0.5, -0.5, 0.5)
    )
    square = sarrus.Mesh(
        [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]], color=(1, 0, 0)
    )
    mech = sarrus.Mechanism()
    mech.add_body("a", 1.0, (1, 1, 1), shapes=[hull, square, hull])
    model, data = compiled(mech)
    assert model.nmesh == 2  # equal meshes are stored once
    count = model.mesh_vertnum[model.geom("a 0").dataid[0]]
    geom = data.geom("a 0")
    there = model.mesh_vert[:count] @ geom.xmat.reshape(3, 3).T + geom.xpos
    from sarrus.mechanism.rotations import rotation

    wanted = hull.points @ rotation(hull.orientation).T + hull.at
    np.testing.assert_allclose(np.sort(there, 0), np.sort(wanted, 0), atol=1e-6)  # MuJoCo stores float32
    assert model.geom("a 1").contype[0] == 0
    assert model.geom("a 1").rgba.tolist() == [1, 0, 0, 1]


def test_frames_are_sites_and_limits_are_ranges():
    mech = two_bodies()
    mech.add_frame("tool", "b", at=(0.8, 0.3, 0.1), orientation=(0.5, 0.5, 0.5, 0.5))
    mech.add_limit("stop", "j", lower=-0.5)
    model, data = compiled(mech)
    np.testing.assert_allclose(data.site("tool").xpos, (0.8, 0.3, 0.1), atol=1e-12)
    np.testing.assert_allclose(
        data.site("tool").xmat.reshape(3, 3), [[0, 0, 1], [1, 0, 0], [0, 1, 0]], atol=1e-12
    )
    assert model.joint("j").range.tolist() == [-0.5, 1e10]
    assert model.joint("j").limited[0]


def test_what_mjcf_cannot_say_is_listed_in_one_warning_and_in_the_file(tmp_path):
    def residual(x, q, p, out):
        out[0] = x[0, 2]

    mech = two_bodies("spherical")
    mech.add_body("disc", 1.0, (1, 1, 2), position=(3, 0, 0.5), shapes=[sarrus.Sphere(0.1)])
    mech.add_body("point", 1.0, 0)
    mech.add_rolling("rolls --", "disc", 0.5, axis=(0, 1, 0))
    mech.add_constraint("own", ["disc"], residual)
    mech.add_point_on_curve("curve", "world", "point", at=(0, 0, 0), curve=[(0, 0, 0), (1, 0, 0), (1, 1, 0)])
    mech.add_custom_force("wind", ["disc"], lambda t, x, q, v, w, p, out: None)
    mech.add_potential("field", ["disc"], lambda x, q, p: 0.0)
    mech.add_gear("gear", "j", "root", 2.0, component_a=1)
    mech.add_motor("drive", "j")
    mech.add_limit("cone", "j", lower=-0.5)
    mech.add_joint_spring("stiff", "j", stiffness=(1, 2, 3))
    mech.add_joint_friction("j", 0.1)
    mech.add_ground(restitution=0.5)
    mech.add_keyframe("inputs", inputs={"drive": (1, 2, 3)})
    with pytest.warns(LossySave, match="MJCF does not support everything") as caught:
        mech.save(tmp_path / "m.xml")
    assert len(caught) == 1
    said = str(caught[0].message)
    for what in (
        "rolling 'rolls --'", "constraint 'own'", "point on curve 'curve'", "custom force 'wind'",
        "potential 'field'", "gear 'gear'", "motor 'drive'", "limit 'cone'", "joint spring 'stiff'",
        "friction of joint 'j'",
        "restitution of 'ground'", "body 'point'", "input 'drive' of keyframe 'inputs'",
    ):  # fmt: skip
        assert what in said, what
    text = (tmp_path / "m.xml").read_text(encoding="utf-8")
    assert "<!-- MJCF does not support everything: " in text
    assert "rolling 'rolls - -'" in text
    assert mujoco.MjModel.from_xml_path(str(tmp_path / "m.xml")).nbody == 5


def test_velocities_against_a_joint_are_noted():
    mech = sarrus.Mechanism()
    mech.add_body("a", 1.0, (1, 1, 1), position=(1, 0, 0), velocity=(1.0, 0, -2.0))
    mech.add_joint("hinge", "revolute", "world", "a", at=(0, 0, 0), axis=(0, 1, 0))
    assert [what for what, _ in mjcf_document(mech).unsaid] == ["velocity of body 'a'"]


def test_flat_bodies_are_accepted_by_mujoco():
    mech = sarrus.Mechanism()
    moments = (1 / 3, 0.1, 1 / 3 + 0.1)
    turned = (0.36, 0.48, -0.8, 0.0)
    mech.add_body("plate", 1.0, moments)
    from sarrus.mechanism.rotations import rotation

    R = rotation(np.array(turned))
    mech.add_body("tilted", 1.0, R @ np.diag(moments) @ R.T)
    model, _ = compiled(mech)
    np.testing.assert_allclose(np.sort(model.body("tilted").inertia), np.sort(moments), rtol=1e-8)


def test_names_that_xml_cannot_hold_and_chains_too_deep_are_refused(tmp_path):
    mech = sarrus.Mechanism()
    mech.add_body("a\x07", 1.0, (1, 1, 1))
    with pytest.raises(sarrus.FileError, match="contains a control character"):
        mech.save(tmp_path / "m.xml")
    with pytest.raises(sarrus.FileError, match=f"nest at most {MAX_DEPTH} deep"):
        sarrus.gallery.pendulum(links=MAX_DEPTH + 1).save(tmp_path / "m.xml")
    assert list(tmp_path.iterdir()) == []


def test_names_with_markup_are_written_as_text(tmp_path):
    mech = sarrus.Mechanism(name="a<b & 'c'")
    mech.add_body('<body/> "x"', 1.0, (1, 1, 1))
    mech.save(tmp_path / "m.mjcf")
    assert ElementTree.parse(tmp_path / "m.mjcf").getroot().get("model") == "a<b & 'c'"
    assert mujoco.MjModel.from_xml_path(str(tmp_path / "m.mjcf")).body(1).name == '<body/> "x"'
