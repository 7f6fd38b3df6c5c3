"""Derivatives of a step in joint coordinates, against differences of whole steps."""

import numpy as np
import pytest
from tests.physics.scenes import add_random_body, random_axes

import sarrus
from sarrus.errors import MechanismError, UnknownName
from sarrus.integrators.tree import columns as col
from sarrus.integrators.tree.linear import _Equations
from sarrus.integrators.tree.method import TreeMidpoint, TreeTrapezoid

# Differences of solved steps, over changes of 1e-4: their truncation, and the solver's 1e-12 over 1e-4.
CHANGE, ONCE, TWICE = 1e-4, 1e-6, 1e-3


def tree():
    rng = np.random.default_rng(8)
    mechanism = sarrus.Mechanism()
    for i, kind in enumerate(("revolute", "spherical", "universal")):
        add_random_body(mechanism, f"b{i}", rng)
        above = f"b{i - 1}" if i else "world"
        mechanism.add_joint(f"j{i}", kind, above, f"b{i}", at=rng.normal(size=3), **random_axes(kind, rng))
    mechanism.add_motor("m", "j0")
    mechanism.add_spring("s", "world", "b2", (0, 0, 1), mechanism.bodies["b2"].position, stiffness=20.0)
    return mechanism


def loop():
    mechanism = sarrus.gallery.four_bar()
    mechanism.add_motor("m", next(iter(mechanism.joints)))
    return mechanism


def driven():
    mechanism = tree()
    mechanism.motors.clear()
    mechanism.add_motor("m", "j0", mode="velocity")
    return mechanism


def step(equations, change):
    """(q, p) and multipliers at the end of the step from a changed start, as changes from the solution."""
    s, n = equations.stepper, equations.n
    s.node[:] = equations.moved(equations.node, change[:n])
    s.motion[:, col.P] = equations.momenta + change[n : 2 * n]
    for column in range(col.X, col.X + col.STEPS_KEPT):
        s.motion[:, column] = equations.x / s.dt
    s.kernel[:] = equations.kernel
    s.room[-1][0] = equations.lam
    s.settings[[5, 6, 9]] = 0.0
    s.read_node()
    u = np.broadcast_to(equations.u, (1, 2, len(equations.u))).copy()
    u[:, :, equations.columns] += change[2 * n :]
    chunk = s.advance(1, u, 1)
    assert chunk.failure is None
    q = np.zeros(n)
    ends = s.node
    for i, line in enumerate(s.frames.tree[1:]):
        f = line[col.FIRST]
        if line[col.COUNT] == 1:
            q[f] = ends[i, 0] - equations.end[i, 0]
        else:
            a, b = equations.end[i, :4] * [1, -1, -1, -1], ends[i, :4]
            turn = sarrus.mechanism.rotations.multiply(a[None], b[None])[0]
            q[f : f + 3] = 2.0 * turn[1:] / turn[0]
    return np.concatenate([q, s.motion[:, col.P], s.room[-1][0]])


@pytest.mark.parametrize("method", [TreeMidpoint(), TreeTrapezoid()], ids=str)
@pytest.mark.parametrize("maker", [tree, loop, driven])
def test_derivatives_of_a_step_are_those_of_whole_steps(maker, method):
    model = sarrus.build(maker())
    found = sarrus.linearize(model, inputs={"m": 0.7}, dt=0.01, method=method, second=True)
    equations = _Equations(model, method, model.initial_state(), {"m": 0.7}, 0.01)
    n, wide = equations.n, 2 * equations.n + len(equations.columns)
    assert found.A.shape == (2 * n, 2 * n)
    assert found.B.shape == (2 * n, 1)
    first = np.concatenate([np.hstack([found.A, found.B]), found.multipliers])
    units = CHANGE * np.eye(wide)
    slopes = np.array([step(equations, c) - step(equations, -c) for c in units]).T / (2.0 * CHANGE)
    assert np.abs(first - slopes).max() < ONCE * np.abs(slopes).max()
    middle = step(equations, np.zeros(wide))
    bends = np.array([step(equations, 10 * c) - 2.0 * middle + step(equations, -10 * c) for c in units])
    bends = bends.T / (10.0 * CHANGE) ** 2
    ours = np.einsum("kii->ki", found.second)
    assert np.abs(ours - bends).max() < TWICE * max(1.0, np.abs(bends).max())
    assert found.second == pytest.approx(found.second.transpose(0, 2, 1))


def test_a_step_of_a_conservative_tree_is_symplectic():
    model = sarrus.build(sarrus.gallery.pendulum(links=3, angle=1.0))
    A = sarrus.linearize(model, dt=0.05).A
    n = len(A) // 2
    J = np.block([[np.zeros((n, n)), np.eye(n)], [-np.eye(n), np.zeros((n, n))]])
    assert np.abs(A.T @ J @ A - J).max() < 1e-6 * np.abs(A).max() ** 2


def test_velocities_instead_of_momenta():
    mechanism = sarrus.Mechanism(gravity=(0, 0, 0))
    mechanism.add_body("cart", 2.0, (1.0, 1.0, 1.0))
    mechanism.add_joint("rail", "prismatic", "world", "cart", at=(0, 0, 0), axis=(1, 0, 0))
    mechanism.add_motor("push", "rail")
    found = sarrus.linearize(sarrus.build(mechanism), dt=0.1)
    A, B = found.in_velocities()
    assert found.names == ("rail",)
    assert found.inputs == ("push",)
    assert pytest.approx(np.array([[1.0, 0.1], [0.0, 1.0]]), abs=1e-8) == A
    # A force F over dt: the velocity F dt / m, the way F dt^2 / (2 m).
    assert pytest.approx(np.array([[0.0025], [0.05]]), abs=1e-8) == B


def test_what_cannot_be_linearized_is_refused_by_name():
    model = sarrus.build(loop())
    with pytest.raises(MechanismError, match="not by variational"):
        sarrus.linearize(model, method="variational")
    with pytest.raises(UnknownName, match="no input named 'n'"):
        sarrus.linearize(model, inputs={"n": 1.0})
    with pytest.raises(MechanismError, match="input 'm' must be a number"):
        sarrus.linearize(model, inputs={"m": np.nan})
    with pytest.raises(MechanismError, match="loops depend on each other"):
        sarrus.linearize(model).in_velocities()
    flying = sarrus.build(sarrus.gallery.free_chain())
    with pytest.raises(MechanismError, match="use tree-trapezoid"):
        sarrus.linearize(flying, method="lie-trapezoid")


@pytest.mark.parametrize("dt", [0.0, -0.1, np.nan, np.inf, "0.1"])
def test_a_step_that_is_no_step_is_refused(dt):
    with pytest.raises(MechanismError, match="dt must be positive and finite"):
        sarrus.linearize(sarrus.build(tree()), dt=dt)
