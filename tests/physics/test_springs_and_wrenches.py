"""Springs and dampers between points, and wrenches."""

import numpy as np
import pytest
from tests.physics.scenes import X, Y, Z, add_random_body, assert_same, random_unit, ratios, run_both, turn

import sarrus

ORDER_2 = pytest.approx(4.0, abs=0.3)  # error ratio on halving dt
EXACT = 1e-11  # what the trapezoidal rule gets right but for rounding, over 100 steps


def branches(seed=3):
    """A trunk on a ball joint with two branches, hinged."""
    rng = np.random.default_rng(seed)
    mechanism = sarrus.Mechanism()
    for name in ("trunk", "left", "right"):
        add_random_body(mechanism, name, rng)
    mechanism.add_joint("foot", "spherical", "world", "trunk", at=rng.normal(size=3))
    for name in ("left", "right"):
        mechanism.add_joint(name, "revolute", "trunk", name, at=rng.normal(size=3), axis=random_unit(rng))
    return mechanism, rng


@pytest.mark.parametrize("damping", [0.0, 0.7], ids=["spring", "spring and damper"])
@pytest.mark.parametrize(
    "ends", [("left", "right"), ("world", "left"), ("right", "world"), ("trunk", "left")]
)
def test_a_spring_between_points_acts_as_in_the_dense_reference(ends, damping):
    mechanism, rng = branches()
    points = {"at_a": rng.normal(size=3), "at_b": rng.normal(size=3)}
    mechanism.add_spring("spring", *ends, **points, stiffness=30.0, rest_length=0.4, damping=damping)
    _, run, dense = run_both(mechanism)
    assert_same(run, dense)


def test_several_dampers_that_cross_each_other_and_a_loop_act_as_in_the_dense_reference():
    mechanism, rng = branches(8)
    mechanism.add_joint("bridge", "slot", "left", "right", at=rng.normal(size=3), axis=random_unit(rng))
    for k, ends in enumerate((("left", "right"), ("world", "left"), ("right", "trunk"), ("world", "right"))):
        points = {"at_a": rng.normal(size=3), "at_b": rng.normal(size=3)}
        mechanism.add_spring(f"spring {k}", *ends, **points, stiffness=10.0, damping=0.5 + k)
    mechanism.add_joint_spring("brake", "bridge", stiffness=1.0, damping=(0.3, 0.2, 0.1, 0.4))
    mechanism.add_joint_spring("friction", "left", stiffness=0.0, damping=0.2)
    _, run, dense = run_both(mechanism)
    assert_same(run, dense)


def hanging(damping):
    mechanism = sarrus.Mechanism()
    mechanism.add_body("mass", 2.0, (0.1, 0.1, 0.1), position=(0, 0, -1))
    ends = {"at_a": (0, 0, 0), "at_b": (0, 0, -1)}
    mechanism.add_spring("spring", "world", "mass", **ends, stiffness=50.0, damping=damping)
    return sarrus.build(mechanism)


@pytest.mark.parametrize("damping", [0.0, 3.0, 60.0], ids=["free", "damped", "overdamped"])
def test_a_mass_on_a_spring_follows_the_closed_form_with_order_2(damping):
    decay = damping / 4.0
    rate = np.emath.sqrt(25.0 - decay**2)
    sag = 2.0 * 9.81 / 50.0
    swing = np.exp(-decay) * (np.cos(rate) + decay / rate * np.sin(rate))
    exact = -1.0 - sag + sag * np.real(swing)
    model = hanging(damping)

    def error(dt):
        return abs(sarrus.simulate(model, duration=1.0, dt=dt).position[-1, 0, 2] - exact)

    assert ratios(error, 0.02, 2) == [ORDER_2, ORDER_2]


def test_a_spring_without_damper_keeps_energy_and_a_damper_takes_what_its_force_works():
    quiet = sarrus.simulate(hanging(0.0), duration=20.0, dt=0.01).energy()
    # (rate dt)^2 / 4 of the energy that goes to and fro, 3.85 J, at 5 rad/s: bounded, no drift.
    assert np.abs(quiet.total - quiet.total[0]).max() < 2.5e-3
    assert abs(quiet.total[-1000:].mean() - quiet.total[:1000].mean()) < 1e-5
    run = sarrus.simulate(hanging(3.0), duration=2.0, dt=0.001)
    loss = np.trapezoid(3.0 * run.velocity[:, 0, 2] ** 2, run.time)
    assert run.energy().total[0] - run.energy().total[-1] == pytest.approx(loss, rel=1e-4)


def test_a_spring_of_length_zero_pulls_in_no_direction():
    mechanism = sarrus.Mechanism(gravity=(0, 0, 0))
    mechanism.add_body("mass", 1.0, (0.1, 0.1, 0.1))
    mechanism.add_spring(
        "spring", "world", "mass", at_a=(0, 0, 0), at_b=(0, 0, 0), stiffness=9.0, damping=1.0
    )
    run = sarrus.simulate(sarrus.build(mechanism), duration=1.0, dt=0.01)
    assert np.abs(run.position).max() == 0.0


def test_world_forces_at_a_point_and_body_forces_act_as_in_the_dense_reference():
    mechanism, rng = branches(11)
    mechanism.add_force("push", "left", force=rng.normal(size=3), at=rng.normal(size=3))
    mechanism.add_force("jet", "right", force=rng.normal(size=3), at=rng.normal(size=3), frame="body")
    mechanism.add_force("twist", "trunk", torque=rng.normal(size=3))
    inputs = {"push": rng.normal(size=6), "jet": rng.normal(size=6)}
    _, run, dense = run_both(mechanism, inputs=inputs)
    assert_same(run, dense)


def test_a_constant_force_gives_a_parabola_and_its_work_is_the_kinetic_energy():
    mechanism = sarrus.Mechanism(gravity=(0, 0, 0))
    mechanism.add_body("stone", 2.0, (0.1, 0.2, 0.25), velocity=(1, 0, 0))
    mechanism.add_force("push", "stone", force=(0, 3, 0))
    run = sarrus.simulate(sarrus.build(mechanism), duration=1.0, dt=0.01)
    assert run.position[:, 0] == pytest.approx(
        np.outer(run.time, X) + np.outer(0.75 * run.time**2, Y), abs=EXACT
    )
    kinetic = run.energy().kinetic
    assert kinetic - kinetic[0] == pytest.approx(3.0 * run.position[:, 0, 1], abs=EXACT)


def test_a_jet_in_the_body_frame_turns_with_the_body():
    mechanism = sarrus.Mechanism(gravity=(0, 0, 0))
    mechanism.add_body("rocket", 1.0, (0.1, 0.1, 0.1), angular_velocity=(0, 0, 2.0))
    mechanism.add_force("jet", "rocket", force=(1, 0, 0), frame="body")
    model = sarrus.build(mechanism)
    # v = (sin 2t, 1 - cos 2t) / 2
    exact = np.array([0.5 * np.sin(2.0), 0.5 - 0.5 * np.cos(2.0), 0.0])

    def error(dt):
        return np.abs(sarrus.simulate(model, duration=1.0, dt=dt).velocity[-1, 0] - exact).max()

    assert ratios(error, 0.02, 2) == [ORDER_2, ORDER_2]


def test_a_torque_is_given_in_the_body_frame_and_a_force_off_the_centre_turns():
    mechanism = sarrus.Mechanism(gravity=(0, 0, 0))
    mechanism.add_body("disc", 2.0, (0.1, 0.2, 0.25), position=(1, 0, 0), orientation=turn(Z, np.pi / 2))
    mechanism.add_force("twist", "disc", torque=(0, 0.6, 0))
    run = sarrus.simulate(sarrus.build(mechanism), duration=0.1, dt=0.001)
    # About the body's y axis, which is a principal axis and points along -x of the world.
    assert run.angular_velocity[-1, 0] == pytest.approx([0.0, 0.6 / 0.2 * 0.1, 0.0], abs=1e-9)
    mechanism = sarrus.Mechanism(gravity=(0, 0, 0))
    mechanism.add_body("disc", 2.0, (0.1, 0.2, 0.25), position=(1, 0, 0))
    mechanism.add_force("push", "disc", force=(0, 1e-3, 0), at=(1.5, 0, 0))
    run = sarrus.simulate(sarrus.build(mechanism), duration=1.0, dt=0.01)
    assert run.angular_velocity[-1, 0, 2] == pytest.approx(1e-3 * 0.5 / 0.25, rel=1e-6)


def test_total_momentum_changes_by_the_impulse_of_the_outer_forces_alone():
    rng = np.random.default_rng(21)
    mechanism = sarrus.Mechanism(gravity=(0, 0, -3.0))
    for name in "ab":
        add_random_body(mechanism, name, rng)
    mechanism.add_joint("knee", "universal", "a", "b", at=rng.normal(size=3), axis=X, axis2=Y)
    mechanism.add_spring("spring", "a", "b", at_a=(1, 0, 0), at_b=(0, 0, 1), stiffness=5.0, damping=1.0)
    mechanism.add_force("push", "a", force=(1.0, 2.0, 0.5))
    model = sarrus.build(mechanism)
    run = sarrus.simulate(model, duration=1.0, dt=0.01)
    impulse = np.outer(run.time, [1.0, 2.0, 0.5] + model.masses.sum() * model.gravity)
    linear = run.momentum().linear
    assert linear - linear[0] == pytest.approx(impulse, abs=EXACT)
