"""One quantity of a trajectory drawn into given axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sarrus.analysis.timestep import keeps_energy
from sarrus.plots.style import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    LEGEND_LETTERS,
    NAMED,
    SKY,
    VERMILLION,
    Look,
    dress,
    legend,
    line,
    look_of,
)
from sarrus.trajectory.coordinates import coordinates

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.axes import Axes

    from sarrus.trajectory import Trajectory
    from sarrus.trajectory.coordinates import Coordinate
    from sarrus.trajectory.signals import Channel

# Where an exact zero is drawn on a logarithmic axis: the rounding error of lengths around one.
FLOOR = 1e-16
# Lines nearer to each other than this part of the height of the axes are drawn as one.
SAME = 2e-3
# A reaction below this part of the largest force times the size of the mechanism is rounding error.
ROUNDING = 1e-9
# Peaks so many times the median need a logarithmic axis, of so many decades below them.
STEEP, DECADES = 100.0, 5


class Labelled(NamedTuple):
    """A line: its label, its values, and how it is drawn."""

    label: str
    path: np.ndarray
    look: Look


def energy_error(axes: Axes, traj: Trajectory) -> None:
    """Total energy minus its first value; an error only where nothing adds or takes energy."""
    energy = traj.energy()
    line(axes, traj.time, energy.error, color=BLUE)
    largest, scale = np.abs(energy.error).max(), energy.kinetic.max()
    share = f", {percent(largest / scale)} of the kinetic peak" if scale > 0.0 else ""
    if conserves(traj):
        dress(axes, "energy error E − E(0) [J]", title=f"Energy error: at most {largest:.2g} J{share}")
    else:
        dress(axes, "energy change E − E(0) [J]", title=f"Change of energy: at most {largest:.3g} J")


def conserves(traj: Trajectory) -> bool:
    """Whether nothing in the mechanism of a run adds or takes energy."""
    return keeps_energy(traj.model.mechanism, traj.model.contacts.any)


def percent(part: float) -> str:
    """`0.72 %`."""
    return f"{100.0 * part:.2g} %"


def energy_parts(axes: Axes, traj: Trajectory) -> None:
    """Kinetic, potential and total energy."""
    energy = traj.energy()
    line(axes, traj.time, energy.kinetic, color=VERMILLION, label="kinetic")
    line(axes, traj.time, energy.potential, color=SKY, linestyle="--", label="potential")
    line(axes, traj.time, energy.total, color=BLACK, linewidth=1.6, label="total")
    dress(axes, "energy [J]", title="Kinetic and potential energy and their sum")
    legend(axes, outside=True)


def violation(axes: Axes, traj: Trajectory, by_joint: bool = False) -> None:
    """Largest constraint residual on a logarithmic axis; by_joint adds the joints that reach furthest."""
    if by_joint:
        paths = traj.violation(by_joint=True)
        worst = sorted(paths, key=lambda name: -np.max(paths[name]))[: NAMED - 1]
        for name in worst:
            look = look_of(traj.joint_names.index(name)).of_line()
            line(axes, traj.time, np.maximum(paths[name], FLOOR), label=name, linewidth=0.7, **look)
    largest = traj.violation()
    wide = {"linewidth": 2.4} if by_joint else {}
    line(
        axes,
        traj.time,
        np.maximum(largest, FLOOR),
        color=GREY if by_joint else BLUE,
        label="largest of all",
        zorder=1.9,
        **wide,
    )
    axes.set_yscale("log")
    dress(axes, "violation [m, rad]", title=f"Constraint violation: at most {largest.max():.1e}")
    if by_joint:
        legend(axes, outside=True)


def joint_coordinates(
    axes: Axes,
    traj: Trajectory,
    joints: Iterable[str] | None = None,
    chosen: Sequence[Coordinate] | None = None,
    outside: bool = False,
    rates: bool = False,
) -> None:
    """Coordinates of all joints, of the named ones, or the `chosen` ones; rates: their velocities.

    The first 8 lines are coloured and in the legend; lines that coincide are one."""
    chosen = coordinates(traj, joints) if chosen is None else chosen
    units = sorted({c.unit for c in chosen} or {"rad"}, reverse=True)
    units = [f"{unit}/s" if rates else unit for unit in units]
    named_lines(axes, traj.time, coordinate_lines(traj, chosen, rates), outside)
    words = "joint velocities" if rates else "joint coordinates"
    number = f"{len(chosen)} joint coordinates" if len(chosen) != 1 else "one joint coordinate"
    title = f"Velocities of {number}" if rates else "Coordinates of the joints"
    dress(axes, f"{words} [{', '.join(units)}]", title=title)


def coordinate_lines(traj: Trajectory, chosen: Sequence[Coordinate], rates: bool) -> list[Labelled]:
    """The coordinates, or their rates, each in the colour of its joint."""
    return [
        Labelled(c.label, c.rate if rates else c.path, look_of(traj.joint_names.index(c.joint), c.part))
        for c in chosen
    ]


def named_lines(axes: Axes, time: np.ndarray, lines: Sequence[Labelled], outside: bool = False) -> None:
    """Lines with a legend: the first 8 that differ in their own looks, the others thin and grey."""
    groups = together(lines)
    for label, path, look in groups[:NAMED]:
        line(axes, time, path, label=label, zorder=2.5, **look.of_line())
    rest = groups[NAMED:]
    for k, each in enumerate(rest):
        label = f"{len(rest)} more" if k == 0 else None
        line(axes, time, each.path, color=GREY, label=label, linewidth=0.4, alpha=0.6)
    if groups:
        short = all(len(each.label) <= LEGEND_LETTERS // 2 for each in groups[:NAMED])
        legend(axes, 2 if len(groups) > 4 and short else 1, outside)


def together(lines: Sequence[Labelled]) -> list[Labelled]:
    """The lines, those that no eye could tell apart as one whose label names them all."""
    finite = [each.path for each in lines if len(each.path)]
    height = max((np.max(p) for p in finite), default=0.0) - min((np.min(p) for p in finite), default=0.0)
    groups: list[tuple[list[str], Labelled]] = []
    for each in lines:
        same = next(
            (g for g in groups[:NAMED] if np.abs(g[1].path - each.path).max(initial=0.0) <= SAME * height),
            None,
        )
        if same is None:
            groups.append(([each.label], each))
        else:
            same[0].append(each.label)
    return [first._replace(label=joined(labels)) for labels, first in groups]


def joined(labels: Sequence[str]) -> str:
    """`a = b = c = 2 more`: at most three names, and as many as a legend has room for."""
    shown = next(n for n in (3, 2, 1) if n == 1 or len(" = ".join(labels[:n])) <= LEGEND_LETTERS)
    rest = len(labels) - shown
    return " = ".join(labels[:shown]) + (f" = {rest} more" if rest > 0 else "")


def iterations(axes: Axes, traj: Trajectory) -> None:
    """Newton iterations per step, means over the steps of a record, and the steps that were divided."""
    stats, totals = traj.stats, traj.stats.summary()
    start = traj.time[0] if len(traj) else 0.0
    steps = stats.steps_per_record
    ends = start + traj.dt * np.cumsum(steps)
    dots = {"linestyle": "none", "marker": ".", "markersize": 3.0}
    line(axes, ends, stats.iterations / steps, color=GREEN, label="Newton iterations", **dots)
    title = "Newton iterations per step"
    if stats.steps:
        title += f": {totals['iterations_mean']:.2f} on average, {totals['iterations_max']} at most"
    if stats.momentum_iterations.any():
        label = f"momentum stage, {totals['momentum_iterations_mean']:.2f} on average"
        line(axes, ends, stats.momentum_iterations / steps, color=SKY, label=label, zorder=1.9, **dots)
    divided = stats.divided
    if divided.size:
        label = f"substeps, {divided.size} steps divided" if divided.size > 1 else "substeps, 1 step divided"
        when = start + traj.dt * (divided + 1)
        axes.plot(when, stats.divided_into, "x", color=VERMILLION, markersize=5.0, label=label)
    dress(axes, "number per step", title=title)
    axes.set_ylim(bottom=0.0)
    axes.yaxis.get_major_locator().set_params(integer=True)
    if len(axes.lines) > 1:
        legend(axes)


def contact_forces(axes: Axes, traj: Trajectory, outside: bool = False) -> None:
    """Size of the force of contacts and ropes on each body; those with the largest impulses have names."""
    forces = {name: np.linalg.norm(traj.contact_force(name), axis=1) for name in traj.body_names}
    touched = sorted((name for name in forces if forces[name].any()), key=lambda name: -forces[name].sum())
    looks = {name: look_of(k) for k, name in enumerate(traj.body_names)}
    named_lines(axes, traj.time, [Labelled(name, forces[name], looks[name]) for name in touched], outside)
    dress(axes, "contact force [N]", title="Force of contacts and ropes on each body")


def gap(axes: Axes, traj: Trajectory) -> None:
    """Smallest distance of shapes on a logarithmic axis, and how deep they overlap where they do."""
    smallest = traj.gap()
    shown = np.where(smallest >= 0.0, np.maximum(smallest, FLOOR), np.nan)
    axes.plot(traj.time, shown, color=BLUE, linewidth=1.1, label="gap")
    if (smallest < 0.0).any():
        depth = np.where(smallest < 0.0, -smallest, np.nan)
        axes.plot(traj.time, depth, ".", color=VERMILLION, markersize=3.0, label="overlap")
        legend(axes)
        title = f"Gap: shapes overlap by {-smallest.min():.1e} m at most"
    else:
        title = f"Gap: never below {smallest.min():.1e} m"
    axes.set_yscale("log")
    dress(axes, "smallest gap [m]", title=title)


def momentum(axes: Axes, traj: Trajectory, angular: bool, outside: bool = True) -> None:
    """The components of the total linear momentum, or of the angular momentum about the world origin."""
    total = traj.momentum().angular if angular else traj.momentum().linear
    named_lines(axes, traj.time, axis_lines(total), outside)
    words = "angular momentum [kg m²/s]" if angular else "linear momentum [kg m/s]"
    title = "Angular momentum" if angular else "Linear momentum"
    change = np.linalg.norm(total - total[0], axis=1).max()
    dress(axes, words, title=f"{title}: changes by {change:.2g} at most")


def axis_lines(vectors: np.ndarray) -> list[Labelled]:
    """The components x, y, z of vectors (T+1, 3)."""
    return [Labelled(axis, vectors[:, k], look_of(k)) for k, axis in enumerate("xyz")]


def signals(axes: Axes, traj: Trajectory, chosen: Sequence[Channel]) -> None:
    """Signals of one quantity and unit, each in the colour of what it belongs to."""
    lines = [Labelled(c.label, c.values, look_of(c.colour, c.part)) for c in chosen]
    named_lines(axes, traj.time, lines, outside=True)
    quantity = chosen[0].quantity
    dress(axes, f"{quantity} [{chosen[0].unit}]", title=quantity.capitalize())


def reactions(axes: Axes, traj: Trajectory, torque: bool, joints: Iterable[str] | None = None) -> None:
    """Size of the force or torque of each joint on its child; those with the largest peaks have names."""
    names = list(traj.joint_names if joints is None else joints)
    sizes = {name: np.linalg.norm(wrench_part(traj, name, torque), axis=1) for name in names}
    ordered = sorted(sizes, key=lambda name: -sizes[name].max(initial=0.0))
    looks = {name: look_of(k) for k, name in enumerate(traj.joint_names)}
    named_lines(axes, traj.time, [Labelled(name, sizes[name], looks[name]) for name in ordered], outside=True)
    peaks = np.max(list(sizes.values()), axis=0)
    if peaks.max() > STEEP * np.median(peaks) > 0.0:
        axes.set_yscale("log")
        axes.set_ylim(peaks.max() * 10.0**-DECADES, 2.0 * peaks.max())
    dress_reaction(axes, traj, torque, "each joint", float(peaks.max()), names)


def reaction_parts(axes: Axes, traj: Trajectory, joint: str, torque: bool) -> None:
    """Components and size of the force or torque of one joint on its child, world frame."""
    wrench = wrench_part(traj, joint, torque)
    size = np.linalg.norm(wrench, axis=1)
    line(axes, traj.time, size, color=GREY, linewidth=2.4, label="size")
    named_lines(axes, traj.time, axis_lines(wrench), outside=True)
    dress_reaction(axes, traj, torque, joint, float(size.max()), [joint])


def wrench_part(traj: Trajectory, joint: str, torque: bool) -> np.ndarray:
    """(T+1, 3) force or torque of a joint on its child."""
    return traj.reaction(joint).torque if torque else traj.reaction(joint).force


def dress_reaction(
    axes: Axes, traj: Trajectory, torque: bool, of: str, peak: float, joints: Sequence[str]
) -> None:
    """Labels of a panel of reactions; what is rounding error is drawn as zero and said to be."""
    word, unit = ("torque", "N m") if torque else ("force", "N")
    title = f"Reaction {word} of {of}"
    if torque:
        scale = max(float(np.abs(wrench_part(traj, name, False)).max()) for name in joints) * traj.model.size
        if peak <= ROUNDING * scale:
            axes.set_yscale("linear")
            axes.set_ylim(-1.0, 1.0)
            if axes.get_legend() is not None:
                axes.get_legend().remove()
            title += ": zero to rounding"
    dress(axes, f"reaction {word} [{unit}]", title=title)
