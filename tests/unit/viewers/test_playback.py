"""Playback: a recorded run on a clock, without a browser."""

from __future__ import annotations

import numpy as np
import pytest

import sarrus
from sarrus.viewers.live.playback import Playback

DT = 0.01


@pytest.fixture(scope="module")
def traj() -> sarrus.Trajectory:
    """A double pendulum over half a second, reactions recorded."""
    model = sarrus.build(sarrus.gallery.pendulum(links=2))
    return sarrus.simulate(model, duration=0.5, dt=DT, reactions=True)


@pytest.fixture(scope="module")
def standing() -> sarrus.Trajectory:
    """The quadruped on its feet, recorded at every fifth step."""
    model = sarrus.build(sarrus.gallery.quadruped())
    return sarrus.simulate(model, duration=0.5, dt=DT, record_every=5)


def test_the_clock_moves_time_and_repeats(traj):
    play = Playback(traj)
    play.play()
    play.run(0.3)
    assert play.time == pytest.approx(0.3)
    play.run(0.3)
    assert play.time == pytest.approx(0.1)
    play.loops = False
    play.run(1.0)
    assert (play.time, play.playing) == (0.5, False)
    play.play()
    assert play.time == 0.0


def test_speed_and_pause(traj):
    play = Playback(traj)
    play.run(0.2)
    assert play.time == 0.0
    play.speed = 0.25
    play.play()
    play.run(0.4)
    assert play.time == pytest.approx(0.1)


def test_seeking_stays_within_the_run(traj):
    play = Playback(traj)
    play.seek(7.0)
    assert play.time == 0.5
    play.seek(-1.0)
    assert play.time == 0.0


def test_steps_go_from_node_to_node(traj):
    play = Playback(traj)
    play.seek(0.205)
    play.step()
    assert play.time == pytest.approx(0.21)
    play.step(-1)
    assert play.time == pytest.approx(0.20)
    play.seek(0.205)
    play.step(-1)
    assert play.time == pytest.approx(0.20)
    play.seek(0.5)
    play.step()
    assert play.time == pytest.approx(0.5)


def test_at_a_node_the_recorded_pose_is_drawn_and_between_two_something_between(traj):
    play = Playback(traj)
    play.seek(0.2)
    assert play.instant().position == pytest.approx(traj.position[20], abs=1e-12)
    play.seek(0.205)
    middle = play.instant()
    assert middle.position == pytest.approx(0.5 * (traj.position[20] + traj.position[21]), abs=1e-12)
    assert np.linalg.norm(middle.orientation, axis=1) == pytest.approx(1.0)


def test_contact_forces_between_two_nodes_carry_the_weight(standing):
    play = Playback(standing)
    play.seek(0.47)
    total = play.instant().contacts[:, 1].sum(axis=0)
    weight = 9.81 * standing.model.masses.sum()
    # It still sways a little after half a second.
    assert total[2] == pytest.approx(weight, rel=0.05)


def test_reactions_stand_at_the_joint_points(traj):
    play = Playback(traj)
    play.seek(0.3)
    forces = play.instant().reactions
    assert forces.shape == (2, 2, 3)
    hinge = next(iter(traj.model.mechanism.joints.values()))
    # The first joint ties the first link to the world: its point does not move.
    assert forces[0, 0] == pytest.approx(hinge.at, abs=1e-9)
    assert forces[0, 1] == pytest.approx(traj.reactions[30, 0, :3])


def test_the_way_of_a_body_ends_where_it_is(traj):
    play = Playback(traj)
    play.seek(0.255)
    way = play.way(1)
    assert len(way) == 27
    assert way[-1] == pytest.approx(play.instant().position[1])


def test_a_run_of_one_node_can_be_shown(traj):
    one = sarrus.Trajectory(
        traj.model, traj.method, DT, traj.time[:1], traj.position[:1], traj.orientation[:1],
        traj.velocity[:1], traj.angular_velocity[:1],
    )  # fmt: skip
    play = Playback(one)
    play.play()
    play.run(0.1)
    assert play.instant().position == pytest.approx(traj.position[0])


def test_ropes_are_lines_and_have_no_arrows_of_contact_forces():
    mech = sarrus.Mechanism()
    mech.add_body("bob", 1.0, (0.1, 0.1, 0.1), position=(0.0, 0.0, -1.0))
    mech.add_rope("rope", "world", "bob", at_a=(0.0, 0.0, 0.0), at_b=(0.0, 0.0, -1.0), length=1.0)
    traj = sarrus.simulate(sarrus.build(mech), duration=20 * DT, dt=DT)
    pull = traj.contact_force("bob")[10, 2]
    assert pull == pytest.approx(9.81, rel=0.05)  # the rope holds the bob all the time
    play = Playback(traj)
    play.seek(10.5 * DT)
    assert len(play.instant().contacts) == 0
