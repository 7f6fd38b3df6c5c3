"""Geoms of MJCF files: shapes, colours, and who meets whom."""

import struct
import zlib

import mujoco
import numpy as np
import pytest
from tests.unit.importers.mjcf_texts import body, document, loaded, reasons

import sarrus
from sarrus import Box, Capsule, ConvexMesh, Cylinder, HalfSpace, Mesh, Sphere
from sarrus.importers.hulls import CORNERS, thinned_hull
from sarrus.mechanism.contacts import pair_of

FREE = "<freejoint/>"
FLOOR = '<geom name="floor" type="plane" size="0 0 1" pos="0 0 -5"/>'


def geom(kind: str, size: str, more: str = "") -> str:
    return f'<geom type="{kind}" size="{size}" {more}/>'


def falling(*geoms: str, name: str = "a", at: str = "0 0 0") -> str:
    return body(name, FREE, geom="".join(geoms), at=at)


def test_sizes_are_whole_lengths_here_and_halves_there(tmp_path):
    shapes = (
        loaded(
            tmp_path,
            document(
                falling(
                    geom("sphere", "0.1"),
                    geom("capsule", "0.1 0.2"),
                    geom("cylinder", "0.1 0.3"),
                    geom("box", "1 2 3"),
                )
            ),
        )
        .bodies["a"]
        .shapes
    )
    sphere, capsule, cylinder, box = shapes
    assert isinstance(sphere, Sphere)
    assert sphere.radius == 0.1
    assert isinstance(capsule, Capsule)
    assert capsule.length == 0.4
    assert isinstance(cylinder, Cylinder)
    assert cylinder.length == 0.6
    assert isinstance(box, Box)
    np.testing.assert_allclose(box.size, [2, 4, 6])


def test_shapes_stand_where_the_geoms_stood(tmp_path):
    heavy = geom("sphere", "0.1", 'mass="3" pos="0 0 0"')
    light = geom("box", "0.1 0.1 0.1", 'mass="1" pos="4 0 0" euler="0 0 90"')
    mech = loaded(tmp_path, document(falling(heavy, light)))
    np.testing.assert_allclose(mech.bodies["a"].position, [1, 0, 0], atol=1e-12)
    first, second = mech.bodies["a"].shapes
    np.testing.assert_allclose(first.at, [-1, 0, 0], atol=1e-12)
    np.testing.assert_allclose(second.at, [3, 0, 0], atol=1e-12)
    np.testing.assert_allclose(np.abs(second.orientation), [np.sqrt(0.5), 0, 0, np.sqrt(0.5)], atol=1e-12)


def test_only_geoms_with_bits_collide(tmp_path):
    drawn = geom("sphere", "0.2", 'contype="0" conaffinity="0"')
    shapes = loaded(tmp_path, document(falling(geom("sphere", "0.1"), drawn))).bodies["a"].shapes
    assert [shape.collide for shape in shapes] == [True, False]


def test_a_plane_is_ground_with_its_friction(tmp_path):
    floor = '<geom name="floor" type="plane" size="1 1 1" pos="0 0 -2" euler="0 90 0" friction="0.3"/>'
    mech = loaded(tmp_path, document(floor + falling(geom("sphere", "0.1", 'friction="0.2"'))))
    ground = mech.obstacles["floor"]
    assert isinstance(ground.shape, HalfSpace)
    assert (ground.friction, ground.shape.friction) == (0.3, 0.3)
    assert mech.bodies["a"].shapes[0].friction == 0.2
    np.testing.assert_allclose(ground.shape.at, [0, 0, -2])


def test_bodies_meet_by_their_bits_and_parents_do_not_meet_their_children(tmp_path):
    inner = body("b", '<joint axis="1 0 0"/>', body("c", '<joint axis="1 0 0"/>', at="0 0 1"), at="0 0 1")
    other = body("d", FREE, geom=geom("sphere", "0.1", 'contype="2" conaffinity="2"'), at="5 0 0")
    mech = loaded(tmp_path, document(FLOOR + body("a", FREE, inner) + other))
    assert set(mech.contacts) == {pair_of("a", "c")}
    assert mech.exclusions == {frozenset(("d", "floor"))}


def test_excluded_pairs_do_not_meet_and_listed_pairs_do(tmp_path):
    silent = geom("sphere", "0.1", 'name="s" contype="0" conaffinity="0"')
    world = falling(geom("sphere", "0.1", 'name="t"')) + falling(silent, name="b", at="3 0 0")
    world += falling(geom("sphere", "0.1"), name="c", at="6 0 0")
    more = '<contact><exclude body1="a" body2="c"/><pair geom1="t" geom2="s" friction="0.7"/></contact>'
    mech = loaded(tmp_path, document(world, more))
    assert set(mech.contacts) == {pair_of("a", "b")}
    assert mech.bodies["b"].shapes[0].collide


def test_bodies_of_which_only_some_geoms_meet_are_noted(tmp_path):
    mixed = falling(geom("sphere", "0.1"), geom("sphere", "0.1", 'contype="2" conaffinity="2" pos="1 0 0"'))
    mech = loaded(tmp_path, document(mixed + falling(geom("sphere", "0.1"), name="b", at="3 0 0")))
    assert pair_of("a", "b") in mech.contacts
    assert any("only some" in why for why in reasons(mech, "contact", changed=True))


def test_self_contact_leaves_only_fixed_things_to_meet(tmp_path):
    text = document(
        FLOOR + falling(geom("sphere", "0.1")) + falling(geom("sphere", "0.1"), name="b", at="3 0 0")
    )
    assert loaded(tmp_path, text).contacts
    alone = loaded(tmp_path, text, self_contact=False)
    assert not alone.contacts
    assert list(alone.obstacles) == ["floor"]


def test_frictionless_geoms_take_the_friction_of_what_they_meet(tmp_path):
    smooth = geom("sphere", "0.1", 'condim="1"')
    mech = loaded(tmp_path, document(falling(smooth) + falling(smooth, name="b", at="3 0 0")))
    assert mech.bodies["a"].shapes[0].friction is None
    assert mech.contacts[pair_of("a", "b")].friction == 0.0


def rub(mech, body: str, obstacle: str = "floor") -> float:
    """The friction of the first shape of a body on an obstacle, as a run has it."""
    model = sarrus.build(mech)
    return next(line.friction for line in model.contacts.fixed if f"{body} on {obstacle}" in line.name)


def test_the_friction_of_the_higher_priority_counts(tmp_path):
    foot = falling(geom("sphere", "0.1", 'priority="1" friction="0.2"'), name="foot", at="3 0 0")
    hand = falling(geom("sphere", "0.1", 'friction="0.4"'), name="hand")
    knee = falling(geom("sphere", "0.1", 'friction="1.5"'), name="knee", at="6 0 0")
    mech = loaded(tmp_path, document(FLOOR + foot + hand + knee), self_contact=False)  # the floor has 1
    assert [rub(mech, name) for name in ("foot", "hand", "knee")] == [0.2, 1.0, 1.5]
    assert not any("friction" in why for why in reasons(mech, "contact", changed=True))


def test_friction_that_no_shape_can_have_is_noted(tmp_path):
    foot = falling(geom("sphere", "0.1", 'priority="1" friction="0.2"'), name="foot", at="3 0 0")
    hand = falling(geom("sphere", "0.1", 'friction="0.4"'), name="hand")
    mech = loaded(tmp_path, document(foot + hand))  # here 0.4, in MuJoCo 0.2
    assert any("friction" in why for why in reasons(mech, "contact", changed=True))


def test_rolling_friction_and_margins_are_listed(tmp_path):
    mech = loaded(tmp_path, document(falling(geom("sphere", "0.1", 'condim="6" margin="0.01"'))))
    assert len(reasons(mech, "geom")) == 2


def test_a_file_without_contact_has_none(tmp_path):
    option = '<option><flag contact="disable"/></option>'
    mech = loaded(tmp_path, document(FLOOR + falling(geom("sphere", "0.1")), option=option))
    assert not mech.obstacles
    assert reasons(mech, "option")


def test_an_ellipsoid_that_touches_is_a_polyhedron_about_it_and_one_that_does_not_is_drawn(tmp_path):
    axes = np.array([0.1, 0.2, 0.3])
    touching = geom("ellipsoid", "0.1 0.2 0.3")
    drawn = geom("ellipsoid", "0.1 0.2 0.3", 'contype="0" conaffinity="0"')
    mech = loaded(tmp_path, document(falling(touching, drawn)))
    solid, surface = mech.bodies["a"].shapes
    assert isinstance(solid, ConvexMesh)
    assert isinstance(surface, Mesh)
    corners = np.linalg.norm(solid.points / axes, axis=1)
    assert corners.max() <= 1.04
    assert corners.min() >= 1.0
    np.testing.assert_allclose(np.linalg.norm(surface.vertices / axes, axis=1), 1.0)
    assert any("polyhedron" in why for why in reasons(mech, "geom", changed=True))


TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


@pytest.mark.parametrize(("bits", "kinds"), [("1", [Mesh, ConvexMesh]), ("0", [Mesh])])
def test_a_mesh_is_drawn_and_its_hull_touches(tmp_path, bits, kinds):
    (tmp_path / "part.obj").write_text(TETRAHEDRON)
    asset = '<asset><mesh name="part" file="part.obj" scale="2 2 2"/></asset>'
    mesh = f'<geom type="mesh" mesh="part" contype="{bits}" conaffinity="{bits}"/>'
    mech = loaded(tmp_path, document(falling(mesh), option=asset))
    part = mech.bodies["a"]
    assert [type(shape) for shape in part.shapes] == kinds
    # The compiler moves a mesh to its centre of mass: corners are back where the file has them.
    for shape in part.shapes:
        points = shape.vertices if isinstance(shape, Mesh) else shape.points
        turn = np.eye(3) if np.allclose(shape.orientation, [1, 0, 0, 0]) else rotation(shape.orientation)
        corners = part.position + shape.at + points @ turn.T
        expected = np.array([[0, 0, 0], [2, 0, 0], [0, 2, 0], [0, 0, 2]])
        distance = np.linalg.norm(corners[:, None] - expected[None], axis=2)
        assert distance.min(axis=0).max() < 1e-6  # vertices are single precision in MuJoCo
    assert part.mass == pytest.approx(1000 * 8 / 6, rel=1e-6)


def test_a_hull_of_many_corners_is_thinned_and_says_by_how_much():
    rng = np.random.default_rng(1)
    points = rng.normal(size=(2000, 3))
    points *= [0.1, 0.2, 0.3] / np.linalg.norm(points, axis=1)[:, None]
    corners, missed = thinned_hull(points)
    assert 50 < len(corners) <= CORNERS
    assert 0.0 < missed < 0.01  # of an ellipsoid of 0.3 m
    few, none = thinned_hull(points[:60])
    assert (len(few), none) == (60, 0.0)


def rotation(q):
    from sarrus.mechanism.rotations import rotation

    return rotation(q)


def test_colours_are_those_of_the_geom_or_its_material(tmp_path):
    asset = '<asset><material name="red" rgba="1 0 0 0.5"/></asset>'
    own = geom("sphere", "0.1", 'rgba="0 0 1 1" material="red"')
    theirs = geom("sphere", "0.1", 'material="red"')
    mech = loaded(tmp_path, document(falling(own, theirs, geom("sphere", "0.1")), option=asset))
    assert [shape.color for shape in mech.bodies["a"].shapes] == [(0, 0, 1, 1), (1, 0, 0, 0.5), None]


def picture(rows: list[list[tuple[int, int, int]]]) -> bytes:
    """A PNG file with these rows of red, green, blue."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 2, 0, 0, 0)
    pixels = b"".join(b"\0" + bytes(x for pixel in row for x in pixel) for row in rows)
    parts = (b"IHDR", header), (b"IDAT", zlib.compress(pixels)), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*part) for part in parts)


def test_a_texture_of_few_colours_divides_a_mesh_by_them(tmp_path):
    corners = "vt 0.25 0.25\nvt 0.75 0.25\n"
    faces = "f 1/1 3/1 2/1\nf 1/1 2/1 4/1\nf 1/2 4/2 3/2\nf 2/2 3/2 4/2\n"
    (tmp_path / "part.obj").write_text(TETRAHEDRON.partition("f")[0] + corners + faces)
    (tmp_path / "palette.png").write_bytes(picture([[(255, 0, 0), (0, 255, 0)]] * 2))
    asset = (
        '<asset><mesh name="part" file="part.obj"/><texture name="t" type="2d" file="palette.png"/>'
        '<material name="m" texture="t"/></asset>'
    )
    mech = loaded(tmp_path, document(falling('<geom type="mesh" mesh="part" material="m"/>'), option=asset))
    drawn = [shape for shape in mech.bodies["a"].shapes if isinstance(shape, Mesh)]
    assert {shape.color for shape in drawn} == {(1, 0, 0, 1), (0, 1, 0, 1)}
    assert [len(shape.faces) for shape in drawn] == [2, 2]


def test_what_is_fixed_and_only_drawn_is_listed(tmp_path):
    picture = '<geom name="wall" type="box" size="1 1 1" contype="0" conaffinity="0"/>'
    mech = loaded(tmp_path, document(picture + falling(geom("sphere", "0.1"))))
    assert not mech.obstacles
    assert any(why.startswith("wall") for why in reasons(mech, "geom"))


def test_height_fields_in_the_world_are_obstacles_and_others_are_listed(tmp_path):
    asset = '<asset><hfield name="h" nrow="2" ncol="3" size="2 1 0.5 0.1" elevation="0 1 2 2 4 4"/></asset>'
    field = '<geom name="hills" type="hfield" hfield="h" pos="1 2 3" friction="0.7"/>'
    mech = loaded(tmp_path, document(field + falling(geom("sphere", "0.1")), option=asset))
    shape = mech.obstacles["hills"].shape
    # In the file rows go along x, from the highest y down.
    np.testing.assert_allclose(shape.heights, 0.5 * np.array([[2, 0], [4, 1], [4, 2]]) / 4)
    np.testing.assert_allclose(shape.at, (1.0, 2.0, 3.0))
    assert (tuple(shape.size), shape.depth) == ((4.0, 2.0), 0.1)
    there = mujoco.MjModel.from_xml_string(document(field, option=asset))
    data = mujoco.MjData(there)
    mujoco.mj_forward(there, data)
    for x, y, z in shape.points.reshape(-1, 3) * (0.999, 0.999, 1.0):
        start, hit = np.array([1.0 + x, 2.0 + y, 10.0]), np.zeros(1, np.int32)
        way = mujoco.mj_ray(there, data, start, np.array([0.0, 0.0, -1.0]), None, 1, -1, hit)
        assert 10.0 - way - 3.0 == pytest.approx(z, abs=2e-3)  # a thousandth of the field beside the point
    assert mech.obstacles["hills"].friction == 0.7
    moving = falling(geom("sphere", "0.1") + '<geom type="hfield" hfield="h"/>')
    assert any(
        "height fields" in why for why in reasons(loaded(tmp_path, document(moving, option=asset)), "geom")
    )


ARM = body(
    "base",
    geom='<geom name="pedestal" type="cylinder" size="0.04 0.2" mass="1"/>',
    inside=body(
        "shoulder",
        '<joint name="yaw" axis="0 0 1"/>',
        at="0 0 0.22",
        geom='<geom type="cylinder" size="0.08 0.05" mass="1"/>',
        inside=body(
            "elbow",
            '<joint name="pitch" axis="0 1 0"/>',
            at="0 0 0.1",
            inside=body("hand", '<joint name="roll" axis="1 0 0"/>', at="0.15 0 -0.12"),
        ),
    ),
)


def overlapping(mech):
    return {why.partition(":")[0] for why in reasons(mech, "contact", changed=True) if "overlap in" in why}


def test_parts_of_a_robot_that_overlap_wherever_the_file_puts_it_never_meet(tmp_path):
    """The shoulder reaches into the fixed base, the hand into the shoulder that two joints part from it."""
    ball = body("ball", "<freejoint/>", at="0.1 0 0.35")
    mech = loaded(tmp_path, document(ARM + ball))
    assert overlapping(mech) == {"shoulder - pedestal", "hand - shoulder"}
    assert frozenset(("shoulder", "pedestal")) in mech.exclusions
    # The free ball is no part of the robot: it is not excluded, but pushed apart or refused.
    assert pair_of("ball", "elbow") in mech.contacts


def test_a_cart_never_meets_the_rails_that_it_rides_on(tmp_path):
    rails = '<geom name="rail" type="capsule" size=".02 2" pos="0 .07 1" zaxis="1 0 0"/>'
    floor = '<geom name="floor" type="plane" size="4 4 1" pos="0 0 .95"/>'
    cart = '<body name="cart" pos="0 0 1">{}<geom type="box" size=".2 .15 .1"/></body>'
    slider = '<joint name="slider" type="slide" axis="1 0 0"/>'
    mech = loaded(tmp_path, document(rails + cart.format(slider)))
    assert overlapping(mech) == {"cart - rail"}
    # A free box is to be pushed off, and the floor is no guide.
    assert not overlapping(loaded(tmp_path, document(rails + cart.format("<freejoint/>"))))
    assert not overlapping(loaded(tmp_path, document(floor + cart.format(slider))))


def test_parts_that_a_keyframe_holds_apart_meet(tmp_path):
    keys = '<keyframe><key name="home" qpos="0 3.14159 0"/></keyframe>'
    mech = loaded(tmp_path, document(ARM, keys))
    assert overlapping(mech) == {"shoulder - pedestal"}
    assert pair_of("hand", "shoulder") in mech.contacts
