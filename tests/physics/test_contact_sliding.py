"""Blocks, discs and balls that slide, stick, spin and begin to roll, against closed forms."""

import numpy as np
import pytest
from tests.physics.contact_scenes import G, X, Y, Z, ball, brick, gaps, lean
from tests.physics.scenes import ratios, turn

import sarrus
from sarrus.mechanism.shapes import Cylinder

MU = 0.5
# Gap of a body that starts at rest on the ground [m]; less than it falls in a step.
TOUCH = 1e-9
DIRECTIONS = [0.0, 0.3, np.pi / 4, 1.2, 2.5, -2.0]
# Creep of a sticking contact: the barrier leaves about 1e-6 m/s at a tenth of a degree below the limit.
CREEP = 1e-4


def slide(speed, direction, dt, duration=0.6, mu=MU):
    velocity = speed * np.array([np.cos(direction), np.sin(direction), 0.0])
    mechanism = brick(position=(0, 0, 0.05 + TOUCH), velocity=velocity)
    mechanism.add_ground(mu)
    return sarrus.simulate(sarrus.build(mechanism), duration=duration, dt=dt)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_a_sliding_block_stops_where_coulomb_says_in_every_direction(direction):
    run = slide(2.0, direction, 0.01)
    way = run.position[-1, 0, :2]
    assert np.linalg.norm(way) == pytest.approx(2.0**2 / (2 * MU * G), rel=1e-4)
    off = way @ [-np.sin(direction), np.cos(direction)]
    assert abs(off) < 1e-9
    assert np.abs(run.orientation[-1, 0, 1:]).max() < 1e-9
    assert gaps(run).min() > 0.0
    # A block that has stopped stays where it is.
    stopped = run.position[run.time > 0.45]
    assert np.ptp(stopped[:, 0, :2], axis=0).max() < 1e-8


@pytest.mark.parametrize("part", [0.1, 0.3, 0.5, 0.77, 0.95])
@pytest.mark.parametrize("dt", [0.02, 0.01, 0.005])
def test_the_stopping_distance_is_of_order_2(part, dt):
    # Before the last step positions are exact.  A block that would stop after a part f of it moves on by
    # max(f - 1/2, 0) in the place of f^2/2, in units of mu g dt^2: at most 1/8 short.
    speed = MU * G * dt * (8 + part)
    run = slide(speed, 0.3, dt, duration=15 * dt)
    short = speed**2 / (2 * MU * G) - np.linalg.norm(run.position[-1, 0, :2])
    unit = MU * G * dt**2
    assert short / unit == pytest.approx(part**2 / 2 - max(part - 0.5, 0.0), abs=2e-3)


@pytest.mark.parametrize("axis", [Y, X, np.array([0.6, 0.8, 0.0])])
@pytest.mark.parametrize("degrees", [20.0, 26.0, 26.5, 27.0, 30.0])
def test_a_block_on_an_incline_sticks_below_the_friction_angle_and_slides_above(axis, degrees):
    # The friction angle is atan(0.5) = 26.57 degrees.
    angle = np.radians(degrees)
    q, R = lean(axis, angle)
    mechanism = brick(position=R @ [0, 0, 0.05 + TOUCH], orientation=q)
    mechanism.add_ground(MU, normal=R @ Z)
    run = sarrus.simulate(sarrus.build(mechanism), duration=0.5, dt=0.01)
    way = np.linalg.norm(run.position[-1, 0] - run.position[0, 0])
    acceleration = G * (np.sin(angle) - MU * np.cos(angle))
    if acceleration < 0.0:
        assert way < CREEP
    else:
        assert way == pytest.approx(0.5 * acceleration * 0.5**2, rel=5e-3)
    assert gaps(run, R @ Z).min() > 0.0


def test_a_block_spun_about_the_vertical_comes_to_rest_as_four_corners_do():
    mass, size, rate = 1.0, np.array([0.4, 0.4, 0.1]), 5.0
    mechanism = brick(size, mass, position=(0, 0, 0.05 + TOUCH), angular_velocity=(0, 0, rate))
    mechanism.add_ground(0.3)
    inertia, arm = mass * (size[0] ** 2 + size[1] ** 2) / 12, 0.5 * np.hypot(*size[:2])
    slowing = 0.3 * mass * G * arm / inertia
    run = sarrus.simulate(sarrus.build(mechanism), duration=0.4, dt=0.002)
    expected = np.maximum(rate - slowing * run.time, 0.0)
    # The turn within a step tilts the friction by half of it: 1e-5, and the barrier.
    assert np.abs(run.angular_velocity[:, 0, 2] - expected).max() < 1e-3 * rate
    assert np.abs(run.position[:, 0, :2]).max() < 1e-8


def test_a_disc_spun_on_its_face_slows_between_uniform_pressure_and_a_ring():
    radius, rate, mu = 0.2, 8.0, 0.4
    mechanism = sarrus.Mechanism()
    mechanism.add_body(
        "disc", 1.0, position=(0, 0, 0.025 + TOUCH), shapes=[Cylinder(radius, 0.05)],
        angular_velocity=(0, 0, rate),
    )  # fmt: skip
    mechanism.add_ground(mu)
    run = sarrus.simulate(sarrus.build(mechanism), duration=0.1, dt=0.005)
    slowing = (rate - run.angular_velocity[-1, 0, 2]) / 0.1
    ring = mu * 1.0 * G * radius / (0.5 * 1.0 * radius**2)
    assert 2 / 3 * ring < slowing <= ring * (1 + 1e-6)
    assert np.abs(run.position[-1, 0, :2]).max() < 1e-8
    assert np.abs(run.orientation[-1, 0, 1:3]).max() < 1e-8


@pytest.mark.parametrize(("inertia", "kept"), [(0.4, 5 / 7), (2 / 3, 3 / 5), (0.5, 2 / 3)])
def test_a_sliding_ball_ends_rolling_with_the_speed_that_angular_momentum_leaves(inertia, kept):
    radius, mass, speed = 0.1, 1.0, 2.0
    mechanism = ball(
        radius, mass, inertia * mass * radius**2 * np.ones(3), position=(0, 0, radius + TOUCH),
        velocity=(speed, 0, 0),
    )  # fmt: skip
    mechanism.add_ground(0.3)
    run = sarrus.simulate(sarrus.build(mechanism), duration=1.0, dt=0.01)
    assert run.velocity[-1, 0, 0] == pytest.approx(kept * speed, rel=1e-6)
    assert run.angular_velocity[-1, 0, 1] * radius == pytest.approx(kept * speed, rel=1e-6)
    # Until it rolls, friction is mu m g.
    slides = run.time < 0.8 * (1 - kept) * speed / (0.3 * G)
    assert np.abs(run.velocity[slides, 0, 0] - (speed - 0.3 * G * run.time[slides])).max() < 1e-5


def test_a_ball_that_rolls_down_an_incline_gains_five_sevenths():
    angle = 0.3
    q, R = lean(Y, angle)
    mechanism = ball(position=R @ [0, 0, 0.1 + TOUCH], orientation=q)
    mechanism.add_ground(0.5, normal=R @ Z)
    exact = 0.5 * 5 / 7 * G * np.sin(angle)

    def error(dt):
        run = sarrus.simulate(sarrus.build(mechanism), duration=1.0, dt=dt)
        return np.linalg.norm(run.position[-1, 0] - run.position[0, 0]) - exact

    # It turns by 20 rad/s at the end: the discrete rotation differs from it by (w dt)^2 / 24.
    assert error(0.01) < 1e-3 * exact
    assert ratios(error, 0.01)[0] == pytest.approx(4.0, abs=0.2)


def test_backspin_returns_a_ball():
    mechanism = ball(position=(0, 0, 0.1 + TOUCH), velocity=(1, 0, 0), angular_velocity=(0, -50, 0))
    mechanism.add_ground(0.4)
    run = sarrus.simulate(sarrus.build(mechanism), duration=2.0, dt=0.01)
    # Angular momentum about the ground: v + 2/5 r w = 1 - 2 = -1 is kept; rolling takes 5/7 of it.
    assert run.velocity[-1, 0, 0] == pytest.approx(-5 / 7, rel=1e-6)


def test_without_friction_a_block_goes_on_for_ever():
    run = slide(2.0, 0.3, 0.01, mu=0.0)
    assert np.abs(run.velocity[:, 0, :2] - run.velocity[0, 0, :2]).max() < 1e-12


def test_sliding_and_spinning_converges_with_order_1_at_least():
    # Each of the four corners slides its own way; how the weight is shared among them is first order.
    def end(dt):
        mechanism = brick(position=(0, 0, 0.05 + TOUCH), velocity=(2, 1, 0), angular_velocity=(0, 0, 6))
        mechanism.add_ground(0.2)
        return sarrus.simulate(sarrus.build(mechanism), duration=0.4, dt=dt).position[-1, 0, :2]

    exact = end(0.00025)

    def error(dt):
        return np.linalg.norm(end(dt) - exact)

    for ratio in ratios(error, 0.01, 2):
        assert ratio > 1.8


def on_a_slope(part, slope, dt, duration=1.0):
    """(way [m] of a box that is put on a slope, that of the closed form) for friction times `part` of what
    holds it."""
    mu, n = part * np.tan(slope), np.array([np.sin(slope), 0, np.cos(slope)])
    mechanism = sarrus.Mechanism()
    mechanism.add_body(
        "box",
        1.0,
        position=(0.05 + 2e-9) * n,
        orientation=turn(Y, slope),
        shapes=[sarrus.Box((0.2, 0.2, 0.1))],
    )
    mechanism.add_ground(friction=mu, normal=n)
    run = sarrus.simulate(sarrus.build(mechanism), duration=duration, dt=dt)
    pull = 9.81 * (np.sin(slope) - mu * np.cos(slope))
    return np.linalg.norm(run.position[-1, 0] - run.position[0, 0]), max(pull, 0.0) * duration**2 / 2


@pytest.mark.parametrize("slope", [0.1, 0.3, 0.8])
def test_a_box_that_friction_barely_holds_stays(slope):
    assert on_a_slope(1.0001, slope, 0.01)[0] < 1e-6
    assert on_a_slope(1.0001, slope, 0.002, 0.4)[0] < 1e-6


@pytest.mark.parametrize("slope", [0.1, 0.3, 0.8])
def test_a_box_that_friction_barely_misses_to_hold_slides_as_far_as_it_should(slope):
    found, expected = on_a_slope(0.999, slope, 0.01)
    assert found == pytest.approx(expected, rel=2e-3)
