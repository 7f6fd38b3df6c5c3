"""LiveRun: a simulation that follows the clock, without a browser."""

from __future__ import annotations

import numpy as np
import pytest

import sarrus
from sarrus.viewers.live import pull as pulling
from sarrus.viewers.live.run import LiveRun

DT = 0.01
FRAME = 0.025
PLENTY = 10.0
"""Seconds of budget: more than any frame of these tests takes."""


class Clock:
    """A clock that moves by `tick` whenever it is read."""

    def __init__(self, tick: float):
        self.time, self.tick = 0.0, tick

    def __call__(self) -> float:
        self.time += self.tick
        return self.time


def pendulum(**options) -> LiveRun:
    return LiveRun(sarrus.gallery.pendulum(links=2), DT, **options)


def block() -> sarrus.Mechanism:
    """A ball of 2 kg at rest, without gravity and without joints."""
    mech = sarrus.Mechanism(gravity=(0.0, 0.0, 0.0))
    mech.add_body("ball", mass=2.0, inertia=(0.1, 0.1, 0.1))
    return mech


def test_time_goes_on_as_the_clock_does_and_nothing_is_lost_between_frames():
    run = pendulum()
    run.play()
    for _ in range(8):
        run.run(FRAME, PLENTY)
    assert run.state.time == pytest.approx(0.2)


def test_a_paused_run_stands_still():
    run = pendulum()
    assert run.run(1.0, PLENTY) == 0
    assert run.state.time == 0.0


def test_half_the_speed_gives_half_the_steps():
    run = pendulum()
    run.speed = 0.5
    run.play()
    assert sum(run.run(0.04, PLENTY) for _ in range(5)) == 10


def test_a_slow_machine_falls_behind_without_piling_up_work():
    run = pendulum(now=Clock(tick=0.01))
    run.play()
    # Every look at the clock takes 10 ms: one or two steps fit into 15 ms, where a second asks for 100.
    steps = [run.run(1.0, 0.015) for _ in range(60)]
    assert max(steps) <= 2
    assert run.ratio < 0.1
    assert run.playing


def test_one_step_pauses_and_moves_by_dt():
    run = pendulum()
    run.play()
    run.step()
    assert not run.playing
    assert run.state.time == pytest.approx(DT)


def test_reset_goes_back_to_the_start_and_to_the_inputs_there():
    run = LiveRun(sarrus.gallery.quadruped(), DT)
    run.set_input("FR_thigh", 0, 0.4)
    run.play()
    run.run(0.05, PLENTY)
    run.reset()
    assert run.state.time == 0.0
    assert not run.playing
    assert run.inputs["FR_thigh"][0] == 0.0


def test_a_run_starts_at_a_keyframe_with_its_inputs():
    mech = sarrus.gallery.pendulum(links=1)
    joint = next(iter(mech.joints))
    mech.add_motor("m", joint)
    mech.add_keyframe("up", joints={joint: 0.5}, inputs={"m": 0.25})
    run = LiveRun(mech, DT, keyframe="up")
    assert run.coordinates()[joint, 0] == pytest.approx(0.5)
    assert run.inputs["m"][0] == 0.25


def test_a_step_that_fails_pauses_says_why_and_keeps_the_last_state():
    mech = block()
    mech.add_force("twist", "ball")
    run = LiveRun(mech, DT)
    run.play()
    run.run(FRAME, PLENTY)
    before = run.state.time
    # Far more than |w| dt < 2 allows, in the shortest of the substeps.
    run.set_input("twist", 5, 1e9)
    run.run(FRAME, PLENTY)
    assert not run.playing
    assert "failed" in run.message
    assert run.state.time == before
    assert np.isfinite(run.state.angular_velocity).all()
    run.reset()
    run.play()
    run.run(FRAME, PLENTY)
    assert run.playing


def test_a_start_that_cannot_be_says_why_and_does_not_play():
    mech = sarrus.Mechanism()
    # |w| dt >= 2: the discrete rotation has no such step.
    mech.add_body("top", mass=1.0, inertia=(1.0, 1.0, 1.0), angular_velocity=(0.0, 0.0, 300.0))
    run = LiveRun(mech, DT)
    assert "spins" in run.message
    run.play()
    run.run(FRAME, PLENTY)
    assert not run.playing
    assert "spins" in run.message


def test_the_contacts_of_a_standing_robot_carry_its_weight():
    run = LiveRun(sarrus.gallery.quadruped(), DT)
    run.play()
    for _ in range(20):
        run.run(FRAME, PLENTY)
    forces = run.instant().contacts
    weight = 9.81 * run.model.masses.sum()
    # It still sways a little after half a second.
    assert forces[:, 1].sum(axis=0) == pytest.approx((0.0, 0.0, weight), abs=0.05 * weight)


def test_reactions_are_there_once_they_are_asked_for():
    run = pendulum()
    run.play()
    run.run(FRAME, PLENTY)
    assert len(run.instant().reactions) == 0
    run.reactions = True
    run.run(FRAME, PLENTY)
    assert len(run.instant().reactions) == 2


def test_switching_reactions_on_does_not_change_the_motion():
    plain, watched = pendulum(), pendulum()
    for run in (plain, watched):
        run.play()
        run.run(0.05, PLENTY)
    watched.reactions = True
    for run in (plain, watched):
        run.run(0.05, PLENTY)
    assert np.allclose(plain.state.position, watched.state.position, rtol=0.0, atol=1e-12)


def test_a_hand_pulls_a_ball_to_where_it_is_and_lets_it_rest_there():
    run = LiveRun(block(), DT, size=1.0)
    run.play()
    run.grab("hand", 0, np.zeros(3))
    run.drag("hand", np.array([0.3, 0.0, 0.1]))
    for _ in range(80):
        run.run(FRAME, PLENTY)
    # Critically damped at 10 rad/s: after 2 s nothing but e^-20 is left.
    assert run.state.position[0] == pytest.approx((0.3, 0.0, 0.1), abs=1e-4)
    assert np.abs(run.state.velocity).max() < 1e-3
    run.release("hand")
    assert len(run.instant().pulls) == 0


def test_a_hand_lifts_a_robot_of_twelve_kilogrammes_by_its_trunk():
    run = LiveRun(sarrus.gallery.quadruped(), DT, size=0.33)
    run.play()
    start = run.state.position[0, 2]
    run.grab("hand", 0, run.state.position[0])
    run.drag("hand", run.state.position[0] + (0.0, 0.0, 0.3))
    for _ in range(40):
        run.run(FRAME, PLENTY)
    assert run.state.position[0, 2] > start + 0.2
    assert run.message == ""


def test_the_mass_that_a_hand_feels_is_that_of_what_it_moves():
    model = sarrus.build(block())
    felt = pulling.felt_mass(model, model.initial_state(), 0, np.zeros(3))
    # The cap on heavy directions adds 1/(4 m) to the mobility 1/m.
    assert np.diag(felt) == pytest.approx([2.0 / 1.25] * 3)


def test_a_hand_off_the_centre_turns_the_body():
    run = LiveRun(block(), DT, size=1.0)
    run.play()
    run.grab("hand", 0, np.array([0.2, 0.0, 0.0]))
    run.drag("hand", np.array([0.2, 0.1, 0.0]))
    run.run(0.1, PLENTY)
    assert run.state.angular_velocity[0, 2] > 0.0


def test_posing_pauses_closes_loops_and_says_what_cannot_be_reached():
    run = LiveRun(sarrus.gallery.four_bar(), DT)
    run.play()
    rocker = run.model.joint_names[-1]
    reached = run.pose(rocker, 0, 3.0)
    assert not run.playing
    assert reached < 3.0
    assert rocker in run.message
    crank = run.model.joint_names[0]
    run.pose(crank, 0, 0.3)
    assert run.coordinates()[crank, 0] == pytest.approx(0.3, abs=1e-9)
    assert run.message == ""
    run.play()
    run.run(FRAME, PLENTY)
    assert run.message == ""


def test_history_counts_energy_from_the_last_interference():
    run = pendulum()
    run.play()
    for _ in range(10):
        run.run(0.05, PLENTY)
    time, energy, violation = run.history.curves
    assert len(time) == len(energy) == len(violation) > 5
    assert energy[0] == 0.0
    # The bounded error of the method at dt = 0.01, well below the energy of the pendulum.
    assert np.abs(energy).max() < 0.5
    assert violation.max() < 1e-9
    run.history.rebase()
    run.run(0.05, PLENTY)
    assert run.history.curves[1][-1] == 0.0


def test_names_of_handles_never_clash_with_those_of_the_mechanism():
    mech = block()
    mech.add_force("pull ball", "ball")
    out, names = pulling.with_handles(mech)
    assert names == ("pull ball'",)
    assert tuple(mech.forces) == ("pull ball",)
    assert tuple(out.forces) == ("pull ball", "pull ball'")


def test_a_frame_without_a_step_still_shows_the_contacts_of_the_last_one():
    run = LiveRun(sarrus.gallery.quadruped(), DT)
    run.play()
    run.run(0.05, PLENTY)
    assert len(run.instant().contacts) == 4
    assert run.run(0.001, PLENTY) == 0
    assert len(run.instant().contacts) == 4
