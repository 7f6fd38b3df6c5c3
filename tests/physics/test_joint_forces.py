"""Springs, dampers, armatures and motors on the coordinates of every kind of joint."""

import numpy as np
import pytest
from tests.physics.scenes import (
    X,
    Z,
    add_random_body,
    assert_same,
    random_axes,
    random_unit,
    ratios,
    rod_pendulum,
    run_both,
)
from tests.reference import planar

import sarrus
from sarrus.mechanism.joints import JOINT_KINDS

MOVING = [kind for kind in JOINT_KINDS if JOINT_KINDS[kind].coordinates]
ORDER_2 = pytest.approx(4.0, abs=0.3)  # error ratio on halving dt
ROUNDING = 1e-13  # the same sums in another order, over twenty steps


def driven(kind, closes, backward, seed, **armature):
    """Bodies a and b with a joint of the kind, in the tree or closing a loop; (mechanism, rng)."""
    rng = np.random.default_rng(seed + MOVING.index(kind))
    mechanism = sarrus.Mechanism()
    for name in "ab":
        add_random_body(mechanism, name, rng)
    mechanism.add_joint("base", "spherical", "world", "a", at=rng.normal(size=3))
    if closes:
        at, axis = rng.normal(size=3), random_unit(rng)
        mechanism.add_joint("slide", "point_on_plane", "a", "b", at=at, axis=axis)
    pair = ("b", "a") if backward else ("a", "b")
    axes = random_axes(kind, rng)
    mechanism.add_joint("joint", kind, *pair, at=rng.normal(size=3), **axes, **armature)
    return mechanism, rng


def count(kind):
    return len(JOINT_KINDS[kind].coordinates)


# A kind with one freedom that closes a loop against a joint with five leaves the loop rigid; then there is
# nothing to see.
CASES = [(kind, closes) for kind in MOVING for closes in (False, True) if count(kind) > 1 or not closes]
NAMES = [f"{kind} {'closing a loop' if closes else 'in the tree'}" for kind, closes in CASES]


@pytest.mark.parametrize(("kind", "closes"), CASES, ids=NAMES)
def test_springs_dampers_armatures_and_efforts_together_act_as_in_the_dense_reference(kind, closes):
    n = count(kind)
    backward = CASES.index((kind, closes)) % 2 == 1
    mechanism, rng = driven(kind, closes, backward, 500, armature=list(0.1 + np.arange(n) / 10))
    mechanism.add_joint_spring("spring", "joint", stiffness=5 * rng.random(n), rest=0.2 * rng.normal(size=n))
    mechanism.add_joint_spring("damper", "joint", stiffness=0.0, damping=rng.random(n))
    mechanism.add_motor("motor", "joint")
    effort = rng.normal(size=n)
    _, run, dense = run_both(mechanism, inputs={"motor": effort if n > 1 else effort[0]})
    assert_same(run, dense)
    # The terms matter: without them the motion is another one.
    bare = sarrus.simulate(sarrus.build(driven(kind, closes, backward, 500)[0]), duration=0.2, dt=0.01)
    assert np.abs(run.position - bare.position).max() > 1e-4


@pytest.mark.parametrize("closes", [False, True], ids=["in the tree", "closing a loop"])
@pytest.mark.parametrize("what", ["spring", "damper", "armature"])
@pytest.mark.parametrize("kind", ["cylindrical", "spherical"])
def test_one_term_alone_acts_as_in_the_dense_reference(kind, what, closes):
    mechanism, _ = driven(kind, closes, False, 600, **({"armature": 0.3} if what == "armature" else {}))
    if what != "armature":
        strength = {"stiffness": 4.0, "rest": 0.3} if what == "spring" else {"stiffness": 0.0, "damping": 0.8}
        mechanism.add_joint_spring(what, "joint", **strength)
    _, run, dense = run_both(mechanism)
    assert_same(run, dense)


@pytest.mark.parametrize(("kind", "closes"), CASES, ids=NAMES)
def test_a_servo_with_a_fixed_target_is_a_spring_with_a_damper(kind, closes):
    n = count(kind)
    mechanism, rng = driven(kind, closes, False, 700)
    mechanism.add_motor("servo", "joint", mode="servo", stiffness=6.0, damping=0.5)
    target = 0.3 * rng.normal(size=n)
    reference, _ = driven(kind, closes, False, 700)
    reference.add_joint_spring("servo", "joint", stiffness=6.0, rest=target, damping=0.5)
    models = sarrus.build(mechanism), sarrus.build(reference)
    given = {"servo": target if n > 1 else target[0]}
    servo = sarrus.simulate(models[0], duration=0.2, dt=0.01, inputs=given)
    spring = sarrus.simulate(models[1], duration=0.2, dt=0.01)
    assert np.abs(servo.position - spring.position).max() < ROUNDING
    assert np.abs(servo.velocity - spring.velocity).max() < ROUNDING / 0.01


def test_a_spring_on_a_ball_joint_is_as_strong_in_all_directions():
    def swing(axis):
        mechanism = sarrus.Mechanism(gravity=(0, 0, 0))
        mechanism.add_body("ball", 1.0, (0.1, 0.1, 0.1), angular_velocity=2.0 * axis)
        mechanism.add_joint("socket", "spherical", "world", "ball", at=(0, 0, 0))
        mechanism.add_joint_spring("spring", "socket", stiffness=3.0)
        run = sarrus.simulate(sarrus.build(mechanism), duration=1.0, dt=0.01)
        return run.joint_position("socket") @ axis

    rng = np.random.default_rng(1)
    rate = np.sqrt(3.0 / 0.1)
    # The discrete frequency is off by (rate dt)^2 / 24 parts, the phase is 5.5 rad.
    for axis in (X, Z, random_unit(rng)):
        assert swing(axis)[-1] == pytest.approx(2.0 / rate * np.sin(rate), abs=5e-4)


def test_a_damped_motor_with_armature_and_spring_converges_with_order_2():
    from scipy.integrate import solve_ivp

    def slope(t, state):
        angle, rate = state
        moment = -0.5 * 9.81 * np.sin(np.pi / 3 + angle) - 2.0 * (angle + 0.3) - 0.5 * rate + np.sin(3 * t)
        return rate, moment / (planar.INERTIA + 0.25 + 0.1)

    exact = solve_ivp(slope, (0.0, 1.0), [0.0, 0.0], method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    mechanism = rod_pendulum([np.pi / 3], armature=0.1)
    mechanism.add_joint_spring("spring", "hinge 0", stiffness=2.0, rest=-0.3, damping=0.5)
    mechanism.add_motor("motor", "hinge 0")
    model = sarrus.build(mechanism)

    def error(which):
        def of(dt):
            run = sarrus.simulate(model, duration=1.0, dt=dt, inputs={"motor": lambda t: np.sin(3 * t)})
            return abs(
                (run.joint_position("hinge 0"), run.joint_velocity("hinge 0"))[which][-1] - exact[which]
            )

        return of

    assert ratios(error(0), 0.02, 2) == [ORDER_2, ORDER_2]
    assert ratios(error(1), 0.02, 2) == [ORDER_2, ORDER_2]


def test_a_servo_that_follows_a_moving_target_converges_with_order_2():
    from scipy.integrate import solve_ivp

    def slope(t, state):
        angle, rate = state
        effort = 40.0 * (0.5 * np.sin(2 * t) - angle) - 3.0 * rate
        return rate, (effort - 0.5 * 9.81 * np.sin(angle)) / (planar.INERTIA + 0.25)

    exact = solve_ivp(slope, (0.0, 1.0), [0.0, 0.0], method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    mechanism = rod_pendulum([0.0])
    mechanism.add_motor("servo", "hinge 0", mode="servo", stiffness=40.0, damping=3.0)
    model = sarrus.build(mechanism)

    def error(dt):
        run = sarrus.simulate(model, duration=1.0, dt=dt, inputs={"servo": lambda t: 0.5 * np.sin(2 * t)})
        return np.abs(
            [run.joint_position("hinge 0")[-1] - exact[0], run.joint_velocity("hinge 0")[-1] - exact[1]]
        ).max()

    assert ratios(error, 0.02, 2) == [ORDER_2, ORDER_2]


def test_a_stiff_servo_and_a_strong_damper_stay_stable_at_large_steps():
    mechanism = rod_pendulum([1.0])
    mechanism.add_motor("servo", "hinge 0", mode="servo", stiffness=1e6, damping=1e4)
    run = sarrus.simulate(sarrus.build(mechanism), duration=5.0, dt=0.01, inputs={"servo": -0.4})
    # The fast mode, -3e4 / s, loses 1.3 % per step; a symmetric implicit method damps no faster.
    assert run.joint_position("hinge 0")[-1] == pytest.approx(-0.4, abs=1e-4)
    assert np.abs(run.joint_position("hinge 0")).max() < 1.0
    slow = rod_pendulum([1.0])
    slow.add_joint_spring("brake", "hinge 0", stiffness=0.0, damping=1e6)
    run = sarrus.simulate(sarrus.build(slow), duration=1.0, dt=0.1)
    # At rest but for the creep of the weight's moment over the damping, 4e-6 rad/s.
    assert run.joint_position("hinge 0")[-1] == pytest.approx(-0.5 * 9.81 * np.sin(1.0) / 1e6, rel=1e-3)


@pytest.mark.parametrize("kind", ["revolute", "spherical"])
def test_dampers_only_take_energy(kind):
    mechanism = sarrus.gallery.pendulum(links=3, joint=kind)
    for name in list(mechanism.joints):
        mechanism.add_joint_spring(f"damper of {name}", name, stiffness=0.0, damping=0.3)
    energy = sarrus.simulate(sarrus.build(mechanism), duration=3.0, dt=0.01).energy().total
    assert np.diff(energy).max() < 1e-9
    assert energy[-1] < energy[0] - 5.0


def test_internal_forces_keep_the_momentum_of_a_free_pair():
    rng = np.random.default_rng(5)
    mechanism = sarrus.Mechanism(gravity=(0, 0, 0))
    for name in "ab":
        add_random_body(mechanism, name, rng)
    mechanism.add_joint("ball", "spherical", "a", "b", at=rng.normal(size=3), armature=0.2)
    mechanism.add_joint_spring("spring", "ball", stiffness=3.0, rest=0.5, damping=0.4)
    mechanism.add_spring(
        "wire", "a", "b", at_a=(1, 0, 0), at_b=(0, 1, 0), stiffness=20.0, rest_length=0.3, damping=0.5
    )
    mechanism.add_motor("motor", "ball")
    mechanism.add_motor("servo", "ball", mode="servo", component=1, stiffness=2.0, damping=0.1)
    inputs = {"motor": lambda t: (np.sin(t), 1.0, t), "servo": 0.4}
    run = sarrus.simulate(sarrus.build(mechanism), duration=2.0, dt=0.01, inputs=inputs)
    momentum = run.momentum()
    assert np.abs(momentum.linear - momentum.linear[0]).max() < 1e-12
    assert np.abs(momentum.angular - momentum.angular[0]).max() < 1e-12


def test_a_motor_on_one_component_leaves_the_others_alone():
    mechanism = sarrus.Mechanism(gravity=(0, 0, 0))
    mechanism.add_body("sled", 2.0, (0.2, 0.2, 0.4))
    mechanism.add_joint("table", "planar", "world", "sled", at=(0, 0, 0), axis=Z, axis2=X)
    mechanism.add_motor("push", "table", component=1)
    run = sarrus.simulate(sarrus.build(mechanism), duration=1.0, dt=0.01, inputs={"push": 3.0})
    assert run.joint_position("table")[-1] == pytest.approx([0.0, 0.5 * 3.0 / 2.0, 0.0], abs=1e-9)
    assert run.motor_effort("push") == pytest.approx(np.full(101, 3.0))
