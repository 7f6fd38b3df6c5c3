"""Reactions of joints: statics, motion, redundant joints."""

import numpy as np
import pytest
from tests.physics.scenes import X, Y, Z, add_random_body, random_axes, ratios, rod_pendulum
from tests.reference import planar

import sarrus
from sarrus.mechanism.joints import JOINT_KINDS

G = 9.81
STATIC = 1e-7  # a solver tolerance of 1e-10 m over dt^2 = 1e-4 s^2 and 1 kg is 1e-6 N at worst
ORDER_2 = pytest.approx(4.0, abs=0.3)  # error ratio on halving dt


def reactions(mechanism, duration=0.2, dt=0.01, **options):
    return sarrus.simulate(sarrus.build(mechanism), duration=duration, dt=dt, reactions=True, **options)


def hanging(kind, parent, child, **axes):
    """A body of 2 kg, 1 m below the joint, that hangs still."""
    mechanism = sarrus.Mechanism()
    mechanism.add_body("weight", 2.0, (0.1, 0.2, 0.25), position=(0, 0, -1))
    mechanism.add_joint("hook", kind, parent, child, at=(0, 0, 0), **axes)
    return mechanism


HOLDING = {
    "fixed": {},
    "revolute": {"axis": X},
    "spherical": {},
    "universal": {"axis": X, "axis2": Y},
    "prismatic": {"axis": X},
    "cylindrical": {"axis": Y},
    "planar": {"axis": Z},
    "rectangular": {"axis": Z},
    "slot": {"axis": X},
    "point_on_plane": {"axis": Z},
    "pin_in_slot": {"axis": X, "axis2": Y},
}


@pytest.mark.parametrize("order", ["world to weight", "weight to world"])
@pytest.mark.parametrize("kind", HOLDING)
def test_a_hanging_body_is_carried_by_its_weight(kind, order):
    names = ("world", "weight") if order == "world to weight" else ("weight", "world")
    reaction = reactions(hanging(kind, *names, **HOLDING[kind])).reaction("hook")
    # On the child: up on the weight, or down on the world.
    sign = 1.0 if names[1] == "weight" else -1.0
    assert reaction.force == pytest.approx(np.tile([0, 0, sign * 2.0 * G], (21, 1)), abs=STATIC)
    assert reaction.torque == pytest.approx(np.zeros((21, 3)), abs=STATIC)


@pytest.mark.parametrize("order", ["world to beam", "beam to world"])
@pytest.mark.parametrize("closes", [False, True], ids=["in the tree", "closing a loop"])
def test_a_cantilever_carries_weight_force_and_torque(order, closes):
    mechanism = sarrus.Mechanism()
    mechanism.add_body("beam", 2.0, (0.1, 0.2, 0.25), position=(0, 0.5, 0))
    if closes:
        mechanism.add_joint("loose", "free", "world", "beam", at=(0, 0, 0))
    names = ("world", "beam") if order == "world to beam" else ("beam", "world")
    mechanism.add_joint("wall", "fixed", *names, at=(0, 0, 0))
    mechanism.add_force("load", "beam", force=(1.0, 2.0, -3.0), torque=(0.4, 0.5, 0.6), at=(0, 1.0, 0))
    run = reactions(mechanism)
    sign = 1.0 if names[1] == "beam" else -1.0
    force = -np.array([1.0, 2.0, -3.0 - 2.0 * G])
    torque = -(
        np.cross([0, 1.0, 0], [1.0, 2.0, -3.0]) + np.cross([0, 0.5, 0], [0, 0, -2.0 * G]) + [0.4, 0.5, 0.6]
    )
    assert run.reaction("wall").force == pytest.approx(np.tile(sign * force, (21, 1)), abs=STATIC)
    assert run.reaction("wall").torque == pytest.approx(np.tile(sign * torque, (21, 1)), abs=STATIC)
    assert np.abs(run.position - run.position[0]).max() < 1e-12


def test_a_motor_torque_is_held_by_a_second_joint():
    mechanism = sarrus.Mechanism()
    mechanism.add_body("shaft", 1.0, (0.1, 0.1, 0.1))
    mechanism.add_joint("bearing", "revolute", "world", "shaft", at=(0, 0, 0), axis=X)
    mechanism.add_joint("brake", "parallel_axis", "world", "shaft", at=(0, 0, 0), axis=Y)
    mechanism.add_motor("motor", "bearing")
    run = reactions(mechanism, inputs={"motor": 3.0})
    assert np.abs(run.position).max() < 1e-12
    # The brake alone holds the rotation about x; the bearing shows the weight, and no effort of its motor.
    assert run.reaction("brake").torque == pytest.approx(np.tile([-3.0, 0, 0], (21, 1)), abs=STATIC)
    assert run.reaction("bearing").torque == pytest.approx(np.zeros((21, 3)), abs=STATIC)
    assert run.reaction("bearing").force == pytest.approx(np.tile([0, 0, G], (21, 1)), abs=STATIC)


def test_springs_dampers_and_servos_of_a_joint_are_no_part_of_its_reaction():
    mechanism = hanging("cylindrical", "world", "weight", axis=Z)
    mechanism.add_joint_spring(
        "spring", "hook", stiffness=(500.0, 1.0), rest=(2.0 * G / 500.0, 0.0), damping=3.0
    )
    run = reactions(mechanism)
    assert np.abs(run.joint_position("hook")).max() < 1e-12
    assert run.reaction("hook").force == pytest.approx(np.zeros((21, 3)), abs=STATIC)
    servo = hanging("prismatic", "world", "weight", axis=Z)
    servo.add_motor("servo", "hook", mode="servo", stiffness=500.0, damping=3.0)
    run = reactions(servo, inputs={"servo": 2.0 * G / 500.0})
    assert run.reaction("hook").force == pytest.approx(np.zeros((21, 3)), abs=STATIC)


def test_the_wire_of_a_still_weight_carries_it():
    mechanism = sarrus.Mechanism()
    mechanism.add_body("weight", 2.0, (0.1, 0.2, 0.25), position=(0, 0, -1))
    mechanism.add_distance("wire", "world", "weight", at_a=(0, 0, 1), at_b=(0, 0, -0.8))
    run = reactions(mechanism)
    assert run.reaction("wire").force == pytest.approx(np.tile([0, 0, 2 * G], (21, 1)), abs=STATIC)
    assert run.reaction("wire").torque == pytest.approx(np.zeros((21, 3)), abs=STATIC)


def swing_force(angle, rate):
    """Force of the hinge on one rod of tests/reference/planar.py: mass times acceleration, minus weight."""
    acceleration = planar.accelerations(np.array([angle]), np.array([rate]))[0]
    along, across = np.array([0, np.sin(angle), -np.cos(angle)]), np.array([0, np.cos(angle), np.sin(angle)])
    return 0.5 * (acceleration * across - rate**2 * along) + G * Z


@pytest.mark.parametrize("node", ["first", "middle", "last"])
def test_the_hinge_of_a_swinging_rod_pulls_as_in_the_closed_form_with_order_2(node):
    start, time = np.array([2.0]), {"first": 0.0, "middle": 0.5, "last": 1.0}[node]
    angles, rates = planar.swing(start, np.zeros(1), [0.0, 0.5, 1.0])
    k = [0.0, 0.5, 1.0].index(time)
    exact = swing_force(angles[k, 0], rates[k, 0])
    model = sarrus.build(rod_pendulum(start))

    def error(dt):
        run = sarrus.simulate(model, duration=1.0, dt=dt, reactions=True)
        return np.abs(run.reaction("hinge 0").force[round(time / dt)] - exact).max()

    assert ratios(error, 0.01, 2) == [ORDER_2, ORDER_2]


@pytest.mark.parametrize(("method", "within"), [("variational1", 0.5), ("variational4", 0.1)])
def test_the_other_orders_give_the_same_reactions_at_every_node(method, within):
    model = sarrus.build(sarrus.gallery.four_bar())
    dt = {"variational1": 0.0005, "variational4": 0.01}[method]
    fine = sarrus.simulate(model, duration=0.5, dt=0.0005, reactions=True)
    run = sarrus.simulate(model, duration=0.5, dt=dt, reactions=True, method=method)
    # Forces of up to 25 N, off by dt / 2 (order 1); to second order in dt, most at both ends (order 4).
    for name in model.joint_names:
        gap = run.reaction(name).force - fine.reaction(name).force[:: round(dt / 0.0005)]
        assert np.abs(gap).max() < within


def test_reactions_are_those_of_every_node_whatever_is_recorded():
    model = sarrus.build(rod_pendulum([2.0, 1.0]))
    every = sarrus.simulate(model, duration=1.0, dt=0.01, reactions=True)
    some = sarrus.simulate(model, duration=1.0, dt=0.01, reactions=True, record_every=10)
    for name in ("hinge 0", "hinge 1"):
        assert some.reaction(name).force == pytest.approx(every.reaction(name).force[::10], abs=1e-6)
        assert some.reaction(name).torque == pytest.approx(every.reaction(name).torque[::10], abs=1e-6)


@pytest.mark.parametrize("kind", [kind for kind in JOINT_KINDS if kind != "free"])
def test_reactions_balance_the_momentum_of_every_body(kind):
    """Newton's and Euler's laws at a node, written for each body with the reactions read out."""
    rng = np.random.default_rng(30 + len(kind))
    mechanism = sarrus.Mechanism()
    for name in "ab":
        add_random_body(mechanism, name, rng)
    mechanism.add_joint(
        "base", "universal", "world", "a", at=rng.normal(size=3), **random_axes("universal", rng)
    )
    at = rng.normal(size=3)
    mechanism.add_joint("joint", kind, "a", "b", at=at, **random_axes(kind, rng))
    dt = 0.002
    run = reactions(mechanism, duration=0.1, dt=dt)
    k = 25
    body = run.body("b")
    local = np.linalg.inv(matrix(mechanism.bodies["b"].orientation)) @ (at - mechanism.bodies["b"].position)
    point = body.point(local)[k]
    momentum = run.model.masses[1] * body.velocity[k - 1 : k + 2]
    spins = [
        matrix(body.orientation[i]) @ run.model.inertias[1] @ body.angular_velocity[i]
        for i in range(k - 1, k + 2)
    ]
    force, torque = run.reaction("joint").force[k], run.reaction("joint").torque[k]
    assert (momentum[2] - momentum[0]) / (2 * dt) == pytest.approx(
        force + run.model.masses[1] * run.model.gravity, abs=2e-3
    )
    moment = torque + np.cross(point - body.position[k], force)
    assert (spins[2] - spins[0]) / (2 * dt) == pytest.approx(moment, abs=2e-3)


def matrix(q):
    from tests.reference.rotation import matrix

    return matrix(np.asarray(q))


def test_a_door_hangs_on_both_its_hinges_alike():
    mechanism = sarrus.Mechanism()
    mechanism.add_body("door", 10.0, (1.0, 0.7, 0.4), position=(0.45, 0, 0))
    for name, height in (("upper", 0.7), ("lower", -0.7)):
        mechanism.add_joint(name, "revolute", "world", "door", at=(0, 0, height), axis=Z)
    model = sarrus.build(mechanism)
    assert (model.dof, model.redundant_constraints) == (1, 5)
    run = sarrus.simulate(model, duration=0.2, dt=0.01, reactions=True)
    upper, lower = run.reaction("upper"), run.reaction("lower")
    half = np.tile([0, 0, 5.0 * G], (21, 1))
    assert upper.force[:, 2] == pytest.approx(half[:, 2], abs=STATIC)
    assert lower.force[:, 2] == pytest.approx(half[:, 2], abs=STATIC)
    # What turns the door over, 10 g 0.45, is shared by a couple of forces and equal moments: least norm.
    assert upper.force[:, 0] == pytest.approx(-lower.force[:, 0], abs=STATIC)
    assert upper.torque == pytest.approx(lower.torque, abs=STATIC)
    moment = 0.7 * (upper.force[:, 0] - lower.force[:, 0]) + upper.torque[:, 1] + lower.torque[:, 1]
    assert np.abs(moment) == pytest.approx(np.full(21, 10 * G * 0.45), abs=1e-6)
    couple, share = 10 * G * 0.45 / (2 * (1 + 0.7**2)), 0.7
    assert np.abs(upper.force[:, 0]) == pytest.approx(np.full(21, couple * share), abs=1e-6)


@pytest.mark.parametrize("order", ["from the world", "to the world"])
def test_a_beam_clamped_at_both_ends_and_a_wire_above_it_share_its_weight(order):
    mechanism = sarrus.Mechanism()
    mechanism.add_body("beam", 4.0, (0.3, 0.3, 0.1))
    for name, end in (("left", -0.5), ("right", 0.5)):
        names = ("world", "beam") if order == "from the world" else ("beam", "world")
        mechanism.add_joint(name, "fixed", *names, at=(end, 0, 0))
    mechanism.add_distance("wire", "world", "beam", at_a=(0, 0, 1), at_b=(0, 0, 0))
    model = sarrus.build(mechanism)
    assert (model.dof, model.redundant_constraints) == (0, 7)
    run = sarrus.simulate(model, duration=0.1, dt=0.01, reactions=True)
    sign = 1.0 if order == "from the world" else -1.0
    # Least norm: three equal forces in one line; the moments of the ends cancel.
    third = np.tile([0, 0, 4.0 * G / 3.0], (11, 1))
    for name in ("left", "right"):
        assert sign * run.reaction(name).force == pytest.approx(third, abs=1e-6)
        assert run.reaction(name).torque == pytest.approx(np.zeros((11, 3)), abs=1e-6)
    assert run.reaction("wire").force == pytest.approx(third, abs=1e-6)


def test_reactions_that_were_not_asked_for_are_refused():
    run = sarrus.simulate(sarrus.build(rod_pendulum([1.0])), duration=0.1, dt=0.01)
    with pytest.raises(sarrus.MechanismError, match=r"'hinge 0'.*reactions=True"):
        run.reaction("hinge 0")
