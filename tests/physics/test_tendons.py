"""Tendons along paths and over joints: closed forms, limits, friction, energy, files."""

from __future__ import annotations

import numpy as np
import pytest

import sarrus

R = 0.1  # [m] of the drum
EXACT = 1e-12
LIMIT = 1e-9
"""[m] how far a length may pass its limit: what limits of joints promise."""
ORDER_SLACK = 0.2


def drum(**wrap) -> sarrus.Mechanism:
    """A weight on a slide that hangs on a tendon over a fixed drum, its other end on a second slide."""
    mech = sarrus.Mechanism()
    for name, x, mass in (("left", -R, 1.0), ("right", R, 2.0)):
        mech.add_body(name, mass=mass, inertia=(1, 1, 1), position=(x, 0, -1))
        mech.add_joint(f"{name} slide", "prismatic", "world", name, at=(x, 0, -1), axis=(0, 0, 1))
    mech.add_tendon(
        "rope",
        path=[
            ("left", (-R, 0, -1)),
            sarrus.Wrap("world", (0, 0, 0), R, axis=(0, 1, 0), side=(0, 0, 1), **wrap),
            ("right", (R, 0, -1)),
        ],
    )
    return mech


def test_a_tendon_over_a_drum_has_the_length_of_two_straights_and_half_a_turn():
    model = sarrus.build(drum())
    assert model.initial_state().joint_position("rope") == pytest.approx(2.0 + np.pi * R, abs=EXACT)
    moved = model.state({"left slide": 0.3, "right slide": -0.5}, {"left slide": 2.0, "right slide": -1.0})
    assert moved.joint_position("rope") == pytest.approx(2.2 + np.pi * R, abs=EXACT)


def test_two_weights_on_a_rope_over_a_drum_are_atwoods_machine():
    """A rope that may not grow longer: g (m2 - m1) / (m1 + m2)."""
    mech = drum()
    mech.add_limit("taut", "rope", upper=2.0 + np.pi * R)
    run = sarrus.simulate(sarrus.build(mech), 0.4, 0.01)
    fallen = -0.5 * 9.81 / 3.0 * run.time**2
    np.testing.assert_allclose(run.joint_position("right slide"), fallen, atol=1e-6)
    assert run.joint_position("rope").max() <= 2.0 + np.pi * R + LIMIT


def test_a_pulley_halves_what_follows():
    mech = sarrus.Mechanism(gravity=(0, 0, 0))
    mech.add_body("a", mass=1.0, inertia=(1, 1, 1), position=(0, 0, 0))
    mech.add_joint("s", "prismatic", "world", "a", at=(0, 0, 0), axis=(0, 0, 1))
    up = [("world", (0, 0, 1)), ("a", (0, 0, 0))]
    mech.add_tendon("t", path=[*up, sarrus.Pulley(4.0), *up])
    mech.add_motor("m", "t")
    model = sarrus.build(mech)
    assert model.initial_state().joint_position("t") == pytest.approx(1.25)
    # The tendon shortens by 1.25 per way, so its pull moves the body by 1.25 times as much.
    assert model.forward_dynamics(model.initial_state(), {"m": -2.0})[0] == pytest.approx(2.5)


def arm(**spring) -> sarrus.Mechanism:
    """Two links with a tendon around both."""
    mech = sarrus.Mechanism()
    mech.add_body("a", mass=1.0, inertia=(0.05, 0.05, 0.02), position=(0, 0, -0.3))
    mech.add_joint("h", "revolute", "world", "a", at=(0, 0, 0), axis=(0, 1, 0))
    mech.add_body("b", mass=0.5, inertia=(0.02, 0.02, 0.01), position=(0, 0.05, -0.8))
    mech.add_joint("s", "spherical", "a", "b", at=(0, 0, -0.6))
    mech.add_tendon(
        "t",
        path=[
            ("world", (0.5, 0.1, 0.1)),
            sarrus.Wrap("a", (0, 0, -0.2), 0.1, axis=(0, 1, 0)),
            ("a", (-0.12, 0, -0.5)),
            sarrus.Wrap("b", (0, 0.05, -0.7), 0.06),
            ("b", (0.05, 0.1, -0.9)),
        ],
    )
    if spring:
        mech.add_joint_spring("k", "t", **spring)
    return mech


def test_the_row_vectors_of_a_path_are_the_derivative_of_its_length():
    model = sarrus.build(arm())
    rng = np.random.default_rng(5)
    for _ in range(5):
        q = {"h": float(rng.normal()), "s": 0.7 * rng.normal(size=3)}
        v = {"h": float(rng.normal()), "s": rng.normal(size=3)}
        here, h = model.state(q, v), 1e-5
        ends = [
            model.state({"h": q["h"] + k * h * v["h"], "s": q["s"] + k * h * v["s"]}).joint_position("t")
            for k in (-1, 1)
        ]
        assert here.joint_velocity("t") == pytest.approx((ends[1] - ends[0]) / (2 * h), abs=1e-8)


@pytest.mark.parametrize("method", ["variational", "tree-midpoint", "sdirk"])
def test_a_spring_and_damper_along_a_path_move_bodies_with_second_order(method):
    """It winds around both bodies from the start to the end: where that changes, the force is not smooth."""
    model = sarrus.build(arm(stiffness=40.0, rest=0.8, damping=0.3))
    state = model.state({"h": 0.2, "s": (0.05, 0.1, 0.0)})
    there = sarrus.continuous(model).solve(0.2, 0.01, state=state).position[-1]
    errors = [
        float(np.abs(sarrus.simulate(model, 0.2, dt, method=method, state=state).position[-1] - there).max())
        for dt in (0.01, 0.005, 0.0025)
    ]
    found = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert np.all(np.abs(found - 2.0) < ORDER_SLACK), errors


def test_a_spring_along_a_path_keeps_the_energy():
    run = sarrus.simulate(sarrus.build(arm(stiffness=40.0, rest=0.8)), 5.0, 0.005)
    E = run.energy().total
    assert np.abs(E - E[0]).max() < 2e-3 * np.ptp(run.energy().kinetic)


def over_joints() -> sarrus.Mechanism:
    """Two pendulums with a tendon over both."""
    mech = sarrus.Mechanism()
    for k, name in enumerate("ab"):
        mech.add_body(name, mass=1.0 + k, inertia=(0.1, 0.1, 0.1), position=(1, k, 0))
        mech.add_joint(f"h{name}", "revolute", "world", name, at=(0, k, 0), axis=(0, 1, 0))
    mech.add_tendon("t", {"ha": 1.0, "hb": -0.5}, offset=0.2)
    return mech


def test_a_limit_of_a_tendon_over_joints_holds_and_reads_its_length():
    mech = over_joints()
    mech.add_limit("l", "t", lower=-0.3, upper=0.5)
    run = sarrus.simulate(sarrus.build(mech), 3.0, 0.01)
    length = run.joint_position("t")
    np.testing.assert_allclose(length, 0.2 + run.joint_position("ha") - 0.5 * run.joint_position("hb"))
    assert length.min() >= -0.3 - LIMIT
    assert length.max() <= 0.5 + LIMIT
    assert length.max() > 0.49, "it comes to its limit"
    E = run.energy().total
    assert np.all(np.diff(E) < 1e-3), "an impact gains nothing"


def test_a_limit_that_ties_two_pendulums_moves_them_as_one():
    """Lower and upper bound nearly the same: the motion of a coupling, with which the sum keeps its value.
    At larger steps the sum strikes both of its bounds in turn."""
    mech = over_joints()
    mech.add_limit("l", "t", lower=0.2 - 1e-7, upper=0.2 + 1e-7)
    tied = over_joints()
    del tied.joints["t"]
    tied.add_coupling("c", {"ha": 1.0, "hb": -0.5})
    runs = [sarrus.simulate(sarrus.build(m), 1.0, 0.0025) for m in (mech, tied)]
    np.testing.assert_allclose(runs[0].joint_position("ha"), runs[1].joint_position("ha"), atol=1e-6)


def test_dry_friction_along_a_tendon_holds_what_is_lighter():
    mech = drum()
    mech.add_joint_friction("rope", effort=50.0)
    for body in ("left", "right"):
        mech.add_joint_spring(f"{body} k", f"{body} slide", stiffness=200.0)
    # The same weight on both springs but for the friction: they move so that the rope keeps its length.
    run = sarrus.simulate(sarrus.build(mech), 1.0, 0.005)
    length = run.joint_position("rope")
    np.testing.assert_allclose(length, length[0], atol=1e-9)
    assert np.ptp(run.joint_position("right slide")) > 0.01


def test_tendons_go_through_yaml_and_mjcf(tmp_path):
    mech = arm(stiffness=40.0, rest=1.2, damping=0.3)
    mech.add_limit("l", "t", upper=1.6)
    mech.add_joint_friction("t", 0.1)
    mech.add_motor("m", "t", mode="servo", stiffness=10.0, damping=1.0)
    mech.add_tendon(
        "p", path=[*mech.joints["t"].path, sarrus.Pulley(2.0), ("world", (0, 0, 1)), ("b", (0, 0, -1))]
    )
    for name, near in (("m.yaml", 0.0), ("m.xml", 1e-9)):
        mech.save(tmp_path / name)
        again = sarrus.load(tmp_path / name)
        assert set(again.limits) == {"l"} or again.limits["t"].upper[0] == 1.6
        runs = [
            sarrus.simulate(sarrus.build(m), 0.2, 0.005, inputs={"m": 1.0}).position[-1]
            for m in (mech, again)
        ]
        np.testing.assert_allclose(*runs, atol=near, rtol=0)


def test_a_run_with_tendons_is_stored_and_read_again(tmp_path):
    run = sarrus.simulate(sarrus.build(drum()), 0.1, 0.01)
    run.save(tmp_path / "run.npz")
    again = sarrus.load_trajectory(tmp_path / "run.npz")
    np.testing.assert_array_equal(again.joint_position("rope"), run.joint_position("rope"))


def test_an_attached_tendon_moves_with_its_mechanism():
    base = sarrus.Mechanism()
    base.add_frame("mount", "world", at=(1, 2, 3), orientation=(np.cos(0.35), 0, 0, np.sin(0.35)))
    base.attach(arm(stiffness=4.0), frame="mount", prefix="left ")
    model, alone = sarrus.build(base), sarrus.build(arm(stiffness=4.0))
    assert model.initial_state().joint_position("left t") == pytest.approx(
        alone.initial_state().joint_position("t"), abs=1e-12
    )


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ([("a", (0, 0, 0))], "two points at least"),
        ([("a", (0, 0, 0)), sarrus.Wrap("b", (0, 0, 0), 1.0)], "between two points"),
        ([sarrus.Wrap("b", (0, 0, 0), 1.0), ("a", (0, 0, 0)), ("b", (0, 0, 0))], "between two points"),
        (
            [("a", (0, 0, 0)), ("b", (0, 0, 0)), sarrus.Pulley(2.0), ("a", (0, 0, 0))],
            "two after every Pulley",
        ),
        ([("a", (0, 0, 0)), ("a", (0, 1, 0))], "never changes"),
        ([("a", (0, 0, 0)), ("aa", (0, 1, 0))], "did you mean 'a'"),
        ([("a", (0, 0, 0)), sarrus.Wrap("b", (0, 0, 0), -1.0), ("b", (0, 1, 0))], "radius"),
        ([("a", (0, 0, 0)), 3.0], "give \\(body, point\\)"),
        ("a", "must be a list"),
    ],
)
def test_a_path_that_leads_nowhere_is_refused(path, told):
    mech = arm()
    with pytest.raises(sarrus.MechanismError, match=told):
        mech.add_tendon("odd", path=path)


def test_a_tendon_takes_joints_or_a_path():
    mech = arm()
    with pytest.raises(sarrus.MechanismError, match="either the joints"):
        mech.add_tendon("none")
