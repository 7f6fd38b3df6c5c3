"""Joints that are locked and let go during a run."""

import numpy as np
import pytest
from tests.physics.scenes import rod_pendulum

import sarrus

FAMILY = ("variational", "bdf2", "sdirk")
HELD = 1e-10  # tolerance of the steps


def arm():
    return sarrus.build(rod_pendulum([0.4, 0.8]))


@pytest.mark.parametrize("method", FAMILY)
def test_a_locked_joint_stays_where_it_is_and_goes_on_when_let_go(method):
    run = sarrus.simulate(arm(), 0.6, 0.01, method, locks={"hinge 1": (0.2, 0.4)})
    q = run.joint_position("hinge 1")
    assert np.abs(q[20:41] - q[20]).max() < HELD
    assert np.abs(run.joint_velocity("hinge 1")[21:40]).max() < 1e-9
    assert abs(q[60] - q[40]) > 1e-2
    free = sarrus.simulate(arm(), 0.2, 0.01, method)
    assert np.array_equal(run.position[:21], free.position)


def test_a_locked_pair_of_rods_swings_as_one_body():
    model = arm()
    run = sarrus.simulate(model, 0.5, 0.001, locks={"hinge 1": (0.0, None)})
    single = sarrus.Mechanism()
    rods = list(model.mechanism.bodies.values())
    for body in rods:
        single.add_body(
            body.name, body.mass, body.inertia, position=body.position, orientation=body.orientation
        )
    joints = list(model.mechanism.joints.values())
    single.add_joint("hinge 0", "revolute", "world", rods[0].name, at=joints[0].at, axis=joints[0].axis)
    single.add_joint("weld", "fixed", rods[0].name, rods[1].name, at=joints[1].at)
    welded = sarrus.simulate(sarrus.build(single), 0.5, 0.001)
    assert np.abs(run.position - welded.position).max() < 1e-9


def test_locking_loses_energy_and_keeps_the_momentum_of_what_is_free():
    mechanism = sarrus.Mechanism(gravity=(0, 0, 0))
    mechanism.add_body("a", 1.0, (0.1, 0.1, 0.1), angular_velocity=(0, 0, 2.0))
    mechanism.add_body("b", 1.0, (0.1, 0.1, 0.1), position=(0, 0, 1.0))
    mechanism.add_joint("axle", "revolute", "a", "b", at=(0, 0, 0.5), axis=(0, 0, 1))
    run = sarrus.simulate(sarrus.build(mechanism), 0.4, 0.01, locks={"axle": [(0.1, 0.2), (0.3, 0.4)]})
    # Half of the turning energy is lost, as when two equal discs couple.
    energy = run.energy().total
    assert energy[9] == pytest.approx(0.2)
    assert energy[15] == pytest.approx(0.1)
    assert np.abs(run.momentum().angular - [0.0, 0.0, 0.2]).max() < 1e-9


def test_one_step_at_a_time_a_joint_is_locked_and_let_go():
    sim = sarrus.Simulation(arm(), 0.01)
    for _ in range(10):
        sim.step()
    sim.lock("hinge 1")
    assert sim.locked == ("hinge 1",)
    held = sim.step().winding[1]
    for _ in range(10):
        assert abs(sim.step().winding[1] - held) < HELD
    sim.unlock("hinge 1")
    for _ in range(10):
        sim.step()
    assert abs(sim.state.winding[1] - held) > 1e-3
    assert sim.time == pytest.approx(0.31)


def test_locking_a_loop_twice_is_no_contradiction():
    model = sarrus.build(sarrus.gallery.four_bar(speed=2.0))
    joints = {"crank pivot": (0.1, None), "rocker pivot": (0.1, None)}
    run = sarrus.simulate(model, 0.2, 0.01, "bdf2", locks=joints)
    assert np.abs(run.position[10:] - run.position[10]).max() < 1e-9


def test_locks_that_make_no_sense_are_refused():
    model = arm()
    for locks, said in (
        ({"elbow": (0.0, 0.1)}, "elbow"),
        ({"hinge 1": (0.1, 0.05)}, "increase"),
        ({"hinge 1": (0.003, 0.1)}, "not a node"),
        ({"hinge 1": ("a", 0.1)}, "not a time"),
        ([("hinge 1", 0.1)], "dict"),
    ):
        with pytest.raises(sarrus.SarrusError, match=said):
            sarrus.simulate(model, 0.2, 0.01, locks=locks)
    driven = rod_pendulum([0.4])
    driven.add_motor("drive", "hinge 0", mode="position")
    with pytest.raises(sarrus.MechanismError, match="prescribes"):
        sarrus.Simulation(sarrus.build(driven), 0.01).lock("hinge 0")
    crank = sarrus.gallery.four_bar()
    crank.add_motor("drive", "crank pivot", mode="position")
    with pytest.raises(sarrus.MechanismError, match="'rocker pivot' locked, the motors 'drive'"):
        sarrus.simulate(sarrus.build(crank), 0.2, 0.01, locks={"rocker pivot": (0.1, None)})
    with pytest.raises(sarrus.MechanismError, match="not locked"):
        sarrus.Simulation(model, 0.01).unlock("hinge 0")
