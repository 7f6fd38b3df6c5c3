"""Mechanisms as YAML: what is written comes back bit by bit; what people write by hand is read as meant."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.records import assert_same

import sarrus
import sarrus.mechanism as m
from sarrus.importers.yaml import form
from sarrus.importers.yaml.nodes import parse_text, plain_value
from sarrus.importers.yaml.reader import read_yaml
from sarrus.importers.yaml.text import number, word
from sarrus.importers.yaml.writer import functions_of, yaml_text

TABLES = [*form.TABLES, "contacts"]


def wind(t, x, q, v, w, p, out):
    out[:] = 0.0
    out[0, 0] = p[0] * np.sin(p[1] * t)


def bowl(x, q, p):
    return 0.5 * p[0] * (x[0, 0] ** 2 + x[0, 1] ** 2)


def level(x, q, p, out):
    out[0] = x[0, 2] - p[0]


def level_jacobian(x, q, p, out):
    out[:] = 0.0
    out[0, 0, 2] = 1.0


def everything() -> m.Mechanism:
    """A mechanism with one of each record and of each kind, and numbers that no decimal fraction hits."""
    rng = np.random.default_rng(11)
    mech = m.Mechanism(gravity=rng.normal(size=3), name="every: 'thing' é")
    tetrahedron = ([0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2])
    shapes = [
        m.Sphere(radius=0.1, at=rng.normal(size=3), friction=0.3, color=(0.1, 0.2, 0.3)),
        m.Box(size=(0.1, 0.2, 1 / 3), orientation=unit(rng, 4)),
        m.Capsule(radius=0.1, length=0.7),
        m.Cylinder(radius=0.1, length=0.7, collide=False),
        m.HalfSpace(normal=(1.0, 2.0, 3.0), collide=False),
        m.ConvexMesh(points=rng.normal(size=(9, 3))),
        m.ConvexMesh(points=rng.normal(size=(90, 3)), friction=0.0),
        m.Mesh(rng.normal(size=(4, 3)), tetrahedron, color=(1, 0, 0, 0.5)),
        m.Mesh(rng.normal(size=(50, 3)), rng.integers(50, size=(60, 3))),
    ]
    for k, kind in enumerate(m.JOINT_KINDS):
        matrix = (
            np.diag([1.0, 2.0, 2.5]) if k == 0 else np.eye(3) + 0.1 * rng.uniform(size=3) * np.ones((3, 1))
        )
        mech.add_body(
            f"{k}" if k else "on",
            mass=1 / 3 + k,
            inertia=0.5 * (matrix + matrix.T),
            position=rng.normal(size=3),
            orientation=unit(rng, 4),
            velocity=rng.normal(size=3),
            angular_velocity=rng.normal(size=3),
            shapes=shapes if k == 0 else (),
            color=(1, 0, 0, 0.5) if k == 1 else None,
        )
        takes = m.JOINT_KINDS[kind].takes
        count = len(m.JOINT_KINDS[kind].coordinates)
        axes = {"axis": rng.normal(size=3)} if "axis" in takes else {}
        if "axis2" in takes and k % 2:
            axes["axis2"] = np.cross(axes["axis"], rng.normal(size=3))
        pitch = {"pitch": -1 / 7} if "pitch" in takes else {}
        armature = rng.uniform(size=count) if k % 2 else 0.0
        parent, child = "on" if k and k % 3 == 0 else "world", list(mech.bodies)[-1]
        mech.add_joint(kind, kind, parent, child, at=rng.normal(size=3), armature=armature, **axes, **pitch)
    mech.add_body("point", mass=1e-5, inertia=0)
    mech.add_body("ball", mass=1.0, shapes=[m.Sphere(0.1)])
    mech.add_distance("wire", "on", "2", at_a=(0, 0, 0), at_b=(1, 1, 1))
    mech.add_gear("gear", "revolute", "screw", ratio=-2 / 3)
    mech.add_gear("gears", "spherical", "cylindrical", ratio=1e-22, component_a=2, component_b=1)
    mech.add_coupling("set", {"revolute": 1 / 3, "screw": -2.0}, offset=1 / 7)
    mech.add_coupling("sets", {("spherical", 1): 1.0, "screw": -2 / 3})
    mech.add_tendon("cord", {"revolute": 1 / 3, ("cylindrical", 0): -2.0}, offset=-0.3)
    mech.add_point_on_curve("curve", "world", "3", at=(0, 0, 0), curve=rng.normal(size=(6, 3)))
    mech.add_point_on_curve("circle", "3", "4", at=(0, 0, 0), curve=circle)
    mech.add_rolling("rolls", "ball", radius=0.3)
    mech.add_rolling("disc", "4", radius=0.3, axis=rng.normal(size=3))
    mech.add_constraint("own", ["on", "2"], level, parameters=[1 / 3])
    mech.add_constraint("exact", "3", level, parameters=[1 / 3], jacobian=level_jacobian)
    mech.add_spring("s", "on", "2", at_a=(0, 0, 0), at_b=(1, 0, -0.0), stiffness=1 / 7, damping=0.1)
    mech.add_joint_spring("js", "spherical", stiffness=(1.0, 2.0, 1 / 3), rest=0.1)
    mech.add_joint_spring("soft", "planar", stiffness=1 / 3, damping=(0, 1, 2))
    mech.add_force("push", "on", force=(1, 2, 3), at=rng.normal(size=3), frame="body")
    mech.add_force("turn", "on", torque=rng.normal(size=3))
    mech.add_force("jet", "on", torque=rng.normal(size=3), scaled=True, limits=(-1 / 3, 2.0))
    mech.add_motor("winch", "cord", mode="servo", stiffness=1 / 3)
    mech.add_motor("drive", "revolute", limit=1e300)
    mech.add_motor("servo", "spherical", mode="servo", component=1, stiffness=3.0, limit=1 / 3)
    mech.add_motor("damped", "prismatic", mode="servo", stiffness=0.0, damping=1 / 3)
    mech.add_custom_force("wind", ["on", "2"], wind, parameters=[1 / 3, 2.0])
    mech.add_potential("bowl", ["on"], bowl, parameters=[1 / 3])
    mech.add_potential("flat", ["on"], lambda x, q, p: 0.0, gradient=lambda x, q, p, out: None)
    mech.add_limit("stop", "spherical", lower=-1 / 3, upper=(1 / 3, None, 0.1))
    mech.add_limit("up", "revolute", upper=1 / 7)
    mech.add_joint_friction("revolute", 1 / 7)
    mech.add_joint_friction("planar", (1, 2, 1 / 7))
    mech.add_rope("rope", "on", "world", at_a=(0, 0, 0), at_b=rng.normal(size=3))
    mech.add_frame("tip", "on", at=rng.normal(size=3))
    mech.add_frame("origin", "world")
    mech.add_sensor("felt", "force_torque", joint="revolute", frame="tip")
    mech.add_sensor("pull", "motor_effort", motor="winch")
    mech.add_ground(1 / 3, normal=rng.normal(size=3), name="floor")
    mech.add_obstacle("step", m.Box(size=(1, 1, 1 / 3), at=rng.normal(size=3)), restitution=1 / 3)
    mech.add_ground(name="second")
    mech.add_obstacle("hill", m.HalfSpace((1, 1, 1), orientation=unit(rng, 4), friction=0.1))
    mech.add_contact("ball", "on", friction=1 / 7)
    mech.exclude("ball", "step")
    mech.add_keyframe("home", joints={"revolute": 1 / 3, "spherical": (1, 2, 1 / 3)}, inputs={"drive": 1 / 7})
    mech.add_keyframe("rest", velocities={"planar": rng.normal(size=3)}, inputs={"push": rng.normal(size=6)})
    return mech


def unit(rng, n: int) -> np.ndarray:
    v = rng.normal(size=n)
    return v / np.linalg.norm(v)


def circle(s: float) -> tuple[float, float, float]:
    return np.cos(2 * np.pi * s), np.sin(2 * np.pi * s), 0.3


def written(tmp_path, text: str, name: str = "m.yaml"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_every_record_comes_back_bit_by_bit(tmp_path):
    mech = everything()
    path = tmp_path / "m.yaml"
    mech.save(path)
    back = sarrus.load(path, functions=functions_of(mech))
    assert back.name == mech.name
    assert_same(back.gravity, mech.gravity)
    for table in TABLES:
        assert getattr(mech, table), f"the test mechanism has no {table}"
        assert_same(getattr(mech, table), getattr(back, table))
    assert mech.exclusions
    assert back.exclusions == mech.exclusions
    assert yaml_text(back) == path.read_text(encoding="utf-8")


def test_every_table_of_a_mechanism_has_a_place_in_the_file():
    tables = {name for name, value in vars(m.Mechanism()).items() if isinstance(value, (dict, set))}
    assert tables == {*form.TABLES, "contacts", "exclusions"}


def test_every_add_method_reads_an_entry():
    methods = {name for name in dir(m.Mechanism) if name.startswith("add_")} | {"exclude"}
    tables = (form.TABLES, form.OTHER_JOINTS, form.LISTS)
    others = {"add_ground", "add_bar", "add_motion"}  # a key of its own; a body; a joint and a motor
    assert methods == {method.__name__ for table in tables for method in table.values()} | others


def test_other_programs_read_the_same_values_from_what_is_written():
    data = yaml.safe_load(yaml_text(everything()))
    assert data["bodies"]["on"]["mass"] == 1 / 3
    assert data["bodies"]["point"]["mass"] == 1e-5
    assert data["joints"]["gears"]["ratio"] == 1e-22
    assert data["motors"]["drive"]["limit"] == 1e300
    assert data["joints"]["fixed"]["child"] == "on"


@pytest.mark.parametrize("name", ["pendulum", "double_four_bar", "quadruped", "tippe_top", "rolling_disc"])
def test_a_gallery_mechanism_comes_back_bit_by_bit(name, tmp_path):
    mech = sarrus.gallery.make(name)
    mech.save(tmp_path / "m.yml")
    back = sarrus.load(tmp_path / "m.yml")
    for table in TABLES:
        assert_same(getattr(mech, table), getattr(back, table))


def test_a_mechanism_that_was_saved_moves_the_same_to_the_last_bit(tmp_path):
    mech = sarrus.gallery.double_four_bar()
    mech.save(tmp_path / "m.yaml")
    runs = [
        sarrus.simulate(sarrus.build(one), duration=0.2, dt=0.01)
        for one in (mech, sarrus.load(tmp_path / "m.yaml"))
    ]
    assert runs[0].position.tobytes() == runs[1].position.tobytes()
    assert runs[0].orientation.tobytes() == runs[1].orientation.tobytes()


HAND = """\
# A pendulum as a person writes it.
sarrus: 1
name: swing
bodies:
  no:                       # a body may have any name
    mass: 1e0
    position: [0, 0, -5e-1]
    shapes:
      - {kind: box, size: [.1, 0.1, 1]}
  12: {density: 1e3, position: [0, 0, -1], shapes: [{kind: sphere, radius: 1e-1}]}
joints:
  hinge: {kind: revolute, parent: world, child: no, at: [0, 0, 0], axis: [1, 0, 0]}
  'on': {kind: fixed, parent: no, child: 12, at: [0, 0, -1]}
springs:
limits:
  stop: {joint: hinge, lower: -.inf, upper: 1.5}
joint_frictions: {hinge: 0.1}
ground: {friction: 0.8, at: [0, 0, -2]}
contact_groups:
  - bodies: [no, 12]
keyframes:
  off: {joints: {hinge: 0.3}}
"""


def test_a_file_written_by_hand_is_read_as_meant(tmp_path):
    mech = sarrus.load(written(tmp_path, HAND))
    assert mech.name == "swing"
    assert list(mech.bodies) == ["no", "12"]
    assert mech.bodies["12"].mass == pytest.approx(4 / 3 * np.pi, rel=1e-12)
    assert mech.bodies["no"].position.tolist() == [0, 0, -0.5]
    assert list(mech.joints) == ["hinge", "on"]
    assert mech.limits["stop"].lower[0] == -np.inf
    assert mech.joint_frictions["hinge"].effort.tolist() == [0.1]
    assert mech.obstacles["ground"].friction == 0.8
    assert mech.contacts == {}  # a joint holds the two bodies together
    assert mech.keyframes["off"].joints["hinge"].tolist() == [0.3]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-3", 1e-3), ("1E5", 1e5), ("+.5", 0.5), ("-1.", -1.0), ("007", 7), ("12", 12), ("-0", 0),
        ("9" * 30, 1e30), ("yes", "yes"), ("no", "no"), ("on", "on"), ("off", "off"), ("y", "y"),
        ("1_000", "1_000"), ("0x10", "0x10"), ("1:30", "1:30"), ("2026-01-01", "2026-01-01"), ("true", True),
        ("null", None), ("~", None), ("-.inf", -np.inf),
    ],
)  # fmt: skip
def test_plain_words_are_read_as_in_yaml_1_2(text, value):
    read = plain_value(text)
    assert type(read) is type(value)
    assert read == value


@given(st.text(min_size=1).filter(lambda text: not any("\ud800" <= c <= "\udfff" for c in text)))
@settings(max_examples=200, deadline=None)
def test_any_name_is_written_so_that_it_is_read_back(text):
    tree = parse_text(f"{word(text)}: [{word(text)}]\n", "m.yaml")
    assert list(tree.value) == [text]
    assert tree.data() == {text: [text]}


@given(st.floats(allow_nan=False))
@settings(max_examples=200, deadline=None)
def test_any_number_is_written_so_that_it_is_read_back(x):
    read = float(plain_value(number(x)))
    assert np.float64(read).tobytes() == np.float64(x).tobytes()
    assert float(yaml.safe_load(number(x))) == x


def test_functions_are_supplied_by_name(tmp_path):
    mech = everything()
    names = functions_of(mech)
    assert names["wind"] is wind
    assert names["level"] is level
    assert {"flat energy", "flat gradient"} <= names.keys()


def test_two_functions_of_one_name_are_told_apart():
    mech = m.Mechanism()
    mech.add_body("a", 1.0, (1, 1, 1))
    for k in range(2):

        def pull(x, q, p):
            return 0.0

        mech.add_potential(f"p{k}", ["a"], pull)
    assert list(functions_of(mech)) == ["pull", "pull 2"]


def test_mesh_files_beside_the_file_are_read(tmp_path):
    (tmp_path / "meshes").mkdir()
    corners = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    lines = [f"v {x} {y} {z}" for x, y, z in corners]
    (tmp_path / "meshes/cube.obj").write_text("\n".join([*lines, "f 1 2 3"]))
    shapes = "[{kind: convex_mesh, file: meshes/cube.obj}, {kind: mesh, file: meshes/cube.obj}]"
    mech = read_yaml(written(tmp_path, f"sarrus: 1\nbodies:\n  a: {{mass: 1, shapes: {shapes}}}\n"))
    solid, surface = mech.bodies["a"].shapes
    assert len(solid.points) == 8
    assert surface.faces.tolist() == [[0, 1, 2]]


def test_a_suffix_that_is_not_known_is_refused_and_nothing_is_written(tmp_path):
    with pytest.raises(sarrus.FileError, match=r"must end in \.yaml, \.yml, \.xml, \.mjcf"):
        everything().save(tmp_path / "m.json")
    with pytest.raises(sarrus.FileError, match="cannot be written"):
        everything().save(tmp_path / "missing" / "m.yaml")
    assert list(tmp_path.iterdir()) == []


PAGE = Path(__file__).resolve().parents[3] / "docs" / "how-to" / "mechanism-files.md"


def test_the_page_about_files_lists_every_key_and_kind():
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    methods = {
        *form.TABLES.values(),
        *form.OTHER_JOINTS.values(),
        *form.LISTS.values(),
        m.Mechanism.add_ground,
    }
    for method in methods - {m.Mechanism.exclude}:
        row = next(line for line in lines if line.startswith("|") and f"`{method.__name__}`" in line)
        own = {"name"} if method is not m.Mechanism.add_ground else set()
        for key in set(form.arguments_of(method).all) - own:
            assert re.search(rf"\b{key}\b", row), f"{method.__name__}: {key}"
    for kind in form.SHAPES:
        assert any(line.startswith("|") and f"`{kind}`" in line for line in lines), kind
    for key in form.KEYS:
        assert any(line.startswith("|") and f"`{key}`" in line.split("|")[1] for line in lines), key
