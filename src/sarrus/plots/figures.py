"""Whole figures of a trajectory; `figure` draws into one that exists."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sarrus.errors import MechanismError
from sarrus.plots import panels
from sarrus.plots.style import new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from sarrus.trajectory import Trajectory


def overview(traj: Trajectory, figure: Figure | None = None) -> Figure:
    """Energy error, violation, joint coordinates, and Newton iterations with divided steps."""
    figure = _started(traj, figure, 10.0, 6.5)
    (top_left, top_right), (bottom_left, bottom_right) = figure.subplots(2, 2, sharex=True)
    panels.energy_error(top_left, traj)
    panels.violation(top_right, traj)
    panels.joint_coordinates(bottom_left, traj)
    panels.iterations(bottom_right, traj)
    for axes in (top_left, top_right):
        axes.set_xlabel("")
    figure.suptitle(f"{traj.model.mechanism.name}: {traj.method}, dt {traj.dt:g} s", fontsize="medium")
    return figure


def energy(traj: Trajectory, figure: Figure | None = None) -> Figure:
    """Kinetic, potential and total energy, and below them the error of the total."""
    figure = _started(traj, figure, 7.0, 5.5)
    upper, lower = figure.subplots(2, 1, sharex=True)
    panels.energy_parts(upper, traj)
    panels.energy_error(lower, traj)
    upper.set_xlabel("")
    upper.set_title(lower.get_title(loc="left"), loc="left", fontsize="medium")
    lower.set_title("", loc="left")
    return figure


def violation(traj: Trajectory, figure: Figure | None = None) -> Figure:
    """The largest constraint residual, and the joints that reach furthest."""
    figure = _started(traj, figure, 7.0, 4.0)
    panels.violation(figure.subplots(), traj, by_joint=True)
    return figure


def joint_coordinates(
    traj: Trajectory, joints: Iterable[str] | None = None, figure: Figure | None = None
) -> Figure:
    """The coordinates of all joints, or of the named ones."""
    figure = _started(traj, figure, 7.0, 4.0)
    panels.joint_coordinates(figure.subplots(), traj, joints)
    return figure


def iterations(traj: Trajectory, figure: Figure | None = None) -> Figure:
    """Newton iterations of every step, and the steps that were divided."""
    figure = _started(traj, figure, 7.0, 3.5)
    panels.iterations(figure.subplots(), traj)
    return figure


def momentum(traj: Trajectory, figure: Figure | None = None) -> Figure:
    """Total linear and angular momentum about the world origin."""
    figure = _started(traj, figure, 7.0, 5.5)
    upper, lower = figure.subplots(2, 1, sharex=True)
    panels.momentum(upper, traj, angular=False)
    panels.momentum(lower, traj, angular=True)
    upper.set_xlabel("")
    return figure


def _started(traj: Trajectory, figure: Figure | None, width: float, height: float) -> Figure:
    if not len(traj):
        raise MechanismError("the trajectory has no nodes: there is nothing to plot")
    if figure is None:
        return new_figure(width, height)
    figure.set_size_inches(width, height)
    return figure
