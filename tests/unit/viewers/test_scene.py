"""The scene of a mechanism: triangles where the shapes are, symbols where the joints are."""

from __future__ import annotations

import numpy as np
import pytest

import sarrus
from sarrus import gallery
from sarrus.mechanism import JOINT_KINDS
from sarrus.mechanism.rotations import rotation
from sarrus.viewers import solids, symbols
from sarrus.viewers.scene import CYCLE, LAYERS, Scene, nice, scene_of

ROUND = 0.03
"""A ball of 40 segments has 1 % less volume than a round one."""
SINGLE = 1e-5
"""Vertices are stored in single precision; lengths here are of the order of a metre."""
TURNED = (0.5, 0.5, 0.5, 0.5)  # x to y, y to z, z to x


def volume(vertices: np.ndarray, faces: np.ndarray) -> float:
    """Volume inside a closed surface; negative where its faces point inwards."""
    a, b, c = (np.asarray(vertices, dtype=float)[faces[:, k]] for k in range(3))
    return float(np.einsum("fi,fi->", a, np.cross(b, c)) / 6.0)


def in_world(scene: Scene, mech: sarrus.Mechanism, part) -> np.ndarray:
    """The vertices of a part in the world frame of the reference configuration."""
    if part.body < 0:
        return part.vertices
    body = mech.bodies[scene.bodies[part.body]]
    return part.vertices @ rotation(body.orientation).T + body.position


def layer(scene: Scene, name: str) -> list:
    """The parts of one layer."""
    return [part for part in scene.parts if part.layer == name]


def bare(kind: str = "revolute", **joint) -> sarrus.Mechanism:
    """Two bodies without shapes on one joint; the second is turned."""
    mech = sarrus.Mechanism()
    mech.add_body("a", mass=1.0, inertia=(1.0, 1.0, 1.0))
    mech.add_body("b", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(0.0, 1.0, 0.5), orientation=TURNED)
    mech.add_joint("j", kind, "a", "b", at=(0.0, 0.5, 0.3), **joint)
    return mech


@pytest.mark.parametrize(
    "shape",
    [
        sarrus.Box(size=(0.2, 0.4, 0.6), at=(1.0, 2.0, 3.0), orientation=TURNED),
        sarrus.Sphere(0.3, at=(0.0, 1.0, 0.0)),
        sarrus.Capsule(0.2, 0.7, orientation=TURNED),
        sarrus.Cylinder(0.2, 0.7, at=(0.1, 0.0, 0.0)),
        sarrus.ConvexMesh(np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.2, 0.2, 0.2]])),
    ],
    ids=lambda shape: type(shape).__name__,
)
def test_triangles_enclose_the_volume_of_the_shape_and_point_outwards(shape):
    vertices, faces, _ = solids.triangles(shape)
    exact, centre, _ = shape.mass_properties()
    tolerance = ROUND if isinstance(shape, (sarrus.Sphere, sarrus.Capsule, sarrus.Cylinder)) else 1e-12
    assert volume(vertices - centre, faces) == pytest.approx(exact, rel=tolerance)
    edges = {tuple(e) for f in faces for e in (f[[0, 1]], f[[1, 2]], f[[2, 0]])}
    assert len(edges) == 3 * len(faces), "no edge is walked twice in the same direction"


def test_a_capsule_is_its_length_plus_two_radii_long_and_touches_its_ends():
    vertices, _, _ = solids.triangles(sarrus.Capsule(0.2, 0.7))
    assert vertices.min(axis=0) == pytest.approx([-0.2, -0.2, -0.55])
    assert vertices.max(axis=0) == pytest.approx([0.2, 0.2, 0.55])


def test_a_shape_stands_where_its_place_in_the_body_says():
    vertices, _, _ = solids.triangles(
        sarrus.Box(size=(0.2, 0.4, 0.6), at=(1.0, 2.0, 3.0), orientation=TURNED)
    )
    assert np.ptp(vertices, axis=0) == pytest.approx([0.6, 0.2, 0.4])
    assert vertices.mean(axis=0) == pytest.approx([1.0, 2.0, 3.0])


def test_sharp_edges_of_a_mesh_are_doubled_and_smooth_ones_are_not():
    vertices, faces, _ = solids.cuboid((1.0, 1.0, 1.0))
    assert len(solids.creased(vertices, faces)[0]) == 24, "three corners at each of eight vertices"
    vertices, faces, _ = solids.ball(1.0)
    again = solids.creased(vertices[faces].reshape(-1, 3), np.arange(3 * len(faces)).reshape(-1, 3))
    assert len(again[0]) == len(vertices), "a soup of triangles is joined to the ball that it was"


def test_a_mesh_is_drawn_where_it_is_and_never_collides():
    mech = sarrus.Mechanism()
    corners, faces, _ = solids.cuboid((1.0, 1.0, 1.0))
    picture = sarrus.Mesh(corners, faces, at=(0.0, 0.0, 2.0), color=(0.1, 0.2, 0.3))
    mech.add_body("b", mass=1.0, inertia=(1.0, 1.0, 1.0), shapes=[picture, sarrus.Sphere(0.6)])
    scene = scene_of(mech)
    (drawn,) = layer(scene, "shapes")
    assert drawn.vertices.mean(axis=0) == pytest.approx([0.0, 0.0, 2.0])
    assert drawn.color == (0.1, 0.2, 0.3, 1.0)
    (hidden,) = layer(scene, "collision")
    assert hidden.color[3] < 1.0
    assert "collision" not in scene.shown
    assert "joints" not in scene.shown, "pictures are not covered by symbols"


@pytest.mark.parametrize("name", gallery.NAMES)
def test_every_mechanism_of_the_gallery_has_a_scene_of_closed_surfaces(name):
    mech = gallery.make(name)
    scene = scene_of(mech)
    assert scene.bodies == tuple(mech.bodies)
    assert {part.body for part in layer(scene, "shapes")} == set(range(len(scene.bodies)))
    for part in scene.parts:
        assert part.layer in LAYERS
        assert -1 <= part.body < len(scene.bodies)
        assert part.vertices.dtype == np.float32
        assert np.isfinite(part.vertices).all()
        assert part.faces.min() >= 0
        assert part.faces.max() < len(part.vertices)
        if part.layer in ("shapes", "joints", "frames"):
            assert volume(part.vertices, part.faces) > 0.0, part.name
    every = np.concatenate([in_world(scene, mech, part) for part in layer(scene, "shapes")])
    assert np.linalg.norm(every - scene.centre, axis=1).max() <= scene.size * (1.0 + SINGLE)


@pytest.mark.parametrize("kind", [k for k in JOINT_KINDS if k != "free"])
def test_every_kind_of_joint_has_a_symbol_at_its_place(kind):
    takes = JOINT_KINDS[kind].takes
    values = {"axis": (1.0, 0.0, 0.0), "axis2": (0.0, 0.0, 1.0), "pitch": 0.1}
    mech = bare(kind, **{name: values[name] for name in takes})
    scene = scene_of(mech)
    pieces = layer(scene, "joints")
    assert pieces
    for part in pieces:
        middle = in_world(scene, mech, part)
        assert 0.5 * (middle.min(axis=0) + middle.max(axis=0)) == pytest.approx(
            (0.0, 0.5, 0.3), abs=scene.unit
        )
    assert symbols.symbol(mech.joints["j"], 0.1)


def test_the_symbol_of_a_revolute_joint_lies_along_its_axis():
    mech = bare("revolute", axis=(0.0, 0.0, 1.0))
    scene = scene_of(mech)
    (pin,) = layer(scene, "joints")
    size = np.ptp(in_world(scene, mech, pin), axis=0)
    assert size[2] > 2.0 * size[0]
    assert size[0] == pytest.approx(size[1], rel=1e-3)


def test_a_mechanism_without_shapes_is_drawn_as_sticks_to_its_joints():
    mech = bare("spherical")
    scene = scene_of(mech)
    assert "joints" in scene.shown
    for part_of in (0, 1):
        sticks = [p for p in layer(scene, "shapes") if p.body == part_of]
        every = np.concatenate([in_world(scene, mech, part) for part in sticks])
        reach = np.linalg.norm(every - (0.0, 0.5, 0.3), axis=1).min()
        assert reach < scene.unit, "a stick comes to the joint"


def test_joints_that_a_motor_drives_have_another_colour():
    mech = bare("revolute", axis=(0.0, 0.0, 1.0))
    mech.add_joint("k", "revolute", "world", "a", at=(0, 0, 0), axis=(1, 0, 0))
    mech.add_motor("m", "k")
    free, driven = (part.color for part in layer(scene_of(mech), "joints"))
    assert free != driven


def test_colours_are_those_of_the_shape_else_of_the_body_else_of_the_cycle():
    mech = sarrus.Mechanism()
    own = sarrus.Sphere(0.1, color=(1.0, 0.0, 0.0, 0.5))
    mech.add_body("a", mass=1.0, shapes=[own, sarrus.Sphere(0.2)], color=(0.0, 1.0, 0.0))
    mech.add_body("b", mass=1.0, shapes=[sarrus.Sphere(0.1)])
    first, second, third = layer(scene_of(mech), "shapes")
    assert first.color == (1.0, 0.0, 0.0, 0.5)
    assert second.color == (0.0, 1.0, 0.0, 1.0)
    assert third.color == CYCLE[1]


def test_wires_ropes_and_springs_are_lines_between_points_of_their_bodies():
    mech = bare("revolute", axis=(0.0, 0.0, 1.0))
    mech.add_distance("wire", "world", "b", at_a=(0, 0, 2), at_b=(0.0, 1.0, 1.5))
    mech.add_rope("rope", "a", "b", at_a=(0, 0, 0), at_b=(0.0, 1.0, 0.5), length=3.0)
    mech.add_spring("spring", "a", "world", at_a=(0, 0, 0), at_b=(0, 0, 1), stiffness=1.0, rest_length=0.5)
    lines = {line.name: line for line in scene_of(mech).lines}
    assert [lines[n].kind for n in ("wire", "rope", "spring")] == ["wire", "rope", "spring"]
    assert [lines[n].length for n in ("rope", "spring")] == [3.0, 0.5]
    wire = lines["wire"]
    assert (wire.body_a, wire.body_b) == (-1, 1)
    assert wire.point_a == pytest.approx((0, 0, 2))
    turned = rotation(np.array(TURNED)) @ wire.point_b + (0.0, 1.0, 0.5)
    assert turned == pytest.approx((0.0, 1.0, 1.5))


def test_the_ground_covers_the_motion_and_faces_up():
    mech = gallery.make("box_drop")
    scene = scene_of(mech, reach=(np.array([30.0, 0.0, 0.0]), 5.0))
    (plane,) = scene.planes
    assert plane.normal == pytest.approx((0, 0, 1))
    every = np.concatenate([part.vertices for part in layer(scene, "ground")])
    assert every[:, 2] == pytest.approx(0.0)
    assert every[:, :2].min(axis=0)[1] < -5.0 < 5.0 < every[:, :2].max(axis=0)[1]
    assert every[:, 0].min() < 25.0 < 35.0 < every[:, 0].max()
    for part in layer(scene, "ground"):
        a, b, c = (part.vertices[part.faces[:, k]] for k in range(3))
        assert np.all(np.cross(b - a, c - a)[:, 2] > 0.0)


def test_a_curve_is_drawn_through_its_points():
    mech = sarrus.Mechanism()
    mech.add_body("bead", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(1.0, 0.0, 0.0))
    angle = np.linspace(0.0, 2.0 * np.pi, 33)
    ring = np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    mech.add_point_on_curve("ring", "world", "bead", at=(1.0, 0.0, 0.0), curve=ring)
    scene = scene_of(mech)
    (track,) = [part for part in layer(scene, "joints") if part.body == -1]
    distance = np.hypot(track.vertices[:, 0], track.vertices[:, 1])
    assert distance == pytest.approx(1.0, abs=0.2 * scene.unit)
    assert volume(track.vertices, track.faces) > 0.0


def test_a_mechanism_of_nothing_has_an_empty_scene_of_a_usable_size():
    scene = scene_of(sarrus.Mechanism())
    assert scene.parts == ()
    assert scene.size > 0.0


def test_an_unknown_shape_is_named_with_those_that_can_be_drawn():
    class Torus(sarrus.mechanism.Shape):
        """A shape that nobody draws."""

    with pytest.raises(sarrus.MechanismError, match=r"Torus cannot be drawn.*Sphere"):
        solids.triangles(Torus())


@pytest.mark.parametrize(("length", "step"), [(0.9, 1.0), (1.0, 1.0), (1.1, 2.0), (3.0, 5.0), (60.0, 100.0)])
def test_nice_lengths_are_one_two_or_five_times_a_power_of_ten(length, step):
    assert nice(length) == pytest.approx(step)
