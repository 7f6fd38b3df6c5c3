"""Boxes that touch or meet the ground in one step, at random: where solvers of contact are compared."""

from __future__ import annotations

import numpy as np

import sarrus

KINDS = ("flat", "edge", "corner", "impact", "spin")
DT, FRICTION, MASS = (5e-4, 0.1), (0.05, 2.0), (0.01, 100.0)  # [s], 1, [kg]; even in their logarithms
EDGES = (0.1, 0.6)  # [m]
GAP = 1e-6  # [m] at the start, an overlap being refused
SPEED, FALL, RATE = 2.0, 5.0, 10.0  # [m/s], [m/s], [rad/s]
TURN = 0.7  # largest |w| dt: past it a free body itself is near the end of its domain


def random_box(kind: str, rng) -> tuple[sarrus.Mechanism, float]:
    """A box over the ground and the length dt [s] of the step.

    flat: on a face, sliding. edge, corner: the lowest edge or corner touches, all velocities at random.
    impact: the lowest corner comes down with up to 5 m/s from within the reach of the step. spin: flat, about
    the vertical."""
    dt, mu, mass = (float(np.exp(rng.uniform(*np.log(limits)))) for limits in (DT, FRICTION, MASS))
    size = rng.uniform(*EDGES, 3)
    q, gap = np.array([1.0, 0.0, 0.0, 0.0]), GAP
    velocity, spin = np.r_[SPEED * rng.normal(size=2), 0.0], np.zeros(3)
    if kind == "edge":
        angle = rng.uniform(0.1, 1.4)
        q = np.array([np.cos(angle / 2), np.sin(angle / 2), 0.0, 0.0])
    elif kind in ("corner", "impact"):
        q = rng.normal(size=4)
        q /= np.linalg.norm(q)
    if kind in ("edge", "corner", "impact"):
        spin = RATE / np.sqrt(3.0) * rng.normal(size=3)
        velocity[2] = -rng.uniform(0.0, 0.2)
    if kind == "impact":
        velocity[2] = -rng.uniform(0.5, FALL)
        gap += rng.uniform(0.0, 1.0) * dt * abs(velocity[2])
    if kind == "spin":
        spin[2] = RATE * rng.normal()
    spin *= min(1.0, TURN / dt / max(np.linalg.norm(spin), 1e-12))
    w, x, y, z = q
    vertical = np.array([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)])  # body frame
    lowest = 0.5 * size @ np.abs(vertical)  # of the corners, below the centre
    mech = sarrus.Mechanism(name=f"box, {kind}")
    mech.add_body(
        "box", mass=mass, position=(0.0, 0.0, lowest + gap), orientation=q, velocity=velocity,
        angular_velocity=spin, shapes=[sarrus.Box(size)],
    )  # fmt: skip
    mech.add_ground(mu)
    return mech, dt


def random_boxes(count: int, seed: int = 0) -> list[tuple[sarrus.Mechanism, float]]:
    """So many boxes with their steps, the kinds in turn."""
    rng = np.random.default_rng(seed)
    return [random_box(KINDS[i % len(KINDS)], rng) for i in range(count)]
