"""Which springs a step of given length does not resolve.

A spring beside a damper, an armature or a servo is implicit as they are.  The others are explicit while they
are soft, so that they cost nothing in the iterations of a step; stiff ones are implicit: the tree carries
those of its joints, the others become border rows.  The choice is made from the reference configuration and
dt, once for a run: changing the rule on the way would cost energy, and a continued run takes the same."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sarrus import layout as at
from sarrus.mechanism import Tendon
from sarrus.model.description import Description, Drives, StiffSprings, body_number
from sarrus.model.geometry import JointGeometry

# (w dt)^2 that the springs of a body may have together by the trapezoidal rule: its energy error is a quarter
# of that, 6 %; it is stable up to 4.
RESOLVED = 0.25
# Motions whose part of the others is below this are the same motion.
SAME_MOTION = 1e-9


@dataclass(frozen=True)
class Rate:
    """Springs that are explicit or implicit together: coordinates (joint, number) of one joint, or a spring
    between points; its bodies (the user's indices); the squared rate [1/s^2] at which it moves them."""

    coordinates: frozenset[tuple[int, int]]
    point: int | None
    bodies: tuple[int, ...]
    rate: float


def spring_rates(d: Description, drives: Drives) -> list[Rate]:
    """The springs that `drives` has as explicit, and how fast they move their bodies by themselves."""
    springs = list(d.mechanism.springs.values())
    points = [
        e for e, rule in enumerate(drives.rules) if rule == at.TRAPEZOIDAL and springs[e].stiffness > 0.0
    ]
    if not drives.soft.any() and not points:
        return []
    bodies, found = Mobilities(d), []
    for j in np.flatnonzero(drives.soft.any(axis=1)):
        joint, stiffness = d.joints[j], drives.soft[j]
        if isinstance(joint.source, Tendon) and joint.source.path:
            found.append(path_rate(d, bodies, joint.source, int(j), float(stiffness[0])))
            continue
        for angular in (False, True):
            chosen = [i for i in np.flatnonzero(stiffness) if joint.angular[i] == angular]
            if chosen:
                axis = joint.basis_r[0] if joint.rotations == 1 else None
                yielding = sum(
                    bodies.about(body, axis) if angular else largest(bodies.at(body, arm))
                    for body, arm in ((joint.a, joint.pa), (joint.b, joint.pb))
                )
                numbers = frozenset((int(j), int(i)) for i in chosen)
                found.append(Rate(numbers, None, (joint.a, joint.b), stiffness[chosen].max() * yielding))
    for e in points:
        spring = springs[e]
        ends = body_number(d, spring.a), body_number(d, spring.b)
        arms = spring.at_a - bodies.centres[ends[0]], spring.at_b - bodies.centres[ends[1]]
        yielding = sum(largest(bodies.at(b, arm)) for b, arm in zip(ends, arms, strict=True))
        found.append(Rate(frozenset(), e, ends, spring.stiffness * yielding))
    return found


def path_rate(d: Description, bodies: Mobilities, tendon: Tendon, j: int, stiffness: float) -> Rate:
    """The rate of a spring along the path of tendon j."""
    yielding, touched = 0.0, set()
    for segment in tendon.segments:
        for place in (segment.a, segment.b, segment.wrap):
            if place is not None:
                body = body_number(d, place.body)
                arm = np.asarray(place.at) - bodies.centres[body]
                yielding += segment.factor**2 * largest(bodies.at(body, arm))
                touched.add(body)
    return Rate(frozenset({(j, 0)}), None, tuple(touched), stiffness * yielding)


def stiff_springs(rates: list[Rate], bodies: int, dt: float) -> StiffSprings:
    """Those springs whose bodies all of them together move faster than steps of `dt` [s] resolve."""
    load = np.zeros(bodies + 1)
    for spring in rates:
        for body in spring.bodies:
            load[body] += dt * dt * spring.rate
    load[bodies] = 0.0  # the world
    stiff = [spring for spring in rates if max(load[body] for body in spring.bodies) > RESOLVED]
    return StiffSprings(
        frozenset().union(*(spring.coordinates for spring in stiff)),
        frozenset(spring.point for spring in stiff if spring.point is not None),
    )


def all_springs(rates: list[Rate]) -> StiffSprings:
    """All of them, as if they were stiff."""
    return StiffSprings(
        frozenset().union(*(spring.coordinates for spring in rates)),
        frozenset(spring.point for spring in rates if spring.point is not None),
    )


class Mobilities:
    """How bodies yield to forces at the reference configuration, or at the given one.

    A body by itself, moving as the joints between it and the world let it: an upper bound, which the masses
    that it takes along and the loops that it is part of lower."""

    def __init__(self, d: Description, position: np.ndarray | None = None, turn: np.ndarray | None = None):
        bodies = list(d.mechanism.bodies.values())
        turn = np.tile(np.eye(3), (len(bodies), 1, 1)) if turn is None else turn
        # The world stands behind the bodies.
        self.turn = np.concatenate([turn, np.eye(3)[None]])
        places = np.array([body.position for body in bodies]).reshape(-1, 3) if position is None else position
        self.centres = np.vstack([places, np.zeros(3)])
        self.matrices: list[np.ndarray] = [np.zeros((6, 6))] * (len(bodies) + 1)
        motions: dict[int, np.ndarray] = {len(bodies): np.zeros((6, 0))}
        for b, user in enumerate(d.tree.order):
            above = d.tree.order[d.tree.parent[b]] if d.tree.parent[b] < len(bodies) else len(bodies)
            motions[user] = self._motions(d.joints[d.tree.joint[b]], user, above, motions[above])
            frame = self.turn[user] @ d.rotation[user]
            mass = np.zeros((6, 6))
            mass[:3, :3] = bodies[user].mass * np.eye(3)
            mass[3:, 3:] = frame @ bodies[user].inertia @ frame.T
            S = motions[user]
            self.matrices[user] = S @ np.linalg.pinv(S.T @ mass @ S, hermitian=True) @ S.T

    def _motions(self, joint: JointGeometry, body: int, above: int, carried: np.ndarray) -> np.ndarray:
        """Orthonormal motions (6, k) of a body, (translation, rotation): those of the body above and of its
        joint."""
        parent = self.turn[joint.a]
        arm, at_child = (joint.pb, True) if joint.b == body else (joint.pa, False)
        arm = self.turn[body] @ arm
        step = self.centres[body] - self.centres[above]
        columns = [np.concatenate([m[:3] + np.cross(m[3:], step), m[3:]]) for m in carried.T]
        columns += [np.concatenate([parent @ n, np.zeros(3)]) for n in joint.basis_t[: joint.translations]]
        for i, n in enumerate(joint.basis_r[: joint.rotations]):
            own = self.turn[body if at_child else above] if joint.rotations == 2 and i == 1 else parent
            n = own @ n
            slide = joint.number * n if joint.kind == at.SCREW_PAIR else np.zeros(3)
            columns.append(np.concatenate([np.cross(n, -arm) + slide, n]))
        if not columns:
            return np.zeros((6, 0))
        u, s, _ = np.linalg.svd(np.array(columns).T)
        return u[:, : int((s > SAME_MOTION * s[0]).sum())]

    def at(self, body: int, arm: np.ndarray) -> np.ndarray:
        """(3, 3) acceleration of the point `arm` from the centre of a body per force on it [1/kg]."""
        x, y, z = arm
        lever = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        move = np.hstack([np.eye(3), -lever])
        return move @ self.matrices[body] @ move.T

    def about(self, body: int, axis: np.ndarray | None) -> float:
        """Angular acceleration of a body per torque about an axis, None: the softest [1/(kg m^2)]."""
        matrix = self.matrices[body][3:, 3:]
        return largest(matrix) if axis is None else float(axis @ matrix @ axis)


def largest(matrix: np.ndarray) -> float:
    """Largest eigenvalue of a symmetric matrix."""
    return float(np.linalg.eigvalsh(matrix)[-1])
