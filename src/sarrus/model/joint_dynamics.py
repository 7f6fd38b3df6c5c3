"""Dynamics in joint coordinates and continuous time: mass matrix, bias, accelerations, efforts of a motion.

Loops are rows of constraints on the velocities of the spanning tree.

Implements: [JM09] eqs. (28), (29), (36).  Differs: redundant rows are allowed, their multipliers are those of
least norm; the term with second derivatives of the constraints is a difference of the fourth order along the
motion, so that constraints of every kind need their rows alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sarrus import layout as at
from sarrus.dynamics import articulated as frame
from sarrus.errors import AssemblyError, MechanismError
from sarrus.mechanism.rotations import rotation
from sarrus.model.frame_tree import FrameTree
from sarrus.model.joint_forces import JointForces
from sarrus.model.linear import Linearisation
from sarrus.model.state import State

if TYPE_CHECKING:
    from sarrus.model.model import Model

# Redundant rows: eigenvalues of G M^-1 G' below this part of the largest count as 0.
REDUNDANT = 1e-10
# Entries of rows below this part of what they are summed from are 0.
ROUNDING = 1e-12
# How far [rad, or of the size of the mechanism] the differences of rows along the motion reach: their
# truncation (fourth power) and their rounding are then about 1e-12 of the square of the speed.
REACH = 1e-3
CLOSED = 1e-12
# Velocities of bodies that differ from those of the joints by more are projected.
CONSISTENT = 1e-10
ITERATIONS = 50


@dataclass(frozen=True)
class Instant:
    """A configuration with velocities: placed frames, the motion of all bodies per velocity, rows of closed
    loops (m, nv) and their residuals, and rows of coordinates that efforts act on."""

    q: np.ndarray
    v: np.ndarray
    frames: np.ndarray
    columns: np.ndarray
    spread: np.ndarray
    rows: np.ndarray
    residual: np.ndarray
    values: np.ndarray
    coordinate_rows: np.ndarray


class JointDynamics:
    """Mass matrix, bias forces, constraints and accelerations of a model in the coordinates of its spanning
    tree (`tree`, a `FrameTree`, says what they are).

    Contacts, limits, ropes and dry friction are left out; rolling bodies are refused."""

    def __init__(self, model: Model):
        rolling = [joint.name for joint in model.description.joints if joint.kind == at.ROLLING]
        if rolling:
            raise MechanismError(
                f"the rolling constraint {rolling[0]!r} is nonholonomic: continuous dynamics take holonomic "
                "ones; use variational"
            )
        self.model = model
        self.tree = FrameTree(model)
        self.forces = JointForces(model, self.tree)
        slices = list(model.row_slices.values())
        closing = [j for j in model.description.tree.closures if model.description.joints[j].places]
        self.closing = np.array([k for j in closing for k in range(slices[j].start, slices[j].stop)], int)
        self.row_names = [
            (model.joint_names[j], k) for j in closing for k in range(slices[j].stop - slices[j].start)
        ]
        self._moves = self.tree.moves[self.tree.body_frames]
        self._needs_rows = bool(len(self.closing) or self.forces.others)

    # Configurations.

    def motion(self, state: State) -> tuple[np.ndarray, np.ndarray]:
        """(q, v) of a state of the model; velocities that the joints of the tree do not allow are projected
        onto those they do (mass metric)."""
        q, v = self.tree.motion(state)
        now = self.instant(q, v, state.winding)
        given, moving = self._body_velocities(state), now.spread @ v
        if np.abs(given - moving).max(initial=0.0) > CONSISTENT * (1.0 + np.abs(given).max(initial=0.0)):
            R = now.frames[self.tree.body_frames, frame.R : frame.R + 9].reshape(-1, 3, 3)
            rows = self.tree.geometry[self.tree.body_frames]
            inertia = R @ rows[:, frame.INERTIA : frame.INERTIA + 9].reshape(-1, 3, 3) @ R.transpose(0, 2, 1)
            off = given - moving
            momentum = np.concatenate(
                [rows[:, [frame.MASS]] * off[:, :3], np.einsum("bij,bj->bi", inertia, off[:, 3:])], axis=1
            )
            v = v + np.linalg.solve(self.mass_matrix(now), np.einsum("bkj,bk->j", now.spread, momentum))
        return q, v

    def _body_velocities(self, state: State) -> np.ndarray:
        """(nb, 6) velocities of the centres of mass and angular velocities, world frame, kernel numbers."""
        w = np.einsum("bij,bj->bi", rotation(np.asarray(state.orientation)), state.angular_velocity)
        return np.concatenate([state.velocity, w], axis=1)[self.model.description.tree.order]

    def state(self, q: np.ndarray, v: np.ndarray, time: float = 0.0, near: np.ndarray | None = None) -> State:
        """The state at coordinates q and velocities v; near: as in `FrameTree.state`."""
        frames, _ = self.tree.place(q, v)
        return self.tree.state(frames, q, time, near)

    def instant(self, q: np.ndarray, v: np.ndarray, near: np.ndarray | None = None) -> Instant:
        """What the rest is computed from at (q, v); near: coordinates of all joints on their turns."""
        frames, columns = self.tree.place(q, v)
        spread = self.spread(frames, columns)
        rows, residual = np.zeros((0, self.tree.nv)), np.zeros(0)
        values, coordinate_rows = np.zeros(0), np.zeros((0, self.tree.nv))
        if self._needs_rows:
            here = Linearisation(self.model.every, self._kernel_state(frames, q, near))
            flat = spread.reshape(-1, self.tree.nv)
            if len(self.closing):
                rows, residual = self._held(here, flat)
            if self.forces.others:
                values, coordinate_rows = self.forces.coordinate_rows(here, flat)
        return Instant(q, v, frames, columns, spread, rows, residual, values, coordinate_rows)

    def _held(self, here: Linearisation, spread: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(rows (m, nv), residuals) of the closed loops; fewer where they are redundant but for rounding."""
        if self.model.holding is not None:
            kept, _ = self.model.holding.at(here.state)
            matrix, residual = kept @ here.matrix, kept @ here.residual
        else:
            matrix, residual = here.matrix[self.closing], here.residual[self.closing]
        rows = matrix @ spread
        # What cancels but for rounding would be taken for a row where all rows are such.
        rows[np.abs(rows) < ROUNDING * (abs(matrix) @ np.abs(spread))] = 0.0
        return rows, residual

    def _kernel_state(self, frames: np.ndarray, q: np.ndarray, near: np.ndarray | None) -> np.ndarray:
        every, out = self.model.every, self.model.every.state.copy()
        nb = len(self.tree.body_frames)
        rows = frames[self.tree.body_frames]
        out[:nb, at.X : at.X + 3] = rows[:, frame.X : frame.X + 3]
        out[:nb, at.Q : at.Q + 4] = rows[:, frame.Q : frame.Q + 4]
        self.model.put_winding(every, out, self.tree.winding(q, near))
        return out

    def spread(self, frames: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """(nb, 6, nv): velocity of the centre of mass and angular velocity of every body (kernel numbers),
        world frame, per velocity of the tree."""
        x = frames[self.tree.body_frames, frame.X : frame.X + 3]
        s, w = columns[:, frame.S : frame.S + 3], columns[:, frame.S + 3 : frame.S + 6]
        out = np.empty((len(x), 6, self.tree.nv))
        out[:, :3] = np.moveaxis(s[None] + np.cross(w[None], x[:, None]), 1, 2)
        out[:, 3:] = w.T[None]
        out *= self._moves[:, None, :]
        return out

    # Terms of the equations of motion.

    def mass_matrix(self, now: Instant) -> np.ndarray:
        """(nv, nv) mass matrix of the velocities of the tree, armatures included."""
        out = np.zeros((self.tree.nv, self.tree.nv))
        sums = np.zeros((len(self.tree), 13))
        frame.find_mass_matrix(self.tree.links, self.tree.geometry, now.frames, now.columns, sums, out)
        for j, i, inertia in self.forces.armatures:
            if (j, i) in self.forces.dual:
                k = self.forces.dual[j, i]
                out[k, k] += inertia
            else:
                row = now.coordinate_rows[self.forces.others.index((j, i))]
                out += inertia * np.outer(row, row)
        for where, _, inertia in self.forces.turning:
            out[where, where] += inertia * np.eye(3)
        return out

    def bias(
        self,
        now: Instant,
        acceleration: np.ndarray | None = None,
        wrenches: np.ndarray | None = None,
        gravity: np.ndarray | None = None,
    ) -> np.ndarray:
        """(nv,) efforts that let the tree move with the given accelerations (None: 0): velocity products and
        gravity, less `wrenches` (frames, 6) that act already; gravity None: that of the model."""
        tree, out = self.tree, np.zeros(self.tree.nv)
        frames = now.frames
        a = np.zeros(tree.nv) if acceleration is None else acceleration
        if acceleration is not None:
            frames, _ = tree.place(now.q, now.v, a)
        acting = np.zeros((len(tree), 6)) if wrenches is None else wrenches
        down = self.model.gravity if gravity is None else gravity
        sums = np.zeros((len(tree), 6))
        frame.find_efforts(tree.links, tree.geometry, frames, now.columns, acting, down, sums, out)
        for j, i, inertia in self.forces.armatures:
            if (j, i) in self.forces.dual:
                k = self.forces.dual[j, i]
                out[k] += inertia * a[k]
            else:
                k = self.forces.others.index((j, i))
                row = now.coordinate_rows[k]
                out += inertia * (row @ a + self.row_rates(now)[1][k]) * row
        for where, _, inertia in self.forces.turning:
            # The same in all directions, it has no products of velocities.
            out[where] += inertia * a[where]
        return out

    def efforts(self, now: Instant, t: float, u: np.ndarray) -> np.ndarray:
        """(nv,) efforts of springs, dampers, motors, wrenches and the users' terms, with inputs u ordered by
        `model.inputs`."""
        others = None
        if self.forces.others:
            others = now.values, now.coordinate_rows @ now.v, now.coordinate_rows
        out = self.forces.efforts(now.q, now.v, u, others)
        wrenches = self.forces.body_wrenches(t, now.frames, u)
        if wrenches.any():
            acting = wrenches[self.tree.body_frames]
            out += np.einsum("bkj,bk->j", now.spread, acting)
        return out

    def row_rates(self, now: Instant) -> tuple[np.ndarray, np.ndarray]:
        """(rates of the rows of loops, of coordinates) along the motion, times v: what the second derivatives
        of the constraints give, h''(v, v) in (36b)."""
        size = max(
            float(np.abs(now.spread[:, 3:] @ now.v).max(initial=0.0)),
            float(np.abs(now.spread[:, :3] @ now.v).max(initial=0.0)) / self.model.size,
        )
        count, others = len(now.rows), len(now.coordinate_rows)
        if size == 0.0 or count + others == 0:
            return np.zeros(count), np.zeros(others)
        step = REACH / size

        def rates(k: float) -> np.ndarray:
            near = self.tree.winding(now.q)
            there = self.instant(self.tree.moved(now.q, now.v, k * step), now.v, near)
            return np.concatenate([there.rows @ now.v, there.coordinate_rows @ now.v])

        total = (8.0 * (rates(1.0) - rates(-1.0)) - (rates(2.0) - rates(-2.0))) / (12.0 * step)
        return total[:count], total[count:]

    def accelerations(self, now: Instant, efforts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(accelerations (nv,), multipliers (m,) of the rows of loops) under `efforts` on the velocities.

        Implements: [JM09] eqs. (29), (36)."""
        M = self.mass_matrix(now)
        try:
            free = np.linalg.solve(M, efforts - self.bias(now))
        except np.linalg.LinAlgError:
            free = np.full(self.tree.nv, np.nan)
        if not np.isfinite(free).all():
            raise MechanismError(
                "the mass matrix is singular: a frame without mass has no body below it, or a point mass "
                "turns about itself; give it mass and inertia"
            )
        if not len(now.rows):
            return free, np.zeros(0)
        MG = np.linalg.solve(M, now.rows.T)
        wanted = -self.row_rates(now)[0] - now.rows @ free
        lam = least_norm(now.rows @ MG, wanted)
        return free + MG @ lam, lam

    # Closed loops.

    def closed(
        self, q: np.ndarray, v: np.ndarray, near: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """(q, v) on the constraints: the nearest in the metric of the mass matrix."""
        if not len(self.closing):
            return q, v
        size = max(1.0, self.model.size)
        last = np.inf
        for _ in range(ITERATIONS):
            now = self.instant(q, v, near)
            M = self.mass_matrix(now)
            MG = np.linalg.solve(M, now.rows.T)
            worst = float(np.abs(now.residual).max(initial=0.0))
            if worst < CLOSED * size or (worst < 1e3 * CLOSED * size and worst > 0.5 * last):
                return q, v - MG @ least_norm(now.rows @ MG, now.rows @ v)
            q = self.tree.moved(q, -MG @ least_norm(now.rows @ MG, now.residual))
            last = worst
        raise AssemblyError(
            f"the loops cannot be closed from here: rows are off by {last:.3g} m or rad; start from "
            "sarrus.assemble(model, ...)"
        )


def least_norm(S: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """The smallest x with S x = wanted in the least-squares sense, S symmetric and not negative; rows that
    are redundant are found by their eigenvalues."""
    diagonal = S.diagonal()
    # A row that no velocity changes is rounding, and stays small.
    scale = np.sqrt(np.maximum(diagonal, REDUNDANT * float(diagonal.max(initial=0.0)) + 1e-300))
    values, vectors = np.linalg.eigh(S / np.outer(scale, scale))
    keep = values > REDUNDANT * max(float(values.max(initial=0.0)), 1e-300)
    part = vectors[:, keep]
    return part @ ((part.T @ (wanted / scale)) / values[keep]) / scale
