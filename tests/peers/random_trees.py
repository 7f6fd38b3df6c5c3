"""Random trees with mixed joints, moving consistently with their joints at t = 0."""

from __future__ import annotations

import numpy as np

import sarrus

KINDS = (
    "revolute", "prismatic", "cylindrical", "universal", "spherical", "planar", "rectangular", "cartesian",
    "slot", "pin_in_slot", "point_on_plane", "parallel_axis", "fixed", "free",
)  # fmt: skip
WEIGHTS = np.array([6, 3, 2, 3, 4, 2, 1, 1, 1, 1, 1, 1, 1, 1]) / 28.0
SPIN = 1.5  # [rad/s] spread of the initial joint rates
SLIDE = 0.5  # [m/s]


def unit(rng) -> np.ndarray:
    """A random direction (3,)."""
    u = rng.normal(size=3)
    return u / np.linalg.norm(u)


def random_inertia(rng, mass: float) -> np.ndarray:
    """Inertia (3, 3) [kg m^2] of a random cloud of eight points about their centre: that of a real body."""
    points = rng.uniform(-0.3, 0.3, size=(8, 3))
    points -= points.mean(axis=0)
    squares = np.sum(points**2, axis=1)
    return mass / 8 * (np.eye(3) * squares.sum() - points.T @ points)


def free_axes(kind: str, axis, axis2) -> tuple[np.ndarray, np.ndarray]:
    """Free translations and rotations (k, 3) of a joint, world frame of the reference configuration."""
    none, plane = np.zeros((0, 3)), np.stack([axis2, np.cross(axis, axis2)])
    along, both, every = axis[None], np.stack([axis, axis2]), np.eye(3)
    return {
        "fixed": (none, none),
        "revolute": (none, along),
        "prismatic": (along, none),
        "cylindrical": (along, along),
        "universal": (none, both),
        "spherical": (none, every),
        "planar": (plane, along),
        "rectangular": (plane, none),
        "cartesian": (every, none),
        "slot": (along, every),
        "pin_in_slot": (along, axis2[None]),
        "point_on_plane": (plane, every),
        "parallel_axis": (every, along),
        "free": (every, every),
    }[kind]


def random_tree(seed: int, most_bodies: int = 12):
    """A mechanism of 2 to `most_bodies` bodies, each hung on an earlier one or on the world."""
    from sarrus.mechanism.joints import JOINT_KINDS

    rng = np.random.default_rng(seed)
    mech = sarrus.Mechanism(gravity=rng.normal(scale=5.0, size=3))
    motion = {"world": (np.zeros(3), np.zeros(3), np.zeros(3))}  # position, velocity, world angular velocity
    for b in range(int(rng.integers(2, most_bodies + 1))):
        name = f"body {b}"
        parent = str(rng.choice(list(motion)))
        kind = str(rng.choice(KINDS, p=WEIGHTS))
        if kind == "fixed" and parent == "world":
            kind = "revolute"
        x0, v0, w0 = motion[parent]
        at = x0 + rng.uniform(0.2, 0.5) * unit(rng)
        x1 = at + rng.uniform(0.2, 0.5) * unit(rng)
        axis = unit(rng)
        axis2 = np.cross(axis, unit(rng))
        axis2 /= np.linalg.norm(axis2)
        slides, turns = free_axes(kind, axis, axis2)
        slide_rates = rng.normal(scale=SLIDE, size=len(slides))
        turn_rates = rng.normal(scale=SPIN, size=len(turns))
        w1 = w0 + turn_rates @ turns
        v1 = v0 + np.cross(w0, at - x0) + slide_rates @ slides + np.cross(w1, x1 - at)
        q = unit(rng) * np.sin(0.7)
        orientation = np.array([np.cos(0.7), *q])
        mass = float(rng.uniform(0.5, 2.0))
        R = rotation_matrix(orientation)
        mech.add_body(
            name,
            mass=mass,
            inertia=random_inertia(rng, mass),
            position=x1,
            orientation=orientation,
            velocity=v1,
            angular_velocity=R.T @ w1,
        )
        takes = JOINT_KINDS[kind].takes
        given = {k: a for k, a in (("axis", axis), ("axis2", axis2)) if k in takes}
        if kind in ("revolute", "prismatic", "cylindrical"):
            given["armature"] = tuple(rng.uniform(0.0, 0.2, size=len(slides) + len(turns)))
        mech.add_joint(f"joint {b}", kind, parent=parent, child=name, at=at, **given)
        motion[name] = (x1, v1, w1)
    return mech


def rotation_matrix(q) -> np.ndarray:
    """Rotation matrix (3, 3) of a unit quaternion w, x, y, z."""
    w, v = q[0], np.asarray(q[1:])
    cross = np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
    return (w * w - v @ v) * np.eye(3) + 2.0 * np.outer(v, v) + 2.0 * w * cross
