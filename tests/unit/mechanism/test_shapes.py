"""Shapes: volume, centre and inertia against closed forms and sampling; meshes from files; faults."""

import numpy as np
import pytest

from sarrus.errors import FileError, MechanismError
from sarrus.mechanism import Box, Capsule, ConvexMesh, Cylinder, HalfSpace, Mesh, Sphere

ROUNDING = 1e-13  # sums over a few dozen tetrahedra
FINE_HULL = 2e-3  # hull of 4000 points on a curved surface lies this part inside it
CORNERS = np.array([[x, y, z] for x in (0, 0.2) for y in (0, 0.3) for z in (0, 1.0)])


def fibonacci_sphere(count):
    """Points (count, 3) spread evenly over the unit sphere."""
    i = np.arange(count) + 0.5
    z, turn = 1 - 2 * i / count, np.pi * (1 + np.sqrt(5)) * i
    r = np.sqrt(1 - z * z)
    return np.stack([r * np.cos(turn), r * np.sin(turn), z], axis=1)


def test_a_mesh_of_the_corners_of_a_box_is_that_box():
    volume, centre, matrix = ConvexMesh(CORNERS).mass_properties()
    same = Box((0.2, 0.3, 1.0)).mass_properties()
    assert volume == pytest.approx(same[0], rel=ROUNDING)
    np.testing.assert_allclose(centre, [0.1, 0.15, 0.5], atol=ROUNDING)
    np.testing.assert_allclose(matrix, same[2], atol=ROUNDING)


def test_points_inside_a_mesh_change_nothing():
    inner = np.vstack([CORNERS, [[0.1, 0.1, 0.1], [0.05, 0.2, 0.9]]])
    for a, b in zip(ConvexMesh(inner).mass_properties(), ConvexMesh(CORNERS).mass_properties(), strict=True):
        np.testing.assert_allclose(a, b, atol=ROUNDING)


@pytest.mark.parametrize("name", ["sphere", "capsule", "cylinder"])
def test_curved_shapes_match_the_fine_mesh_of_their_surface(name):
    ball = fibonacci_sphere(4000)
    ring = np.array([[np.cos(a), np.sin(a)] for a in np.linspace(0, 2 * np.pi, 400, endpoint=False)])
    cap = ball + np.where(ball[:, 2:] > 0, 1.0, -1.0) * [0, 0, 0.75]
    tube = np.vstack([np.column_stack([ring, np.full(400, z)]) for z in (-0.75, 0.75)])
    shape, points = {
        "sphere": (Sphere(1.0), ball),
        "capsule": (Capsule(1.0, 1.5), np.vstack([cap, tube])),
        "cylinder": (Cylinder(1.0, 1.5), tube),
    }[name]
    volume, centre, matrix = shape.mass_properties()
    fine = ConvexMesh(points).mass_properties()
    assert fine[0] == pytest.approx(volume, rel=FINE_HULL)
    np.testing.assert_allclose(fine[1], centre, atol=FINE_HULL)
    np.testing.assert_allclose(fine[2], matrix, atol=2 * FINE_HULL * np.max(matrix))


def test_a_turned_and_moved_shape_turns_and_moves_its_mass():
    half = np.sqrt(0.5)
    volume, centre, matrix = Cylinder(
        0.1, 1.0, at=(1, 2, 3), orientation=(half, 0, half, 0)
    ).mass_properties()  # z turned onto x
    along = volume * 0.1**2 / 2
    np.testing.assert_allclose(centre, [1, 2, 3])
    assert matrix[0, 0] == pytest.approx(along, rel=ROUNDING)
    assert matrix[1, 1] == pytest.approx(matrix[2, 2], rel=ROUNDING)


def test_a_half_space_keeps_a_unit_normal_and_has_no_volume():
    plane = HalfSpace((0, 0, 2))
    np.testing.assert_array_equal(plane.normal, [0, 0, 1])
    with pytest.raises(MechanismError, match="HalfSpace: this shape has no volume"):
        plane.mass_properties()


OBJ = "# corners\n" + "".join(f"v {x} {y} {z}\n" for x, y, z in CORNERS) + "f 1 2 3\n"
STL = (
    "solid a\n"
    + "".join(f" vertex {x} {y} {z}\n" for x, y, z in np.vstack([CORNERS, CORNERS[:1]]))
    + "endsolid\n"
)


def binary_stl(points):
    """Bytes of a binary STL whose facets have the given corners, three at a time."""
    facets = np.zeros(
        len(points) // 3, np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    )
    facets["corners"] = points.reshape(-1, 3, 3)
    return b"solid but binary".ljust(80) + len(facets).to_bytes(4, "little") + facets.tobytes()


def test_meshes_are_read_from_obj_stl_and_npy_files(tmp_path):
    (tmp_path / "a.obj").write_text(OBJ)
    (tmp_path / "b.stl").write_text(STL)
    (tmp_path / "c.stl").write_bytes(binary_stl(np.vstack([CORNERS, CORNERS[:1]])))
    np.save(tmp_path / "d.npy", CORNERS)
    for name in ("a.obj", "b.stl", "c.stl", "d.npy"):
        mesh = ConvexMesh(tmp_path / name)
        assert mesh.mass_properties()[0] == pytest.approx(0.06, rel=1e-6)  # float32 in the binary file
        assert mesh.file == str(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.xyz", b"", "a.xyz: a mesh file must end in .obj, .stl, .npy"),
        ("a.obj", b"hello\n", "a.obj: holds no vertices of three coordinates"),
        ("a.obj", b"v 1 2 x\n", "a.obj: not a mesh file of this kind"),
        ("a.stl", b"solid\n", "a.stl: holds no vertices"),
        ("a.npy", b"no array", "a.npy: not a mesh file of this kind"),
        ("a.npy", None, "a.npy: cannot be read (No such file or directory)"),
    ],
)
def test_a_foreign_mesh_file_gives_a_clear_error(tmp_path, name, content, message):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(FileError) as caught:
        ConvexMesh(tmp_path / name)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Sphere(0.0), "Sphere: radius must be positive and finite, not 0.0"),
        (lambda: Sphere(np.nan), "Sphere: radius must be positive and finite, not nan"),
        (lambda: Box((1, 0, 1)), "Box: size must be 3 positive edges"),
        (lambda: Box(1.0), "Box: size must be 3 finite numbers, not 1.0"),
        (lambda: Capsule(1, -1), "Capsule: length must be positive and finite, not -1"),
        (lambda: Cylinder(-1, 1), "Cylinder: radius must be positive and finite, not -1"),
        (lambda: HalfSpace((0, 0, 0)), "HalfSpace: normal must not be zero"),
        (lambda: ConvexMesh([[0, 0, 0]]), "ConvexMesh: points must span a volume: at least 4 different ones"),
        (lambda: ConvexMesh(np.zeros((0, 3))), "not in one plane; 0 were given"),
        (lambda: ConvexMesh(np.repeat(CORNERS[:3], 5, axis=0)), "not in one plane; 3 were given"),
        (lambda: ConvexMesh(np.vstack([CORNERS, [[0, np.nan, 0]]])), "points must be N x 3 finite numbers"),
        (lambda: ConvexMesh(np.vstack([CORNERS, [[0, np.inf, 0]]])), "points must be N x 3 finite numbers"),
        (lambda: ConvexMesh(np.outer(range(5), (1, 2, 3))), "but all 5 lie in one line"),
        (lambda: ConvexMesh(CORNERS[:, :2]), "ConvexMesh: points must be N x 3 finite numbers"),
        (
            lambda: ConvexMesh(CORNERS * [1, 1, 1e-12]),
            "points must span a volume, but all 8 lie in one plane",
        ),
        (lambda: Sphere(1, at=(0, 0)), "Sphere: at must be 3 finite numbers"),
        (lambda: Sphere(1, orientation=(2, 0, 0, 0)), "Sphere: orientation must be a unit quaternion"),
        (lambda: Sphere(1, friction=-0.1), "Sphere: friction must be zero or positive, and finite, not -0.1"),
        (lambda: Sphere(1, collide="no"), "Sphere: collide must be True or False, not 'no'"),
        (lambda: Sphere(1, color=(1, 2, 3)), "Sphere: color must be 3 or 4 numbers from 0 to 1"),
    ],
)
def test_a_faulty_shape_is_refused_with_a_clear_message(make, message):
    with pytest.raises(MechanismError) as caught:
        make()
    assert message in str(caught.value)


def test_a_mesh_is_drawn_only_and_keeps_its_triangles(tmp_path):
    (tmp_path / "square.obj").write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1/1 2/1 3/1 -1\n")
    mesh = Mesh(tmp_path / "square.obj")
    assert mesh.faces.tolist() == [[0, 1, 2], [0, 2, 3]]
    assert mesh.vertices.shape == (4, 3)
    assert not mesh.collide
    assert not mesh.solid


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"faces": [[0, 1, 3]]}, "whole numbers of vertices, from 0 to 2"),
        ({"faces": [[0, 1, 0.5]]}, "whole numbers"),
        ({"faces": []}, "faces must"),
        ({}, "give faces"),
        ({"faces": [[0, 1, 2]], "collide": True}, "a ConvexMesh of the same points collides"),
    ],
)
def test_a_mesh_that_cannot_be_drawn_is_refused(arguments, words):
    with pytest.raises(MechanismError, match=words):
        Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], **arguments)
