"""The software rasteriser: coverage, depth, light and shadow of small pictures."""

from __future__ import annotations

import numpy as np
import pytest

import sarrus
from sarrus.mechanism.rotations import rotation
from sarrus.viewers.film import raster
from sarrus.viewers.film.camera import best_direction, framing
from sarrus.viewers.film.canvas import Canvas
from sarrus.viewers.film.pieces import tones
from sarrus.viewers.scene import scene_of

SIZE = (96, 64)
AREA_LIMIT = 0.02
"""A ball of 32 segments is smaller than the true one by 0.6 %; its outline passes through 150 pixels."""
CUBE = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
OPAQUE = np.ones(2, np.float32)


def filled(screen: list, faces: list, alphas: np.ndarray = OPAQUE, shape=(16, 16)):
    """depth and owner of triangles on the screen."""
    depth, owner = np.zeros(shape, np.float32), np.full(shape, raster.NOTHING, np.int32)
    raster.fill(np.array(screen, float), np.array(faces, np.int32), alphas, depth, owner)
    return depth, owner


def canvas_of(mechanism: sarrus.Mechanism, size=SIZE, **options) -> Canvas:
    """A canvas with the mechanism as it was placed."""
    canvas = Canvas(scene_of(mechanism), size, **options)
    bodies = mechanism.bodies.values()
    canvas.pose(np.array([b.position for b in bodies]), np.array([b.orientation for b in bodies]))
    return canvas


def one_body(shape: sarrus.Sphere | sarrus.Box, **options) -> sarrus.Mechanism:
    """A mechanism of one red body at the origin."""
    mechanism = sarrus.Mechanism(**options)
    mechanism.add_body("it", mass=1.0, inertia=(1.0, 1.0, 1.0), shapes=[shape], color=(1.0, 0.0, 0.0))
    return mechanism


def red_share(picture: np.ndarray) -> np.ndarray:
    """Where a picture (H, W, 3) shows something red."""
    colours = picture.astype(int)
    return colours[:, :, 0] - colours[:, :, 2] > 20


def test_two_triangles_of_a_rectangle_leave_no_hole_and_go_no_further():
    corners = [[2.0, 3.0, 1.0], [12.0, 3.0, 1.0], [12.0, 9.0, 1.0], [2.0, 9.0, 1.0]]
    _, owner = filled(corners, [[0, 1, 2], [0, 2, 3]])
    inside = np.zeros((16, 16), bool)
    inside[3:9, 2:12] = True
    assert np.array_equal(owner >= 0, inside)


def test_a_sample_belongs_to_a_triangle_when_its_centre_does():
    corners = np.array([[1.3, 1.1], [14.2, 4.6], [5.5, 13.8]])
    _, owner = filled(np.column_stack([corners, np.ones(3)]), [[0, 1, 2]], OPAQUE[:1])
    x, y = np.meshgrid(np.arange(16) + 0.5, np.arange(16) + 0.5)
    inside = np.ones((16, 16), bool)
    for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        inside &= (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]) >= 0.0
    assert np.array_equal(owner == 0, inside)


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_the_nearer_triangle_is_seen_whichever_comes_first(order):
    near = [[0.0, 0.0, 0.5], [16.0, 0.0, 0.5], [0.0, 16.0, 0.5]]
    far = [[0.0, 0.0, 0.25], [16.0, 0.0, 0.25], [0.0, 16.0, 0.25]]
    faces = np.array([[0, 1, 2], [3, 4, 5]])[order]
    _, owner = filled(near + far, faces)
    assert owner[2, 2] == order.index(0)


def test_depth_is_interpolated_where_triangles_pass_through_each_other():
    rising = [[0.0, 0.0, 0.1], [16.0, 0.0, 0.9], [0.0, 16.0, 0.1], [16.0, 16.0, 0.9]]
    level = [[0.0, 0.0, 0.5], [16.0, 0.0, 0.5], [0.0, 16.0, 0.5], [16.0, 16.0, 0.5]]
    faces = [[0, 1, 2], [1, 3, 2], [4, 5, 6], [5, 7, 6]]
    _, owner = filled(rising + level, faces, np.ones(4, np.float32))
    assert np.all(owner[:, :8] >= 2)
    assert np.all((owner[:, 8:] == 0) | (owner[:, 8:] == 1))


@pytest.mark.parametrize(("alpha", "taken"), [(0.0, 0.0), (0.25, 0.25), (0.5, 0.5), (0.75, 0.75), (1.0, 1.0)])
def test_a_face_that_lets_light_through_takes_that_share_of_the_samples(alpha, taken):
    corners = [[0.0, 0.0, 1.0], [40.0, 0.0, 1.0], [0.0, 40.0, 1.0]]
    _, owner = filled(corners, [[0, 1, 2]], np.array([alpha], np.float32))
    assert np.mean(owner == 0) == taken


def test_nothing_is_seen_of_what_is_behind_the_eye():
    view = framing(np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]), 0.0, 0.0, SIZE).line(2)
    world = view[: raster.RIGHT] - 0.5 * view[raster.FORWARD : raster.FORWARD + 3]
    screen = np.empty((1, 3))
    raster.project(world[None], view, screen)
    assert screen[0, 2] <= 0.0


def test_vertices_are_stretched_then_turned_then_moved():
    turn = rotation(np.array([[np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)]]))  # a quarter about z
    vertices, world = np.array([[1.0, 2.0, 3.0]], np.float32), np.empty((1, 3))
    stretch, shift = np.array([[2.0, 1.0, 1.0]]), np.array([[0.0, 0.0, 10.0]])
    raster.place(vertices, np.zeros(1, np.int32), turn, stretch, shift, world)
    assert world[0] == pytest.approx([-2.0, 2.0, 13.0])


def test_a_ball_covers_the_area_of_its_outline():
    canvas = canvas_of(one_body(sarrus.Sphere(0.5)), size=(200, 200))
    camera = framing(CUBE, 20.0, 0.0, (200, 200))
    distance = float(np.linalg.norm(camera.eye))
    half = np.arcsin(0.5 / distance)
    # The outline of a ball in perspective: a circle of this radius where the ball is near the middle.
    expected = np.pi * (camera.focal * np.tan(half)) ** 2
    assert red_share(canvas.draw(camera)).sum() == pytest.approx(expected, rel=AREA_LIMIT)


def test_the_floor_is_darker_in_the_shadow_of_a_body_and_nowhere_else():
    mechanism = sarrus.Mechanism()
    mechanism.add_body(
        "box",
        mass=1.0,
        inertia=(1.0, 1.0, 1.0),
        position=(0.0, 0.0, 1.0),
        shapes=[sarrus.Box((1.0, 1.0, 0.1))],
    )
    mechanism.add_ground()
    canvas = canvas_of(mechanism)
    camera = framing(np.array([[-1.5, -1.5, 0.0], [1.5, 1.5, 1.2]]), 0.0, 30.0, SIZE)
    lit = canvas.draw(camera)
    covered = canvas.owner.reshape(SIZE[1], 2, SIZE[0], 2).max(axis=(1, 3)) >= 0
    plain = ~covered & np.all(lit == canvas.bare, axis=2)
    dark = ~covered & np.all(lit.astype(int) < canvas.bare.astype(int) - 20, axis=2)
    assert dark.sum() > 50
    assert plain.sum() > 10 * dark.sum()


def test_a_nearer_body_hides_one_behind_it():
    mechanism = sarrus.Mechanism(gravity=(0.0, 0.0, 0.0))
    for name, x, color in (("near", 1.0, (1.0, 0.0, 0.0)), ("far", -1.0, (0.0, 0.0, 1.0))):
        mechanism.add_body(
            name, mass=1.0, inertia=(1.0, 1.0, 1.0), position=(x, 0.0, 0.0), color=color,
            shapes=[sarrus.Box((0.2, 1.0, 1.0))],
        )  # fmt: skip
    points = np.array([[-1.5, -1.0, -1.0], [1.5, 1.0, 1.0]])
    middle = (SIZE[1] // 2, SIZE[0] // 2)
    from_front = canvas_of(mechanism).draw(framing(points, 0.0, 0.0, SIZE))[middle].astype(int)
    from_behind = canvas_of(mechanism).draw(framing(points, 180.0, 0.0, SIZE))[middle].astype(int)
    assert from_front[0] > from_front[2] + 50
    assert from_behind[2] > from_behind[0] + 50


def test_wires_and_arrows_and_trails_are_drawn():
    mechanism = one_body(sarrus.Sphere(0.05), gravity=(0.0, 0.0, 0.0))
    mechanism.add_distance("wire", "world", "it", at_a=(0.0, 0.0, 1.0), at_b=(0.0, 0.0, 0.0))
    camera = framing(CUBE, 0.0, 0.0, SIZE)
    canvas = canvas_of(mechanism, arrows=2, trails=10)
    bare = canvas.draw(camera)
    column = bare[: SIZE[1] // 2, SIZE[0] // 2].astype(int)
    assert np.any(column.sum(axis=1) < 500)  # the wire above the ball, darker than the backdrop
    line = np.column_stack([np.zeros(10), np.linspace(-0.8, 0.8, 10), np.full(10, -0.7)])
    canvas.arrows(np.zeros((1, 3)), np.array([[0.0, 0.8, 0.0]]))
    drawn = canvas.draw(camera, trails=[(line, (0.0, 0.0, 1.0))])
    changed = np.any(drawn != bare, axis=2)
    right, lower = slice(SIZE[0] // 2 + 8, None), slice(SIZE[1] // 2 + 12, None)
    assert changed[SIZE[1] // 2, right].any()
    assert np.any(drawn[lower, :, 2].astype(int) > drawn[lower, :, 0].astype(int) + 100)


def test_a_ball_has_sectors_that_show_how_it_turns_and_a_box_has_none():
    ball = scene_of(one_body(sarrus.Sphere(0.5))).parts[0]
    box = scene_of(one_body(sarrus.Box((1.0, 1.0, 1.0)))).parts[0]
    assert len(np.unique(tones(ball))) == 2
    assert len(np.unique(tones(box))) == 1


@pytest.mark.parametrize(("azimuth", "elevation", "size"), [(0.0, 0.0, (160, 90)), (35.0, 25.0, (64, 128))])
def test_the_camera_sees_all_points_and_is_no_further_than_needed(azimuth, elevation, size):
    points = np.random.default_rng(1).normal(size=(50, 3)) * (1.0, 2.0, 0.5)
    screen = np.empty((50, 3))
    raster.project(points, framing(points, azimuth, elevation, size).line(1), screen)
    places = screen[:, :2] / size
    assert places.min() > 0.0
    assert places.max() < 1.0
    assert np.max(np.abs(places - 0.5)) > 0.44  # a margin of a tenth


@pytest.mark.parametrize("normal", [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.6, -0.8, 0.0)])
def test_a_planar_mechanism_is_seen_nearly_face_on(normal):
    angle = np.linspace(0.0, 2.0, 30)
    across = np.cross(normal, (0.0, 0.0, 1.0))
    path = np.cos(angle)[:, None] * across + np.sin(angle)[:, None] * np.array([0.0, 0.0, 1.0])
    positions = np.stack([path, 0.3 * path[::-1] + across], axis=1)
    azimuth, elevation = np.deg2rad(best_direction(positions, positions.reshape(-1, 3)))
    towards = np.array(
        [np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)]
    )
    assert abs(towards @ normal) > np.cos(np.deg2rad(25.0))
