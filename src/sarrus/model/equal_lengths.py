"""Lengths of links that are equal but for rounding become equal, points that are one point become one.

A linkage passes a singular configuration, where its links are in line, only if its lengths fit exactly.  The
nearest geometry that moves elsewhere need not have them: lengths are what the drawing says."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from sarrus.mechanism import Mechanism
from sarrus.mechanism.joints import Joint
from sarrus.model.linear import nearest

# Gauss-Newton on the lengths: it ends where they agree to rounding.
ITERATIONS, AGREE = 20, 1e-15
# Axes whose cross product is below this are parallel.
PARALLEL = 1e-9
# Kinds whose point may be anywhere, along a slide or in a plane.
ANYWHERE = (
    "fixed",
    "prismatic",
    "planar",
    "rectangular",
    "cartesian",
    "parallel_axis",
    "point_on_plane",
    "free",
)


@dataclass(frozen=True)
class Length:
    """The distance of the points a and b of two joints on one body: |P (x_a - x_b)|, where P leaves out the
    direction of their common axis and of a slide."""

    a: int
    b: int
    P: np.ndarray

    def value(self, points: np.ndarray) -> float:
        """The length [m]."""
        d = self.P @ (points[self.a] - points[self.b])
        return float(np.linalg.norm(d))

    def gradient(self, points: np.ndarray) -> np.ndarray:
        """(n, 3): the derivative by all points."""
        d, out = self.P @ (points[self.a] - points[self.b]), np.zeros_like(points)
        out[self.a] = self.P.T @ d / max(float(np.linalg.norm(d)), 1e-300)
        out[self.b] = -out[self.a]
        return out


def with_equal_lengths(mechanism: Mechanism, names: list[str], tolerance: float) -> Mechanism:
    """A copy of `mechanism` in which lengths between the joints `names` on a body that differ by less than
    `tolerance` [m] are equal, and those below it zero; points are moved by as little as that takes."""
    out = deepcopy(mechanism)
    found = {name: mechanism.joints[name] for name in names}
    joints = {name: joint for name, joint in found.items() if isinstance(joint, Joint)}
    points = np.array([joint.at for joint in joints.values()])
    lengths = lengths_of(list(joints.values()))
    if not lengths:
        return out
    groups = grouped([length.value(points) for length in lengths], tolerance)
    start = points.copy()
    for _ in range(ITERATIONS):
        values, slopes = conditions(points, lengths, groups)
        if not np.abs(values).max(initial=0.0) > AGREE * np.ptp(start, axis=0).max(initial=0.0):
            break
        # The nearest to the start that meets the conditions, not to the last.
        moved = (points - start).ravel()
        change = nearest(slopes, slopes @ moved - values)
        points = start + change.reshape(-1, 3)
    for name, point in zip(joints, points, strict=True):
        out.joints[name] = replace(joints[name], at=point)
    return out


def lengths_of(joints: list[Joint]) -> list[Length]:
    """Lengths between joints on the same body that do not change in the motion: of points, from parallel
    axes, from slides."""
    on: dict[str, list[int]] = {}
    for k, joint in enumerate(joints):
        on.setdefault(joint.parent, []).append(k)
        on.setdefault(joint.child, []).append(k)
    found = []
    for body, here in on.items():
        for a, b in combinations(here, 2):
            directions = [d for k in (a, b) if (d := axis_of(joints[k])) is not None]
            if any(joints[k].kind in ANYWHERE for k in (a, b)):
                continue
            if len(directions) == 2 and np.linalg.norm(np.cross(directions[0], directions[1])) > PARALLEL:
                continue
            P = np.eye(3)
            if directions:
                P -= np.outer(directions[0], directions[0])
            slides = [d for k in (a, b) if (d := slide_on(joints[k], body)) is not None]
            for slide in slides[:1]:
                P = P @ (np.eye(3) - np.outer(slide, slide))
            if len(slides) < 2:
                found.append(Length(a, b, P))
    return found


def axis_of(joint: Joint) -> np.ndarray | None:
    """The axis about which a joint turns, None where it has none or several."""
    if joint.kind == "pin_in_slot":
        return joint.axis2
    return joint.axis if joint.kind in ("revolute", "cylindrical", "screw") else None


def slide_on(joint: Joint, body: str) -> np.ndarray | None:
    """The direction of a slide that is part of the body."""
    return joint.axis if joint.kind in ("pin_in_slot", "slot") and joint.parent == body else None


def grouped(values: list[float], tolerance: float) -> list[list[int]]:
    """Places of values that are equal to `tolerance`; the first group holds those that are zero."""
    groups: list[list[int]] = [[]]
    first = 0.0
    for k in np.argsort(values, kind="stable"):
        if values[k] - first > tolerance:
            groups.append([])
            first = values[k]
        groups[-1].append(int(k))
    return groups


def conditions(
    points: np.ndarray, lengths: list[Length], groups: list[list[int]]
) -> tuple[np.ndarray, np.ndarray]:
    """(values, derivatives by all points): differences of the lengths of a group, all components of lengths
    that are to be zero [m]."""
    values: list[float] = []
    slopes: list[np.ndarray] = []
    for k in groups[0]:
        length = lengths[k]
        d = length.P @ (points[length.a] - points[length.b])
        for i in range(3):
            slope = np.zeros_like(points)
            slope[length.a], slope[length.b] = length.P[i], -length.P[i]
            values.append(float(d[i]))
            slopes.append(slope.ravel())
    for group in groups[1:]:
        gradients = [lengths[k].gradient(points) for k in group]
        for k, gradient in zip(group[1:], gradients[1:], strict=True):
            values.append(lengths[k].value(points) - lengths[group[0]].value(points))
            slopes.append((gradient - gradients[0]).ravel())
    return np.array(values), np.array(slopes).reshape(-1, points.size)
