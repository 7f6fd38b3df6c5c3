"""`sarrus check`: what a mechanism is before it moves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from rich.markup import escape

from sarrus.cli.answer import JsonFlag, answering
from sarrus.cli.models import (
    FixedBaseOption,
    GroundOption,
    MeshesOption,
    ModelArgument,
    SelfContactOption,
    SetOption,
    mechanism_named,
    not_carried_over,
)
from sarrus.cli.tables import new_table

if TYPE_CHECKING:
    from rich.table import Table

    from sarrus.model import Model


def check(
    model: ModelArgument,
    settings: SetOption = None,
    fixed_base: FixedBaseOption = False,
    ground: GroundOption = False,
    self_contact: SelfContactOption = True,
    meshes: MeshesOption = True,
    as_json: JsonFlag = False,
) -> None:
    """Print degrees of freedom, loops, redundant constraints, contacts, mass and a time step to try.

    For a file it also lists what was left out, and how its numbers are read.

    [bold]Examples[/bold]

    sarrus check double_four_bar

    sarrus check robot.xml --ground

    sarrus check rhombus_chain --set segments=20 --json
    """
    with answering(as_json) as answer:
        import sarrus
        from sarrus.analysis.solvability import guarantee
        from sarrus.analysis.timestep import long_run_dt, recommended_dt, resolving_dt
        from sarrus.pilot import pilot_dt

        mechanism = mechanism_named(
            model,
            settings,
            fixed_base=fixed_base,
            ground=ground,
            self_contact=self_contact,
            meshes=meshes,
            tell=False,
        )
        built = sarrus.build(mechanism)
        start = built.initial_state()
        guaranteed = guarantee(built, start)
        fields = facts(built) | {
            "recommended_dt": recommended_dt(built, start),
            "resolving_dt": resolving_dt(built, start),
            "long_run_dt": long_run_dt(built, start),
            "pilot_dt": pilot_dt(built, start),
            "guaranteed_dt": guaranteed.dt,
            "guarantee": str(guaranteed),
            "keyframes": list(mechanism.keyframes),
            "not_carried_over": not_carried_over(mechanism),
        }
        if mechanism.import_report is not None:
            answer.say(f"{mechanism.import_report}\n")
        answer.say(built.report())
        if mechanism.keyframes:
            answer.say(f"keyframes: {', '.join(mechanism.keyframes)}")
        answer.console.print(mass_table(fields))
        answer.console.print(time_steps(fields))
        answer.give({"model": model} | fields)


def facts(model: Model) -> dict[str, Any]:
    """Counts and names of a model, ready for JSON; mass [kg], reference centre of mass [m]."""
    masses = {name: body.mass for name, body in model.mechanism.bodies.items()}
    total = sum(masses.values())
    moments = (body.mass * body.position for body in model.mechanism.bodies.values())
    return {
        "bodies": len(model.body_names),
        "joints": len(model.joint_names),
        "dof": model.dof,
        "loops": len(model.loops),
        "loop_joints": [list(loop) for loop in model.loops],
        "redundant_constraints": model.redundant_constraints,
        "redundant": [[joint, row] for joint, row in model.redundant],
        "drives": drive_facts(model),
        "contacts": contact_facts(model),
        "mass": total,
        "masses": masses,
        "center_of_mass": sum(moments, start=0.0) / total if total > 0.0 else None,
    }


def drive_facts(model: Model) -> dict[str, Any]:
    """What motors prescribe, ready for JSON: counts, the motors whose inputs must fit each other, and the
    smallest singular value of the drives in the reference with those that take part."""
    from sarrus.model.actuation import stance

    found = model.actuation
    singular, weakest = stance(model, model.every.state) if found.count else (np.zeros(0), ())
    labels = found.labels()
    return {
        "prescribed": found.count,
        "overactuation": found.surplus,
        "dof_left": model.dof_left,
        "tied": [labels[k] for k in found.tied],
        "smallest_singular_value": float(singular[-1]) if len(singular) else None,
        "weakest": [[name, part] for name, part in weakest],
    }


def contact_facts(model: Model) -> dict[str, Any]:
    """Names and counts of what an inequality bounds, ready for JSON."""
    mechanism, world = model.mechanism, len(model.body_names)
    return {
        "shapes": sum(line.body < world for line in model.contacts.shapes),
        "obstacles": list(mechanism.obstacles),
        "pairs": len(mechanism.contacts),
        "exclusions": sorted(sorted(pair) for pair in mechanism.exclusions),
        "limits": list(mechanism.limits),
        "joint_frictions": list(mechanism.joint_frictions),
        "ropes": list(mechanism.ropes),
    }


def time_steps(fields: dict[str, Any]) -> str:
    """The recommended time step, and the two that it is chosen from."""
    named = {
        name: "none found" if fields[name] is None else f"{fields[name]:.3g} s"
        for name in ("recommended_dt", "resolving_dt", "long_run_dt", "pilot_dt")
    }
    return (
        f"recommended time step: {named['recommended_dt']}\n"
        f"  resolves the motion of the start: {named['resolving_dt']}\n"
        f"  long runs without friction, where all energy may gather in one link: {named['long_run_dt']}\n"
        f"  a pilot run stays clear of steps that fail (sampled, no guarantee): {named['pilot_dt']}\n"
        f"guaranteed time step: {fields['guarantee']}"
    )


def mass_table(fields: dict[str, Any], shown: int = 12) -> Table:
    """A table of the bodies' masses, at most `shown` of them, and their total."""
    table = new_table("body", r"mass \[kg]", title="mass properties", numbers=(1,))
    for name, mass in list(fields["masses"].items())[:shown]:
        table.add_row(escape(name), f"{mass:.6g}")
    if len(fields["masses"]) > shown:
        table.add_row(f"... and {len(fields['masses']) - shown} more", "")
    centre = fields["center_of_mass"]
    where = "" if centre is None else " at ({:.4g}, {:.4g}, {:.4g}) m".format(*centre)
    table.add_row(f"all{where}", f"{fields['mass']:.6g}", style="bold")
    return table
