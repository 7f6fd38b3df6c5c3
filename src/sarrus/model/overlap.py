"""Starts that overlap: shapes inside each other, joints beyond a limit, ropes that are too long.  They are
refused by name, or pushed apart."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sarrus import layout as at
from sarrus.errors import MechanismError, PushedApart
from sarrus.mechanism.rotations import multiply, rotation
from sarrus.model.assembly import held_rows, kernel_state
from sarrus.model.gaps import line_gaps
from sarrus.model.lifting import lift
from sarrus.model.linear import Linearisation
from sarrus.model.nodes import join
from sarrus.model.state import State

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

    from sarrus.model.model import Model

# A start may miss a half-space, a limit or the length of a rope by this [m, rad].
TOLERANCE = 1e-9
# Two other shapes may be this far inside each other [m]: as far as the steps of a run may leave them.
PAIR_TOLERANCE = 1e-6
# Starts that overlap by no more than this [m, rad] are pushed apart without being asked: feet in the ground,
# keyframes at a limit with rounded numbers.
SLIGHT = 5e-3
# Gap that pushing apart leaves [m, rad].
LEFT = 1e-9
# Rounds of pushing apart, each a projection; a round moves nothing further than this [m, rad].
ROUNDS, FURTHEST = 100, 0.3
# Rounds that move whole mechanisms out of the ground and other planes; the least motion ends what they leave.
LIFTS = 5
# Most bounds that take part in a round, the deepest and nearest first: the work grows with their cube.
MOST = 400
# Steps of the differences that give the direction in which two shapes part [m, rad].
DIFFERENCE = 1e-6
# Regularises multipliers that are not unique: four corners of a face, relative to the largest term, and
# redundant rows of joints, relative to each of them.
REGULARISATION, REDUNDANT = 1e-10, 1e-12
# Joints are closed again to this, times the size of the mechanism [m].
CLOSED = 1e-10


@dataclass(frozen=True)
class Bound:
    """Something that must not be negative at the start: number of the contact (after the lines the pairs),
    its value [m, rad], what may be missing."""

    number: int
    value: float
    tolerance: float


def settled(model: Model, state: State) -> State:
    """`state`, or where nothing overlaps by more than `SLIGHT` what `push_apart` makes of it, with a warning;
    a start that overlaps by more is refused."""
    found = Bounds(model).violated(state)
    if not found:
        return state
    worst = max(found, key=lambda bound: -bound.value)
    if -worst.value > SLIGHT:
        check_overlap(model, state)
    pushed = push_apart(model, state)
    way = np.linalg.norm(pushed.position - state.position, axis=1)
    most = int(np.argmax(way))
    warnings.warn(
        PushedApart(
            f"the start overlapped ({words(model, worst)}) and was pushed apart: {model.body_names[most]!r} "
            f"moved furthest, by {way[most]:.3g} m"
        ),
        stacklevel=5,
    )
    return pushed


def check_overlap(model: Model, state: State) -> None:
    """Refuses a start that overlaps: says what, by how much, and what can be done."""
    found = Bounds(model).violated(state)
    if found:
        worst = max(found, key=lambda bound: -bound.value)
        more = f" (and {len(found) - 1} more like it)" if len(found) > 1 else ""
        raise MechanismError(
            f"the start overlaps: {words(model, worst)}{more}; place the bodies apart, "
            f"{other_starts(model, state) or 'or '}use allow_overlap=True (--allow-overlap), which pushes "
            "them apart before the first step"
        )


def other_starts(model: Model, state: State) -> str:
    """The advice to start at a keyframe, empty where there is none or the start is no reference."""
    at_reference = np.array_equal(state.position, model.initial_state().position)
    keys = ", ".join(repr(name) for name in model.mechanism.keyframes if at_reference)
    return f"start at a keyframe (model.state(keyframe=...), --keyframe: {keys}), or " if keys else ""


def words(model: Model, bound: Bound) -> str:
    """What is violated and by how much."""
    contacts, names = model.contacts, (*model.body_names, "world")
    depth, i = -bound.value, bound.number
    if i >= len(contacts.fixed):
        pair = contacts.pairs[i - len(contacts.fixed)]
        first, second = contacts.shapes[pair.first].name, contacts.shapes[pair.second].name
        return f"{second!r} is inside {first!r} by {depth:.6g} m"
    line = contacts.fixed[i]
    if line.kind == at.LIMIT:
        joint = model.joint_names[line.joint]
        return f"joint {joint!r} is beyond its {line.name!r} ({line.bound:.6g}) by {depth:.6g} (m or rad)"
    if line.feature[at.FEATURE_TYPE] == at.ROPE:
        ends = f"between {names[line.a]!r} and {names[line.b]!r}"
        length = line.feature[at.FEATURE_R]
        return f"{line.name!r} {ends} is {depth:.6g} m longer than its length {length:.6g} m"
    return f"{line.name!r} is inside by {depth:.6g} m"


class Bounds:
    """Everything of a model that must not be negative at a start."""

    def __init__(self, model: Model):
        self.model = model
        lines = model.contacts.fixed
        self.touching = [i for i, line in enumerate(lines) if line.kind == at.TOUCH and not line.of_rim]
        self.limits = [i for i, line in enumerate(lines) if line.kind == at.LIMIT]
        self.pairs = model.near_pairs if model.contacts.pairs else None

    def violated(self, state: State) -> list[Bound]:
        """The bounds that a state misses by more than they allow."""
        return [bound for bound in self.at(state, 0.0) if bound.value < -bound.tolerance]

    def at(self, state: State, reach: float) -> list[Bound]:
        """The bounds with values of at most `reach` [m, rad]."""
        model, lines = self.model, self.model.contacts.fixed
        out = []
        if self.touching:
            gaps = line_gaps(model, state.position[None], state.orientation[None])[0]
            out += [Bound(i, float(gaps[i]), TOLERANCE) for i in self.touching]
        if self.limits:
            q = model.coordinates_of(state.position[None], state.orientation[None], winding=state.winding)[0]
            for i in self.limits:
                line = lines[i]
                first = model.joint_slices[model.joint_names[line.joint]].start
                value = line.side * (float(q[0, first + line.coordinate]) - line.bound)
                out.append(Bound(i, value, TOLERANCE))
        if self.pairs is not None:
            x, R = self.pairs.poses(state.position, state.orientation)
            near = self.pairs.detector.near(x, R, x, R, reach)
            found = self.pairs.detector.distance(near, x, R)
            out += [
                Bound(len(lines) + int(p), float(d), PAIR_TOLERANCE) for p, d in zip(near, found, strict=True)
            ]
        return [bound for bound in out if bound.value <= reach]

    def rows(self, bounds: list[Bound], state: State, here: Linearisation) -> np.ndarray:
        """Row vectors (k, 6 nb) of the bounds, in the numbers of the kernels."""
        from sarrus.dynamics.readout import read_contacts

        model, lines, number = self.model, self.model.contacts.fixed, self.model.description.number
        out = np.zeros((len(bounds), 6 * here.bodies))
        arrays = model.arrays
        touch = np.zeros((max(len(lines), 1), 6))
        if self.touching:
            nodes = join(state.position[None], state.orientation[None])
            read_contacts(arrays.topo, arrays.par, arrays.state.copy(), arrays.new_work(), nodes, touch)
        for k, bound in enumerate(bounds):
            if bound.number >= len(lines):
                out[k] = self._pair_row(bound.number - len(lines), state, here)
                continue
            line = lines[bound.number]
            if line.kind == at.LIMIT:
                _, row = here.coordinates(np.array([line.joint]), np.array([line.coordinate]))
                out[k] = line.side * row.toarray()[0]
                continue
            normal, point = touch[bound.number, :3], touch[bound.number, 3:] + model.description.origin
            for body, sign in ((line.a, -1.0), (line.b, 1.0)):
                if body < here.bodies:
                    arm = np.cross(point - state.position[body], normal)
                    first = 6 * number[body]
                    out[k, first : first + 6] += sign * np.concatenate([normal, arm])
        return out

    def _pair_row(self, pair: int, state: State, here: Linearisation) -> np.ndarray:
        """The row vector (6 nb,) of the distance of a pair, by differences."""
        near = self.model.near_pairs
        shapes, of = self.model.contacts.shapes, self.model.contacts.pairs[pair]
        row = np.zeros(6 * here.bodies)
        x, R = near.poses(state.position, state.orientation)
        for body in (shapes[of.first].body, shapes[of.second].body):
            for k in range(6 if body < here.bodies else 0):
                values = []
                for step in (DIFFERENCE, -DIFFERENCE):
                    moved, turned = x.copy(), R.copy()
                    if k < 3:
                        moved[body, k] += step
                    else:
                        q = np.array([np.cos(step / 2), 0.0, 0.0, 0.0])
                        q[k - 2] = np.sin(step / 2)
                        turned[body] = rotation(q) @ R[body]
                    values.append(near.detector.distance(np.array([pair]), moved, turned)[0])
                place = 6 * self.model.description.number[body] + k
                row[place] = (values[0] - values[1]) / (2.0 * DIFFERENCE)
        return row


def push_apart(model: Model, state: State) -> State:
    """`state` after the least motion, in the metric of the masses, that ends all overlaps and keeps the
    joints; velocities stay.  A start without overlap comes back as it is.

    Free mechanisms that are deep in the ground are moved out of it as a whole first."""
    bounds = Bounds(model)
    found = bounds.violated(state)
    if not found:
        return state
    now = state
    size = max(1.0, float(np.abs(state.position - model.description.origin).max(initial=0.0)))
    closed = max(CLOSED * size, 10.0 * model.ranks.inexact)
    for _ in range(LIFTS):
        here = Linearisation(model.every, kernel_state(model, now))
        motion = lift(model, bounds, found, now, here, SLIGHT, LEFT)
        if motion is None:
            break
        here.move(motion)
        now = moved(model, now, here)
        found = bounds.violated(now)
    for _ in range(ROUNDS):
        here = Linearisation(model.every, kernel_state(model, now))
        residual, G = held_rows(model, here)
        open_by = float(np.abs(residual).max(initial=0.0))
        if not found and open_by < closed:
            return now
        # What is near takes part, so that nothing is pushed from one overlap into another.
        deepest = max((-bound.value for bound in found), default=0.0)
        near = bounds.at(now, max(2.0 * deepest, 10.0 * open_by))
        near = sorted(near, key=lambda bound: bound.value)[:MOST]
        rows, values = bounds.rows(near, now, here), np.array([b.value for b in near]) - LEFT
        try:
            motion = projection(here, residual, G, rows, values)
        except (np.linalg.LinAlgError, RuntimeError):
            # No multipliers: the shapes have no direction in which they part.
            break
        if not np.isfinite(motion).all():
            break
        here.move(motion * min(1.0, FURTHEST / max(float(np.abs(motion).max()), FURTHEST)))
        now = moved(model, now, here)
        found = bounds.violated(now)
    worst = max(bounds.violated(state), key=lambda bound: -bound.value)
    left = max(found, key=lambda bound: -bound.value, default=None)
    after = f"; pushing left: {words(model, left)}" if left is not None else ""
    raise MechanismError(
        f"the start overlaps and cannot be pushed apart: {words(model, worst)}, and no motion that the "
        f"joints allow ends it{after}; place the bodies apart, {other_starts(model, state) or 'or '}exclude "
        "the pair"
    )


def projection(
    here: Linearisation, residual: np.ndarray, G: csr_matrix, rows: np.ndarray, values: np.ndarray
) -> np.ndarray:
    """The least motion d (6 nb,), in the metric of the masses, with `values` + rows d >= 0 that takes the
    residuals of the joints, whose Jacobian is G, to 0."""
    from scipy.optimize import nnls
    from scipy.sparse import diags, identity
    from scipy.sparse.linalg import splu

    W = here.inverse_mass()
    away, motion = W @ rows.T, np.zeros(6 * here.bodies)
    free = float(np.einsum("ki,ik->k", rows, away).max(initial=0.0))
    if G.shape[0]:
        # Rows in units of their own: between bodies of 1 mg hang some of 1e-9 of that.
        sizes = np.sqrt(np.maximum(np.asarray((G @ W).multiply(G).sum(axis=1)).ravel(), 1e-300))
        G, residual = (diags(1.0 / sizes) @ G).tocsr(), residual / sizes
        GW = G @ W
        S = (GW @ G.T).tocsc() + REDUNDANT * identity(G.shape[0], format="csc")
        solve = splu(S).solve
        motion = -(GW.T @ solve(residual))
        away = away - GW.T @ solve(G @ away)
    if not len(rows):
        return motion
    S = rows @ away
    # Relative to what the bodies could do without joints: those that cannot move leave rounding in S.
    scale = max(free, 1e-300)
    lower = np.linalg.cholesky(0.5 * (S + S.T) + REGULARISATION * scale * np.eye(len(S)))
    # The multipliers: least squares with signs, |L' y + L^-1 (values + rows d)| smallest for y >= 0.
    push, _ = nnls(lower.T, -np.linalg.solve(lower, values + rows @ motion))
    with np.errstate(over="ignore", invalid="ignore"):
        return motion + away @ push


def moved(model: Model, before: State, here: Linearisation) -> State:
    """`before` at the configuration in `here`."""
    out, order, nb = before.copy(), model.description.tree.order, here.bodies
    out.memory = None
    out.position[order] = here.state[:nb, at.X : at.X + 3] + model.description.origin
    turned = np.zeros((nb, 4))
    turned[order] = here.state[:nb, at.Q : at.Q + 4]
    out.orientation = multiply(turned, model.initial_state().orientation)
    if before.winding is not None:
        place = out.position[None], out.orientation[None]
        out.winding = model.coordinates_of(*place, winding=before.winding)[0][0]
    return out
