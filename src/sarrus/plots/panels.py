"""One quantity of a trajectory drawn into given axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sarrus.mechanism import JOINT_KINDS, Joint
from sarrus.plots.style import BLACK, BLUE, COLOURS, GREEN, GREY, SKY, VERMILLION, dress, legend, line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.axes import Axes

    from sarrus.trajectory import Trajectory

# Lines that get a colour and a place in the legend; the others are drawn thin and grey.
NAMED = 8
# Where an exact zero is drawn on a logarithmic axis: below every rounding error of lengths around one.
FLOOR = 1e-17


def energy_error(axes: Axes, traj: Trajectory) -> None:
    """Total energy minus its first value."""
    line(axes, traj.time, traj.energy().error, color=BLUE)
    dress(axes, "energy error E − E(0) [J]", title="Energy")


def energy_parts(axes: Axes, traj: Trajectory) -> None:
    """Kinetic, potential and total energy."""
    energy = traj.energy()
    line(axes, traj.time, energy.kinetic, color=VERMILLION, label="kinetic")
    line(axes, traj.time, energy.potential, color=SKY, label="potential")
    line(axes, traj.time, energy.total, color=BLACK, label="total")
    dress(axes, "energy [J]")
    legend(axes)


def violation(axes: Axes, traj: Trajectory, by_joint: bool = False) -> None:
    """Largest constraint residual on a logarithmic axis; by_joint adds the joints that reach furthest."""
    if by_joint:
        paths = traj.violation(by_joint=True)
        worst = sorted(paths, key=lambda name: -np.max(paths[name]))[: NAMED - 1]
        for name, color in zip(worst, COLOURS[1:], strict=False):
            line(axes, traj.time, np.maximum(paths[name], FLOOR), color=color, label=name, linewidth=0.8)
    line(axes, traj.time, np.maximum(traj.violation(), FLOOR), color=COLOURS[0], label="largest of all")
    axes.set_yscale("log")
    dress(axes, "violation [m, rad]", title="Constraints")
    if by_joint:
        legend(axes)


def joint_coordinates(axes: Axes, traj: Trajectory, joints: Iterable[str] | None = None) -> None:
    """Coordinates of all joints, or of the named ones; the first 8 lines are coloured and in the legend."""
    lines = coordinate_lines(traj, joints)
    for (label, _, path), color in zip(lines, COLOURS, strict=False):
        line(axes, traj.time, path, color=color, label=label, zorder=2.5)
    for k, (_, _, path) in enumerate(lines[NAMED:]):
        label = f"{len(lines) - NAMED} more" if k == 0 else None
        line(axes, traj.time, path, color=GREY, label=label, linewidth=0.4, alpha=0.6)
    units = {"rad" if angular else "m" for _, angular, _ in lines} or {"rad"}
    dress(axes, f"joint coordinates [{', '.join(sorted(units, reverse=True))}]", title="Joints")
    if lines:
        legend(axes, columns=2 if len(lines) > 4 else 1)


def coordinate_lines(
    traj: Trajectory, joints: Iterable[str] | None = None
) -> list[tuple[str, bool, np.ndarray]]:
    """(label, whether it is an angle, path (T+1,)) of each coordinate of the joints."""
    slices = traj.model.joint_slices
    names = [name for name in traj.joint_names if slices[name].start < slices[name].stop]
    lines = []
    for name in names if joints is None else joints:
        columns = traj.joint_position(name).reshape(len(traj), -1)
        joint = traj.model.mechanism.joints[name]
        # The only coordinate of another constraint is the distance along a curve.
        kind = JOINT_KINDS[joint.kind] if isinstance(joint, Joint) else JOINT_KINDS["prismatic"]
        for k in range(columns.shape[1]):
            label = name if columns.shape[1] == 1 else f"{name}: {kind.coordinates[k]}"
            lines.append((label, kind.angular[k], columns[:, k]))
    return lines


def iterations(axes: Axes, traj: Trajectory) -> None:
    """Newton iterations of every step, and the steps that were divided."""
    stats = traj.stats
    start = traj.time[0] if len(traj) else 0.0
    ends = start + traj.dt * np.arange(1, stats.steps + 1)
    mean = f", {stats.iterations.mean():.2f} on average" if stats.steps else ""
    dots = {"linestyle": "none", "marker": ".", "markersize": 3.0}
    line(axes, ends, stats.iterations, color=GREEN, label=f"Newton iterations{mean}", **dots)
    if stats.momentum_iterations.any():
        label = f"momentum stage, {stats.momentum_iterations.mean():.2f}"
        line(axes, ends, stats.momentum_iterations, color=SKY, label=label, zorder=1.9, **dots)
    divided = stats.divided
    if divided.size:
        label = f"substeps, {divided.size} steps divided" if divided.size > 1 else "substeps, 1 step divided"
        axes.plot(ends[divided], stats.substeps[divided], "x", color=VERMILLION, markersize=5.0, label=label)
    dress(axes, "number per step", title="Solver")
    axes.set_ylim(bottom=0.0)
    axes.yaxis.get_major_locator().set_params(integer=True)
    legend(axes)


def contact_forces(axes: Axes, traj: Trajectory) -> None:
    """Size of the force of contacts and ropes on each body; those with the largest impulses have names."""
    forces = {name: np.linalg.norm(traj.contact_force(name), axis=1) for name in traj.body_names}
    touched = sorted((name for name in forces if forces[name].any()), key=lambda name: -forces[name].sum())
    for name, color in zip(touched, COLOURS, strict=False):
        line(axes, traj.time, forces[name], color=color, label=name, linewidth=0.9, zorder=2.5)
    for k, name in enumerate(touched[NAMED:]):
        label = f"{len(touched) - NAMED} more" if k == 0 else None
        line(axes, traj.time, forces[name], color=GREY, label=label, linewidth=0.4, alpha=0.6)
    dress(axes, "contact force [N]", title="Contacts")
    if touched:
        legend(axes, columns=2 if len(touched) > 4 else 1)


def gap(axes: Axes, traj: Trajectory) -> None:
    """Smallest distance of shapes on a logarithmic axis, and how deep they overlap where they do."""
    smallest = traj.gap()
    shown = np.where(smallest >= 0.0, np.maximum(smallest, FLOOR), np.nan)
    axes.plot(traj.time, shown, color=BLUE, linewidth=1.1, label="gap")
    if (smallest < 0.0).any():
        depth = np.where(smallest < 0.0, -smallest, np.nan)
        axes.plot(traj.time, depth, ".", color=VERMILLION, markersize=3.0, label="overlap")
        legend(axes)
    axes.set_yscale("log")
    dress(axes, "smallest gap [m]", title="Gap")


def momentum(axes: Axes, traj: Trajectory, angular: bool) -> None:
    """The three components of the total linear or angular momentum."""
    total = traj.momentum().angular if angular else traj.momentum().linear
    for k, (name, color) in enumerate(zip("xyz", COLOURS, strict=False)):
        line(axes, traj.time, total[:, k], color=color, label=name)
    words = "angular momentum [kg m²/s]" if angular else "linear momentum [kg m/s]"
    dress(axes, words, title="About the world origin" if angular else None)
    legend(axes)
