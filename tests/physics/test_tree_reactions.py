"""Wrenches of joints in runs in joint coordinates: closed forms, Newton's law, and those of `variational`."""

import numpy as np
import pytest
from tests.physics.scenes import rod_pendulum

import sarrus

METHODS = ("tree-midpoint", "tree-trapezoid", "lie-trapezoid")
# At the motion of the run itself wrenches are exact, but for differences of rows (1e-10 of them) and for the
# 1e-9 of its mass that a mechanism with point masses counts with more: of 40 N here.
EXACT = 2e-7


@pytest.mark.parametrize("method", METHODS)
def test_a_string_pulls_by_weight_and_centrifugal_force(method):
    mechanism = sarrus.Mechanism()
    mechanism.add_body("ball", 2.0, (0.0, 0.0, 0.0), position=(0, 0, -1.0))
    mechanism.add_joint("hinge", "revolute", "world", "ball", at=(0, 0, 0), axis=(1, 0, 0))
    model = sarrus.build(mechanism)
    run = sarrus.simulate(model, 1.0, 0.01, method, state=model.state({"hinge": 1.0}), reactions=True)
    angle, rate = run.joint_position("hinge"), run.joint_velocity("hinge")
    pull = 2.0 * (9.81 * np.cos(angle) + rate**2)
    along = -np.stack([0.0 * angle, np.sin(angle), -np.cos(angle)], axis=1)
    assert run.reaction("hinge").force == pytest.approx(pull[:, None] * along, abs=EXACT)
    assert np.abs(run.reaction("hinge").torque).max() < EXACT


def scenes():
    spring = rod_pendulum([0.4, 0.9])
    spring.add_joint_spring("knee", joint="hinge 1", stiffness=3.0, damping=0.2)
    spring.add_motor("push", "hinge 0")
    spring.add_spring("band", "world", "rod 1", at_a=(0, 1.0, 0), at_b=(0, 0.8, -1.0), stiffness=5.0)
    return {
        "chain": rod_pendulum([0.4, 0.9]),
        "with springs and a motor": spring,
        "four-bar": sarrus.gallery.four_bar(),
        "redundant loop": sarrus.gallery.bricard(),
    }


@pytest.mark.parametrize("method", METHODS[:2])
@pytest.mark.parametrize("name", ["chain", "with springs and a motor", "four-bar", "redundant loop"])
def test_wrenches_tend_to_those_of_variational(name, method):
    model = sarrus.build(scenes()[name])
    inputs = {"push": lambda t: 2.0 * np.sin(6.0 * t)} if "push" in model.inputs else None
    best = sarrus.simulate(model, 0.2, 0.0005, inputs=inputs, reactions=True, record_every=40)
    for joint in model.joint_names:
        wanted = best.reaction(joint)
        size = max(np.abs(best.reaction(each).force).max() for each in model.joint_names)
        errors = []
        for dt in (0.01, 0.005):
            run = sarrus.simulate(
                model, 0.2, dt, method, inputs=inputs, reactions=True, record_every=round(0.02 / dt)
            )
            found = run.reaction(joint)
            # Both ends included: wrenches there are as good as between.
            off = np.concatenate([found.force - wanted.force, found.torque - wanted.torque], axis=1)
            errors.append(np.abs(off).max())
        assert errors[0] < 0.02 * size
        # Of second order, until the error of the reference is met.
        assert errors[1] < 0.3 * errors[0] + 1e-4 * size


def test_all_that_holds_a_mechanism_makes_its_momentum():
    model = sarrus.build(sarrus.gallery.four_bar())
    run = sarrus.simulate(model, 0.5, 0.0025, "tree-midpoint", reactions=True)
    held = run.reaction("crank pivot").force + run.reaction("rocker pivot").force
    linear, dt = run.momentum().linear, run.dt
    rate = (linear[2:] - linear[:-2]) / (2.0 * dt)
    weight = model.masses.sum() * model.gravity
    assert held[1:-1] + weight == pytest.approx(rate, abs=2e-3 * np.abs(rate).max())


def test_records_files_and_resumed_runs_hold_the_same_wrenches(tmp_path):
    model = sarrus.build(rod_pendulum([0.4, 0.9]))
    whole = sarrus.simulate(model, 0.2, 0.01, "tree-midpoint", reactions=True)
    sparse = sarrus.simulate(model, 0.2, 0.01, "tree-midpoint", reactions=True, record_every=4)
    assert sparse.reaction("hinge 1").force == pytest.approx(whole.reaction("hinge 1").force[::4], abs=1e-12)
    file = tmp_path / "run.npz"
    sarrus.simulate(model, 0.2, 0.01, "tree-midpoint", reactions=True, out=file)
    read = sarrus.load_trajectory(file)
    assert np.array_equal(read.reaction("hinge 0").torque, whole.reaction("hinge 0").torque)


def test_wrenches_are_there_only_where_they_were_asked_for():
    run = sarrus.simulate(sarrus.build(rod_pendulum([0.4])), 0.1, 0.01, "tree-midpoint")
    with pytest.raises(sarrus.SarrusError, match="reactions=True"):
        run.reaction("hinge 0")
