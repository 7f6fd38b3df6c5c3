"""All figures of a run: which there are, which a run has data for, and files of all of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sarrus.errors import FileError, MechanismError
from sarrus.plots import figures, graph, phase, sparsity
from sarrus.plots.style import DOTS_PER_INCH, save
from sarrus.trajectory.coordinates import coordinates
from sarrus.trajectory.sections import crossings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from sarrus.trajectory import Trajectory

FORMATS = ("png", "pdf", "svg")
# Fewer points than this are no picture of a section.
FEWEST_CROSSINGS = 20


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of figure: name of its file, what it shows, how it is drawn, why a run may have none."""

    name: str
    shows: str
    draw: Callable[[Trajectory], Figure]
    missing: Callable[[Trajectory], str | None]


@dataclass(frozen=True, slots=True)
class Drawn:
    """What became of a kind of figure: the file that was written, or why none was."""

    name: str
    shows: str
    path: Path | None
    why_not: str | None


def write_all(
    traj: Trajectory, folder: str | os.PathLike[str], format: str = "png", dpi: int = DOTS_PER_INCH
) -> list[Drawn]:
    """Every figure that a run has data for, written into a folder under names of their content.

    format: "png", "pdf" or "svg".  What is left out is in the list with the reason.

        for figure in sarrus.plots.write_all(traj, "plots", format="pdf"):
            print(figure.name, figure.path or figure.why_not)"""
    if format not in FORMATS:
        raise FileError(f"no format {format!r} of figures; known: {', '.join(FORMATS)}")
    if not len(traj):
        raise MechanismError("the trajectory has no nodes: there is nothing to plot")
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise FileError(f"{folder}: cannot be made a folder ({fault.strerror or fault})") from fault
    out = []
    for kind in KINDS:
        why_not = kind.missing(traj)
        path = None
        if why_not is None:
            path = folder / f"{kind.name}.{format}"
            save(kind.draw(traj), path, dpi)
        out.append(Drawn(kind.name, kind.shows, path, why_not))
    return out


def _nothing_missing(traj: Trajectory) -> None:
    return None


def _no_joints(traj: Trajectory) -> str | None:
    return None if traj.joint_names else "the mechanism has no joints"


def _no_coordinates(traj: Trajectory) -> str | None:
    return _no_joints(traj) or (None if coordinates(traj) else "no joint has a coordinate")


def _no_reactions(traj: Trajectory) -> str | None:
    if traj.reactions is None and traj.joint_names:
        return "reactions were not recorded; simulate with reactions=True, or --reactions"
    return _no_joints(traj)


def _no_contacts(traj: Trajectory) -> str | None:
    return None if figures.contact_panels(traj) else "the mechanism has no contacts"


def _no_steps(traj: Trajectory) -> str | None:
    return None if traj.stats.steps else "the run has no steps"


def _no_section(traj: Trajectory) -> str | None:
    if len(coordinates(traj)) < 2:
        return "a section needs two joint coordinates"
    if traj.model.dof < 2:
        return "with one degree of freedom a section is a single point"
    section = phase.usual_section(traj)
    number = len(crossings(traj, *section))
    words = phase.section_words(traj, section)
    return None if number >= FEWEST_CROSSINGS else f"only {number} crossings of {words}"


def _no_pattern(traj: Trajectory) -> str | None:
    rows = sparsity.block_rows(traj)
    return f"{rows} block rows are too many to draw" if rows > sparsity.MOST_ROWS else None


def _no_graph(traj: Trajectory) -> str | None:
    bodies = len(traj.body_names)
    many = f"{bodies} bodies are too many to draw" if bodies > graph.MOST_NODES else None
    return _no_joints(traj) or many


KINDS = (
    Kind("overview", "energy, violation, joints, solver, contacts", figures.overview, _nothing_missing),
    Kind("energy", "energy components and error", figures.energy, _nothing_missing),
    Kind("violation", "constraint violation by joint", figures.violation, _no_joints),
    Kind("momentum", "linear and angular momentum", figures.momentum, _nothing_missing),
    Kind("joint-coordinates", "joint coordinates", figures.joint_coordinates, _no_coordinates),
    Kind("joint-velocities", "joint velocities", figures.joint_velocities, _no_coordinates),
    Kind("reactions", "reaction forces and torques", figures.reactions, _no_reactions),
    Kind("contacts", "contact forces and gap", figures.contacts, _no_contacts),
    Kind("iterations", "iterations of the solver", figures.iterations, _no_steps),
    Kind("phase-portraits", "phase portraits of the joints", phase.phase_portrait, _no_coordinates),
    Kind("poincare", "Poincare section", phase.poincare, _no_section),
    Kind("sparsity", "system matrix before and after elimination", sparsity.sparsity, _no_pattern),
    Kind("graph", "mechanism graph", graph.mechanism_graph, _no_graph),
)
