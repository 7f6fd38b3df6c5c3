"""Phase portraits and Poincare sections."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from sarrus.errors import MechanismError
from sarrus.plots.figures import run_name, started
from sarrus.plots.style import (
    BLACK,
    BLUE,
    COLOURS,
    PANELS,
    VERMILLION,
    WIDTH,
    dress,
    heading,
    legend,
    new_figure,
    panels_of,
)
from sarrus.trajectory.coordinates import coordinate, coordinates
from sarrus.trajectory.sections import TURN, crossings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

    from sarrus.trajectory import Trajectory
    from sarrus.trajectory.coordinates import Coordinate, Which
    from sarrus.trajectory.sections import Crossings, Quantity


def phase_portrait(
    traj: Trajectory,
    joints: Which | Iterable[str] | None = None,
    wrap: bool | None = None,
    figure: Figure | None = None,
) -> Figure:
    """Velocity over position of joint coordinates: one joint by name, several, or the first 12 of all.

    wrap: angles between -pi and pi; None: those that make more than a turn.

        sarrus.plots.phase_portrait(traj, "hinge").savefig("phase.pdf")
        sarrus.plots.phase_portrait(traj, ["hip", "knee"])"""
    figure = started(traj, figure, WIDTH, 3.5)
    every = _chosen(traj, joints)
    chosen = every[:PANELS]
    columns = min(len(chosen), 2 if len(chosen) in (2, 4) else 3)
    rows = -(-len(chosen) // columns)
    width = {1: 4.6, 2: 6.2}.get(columns, WIDTH)
    figure.set_size_inches(width, {1: 3.6, 2: 2.9}.get(columns, 2.1) * rows + 0.4)
    for c, axes in zip(chosen, panels_of(figure, len(chosen), columns), strict=True):
        _portrait(axes, c, np.ptp(c.path) > TURN if wrap is None else wrap)
    legend(figure.axes[min(columns, len(chosen)) - 1], outside=True)
    shown = f" ({len(chosen)} of {len(every)} coordinates)" if len(every) > len(chosen) else ""
    heading(figure, f"Phase portrait{'s' if len(chosen) > 1 else ''} of {run_name(traj)}{shown}")
    return figure


def _chosen(traj: Trajectory, joints: Which | Iterable[str] | None) -> list[Coordinate]:
    """The coordinates that `joints` means."""
    if isinstance(joints, str):
        found = coordinates(traj, [joints])
    elif isinstance(joints, tuple) and len(joints) == 2 and joints[1] not in traj.joint_names:
        found = [coordinate(traj, joints)]
    else:
        found = coordinates(traj, joints)
    if not found:
        raise MechanismError(f"the joints of {traj.model.mechanism.name!r} have no coordinates to plot")
    return found


def _portrait(axes: Axes, c: Coordinate, wrap: bool) -> None:
    """One path in the plane of position and velocity, its start and its end marked."""
    path = np.array(c.path)
    if wrap and c.turns:
        path = wrapped(path)
    rate = np.array(c.rate)
    # Where an angle passes from pi to -pi the line is interrupted.
    breaks = np.flatnonzero(np.abs(np.diff(path)) > 0.5 * TURN) + 1 if wrap and c.turns else []
    axes.plot(np.insert(path, breaks, np.nan), np.insert(rate, breaks, np.nan), color=BLUE, linewidth=0.7)
    axes.plot(path[:1], rate[:1], "o", color=BLACK, markersize=4.0, label="start")
    axes.plot(path[-1:], rate[-1:], "s", color=VERMILLION, markersize=4.0, label="end")
    across, along = in_powers(axes.xaxis, path), in_powers(axes.yaxis, rate)
    dress(axes, f"velocity [{along}{c.unit}/s]", x=f"position [{across}{c.unit}]", title=c.label)
    axes.margins(x=0.05)
    if wrap and c.turns:
        turn_ticks(axes)


def in_powers(axis: Axis, values: np.ndarray) -> str:
    """The power of ten, as `1e-06 `, that the ticks of small or large values leave to the label; else empty.

    matplotlib writes it beside the axis, over the label of a small panel."""
    largest = float(np.max(np.abs(values), initial=0.0))
    if not np.isfinite(largest) or largest == 0.0 or 1e-3 <= largest < 1e4:
        return ""
    power = 10.0 ** (3.0 * np.floor(np.log10(largest) / 3.0))
    axis.set_major_formatter(lambda value, _: f"{value / power:.4g}")
    return f"{power:.0e} "


def wrapped(angle: np.ndarray) -> np.ndarray:
    """Angles [rad] brought between -pi and pi by whole turns."""
    return (angle + 0.5 * TURN) % TURN - 0.5 * TURN


def turn_ticks(axes: Axes) -> None:
    """An axis from -pi to pi, its ticks at quarters of a turn."""
    axes.set_xlim(-1.05 * np.pi, 1.05 * np.pi)
    axes.set_xticks(np.pi * np.array([-1.0, -0.5, 0.0, 0.5, 1.0]), ["−π", "−π/2", "0", "π/2", "π"])


def poincare(
    traj: Trajectory | Mapping[str, Trajectory],
    section: tuple[Quantity, float, str] | None = None,
    show: Which | tuple[Which, ...] | None = None,
    figure: Figure | None = None,
) -> Figure:
    """The points where a run crosses a section, velocity over position of another coordinate.

    traj: a run, or several by label, for example of several energies.  section: what crosses (a joint
    coordinate or a function of the trajectory), the value that it crosses, and "up", "down" or "both"; None:
    the first coordinate through the middle of its path.  show: the coordinates to show, a panel each;
    None: the first other one.  Points lie on the section to the accuracy of the method: see
    `sarrus.trajectory.sections`.

        sarrus.plots.poincare(traj, section=("joint 1", 0.0, "up"), show=("joint 2",)).savefig("section.pdf")
    """
    runs = dict(traj) if isinstance(traj, Mapping) else {"": traj}
    if not runs:
        raise MechanismError("there is no run to plot a section of")
    first = next(iter(runs.values()))
    size = (WIDTH, 3.6)
    figure = started(first, figure, *size) if len(runs) == 1 or figure is not None else new_figure(*size)
    section = usual_section(first) if section is None else section
    what, value, direction = section
    shown = usual_show(first, what) if show is None else _several(first, show)
    found = {label: crossings(run, what, value, direction) for label, run in runs.items()}
    if not any(len(each) for each in found.values()):
        raise MechanismError(
            f"no crossing of the section {section_words(first, section)} in {run_name(first)}"
        )
    columns = min(len(shown), 3)
    rows = -(-len(shown) // columns)
    width, height = {1: (5.2, 3.8), 2: (6.6, 3.2)}.get(columns, (WIDTH, 2.4))
    figure.set_size_inches(width, height * rows + 0.3)
    for which, axes in zip(shown, panels_of(figure, len(shown), columns), strict=True):
        _points(axes, found, coordinate(first, which))
    if len(runs) > 1:
        legend(figure.axes[len(shown) - 1], outside=True)
    count = sum(map(len, found.values()))
    heading(figure, f"{first.model.mechanism.name}: {count} crossings of {section_words(first, section)}")
    return figure


def usual_section(traj: Trajectory) -> tuple[Quantity, float, str]:
    """The first coordinate through the middle of its path, through 0 where it turns; upwards, unless it
    passes more often downwards."""
    every = coordinates(traj)
    if len(every) < 2:
        raise MechanismError("a section needs two joint coordinates: one that crosses it and one to show")
    path, which = every[0].path, _which(every[0])
    middle = float(0.5 * (path.min() + path.max()))
    if every[0].turns and np.ptp(path) > TURN:
        middle = 0.0
    rising = crossings(traj, which, middle, "both").rising
    return which, middle, "up" if 2 * rising.sum() >= len(rising) else "down"


def usual_show(traj: Trajectory, what: Quantity) -> list[Which]:
    """The first coordinate that is not the one of the section."""
    own = None if callable(what) else coordinate(traj, what).label
    rest = [c for c in coordinates(traj) if c.label != own]
    if not rest:
        raise MechanismError("there is no second joint coordinate to show on the section")
    return [_which(rest[0])]


def _which(c: Coordinate) -> Which:
    """How `coordinate` is asked for this one."""
    return c.joint if c.label == c.joint else (c.joint, c.label.removeprefix(f"{c.joint}: "))


def _several(traj: Trajectory, show: Which | tuple[Which, ...]) -> list[Which]:
    if isinstance(show, str):
        return [show]
    pair = isinstance(show, tuple) and len(show) == 2 and show[0] in traj.joint_names
    # ("pipe", "angle") is one coordinate, ("joint 1", "joint 2") are two.
    return [show] if pair and show[1] not in traj.joint_names else list(show)


def _points(axes: Axes, found: Mapping[str, Crossings], c: Coordinate) -> None:
    """The crossings of all runs in the plane of one coordinate and its velocity."""
    turning = False
    for k, (label, each) in enumerate(found.items()):
        own = coordinate(each.trajectory, _which(c))
        q, v = each.between(own.path, own.rate)
        turning = turning or (c.turns and len(q) > 0 and float(np.abs(q).max()) > 0.5 * TURN)
        look = {"color": COLOURS[k % len(COLOURS)], "linestyle": "none", "marker": ".", "markersize": 3.0}
        axes.plot(wrapped(q) if c.turns else q, v, label=label, **look)
    dress(axes, f"velocity of {c.label} [{c.unit}/s]", x=f"{c.label} [{c.unit}]")
    axes.margins(x=0.05)
    if turning:
        turn_ticks(axes)


def section_words(traj: Trajectory, section: tuple[Quantity, float, str]) -> str:
    """`joint 1 = 0 rad, upwards`."""
    what, value, direction = section
    words = {"up": ", upwards", "down": ", downwards"}.get(direction, "")
    if callable(what):
        return f"{getattr(what, '__name__', 'a function')} = {value:.3g}{words}"
    own = coordinate(traj, what)
    return f"{own.label} = {value:.3g} {own.unit}{words}"
