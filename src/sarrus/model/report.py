"""What a model is, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import isfinite
from typing import TYPE_CHECKING

from sarrus.mechanism.joints import Joint

if TYPE_CHECKING:
    from sarrus.mechanism import Limit, Obstacle
    from sarrus.model.model import Model

LISTED = 12
# Joints that are off by more than this part of the worst are named.
PART = 0.3


def loops(model: Model) -> list[tuple[str, ...]]:
    """One loop per closing joint: the tree joints on the way between its bodies, the closing joint last."""
    d = model.description
    tree, names = d.tree, model.joint_names
    out = []
    for j in tree.closures:
        joint = d.joints[j]
        if not isinstance(joint.source, Joint):
            continue
        path = tree.between(int(d.number[joint.a]), int(d.number[joint.b]))
        out.append((*[names[i] for i in path if i < len(names)], names[j]))
    return out


def count(number: int, noun: str) -> str:
    """`3 bodies`, `1 body`."""
    plural = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{number} {noun if number == 1 else plural}"


def listed(names: Iterable[str]) -> str:
    """Names in a row, the tail counted."""
    names = list(names)
    text = ", ".join(repr(name) for name in names[:LISTED])
    return text + (f" and {len(names) - LISTED} more" if len(names) > LISTED else "")


def contacts(model: Model) -> list[str]:
    """Shapes that touch, what is fixed in the world, pairs, limits, dry friction and ropes, a line each."""
    mechanism, world = model.mechanism, len(model.body_names)
    own = [line for line in model.contacts.shapes if line.body < world]
    lines = []
    if own and (mechanism.obstacles or mechanism.contacts):
        kinds = Counter(type(line.shape).__name__ for line in own)
        bodies = count(len({line.body for line in own}), "body")
        text = ", ".join(f"{n} {kind}" for kind, n in kinds.items())
        lines.append(f"  {count(len(own), 'shape')} of {bodies} can collide: {text}")
    parts = [obstacle_words(obstacle) for obstacle in mechanism.obstacles.values()]
    if parts:
        lines.append(f"  fixed in the world: {shortened(parts)}")
    if mechanism.contacts:
        parts = [f"{c.a!r} and {c.b!r}" for c in mechanism.contacts.values()]
        lines.append(f"  {count(len(parts), 'pair')} of bodies can collide: {shortened(parts)}")
    if mechanism.exclusions:
        parts = [" and ".join(repr(name) for name in sorted(pair)) for pair in mechanism.exclusions]
        lines.append(f"  never collide: {shortened(sorted(parts))}")
    parts = [words for limit in mechanism.limits.values() for words in limit_words(limit)]
    if parts:
        lines.append(f"  {count(len(mechanism.limits), 'limit')}: {shortened(parts)}")
    parts = [
        f"{friction.joint!r} {', '.join(f'{effort:.4g}' for effort in friction.effort)}"
        for friction in mechanism.joint_frictions.values()
    ]
    if parts:
        lines.append(f"  dry friction of joints [N, N m]: {shortened(parts)}")
    parts = [f"{r.name!r} from {r.a!r} to {r.b!r}, {r.length:.4g} m" for r in mechanism.ropes.values()]
    if parts:
        lines.append(f"  {count(len(parts), 'rope')}: {shortened(parts)}")
    return lines


def obstacle_words(obstacle: Obstacle) -> str:
    """`'ground' (HalfSpace, friction 0.5)`."""
    bounce = f", restitution {obstacle.restitution:g}" if obstacle.restitution else ""
    return f"{obstacle.name!r} ({type(obstacle.shape).__name__}, friction {obstacle.friction:g}{bounce})"


def limit_words(limit: Limit) -> list[str]:
    """`'knee' -1 to 2` for every coordinate that the limit bounds."""
    several = len(limit.lower) > 1
    out = []
    for i, (low, high) in enumerate(zip(limit.lower, limit.upper, strict=True)):
        span = f"{low:.4g} to {high:.4g}"
        if not isfinite(low):
            span = f"up to {high:.4g}"
        elif not isfinite(high):
            span = f"from {low:.4g}"
        if isfinite(low) or isfinite(high):
            out.append(f"{limit.joint!r}{f' coordinate {i}' if several else ''} {span}")
    return out


def shortened(parts: list[str]) -> str:
    """Parts in a row, the tail counted."""
    text = "; ".join(parts[:LISTED])
    return text + (f" and {len(parts) - LISTED} more" if len(parts) > LISTED else "")


def rounded(model: Model) -> str:
    """How far the joints of loops that are redundant but for rounding miss each other."""
    ranks = model.ranks
    worst = sorted(ranks.misfits.items(), key=lambda item: -item[1])
    parts = [f"{name!r} {off:.1e}" for name, off in worst if off > PART * ranks.misfit]
    return (
        "joints of the loops fit each other but for rounding (rad, or parts of the size, over 1 rad of "
        f"motion): {shortened(parts)}; closing joints take up to {ranks.deviation:.1e}; "
        "sarrus.align makes them fit"
    )


def taken_as_rounded(model: Model) -> str:
    """That rows of loops were taken for redundant, and how to have them as they are written."""
    ranks = model.ranks
    name = max(ranks.misfits, key=ranks.misfits.__getitem__)
    freedoms = f"{count(model.dof, 'degree')} of freedom, and {model.dof - ranks.rounded_away} as written"
    return (
        f"joints of its loops miss each other by up to {ranks.misfit:.1e} ({name!r}; rad, or parts of the "
        f"size), which counts as rounding: {freedoms}. If it is meant, build(mech, "
        f"redundancy_tolerance={0.5 * ranks.misfit:.0e}); if not, sarrus.align(mech) makes them fit"
    )


def refusal(model: Model) -> str:
    """Why a mechanism that would move if its joints fitted each other cannot."""
    if not model.ranks.refused:
        return "no degree of freedom is left by its loops: it cannot move"
    name, misfit = model.ranks.refused[0]
    loop = next((loop for loop in model.loops if loop[-1] == name), (name,))
    left = "no degree of freedom is left" if not model.dof else "it has a degree of freedom less"
    return (
        f"the loop {' - '.join(loop)} would move if its joints missed each other by no more than "
        f"{model.ranks.tolerance:.1e} (rad, or parts of the size: redundancy_tolerance), but it is off by "
        f"{misfit:.1e}: {left}"
    )


def drives(model: Model) -> list[str]:
    """What motors prescribe: how much of it is independent, what they leave free, and whether the stance of
    the reference is singular for them, or nearly so; a line each."""
    from sarrus.model.actuation import NEARLY, PART, RANK, stance

    found = model.actuation
    if not found.count:
        return []
    left = f"{model.dof_left} of {model.dof} degrees of freedom left free"
    lines = [
        f"  {count(found.count, 'prescribed coordinate')}, {left if model.dof_left else 'none left free'}"
    ]
    if found.surplus:
        labels = found.labels()
        stuck = [labels[k] for k in found.tied if found.usual[k] < PART]
        tied = [labels[k] for k in found.tied if labels[k] not in stuck]
        fit = f"; inputs of {listed(tied)} must fit each other" if tied else ""
        held = f"; the joints do not let {listed(stuck)} move" if stuck else ""
        lines.append(f"  over-actuated: {found.surplus} more than are independent{fit}{held}")
    singular, weakest = stance(model, model.every.state)
    if len(singular) and singular[-1] < NEARLY:
        how = "singular" if singular[-1] < RANK else "nearly singular"
        values = ", ".join(f"{value:.2g}" for value in singular[::-1][:3])
        named = ", ".join(f"{name!r} ({part:.2f})" for name, part in weakest[:LISTED])
        lines.append(
            f"  the reference is {how} for the motors, smallest singular values {values}: {named} work "
            "against each other or the joints"
        )
    return lines


def report(model: Model) -> str:
    """Bodies, joints, contacts, loops, degrees of freedom and redundancy in words."""
    mechanism, ranks = model.mechanism, model.ranks
    kinds = Counter(
        joint.kind if isinstance(joint, Joint) else type(joint).__name__.lower()
        for joint in mechanism.joints.values()
    )
    lines = [
        f"{mechanism.name}",
        f"  {count(len(model.body_names), 'body')}, {model.masses.sum():.6g} kg: {listed(model.body_names)}",
        f"  {count(len(model.joint_names), 'joint')}"
        + (": " + ", ".join(f"{n} {kind}" for kind, n in kinds.items()) if kinds else ""),
    ]
    forces = [
        count(len(group), noun)
        for noun, group in (
            ("spring", mechanism.springs), ("joint spring", mechanism.joint_springs),
            ("force", mechanism.forces), ("motor", mechanism.motors),
            ("custom force", mechanism.custom_forces), ("potential", mechanism.potentials),
        )
        if group
    ]  # fmt: skip
    if forces:
        lines.append("  " + ", ".join(forces))
    lines += contacts(model)
    flying = [model.body_names[model.description.tree.order[b]] for b in model.description.tree.roots]
    if flying:
        lines.append(f"  flying freely: {listed(flying)}")
    lines.append(f"  {count(len(model.loops), 'loop')}")
    lines += [f"    {' - '.join(loop)}" for loop in model.loops[:LISTED]]
    if len(model.loops) > LISTED:
        lines.append(f"    and {len(model.loops) - LISTED} more")
    degrees = "degree of freedom" if model.dof == 1 else "degrees of freedom"
    lines.append(f"  {model.dof} {degrees}" + ("" if model.dof else ": it cannot move"))
    lines += drives(model)
    if model.redundant:
        per_joint = Counter(name for name, _ in model.redundant)
        rows = ", ".join(f"{n} of {name!r}" for name, n in list(per_joint.items())[:LISTED])
        more = f" and of {len(per_joint) - LISTED} more joints" if len(per_joint) > LISTED else ""
        counted = count(model.redundant_constraints, "redundant constraint")
        lines.append(f"  {counted}: {rows}{more} (eliminated and monitored)")
    else:
        lines.append("  no redundant constraints")
    if ranks.reference_open:
        lines.append(
            f"  the reference configuration is open by {ranks.reference_open:.2g} m or rad: start from "
            "sarrus.assemble(model, ...)"
        )
    if ranks.inexact > 1e-9:
        lines.append(f"  the geometry is inexact: its loops close to {ranks.inexact:.2g} m at best")
    if ranks.differing:
        lines.append(
            f"  several branches of motion meet: the mobility of {listed(ranks.differing)} differs between "
            "them"
        )
    if ranks.misfit:
        lines.append(f"  {rounded(model)}")
    if ranks.refused:
        lines.append(f"  {refusal(model)}")
    if ranks.shaky:
        lines.append(f"  shaky: {listed(ranks.shaky)} can move by nothing but infinitely little")
    return "\n".join(lines)
