"""Whole figures of a trajectory; `figure` draws into one that exists."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from sarrus.errors import MechanismError
from sarrus.plots import panels
from sarrus.plots.style import new_figure
from sarrus.trajectory.touches import acts_on_bodies

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from sarrus.trajectory import Trajectory


def overview(traj: Trajectory, figure: Figure | None = None) -> Figure:
    """Energy error, violation, joint coordinates, and Newton iterations with divided steps; contact forces
    and the smallest gap where there are contacts."""
    draw = [panels.energy_error, panels.violation, panels.joint_coordinates, panels.iterations]
    extra = contact_panels(traj)
    if extra and not traj.joint_names:
        draw = [panels.energy_error, panels.iterations]
    draw += extra
    rows = (len(draw) + 1) // 2
    figure = _started(traj, figure, 10.0, 3.25 * rows)
    axes = figure.subplots(rows, 2, sharex=True).ravel()
    for panel, place in zip(draw, axes, strict=False):
        panel(place, traj)
    for place in axes[len(draw) :]:
        place.set_visible(False)
    for place in axes[: len(draw) - 2]:
        place.set_xlabel("")
    for place in axes[len(draw) - 2 : len(draw)]:
        place.xaxis.set_tick_params(labelbottom=True)
    figure.suptitle(f"{traj.model.mechanism.name}: {traj.method}, dt {traj.dt:g} s", fontsize="medium")
    return figure


def contact_panels(traj: Trajectory) -> list[Callable[[Axes, Trajectory], None]]:
    """The panels of what a run has of contacts: forces where they were recorded, the gap of shapes."""
    from sarrus.model.gaps import meets

    out = [panels.contact_forces] if acts_on_bodies(traj) else []
    return out + ([panels.gap] if meets(traj.model) else [])


def contacts(traj: Trajectory, figure: Figure | None = None) -> Figure:
    """Contact forces on the bodies, and below them the smallest gap."""
    draw = contact_panels(traj)
    if not draw:
        raise MechanismError(f"the mechanism {traj.model.mechanism.name!r} has no contacts to plot")
    figure = _started(traj, figure, 7.0, 2.75 * len(draw))
    axes = figure.subplots(len(draw), 1, sharex=True, squeeze=False)[:, 0]
    for panel, place in zip(draw, axes, strict=True):
        panel(place, traj)
    for place in axes[:-1]:
        place.set_xlabel("")
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
