"""Gears and screws against closed forms and the dense reference."""

import numpy as np
import pytest
from tests.physics.scenes import (
    SHARP,
    X,
    Z,
    add_random_body,
    assert_same,
    random_axes,
    random_unit,
    ratios,
    run_both,
)

import sarrus

ORDER_2 = pytest.approx(4.0, abs=0.3)  # error ratio on halving dt
# A step solved to SHARP [rad] leaves SHARP / dt in the rate; 200 of them add up to 2e-8 at most.
RATE = 2e-8


def wheels(ratio):
    mechanism = sarrus.Mechanism()
    for k, (name, inertia) in enumerate((("a", 0.2), ("b", 0.3))):
        mechanism.add_body(name, 1.0, (0.2, 0.2, inertia), position=(k, 0, 0))
        mechanism.add_joint(f"axle {name}", "revolute", "world", name, at=(k, 0, 0), axis=Z)
    mechanism.add_gear("gear", "axle a", "axle b", ratio=ratio)
    mechanism.add_motor("motor", "axle b")
    return mechanism


@pytest.mark.parametrize("ratio", [-3.0, 0.5])
def test_two_discs_in_mesh_share_a_torque_by_their_ratio(ratio):
    model = sarrus.build(wheels(ratio))
    assert (model.dof, model.redundant_constraints) == (1, 0)
    method = sarrus.Variational(tolerance=SHARP)
    run = sarrus.simulate(model, duration=2.0, dt=0.01, method=method, inputs={"motor": 0.9})
    a, b = run.joint_position("axle a"), run.joint_position("axle b")
    assert np.abs(a - ratio * b).max() < 1e-9
    rate = 0.9 / (0.3 + ratio**2 * 0.2) * run.time
    # Momentum grows evenly; the speed at a node is that of the momentum.
    assert run.joint_velocity("axle b") == pytest.approx(rate, abs=RATE)
    assert abs(b[-1]) > 0.8


def test_the_tooth_force_is_the_torque_that_drives_the_second_disc():
    run = sarrus.simulate(
        sarrus.build(wheels(-3.0)), duration=0.5, dt=0.01, inputs={"motor": 0.9}, reactions=True
    )
    # On the child of the first joint: J_a times its acceleration.
    acceleration = -3.0 * 0.9 / (0.3 + 9 * 0.2)
    assert run.reaction("gear").torque[10] == pytest.approx([0, 0, 0.2 * acceleration], abs=1e-7)


def test_a_gear_between_joints_of_a_moving_chain_acts_as_in_the_dense_reference():
    rng = np.random.default_rng(12)
    mechanism = sarrus.Mechanism()
    for name in "abc":
        add_random_body(mechanism, name, rng)
    mechanism.add_joint("foot", "spherical", "world", "a", at=rng.normal(size=3))
    mechanism.add_joint("first", "revolute", "a", "b", at=rng.normal(size=3), axis=random_unit(rng))
    axes = random_axes("cylindrical", rng)
    mechanism.add_joint("second", "cylindrical", "c", "a", at=rng.normal(size=3), **axes)
    mechanism.add_gear("gear", "first", "second", ratio=1.7, component_b=1)
    mechanism.add_gear("rack", "second", "first", ratio=0.3, component_a=0)
    model, run, dense = run_both(mechanism)
    assert model.dof == 4
    assert_same(run, dense)


def test_a_gear_inside_a_chain_that_flies_freely_keeps_momentum_and_energy():
    rng = np.random.default_rng(13)
    mechanism = sarrus.Mechanism(gravity=(0, 0, 0))
    for name in "abc":
        add_random_body(mechanism, name, rng)
    mechanism.add_joint("first", "revolute", "a", "b", at=rng.normal(size=3), axis=random_unit(rng))
    mechanism.add_joint("second", "revolute", "b", "c", at=rng.normal(size=3), axis=random_unit(rng))
    mechanism.add_gear("gear", "first", "second", ratio=-2.0)
    run = sarrus.simulate(sarrus.build(mechanism), duration=5.0, dt=0.005)
    momentum = run.momentum()
    assert np.abs(momentum.angular - momentum.angular[0]).max() < 1e-11
    assert np.abs(momentum.linear - momentum.linear[0]).max() < 1e-11
    energy = run.energy().total
    assert np.abs(energy - energy[0]).max() < 1e-3 * energy[0]


def test_a_gear_around_a_loop_of_shafts_that_locks_is_reported():
    mechanism = wheels(2.0)
    mechanism.add_gear("second gear", "axle a", "axle b", ratio=2.0)
    model = sarrus.build(mechanism)
    assert (model.dof, model.redundant) == (1, (("second gear", 0),))
    mechanism.add_gear("third gear", "axle a", "axle b", ratio=3.0)
    assert sarrus.build(mechanism).dof == 0


@pytest.mark.parametrize("closes", [False, True], ids=["in the tree", "closing a loop"])
def test_a_nut_falls_on_its_screw_as_its_spinning_inertia_lets_it(closes):
    mechanism = sarrus.Mechanism()
    mechanism.add_body("nut", 1.0, (0.01, 0.01, 0.02))
    if closes:
        mechanism.add_joint("guide", "cylindrical", "world", "nut", at=(0, 0, 0), axis=Z)
    mechanism.add_joint("thread", "screw", "world", "nut", at=(0, 0, 0), axis=Z, pitch=0.1)
    model = sarrus.build(mechanism)
    assert (model.dof, model.redundant_constraints) == (1, 4 if closes else 0)
    exact = -0.5 * 9.81 / (1.0 + 0.02 / 0.1**2)

    def error(dt):
        run = sarrus.simulate(model, duration=1.0, dt=dt)
        assert run.joint_position("thread") == pytest.approx(run.position[:, 0, 2] / 0.1, abs=1e-8)
        assert abs(run.joint_position("thread")[-1]) > 4 * np.pi
        return abs(run.position[-1, 0, 2] - exact)

    # At dt = 0.02 s the nut turns 7 % too far in a step, which does not balance: such steps are divided.
    assert ratios(error, 0.005) == [ORDER_2]


def test_a_screw_turns_a_force_along_its_axis_into_a_torque():
    mechanism = sarrus.Mechanism(gravity=(0, 0, 0))
    mechanism.add_body("nut", 1.0, (0.01, 0.01, 0.02))
    mechanism.add_joint("thread", "screw", "world", "nut", at=(0, 0, 0), axis=X, pitch=0.05)
    mechanism.add_force("push", "nut", force=(40.0, 0, 0))
    mechanism.add_motor("hand", "thread")
    # The torque that holds the push: pitch times force, against it.
    model = sarrus.build(mechanism)
    run = sarrus.simulate(model, duration=0.5, dt=0.01, inputs={"hand": -0.05 * 40.0}, reactions=True)
    assert np.abs(run.position).max() < 1e-12
    assert run.reaction("thread").force[20] == pytest.approx([-40.0, 0, 0], abs=1e-8)
    assert run.reaction("thread").torque[20] == pytest.approx([2.0, 0, 0], abs=1e-8)
