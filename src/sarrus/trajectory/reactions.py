"""Reactions of joints with redundant rows: the multipliers of least norm that act alike on every body.

Implements: [Mal25] eq. (32) with unit weights (newtons and newton metres count alike)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sarrus.model import Model

# Added to the diagonal of G'G, relative to its mean: it is singular along the free motions, where joints do
# not act.
REGULARISATION = 1e-11
# The same where joints fit each other but for rounding: what that makes of the redundant rows is not force.
ROUNDED = 1e-6
REFINEMENTS = 3


def share(model: Model, nodes: np.ndarray, wrench: np.ndarray) -> np.ndarray:
    """`wrench` (T, nj, 6) with what redundant rows leave undetermined shared out; nodes (T, 13 nb)."""
    if not model.redundant:
        return wrench
    sharing = Sharing(model)
    return np.stack([sharing.at(nodes[t : t + 1], wrench[t]) for t in range(len(nodes))])


class Sharing:
    """The rows of all joints between two bodies, at one configuration after another."""

    def __init__(self, model: Model):
        from sarrus import layout as at
        from sarrus.model.linear import Linearisation

        self.model = model
        # Rows do not depend on turns.
        self.unwound = np.zeros((0, model.coordinates))
        self.here = Linearisation(model.every, model.every.state.copy())
        joints = model.description.joints[: len(model.joint_names)]
        self.pairs = [
            j
            for j, joint in enumerate(joints)
            if joint.kind not in (at.COUPLING, at.TENDON, at.ROLLING, at.CUSTOM)
        ]
        number = model.description.number
        self.child = np.array([number[joints[j].b] for j in self.pairs])
        self.parent = np.array([number[joints[j].a] for j in self.pairs])
        self.point = np.array([joints[j].pb for j in self.pairs])
        slices = [model.row_slices[joints[j].name] for j in self.pairs]
        self.rows = np.concatenate([np.arange(s.start, s.stop) for s in slices])
        self.owner = np.concatenate([np.full(s.stop - s.start, k) for k, s in enumerate(slices)])

    def at(self, node: np.ndarray, wrench: np.ndarray) -> np.ndarray:
        """`wrench` (nj, 6) at one node, shared out."""
        from scipy.sparse import identity
        from scipy.sparse.linalg import splu

        from sarrus import layout as at
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
        G = here.matrix[self.rows]
        K = (G.T @ G).tocsc()
        part = ROUNDED if self.model.ranks.misfit else REGULARISATION
        factor = splu(K + part * K.diagonal().mean() * identity(6 * n, format="csc"))
        wanted = effect[:n].ravel()
        y = factor.solve(wanted)
        for _ in range(REFINEMENTS):
            y += factor.solve(wanted - K @ y)
        multipliers = G @ y

        # Back to wrenches on the children (on the parents, reversed, where the child is the world), about the
        # joint points.
        body = np.where(self.child < n, self.child, self.parent)
        sign = np.where(self.child < n, 1.0, -1.0)
        columns = 6 * body[self.owner][:, None] + np.arange(6)
        vectors = np.asarray(G[np.arange(len(self.rows))[:, None], columns].todense())
        total = np.zeros((len(self.pairs), 6))
        np.add.at(total, self.owner, (sign[self.owner] * multipliers)[:, None] * vectors)
        out = wrench.copy()
        out[self.pairs, :3] = total[:, :3]
        out[self.pairs, 3:] = total[:, 3:] - np.cross(joint_point - x[body], total[:, :3])
        return out
