"""Joint limits, dry friction of joints, motors with a limit, and ropes."""

import numpy as np
import pytest
from tests.physics.contact_scenes import G, X, Z, touches, work_per_step
from tests.physics.scenes import turn
from tests.reference.rotation import matrix, multiply

import sarrus

INERTIA = 1 / 12 + 1 / 4  # of the rod below about its hinge
# Coordinates are found from positions to rounding.
ROUNDING = 1e-12


def simulate(mechanism, duration, dt=0.01, **options):
    return sarrus.simulate(sarrus.build(mechanism), duration=duration, dt=dt, **options)


def swing(angle=1.2, rate=0.0, gravity=G, **joint):
    """A rod of 1 kg and 1 m at an angle from hanging, hinged at its end."""
    mechanism = sarrus.Mechanism(gravity=(0, 0, -gravity))
    d = np.array([0, np.sin(angle), -np.cos(angle)])
    mechanism.add_body(
        "rod", 1.0, (1 / 12, 1 / 12, 1e-3), position=d / 2, orientation=turn(X, angle),
        angular_velocity=(rate, 0, 0), velocity=np.cross([rate, 0, 0], d / 2),
    )  # fmt: skip
    mechanism.add_joint("hinge", "revolute", "world", "rod", at=(0, 0, 0), axis=X, **joint)
    return mechanism


@pytest.mark.parametrize("dt", [0.02, 0.01, 0.001])
def test_a_pendulum_never_passes_its_stop_and_gains_no_energy(dt):
    mechanism = swing()
    mechanism.add_limit("stop", "hinge", lower=-1.4, upper=0.1)
    run, records = simulate(mechanism, 2.0, dt), touches(mechanism, 2.0, dt)
    q, energy = run.joint_position("hinge"), run.energy().total
    assert q.min() > -1.4 - ROUNDING
    assert q.max() < 0.1 + ROUNDING
    free = simulate(swing(), 2.0, dt).energy().total
    assert (energy - energy[0]).max() <= 2 * np.ptp(free)
    assert work_per_step(records).max() <= 1e-9
    # It hit: the stop takes all of the kinetic energy (restitution 0), and it starts again from rest there.
    at_stop = np.argmin(q)
    assert q[at_stop] < -1.4 + 1e-6
    assert np.abs(run.joint_velocity("hinge")[at_stop]) < 1e-5


def test_a_pendulum_pressed_against_its_stop_stays_there():
    mechanism = swing(1.2)
    mechanism.add_limit("stop", "hinge", lower=-1e-6)
    run = simulate(mechanism, 1.0)
    assert np.abs(run.joint_position("hinge")).max() < 1.1e-6
    records = touches(mechanism, 1.0, 0.01)
    late = records.step == 50
    # Its force over a step is the torque of gravity.
    effort = records.impulse[late, 0].sum() / 0.01
    assert effort == pytest.approx(G * 0.5 * np.sin(1.2), rel=1e-6)


def test_limits_of_a_slide_stop_a_falling_weight():
    mechanism = sarrus.Mechanism()
    mechanism.add_body("weight", 3.0, (0.1, 0.1, 0.1))
    mechanism.add_joint("rail", "prismatic", "world", "weight", at=(0, 0, 0), axis=Z)
    mechanism.add_limit("floor", "rail", lower=-0.5)
    run = simulate(mechanism, 1.0)
    q = run.joint_position("rail")
    assert q.min() > -0.5
    assert q[-1] == pytest.approx(-0.5, abs=1e-6)
    assert abs(run.joint_velocity("rail")[-1]) < 1e-6


def test_limits_of_a_spherical_joint_hold_each_component():
    mechanism = sarrus.Mechanism()
    mechanism.add_body(
        "rod", 1.0, (0.1, 0.1, 0.05), position=(0.5, 0, 0), velocity=(0, 1, 0), angular_velocity=(0, 0, 2)
    )
    mechanism.add_joint("ball", "spherical", "world", "rod", at=(0, 0, 0))
    mechanism.add_limit("stop", "ball", lower=(-0.5, -0.5, -0.5), upper=(0.5, 0.5, 0.5))
    run = simulate(mechanism, 2.0)
    q, energy = run.joint_position("ball"), run.energy().total
    assert np.abs(q).max() < 0.5 + ROUNDING
    assert np.abs(q).max() > 0.49
    assert run.violation().max() < 1e-8
    # The rod rises to its stop by less than its kinetic energy allows.
    assert energy.max() <= energy[0] + 1e-3


def four_bar():
    """A parallelogram that hangs, hinged about x; the hinge at its lower right closes it."""
    mechanism = sarrus.Mechanism()
    points = {"left": (0, 0, -0.25), "right": (0, 0.6, -0.25), "coupler": (0, 0.3, -0.5)}
    for name, at in points.items():
        mechanism.add_body(name, 1.0, (0.01, 0.01, 0.01), position=at)
    hinges = [("world", "left", (0, 0, 0)), ("world", "right", (0, 0.6, 0))]
    hinges += [("left", "coupler", (0, 0, -0.5)), ("right", "coupler", (0, 0.6, -0.5))]
    for k, (a, b, at) in enumerate(hinges):
        mechanism.add_joint(f"hinge {k}", "revolute", a, b, at=at, axis=X)
    return mechanism


@pytest.mark.parametrize("hinge", range(4))
def test_a_limit_on_any_hinge_of_a_loop_stops_all_of_it(hinge):
    mechanism = four_bar()
    sign = 1.0 if hinge < 2 else -1.0
    bounds = {"lower": -0.3} if sign > 0 else {"upper": 0.3}
    mechanism.add_limit("stop", f"hinge {hinge}", **bounds)
    model = sarrus.build(mechanism)
    start = sarrus.assemble(model, {"hinge 0": 0.8})
    run = sarrus.simulate(model, duration=1.5, dt=0.01, state=start)
    q = run.joint_position("hinge 0")
    assert q.min() > -0.3 - 1e-9
    assert q.min() < -0.3 + 1e-6
    assert run.violation().max() < 1e-8
    energy = run.energy().total
    assert energy.max() <= energy[0] + 2e-3 * np.ptp(run.energy().kinetic)


@pytest.mark.parametrize("dt", [0.02, 0.01, 0.005])
def test_dry_friction_slows_a_joint_by_effort_over_inertia(dt):
    mechanism = swing(rate=2.0, gravity=0.0)
    mechanism.add_joint_friction("hinge", 0.3)
    run = simulate(mechanism, 3.0, dt)
    expected = np.maximum(2.0 - 0.3 / INERTIA * run.time, 0.0)
    # The barrier takes about 1e-6 of the effort.
    assert np.abs(run.joint_velocity("hinge") - expected).max() < 2e-5
    # In its last step it may be short by an eighth of effort/inertia dt^2, and the discrete rotation is
    # longer by w^2 dt^2 / 24 of itself.
    off = 0.3 / INERTIA * dt**2 / 8 + 2.0**2 * dt**2 / 12 * 2.3
    assert run.joint_position("hinge")[-1] == pytest.approx(2.0**2 / (2 * 0.3 / INERTIA), abs=off)


@pytest.mark.parametrize("angle", [0.1, 0.2, 0.3])
def test_dry_friction_holds_a_pendulum_where_gravity_is_weaker(angle):
    mechanism = swing(angle)
    mechanism.add_joint_friction("hinge", 1.5)
    run = simulate(mechanism, 2.0)
    assert G * 0.5 * np.sin(angle) < 1.5
    assert np.abs(run.joint_position("hinge")).max() < 2e-5
    assert np.abs(run.joint_velocity("hinge")[-1]) < 1e-5


@pytest.mark.parametrize("angle", [0.7, 1.4, 2.5])
def test_a_pendulum_with_dry_friction_comes_to_rest_where_friction_holds_it(angle):
    mechanism = swing(angle)
    mechanism.add_joint_friction("hinge", 0.8)
    run, records = simulate(mechanism, 8.0), touches(mechanism, 8.0, 0.01)
    q = run.joint_position("hinge")[-1] + angle
    assert abs(run.joint_velocity("hinge")[-1]) < 1e-5
    assert abs(G * 0.5 * np.sin(q)) <= 0.8
    assert np.diff(run.energy().total).max() < 1e-4
    assert work_per_step(records).max() <= 1e-9
    # Energy lost is effort times the way.
    way = np.abs(np.diff(run.joint_position("hinge"))).sum()
    lost = run.energy().total[0] - run.energy().total[-1]
    assert lost == pytest.approx(0.8 * way, rel=2e-3)


def test_dry_friction_of_a_spherical_joint_and_in_a_loop_takes_energy_until_rest():
    ball = sarrus.Mechanism(gravity=(0, 0, 0))
    ball.add_body("top", 1.0, (0.1, 0.1, 0.1), angular_velocity=(1, -2, 0.5))
    ball.add_joint("ball", "spherical", "world", "top", at=(0, 0, 0))
    ball.add_joint_friction("ball", 0.2)
    run = simulate(ball, 2.0)
    assert np.abs(run.angular_velocity[-1]).max() < 1e-5
    assert np.diff(run.energy().total).max() < 1e-9
    loop = four_bar()
    loop.add_joint_friction("hinge 3", 1.0)
    loop.add_joint_friction("hinge 0", 1.0)
    model = sarrus.build(loop)
    run = sarrus.simulate(model, duration=6.0, dt=0.01, state=sarrus.assemble(model, {"hinge 0": 0.8}))
    assert np.abs(run.velocity[-1]).max() < 1e-4
    assert run.violation().max() < 1e-8


@pytest.mark.parametrize("contact", [False, True])
def test_a_servo_stays_within_its_limit_and_is_the_unlimited_one_below_it(contact):
    def run_of(limit, target):
        mechanism = swing(0.0)
        mechanism.add_motor("servo", "hinge", "servo", stiffness=30.0, damping=3.0, limit=limit)
        if contact:
            mechanism.add_limit("stop", "hinge", upper=0.9)
        return simulate(mechanism, 2.0, inputs={"servo": target})

    free, wide, narrow = run_of(None, 1.0), run_of(100.0, 1.0), run_of(2.0, 1.0)
    assert np.abs(free.position - wide.position).max() < ROUNDING
    assert np.abs(free.motor_effort("servo")).max() > 29.0
    assert np.abs(narrow.motor_effort("servo")).max() <= 2.0
    # Two newton metres lift the rod to where gravity balances them, and swing it at most twice as far.
    rest = np.arcsin(2.0 / (0.5 * G))
    q = narrow.joint_position("hinge")
    assert q.max() < 2.1 * rest
    assert q.max() > 1.5 * rest


def test_a_motor_of_mode_force_gives_no_more_than_its_limit():
    def run_of(value, limit=None):
        mechanism = swing(0.5)
        mechanism.add_motor("motor", "hinge", "force", limit=limit)
        mechanism.add_limit("stop", "hinge", lower=-3.0, upper=3.0)
        return simulate(mechanism, 1.0, inputs={"motor": value})

    assert np.abs(run_of(50.0, 1.5).position - run_of(1.5).position).max() == 0.0
    assert np.abs(run_of(-50.0, 1.5).position - run_of(-1.5).position).max() == 0.0
    assert np.abs(run_of(1.0, 1.5).position - run_of(1.0).position).max() == 0.0


@pytest.mark.parametrize("dt", [0.01, 0.002])
def test_a_rope_flies_free_while_slack_and_never_gets_longer(dt):
    mechanism = sarrus.Mechanism()
    mechanism.add_body("stone", 1.0, (0.1, 0.1, 0.1), position=(0.3, 0, 0))
    mechanism.add_rope("rope", "world", "stone", at_a=(0, 0, 0), at_b=(0.3, 0, 0), length=1.0)
    run = simulate(mechanism, 3.0, dt)
    length = np.linalg.norm(run.position[:, 0], axis=1)
    assert length.max() < 1.0
    slack = run.time < 0.43  # it falls 0.954 m in 0.441 s
    assert np.abs(run.position[slack, 0, 2] + 0.5 * G * run.time[slack] ** 2).max() < 1e-12
    assert np.ptp(run.position[slack, 0, 0]) < 1e-12
    taut = run.time > 0.6
    assert length[taut].min() > 1.0 - 1e-3
    energy = run.energy().total
    assert energy.max() <= energy[0] + 1e-9
    # Going taut takes the kinetic energy along the rope, no more.
    k = np.searchsorted(run.time, 0.5)
    x, v = np.array([0.3, 0, -np.sqrt(1 - 0.09)]), np.array([0, 0, -np.sqrt(2 * G * np.sqrt(1 - 0.09))])
    across = v - (v @ x) * x
    left = 0.5 * across @ across + G * x[2]
    assert energy[k] == pytest.approx(left, abs=20 * dt)


def test_a_rope_between_two_bodies_pulls_both_and_keeps_their_momentum():
    mechanism = sarrus.Mechanism(gravity=(0, 0, 0))
    mechanism.add_body("a", 1.0, (0.1, 0.1, 0.1), position=(0, 0, 0), velocity=(-1, 0.3, 0))
    mechanism.add_body("b", 3.0, (0.2, 0.2, 0.2), position=(0.5, 0, 0), velocity=(1, 0, 0.2))
    mechanism.add_rope("rope", "a", "b", at_a=(0.1, 0.1, 0), at_b=(0.4, 0, 0.1), length=0.8)
    run = simulate(mechanism, 1.0)
    momentum = np.concatenate([run.momentum().linear, run.momentum().angular], axis=1)
    assert np.abs(momentum - momentum[0]).max() < 1e-7
    energy = run.energy().total
    assert energy[-1] < energy[0] - 0.5
    assert np.diff(energy).max() < 1e-3


def test_order_1_holds_a_pendulum_by_dry_friction_too():
    mechanism = swing(0.2)
    mechanism.add_joint_friction("hinge", 1.5)
    run = simulate(mechanism, 1.0, method="variational1")
    assert np.abs(run.joint_position("hinge")).max() < 2e-5


def test_an_axis_in_general_position_has_the_same_stop():
    # The same swing, turned about the vertical.
    mechanism = sarrus.Mechanism()
    q = turn(Z, 0.7)
    d = np.array([0, np.sin(1.2), -np.cos(1.2)])
    R = matrix(q)
    mechanism.add_body(
        "rod", 1.0, (1 / 12, 1 / 12, 1e-3), position=R @ d / 2, orientation=multiply(q, turn(X, 1.2))
    )
    mechanism.add_joint("hinge", "revolute", "world", "rod", at=(0, 0, 0), axis=R @ X)
    mechanism.add_limit("stop", "hinge", lower=-1.0)
    mechanism.add_joint_friction("hinge", 0.1)
    other = swing(1.2)
    other.add_limit("stop", "hinge", lower=-1.0)
    other.add_joint_friction("hinge", 0.1)
    a, b = simulate(mechanism, 1.0), simulate(other, 1.0)
    assert np.abs(a.joint_position("hinge") - b.joint_position("hinge")).max() < 1e-9
