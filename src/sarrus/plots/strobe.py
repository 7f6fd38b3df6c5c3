"""A picture of a motion: the bodies of a trajectory as lines between their joints, at several instants."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sarrus.mechanism import Body, Box, Joint, Mechanism

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from sarrus.trajectory import Trajectory

# A box whose second edge is at least this part of its longest is drawn as a plate, not as a rod.
PLATE = 0.5


def strobe(axes: Axes, trajectory: Trajectory, view: tuple[float, float], times: NDArray[np.float64]) -> None:
    """Draw the mechanism at the nodes nearest to `times` [s], later ones darker.

    view: azimuth and elevation of the eye [rad]."""
    from matplotlib import colormaps

    lines = body_lines(trajectory)
    screen = screen_axes(*view)
    nodes = np.abs(trajectory.time[:, None] - np.asarray(times)[None, :]).argmin(axis=0)
    for place, node in enumerate(nodes):
        share = (place + 1) / len(nodes)
        look = {"color": colormaps["viridis"](0.9 * (1.0 - share)), "alpha": 0.15 + 0.85 * share**2}
        for path in lines:
            right, up = screen @ path[node].T
            axes.plot(right, up, linewidth=0.8 + share, marker="o", markersize=1.5, **look)
    axes.set_aspect("equal")
    axes.set_axis_off()


def screen_axes(azimuth: float, elevation: float) -> NDArray[np.float64]:
    """The world directions (2, 3) that point right and up for an eye at this azimuth and elevation [rad]."""
    ca, sa, ce, se = np.cos(azimuth), np.sin(azimuth), np.cos(elevation), np.sin(elevation)
    return np.array([[-sa, ca, 0.0], [-se * ca, -se * sa, ce]])


def body_lines(trajectory: Trajectory) -> list[NDArray[np.float64]]:
    """Per body the paths (T+1, points, 3) [m] of the points between which it is drawn."""
    mechanism = trajectory.model.mechanism
    lines = []
    for name, body in mechanism.bodies.items():
        points = plate_corners(body) or joint_points(mechanism, body)
        if points:
            lines.append(np.stack([trajectory.body(name).point(p) for p in points], axis=1))
    return lines


def joint_points(mechanism: Mechanism, body: Body) -> list[NDArray[np.float64]]:
    """The body's joint points (3,) [m], body frame; a body with one joint is a rod about its centre."""
    from sarrus.mechanism.rotations import rotate

    back = body.orientation * np.array([1.0, -1.0, -1.0, -1.0])
    joints = [joint for joint in mechanism.joints.values() if isinstance(joint, Joint)]
    places = [joint.at for joint in joints if body.name in (joint.parent, joint.child)]
    points = [rotate(back, place - body.position) for place in places]
    if len(points) == 1:
        return [points[0], -points[0]]
    return points + points[:1] if len(points) > 2 else points


def plate_corners(body: Body) -> list[NDArray[np.float64]]:
    """The closed outline [m], body frame, of a body that is one flat box at its centre; empty for others."""
    if len(body.shapes) != 1 or not isinstance(body.shapes[0], Box):
        return []
    half = 0.5 * np.asarray(body.shapes[0].size)
    _, second, longest = np.argsort(half)
    if half[second] < PLATE * half[longest]:
        return []
    corners = np.zeros((5, 3))
    corners[:, second] = half[second] * np.array([1.0, 1.0, -1.0, -1.0, 1.0])
    corners[:, longest] = half[longest] * np.array([1.0, -1.0, -1.0, 1.0, 1.0])
    return list(corners)
