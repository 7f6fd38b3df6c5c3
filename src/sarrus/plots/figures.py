"""Whole figures of a trajectory; `figure` draws into one that exists."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

from sarrus.errors import MechanismError
from sarrus.plots import panels
from sarrus.plots.style import PANELS, WIDTH, dress, heading, line, look_of, new_figure, panels_of
from sarrus.trajectory.coordinates import Coordinate, coordinates
from sarrus.trajectory.touches import acts_on_bodies

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from sarrus.trajectory import Trajectory
    from sarrus.trajectory.signals import Channel

# Coordinates of one unit that share a panel; more of them stand side by side.
ONE_PANEL = 4


def overview(traj: Trajectory, figure: Figure | None = None) -> Figure:
    """Energy error, violation, joint coordinates, and Newton iterations with divided steps; contact forces
    and the smallest gap where there are contacts; of a free body its momenta.

        sarrus.plots.overview(traj).savefig("run.png")      # the same as traj.plot("run.png")"""
    draw = [panels.energy_error, panels.violation, panels.joint_coordinates, panels.iterations]
    extra = contact_panels(traj)
    if not traj.joint_names:
        draw = [panels.energy_error, panels.iterations]
        draw += (
            [] if extra else [partial(panels.momentum, angular=turn, outside=False) for turn in (False, True)]
        )
    draw += extra
    rows = (len(draw) + 1) // 2
    figure = started(traj, figure, 9.0, 2.8 * rows + 0.25)
    axes = figure.subplots(rows, 2, sharex=True).ravel()
    for panel, place in zip(draw, axes, strict=False):
        panel(place, traj)
    for place in axes[len(draw) :]:
        place.set_visible(False)
    for place in axes[: len(draw) - 2]:
        place.set_xlabel("")
    for place in axes[len(draw) - 2 : len(draw)]:
        place.xaxis.set_tick_params(labelbottom=True)
    heading(figure, run_name(traj))
    return figure


def run_name(traj: Trajectory) -> str:
    """`bricard: variational, dt 0.01 s`."""
    return f"{traj.model.mechanism.name}: {traj.method}, dt {traj.dt:g} s"


def contact_panels(traj: Trajectory) -> list[Callable[[Axes, Trajectory], None]]:
    """The panels of what a run has of contacts: forces where they were recorded, the gap of shapes."""
    from sarrus.model.gaps import meets

    out = [panels.contact_forces] if acts_on_bodies(traj) else []
    return out + ([panels.gap] if meets(traj.model) else [])


def contacts(traj: Trajectory, figure: Figure | None = None) -> Figure:
    """Contact forces on the bodies, and below them the smallest gap.

    sarrus.plots.contacts(traj).savefig("contacts.pdf")"""
    draw = contact_panels(traj)
    if not draw:
        raise MechanismError(f"the mechanism {traj.model.mechanism.name!r} has no contacts to plot")
    figure = started(traj, figure, WIDTH, 2.6 * len(draw))
    for panel, place in zip(draw, _column(figure, len(draw)), strict=True):
        panel(place, traj, **({"outside": True} if panel is panels.contact_forces else {}))
    _only_last_time(figure)
    return figure


def energy(traj: Trajectory, figure: Figure | None = None) -> Figure:
    """Kinetic, potential and total energy, and below them the error of the total.

    sarrus.plots.energy(traj).savefig("energy.pdf")"""
    figure = started(traj, figure, WIDTH, 4.8)
    upper, lower = _column(figure, 2)
    panels.energy_parts(upper, traj)
    panels.energy_error(lower, traj)
    _only_last_time(figure)
    return figure


def violation(traj: Trajectory, figure: Figure | None = None) -> Figure:
    """The largest constraint residual, and the joints that reach furthest.

    sarrus.plots.violation(traj).savefig("violation.pdf")"""
    figure = started(traj, figure, WIDTH, 3.2)
    panels.violation(figure.subplots(), traj, by_joint=True)
    return figure


def joint_coordinates(
    traj: Trajectory, joints: Iterable[str] | None = None, figure: Figure | None = None
) -> Figure:
    """The coordinates of all joints, or of the named ones.

    A few share a panel, angles and distances apart; up to 12 stand side by side; of more, 8 have names.

        sarrus.plots.joint_coordinates(traj, joints=["knee", "hip"]).savefig("joints.pdf")"""
    return _of_joints(traj, joints, figure, rates=False)


def joint_velocities(
    traj: Trajectory, joints: Iterable[str] | None = None, figure: Figure | None = None
) -> Figure:
    """The rates of the coordinates of all joints, or of the named ones, arranged as `joint_coordinates`.

    sarrus.plots.joint_velocities(traj, joints=["knee"]).savefig("velocities.pdf")"""
    return _of_joints(traj, joints, figure, rates=True)


def _of_joints(traj: Trajectory, joints: Iterable[str] | None, figure: Figure | None, rates: bool) -> Figure:
    figure = started(traj, figure, WIDTH, 3.2)
    chosen = coordinates(traj, joints)
    if not chosen:
        raise MechanismError(f"the joints of {traj.model.mechanism.name!r} have no coordinates to plot")
    units = [[c for c in chosen if c.unit == unit] for unit in ("rad", "m")]
    units = [group for group in units if group]
    lines = [panels.together(panels.coordinate_lines(traj, group, rates)) for group in units]
    if len(chosen) <= PANELS and max(map(len, lines)) > ONE_PANEL:
        return _side_by_side(traj, chosen, figure, rates)
    figure.set_size_inches(WIDTH, 2.6 * len(units) + 0.4)
    for group, axes in zip(units, _column(figure, len(units)), strict=True):
        panels.joint_coordinates(axes, traj, chosen=group, outside=True, rates=rates)
    _only_last_time(figure)
    return figure


def _side_by_side(traj: Trajectory, chosen: list[Coordinate], figure: Figure, rates: bool) -> Figure:
    """A panel for each coordinate."""
    rows = -(-len(chosen) // 3)
    figure.set_size_inches(WIDTH, 1.7 * rows + 0.5)
    for k, (c, axes) in enumerate(zip(chosen, panels_of(figure, len(chosen), sharex=True), strict=True)):
        look = look_of(traj.joint_names.index(c.joint), c.part).of_line()
        line(axes, traj.time, c.rate if rates else c.path, **look)
        dress(axes, f"[{c.unit}{'/s' if rates else ''}]", title=c.label)
        if k + 3 < len(chosen):
            axes.set_xlabel("")
        else:
            axes.xaxis.set_tick_params(labelbottom=True)
    heading(figure, f"Joint {'velocities' if rates else 'coordinates'} of {run_name(traj)}")
    return figure


def iterations(traj: Trajectory, figure: Figure | None = None) -> Figure:
    """Newton iterations of every step, and the steps that were divided.

    sarrus.plots.iterations(traj).savefig("iterations.pdf")"""
    figure = started(traj, figure, WIDTH, 2.8)
    panels.iterations(figure.subplots(), traj)
    return figure


def momentum(traj: Trajectory, figure: Figure | None = None) -> Figure:
    """Total linear and angular momentum about the world origin.

    sarrus.plots.momentum(traj).savefig("momentum.pdf")"""
    figure = started(traj, figure, WIDTH, 4.8)
    upper, lower = _column(figure, 2)
    panels.momentum(upper, traj, angular=False)
    panels.momentum(lower, traj, angular=True)
    _only_last_time(figure)
    return figure


def reactions(
    traj: Trajectory, joints: Iterable[str] | str | None = None, figure: Figure | None = None
) -> Figure:
    """Sizes of the reaction forces and torques of the joints; of one joint, given by name, its components.

    The run needs simulate(reactions=True).

        sarrus.plots.reactions(traj).savefig("reactions.pdf")
        sarrus.plots.reactions(traj, "knee").savefig("knee.pdf")"""
    figure = started(traj, figure, WIDTH, 4.8)
    names = [joints] if isinstance(joints, str) else list(traj.joint_names if joints is None else joints)
    if not names:
        raise MechanismError(f"the mechanism {traj.model.mechanism.name!r} has no joints to plot")
    upper, lower = _column(figure, 2)
    for axes, torque in ((upper, False), (lower, True)):
        if len(names) == 1:
            panels.reaction_parts(axes, traj, names[0], torque)
        else:
            panels.reactions(axes, traj, torque, names)
    _only_last_time(figure)
    return figure


def signals(traj: Trajectory, signals: str | Iterable[str], figure: Figure | None = None) -> Figure:
    """The chosen signals over time, a panel for each quantity and unit; names as in `Trajectory.signals`.

    sarrus.plots.signals(traj, ["position", "effort/knee", "energy"]).savefig("signals.pdf")"""
    groups: dict[tuple[str, str], list[Channel]] = {}
    for each in traj.signals(signals):
        groups.setdefault((each.quantity, each.unit), []).append(each)
    if len(groups) > PANELS:
        raise MechanismError(f"{len(groups)} panels are too many for one figure; {PANELS} at most")
    figure = started(traj, figure, WIDTH, 2.2 * len(groups) + 0.4)
    for chosen, axes in zip(groups.values(), _column(figure, len(groups)), strict=True):
        panels.signals(axes, traj, chosen)
    _only_last_time(figure)
    return figure


def started(traj: Trajectory, figure: Figure | None, width: float, height: float) -> Figure:
    """The figure to draw into, of this size [inches]."""
    if not len(traj):
        raise MechanismError("the trajectory has no nodes: there is nothing to plot")
    if figure is None:
        return new_figure(width, height)
    figure.set_size_inches(width, height)
    return figure


def _column(figure: Figure, number: int) -> list[Axes]:
    """Axes one below the other with one time axis."""
    return list(figure.subplots(number, 1, sharex=True, squeeze=False)[:, 0])


def _only_last_time(figure: Figure) -> None:
    """The label of the time axis stands below the last panel alone."""
    for axes in figure.axes[:-1]:
        axes.set_xlabel("")
