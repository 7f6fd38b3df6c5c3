"""Planar mechanisms of revolute joints in plain numpy: the ground of the baselines.

Coordinates of a body: x, y of its centre of mass [m], angle [rad]. Shares no code with `sarrus`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

WORLD = -1


@dataclass(frozen=True)
class Pin:
    """A revolute joint of bodies `a` and `b` (-1: world) at the body-fixed points `ra`, `rb` (2,) [m]."""

    a: int
    b: int
    ra: np.ndarray
    rb: np.ndarray


@dataclass(frozen=True)
class PlanarMechanism:
    """Bodies and pins in the plane; q0, v0 (n, 3) at t = 0; gravity (2,) [m/s^2]."""

    mass: np.ndarray
    inertia: np.ndarray
    gravity: np.ndarray
    q0: np.ndarray
    v0: np.ndarray
    tree: tuple[Pin, ...]
    loops: tuple[Pin, ...]

    @property
    def pins(self) -> tuple[Pin, ...]:
        """All pins, those of the tree first."""
        return self.tree + self.loops

    @property
    def weights(self) -> np.ndarray:
        """Mass matrix diagonal (3 n,)."""
        return np.column_stack([self.mass, self.mass, self.inertia]).ravel()

    @property
    def load(self) -> np.ndarray:
        """Gravity as a generalized force (3 n,)."""
        return (self.mass[:, None] * np.append(self.gravity, 0.0)).ravel()

    def energy(self, q, v) -> np.ndarray:
        """Kinetic and potential energy [J], the potential zero at the origin; q, v (..., n, 3)."""
        kinetic = 0.5 * np.sum(self.weights.reshape(-1, 3) * v**2, axis=(-2, -1))
        return np.stack([kinetic, -np.sum(self.mass * (q[..., :2] @ self.gravity), axis=-1)])


def planar(mech) -> PlanarMechanism:
    """The planar mechanism of a `sarrus.Mechanism` whose joints are all revolute about one direction.

    A joint is part of the tree when its child (or its parent) is not yet held."""
    joints = list(mech.joints.values())
    axis = joints[0].axis
    for joint in joints:
        if joint.kind != "revolute" or abs(abs(joint.axis @ axis) - 1.0) > 1e-9:
            raise ValueError(
                f"joint {joint.name!r} is not revolute about {axis}: the mechanism is not planar"
            )
    up = np.array([0.0, 0.0, 1.0]) if abs(axis[2]) < 0.9 else np.array([0.0, 1.0, 0.0])
    e2 = up - axis * (axis @ up)
    e2 /= np.linalg.norm(e2)
    plane = np.stack([np.cross(e2, axis), e2])
    bodies = list(mech.bodies.values())
    index = {body.name: k for k, body in enumerate(bodies)} | {"world": WORLD}
    place = np.array([plane @ body.position for body in bodies])
    spin = [axis @ _rotation(body.orientation) @ body.angular_velocity for body in bodies]
    moment = []
    for body in bodies:
        n = _rotation(body.orientation).T @ axis
        moment.append(n @ body.inertia @ n)
    tree, loops, held = [], [], {WORLD}
    for joint in joints:
        a, b, at = index[joint.parent], index[joint.child], plane @ joint.at
        if b in held and a not in held:
            a, b = b, a
        pin = Pin(a, b, at - (place[a] if a >= 0 else 0.0), at - (place[b] if b >= 0 else 0.0))
        (loops if b in held else tree).append(pin)
        held.add(b)
    return PlanarMechanism(
        mass=np.array([body.mass for body in bodies]),
        inertia=np.array(moment),
        gravity=plane @ mech.gravity,
        q0=np.column_stack([place, np.zeros(len(bodies))]),
        v0=np.column_stack([np.array([plane @ body.velocity for body in bodies]), spin]),
        tree=tuple(tree),
        loops=tuple(loops),
    )


def arm(r, angle) -> np.ndarray:
    """The body-fixed vector r (2,) turned by `angle`."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * r[0] - s * r[1], s * r[0] + c * r[1]])


def turned(r) -> np.ndarray:
    """r (2,) turned by a right angle: the derivative of `arm` by its angle."""
    return np.array([-r[1], r[0]])


def gaps(pins, q) -> np.ndarray:
    """Residuals (2 m,) [m] of the pins at q (n, 3)."""
    rows = []
    for pin in pins:
        rows.append(_point(q, pin.a, pin.ra) - _point(q, pin.b, pin.rb))
    return np.concatenate(rows) if rows else np.zeros(0)


def jacobian(pins, q) -> np.ndarray:
    """Derivative (2 m, 3 n) of `gaps` by q."""
    G = np.zeros((2 * len(pins), q.size))
    for k, pin in enumerate(pins):
        for body, r, sign in ((pin.a, pin.ra, 1.0), (pin.b, pin.rb, -1.0)):
            if body >= 0:
                G[2 * k : 2 * k + 2, 3 * body : 3 * body + 2] = sign * np.eye(2)
                G[2 * k : 2 * k + 2, 3 * body + 2] = sign * turned(arm(r, q[body, 2]))
    return G


def centripetal(pins, q, v) -> np.ndarray:
    """What the pins ask of the accelerations: G a equals this (2 m,) [m/s^2]."""
    rows = []
    for pin in pins:
        row = np.zeros(2)
        for body, r, sign in ((pin.a, pin.ra, 1.0), (pin.b, pin.rb, -1.0)):
            if body >= 0:
                row += sign * arm(r, q[body, 2]) * v[body, 2] ** 2
        rows.append(row)
    return np.concatenate(rows) if rows else np.zeros(0)


def _point(q, body: int, r) -> np.ndarray:
    return r if body < 0 else q[body, :2] + arm(r, q[body, 2])


def _rotation(q) -> np.ndarray:
    w, u = q[0], np.asarray(q[1:])
    cross = np.array([[0.0, -u[2], u[1]], [u[2], 0.0, -u[0]], [-u[1], u[0], 0.0]])
    return (w * w - u @ u) * np.eye(3) + 2.0 * np.outer(u, u) + 2.0 * w * cross
