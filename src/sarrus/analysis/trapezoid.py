"""One step of TreeTrapezoid in plain matrices, for the study of its solvability: residual, Jacobian, pure
Newton.

Implements: [Kob14] eqs. (21)-(25), Algorithm 1, with the momentum of the node in the place of the step
before."""

from __future__ import annotations

import numpy as np

from sarrus.errors import MechanismError
from sarrus.model import Model

# Differences of the mass matrix of the fourth order: about 12 digits.
STEP = 2e-3


class Trapezoid:
    """Steps of a tree under gravity, joint springs and dampers.

    damping, stiffness (nv,): of the coordinates; steepest (nv,): bounds of the slopes of gravity."""

    def __init__(self, model: Model):
        dynamics = model.joint_dynamics
        if model.description.tree.closures or any(joint.ball for joint in dynamics.tree.joints):
            raise MechanismError(
                "the solvability of steps is studied on trees of revolute and prismatic joints; this model "
                "has loops, or joints that turn about a point"
            )
        self.model, self.dynamics, self.tree = model, dynamics, dynamics.tree
        n = self.tree.nv
        self.damping, self.stiffness, self.rest = np.zeros(n), np.zeros(n), np.zeros(n)
        for drive in dynamics.forces.drives:
            j = dynamics.forces.dual[drive.joint, drive.component]
            self.damping[j] += drive.damping
            if drive.stiffness and drive.port < 0:
                total = self.stiffness[j] + drive.stiffness
                self.rest[j] = (self.stiffness[j] * self.rest[j] + drive.stiffness * drive.rest) / total
                self.stiffness[j] = total
        self.steepest = self._steepest()

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        """M(q)."""
        return self.dynamics.mass_matrix(self.dynamics.instant(q, np.zeros(self.tree.nv)))

    def mass_slopes(self, q: np.ndarray) -> np.ndarray:
        """(nv, nv, nv): [i] is dM/dq_i."""
        out = []
        for e in STEP * np.eye(self.tree.nv):
            near = self.mass_matrix(q + e) - self.mass_matrix(q - e)
            far = self.mass_matrix(q + 2 * e) - self.mass_matrix(q - 2 * e)
            out.append((8.0 * near - far) / (12.0 * STEP))
        return np.array(out)

    def gradient(self, q: np.ndarray) -> np.ndarray:
        """Gradient of gravity and springs."""
        still = np.zeros(self.tree.nv)
        weight = self.dynamics.bias(self.dynamics.instant(q, still))
        return weight + self.stiffness * (q - self.rest)

    def momentum(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Momentum of a node."""
        return self.mass_matrix(q) @ v

    def residual(self, q: np.ndarray, v: np.ndarray, h: float, p: np.ndarray) -> np.ndarray:
        """e(v).  Implements: [Kob14] eq. (24)."""
        mean = 0.5 * (self.mass_matrix(q) + self.mass_matrix(q + h * v)) @ v
        bend = 0.25 * h * np.einsum("ijk,j,k->i", self.mass_slopes(q), v, v)
        return mean - bend + 0.5 * h * (self.gradient(q) + self.damping * v) - p

    def jacobian(self, q: np.ndarray, v: np.ndarray, h: float) -> np.ndarray:
        """De(v).  Implements: [Kob14] eq. (25)."""
        after = q + h * v
        mean = 0.5 * (self.mass_matrix(q) + self.mass_matrix(after))
        turned = np.einsum("kij,j->ik", self.mass_slopes(after), v)
        fixed = np.einsum("ijk,j->ik", self.mass_slopes(q), v)
        return mean + 0.5 * h * (turned - fixed + np.diag(self.damping))

    def end_momentum(self, q: np.ndarray, v: np.ndarray, h: float) -> np.ndarray:
        """Momentum of the node that a step with velocity v ends at."""
        after = q + h * v
        mean = 0.5 * (self.mass_matrix(q) + self.mass_matrix(after)) @ v
        bend = 0.25 * h * np.einsum("ijk,j,k->i", self.mass_slopes(after), v, v)
        return mean + bend - 0.5 * h * (self.gradient(after) + self.damping * v)

    def newton(
        self, q: np.ndarray, v: np.ndarray, h: float, p: np.ndarray, tolerance: float = 1e-10, most: int = 50
    ) -> np.ndarray | None:
        """The velocity of the step by pure Newton from v; None where it does not converge."""
        for _ in range(most):
            try:
                d = np.linalg.solve(self.jacobian(q, v, h), self.residual(q, v, h, p))
            except np.linalg.LinAlgError:
                return None
            v = v - d
            size = float(np.abs(v).max())
            if not size < 1e8:
                return None
            if float(np.abs(d).max()) < tolerance * (1.0 + size):
                return v
        return None

    def theta(self, q: np.ndarray, v: np.ndarray, h: float) -> float:
        """|d1| / |d0| through one factor, mass metric."""
        p, M = self.momentum(q, v), self.mass_matrix(q)
        J = self.jacobian(q, v, h)
        d0 = np.linalg.solve(J, self.residual(q, v, h, p))
        d1 = np.linalg.solve(J, self.residual(q, v - d0, h, p))
        first, second = float(d0 @ M @ d0), float(d1 @ M @ d1)
        return float(np.sqrt(second / first)) if first > 0.0 else 0.0

    def available_energy(self, q: np.ndarray, v: np.ndarray) -> float:
        """Energy [J] over the lowest that gravity and springs can reach, at most."""
        state = self.dynamics.state(q, v)
        kinetic = 0.5 * float(v @ self.mass_matrix(q) @ v)
        springs = 0.5 * float(self.stiffness @ (q - self.rest) ** 2)
        g = self.model.gravity
        height = -float(self.model.masses @ (state.position @ g))
        return kinetic + springs + max(0.0, height - self.lowest)

    def _steepest(self) -> np.ndarray:
        """Bounds of |dV/dq_j| by gravity; sets `lowest`, the potential of gravity with all bodies hanging as
        low as their paths are long."""
        from sarrus.dynamics import articulated as kinds

        tree, g = self.tree, float(np.linalg.norm(self.model.gravity))
        out, self.lowest = np.zeros(tree.nv), 0.0
        reach = np.linalg.norm(tree.geometry[:, kinds.OFFSET : kinds.OFFSET + 3], axis=1)
        for frame, row in zip(tree.body_frames, tree.geometry[tree.body_frames], strict=True):
            length, i, mass = 0.0, int(frame), float(row[kinds.MASS])
            while True:
                parent, kind, v, _, width = tree.links[i]
                if width:
                    out[v] += mass * g * (length if kind == kinds.TURN else 1.0)
                if parent < 0:
                    break
                length += float(reach[i])
                i = int(parent)
            root = tree.geometry[i, kinds.OFFSET : kinds.OFFSET + 3] + self.model.description.origin
            self.lowest -= mass * (float(self.model.gravity @ root) + g * length)
        return out
