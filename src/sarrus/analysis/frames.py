"""Frames of a model as functions of its joint coordinates: poses, body velocities, their first and second
derivatives, Jacobians.

The machinery of [JM09] section III as printed: recursion over 4x4 matrices from frame to parent, with a cache
of all that has been found.  It is for users and for experiments; the integrators need none of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sarrus.dynamics import articulated as kinds
from sarrus.errors import MechanismError, unknown_name
from sarrus.mechanism.rotations import rotation
from sarrus.model import Model, State
from sarrus.model.frame_tree import FrameTree


@dataclass(frozen=True)
class Link:
    """A frame in its parent at one configuration: g = C move(q), with derivatives of g and of its inverse.

    variable: number of the velocity that moves it, -1 where it is fixed; twist: of the move, 4x4."""

    parent: int
    variable: int
    g: np.ndarray
    dg: np.ndarray
    ddg: np.ndarray
    inverse: np.ndarray
    dinverse: np.ndarray
    ddinverse: np.ndarray
    twist: np.ndarray


def frames(model: Model, state: State | None = None, *, cache: bool = True) -> Frames:
    """The frames of `model` at `state` (None: the reference configuration with its velocities).

    cache: keep what has been found; without it every question walks the tree again ([JM09] Fig. 7)."""
    if not isinstance(model, Model):
        raise MechanismError(f"frames takes a model (sarrus.build(mechanism)), not {type(model).__name__}")
    return Frames(
        model, *model.joint_dynamics.motion(model.initial_state() if state is None else state), cache
    )


class Frames:
    """Frames at coordinates q and velocities v of the spanning tree (`velocity_slices`: by name of joint, or
    of body that flies freely).

    Every named frame and every body is a frame.  Body velocities and Jacobian rows are (linear, angular) in
    the frame's own axes.  Where a joint turns about a point its three variables are rotations about x, y, z
    of the child, in this order, counted from the attitude it has: rates and derivatives are regular
    everywhere.

    Implements: [JM09] eqs. (2)-(10), IV-E1.  Differs: moves along and about any axis; the primes that (6) and
    (7) lack are there, and the cases of (3) and (8) stand in their rows."""

    def __init__(self, model: Model, q: np.ndarray, v: np.ndarray, cache: bool = True):
        self.model, self.tree = model, FrameTree(model)
        self.q, self.v = np.asarray(q, float), np.asarray(v, float)
        self.velocity_slices = self.tree.velocity_slices
        self.nv = self.tree.nv
        self.links: list[Link] = []
        self._add_tree()
        self.index = {"world": -1}
        d = model.description
        for k, name in enumerate(model.body_names):
            body = self._fixed(
                int(self._place[self.tree.body_frames[d.number[k]]]), d.rotation[k], np.zeros(3)
            )
            self.index[name] = body
        for name, frame in model.mechanism.frames.items():
            base = model.mechanism.bodies.get(frame.body)
            R, x = rotation(frame.orientation), np.asarray(frame.at)
            if base is not None:
                own = rotation(base.orientation)
                R, x = own.T @ R, own.T @ (x - base.position)
            # A frame may have the name of a body: the frame is the one that is meant.
            self.index[name] = self._fixed(self.index[frame.body], R, x)
        self.ancestors = [self._ancestors(k) for k in range(len(self.links))]
        if cache:
            for what in ("_g", "_dg", "_ddg", "_v", "_dv", "_ddv", "_rate", "_drate"):
                setattr(self, what, _remembered(getattr(self, what)))

    # The tree.

    def _add_tree(self) -> None:
        tree = self.tree
        self._place = np.zeros(len(tree), np.int64)
        shift = self.model.description.origin
        for i, (parent, kind, v, q, _) in enumerate(tree.links):
            row = tree.geometry[i]
            place = -1 if parent < 0 else int(self._place[parent])
            x = row[kinds.OFFSET : kinds.OFFSET + 3] + (shift if parent < 0 else 0.0)
            axis, sign, pitch = row[kinds.AXIS : kinds.AXIS + 3], row[kinds.SIGN], row[kinds.PITCH]
            C = pose(np.eye(3), x)
            if kind == kinds.FIXED:
                self._place[i] = self._add(place, -1, C, np.zeros(6), 0.0)
            elif kind == kinds.BALL:
                self._place[i] = self._add_ball(place, C, rotation(self.q[q : q + 4]), v, sign)
            else:
                slide = axis if kind == kinds.SLIDE else pitch * axis
                turn = np.zeros(3) if kind == kinds.SLIDE else axis
                twist = sign * np.concatenate([slide, turn])
                self._place[i] = self._add(place, int(v), C, twist, float(self.q[q]))

    def _add_ball(self, parent: int, C: np.ndarray, R: np.ndarray, v: int, sign: float) -> int:
        """Three turns about the axes of the joint's child."""
        turns = [(int(v) + k, sign * np.concatenate([np.zeros(3), np.eye(3)[k]])) for k in range(3)]
        C = C @ pose(R if sign > 0.0 else np.eye(3), np.zeros(3))
        for variable, twist in turns if sign > 0.0 else reversed(turns):
            parent = self._add(parent, variable, C, twist, 0.0)
            C = np.eye(4)
        return parent if sign > 0.0 else self._fixed(parent, R.T, np.zeros(3))

    def _fixed(self, parent: int, R: np.ndarray, x: np.ndarray) -> int:
        return self._add(parent, -1, pose(R, x), np.zeros(6), 0.0)

    def _add(self, parent: int, variable: int, C: np.ndarray, twist: np.ndarray, q: float) -> int:
        X, move, back = hat(twist), move_of(twist, q), move_of(twist, -q)
        inverse = back @ inverse_pose(C)
        # A move and its twist commute: the derivatives of exp(X q) are exp(X q) X.
        self.links.append(
            Link(
                parent, variable, C @ move, C @ move @ X, C @ move @ X @ X,
                inverse, -X @ inverse, X @ X @ inverse, X,
            )
        )  # fmt: skip
        return len(self.links) - 1

    def _ancestors(self, k: int) -> frozenset[int]:
        """Variables that move frame k."""
        found = set()
        while k >= 0:
            found.add(self.links[k].variable)
            k = self.links[k].parent
        return frozenset(found - {-1})

    # Recursion, (2)-(10).  k: number of a frame, -1 the world; i, j: variables.

    def _g(self, k: int) -> np.ndarray:
        return np.eye(4) if k < 0 else self._g(self.links[k].parent) @ self.links[k].g

    def _dg(self, k: int, i: int) -> np.ndarray:
        if k < 0 or i not in self.ancestors[k]:
            return np.zeros((4, 4))
        link = self.links[k]
        if link.variable == i:
            return self._g(link.parent) @ link.dg
        return self._dg(link.parent, i) @ link.g

    def _ddg(self, k: int, i: int, j: int) -> np.ndarray:
        if k < 0 or i not in self.ancestors[k] or j not in self.ancestors[k]:
            return np.zeros((4, 4))
        link = self.links[k]
        if link.variable == i == j:
            return self._g(link.parent) @ link.ddg
        if link.variable == i:
            return self._dg(link.parent, j) @ link.dg
        if link.variable == j:
            return self._dg(link.parent, i) @ link.dg
        return self._ddg(link.parent, i, j) @ link.g

    def _v(self, k: int) -> np.ndarray:
        if k < 0:
            return np.zeros((4, 4))
        link = self.links[k]
        out = link.inverse @ self._v(link.parent) @ link.g
        return out if link.variable < 0 else out + self.v[link.variable] * link.twist

    def _dv(self, k: int, i: int) -> np.ndarray:
        if k < 0 or i not in self.ancestors[k]:
            return np.zeros((4, 4))
        link = self.links[k]
        if link.variable == i:
            above = self._v(link.parent)
            return link.dinverse @ above @ link.g + link.inverse @ above @ link.dg
        return link.inverse @ self._dv(link.parent, i) @ link.g

    def _ddv(self, k: int, i: int, j: int) -> np.ndarray:
        if k < 0 or i not in self.ancestors[k] or j not in self.ancestors[k]:
            return np.zeros((4, 4))
        link = self.links[k]
        if link.variable == i == j:
            above = self._v(link.parent)
            return (
                link.ddinverse @ above @ link.g
                + 2.0 * link.dinverse @ above @ link.dg
                + link.inverse @ above @ link.ddg
            )
        if link.variable in (i, j):
            above = self._dv(link.parent, j if link.variable == i else i)
            return link.dinverse @ above @ link.g + link.inverse @ above @ link.dg
        return link.inverse @ self._ddv(link.parent, i, j) @ link.g

    def _rate(self, k: int, i: int) -> np.ndarray:
        if k < 0 or i not in self.ancestors[k]:
            return np.zeros((4, 4))
        link = self.links[k]
        return link.twist if link.variable == i else link.inverse @ self._rate(link.parent, i) @ link.g

    def _drate(self, k: int, i: int, j: int) -> np.ndarray:
        """Derivative of the velocity with respect to coordinate i and velocity j."""
        if k < 0 or i not in self.ancestors[k] or j not in self.ancestors[k]:
            return np.zeros((4, 4))
        link = self.links[k]
        if link.variable == j:
            return np.zeros((4, 4))
        if link.variable == i:
            above = self._rate(link.parent, j)
            return link.dinverse @ above @ link.g + link.inverse @ above @ link.dg
        return link.inverse @ self._drate(link.parent, i, j) @ link.g

    # What users ask for, by name of a frame.

    def number(self, name: str) -> int:
        """Number of the frame `name`: a body, a named frame or "world"."""
        if name not in self.index:
            raise unknown_name("frame", name, self.index)
        return self.index[name]

    def pose(self, name: str) -> np.ndarray:
        """(4, 4) from the frame to the world.  Implements: [JM09] eq. (2)."""
        return self._g(self.number(name))

    def position(self, name: str) -> np.ndarray:
        """(3,) origin of the frame in the world [m]."""
        return self.pose(name)[:3, 3].copy()

    def pose_dq(self, name: str) -> np.ndarray:
        """(nv, 4, 4) derivatives of the pose.  Implements: [JM09] eq. (3)."""
        k = self.number(name)
        return np.array([self._dg(k, i) for i in range(self.nv)]).reshape(-1, 4, 4)

    def pose_dqdq(self, name: str) -> np.ndarray:
        """(nv, nv, 4, 4) second derivatives of the pose.  Implements: [JM09] eq. (4)."""
        return self._pairs(name, self._ddg)

    def velocity(self, name: str) -> np.ndarray:
        """(6,) body velocity: linear [m/s] and angular [rad/s], in the axes of the frame.

        Implements: [JM09] eq. (5)."""
        return unhat(self._v(self.number(name)))

    def velocity_dq(self, name: str) -> np.ndarray:
        """(nv, 6) derivatives of the body velocity with respect to coordinates.

        Implements: [JM09] eq. (6)."""
        k = self.number(name)
        return np.array([unhat(self._dv(k, i)) for i in range(self.nv)]).reshape(-1, 6)

    def velocity_dqdq(self, name: str) -> np.ndarray:
        """(nv, nv, 6) second derivatives with respect to coordinates.  Implements: [JM09] eq. (7)."""
        return unhat(self._pairs(name, self._ddv))

    def velocity_dv(self, name: str) -> np.ndarray:
        """(nv, 6) derivatives with respect to velocities; the second ones, (9), are zero.

        Implements: [JM09] eq. (8)."""
        k = self.number(name)
        return np.array([unhat(self._rate(k, i)) for i in range(self.nv)]).reshape(-1, 6)

    def velocity_dqdv(self, name: str) -> np.ndarray:
        """(nv, nv, 6) derivatives with respect to coordinate i and velocity j.

        Implements: [JM09] eq. (10)."""
        return unhat(self._pairs(name, self._drate))

    def body_jacobian(self, name: str) -> np.ndarray:
        """(6, nv) body velocity per velocity, in the axes of the frame.  Implements: [JM09] IV-E1."""
        k = self.number(name)
        back = inverse_pose(self._g(k))
        return np.array([unhat(back @ self._dg(k, i)) for i in range(self.nv)]).reshape(-1, 6).T

    def spatial_jacobian(self, name: str) -> np.ndarray:
        """(6, nv) spatial velocity per velocity: of the point of the frame's body at the world origin, and
        angular, in the axes of the world.  Implements: [JM09] IV-E1."""
        k = self.number(name)
        back = inverse_pose(self._g(k))
        return np.array([unhat(self._dg(k, i) @ back) for i in range(self.nv)]).reshape(-1, 6).T

    def _pairs(self, name: str, entry: Callable[[int, int, int], np.ndarray]) -> np.ndarray:
        k, n = self.number(name), self.nv
        out = np.zeros((n, n, 4, 4))
        for i in self.ancestors[k] if k >= 0 else ():
            for j in self.ancestors[k]:
                out[i, j] = entry(k, i, j)
        return out


def _remembered(function: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    """`function` that looks up what it has found before."""
    found: dict[tuple[int, ...], np.ndarray] = {}

    def looked_up(*where: int) -> np.ndarray:
        if where not in found:
            found[where] = function(*where)
        return found[where]

    return looked_up


def pose(R: np.ndarray, x: np.ndarray) -> np.ndarray:
    """(4, 4) of a rotation matrix and a displacement.  Implements: [JM09] eq. (1)."""
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = R, x
    return out


def inverse_pose(g: np.ndarray) -> np.ndarray:
    """The inverse of a pose (4, 4)."""
    return pose(g[:3, :3].T, -g[:3, :3].T @ g[:3, 3])


def hat(twist: np.ndarray) -> np.ndarray:
    """(4, 4) of a twist (linear, angular)."""
    x, y, z, a, b, c = twist
    return np.array([[0.0, -c, b, x], [c, 0.0, -a, y], [-b, a, 0.0, z], [0.0, 0.0, 0.0, 0.0]])


def unhat(X: np.ndarray) -> np.ndarray:
    """(..., 6) twists (linear, angular) of matrices (..., 4, 4)."""
    return np.stack(
        [X[..., 0, 3], X[..., 1, 3], X[..., 2, 3], X[..., 2, 1], X[..., 0, 2], X[..., 1, 0]], axis=-1
    )


def move_of(twist: np.ndarray, q: float) -> np.ndarray:
    """exp(hat(twist) q) of a slide, a turn about an axis through the origin, or a screw along it."""
    w = twist[3:]
    K = hat(np.concatenate([np.zeros(3), w]))[:3, :3]
    return pose(np.eye(3) + np.sin(q) * K + (1.0 - np.cos(q)) * K @ K, q * twist[:3])
