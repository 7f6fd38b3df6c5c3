"""The constraints as one sparse matrix at a configuration, for assembly, random motion and projection outside
a step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sarrus import layout as at
from sarrus.mechanism.rotations import multiply
from sarrus.model.arrays import Arrays

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

# Added to the diagonal of G W G', scaled to ones: redundant rows make it singular, and Gauss-Newton forgives
# the rest.
REGULARISATION = 1e-12
# Singular values below this part of the largest are no conditions.
NO_CONDITION = 1e-6


class Linearisation:
    """A configuration with the residuals of all rows of all joints and their sparse Jacobian (rows, 6 nb),
    kernel numbers.

    Motions are world translations and world rotations of every body."""

    def __init__(self, arrays: Arrays, state: np.ndarray):
        self.arrays = arrays
        self.state = state
        self.work = arrays.new_work()
        self.bodies = int(arrays.topo[0, at.BODIES])
        self.residual = np.zeros(int(arrays.topo[0, at.ROWS]))
        topo = arrays.topo
        ends = topo[topo[0, at.T_ENDS] : topo[0, at.T_ENDS] + topo[0, at.ENDS]]
        # Row and body of every end: a row acts on two bodies, or more.
        self.end_row, self.end_body = ends[:, at.END_ROW], ends[:, at.END_BODY]
        self._row = np.repeat(self.end_row, 6)
        self._column = (6 * self.end_body[:, None] + np.arange(6)).ravel()
        self.update()

    def update(self) -> None:
        """Residuals and row vectors at the configuration in `state`."""
        from sarrus._jit import Compiling
        from sarrus.dynamics.readout import linearise

        with Compiling(linearise, "the kernels that build and read models"):
            linearise(
                self.arrays.topo, self.arrays.par, self.state, self.work, self.residual, self.arrays.flag
            )

    @property
    def row_vectors(self) -> np.ndarray:
        """What every row is at each of its ends, (ends, 6)."""
        first, count = self.arrays.topo[0, [at.W_ENDS, at.ENDS]]
        return self.work[first : first + count, at.G0 : at.G0 + 6]

    @property
    def matrix(self) -> csr_matrix:
        """Jacobian of all rows, scipy.sparse."""
        from scipy.sparse import csr_matrix

        return csr_matrix(
            (self.row_vectors.ravel(), (self._row, self._column)), shape=(len(self.residual), 6 * self.bodies)
        )

    def coordinates(self, joints: np.ndarray, components: np.ndarray) -> tuple[np.ndarray, csr_matrix]:
        """(values, sparse Jacobian) of coordinates of the given joints; a coupling shows that of its first
        joint, a tendon its length."""
        from scipy.sparse import csr_matrix

        from sarrus.dynamics.readout import coordinate_rows

        topo, par = self.arrays.topo, self.arrays.par
        table = topo[topo[0, at.T_JOINTS] :]
        terms, offsets = sum_terms(table, par, joints, components)
        of, real, parts, factors = terms[:, 0].astype(int), *terms[:, 1:3].T.astype(np.int64), terms[:, 3]
        values, rows = np.zeros(len(of)), np.zeros((len(of), 12))
        coordinate_rows(topo, par, self.state, self.work, real, parts, values, rows, self.arrays.flag)
        body = np.stack([table[real, at.JOINT_B], table[real, at.JOINT_A]], axis=1)
        column = (6 * body[:, :, None] + np.arange(6)).reshape(len(of), 12)
        keep = np.repeat(body < self.bodies, 6, axis=1)
        line = np.broadcast_to(of[:, None], column.shape)
        total = np.array(offsets)
        np.add.at(total, of, factors * values)
        weighted = factors[:, None] * rows
        matrix = csr_matrix(
            (weighted[keep], (line[keep], column[keep])), shape=(len(joints), 6 * self.bodies)
        )
        for k in np.flatnonzero(table[joints, at.JOINT_KIND] == at.PATH):
            total[k], row = self._path(int(joints[k]))
            matrix += csr_matrix((row, (np.full(len(row), k), np.arange(len(row)))), shape=matrix.shape)
        return total, matrix

    def _path(self, joint: int) -> tuple[float, np.ndarray]:
        """(length, row (6 nb,)) of the path of a tendon."""
        from sarrus.dynamics.readout import path_wrenches

        row = np.zeros((self.bodies + 1, 6))
        length = path_wrenches(self.arrays.topo, self.arrays.par, self.work, joint, row)
        return float(length), row[: self.bodies].ravel()

    def move(self, motion: np.ndarray) -> None:
        """Moves all bodies by `motion` (6 nb,) and updates."""
        motion = motion.reshape(self.bodies, 6)
        self.state[: self.bodies, at.X : at.X + 3] += motion[:, :3]
        angle = np.linalg.norm(motion[:, 3:], axis=1)
        half = 0.5 * angle
        scale = np.where(angle > 1e-12, np.sin(half) / np.where(angle > 1e-12, angle, 1.0), 0.5)
        turn = np.concatenate([np.cos(half)[:, None], scale[:, None] * motion[:, 3:]], axis=1)
        q = multiply(turn, self.state[: self.bodies, at.Q : at.Q + 4])
        self.state[: self.bodies, at.Q : at.Q + 4] = q / np.linalg.norm(q, axis=1)[:, None]
        self.update()

    def inverse_mass(self, least: float = 0.0) -> csr_matrix:
        """Sparse inverse of the mass matrix of all bodies, world frame (pseudo-inverse for point masses).

        least: part of the largest mass and inertia that every body counts with at least; where all are point
        masses, that of the largest at the reach of the mechanism."""
        from scipy.sparse import block_diag

        par, blocks = self.arrays.par, []
        lightest = least * float(par[: self.bodies, at.MASS].max(initial=0.0))
        moments = par[: self.bodies, [at.INERTIA, at.INERTIA + 4, at.INERTIA + 8]]
        reach = float(np.abs(self.state[: self.bodies, at.X : at.X + 3]).max(initial=0.0))
        slimmest = least * float(moments.max(initial=0.0)) or lightest * reach**2
        for b in range(self.bodies):
            R = self.work[b, at.R1 : at.R1 + 9].reshape(3, 3)
            J = R @ par[b, at.INERTIA : at.INERTIA + 9].reshape(3, 3) @ R.T
            block = np.zeros((6, 6))
            block[:3, :3] = np.eye(3) / max(par[b, at.MASS], lightest)
            block[3:, 3:] = np.linalg.pinv(J + slimmest * np.eye(3))
            blocks.append(block)
        return block_diag(blocks, format="csr")


def sum_terms(
    table: np.ndarray, par: np.ndarray, joints: np.ndarray, components: np.ndarray
) -> tuple[np.ndarray, list[float]]:
    """(number among `joints`, joint, coordinate, factor) (k, 4) of all that coordinates of joints are made
    of, and what is added to each."""
    out, offsets = [], []
    for k, (j, i) in enumerate(zip(joints, components, strict=True)):
        p, kind = int(table[j, at.JOINT_PAR]), table[j, at.JOINT_KIND]
        if kind == at.PATH:  # not made of coordinates
            offsets.append(0.0)
            continue
        count = int(table[j, at.TERMS]) if kind == at.TENDON else int(kind == at.COUPLING)
        lines = par[p + 1 : p + 1 + count, [at.TERM_JOINT, at.TERM_COORDINATE, at.TERM_FACTOR]]
        if kind == at.COUPLING:
            lines = lines * [1.0, 1.0, 0.0] + [0.0, 0.0, 1.0]
        out += [[k, *line] for line in lines] if count else [[k, j, i, 1.0]]
        offsets.append(float(par[p, at.OFFSET]) if kind == at.TENDON else 0.0)
    return np.array(out, float).reshape(-1, 4), offsets


class Projection:
    """Onto the motions that the rows of G allow, redundant rows forgiven."""

    def __init__(self, G: csr_matrix):
        from scipy.sparse import diags, identity
        from scipy.sparse.linalg import splu

        S = G @ G.T
        diagonal = S.diagonal()
        self.scale = diags(1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0)))
        self.G, rows = G, G.shape[0]
        scaled = (self.scale @ S @ self.scale + REGULARISATION * identity(rows)).tocsc()
        self.factor = splu(scaled) if rows else None

    def apply(self, motions: np.ndarray) -> np.ndarray:
        """`motions` (6 nb, k) without what the rows do not allow; twice, since redundant rows are
        regularised."""
        for _ in range(2):
            if self.factor is None:
                break
            error = self.scale @ self.factor.solve(self.scale @ (self.G @ motions))
            motions = motions - self.G.T @ error
        return motions


def least_change(G: csr_matrix, residual: np.ndarray, W: csr_matrix | None = None) -> np.ndarray:
    """The smallest motion d (in the metric W^-1) with G d = -residual, redundant rows forgiven."""
    from scipy.sparse import diags, identity
    from scipy.sparse.linalg import splu

    if G.shape[0] == 0:
        return np.zeros(G.shape[1])
    GW = G if W is None else G @ W
    S = GW @ G.T
    # Rows on bodies of very different mass differ by as much.
    diagonal = S.diagonal()
    scale = diags(1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0)))
    S = (scale @ S @ scale + REGULARISATION * identity(S.shape[0])).tocsc()
    return -(GW.T @ (scale @ splu(S).solve(scale @ residual)))


def nearest(Q: np.ndarray, q: np.ndarray, rounded: bool = True) -> np.ndarray:
    """The shortest x that meets the conditions Q x = q.

    rounded: conditions that depend on each other do so but for rounding, and those below the widest gap of
    the singular values are none."""
    U, s, V = np.linalg.svd(Q, full_matrices=False)
    rank = int((s > NO_CONDITION * s[0]).sum())
    if rounded:
        ratios = s[:rank] / np.append(s[1:rank], NO_CONDITION * s[0])
        rank = int(np.argmax(ratios)) + 1
    return V[:rank].T @ ((U[:, :rank].T @ q) / s[:rank])
