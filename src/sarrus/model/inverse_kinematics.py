"""Inverse kinematics: a configuration that closes loops, keeps limits and brings frames to given places.

Sequential quadratic programming in the velocities of the spanning tree: each iteration solves
    min |J d + e|^2 + damping |d|^2   with   G d = -r,   A d >= -margin
for frame errors e, rows G of loops and given coordinates, and margins of limits; the multipliers of the
limits are non-negative least squares."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sarrus.errors import MechanismError, TargetsMissed
from sarrus.mechanism.rotations import multiply, rotation, rotation_vector
from sarrus.model.assembly import CLOSED, joint_targets
from sarrus.model.frame_poses import CONJUGATE, frame_in_body, pose_from
from sarrus.model.linear import Linearisation
from sarrus.model.model import Model
from sarrus.model.state import State

ITERATIONS, STARTS = 200, 12
# Longest step of an iteration [rad, or of the size of the mechanism], and the step that ends the search.
STRIDE, STILL = 0.3, 1e-12
DAMPING = (1e-10, 1e-3, 1e2)
"""Least, first and largest damping, relative to the largest term of J' J."""
REDUNDANT = 1e-10
# A limit is held by loops and given coordinates where they leave no more than this part of its row.
HELD = 1e-9
# How far the random starts lie from the first one [rad, or of the size].
ASIDE = 0.8
# What counts as met [m, rad].
MET = 1e-8


@dataclass(frozen=True)
class Target:
    """A frame, fixed in a body at `place` and `turned`, that shall be at `position` (and `orientation`)."""

    name: str
    body: int
    place: np.ndarray
    turned: np.ndarray
    position: np.ndarray
    orientation: np.ndarray | None


@dataclass(frozen=True)
class Look:
    """What an iteration needs at one configuration: errors and rows of frames, of what must hold, and margins
    of limits with their rows."""

    error: np.ndarray
    J: np.ndarray
    residual: np.ndarray
    G: np.ndarray
    margin: np.ndarray
    A: np.ndarray

    @property
    def violation(self) -> float:
        """The most that loops, given coordinates or limits miss."""
        broken = float(np.maximum(-self.margin, 0.0).max(initial=0.0))
        return max(float(np.abs(self.residual).max(initial=0.0)), broken)

    @property
    def merit(self) -> float:
        """What a step must lower."""
        broken = np.maximum(-self.margin, 0.0)
        held = float(np.abs(self.residual).sum() + broken.sum())
        return 0.5 * float(self.error @ self.error) + (1.0 + float(np.linalg.norm(self.error))) * held


class Search:
    """The problem: targets, coordinates that are given, limits; lengths count in parts of the size."""

    def __init__(self, model: Model, joints: Mapping[str, Any], frames: Mapping[str, Any], limits: bool):
        self.model, self.dynamics = model, model.joint_dynamics
        self.size = model.size
        self.targets = []
        for name, value in frames.items():
            body, place, turned = frame_in_body(model.mechanism, name)
            if body is None:
                raise MechanismError(f"frame {name!r} is fixed in the world and cannot be moved")
            at, orientation = pose_from(name, value)
            self.targets.append(Target(name, model.body_index[body], place, turned, at, orientation))
        wanted = joint_targets(model, joints, "coordinate")
        given = [(model.joint_index[n], i, x) for n, values in wanted.items() for i, x in enumerate(values)]
        self.given = self._table(given)
        sides = []
        for limit in model.mechanism.limits.values() if limits else ():
            j = model.joint_index[limit.joint]
            for side, bounds in ((1.0, limit.lower), (-1.0, limit.upper)):
                sides += [(j, i, x, side) for i, x in enumerate(bounds) if np.isfinite(x)]
        self.limits = self._table([entry[:3] for entry in sides])
        self.sides = np.array([entry[3] for entry in sides])

    @staticmethod
    def _table(entries: list[tuple[int, int, float]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        table = np.array(entries, float).reshape(-1, 3)
        return table[:, 0].astype(np.int64), table[:, 1].astype(np.int64), table[:, 2]

    def look(self, q: np.ndarray, near: np.ndarray) -> tuple[Look, State]:
        """What there is to see at q; near: coordinates of all joints on their turns."""
        dynamics, model = self.dynamics, self.model
        nv = dynamics.tree.nv
        now = dynamics.instant(q, np.zeros(nv), near)
        state = dynamics.tree.state(now.frames, q, 0.0, near)
        places = state.position[None], state.orientation[None]
        state.winding = model.coordinates_of(*places, winding=near)[0][0]
        error, J = [np.zeros(0)], [np.zeros((0, nv))]
        for target in self.targets:
            R = rotation(state.orientation[target.body])
            arm, moves = R @ target.place, now.spread[model.description.number[target.body]]
            error.append((state.position[target.body] + arm - target.position) / self.size)
            J.append((moves[:3] + np.cross(moves[3:], arm, axis=0)) / self.size)
            if target.orientation is not None:
                turned = multiply(state.orientation[target.body], target.turned)
                off = rotation_vector(rotation(multiply(turned, target.orientation * CONJUGATE)))
                error.append(off)
                J.append(moves[3:])
        here = Linearisation(model.every, dynamics._kernel_state(now.frames, q, state.winding))
        flat = now.spread.reshape(-1, nv)
        index, component, wanted = self.given
        values, rows = here.coordinates(index, component)
        at_limits, limit_rows = here.coordinates(*self.limits[:2])
        look = Look(
            np.concatenate(error),
            np.concatenate(J),
            np.concatenate([now.residual, values - wanted]),
            np.concatenate([now.rows, rows @ flat]),
            self.sides * (at_limits - self.limits[2]),
            self.sides[:, None] * (limit_rows @ flat),
        )
        return look, state

    def descend(self, q: np.ndarray, near: np.ndarray) -> tuple[Look, State]:
        """The end of the search from q."""
        damping = DAMPING[1]
        look, state = self.look(q, near)
        for _ in range(ITERATIONS):
            step = self.step(look, damping)
            step *= min(1.0, STRIDE / max(float(np.abs(step).max(initial=0.0)), 1e-300))
            moved = self.dynamics.tree.moved(q, step)
            ahead, there = self.look(moved, state.winding if state.winding is not None else near)
            if ahead.merit < look.merit or float(np.abs(step).max(initial=0.0)) < STILL:
                still = float(np.abs(step).max(initial=0.0)) < STILL
                q, look, state = moved, ahead, there
                damping = max(0.1 * damping, DAMPING[0])
                if still:
                    break
            elif damping >= DAMPING[2]:
                break
            else:
                damping *= 10.0
        return look, state

    def step(self, look: Look, damping: float) -> np.ndarray:
        """The step (nv,) of one iteration: it closes loops and sets given coordinates; what freedom is left
        goes to the targets, within the limits."""
        from scipy.optimize import nnls

        nv = look.J.shape[1]
        U, sizes, Vt = np.linalg.svd(look.G, full_matrices=True)
        rank = int(np.sum(sizes > REDUNDANT * sizes.max(initial=0.0)))
        d = -Vt[:rank].T @ ((U[:, :rank].T @ look.residual) / sizes[:rank])
        Z = Vt[rank:].T  # motions that keep what is held
        if not Z.shape[1]:
            return d
        JZ, AZ = look.J @ Z, look.A @ Z
        H = JZ.T @ JZ
        H += damping * max(float(np.sum(look.J**2, axis=0).max(initial=0.0)), 1.0) * np.eye(nv - rank)
        lower = np.linalg.cholesky(H)
        d -= Z @ np.linalg.solve(H, JZ.T @ (look.error + look.J @ d))
        near = look.A @ d + look.margin < np.maximum(2.0 * np.abs(look.margin).min(initial=0.0), STRIDE)
        # What is held cannot be moved off its limit: only rounding is left of its row.
        near &= np.linalg.norm(AZ, axis=1) > HELD * np.linalg.norm(look.A, axis=1)
        if not near.any():
            return d
        W = np.linalg.solve(lower, AZ[near].T)
        S = W.T @ W
        root = np.linalg.cholesky(S + REDUNDANT * float(S.diagonal().max()) * np.eye(len(S)))
        push, _ = nnls(root.T, -np.linalg.solve(root, look.margin[near] + look.A[near] @ d))
        return d + Z @ np.linalg.solve(lower.T, W @ push)


def reach(
    model: Model, start: State, joints: Mapping[str, Any], frames: Mapping[str, Any], *, limits: bool
) -> State:
    """The state near `start` that brings frames to their targets; see `assemble`."""
    if not isinstance(frames, Mapping):
        raise MechanismError(f"frames must be a dict of places by name of frame, not {type(frames).__name__}")
    search, tree = Search(model, joints, frames, limits), model.joint_dynamics.tree
    q = tree.coordinates(start)
    near = np.zeros(model.coordinates) if start.winding is None else start.winding
    rng = np.random.default_rng(0)
    best: tuple[tuple[bool, float], Look, State] | None = None
    for k in range(STARTS):
        aside = ASIDE * rng.normal(size=tree.nv) if k else np.zeros(tree.nv)
        look, state = search.descend(tree.moved(q, aside), near)
        missed = float(np.abs(look.error).max(initial=0.0))
        held = look.violation <= 100.0 * CLOSED * max(1.0, model.size)
        rank = (not held, missed if held else look.violation)
        if best is None or rank < best[0]:
            best = rank, look, state
        if held and missed < MET:
            break
    assert best is not None
    _, look, state = best
    state.time = start.time
    said = complaints(search, look, state)
    if said:
        warnings.warn(TargetsMissed("; ".join(said)), stacklevel=4)
    return state


def complaints(search: Search, look: Look, state: State) -> list[str]:
    """What is not met, in words."""
    model, said = search.model, []
    for target in search.targets:
        pose = state.frame_pose(target.name)
        off = float(np.linalg.norm(pose.position - target.position))
        words = [f"its position by {off:.3g} m"] if off > 10.0 * MET * model.size else []
        if target.orientation is not None:
            turn = multiply(pose.orientation, target.orientation * CONJUGATE)
            angle = float(np.linalg.norm(rotation_vector(rotation(turn))))
            words += [f"its orientation by {angle:.3g} rad"] if angle > 10.0 * MET else []
        if words:
            said.append(f"frame {target.name!r} misses {' and '.join(words)}")
    tight = [
        model.joint_names[j] for j, margin in zip(search.limits[0], look.margin, strict=True) if margin < 1e-9
    ]
    if said and tight:
        said.append(f"at their limits: {', '.join(map(repr, dict.fromkeys(tight)))}")
    if look.violation > 100.0 * CLOSED * max(1.0, model.size):
        said.insert(0, f"loops, given coordinates or limits are off by {look.violation:.3g} m or rad")
    return said
