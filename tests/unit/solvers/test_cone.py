"""Algebra of one contact: the closed forms of `cone` against dense solves and bisection."""

import numba
import numpy as np
import pytest

from sarrus.solvers.interior_point import cone

# Relative error of a closed form of ten operations against a dense solve of the same seven equations.
CLOSE = 1e-9
SAMPLES = 200


@numba.njit
def direction(m, dm, b, psi, l, r, d):
    return cone.friction_direction(m, dm, b, psi, l, r, d)


@numba.njit
def slip(m, dm, b, psi, l, r, db):
    return cone.friction_slip(m, dm, b, psi, l, r, db), cone.friction_multiplier(m, dm, b, psi, l, r, db)


@numba.njit
def normal(s, gamma, r0, r1, dphi):
    return cone.normal_direction(s, gamma, r0, r1, dphi)


@numba.njit
def cone_step(t, dt, v1, v2, d1, d2):
    return cone.longest_cone_step(t, dt, v1, v2, d1, d2)


@numba.njit
def path(phi, kappa, stiffness, mu, l1, l2):
    s, gamma = cone.path_gap(phi, kappa, stiffness)
    return s, gamma, cone.path_slip(mu * gamma, l1, l2, kappa)


@numba.njit
def spring_cone(z0, z1, z2, kappa, stiffness):
    return cone.path_cone(z0, z1, z2, kappa, stiffness)


@numba.njit
def spring_friction(m, z1, z2, kappa, stiffness):
    return cone.path_friction(m, z1, z2, kappa, stiffness)


@numba.njit
def scaled_cone(force, slip, r, dforce, dslip):
    W = cone.scaling(force, slip)
    columns = [cone.times_scaling(W, e) for e in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))]
    return columns, cone.cone_force(force, slip, r, dslip), cone.cone_slip(force, slip, r, dforce)


@numba.njit
def scaled_residual(force, slip, kappa, dforce, dslip):
    return cone.scaled_residual(force, slip, kappa, dforce, dslip)


def arrow(x):
    """The matrix of the Jordan product with x."""
    return np.array([x, [x[1], x[0], 0.0], [x[2], 0.0, x[0]]])


def inside(rng):
    """A random point (t, v) of the cone t > |v|, some of them near its boundary."""
    v = rng.normal(size=2) * 10.0 ** rng.uniform(-6, 2)
    return np.linalg.norm(v) * (1.0 + 10.0 ** rng.uniform(-6, 1)), v


def test_the_direction_of_a_contact_solves_its_seven_linearised_equations():
    rng = np.random.default_rng(0)
    for _ in range(SAMPLES):
        mu, s, gamma = rng.uniform(0.05, 2), 10.0 ** rng.uniform(-9, 0), 10.0 ** rng.uniform(-6, 2)
        m, b = mu * gamma, rng.normal(size=2)
        b *= m * rng.uniform(0, 0.99) / np.linalg.norm(b)
        psi, l = inside(rng)
        r, dphi, d = rng.normal(size=7), rng.normal(), rng.normal(size=2)
        # Unknowns ds, dgamma, dl (2), dpsi, db (2).
        A, y = np.zeros((7, 7)), -r.copy()
        A[0, 0] = 1.0
        y[0] += dphi
        A[1, :2] = gamma, s
        A[2, 2] = A[3, 3] = 1.0
        y[2:4] += d
        A[4, 1], A[4, 2:4], A[4, 4], A[4, 5:] = mu * psi, b, m, l
        for j in range(2):
            A[5 + j, 1], A[5 + j, 2 + j], A[5 + j, 4], A[5 + j, 5 + j] = mu * l[j], m, b[j], psi
        scale = np.abs(A).max(axis=1)
        exact = np.linalg.solve(A / scale[:, None], y / scale)
        ds, dgamma = normal(s, gamma, r[0], r[1], dphi)
        db1, db2, dpsi, dl1, dl2 = direction(m, mu * dgamma, tuple(b), psi, tuple(l), tuple(r[2:]), tuple(d))
        found = np.array([ds, dgamma, dl1, dl2, dpsi, db1, db2])
        back = A @ found - y
        sizes = np.abs(A) @ np.abs(found) + np.abs(y)
        assert (np.abs(back) < CLOSE * sizes).all()
        assert np.sign(exact[1]) == np.sign(dgamma)


def test_the_slip_for_a_force_is_the_inverse_of_the_force_for_a_slip():
    rng = np.random.default_rng(1)
    for _ in range(SAMPLES):
        m = 10.0 ** rng.uniform(-3, 2)
        b = rng.normal(size=2)
        b *= m * rng.uniform(0, 0.9) / np.linalg.norm(b)
        l = rng.normal(size=2)
        psi = np.linalg.norm(l) * rng.uniform(1.1, 10)
        dm, r, d = rng.normal(), rng.normal(size=5), rng.normal(size=2)
        db1, db2, dpsi, _, _ = direction(m, dm, tuple(b), psi, tuple(l), tuple(r), tuple(d))
        back, again = slip(m, dm, tuple(b), psi, tuple(l), tuple(r), (db1, db2))
        scale = np.abs([db1, db2, dpsi, *d]).max() * max(1.0, psi / m, m / psi)
        assert np.abs(np.array(back) - d).max() < CLOSE * scale * max(1.0, 1.0 / m)
        assert abs(again - dpsi) < CLOSE * scale * max(1.0, 1.0 / m)


def test_the_longest_step_in_a_cone_ends_at_its_boundary():
    rng = np.random.default_rng(2)
    ends = 0
    for _ in range(SAMPLES):
        t, v = inside(rng)
        scale = 10.0 ** rng.uniform(-3, 3) * t
        dt, d = scale * rng.normal(), scale * rng.normal(size=2)

        def distance(a, t=t, dt=dt, v=v, d=d):
            return t + a * dt - np.linalg.norm(v + a * d)

        step = cone_step(t, dt, *v, *d)
        assert step >= 0.0
        far = 1e6 * t / scale
        if step > far:
            assert all(distance(a) > -CLOSE * (t + a * scale) for a in np.geomspace(1e-9 * far, far, 40))
            continue
        ends += 1
        # The distance is concave along a line: one change of sign, found by bisection.
        low, high = 0.0, far
        for _ in range(200):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if distance(middle) > 0.0 else (low, middle)
        assert step == pytest.approx(low, rel=1e-6, abs=1e-9 * t / scale)
    assert ends > SAMPLES / 3


@pytest.mark.parametrize("phi", [-3.0, -1e-3, -1e-9, 0.0, 1e-9, 1e-3, 5.0])
@pytest.mark.parametrize("kappa", [1e-12, 1e-3, 10.0])
def test_the_start_lies_on_the_decoupled_central_path(phi, kappa):
    stiffness, mu, l = 1e4, 0.7, np.array([0.03, -0.01])
    s, gamma, (b1, b2, psi) = path(phi, kappa, stiffness, mu, *l)
    assert s > 0.0
    assert gamma > 0.0
    assert s * gamma == pytest.approx(kappa, rel=1e-12)
    # The difference of nearly equal numbers: judged by the larger one.
    assert abs(s - gamma / stiffness - phi) < 1e-12 * max(s, gamma / stiffness)
    b, m = np.array([b1, b2]), mu * gamma
    assert psi > np.linalg.norm(l)
    assert m > np.linalg.norm(b)
    # On the way to rest both sides of the second equation cancel to kappa.
    assert abs(m * psi + b @ l - kappa) < 1e-12 * max(kappa, m * psi)
    assert np.abs(m * l + psi * b).max() < 1e-12 * m * psi


def assert_on_path(m, b, psi, l, kappa):
    """(m, b) o (psi, l) = kappa (1, 0, 0), inside both cones."""
    assert m > np.linalg.norm(b)
    assert psi > np.linalg.norm(l)
    assert abs(m * psi + b @ l - kappa) < 1e-9 * max(kappa, m * psi)
    assert np.abs(m * l + psi * b).max() < 1e-9 * m * psi


def test_friction_that_is_a_spring_starts_on_the_central_path_stuck_or_sliding():
    rng, stiffness = np.random.default_rng(3), 1e4
    for _ in range(SAMPLES):
        m, z = 10.0 ** rng.uniform(-3, 3), rng.normal(size=2) * 10.0 ** rng.uniform(-4, 4)
        kappa = 10.0 ** rng.uniform(-3, 3) * max(m, np.linalg.norm(z)) ** 2 / stiffness
        b1, b2, psi, l1, l2 = spring_friction(m, *z, kappa, stiffness)
        b, l = np.array([b1, b2]), np.array([l1, l2])
        assert_on_path(m, b, psi, l, kappa)
        np.testing.assert_allclose(stiffness * l - b, z, rtol=1e-9, atol=1e-9 * np.linalg.norm(z))


def test_a_cone_of_springs_starts_on_the_central_path():
    rng, stiffness = np.random.default_rng(4), 1e4
    for _ in range(SAMPLES):
        z = rng.normal(size=3) * 10.0 ** rng.uniform(-4, 4)
        kappa = 10.0 ** rng.uniform(-3, 3) * (z @ z) / stiffness
        m, b1, b2, psi, l1, l2 = spring_cone(*z, kappa, stiffness)
        assert_on_path(m, np.array([b1, b2]), psi, np.array([l1, l2]), kappa)
        found = stiffness * np.array([psi, l1, l2]) - [m, b1, b2]
        np.testing.assert_allclose(found, z, atol=1e-9 * max(m, stiffness * psi))


def test_the_scaling_of_a_cone_takes_force_and_slip_to_one_point_and_keeps_the_cone():
    rng = np.random.default_rng(5)
    mirror = np.diag([1.0, -1.0, -1.0])
    for _ in range(SAMPLES):
        force, slip = (np.array([t, *v]) for t, v in (inside(rng), inside(rng)))
        W = np.array(scaled_cone(tuple(force), tuple(slip), (0.0,) * 3, (1.0,) * 3, (1.0,) * 3)[0])
        size = np.linalg.norm(W) ** 2
        np.testing.assert_allclose(W, W.T, rtol=1e-14)
        assert np.linalg.eigvalsh(W)[0] > 0.0
        kept = W @ mirror @ W
        np.testing.assert_allclose(kept, kept[0, 0] * mirror, atol=1e-9 * size)
        np.testing.assert_allclose(W @ W @ force, slip, atol=1e-6 * size * np.linalg.norm(force))


def test_the_directions_of_a_scaled_cone_solve_its_linearised_equations():
    rng = np.random.default_rng(6)
    for _ in range(SAMPLES):
        (m, b), (psi, l) = ((t, 0.999 * v) for t, v in (inside(rng), inside(rng)))
        force, slip = np.array([m, *b]), np.array([psi, *l])
        r, dforce, dslip = rng.normal(size=(3, 3))
        W, to_force, to_slip = scaled_cone(tuple(force), tuple(slip), tuple(r), tuple(dforce), tuple(dslip))
        W = np.array(W)
        middle = arrow(W @ force)
        for df, ds in ((to_force, dslip), (dforce, to_slip)):
            parts = [middle @ W @ df, middle @ np.linalg.solve(W, ds), r]
            assert np.abs(sum(parts)).max() < 1e-6 * np.abs(parts).max()


def test_the_residual_of_a_scaled_cone_vanishes_on_the_central_path_alone():
    rng, none = np.random.default_rng(7), (0.0,) * 3
    for _ in range(SAMPLES):
        z, kappa = rng.normal(size=3), 10.0 ** rng.uniform(-3, 3)
        m, b1, b2, psi, l1, l2 = spring_cone(*z, kappa, 1.0)
        r = scaled_residual((m, b1, b2), (psi, l1, l2), kappa, none, none)
        np.testing.assert_allclose(r, 0.0, atol=1e-9 * m * psi)
        assert (
            np.abs(scaled_residual((m, b1, b2), (2.0 * psi, l1, l2), kappa, none, none)).max() > 0.1 * kappa
        )
