"""Bodies on uneven ground: a flat field is a half-space, a tilted one a slope, seams are not felt."""

import numpy as np
import pytest

import sarrus
from sarrus import Box, Capsule, ConvexMesh, Cylinder, HeightField, Sphere

SEAMLESS = 1e-5  # [m]: what the edges between coplanar cells may do to a slide of 0.5 s
DEEPEST = -1e-6
LYING = (np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0)
OCTAHEDRON = 0.12 * np.vstack([np.eye(3), -np.eye(3)])
SHAPES = {
    "sphere": Sphere(0.1),
    "capsule": Capsule(0.06, 0.2),
    "box": Box((0.2, 0.15, 0.1)),
    "cylinder": Cylinder(0.1, 0.12),
    "mesh": ConvexMesh(OCTAHEDRON),
}


def run(obstacle, shape, position, velocity, duration, dt=0.01, friction=0.2, orientation=(1, 0, 0, 0)):
    """A body that is thrown over an obstacle, None: the ground."""
    mech = sarrus.Mechanism()
    mech.add_body(
        "body", mass=1.0, position=position, velocity=velocity, orientation=orientation, shapes=[shape]
    )
    if obstacle is None:
        mech.add_ground(friction)
    else:
        mech.add_obstacle("field", obstacle, friction)
    return sarrus.simulate(sarrus.build(mech), duration=duration, dt=dt)


@pytest.mark.parametrize("speed", [1.0, 6.0])
@pytest.mark.parametrize("shape", [Sphere(0.1), Box((0.2, 0.2, 0.2)), Cylinder(0.1, 0.2)], ids=str)
def test_a_flat_field_is_the_ground_whatever_edges_a_body_crosses(shape, speed):
    field = HeightField(np.zeros((41, 21)), (10.1, 5.03), at=(0.013, 0.007, 0.0))
    start = ((-1.7, 0.0, 0.1 + 1e-6), (speed, 0.3, 0.0), 0.5)
    over, flat = (run(obstacle, shape, *start) for obstacle in (field, None))
    np.testing.assert_allclose(over.position, flat.position, atol=SEAMLESS)
    assert over.gap().min() >= DEEPEST


@pytest.mark.parametrize("friction", [0.2, 0.4])
def test_a_tilted_field_is_a_slope(friction):
    """A box on a slope of 0.3: where friction exceeds that, it stays; else it slides by the formula."""
    slope = 0.3
    x = np.linspace(-2.0, 2.0, 17)
    field = HeightField(np.tile(-slope * x[:, None], (1, 9)), (4.0, 2.0))
    angle = np.arctan(slope)
    turned = (np.cos(angle / 2), 0.0, np.sin(angle / 2), 0.0)
    height = (0.05 + 1e-6) / np.cos(angle)
    traj = run(field, Box((0.2, 0.2, 0.1)), (0.0, 0.0, height), (0.0, 0.0, 0.0), 0.5, 0.01, friction, turned)
    way = np.linalg.norm(traj.position[-1, 0] - traj.position[0, 0])
    fall = 9.81 * (np.sin(angle) - friction * np.cos(angle))
    expected = 0.5 * max(0.0, fall) * 0.5**2
    assert way == pytest.approx(expected, rel=0.02, abs=2e-5)


@pytest.mark.parametrize("name", SHAPES)
def test_bodies_come_to_rest_on_hills_without_entering_them_or_gaining_energy(name):
    hills = 0.15 * np.random.default_rng(1).random((31, 31))
    traj = run(
        HeightField(hills, (6.0, 6.0)), SHAPES[name], (-1.5, 0.0, 0.6), (2.0, 0.3, 0.0), 2.0, 0.01, 0.5
    )
    energy = traj.energy()
    kinetic = np.maximum(energy.kinetic[1:], energy.kinetic[:-1])
    assert traj.gap().min() >= DEEPEST
    assert np.all(np.diff(energy.total) <= 0.01 * kinetic + (9.81 * 0.01) ** 2)  # the rule of every step
    assert energy.kinetic[-1] < 0.1 * energy.kinetic.max()


def test_a_capsule_spans_a_ditch():
    """It lies on the two rims, and its middle hangs over the ditch."""
    heights = np.zeros((5, 3))
    heights[2] = -0.5
    traj = run(
        HeightField(heights, (0.4, 1.0)), Capsule(0.05, 0.5), (0.0, 0.0, 0.0501), (0, 0, 0), 0.5,
        orientation=LYING,
    )  # fmt: skip
    assert traj.position[-1, 0, 2] == pytest.approx(0.05, abs=1e-6)
    assert np.abs(traj.position[-1] - traj.position[-11]).max() < 1e-6  # in a tenth of a second
    # The contacts still lift it by a micrometre per second, in half a step to the last node.
    assert traj.contact_force("body")[-1, 2] == pytest.approx(9.81, rel=1e-4)


def test_the_smallest_gap_is_that_of_all_pairs():
    model = sarrus.build(sarrus.gallery.heap(n=12, seed=3))
    traj = sarrus.simulate(model, duration=0.4, dt=0.01, allow_overlap=True)
    pairs = model.near_pairs
    every = np.arange(len(model.contacts.pairs))
    found = pairs.distance(traj.position, traj.orientation)
    for t in (0, 10, 25, 40):
        smallest = pairs.detector.distance(every, *pairs.poses(traj.position[t], traj.orientation[t])).min()
        assert found[t] == smallest
