"""The multipliers of least norm at one configuration after another: (G' W^-1 G) y = load, lam = W^-1 G y.

The rows of one joint touch two bodies, so that the matrix is one block of 12 x 12 per joint, added up in the
pattern of the graph of bodies, which is found once.

Implements: [Mal25] eq. (32)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sarrus import layout as at

if TYPE_CHECKING:
    from sarrus.model import Model

# Added to the diagonal of G'G, relative to its mean: it is singular along the free motions, where joints do
# not act.
REGULARISATION = 1e-11
# The same where joints fit each other but for rounding: what that makes of the redundant rows is not force.
ROUNDED = 1e-6
REFINEMENTS = 3
# Rows of a joint at most; motions of two bodies.
ROWS, BOTH = 6, 12


class Sharing:
    """The rows of all joints between two bodies, and of what motors prescribe, at one configuration after
    another.

    weights: of the rows of joints and motors, by name; 1 where there are none."""

    def __init__(self, model: Model, weights: dict[str, np.ndarray]):
        from sarrus.model.description import driven_coordinates
        from sarrus.model.linear import Linearisation

        self.model = model
        # Rows do not depend on turns.
        self.unwound = np.zeros((0, model.coordinates))
        self.here = Linearisation(model.every, model.every.state.copy())
        joints = model.description.joints[: len(model.joint_names)]
        self.pairs = [
            j
            for j, joint in enumerate(joints)
            if joint.kind not in (at.COUPLING, at.TENDON, at.PATH, at.ROLLING, at.CUSTOM)
        ]
        number = model.description.number
        self.child = np.array([number[joints[j].b] for j in self.pairs])
        self.parent = np.array([number[joints[j].a] for j in self.pairs])
        self.point = np.array([joints[j].pb for j in self.pairs])
        driven = [
            (model.joint_index[model.mechanism.motors[name].joint], i, name, k)
            for name in model.targets
            for k, i in enumerate(driven_coordinates(model.description, name))
        ]
        self.driven = np.array([j for j, _, _, _ in driven], np.int64)
        self.driven_numbers = np.array([i for _, i, _, _ in driven], np.int64)
        # A joint and each prescribed coordinate is a block of rows.
        self.owner = np.array(
            [*range(len(self.pairs)), *(self.pairs.index(j) for j in self.driven)], np.int64
        )
        self.inverse_weights = np.ones((len(self.owner), ROWS, 1))
        for k, j in enumerate(self.pairs):
            name = joints[j].name
            if name in weights and name not in model.targets:
                self.inverse_weights[k, : len(weights[name]), 0] = 1.0 / weights[name]
        for k, (_, _, name, component) in enumerate(driven):
            if name in weights:
                self.inverse_weights[len(self.pairs) + k, 0, 0] = 1.0 / weights[name][component]
        self._find_ends([model.row_slices[joints[j].name] for j in self.pairs])
        self._find_pattern()

    def _find_ends(self, slices: list[slice]) -> None:
        """Which ends of rows are of these joints, and where their row vectors go in the blocks."""
        block = np.full(len(self.here.residual), -1)
        place = np.zeros(len(self.here.residual), np.int64)
        for k, where in enumerate(slices):
            block[where], place[where] = k, np.arange(where.stop - where.start)
        row, body = self.here.end_row, self.here.end_body
        self.used = used = np.flatnonzero(block[row] >= 0)
        side = np.where(body[used] == self.child[block[row[used]]], 0, 6)
        first = (block[row[used]] * ROWS + place[row[used]]) * BOTH + side
        self.entries = (first[:, None] + np.arange(6)).ravel()

    def _find_pattern(self) -> None:
        """The sparse pattern of the matrix, and where the entries of the blocks go in it."""
        n, bodies = self.here.bodies, np.stack([self.child[self.owner], self.parent[self.owner]], axis=1)
        motions = (6 * bodies[:, :, None] + np.arange(6)).reshape(-1, BOTH)
        self.motions, size = motions, 6 * n
        across = motions[:, None, :] * (size + 6) + motions[:, :, None]
        kept = (motions[:, None, :] < size) & (motions[:, :, None] < size)
        diagonal = np.arange(size) * (size + 6) + np.arange(size)
        codes, found = np.unique(np.concatenate([across[kept], diagonal]), return_inverse=True)
        self.kept, self.scatter = np.flatnonzero(kept.ravel()), found[: kept.sum()]
        self.diagonal = found[kept.sum() :]
        self.indices = (codes % (size + 6)).astype(np.int32)
        self.starts = np.searchsorted(codes // (size + 6), np.arange(size + 1)).astype(np.int32)

    def blocks(self) -> np.ndarray:
        """Row vectors (blocks, 6, 12), child and parent, of every joint and prescribed coordinate; 0 where a
        joint has fewer rows."""
        from sarrus.dynamics.readout import coordinate_rows

        here = self.here
        out = np.zeros((len(self.owner), ROWS, BOTH))
        out.reshape(-1)[self.entries] = here.row_vectors[self.used].ravel()
        if len(self.driven):
            values, rows = np.zeros(len(self.driven)), np.zeros((len(self.driven), BOTH))
            coordinate_rows(
                here.arrays.topo, here.arrays.par, here.state, here.work, self.driven, self.driven_numbers,
                values, rows, here.arrays.flag,
            )  # fmt: skip
            out[len(self.pairs) :, 0] = rows
        return out

    def at(self, node: np.ndarray, wrench: np.ndarray) -> np.ndarray:
        """`wrench` (nj, 6) at one node, shared out."""
        from sarrus.dynamics.readout import load_node

        here, n = self.here, self.here.bodies
        load_node(here.arrays.topo, here.arrays.par, here.state, here.work, node, self.unwound)
        here.update()
        x = here.state[: n + 1, at.X : at.X + 3]
        R = here.work[: n + 1, at.R1 : at.R1 + 9].reshape(-1, 3, 3)
        joint_point = x[self.child] + np.einsum("kij,kj->ki", R[self.child], self.point)

        # The wrenches of the joints about the centres of the bodies: what the multipliers must amount to.
        force, torque = wrench[self.pairs, :3], wrench[self.pairs, 3:]
        effect = np.zeros((n + 1, 6))
        for bodies, side in ((self.child, 1.0), (self.parent, -1.0)):
            about = torque + np.cross(joint_point - x[bodies], force)
            np.add.at(effect, bodies, side * np.concatenate([force, about], axis=1))
        rows = self.blocks()
        y = np.append(self.solve(rows, effect[:n].ravel()), np.zeros(6))
        multipliers = self.inverse_weights * (rows @ y[self.motions][:, :, None])

        # Back to wrenches on the children (on the parents, reversed, where the child is the world), about the
        # joint points.
        on_child = self.child < n
        body, sign = np.where(on_child, self.child, self.parent), np.where(on_child, 1.0, -1.0)
        pushed = (rows * multipliers).sum(axis=1)
        total = np.zeros((len(self.pairs), 6))
        np.add.at(total, self.owner, np.where(on_child[self.owner, None], pushed[:, :6], pushed[:, 6:]))
        total *= sign[:, None]
        out = wrench.copy()
        out[self.pairs, :3] = total[:, :3]
        out[self.pairs, 3:] = total[:, 3:] - np.cross(joint_point - x[body], total[:, :3])
        return out

    def solve(self, rows: np.ndarray, wanted: np.ndarray) -> np.ndarray:
        """y (6 nb,) with (G' W^-1 G) y = wanted; regularised, and refined."""
        from scipy.sparse import csc_matrix
        from scipy.sparse.linalg import splu

        size = len(wanted)
        blocks = np.swapaxes(rows, 1, 2) @ (self.inverse_weights * rows)
        data = np.bincount(self.scatter, blocks.ravel()[self.kept], len(self.indices))
        K = csc_matrix((data, self.indices, self.starts), (size, size))
        part = ROUNDED if self.model.ranks.misfit else REGULARISATION
        firm = data.copy()
        firm[self.diagonal] += part * data[self.diagonal].mean()
        # Symmetric and definite: pivots stay on the diagonal, in an order that keeps the factors sparse.
        factor = splu(
            csc_matrix((firm, self.indices, self.starts), (size, size)), permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0, options={"SymmetricMode": True},
        )  # fmt: skip
        y = factor.solve(wanted)
        for _ in range(REFINEMENTS):
            y += factor.solve(wanted - K @ y)
        return y
