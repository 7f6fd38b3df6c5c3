"""A picture of a motion: the bodies of a trajectory as lines between their joints, at several instants."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sarrus.mechanism import Joint

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from sarrus.trajectory import Trajectory


def strobe(axes: Axes, trajectory: Trajectory, view: tuple[float, float], times: NDArray[np.float64]) -> None:
    """Draw the mechanism at the nodes nearest to `times` [s], later ones darker.

    view: azimuth and elevation of the eye [rad]."""
    from matplotlib import colormaps

    lines = body_lines(trajectory)
    screen = screen_axes(*view)
    nodes = np.abs(trajectory.time[:, None] - np.asarray(times)[None, :]).argmin(axis=0)
    for place, node in enumerate(nodes):
        share = (place + 1) / len(nodes)
        color = colormaps["viridis"](0.9 * (1.0 - share))
        for path in lines:
            points = path[node] @ screen.T
            axes.plot(
                points[:, 0],
                points[:, 1],
                color=color,
                alpha=0.15 + 0.85 * share**2,
                lw=0.8 + share,
                marker="o",
                ms=1.5,
            )
    axes.set_aspect("equal")
    axes.set_axis_off()


def screen_axes(azimuth: float, elevation: float) -> NDArray[np.float64]:
    """The world directions (2, 3) that point right and up for an eye at this azimuth and elevation [rad]."""
    ca, sa, ce, se = np.cos(azimuth), np.sin(azimuth), np.cos(elevation), np.sin(elevation)
    return np.array([[-sa, ca, 0.0], [-se * ca, -se * sa, ce]])


def body_lines(trajectory: Trajectory) -> list[NDArray[np.float64]]:
    """Per body the paths (T+1, points, 3) [m] of its joint points; with one joint, a rod about its centre."""
    from sarrus.trajectory.rotation import rotate

    mechanism = trajectory.model.mechanism
    lines = []
    for name, body in mechanism.bodies.items():
        back = body.orientation * np.array([1.0, -1.0, -1.0, -1.0])
        joints = [
            j for j in mechanism.joints.values() if isinstance(j, Joint) and name in (j.parent, j.child)
        ]
        points = [rotate(back, joint.at - body.position) for joint in joints]
        if len(points) == 1:
            points.append(-points[0])
        if len(points) > 2:
            points.append(points[0])
        if points:
            lines.append(np.stack([trajectory.body(name).point(p) for p in points], axis=1))
    return lines
