"""The integrators of one free rigid body: order, momentum, Jacobians, forces, refusals."""

from __future__ import annotations

import numpy as np
import pytest

import sarrus
from sarrus.integrators.rigid_body import equations
from sarrus.mechanism.rotations import rotation

METHODS = ("rigid-body-newmark", "rigid-body-cayley")


def spinning(gravity=(0.0, 0.0, 0.0), **more):
    mech = sarrus.Mechanism(gravity=gravity)
    inertia = np.array([[1.4, 0.1, 0.2], [0.1, 2.0, 0.3], [0.2, 0.3, 2.6]])
    given = {"velocity": (1.0, 0.0, 0.5), "angular_velocity": (1.0, 2.0, -1.0)} | more
    mech.add_body("body", mass=2.0, inertia=inertia, **given)
    return mech


@pytest.mark.parametrize("method", METHODS)
def test_the_motion_of_a_free_body_is_of_second_order(method):
    model = sarrus.build(spinning())
    exact = sarrus.continuous(model).solve(1.0, 1.0).orientation[-1, 0]
    errors = []
    for dt in (0.025, 0.0125):
        q = sarrus.simulate(model, 1.0, dt, method=method).orientation[-1, 0]
        errors.append(np.abs(q - exact * np.sign(q @ exact)).max())
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.02)


def test_the_cayley_integrator_keeps_the_momentum_in_space_and_newmark_its_norm():
    model = sarrus.build(spinning())
    for method, direction in (("rigid-body-cayley", 1e-12), ("rigid-body-newmark", 1.0)):
        run = sarrus.simulate(model, 20.0, 0.1, method=method)
        L = run.momentum().angular - np.cross(run.position[:, 0], 2.0 * run.velocity[:, 0])
        assert np.abs(L - L[0]).max() < direction
        norm = np.linalg.norm(L, axis=1)
        assert norm == pytest.approx(np.full_like(norm, norm[0]), rel=1e-12)


def test_jacobians_are_those_of_differences():
    rng = np.random.default_rng(2)
    for _ in range(5):
        J = np.diag(rng.uniform(1.0, 3.0, size=3))
        w, h = rng.normal(size=3), 0.3
        for momentum, jacobian in (
            (equations.newmark_momentum, equations.newmark_jacobian),
            (equations.cayley_momentum, equations.cayley_jacobian),
        ):
            slopes = [(momentum(w + 1e-6 * e, J, h) - momentum(w - 1e-6 * e, J, h)) / 2e-6 for e in np.eye(3)]
            assert jacobian(w, J, h) == pytest.approx(np.array(slopes).T, abs=1e-8)


def test_the_cayley_map_is_that_of_the_matrices():
    r = np.array([0.3, -0.8, 0.5])
    K = equations.hat(r) / 2
    expected = np.linalg.solve(np.eye(3) - K, np.eye(3) + K)
    assert rotation(equations.cayley(r)) == pytest.approx(expected, abs=1e-14)
    inverse_tangent = np.eye(3) - equations.hat(r) / 2 + np.outer(r, r) / 4
    J, w = np.diag([1.0, 2.0, 3.0]), r / 0.1
    assert equations.cayley_momentum(w, J, 0.1) == pytest.approx(inverse_tangent.T @ J @ w, abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_gravity_forces_and_springs_act(method):
    mech = spinning(gravity=(0.0, 0.0, -9.81), angular_velocity=(0.2, 0.1, 0.3))
    mech.add_force("push", "body", force=(1.0, 2.0, 3.0), torque=(0.1, -0.2, 0.3))
    mech.add_spring("spring", "world", "body", (0, 0, 2.0), (0.1, 0.2, 0.3), stiffness=4.0, rest_length=0.5)
    model = sarrus.build(mech)
    exact = sarrus.continuous(model).solve(0.5, 0.5)
    errors = []
    for dt in (0.0125, 0.00625):
        run = sarrus.simulate(model, 0.5, dt, method=method)
        q, e = run.orientation[-1, 0], exact.orientation[-1, 0]
        errors.append(
            max(np.abs(run.position[-1] - exact.position[-1]).max(), np.abs(q - e * np.sign(q @ e)).max())
        )
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)


def test_steps_that_find_no_solution_are_divided():
    model = sarrus.build(spinning(angular_velocity=(10.0, 20.0, -10.0)))
    run = sarrus.simulate(model, 4.0, 0.4, method=sarrus.RigidBodyNewmark(max_iterations=6))
    assert run.stats.substeps.sum() > 0
    with pytest.raises(sarrus.StepFailed):
        sarrus.simulate(model, 4.0, 0.4, method=sarrus.RigidBodyNewmark(max_iterations=1, max_substeps=1))


@pytest.mark.parametrize("method", METHODS)
def test_all_but_one_free_body_is_refused_by_name(method):
    with pytest.raises(sarrus.MechanismError, match=r"runs one free body.*has 3"):
        sarrus.simulate(sarrus.build(sarrus.gallery.free_chain(links=3)), 0.1, 0.1, method=method)
    with pytest.raises(sarrus.MechanismError, match=r"joint .* holds it"):
        sarrus.simulate(sarrus.build(sarrus.gallery.pendulum(links=1)), 0.1, 0.1, method=method)
    mech = spinning()
    mech.add_spring("damper", "world", "body", (0, 0, 2.0), (0, 0, 0), stiffness=4.0, damping=1.0)
    with pytest.raises(sarrus.MechanismError, match="not 'damper'"):
        sarrus.simulate(sarrus.build(mech), 0.1, 0.1, method=method)
    with pytest.raises(sarrus.MechanismError, match="max_substeps must be a power of 2"):
        sarrus.RigidBodyCayley(max_substeps=3)
