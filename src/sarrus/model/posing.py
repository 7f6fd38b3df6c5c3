"""Posing: one joint coordinate moved by hand, all other joints as still as the loops allow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sarrus.model.assembly import CLOSED, held_rows, kernel_state, state_of
from sarrus.model.linear import Linearisation
from sarrus.model.model import Model
from sarrus.model.state import State

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

# Longest part of a move that is done at once [rad, or of the size of the mechanism]: loops keep their branch.
STRIDE = 0.1
# A stride that finds no pose is halved, down to this part of the first; what is left cannot be reached.
SHORTEST = 1e-3
# Most strides of one move: a slider goes on with the next one.
TRIES = 200
ITERATIONS = 20
# Weight of a motion that no joint coordinate sees, beside those of the coordinates: it makes the least change
# unique.
FAINT = 1e-6
# Redundant rows make the system of a loop singular; Gauss-Newton forgives this, relative to its diagonal.
REGULARISATION = 1e-12


def pose(model: Model, state: State, joint: str, value: float, component: int = 0) -> tuple[State, float]:
    """(the state at rest with the coordinate of `joint` as near to `value` as the loops let it, that
    coordinate).

    It starts from `state` and moves the other joint coordinates, and bodies that no joint ties to the world,
    as little as it can (least squares)."""
    here = Pose(model, state, model.joint(joint), component)
    turn = component >= model.description.joints[here.joint].translations
    stride = STRIDE if turn else STRIDE * model.size
    now, least, tries = here.value, stride * SHORTEST, TRIES
    while abs(value - now) > CLOSED and stride >= least and tries:
        ahead = now + float(np.clip(value - now, -stride, stride))
        if here.move_to(ahead):
            now = ahead
        else:
            stride *= 0.5
        tries -= 1
    out = state_of(model, here.here.state)
    out.time, out.winding = state.time, here.winding
    return out, now


class Pose:
    """A configuration that follows one joint coordinate."""

    def __init__(self, model: Model, state: State, joint: int, component: int):
        self.model, self.joint = model, joint
        self.here = Linearisation(model.every, kernel_state(model, state))
        self.index, self.component = model.coordinate_places
        self.chosen = int(np.flatnonzero((self.index == joint) & (self.component == component))[0])
        tree = model.description.tree
        # Bodies that only an added free joint holds: they stay where they are.
        held = np.array([joint >= len(model.joint_names) for joint in tree.joint], bool)
        self.weight = np.where(np.repeat(held, 6), 1.0, FAINT)
        self.winding = model.coordinates_of(
            state.position[None], state.orientation[None], winding=state.winding
        )[0][0]
        self.value = float(self.winding[self.chosen])
        far = np.abs(state.position - model.description.origin)
        self.size = max(1.0, float(far.max(initial=0.0)))

    def move_to(self, value: float) -> bool:
        """Whether a pose with the coordinate at `value` was found; else everything stays as it is."""
        here, before, winding = self.here, self.here.state.copy(), self.winding
        tolerance = max(CLOSED * self.size, 0.1 * self.model.ranks.inexact)
        last = np.inf
        for _ in range(ITERATIONS):
            q, rows = here.coordinates(self.index, self.component)
            residual, matrix = held_rows(self.model, here)
            error = np.append(residual, q[self.chosen] - value)
            worst = float(np.abs(error).max())
            if worst < tolerance:
                self._keep_turns(q)
                return True
            # Far from a solution Gauss-Newton wanders: better a shorter stride than another branch.
            if not worst < 10.0 * last:
                break
            last = worst
            here.move(self._least_motion(matrix, rows, error))
        here.state[:], self.winding = before, winding
        here.update()
        return False

    def _keep_turns(self, q: np.ndarray) -> None:
        """The coordinates as those from which the next angles go on."""
        self.winding = q
        self.model.put_winding(self.model.every, self.here.state, q)

    def _least_motion(self, matrix: csr_matrix, rows: csr_matrix, error: np.ndarray) -> np.ndarray:
        """The motion (6 nb,) that removes `error` to first order with the least change of coordinates."""
        C = rows.toarray()
        A = np.concatenate([matrix.toarray(), C[self.chosen : self.chosen + 1]])
        H = C.T @ C
        H[np.diag_indices_from(H)] += self.weight
        X = np.linalg.solve(H, A.T)
        S = A @ X
        scale = 1.0 / np.sqrt(np.where(S.diagonal() > 0.0, S.diagonal(), 1.0))
        S = scale[:, None] * S * scale + REGULARISATION * np.eye(len(S))
        return -X @ (scale * np.linalg.solve(S, scale * error))


def coordinate_names(model: Model) -> list[tuple[str, int, str]]:
    """(joint, component, what it is called) of every coordinate that can be moved by hand."""
    from sarrus.mechanism import JOINT_KINDS

    out = []
    for name, where in model.joint_slices.items():
        kind = getattr(model.mechanism.joints[name], "kind", None)
        if kind not in JOINT_KINDS:
            continue
        words = JOINT_KINDS[kind].coordinates
        for i in range(where.stop - where.start):
            out.append((name, i, name if len(words) == 1 else f"{name}: {words[i]}"))
    return out
