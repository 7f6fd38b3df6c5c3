"""Explicit integration of the continuous equations of motion: orders, references, loops."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import sarrus

# Halving dt divides the error by 2^order; at these steps within 15 %.
NEARLY = 0.15


def swinging(links=2):
    model = sarrus.build(sarrus.gallery.pendulum(links=links))
    return model, sarrus.assemble(model, {model.joint_names[0]: 0.8})


@pytest.mark.parametrize(("method", "order", "dt"), [("rk4", 4, 0.02), ("heun", 2, 0.01)])
def test_fixed_steps_have_their_order(method, order, dt):
    model, start = swinging()
    exact = sarrus.continuous(model).solve(0.4, 0.4, state=start).position[-1]
    errors = [
        np.abs(sarrus.simulate(model, 0.4, step, method=method, state=start).position[-1] - exact).max()
        for step in (dt, dt / 2)
    ]
    assert errors[0] / errors[1] == pytest.approx(2.0**order, rel=NEARLY)


def test_the_reference_meets_the_closed_form_of_a_single_pendulum():
    model, start = swinging(links=1)
    name = model.joint_names[0]
    body = next(iter(model.mechanism.bodies.values()))
    traj = sarrus.continuous(model).solve(1.0, 0.1, state=start)
    # the same pendulum as one angle: I a = -m g l sin(angle), from its own energy
    joint = model.mechanism.joints[name]
    arm = np.linalg.norm(body.position - joint.at)
    axis = joint.direction
    inertia = axis @ body.inertia @ axis + body.mass * arm**2
    angles = traj.joint_position(name)
    speed = traj.joint_velocity(name)
    height = traj.position[:, 0, 2]
    energy = 0.5 * inertia * speed**2 + 9.81 * body.mass * height
    assert energy == pytest.approx(energy[0] * np.ones_like(energy), abs=1e-8)
    assert angles[0] == pytest.approx(0.8)


def test_the_derivative_suits_scipy():
    model, start = swinging()
    system = sarrus.continuous(model)
    found = solve_ivp(
        system.derivative, (0.0, 0.5), system.start(start), method="DOP853", rtol=1e-11, atol=1e-12
    )
    end = system.state(0.5, found.y[:, -1])
    ours = system.solve(0.5, 0.5, state=start)
    assert end.position == pytest.approx(ours.position[-1], abs=1e-8)


@pytest.mark.parametrize("name", ["four_bar", "slider_crank", "free_chain", "gyroscope"])
def test_other_families_converge_to_the_reference(name):
    model = sarrus.build(getattr(sarrus.gallery, name)())
    exact = sarrus.continuous(model).solve(0.2, 0.1).position[-1]
    errors = [
        np.abs(sarrus.simulate(model, 0.2, dt, method="variational").position[-1] - exact).max()
        for dt in ((0.001, 0.0005) if name == "gyroscope" else (0.01, 0.005))
    ]
    assert errors[1] < 1e-3
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.25) or errors[0] < 1e-9


def test_loops_are_closed_where_they_are_projected_and_drift_where_not():
    model = sarrus.build(sarrus.gallery.four_bar())
    system = sarrus.continuous(model)
    closed = system.solve(0.5, 0.01, scheme="heun")
    open_ = system.solve(0.5, 0.01, scheme="heun", project=False)
    assert closed.violation().max() < 1e-11
    assert open_.violation()[-1] > 1e-8


def test_inputs_are_linear_between_the_nodes():
    mech = sarrus.Mechanism(gravity=(0.0, 0.0, 0.0))
    mech.add_body("cart", mass=2.0, inertia=(0.1, 0.1, 0.1))
    mech.add_joint("rail", "prismatic", parent="world", child="cart", at=(0, 0, 0), axis=(1.0, 0.0, 0.0))
    mech.add_motor("m", joint="rail")
    model = sarrus.build(mech)
    traj = sarrus.simulate(model, 1.0, 0.5, method="rk4", inputs={"m": lambda t: 6.0 * t})
    assert traj.joint_position("rail") == pytest.approx(traj.time**3 / 2.0, abs=1e-12)


def test_turns_are_counted():
    model, _ = swinging(links=1)
    name = model.joint_names[0]
    start = model.state(velocities={name: 20.0})
    traj = sarrus.simulate(model, 1.0, 0.01, method="rk4", state=start, record_every=50)
    fine = sarrus.simulate(model, 1.0, 0.01, method="rk4", state=start)
    assert traj.joint_position(name)[-1] == pytest.approx(fine.joint_position(name)[-1])
    assert traj.joint_position(name)[-1] > 4 * np.pi


def test_a_second_hinge_on_the_same_axis_changes_nothing():
    """All rows of the loop are redundant: nothing of them is left but rounding."""
    twice = sarrus.gallery.door()
    once = sarrus.gallery.door()
    del once.joints["upper hinge"]
    runs = [sarrus.simulate(sarrus.build(door), 0.2, 0.02, "continuous") for door in (twice, once)]
    assert runs[0].stats.iterations.max() == runs[1].stats.iterations.max()
    np.testing.assert_allclose(runs[0].position, runs[1].position, atol=1e-10)
