"""Boxes with round edges: mass, rest on the ground and on each other, rolling over an edge."""

import numpy as np
import pytest

import sarrus
from sarrus import Box, ConvexMesh, MechanismError, Sphere
from sarrus.mechanism.rotations import turn
from sarrus.viewers.solids import triangles

SIZE, ROUNDING = (0.3, 0.2, 0.16), 0.03
TESSELLATED = 0.01
"""Part by which the drawn surface, a hull of balls of 20 segments, is smaller than the true one."""
STILL = 1e-6
DEEPEST = -1e-6


def gains_nothing(traj):
    """Whether every step keeps the rule for energies."""
    energy, mass = traj.energy(), traj.model.masses.sum()
    kinetic = np.maximum(energy.kinetic[1:], energy.kinetic[:-1])
    return np.all(np.diff(energy.total) <= 0.01 * kinetic + mass * (9.81 * traj.dt) ** 2)


def test_the_mass_is_that_of_the_surface_that_is_drawn():
    box = Box(SIZE, rounding=ROUNDING)
    vertices, _, _ = triangles(box)
    np.testing.assert_allclose(np.ptp(vertices, axis=0), SIZE, rtol=TESSELLATED)
    drawn, exact = ConvexMesh(vertices).mass_properties(), box.mass_properties()
    assert drawn[0] == pytest.approx(exact[0], rel=TESSELLATED)
    np.testing.assert_allclose(np.diag(drawn[2]), np.diag(exact[2]), rtol=TESSELLATED)
    sharp, hardly = Box(SIZE).mass_properties(), Box(SIZE, rounding=1e-9).mass_properties()
    np.testing.assert_allclose(np.diag(hardly[2]), np.diag(sharp[2]), rtol=1e-12)


def test_the_volume_is_that_of_steiners_formula():
    box = Box((1.0, 0.9, 0.8), rounding=0.3)
    a, b, c = box.core
    steiner = (
        4 / 3 * np.pi * 0.3**3 + 2 * 0.3 * (a * b + b * c + c * a) + np.pi * 0.3**2 * (a + b + c) + a * b * c
    )
    assert box.mass_properties()[0] == pytest.approx(steiner, rel=1e-12)


def test_a_rounding_that_leaves_no_box_is_refused():
    with pytest.raises(MechanismError, match=r"rounding must be at most 0.45 of the shortest edge, 0.072 m"):
        Box(SIZE, rounding=0.08)
    with pytest.raises(MechanismError, match=r"rounding must be zero or positive"):
        Box(SIZE, rounding=-0.01)


def stack(n, **more):
    """Rounded boxes on each other, on the ground."""
    mech = sarrus.Mechanism()
    for k in range(n):
        mech.add_body(
            f"box {k}", density=1000.0, position=(0.0, 0.0, (k + 0.5) * SIZE[2] + (k + 1) * 1e-6),
            shapes=[Box(SIZE, rounding=ROUNDING)], **more,
        )  # fmt: skip
    mech.add_ground(0.5)
    if n > 1:
        mech.add_contact_group(friction=0.5)
    return mech


def test_rounded_boxes_rest_on_each_other_at_their_full_height():
    traj = sarrus.simulate(sarrus.build(stack(4)), duration=1.0, dt=0.01)
    np.testing.assert_allclose(traj.position[-1, :, 2], (np.arange(4) + 0.5) * SIZE[2], atol=STILL)
    assert np.abs(traj.position[-1, :, :2]).max() < STILL
    assert traj.gap().min() >= DEEPEST
    weight = 1000.0 * 9.81 * Box(SIZE, rounding=ROUNDING).mass_properties()[0]
    assert traj.contact_force("box 3")[-1, 2] == pytest.approx(weight, rel=1e-4)


def test_a_rounded_box_rolls_over_its_edge_without_losing_contact_or_gaining_energy():
    """Its centre is as high above the ground as the core's lowest corner says, grown by the radius."""
    tilt = 0.4
    R = sarrus.rotations.rotation(turn((0, 1, 0), tilt))
    core = 0.5 * (np.array(SIZE) - 2 * ROUNDING)
    low = np.abs(R[2] * core).sum() + ROUNDING
    mech = sarrus.Mechanism()
    mech.add_body(
        "box", density=1000.0, position=(0.0, 0.0, low + 1e-6), orientation=turn((0, 1, 0), tilt),
        shapes=[Box(SIZE, rounding=ROUNDING)],
    )  # fmt: skip
    mech.add_ground(0.8)
    traj = sarrus.simulate(sarrus.build(mech), duration=0.1, dt=0.002)
    turned = sarrus.rotations.rotation(traj.orientation[:, 0])
    expected = np.abs(turned[:, 2] * core).sum(axis=1) + ROUNDING
    np.testing.assert_allclose(traj.position[:, 0, 2], expected, atol=2e-6)
    assert np.abs(np.diff(traj.orientation[:, 0], axis=0)).max() > 1e-4
    assert gains_nothing(traj)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_rounded_and_sharp_boxes_and_balls_fall_on_a_heap(seed):
    rng = np.random.default_rng(seed)
    shapes = [Box(SIZE, rounding=ROUNDING), Box(SIZE), Sphere(0.08), Box((0.2, 0.2, 0.2), rounding=0.08)]
    mech = sarrus.Mechanism()
    for k in range(8):
        q = rng.normal(size=4)
        mech.add_body(
            f"body {k}", density=1000.0, position=(*rng.uniform(-0.1, 0.1, 2), 0.3 + 0.4 * k),
            orientation=q / np.linalg.norm(q), shapes=[shapes[k % 4]],
        )  # fmt: skip
    mech.add_ground(0.5)
    mech.add_contact_group(friction=0.5)
    traj = sarrus.simulate(sarrus.build(mech), duration=1.5, dt=0.005)
    assert traj.gap().min() >= DEEPEST
    assert gains_nothing(traj)


def test_mujoco_gets_sharp_edges_and_a_word(tmp_path):
    with pytest.warns(sarrus.LossySave, match="rounding of 'box 0 0'"):
        stack(1).save(tmp_path / "box.xml")
    stack(1).save(tmp_path / "box.yaml")
    (shape,) = sarrus.load(tmp_path / "box.yaml").bodies["box 0"].shapes
    assert shape.rounding == ROUNDING
