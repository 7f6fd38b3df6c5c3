"""Cones: mass by the formulas of a pyramid, rest on base, side and tip."""

import numpy as np
import pytest

import sarrus
from sarrus import Cone, Sphere
from sarrus.mechanism.rotations import turn

RADIUS, LENGTH = 0.2, 0.5
LYING = 0.75 * LENGTH * RADIUS / np.hypot(RADIUS, LENGTH)
"""Height of the centre of mass of a cone that lies on its side [m]."""
STILL = 1e-6


def dropped(angle, height, **more):
    """A cone over the ground, tilted by `angle` [rad] about y."""
    mech = sarrus.Mechanism()
    mech.add_body(
        "cone", mass=1.0, position=(0.0, 0.0, height), orientation=turn((0, 1, 0), angle),
        shapes=[Cone(RADIUS, LENGTH)], **more,
    )  # fmt: skip
    mech.add_ground(0.5)
    return sarrus.simulate(sarrus.build(mech), duration=2.0, dt=0.005)


def test_the_mass_of_a_cone_is_the_limit_of_that_of_its_pyramids():
    exact = Cone(RADIUS, LENGTH, at=(1.0, 2.0, 3.0)).mass_properties()
    errors = []
    for sides in (32, 64):
        found = Cone(RADIUS, LENGTH, at=(1.0, 2.0, 3.0)).pyramid(sides).mass_properties()
        np.testing.assert_allclose(found[1], exact[1], atol=1e-12)
        moments = np.diag(found[2]) / np.diag(exact[2])
        errors.append([abs(found[0] / exact[0] - 1), abs(moments - 1).max()])
    np.testing.assert_allclose(np.divide(*errors), 4.0, rtol=0.01)  # of second order in the number of sides
    assert max(errors[1]) < 5e-3


@pytest.mark.parametrize(
    ("angle", "height", "rests"),
    [(0.0, 0.13, 0.25 * LENGTH), (np.pi / 2, 0.21, LYING), (np.pi - 0.2, 0.4, LYING)],
)
def test_a_cone_comes_to_rest_on_its_base_or_on_its_side(angle, height, rests):
    traj = dropped(angle, height)
    assert traj.position[-1, 0, 2] == pytest.approx(rests, abs=STILL)
    assert traj.gap().min() > 0.0
    energy = traj.energy()
    kinetic = np.maximum(energy.kinetic[1:], energy.kinetic[:-1])
    assert np.all(np.diff(energy.total) <= 0.01 * kinetic + (9.81 * 0.005) ** 2)  # the rule of every step


def test_a_cone_rolls_in_a_circle_about_its_tip():
    """It turns about the line on which it lies, and goes round at that rate times tan(half angle)."""
    half = np.arctan(RADIUS / LENGTH)
    rate = 2.0  # [rad/s] about the vertical through the tip
    # Its tip is at the origin, it lies along -x.
    w = np.array([-rate / np.tan(half), 0.0, 0.0])
    out = 0.75 * LENGTH * np.cos(half)
    R = sarrus.rotations.rotation(turn((0, 1, 0), np.pi / 2 + half))
    position = np.array([-out, 0.0, LYING + 1e-7])
    velocity = np.cross(w, (0.0, 0.0, LYING))
    mech = sarrus.Mechanism()
    mech.add_body(
        "cone", mass=1.0, position=position, orientation=turn((0, 1, 0), np.pi / 2 + half),
        velocity=velocity, angular_velocity=R.T @ w, shapes=[Cone(RADIUS, LENGTH)],
    )  # fmt: skip
    mech.add_ground(1.0)
    traj = sarrus.simulate(sarrus.build(mech), duration=1.0, dt=0.002)
    way = np.unwrap(np.arctan2(traj.position[:, 0, 1], -traj.position[:, 0, 0]))
    assert abs(way[-1]) == pytest.approx(rate, rel=0.01)
    np.testing.assert_allclose(np.hypot(*traj.position[:, 0, :2].T), out, rtol=0.01)


def test_a_ball_rests_on_the_tip_of_no_cone_but_beside_it():
    mech = sarrus.Mechanism()
    mech.add_obstacle("cone", Cone(RADIUS, LENGTH, at=(0.0, 0.0, 0.125)), 0.3)
    mech.add_body("ball", mass=1.0, position=(0.01, 0.0, 0.6), shapes=[Sphere(0.05)])
    mech.add_ground(0.3)
    traj = sarrus.simulate(sarrus.build(mech), duration=1.0, dt=0.005)
    assert traj.gap().min() >= -1e-6
    assert traj.position[-1, 0, 0] > RADIUS


def test_cones_are_kept_in_files_drawn_and_written_as_pyramids_for_mujoco(tmp_path):
    from sarrus.viewers.solids import triangles

    mech = sarrus.Mechanism()
    mech.add_body("cone", mass=1.0, position=(0, 0, 1), shapes=[Cone(RADIUS, LENGTH, friction=0.7)])
    mech.add_ground()
    mech.save(tmp_path / "cone.yaml")
    run = sarrus.simulate(sarrus.build(mech), duration=0.02, dt=0.01)
    run.save(tmp_path / "run.npz")
    kept = sarrus.load_trajectory(tmp_path / "run.npz").model.mechanism
    for other in (sarrus.load(tmp_path / "cone.yaml"), kept):
        (shape,) = other.bodies["cone"].shapes
        assert isinstance(shape, Cone)
        assert (shape.radius, shape.length, shape.friction) == (RADIUS, LENGTH, 0.7)
    vertices, _, _ = triangles(shape)
    np.testing.assert_allclose(np.ptp(vertices, axis=0), (0.4, 0.4, 0.5), atol=1e-3)
    with pytest.warns(sarrus.LossySave, match="pyramid of 32 sides"):
        mech.save(tmp_path / "cone.xml")
    (solid,) = sarrus.load(tmp_path / "cone.xml").bodies["cone"].shapes[-1:]
    assert len(solid.points) == 33
