"""Keyframes: checked by name, and started from with loops closed."""

from __future__ import annotations

import numpy as np
import pytest

import sarrus
from sarrus.errors import AssemblyError, MechanismError, UnknownName

CLOSED = 1e-10  # ten times what assembly promises for a mechanism of a metre


def four_bar() -> sarrus.Mechanism:
    """A four-bar linkage with a motor at A."""
    mech = sarrus.Mechanism()
    for name, y, z in (("crank", 0.0, 0.2), ("coupler", 0.4, 0.4), ("rocker", 0.8, 0.2)):
        mech.add_body(name, mass=1.0, inertia=(0.02, 0.02, 0.02), position=(0.0, y, z))
    x = (1.0, 0.0, 0.0)
    mech.add_joint("A", "revolute", parent="world", child="crank", at=(0.0, 0.0, 0.0), axis=x)
    mech.add_joint("B", "revolute", parent="crank", child="coupler", at=(0.0, 0.0, 0.4), axis=x)
    mech.add_joint("C", "revolute", parent="coupler", child="rocker", at=(0.0, 0.8, 0.4), axis=x)
    mech.add_joint("D", "revolute", parent="rocker", child="world", at=(0.0, 0.8, 0.0), axis=x)
    mech.add_motor("m", joint="A")
    return mech


def test_a_keyframe_that_does_not_close_its_loop_exactly_is_closed_by_a_small_change():
    mech = four_bar()
    mech.add_keyframe("up", joints={"A": 0.3, "B": -0.29, "C": 0.3, "D": -0.31}, inputs={"m": 0.5})
    model = sarrus.build(mech)
    state = model.state(keyframe="up")
    residual = model.residuals(state.position, state.orientation)
    assert np.abs(residual).max() < CLOSED
    assert state.joint_position("A") == pytest.approx(0.3, abs=0.02)
    assert mech.keyframes["up"].inputs["m"].tolist() == [0.5]


def test_joints_given_beside_a_keyframe_are_met_exactly():
    mech = four_bar()
    mech.add_keyframe(
        "up", joints={"A": 0.3, "B": -0.3, "C": 0.3}, velocities={"A": 1.0, "B": -1.0, "C": 1.1}
    )
    model = sarrus.build(mech)
    state = model.state(joints={"A": 0.25}, velocities={"A": 2.0}, keyframe="up")
    assert state.joint_position("A") == pytest.approx(0.25, abs=CLOSED)
    assert state.joint_velocity("A") == pytest.approx(2.0, abs=1e-8)


def test_velocities_of_a_keyframe_are_taken_to_the_nearest_that_keep_the_loop_closed():
    mech = four_bar()
    mech.add_keyframe("fast", velocities={"A": 1.0, "B": -1.0, "C": 1.0, "D": -0.9})
    state = sarrus.build(mech).state(keyframe="fast")
    assert state.joint_velocity("A") == pytest.approx(1.0, abs=0.1)
    # A parallelogram: opposite angles turn alike.
    assert state.joint_velocity("A") == pytest.approx(state.joint_velocity("C"), abs=1e-8)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"joints": {"E": 1.0}}, "no joint named 'E'"),
        ({"joints": {"A": (1.0, 2.0)}}, "coordinates of joint 'A' must be one finite number, not"),
        ({"joints": {"A": float("nan")}}, "finite"),
        ({"joints": [1.0]}, "must be a dict"),
        ({"velocities": {"A": "fast"}}, "velocities of joint 'A'"),
        ({"inputs": {"n": 1.0}}, "no force or motor named 'n'"),
    ],
)
def test_a_keyframe_with_a_fault_is_refused_by_name(arguments, words):
    mech = four_bar()
    with pytest.raises(MechanismError, match=words):
        mech.add_keyframe("bad", **arguments)
    assert not mech.keyframes


@pytest.mark.parametrize("kind", ["spherical", "free"])
def test_velocities_of_a_rotation_vector_in_a_keyframe_are_its_rates(kind):
    mech = sarrus.Mechanism()
    mech.add_body("b", mass=1.0, inertia=(0.1, 0.2, 0.3), position=(0.1, 0.2, -0.3))
    mech.add_joint("ball", kind, parent="world", child="b", at=(0.0, 0.0, 0.0))
    rates = np.array([0.5, 0.1, -0.3] if kind == "spherical" else [1.0, 2.0, 3.0, 0.5, 0.1, -0.3])
    mech.add_keyframe("turned", {"ball": 0.3 * rates}, {"ball": rates})
    mech.add_keyframe("straight", None, {"ball": rates})
    model = sarrus.build(mech)
    for name in mech.keyframes:
        assert np.allclose(model.state(keyframe=name).joint_velocity("ball"), rates, rtol=0.0, atol=CLOSED)


def test_a_velocity_that_the_loops_do_not_allow_is_refused_by_name():
    model = sarrus.build(four_bar())
    with pytest.raises(AssemblyError, match=r"joint '[ABCD]' cannot have the velocity"):
        model.state(velocities={"A": 1.0, "C": -1.0})


def test_the_inputs_of_a_keyframe_can_be_given_to_simulate():
    mech = four_bar()
    mech.add_keyframe("push", inputs={"m": 0.5})
    model = sarrus.build(mech)
    run = sarrus.simulate(model, duration=0.05, inputs=mech.keyframes["push"].inputs)
    assert run.inputs["m"].tolist() == [0.5] * 6


def test_an_unknown_keyframe_is_answered_with_the_known_ones():
    mech = four_bar()
    mech.add_keyframe("home")
    with pytest.raises(UnknownName, match="home"):
        sarrus.build(mech).state(keyframe="hom")


def test_coordinates_of_all_joints_of_a_loop_are_used_whichever_of_them_closes_it():
    """Where all coordinates but one are given, the start needs no change, whichever joint is off the tree."""
    model = sarrus.build(four_bar())
    wanted = model.state({"A": 0.7})
    joints = {name: wanted.joint_position(name) for name in model.joint_names}
    for left_out in model.joint_names:
        near = {name: q for name, q in joints.items() if name != left_out}
        mech = four_bar()
        mech.add_keyframe("pose", joints=near)
        state = sarrus.build(mech).state(keyframe="pose")
        assert np.allclose(state.position, wanted.position, rtol=0.0, atol=CLOSED)


def test_a_reference_beyond_a_limit_is_answered_with_the_keyframes_to_start_from():
    mech = four_bar()
    mech.add_limit("stop", joint="A", lower=0.1)
    mech.add_keyframe("home", joints={"A": 0.5})
    model = sarrus.build(mech)
    with pytest.raises(MechanismError, match=r"start at a keyframe .*'home'"):
        sarrus.Simulation(model)
