"""Shapes of URDF links: forms, colours, mesh files and where they are looked for."""

from __future__ import annotations

import json
import os
import struct

import numpy as np
import pytest
from tests.unit.importers.test_urdf import loaded, notes
from tests.unit.importers.urdf_texts import joint, link, robot, written

import sarrus
from sarrus.errors import FileError
from sarrus.importers.hulls import CORNERS
from sarrus.importers.urdf.collada import read_collada
from sarrus.importers.urdf.gltf import read_glb

CLOSE = 1e-12
TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
DAE = """<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="0.01"/><up_axis>{up}</up_axis></asset><library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="12">0 0 0 1 0 0 1 1 0 0 1 2</float_array><technique_common>
<accessor source="#pa" count="4" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<polylist count="1"><input semantic="VERTEX" source="#v" offset="0"/>
<input semantic="NORMAL" source="#n" offset="1"/>
<vcount>4</vcount><p>0 0 1 0 2 0 3 0</p></polylist></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node><translate>10 0 0</translate><rotate>0 0 1 90</rotate>
<instance_geometry url="#g"/></node></visual_scene></library_visual_scenes></COLLADA>"""


def shaped(*inner: str, before: str = "") -> str:
    """A robot with one link of these visuals and collisions, whose centre of mass lies at x = 0.5."""
    return robot(
        before, '<link name="base"/>', link("arm", inner="".join(inner)), joint("hinge", "base", "arm")
    )


def drawn(form: str, material: str = "", origin: str = "", tag: str = "visual") -> str:
    """A visual or collision of one form."""
    return f"<{tag}>{origin}<geometry>{form}</geometry>{material}</{tag}>"


def bare(name: str, inner: str) -> str:
    """A link without mass."""
    return f'<link name="{name}">{inner}</link>'


def test_forms_colours_and_places_are_read(tmp_path):
    place = '<origin xyz="1 2 3" rpy="0 0 3.141592653589793"/>'
    green = '<material name=""><color rgba="0 1 0 0.5"/></material>'
    mech = loaded(
        tmp_path,
        shaped(
            drawn('<box size="1 2 3"/>', '<material name="red"/>', place),
            drawn('<cylinder radius="0.1" length="0.5"/>', green),
            drawn('<sphere radius="0.2"/>', tag="collision"),
            drawn('<capsule radius="0.3" length="0.7"/>', tag="collision"),
            before='<material name="red"><color rgba="1 0 0 1"/></material>',
        ),
    )
    box, tube, ball, capsule = mech.bodies["arm"].shapes
    assert isinstance(box, sarrus.Box)
    assert box.size.tolist() == [1.0, 2.0, 3.0]
    assert not box.collide
    assert box.color == (1.0, 0.0, 0.0, 1.0)
    np.testing.assert_allclose(box.at, (0.5, 2, 3), atol=CLOSE)  # from the centre of mass
    np.testing.assert_allclose(np.abs(box.orientation), (0, 0, 0, 1), atol=CLOSE)
    assert (tube.radius, tube.length, tube.color) == (0.1, 0.5, (0.0, 1.0, 0.0, 0.5))
    assert (ball.radius, ball.collide, ball.friction) == (0.2, True, None)
    assert (capsule.radius, capsule.length) == (0.3, 0.7)


def test_shapes_of_a_link_without_mass_are_carried_by_the_body_it_is_fixed_to(tmp_path):
    text = robot(
        '<link name="base"/>', link("arm"),
        bare("cap", drawn('<sphere radius="0.2"/>')),
        joint("hinge", "base", "arm"), joint("top", "arm", "cap", "1 0 0", kind="fixed"),
    )  # fmt: skip
    (ball,) = loaded(tmp_path, text).bodies["arm"].shapes
    np.testing.assert_allclose(ball.at, (0.5, 0, 0), atol=CLOSE)


def test_a_base_without_mass_is_a_fixed_body_where_it_has_something_to_draw(tmp_path):
    text = robot(
        bare("base", drawn('<sphere radius="0.2"/>')),
        link("arm"),
        joint("hinge", "base", "arm"),
    )
    mech = loaded(tmp_path, text)
    assert mech.joints["base fixed"].kind == "fixed"
    assert len(mech.bodies["base"].shapes) == 1
    assert sarrus.build(mech).dof == 1


def test_what_the_link_world_has_to_touch_is_an_obstacle(tmp_path):
    table = bare("world", drawn('<box size="1 1 1"/>', tag="collision"))
    mech = loaded(tmp_path, robot(table, link("arm"), joint("hinge", "world", "arm", "0 0 3")))
    assert [obstacle.shape.size.tolist() for obstacle in mech.obstacles.values()] == [[1.0, 1.0, 1.0]]


@pytest.mark.parametrize(
    "name",
    [
        "package://my_robot/meshes/arm.obj",
        "model://my_robot/meshes/arm.obj",
        "package://another_name/meshes/arm.obj",
        "../meshes/arm.obj",
        "package://my_robot/meshes/a%72m.obj",
        "..\\meshes\\arm.obj",
    ],
)
def test_meshes_are_found_by_their_address(tmp_path, name):
    folder = tmp_path / "my_robot"
    for inner in ("urdf", "meshes"):
        (folder / inner).mkdir(parents=True)
    (folder / "meshes" / "arm.obj").write_text(TETRAHEDRON)
    form = f'<mesh filename="{name}" scale="2 1 -1"/>'
    mech = loaded(folder / "urdf", shaped(drawn(form), drawn(form, tag="collision")))
    mesh, hull = mech.bodies["arm"].shapes
    assert isinstance(mesh, sarrus.Mesh)
    assert isinstance(hull, sarrus.ConvexMesh)
    corners = [[0, 0, 0], [2, 0, 0], [0, 1, 0], [0, 0, -1]]
    assert sorted(map(list, mesh.vertices)) == sorted(map(list, hull.points)) == sorted(corners)
    # A mirrored surface is turned inside out again: every face looks away from the inside.
    faces = mesh.vertices[mesh.faces]
    normals = np.cross(faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0])
    outward = faces.mean(axis=1) - mesh.vertices.mean(axis=0)
    assert np.all(np.sum(normals * outward, axis=1) > 0.0)
    assert notes(mech)["collision mesh", "arm"] == "collides as its convex hull"


def test_a_hull_of_many_corners_is_thinned_and_the_report_says_so(tmp_path):
    points = np.random.default_rng(1).normal(size=(500, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    lines = [*(f"v {x} {y} {z}" for x, y, z in points), "f 1 2 3"]
    (tmp_path / "ball.obj").write_text("\n".join(lines))
    mech = loaded(tmp_path, shaped(drawn('<mesh filename="ball.obj"/>', tag="collision")))
    count = len(mech.bodies["arm"].shapes[0].points)
    assert 50 < count <= CORNERS
    assert f"its convex hull, with {count} corners, within" in notes(mech)["collision mesh", "arm"]


def test_all_meshes_that_are_missing_are_listed(tmp_path):
    text = shaped(*(drawn(f'<mesh filename="{n}"/>') for n in ("package://r/a.stl", "b.dae", "b.dae")))
    with pytest.raises(FileError) as refusal:
        loaded(tmp_path, text)
    message = str(refusal.value)
    assert "2 files that it names are missing" in message
    assert "mesh package://r/a.stl" in message
    assert "robot.urdf, line 2" in message
    assert "mesh b.dae" in message


def test_a_robot_without_its_meshes_is_read_on_request(tmp_path):
    text = shaped(drawn('<mesh filename="package://r/a.stl"/>'), drawn('<sphere radius="0.2"/>'))
    mech = loaded(tmp_path, text, meshes=False)
    assert [type(shape) for shape in mech.bodies["arm"].shapes] == [sarrus.Sphere]
    assert notes(mech, "lost") == {("mesh", "arm"): "meshes=False leaves out mesh files"}


def test_a_mesh_that_cannot_be_read_is_refused_with_the_line(tmp_path):
    text = shaped(drawn('<mesh filename="arm.obj"/>'))
    for content, message in (
        ("", "is empty"),
        ("v 0 0\n", "mesh arm.obj: .* a mesh file|not a mesh file|no vertices"),
        ("v 0 0 0\nf 1 2 3\n", "bad faces"),
        ("v 0 0 nan\nv 0 0 0\nv 1 0 0\nf 1 2 3\n", "not finite"),
    ):
        (tmp_path / "arm.obj").write_text(content)
        with pytest.raises(FileError, match=rf"robot\.urdf, line 2: .*({message})"):
            loaded(tmp_path, text)
    os.truncate(tmp_path / "arm.obj", 2**30)
    with pytest.raises(FileError, match=r"too large for a mesh file, 1,024 MB"):
        loaded(tmp_path, text)


def test_a_flat_collision_mesh_is_listed_and_left_out(tmp_path):
    (tmp_path / "flat.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    mech = loaded(tmp_path, shaped(drawn('<mesh filename="flat.obj"/>', tag="collision")))
    assert not mech.bodies["arm"].shapes
    why = "the mesh has no volume, so it cannot collide"
    assert notes(mech, "lost") == {("collision mesh", "arm"): why}


def test_collada_meshes_are_read_with_unit_up_axis_and_places(tmp_path):
    path = tmp_path / "arm.dae"
    path.write_text(DAE.format(up="Z_UP"))
    points, faces = read_collada(path)
    assert faces.tolist() == [[0, 1, 2], [0, 2, 3]]
    wanted = np.array([[10, 0, 0], [10, 1, 0], [9, 1, 0], [9, 0, 2]]) * 0.01
    np.testing.assert_allclose(points, wanted, atol=CLOSE)
    path.write_text(DAE.format(up="Y_UP"))
    turned, _ = read_collada(path)
    np.testing.assert_allclose(turned, wanted[:, [0, 2, 1]] * (1, -1, 1), atol=CLOSE)
    mech = loaded(tmp_path, shaped(drawn('<mesh filename="arm.dae"/>')))
    assert len(mech.bodies["arm"].shapes[0].faces) == 2
    for bad in ("<COLLADA/>", DAE.format(up="Z_UP").replace("0 0 1 0 2 0 3 0", "0 0 x")):
        path.write_text(bad)
        with pytest.raises(FileError, match=r"arm\.dae: (holds no triangles|not a COLLADA file)"):
            read_collada(path)


def glb(description: dict, points: np.ndarray, corners: np.ndarray) -> bytes:
    """A binary glTF file: a header, the description, and points and corners in one buffer."""
    binary = points.astype("<f4").tobytes() + corners.astype("<u2").tobytes()
    binary += bytes(-len(binary) % 4)
    views = [{"buffer": 0, "byteLength": 12 * len(points)}, {"buffer": 0, "byteOffset": 12 * len(points)}]
    accessors = [
        {"bufferView": 0, "componentType": 5126, "count": len(points), "type": "VEC3"},
        {"bufferView": 1, "componentType": 5123, "count": len(corners), "type": "SCALAR"},
    ]
    whole = {"buffers": [{"byteLength": len(binary)}], "bufferViews": views, "accessors": accessors}
    text = json.dumps(whole | description).encode()
    text += b" " * (-len(text) % 4)
    parts = (
        struct.pack("<II", len(text), 0x4E4F534A)
        + text
        + struct.pack("<II", len(binary), 0x004E4942)
        + binary
    )
    return struct.pack("<4sII", b"glTF", 2, 12 + len(parts)) + parts


def placed(mode: int) -> dict:
    """A mesh twice in the scene: turned by a quarter about z, doubled and moved; inside that, moved again."""
    turned = {
        "mesh": 0,
        "rotation": [0, 0, 0.5**0.5, 0.5**0.5],
        "scale": [2, 2, 2],
        "translation": [10, 0, 0],
    }
    moved = {"mesh": 0, "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1]}
    return {
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [turned | {"children": [1]}, moved, {"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "mode": mode}]}],
    }


QUAD = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])


@pytest.mark.parametrize(("mode", "corners"), [(4, [0, 1, 2, 0, 2, 3]), (5, [0, 1, 3, 2]), (6, [0, 1, 2, 3])])
def test_binary_gltf_meshes_are_read_with_the_places_of_their_nodes(tmp_path, mode, corners):
    path = tmp_path / "arm.glb"
    path.write_bytes(glb(placed(mode), QUAD, np.array(corners)))
    points, faces = read_glb(path)
    first = np.array([[10, 0, 0], [10, 2, 0], [8, 2, 0], [8, 0, 0]])
    np.testing.assert_allclose(points, np.concatenate([first, first + (0, 0, 2)]), atol=CLOSE)
    sides = np.cross(*(points[faces[:, k]] - points[faces[:, 0]] for k in (1, 2)))
    np.testing.assert_allclose(sides, np.tile((0, 0, 4.0), (4, 1)), atol=CLOSE)  # all face upwards
    mech = loaded(tmp_path, shaped(drawn('<mesh filename="arm.glb" scale="0.5 0.5 0.5"/>')))
    assert np.ptp(mech.bodies["arm"].shapes[0].vertices[:, 2]) == 1.0


def test_faulty_gltf_meshes_are_refused_by_name(tmp_path):
    whole = glb(placed(4), QUAD, np.array([0, 1, 2]))
    path = tmp_path / "arm.glb"
    ring = placed(4) | {"nodes": [{"children": [0]}]}
    faults = [
        b"",
        whole[:30],
        b"glTF" + whole[4:60],
        whole[:-20],
        glb(ring, QUAD, np.arange(3)),
        glb({}, QUAD, QUAD),
    ]
    for bad in faults:
        path.write_bytes(bad)
        with pytest.raises(FileError, match=r"arm\.glb: (holds no triangles|not a binary glTF file)"):
            read_glb(path)


def test_a_drawn_mesh_of_another_form_is_listed_and_one_that_collides_is_refused(tmp_path):
    (tmp_path / "arm.fbx").write_text("x")
    mesh = '<mesh filename="arm.fbx"/>'
    mech = loaded(tmp_path, shaped(drawn(mesh)))
    assert notes(mech, "lost") == {("mesh", "arm"): "only files that end in .obj, .stl, .dae, .glb are drawn"}
    with pytest.raises(FileError, match=r"mesh arm\.fbx: the file must end in \.obj, \.stl, \.dae, \.glb"):
        loaded(tmp_path, shaped(drawn(mesh, tag="collision")))


def test_an_address_that_xacro_has_left_is_that_of_a_package(tmp_path):
    (tmp_path / "hand").mkdir()
    (tmp_path / "hand" / "a.obj").write_text(TETRAHEDRON)
    mech = loaded(tmp_path, shaped(drawn('<mesh filename="$(find hand)/a.obj"/>')))
    assert len(mech.bodies["arm"].shapes) == 1


def test_textures_and_materials_without_a_colour_are_listed(tmp_path):
    picture = '<material name="wood"><texture filename="wood.png"/></material>'
    text = shaped(
        drawn('<sphere radius="1"/>', picture), drawn('<sphere radius="1"/>', '<material name="steel"/>')
    )
    lost = notes(loaded(tmp_path, text), "lost")
    assert set(lost) == {("texture", "arm"), ("material", "steel")}
    assert written(tmp_path, text).exists()
