"""The elimination of the tree and its border against dense solves, for any blocks, motions and rows."""

import numba
import numpy as np
import pytest

import sarrus
from sarrus import layout as at
from sarrus.maths.access import get3, get6, get9, get36, put6
from sarrus.maths.spatial import ZERO6, carry_motion
from sarrus.solvers import tree
from sarrus.solvers.border import open_border, solve_rows

# Blocks of some 50 unknowns near 1, with pivots that are not chosen.
SOLVED = 1e-9


@numba.njit
def eliminate(topo, work, blocks, loops, elements=None):
    if loops is not None:
        open_border(topo, work, at.G1)
    for b in range(topo[0, at.BODIES] - 1, -1, -1):
        tree.begin_body(topo, work, b, loops)
        M, r = tree.add_children(topo, work, b, get36(blocks, b, 0), get6(work, b, at.F))
        line = topo[0, at.W_FREEDOMS] + topo[b + 1, at.FREEDOM]
        for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
            motions = get6(work, line + i, at.S0), get6(work, line + i, at.S1)
            M, r, _ = tree.eliminate_freedom(topo, work, b, i, motions, (M, r), loops, elements)
        tree.pass_on(topo, work, b, M, r, (get3(work, b, at.ARM0), get3(work, b, at.ARM1)), loops, elements)
    tree.end_system(topo, work, loops)


@numba.njit
def eliminate_symmetric(topo, work, blocks, own, loops):
    if loops is not None:
        open_border(topo, work, at.G0)
    for b in range(topo[0, at.BODIES] - 1, -1, -1):
        tree.begin_body(topo, work, b, loops)
        M = get9(blocks, b, 0), get9(blocks, b, 9), get9(blocks, b, 27)
        M, r = tree.add_children_symmetric(topo, work, b, M, get6(work, b, at.F))
        for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
            M, r = tree.eliminate_freedom_symmetric(topo, work, b, i, (M, r), own, loops)
        tree.pass_on_symmetric(topo, work, b, M, r, get3(work, b, at.ARM0), loops)
    tree.end_system(topo, work, loops)


@numba.njit
def solve(topo, state, work, arm, motions, loops):
    if loops is not None:
        solve_rows(topo, state, work, topo[0, at.BODIES], 0, ZERO6)
    for b in range(topo[0, at.BODIES]):
        z = carry_motion(get6(work, topo[b + 1, at.PARENT], at.DZ), get3(work, b, arm))
        z = tree.solve_link(topo, work, b, z, motions, loops)
        put6(work, b, at.DZ, z)
        if loops is not None and tree.closes(topo, b):
            solve_rows(topo, state, work, b, b + 1, z)


@numba.njit
def correct(topo, work, loops):
    return tree.correct(topo, work, loops, None)


class System:
    """Random blocks, motions and rows on the topology of a model; dense matrices of the same."""

    def __init__(self, mechanism, seed, symmetric=False):
        rng = np.random.default_rng(seed)
        arrays = self.arrays_of(sarrus.build(mechanism))
        self.topo, self.state, self.work = arrays.topo, arrays.state.copy(), arrays.new_work()
        self.loops = True if arrays.loops else None
        self.n, self.freedoms = int(self.topo[0, at.BODIES]), int(self.topo[0, at.FREEDOMS])
        self.rows, self.symmetric = int(self.topo[0, at.ROWS]), symmetric
        blocks = rng.normal(size=(self.n, 6, 6))
        self.blocks = 20.0 * np.eye(6) + (blocks + np.swapaxes(blocks, 1, 2) if symmetric else blocks)
        w, n = self.work, self.n
        w[:n, at.ARM0 : at.ARM0 + 3] = rng.normal(size=(n, 3))
        w[:n, at.ARM1 : at.ARM1 + 3] = w[:n, at.ARM0 : at.ARM0 + 3] + 0.1 * rng.normal(size=(n, 3))
        self.free = slice(self.topo[0, at.W_FREEDOMS], self.topo[0, at.W_FREEDOMS] + self.freedoms)
        s0 = rng.normal(size=(self.freedoms, 6))
        w[self.free, at.S0 : at.S0 + 6] = s0
        w[self.free, at.S1 : at.S1 + 6] = s0 + 0.1 * rng.normal(size=s0.shape)
        self.ends = slice(self.topo[0, at.W_ENDS], self.topo[0, at.W_ENDS] + self.topo[0, at.ENDS])
        g = rng.normal(size=(self.topo[0, at.ENDS], 6))
        w[self.ends, at.G0 : at.G0 + 6] = g
        w[self.ends, at.G1 : at.G1 + 6] = g + 0.1 * rng.normal(size=g.shape)
        self.border = slice(self.topo[0, at.W_ROWS], self.topo[0, at.W_ROWS] + self.rows)
        w[self.border, at.GAIN] = 1.0
        w[self.border, at.COMPLIANCE] = rng.uniform(0.1, 1.0, self.rows)
        self.flat = np.stack([flat(M) for M in self.blocks])
        self.new_right_hand_side(rng)

    def arrays_of(self, model):
        return model.step_arrays(0.01)

    def new_right_hand_side(self, rng):
        self.work[: self.n, at.F : at.F + 6] = rng.normal(size=(self.n, 6))
        self.work[self.border, at.ERR] = rng.normal(size=self.rows)

    def motions(self, arm, column):
        """T with dz = T y, dz of all bodies and y of all freedoms."""
        T = np.zeros((6 * self.n + 6, self.freedoms))
        for b in range(self.n):
            a, here = self.topo[b + 1, at.PARENT], slice(6 * b, 6 * b + 6)
            T[here] = carried(self.work[b, arm : arm + 3]) @ T[6 * a : 6 * a + 6]
            first = self.topo[b + 1, at.FREEDOM]
            for i in range(self.topo[b + 1, at.ROTATIONS] + self.topo[b + 1, at.TRANSLATIONS]):
                T[here, first + i] += self.work[self.free.start + first + i, column : column + 6]
        return T[:-6]

    def row_vectors(self, column):
        G = np.zeros((self.rows, 6 * self.n))
        for e in range(self.topo[0, at.ENDS]):
            end = self.topo[self.topo[0, at.T_ENDS] + e]
            b = end[at.END_BODY]
            G[end[at.END_ROW], 6 * b : 6 * b + 6] += self.work[self.ends.start + e, column : column + 6]
        return G

    def matrix(self):
        """The blocks of all bodies."""
        M = np.zeros((6 * self.n, 6 * self.n))
        for b, block in enumerate(self.blocks):
            M[6 * b : 6 * b + 6, 6 * b : 6 * b + 6] = block
        return M

    def dense(self, own=0.0):
        """(y, lam) by numpy."""
        T0 = self.motions(at.ARM0, at.S0)
        T1 = T0 if self.symmetric else self.motions(at.ARM1, at.S1)
        H = self.row_vectors(at.G0)
        C = H if self.symmetric else self.row_vectors(at.G1)
        K = T0.T @ self.matrix() @ T1 + own * np.eye(self.freedoms)
        S = np.diag(self.work[self.border, at.COMPLIANCE])
        force, error = self.work[: self.n, at.F : at.F + 6].ravel(), self.work[self.border, at.ERR]
        rhs = np.concatenate([T0.T @ force, -error])
        x = np.linalg.solve(np.block([[K, -T0.T @ H.T], [C @ T1, S]]), rhs)
        return x[: self.freedoms], x[self.freedoms :], T1 @ x[: self.freedoms]

    def found(self):
        """(y, lam, dz) of the kernels."""
        self.state[self.topo[0, at.S_ROWS] :][: self.rows, at.LAM] = 0.0
        self.solve()
        lam = self.state[self.topo[0, at.S_ROWS] :][: self.rows, at.LAM]
        return self.work[self.free, at.RATE], lam, self.work[: self.n, at.DZ : at.DZ + 6].ravel()

    def solve(self):
        arm, motions = (at.ARM0, at.S0) if self.symmetric else (at.ARM1, at.S1)
        solve(self.topo, self.state, self.work, arm, motions, self.loops)


def flat(M):
    return np.concatenate([M[i : i + 3, j : j + 3].ravel() for i in (0, 3) for j in (0, 3)])


def carried(arm):
    x, y, z = arm
    out = np.eye(6)
    out[:3, 3:] = -np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return out


MECHANISMS = {
    "chain": lambda: sarrus.gallery.pendulum(links=4, joint="spherical"),
    "tree": lambda: sarrus.gallery.tree(),
    "loop": lambda: sarrus.gallery.double_four_bar(),
    "loops in a chain": lambda: sarrus.gallery.rhombus_chain(3),
    "spatial loop": lambda: sarrus.gallery.bricard(),
}


def agree(system, own=0.0):
    for found, expected in zip(system.found(), system.dense(own), strict=True):
        assert np.abs(found - expected).max(initial=0.0) < SOLVED * (1.0 + np.abs(expected).max(initial=0.0))


@pytest.mark.parametrize("name", MECHANISMS)
def test_the_elimination_solves_the_dense_system_and_again_for_another_right_hand_side(name):
    system = System(MECHANISMS[name](), 1)
    eliminate(system.topo, system.work, system.flat, system.loops)
    agree(system)
    system.new_right_hand_side(np.random.default_rng(2))
    largest = correct(system.topo, system.work, system.loops)
    agree(system)
    assert largest == np.abs(system.work[system.free, at.T]).max()


@pytest.mark.parametrize("name", MECHANISMS)
def test_the_symmetric_elimination_solves_the_dense_system(name):
    system, own = System(MECHANISMS[name](), 3, symmetric=True), 0.7
    eliminate_symmetric(system.topo, system.work, system.flat, own, system.loops)
    agree(system, own)


def test_what_is_not_finite_shows_in_the_largest_correction():
    system = System(MECHANISMS["chain"](), 1)
    eliminate(system.topo, system.work, system.flat, None)
    system.work[2, at.F] = np.nan
    assert np.isnan(correct(system.topo, system.work, None))
