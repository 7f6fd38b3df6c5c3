"""Gap, normal and slip of pairs of features: their row vectors are derivatives."""

import numba
import numpy as np
import pytest
from tests.physics.scenes import random_turn, random_unit
from tests.reference.rotation import matrix, multiply

import sarrus
from sarrus import layout as at
from sarrus.integrators.maximal.variational import contact
from sarrus.integrators.maximal.variational.body import place
from sarrus.kinematics.features import gap_of
from sarrus.maths.access import get3
from sarrus.mechanism.shapes import Capsule, Cylinder, Sphere

# Central differences of steps of 1e-6 on lengths near 1: 1e-12 (truncation) and 1e-10 (rounding).
STEP, DIFFERENCES = 1e-6, 1e-8
ROUNDING = 1e-13


@numba.njit
def gap(features, xa, Ra, xb, Rb):
    return gap_of(features, 0, (xa[0], xa[1], xa[2]), flat(Ra), (xb[0], xb[1], xb[2]), flat(Rb))


@numba.njit
def flat(R):
    return R[0, 0], R[0, 1], R[0, 2], R[1, 0], R[1, 1], R[1, 2], R[2, 0], R[2, 1], R[2, 2]


def feature(kind, rng):
    line = np.zeros((1, at.STATE_COLS))
    line[0, at.FEATURE_TYPE] = kind
    for column in (at.FEATURE_PA, at.FEATURE_PB):
        line[0, column : column + 3] = rng.normal(size=3)
    line[0, at.FEATURE_N : at.FEATURE_N + 3] = random_unit(rng)
    line[0, at.FEATURE_E : at.FEATURE_E + 3] = random_unit(rng)
    line[0, at.FEATURE_R], line[0, at.FEATURE_RB] = 0.3, 0.1
    return line


def turned(q, by):
    """Rotation matrix of q after a small world rotation `by`."""
    return matrix(multiply(np.concatenate([[np.cos(np.linalg.norm(by) / 2)], 0.5 * by]), q))


KINDS = {
    "plane": at.PLANE, "points": at.POINTS, "line": at.LINE, "edges": at.EDGES_FEATURE, "rope": at.ROPE,
    "rim": at.RIM,
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("seed", range(5))
def test_the_gap_changes_by_the_normal_motion_at_the_contact_point(kind, seed):
    rng = np.random.default_rng(seed)
    line, xa, xb = feature(kind, rng), rng.normal(size=3), rng.normal(size=3)
    qa, qb = random_turn(rng), random_turn(rng)
    _, n, point = gap(line, xa, matrix(qa), xb, matrix(qb))
    n, point = np.array(n), np.array(point)
    assert np.linalg.norm(n) == pytest.approx(1.0, abs=ROUNDING)
    for body, sign in ((0, -1.0), (1, 1.0)):
        x = (xa, xb)[body]
        row = sign * np.concatenate([n, np.cross(point - x, n)])
        for axis in range(6):
            sides = []
            for small in (STEP, -STEP):
                dx, dw = np.zeros((2, 3)), np.zeros((2, 3))
                (dx if axis < 3 else dw)[body, axis % 3] = small
                moved = gap(line, xa + dx[0], turned(qa, dw[0]), xb + dx[1], turned(qb, dw[1]))
                sides.append(moved[0])
            assert (sides[0] - sides[1]) / (2 * STEP) == pytest.approx(row[axis], abs=DIFFERENCES)


@pytest.mark.parametrize("tilt", [0.0, 1e-13, 1e-11, 1e-9, 1e-6, 1e-3, 0.5])
def test_the_gap_of_a_rim_is_exact_however_flat_it_lies(tilt):
    """The height of its middle less radius times the sine of the tilt.

    Nearly flat, the direction to the lowest point is known to few digits only."""
    rng = np.random.default_rng(3)
    line = np.zeros((1, at.STATE_COLS))
    line[0, at.FEATURE_TYPE], line[0, at.FEATURE_R] = at.RIM, 0.3
    line[0, at.FEATURE_N + 2] = line[0, at.FEATURE_E + 2] = 1.0
    for _ in range(20):
        angle, about = rng.uniform(0.0, 2 * np.pi, 2)
        half = 0.5 * tilt
        lean = np.array([np.cos(half), np.sin(half) * np.cos(angle), np.sin(half) * np.sin(angle), 0.0])
        q = multiply(lean, np.array([np.cos(0.5 * about), 0.0, 0.0, np.sin(0.5 * about)]))
        xb = np.array([*rng.normal(size=2), 0.7])
        phi, _, point = gap(line, np.zeros(3), np.eye(3), xb, matrix(q))
        assert phi == pytest.approx(0.7 - 0.3 * np.sin(tilt), abs=ROUNDING)
        if tilt > 1e-6:
            assert point[2] == pytest.approx(phi, abs=1e-9)


def test_gaps_are_the_distances_they_stand_for():
    rng = np.random.default_rng(7)
    for _ in range(20):
        xa, xb, qa, qb = rng.normal(size=3), rng.normal(size=3), random_turn(rng), random_turn(rng)
        Ra, Rb = matrix(qa), matrix(qb)

        def of(kind, rng=rng, xa=xa, xb=xb, Ra=Ra, Rb=Rb):
            line = feature(kind, rng)
            parts = (line[0, c : c + 3] for c in (at.FEATURE_PA, at.FEATURE_PB, at.FEATURE_N, at.FEATURE_E))
            pa, pb, n, e = parts
            return gap(line, xa, Ra, xb, Rb), xa + Ra @ pa, xb + Rb @ pb, Ra @ n, Rb @ e

        (phi, n, point), pa, pb, _, _ = of(at.POINTS)
        assert phi == pytest.approx(np.linalg.norm(pb - pa) - 0.3, abs=ROUNDING)
        assert np.linalg.norm(np.array(point) - pb) == pytest.approx(0.1, abs=ROUNDING)
        (phi, n, _), pa, pb, _, _ = of(at.ROPE)
        assert phi == pytest.approx(0.3 - np.linalg.norm(pb - pa), abs=ROUNDING)
        assert np.array(n) @ (pa - pb) > 0.0
        (phi, _, _), pa, pb, e, _ = of(at.LINE)
        assert phi == pytest.approx(np.linalg.norm(np.cross(pb - pa, e)) - 0.3, abs=1e-12)
        (phi, n, point), pa, pb, ea, eb = of(at.EDGES_FEATURE)
        apart = (pb - pa) @ np.cross(ea, eb) / np.linalg.norm(np.cross(ea, eb))
        assert phi == pytest.approx(apart - 0.3, abs=1e-12)
        # The point, moved back onto B's line, lies on it and over A's line.
        back = np.array(point) + 0.1 * np.array(n)
        assert np.linalg.norm(np.cross(back - pb, eb)) < 1e-10
        assert abs(np.cross(ea, np.array(n)) @ (back - pa)) < 1e-10
        (phi, n, point), pa, pb, n_a, axis = of(at.RIM)
        angles = np.linspace(0, 2 * np.pi, 20001)
        first = np.cross(axis, random_unit(rng))
        first /= np.linalg.norm(first)
        second = np.cross(axis, first)
        circle = pb + 0.3 * (np.cos(angles)[:, None] * first + np.sin(angles)[:, None] * second)
        assert phi == pytest.approx(((circle - pa) @ n_a).min(), abs=1e-7)


@numba.njit
def trial(topo, par, state, work, dt):
    """Gap, slip and row vectors of contact 0 at the trial configuration."""
    for b in range(topo[0, at.BODIES]):
        place(state, work, b, dt, get3(state, b, at.V), get3(state, b, at.V + 3))
    contact.evaluate_touch(topo, par, state, work, 0, dt)


@numba.njit
def enter(topo, par, state, work):
    for b in range(topo[0, at.BODIES]):
        place(state, work, b, 0.0, get3(state, b, at.V), get3(state, b, at.V + 3))
    contact.enter_touch(topo, par, state, work, 0)


SHAPES = {"round": Sphere(0.2), "capsule": Capsule(0.1, 0.3, at=(0.02, 0, 0)), "rim": Cylinder(0.2, 0.3)}


@pytest.mark.parametrize("name", [*SHAPES, "material"])
def test_slip_rows_are_derivatives_and_slip_is_what_it_says(name):
    rng, dt = np.random.default_rng(11), 0.05
    mechanism = sarrus.Mechanism()
    shape = SHAPES[name] if name in SHAPES else sarrus.Box((0.3, 0.4, 0.5))
    q = random_turn(rng)
    mechanism.add_body(
        "body", 1.0, (0.1, 0.2, 0.15), position=rng.normal(size=3), orientation=q, shapes=[shape]
    )
    mechanism.add_ground(0.5, normal=random_unit(rng), at=(0, 0, -5))
    model = sarrus.build(mechanism)
    stepper = sarrus.Variational().stepper(model, model.initial_state(), dt)
    topo, par, state, work = stepper.topo, stepper.par, stepper.kernel, stepper.work
    line = topo[0, at.W_CONTACTS]
    enter(topo, par, state, work)
    point = work[line, at.POINT : at.POINT + 3].copy()
    frame = work[line, at.FRAME : at.FRAME + 9].reshape(3, 3).copy()
    assert frame @ frame.T == pytest.approx(np.eye(3), abs=ROUNDING)
    velocity = np.concatenate([rng.normal(size=3), 3.0 * rng.normal(size=3)])

    def at_velocity(u):
        state[0, at.V : at.V + 6] = u
        trial(topo, par, state, work, dt)
        return work[line, at.TRIAL : at.TRIAL + 3].copy()

    value = at_velocity(velocity)
    rows = work[line, at.TRIAL_B : at.TRIAL_B + 18].reshape(3, 6).copy()
    arm = point - mechanism.bodies["body"].position
    if name == "material":
        f = 0.5 * dt * velocity[3:]
        turn = np.concatenate([[np.sqrt(1 - f @ f)], f])
        moved = dt * velocity[:3] + matrix(turn) @ arm - arm
    else:
        moved = dt * (velocity[:3] + np.cross(velocity[3:], arm))
    assert value[1:] == pytest.approx(frame[1:] @ moved, abs=ROUNDING)
    f = 0.5 * dt * velocity[3:]
    turn = np.concatenate([[np.sqrt(1 - f @ f)], f])
    for axis in range(6):
        sides = []
        for small in (STEP, -STEP):
            u = velocity.copy()
            if axis < 3:
                u[axis] += small / dt
            else:
                by = np.concatenate([[1.0], 0.5 * small * np.eye(3)[axis - 3]])
                u[3:] = 2.0 / dt * multiply(by / np.linalg.norm(by), turn)[1:]
            sides.append(at_velocity(u))
        assert (sides[0] - sides[1]) / (2 * STEP) == pytest.approx(rows[:, axis], abs=DIFFERENCES)
