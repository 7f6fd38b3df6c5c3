"""What notebooks show: tables of mechanisms, models and runs, and the animation of a run.

All text is escaped.  The animation is the page of `to_html` in a frame of its own, which may run its script
and nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING, Any

from sarrus.errors import SarrusError
from sarrus.mechanism import (
    Coupling,
    Custom,
    Distance,
    Gear,
    Joint,
    Mechanism,
    PointOnCurve,
    Pulley,
    Rolling,
    Tendon,
)

if TYPE_CHECKING:
    from sarrus.model import Model
    from sarrus.trajectory import Trajectory

MAX_SIZE = 2_000_000
"""Bytes of an animation in a notebook, where it is saved with every run of its cell."""
FPS = 30.0
HEIGHT = 460
ROWS = 40
"""Rows of a table; more are counted."""


def mechanism_html(mechanism: Mechanism) -> str:
    """Tables of the bodies, the joints, and what else the mechanism has."""
    bodies = table(
        ("body", "mass [kg]", "position [m]", "shapes"),
        (
            (b.name, f"{b.mass:.6g}", numbers(b.position), ", ".join(type(s).__name__ for s in b.shapes))
            for b in mechanism.bodies.values()
        ),
    )
    joints = table(
        ("joint", "kind", "between"),
        ((joint.name, *joint_words(joint)) for joint in mechanism.joints.values()),
    )
    rest = table(
        ("also", "names"),
        ((word, shortened(names)) for word, names in others(mechanism) if names),
    )
    return block(
        f"mechanism {mechanism.name}", f"gravity {numbers(mechanism.gravity)} m/s²", bodies, joints, rest
    )


def others(mechanism: Mechanism) -> list[tuple[str, list[str]]]:
    """What a mechanism has beside bodies and joints, by name."""
    tables = (
        ("springs", mechanism.springs),
        ("joint springs", mechanism.joint_springs),
        ("forces", mechanism.forces),
        ("motors", mechanism.motors),
        ("custom forces", mechanism.custom_forces),
        ("potentials", mechanism.potentials),
        ("frames", mechanism.frames),
        ("limits", mechanism.limits),
        ("joints with friction", mechanism.joint_frictions),
        ("ropes", mechanism.ropes),
        ("grounds and obstacles", mechanism.obstacles),
        ("keyframes", mechanism.keyframes),
    )
    contacts = [f"{a} and {b}" for a, b in mechanism.contacts]
    return [*((word, list(names)) for word, names in tables), ("contacts", contacts)]


def joint_words(joint: Any) -> tuple[str, str]:
    """Kind of a joint or constraint, and the bodies or joints that it connects."""
    if isinstance(joint, Joint):
        return joint.kind, f"{joint.parent} – {joint.child}"
    if isinstance(joint, Distance):
        return "distance", f"{joint.a} – {joint.b}"
    if isinstance(joint, Gear):
        return "gear", f"{joint.joint_a} = {joint.ratio:g} {joint.joint_b}"
    if isinstance(joint, Tendon) and joint.path:
        named = [item.body for item in joint.path if not isinstance(item, Pulley)]
        return "tendon", " – ".join(named)
    if isinstance(joint, Coupling | Tendon):
        total = " + ".join(f"{t.factor:g} {t.joint}" for t in joint.terms)
        return type(joint).__name__.lower(), total
    if isinstance(joint, PointOnCurve):
        return "point on curve", f"{joint.parent} – {joint.child}"
    if isinstance(joint, Rolling):
        return "rolling", joint.body
    assert isinstance(joint, Custom)
    return "custom", ", ".join(joint.bodies)


def model_html(model: Model) -> str:
    """A table of the size of the model, its degrees of freedom, loops and redundant constraints."""
    from sarrus.model.report import loops

    redundant = [f"row {row} of {joint}" for joint, row in model.redundant]
    rows = [
        ("bodies", str(len(model.body_names))),
        ("joints", str(len(model.joint_names))),
        ("degrees of freedom", str(model.dof)),
        ("loops", str(len(loops(model)))),
        ("redundant constraints", f"{model.redundant_constraints} {bracketed(redundant)}".strip()),
    ]
    full = f"<details><summary>report</summary><pre>{escape(model.report())}</pre></details>"
    return block(f"model of {model.mechanism.name}", "", table(("what", "value"), rows), full)


def trajectory_html(traj: Trajectory) -> str:
    """The report of a run as a table, and its animation where that fits into `MAX_SIZE`."""
    from sarrus.viewers.page.html import page

    try:
        lines, name = traj.report().splitlines(), traj.model.mechanism.name
    except SarrusError as fault:  # a run that was loaded without its mechanism
        return block(repr(traj), str(fault))
    said = table(("what", "value"), [split_line(line) for line in lines[1:]])
    try:
        text = page(traj, fps=FPS, max_size=MAX_SIZE, autoplay=False)
        frame = (
            f'<iframe srcdoc="{escape(text)}" sandbox="allow-scripts" title="animation" '
            f'style="width:100%;height:{HEIGHT}px;border:1px solid #8884;border-radius:8px"></iframe>'
        )
    except SarrusError as fault:
        frame = f"<p>no animation here: {escape(str(fault))}</p>"
    return block(f"run of {name}", lines[0], frame, said)


def split_line(line: str) -> tuple[str, str]:
    """Heading and text of a line of a report: columns are two spaces or more apart."""
    heading, _, text = line.partition("  ")
    return heading.strip(), text.strip()


def table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """An HTML table of escaped texts, shortened after `ROWS` rows; empty when there are none."""
    listed = list(rows)
    if not listed:
        return ""
    cell = 'style="text-align:left;vertical-align:top;padding:2px 12px 2px 0"'
    head = "".join(f"<th {cell}>{escape(text)}</th>" for text in heads)
    lines = [
        "<tr>" + "".join(f"<td {cell}>{escape(str(text))}</td>" for text in row) + "</tr>"
        for row in listed[:ROWS]
    ]
    if len(listed) > ROWS:
        lines.append(f'<tr><td {cell} colspan="{len(heads)}">and {len(listed) - ROWS} more</td></tr>')
    body = f"<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody>"
    return f'<table style="margin:4px 0 10px">{body}</table>'


def block(title: str, subtitle: str, *contents: str) -> str:
    """A titled piece of a notebook."""
    under = f'<div style="opacity:0.7;margin-bottom:6px">{escape(subtitle)}</div>' if subtitle else ""
    return f"<div><div><b>{escape(title)}</b></div>{under}{''.join(contents)}</div>"


def numbers(values: Iterable[float]) -> str:
    """A vector in brackets."""
    return f"({', '.join(f'{x:.4g}' for x in values)})"


def shortened(names: list[str]) -> str:
    """Names in a row, the tail counted."""
    more = f" and {len(names) - ROWS} more" if len(names) > ROWS else ""
    return ", ".join(names[:ROWS]) + more


def bracketed(names: list[str]) -> str:
    """The same in brackets, or nothing."""
    return f"({shortened(names)})" if names else ""
