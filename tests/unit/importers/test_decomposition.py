"""Meshes with hollows as convex parts: what is asked of the library, what is kept, what is refused.

The library itself is stood in for by a module of the same interface, which cuts a mesh in two across x."""

import importlib.util
import textwrap

import numpy as np
import pytest

import sarrus
from sarrus.errors import MechanismError
from sarrus.importers import decomposition
from sarrus.importers.decomposition import is_convex
from sarrus.mechanism.meshes import hull

STAND_IN = """
import numpy as np
def set_log_level(level): pass
class Mesh:
    def __init__(self, vertices, faces):
        self.vertices = np.asarray(vertices)
def run_coacd(mesh, threshold=0.05, max_convex_hull=-1, seed=0):
    with open({log!r}, "a") as log:
        log.write(f"{{threshold}} {{max_convex_hull}} {{seed}}\\n")
    if threshold > 0.9:
        raise RuntimeError("no parts today")
    v = mesh.vertices
    order = np.argsort(v[:, 0], kind="stable")
    halves = v[order[:8]], v[order[-8:]]
    return [[half, np.zeros((0, 3), int)] for half in halves] + [[v[:2], np.zeros((0, 3), int)]]
"""
CORNERS = np.array([[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]], float)


def angle():
    """(vertices, faces) of a thick L, its inner corner at (1, 1)."""
    n = len(CORNERS)
    vertices = np.vstack([np.c_[CORNERS, np.zeros(n)], np.c_[CORNERS, np.ones(n)]])
    flat = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
    faces = [(a, c, b) for a, b, c in flat] + [(a + n, b + n, c + n) for a, b, c in flat]
    for k in range(n):
        m = (k + 1) % n
        faces += [(k, m, m + n), (k, m + n, k + n)]
    return vertices, np.array(faces)


@pytest.fixture
def calls(tmp_path, monkeypatch):
    """The calls of the stand-in, one line each; the cache is empty."""
    log = tmp_path / "calls.txt"
    (tmp_path / "library").mkdir()
    (tmp_path / "library" / "coacd.py").write_text(textwrap.dedent(STAND_IN.format(log=str(log))))
    monkeypatch.syspath_prepend(tmp_path / "library")
    monkeypatch.setenv("SARRUS_CACHE_DIR", str(tmp_path / "cache"))
    importlib.invalidate_caches()
    return lambda: log.read_text().splitlines() if log.exists() else []


def test_a_mesh_with_a_hollow_becomes_parts_and_slivers_are_left_out(calls):
    parts = sarrus.convex_parts(*angle(), concavity=0.1, most=5, friction=0.3)
    assert [part.friction for part in parts] == [0.3, 0.3]
    assert parts[0].points[:, 0].max() == parts[1].points[:, 0].min() == 1.0
    assert calls() == ["0.1 5 0"]


def test_the_parts_of_a_mesh_are_found_once(calls):
    first, again = (sarrus.convex_parts(*angle()) for _ in range(2))
    for one, other in zip(first, again, strict=True):
        np.testing.assert_array_equal(one.points, other.points)
    assert len(calls()) == 1
    sarrus.convex_parts(*angle(), concavity=0.2)
    sarrus.convex_parts(2.0 * angle()[0], angle()[1])
    assert len(calls()) == 3


def test_a_convex_mesh_is_one_part_without_the_library(calls):
    box = np.array([[x, y, z] for x in (0, 1) for y in (0, 2) for z in (0, 3)], float)
    faces = hull(box).faces
    assert is_convex(box, faces)
    assert not is_convex(*angle())
    (part,) = sarrus.convex_parts(box, faces)
    assert len(part.points) == 8
    assert calls() == []


def test_what_the_library_says_is_passed_on(calls):
    with pytest.raises(MechanismError, match=r"coacd found no convex parts .*no parts today"):
        sarrus.convex_parts(*angle(), concavity=1.0)


def test_a_search_that_takes_too_long_is_stopped(calls, monkeypatch):
    monkeypatch.setattr(decomposition, "SECONDS", 0.001)
    with pytest.raises(MechanismError, match=r"took more than 0.001 s; thin out the mesh of 20 triangles"):
        sarrus.convex_parts(*angle())


def test_settings_out_of_range_and_a_missing_library_are_refused_by_name(monkeypatch, tmp_path):
    with pytest.raises(MechanismError, match=r"concavity must lie between 0.01 and 1, not 0"):
        sarrus.convex_parts(*angle(), concavity=0.0)
    with pytest.raises(MechanismError, match="most must be a whole number of at least 1, not 0"):
        sarrus.convex_parts(*angle(), most=0)
    monkeypatch.setenv("SARRUS_CACHE_DIR", str(tmp_path))
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "coacd" else find(name))
    with pytest.raises(MechanismError, match=r"needs coacd: pip install 'sarrus\[convex\]'"):
        sarrus.convex_parts(*angle())
    (tmp_path / "robot.urdf").write_text("<robot name='r'><link name='a'/></robot>")
    with pytest.raises(MechanismError, match=r"robot.urdf: decompose: convex decomposition needs coacd"):
        sarrus.load(tmp_path / "robot.urdf", decompose=True)
    mech = sarrus.Mechanism()
    mech.add_body("rod", mass=1.0, inertia=(1, 1, 1))
    mech.save(tmp_path / "plain.yaml")
    with pytest.raises(MechanismError, match="decompose is for robot files"):
        sarrus.load(tmp_path / "plain.yaml", decompose=True)


def wavefront(path):
    vertices, faces = angle()
    lines = [f"v {x} {y} {z}" for x, y, z in vertices] + [f"f {a} {b} {c}" for a, b, c in faces + 1]
    path.write_text("\n".join(lines) + "\n")


URDF = """<robot name="r"><link name="part">
<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><mesh filename="angle.obj"/></geometry></visual>
<collision><geometry><mesh filename="angle.obj"/></geometry></collision></link></robot>"""
MJCF = """<mujoco><asset><mesh name="angle" file="angle.obj"/></asset><worldbody>
<geom name="step" type="mesh" mesh="angle" pos="0 0 -3"/>
<body name="part"><freejoint/><geom type="mesh" mesh="angle"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize(("file", "text"), [("r.urdf", URDF), ("r.xml", MJCF)])
def test_robot_files_collide_as_parts_only_where_asked(calls, tmp_path, file, text):
    wavefront(tmp_path / "angle.obj")
    (tmp_path / file).write_text(text)
    loaded = {}
    for decompose in (False, True, 0.2):
        loaded[decompose] = sarrus.load(tmp_path / file, decompose=decompose)
    for decompose, mech in loaded.items():
        solid = [shape for shape in mech.bodies["part"].shapes if shape.collide]
        assert len(solid) == (2 if decompose else 1)
        assert sum(not shape.collide for shape in mech.bodies["part"].shapes) == 1
        if file == "r.xml":
            assert len(mech.obstacles) == len(solid)
    assert "collides as 2 convex parts" in str(loaded[True].import_report)
    assert {line.split()[0] for line in calls()} == {"0.05", "0.2"}
