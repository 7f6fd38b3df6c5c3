"""Crossings of sections: closed forms, orders of accuracy, turns, and what is refused."""

from __future__ import annotations

from math import asin, pi, sqrt

import numpy as np
import pytest
from tests.unit.trajectory.swing import swing

import sarrus
from sarrus.errors import MechanismError, UnknownName
from sarrus.trajectory.coordinates import coordinate, coordinates
from sarrus.trajectory.sections import crossings

# Rates that the method reads out differ from the slopes of its motion by (rate dt)^2/6, 1.5e-4 here; between
# nodes 0.01 s apart the cubic then errs by a tenth of that times the step.
INTERPOLATION = 2e-7
# Slopes of the rates by central differences err by h^2/6 times their third derivative: 2e-7 in the rates.
RATES = 3e-7


def oscillators(dt: float = 0.01, duration: float = 10.0):
    """Two masses of 1 kg on sliders with springs of 9 and 4 N/m, displaced by 0.5 and 0.3 m."""
    mech = sarrus.Mechanism(gravity=(0.0, 0.0, 0.0), name="oscillators")
    for name, stiffness, y in (("first", 9.0, 0.0), ("second", 4.0, 1.0)):
        mech.add_body(f"{name} mass", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.0, y, 0.0))
        mech.add_joint(
            name, "prismatic", parent="world", child=f"{name} mass", at=(0.0, y, 0.0), axis=(1, 0, 0)
        )
        mech.add_joint_spring(f"{name} spring", joint=name, stiffness=stiffness)
    model = sarrus.build(mech)
    state = model.state({"first": 0.5, "second": 0.3})
    return sarrus.simulate(model, duration=duration, dt=dt, state=state)


def discrete_rate(rate: float, dt: float) -> float:
    """Frequency [rad/s] that the second-order method gives to an oscillator of this rate."""
    return 2.0 / dt * asin(0.5 * rate * dt)


def test_an_oscillator_crosses_zero_once_a_period_of_the_discrete_motion():
    traj = oscillators()
    found = crossings(traj, "first", 0.0, "up")
    period = 2.0 * pi / discrete_rate(3.0, traj.dt)
    expected = period * (0.75 + np.arange(len(found)))
    assert len(found) == 5
    np.testing.assert_allclose(found.time, expected, atol=INTERPOLATION)
    assert found.rising.all()
    down = crossings(traj, "first", 0.0, "down")
    np.testing.assert_allclose(down.time, period * (0.25 + np.arange(len(down))), atol=INTERPOLATION)
    assert len(crossings(traj, "first", 0.0, "both")) == len(found) + len(down)


def test_what_is_shown_on_the_section_follows_the_closed_form():
    traj = oscillators()
    found = crossings(traj, "first", 0.25, "down")
    q, v = found.of("second")
    rate = discrete_rate(2.0, traj.dt)
    np.testing.assert_allclose(q, 0.3 * np.cos(rate * found.time), atol=INTERPOLATION)
    # At the nodes the method reads out mean differences over two steps.
    amplitude = 0.3 * 2.0 * sqrt(1.0 - (0.5 * 2.0 * traj.dt) ** 2)
    np.testing.assert_allclose(v, -amplitude * np.sin(rate * found.time), atol=RATES)
    own, _ = found.of("first")
    np.testing.assert_allclose(own, 0.25, atol=1e-15)


def test_times_of_crossings_are_of_fourth_order_in_the_distance_of_the_nodes():
    traj = swing(201)

    def error(every: int) -> float:
        coarse = type(traj)(
            traj.model, "variational", traj.dt, traj.time[::every], traj.position[::every],
            traj.orientation[::every], traj.velocity[::every], traj.angular_velocity[::every],
        )  # fmt: skip
        found = crossings(coarse, lambda t: (np.sin(7.0 * t.time), 7.0 * np.cos(7.0 * t.time)), 0.5, "up")
        first = asin(0.5) / 7.0
        return float(np.abs(found.time - (first + 2.0 * pi / 7.0 * np.arange(len(found)))).max())

    # Fourth order: 16 at each halving, the terms of sixth order apart.
    assert 12.0 < error(8) / error(4) < 20.0
    assert 12.0 < error(4) / error(2) < 20.0


def test_a_function_without_rates_takes_those_of_a_spline():
    traj = oscillators()
    by_name = crossings(traj, "first", 0.1, "up")
    by_function = crossings(traj, lambda t: t.position[:, 0, 0], 0.1, "up")
    np.testing.assert_allclose(by_function.time, by_name.time, atol=INTERPOLATION)


def test_two_crossings_between_two_nodes_are_both_seen():
    traj = swing(3)

    def bump(t):
        return np.array([-1.0, -1.0, -1.0]), np.array([9.0, -9.0, -9.0]) / t.dt

    assert crossings(traj, bump, 0.0, "both").rising.tolist() == [True, False]


def test_a_node_on_the_section_counts_once():
    traj = swing(5)
    line = crossings(traj, lambda t: (t.time - t.time[2], np.ones(5)), 0.0, "both")
    assert line.time.tolist() == [traj.time[2]]


def test_an_angle_crosses_on_every_turn():
    mech = sarrus.Mechanism(gravity=(0.0, 0.0, 0.0))
    mech.add_body("wheel", mass=1.0, inertia=(1.0, 1.0, 1.0), angular_velocity=(-4.0, 0.0, 0.0))
    mech.add_joint("axle", "revolute", parent="world", child="wheel", at=(0, 0, 0), axis=(1, 0, 0))
    traj = sarrus.simulate(sarrus.build(mech), duration=5.0, dt=0.01)
    speed = (coordinate(traj, "axle").path[-1] - coordinate(traj, "axle").path[0]) / 5.0
    found = crossings(traj, "axle", 1.0, "down")
    expected = (1.0 - 2.0 * pi * np.arange(1, 4)) / speed
    np.testing.assert_allclose(found.time, expected, atol=1e-9)
    assert len(crossings(traj, "axle", 1.0, "up")) == 0
    assert len(crossings(traj, lambda t: t.joint_position("axle"), 1.0, "both")) == 0


def test_coordinates_are_chosen_by_name_or_number():
    mech = sarrus.Mechanism()
    mech.add_body("rod", mass=1.0, inertia=(1.0, 1.0, 1.0))
    mech.add_joint("pipe", "cylindrical", parent="world", child="rod", at=(0, 0, 0), axis=(1, 0, 0))
    traj = sarrus.simulate(sarrus.build(mech), duration=0.1, dt=0.01)
    assert [(c.label, c.unit, c.turns) for c in coordinates(traj)] == [
        ("pipe: distance", "m", False),
        ("pipe: angle", "rad", True),
    ]
    assert coordinate(traj, ("pipe", "angle")).path is not None
    assert coordinate(traj, ("pipe", 1)).label == coordinate(traj, ("pipe", "angle")).label
    with pytest.raises(MechanismError, match=r"2 coordinates: choose one as \('pipe', 'distance'\)"):
        coordinate(traj, "pipe")
    with pytest.raises(UnknownName, match="no coordinate of joint 'pipe' named 'angel'; known: 'angle'"):
        coordinate(traj, ("pipe", "angel"))


def test_a_section_that_makes_no_sense_is_refused():
    traj = swing()
    with pytest.raises(MechanismError, match="direction 'sideways' is not one of up, down, both"):
        crossings(traj, "hinge", 0.0, "sideways")
    with pytest.raises(MechanismError, match="must be finite"):
        crossings(traj, "hinge", float("nan"))
    with pytest.raises(MechanismError, match=r"returned shape \(3,\), needs"):
        crossings(traj, lambda t: np.zeros(3))
    with pytest.raises(UnknownName, match="no joint named 'hing'"):
        crossings(traj, "hing")
