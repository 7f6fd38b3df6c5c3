"""MJCF: a mechanism from a model file of MuJoCo, read by MuJoCo's own compiler."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from sarrus.errors import FileError, MechanismError
from sarrus.importers.mjcf.actuators import add_actuators
from sarrus.importers.mjcf.bodies import add_bodies, name_bodies
from sarrus.importers.mjcf.bounds import check_files
from sarrus.importers.mjcf.compile import (
    Robot,
    check_numbers,
    check_places,
    compiled,
    listening,
)
from sarrus.importers.mjcf.contacts import add_contacts, decide_contacts
from sarrus.importers.mjcf.equalities import add_equalities
from sarrus.importers.mjcf.frames import add_frames, add_keyframes
from sarrus.importers.mjcf.losses import list_losses
from sarrus.importers.mjcf.overlaps import exclude_overlaps
from sarrus.importers.mjcf.reference import at_reference, held_joints, loop_bodies
from sarrus.importers.mjcf.sensors import add_sensors
from sarrus.importers.mjcf.tendons import add_tendons
from sarrus.importers.report import Findings
from sarrus.mechanism import Mechanism

if TYPE_CHECKING:
    from mujoco import MjModel


def read_mjcf(
    path: str | os.PathLike[str],
    *,
    fixed_base: bool = False,
    self_contact: bool = True,
    shown: str | None = None,
    decompose: bool | float = False,
) -> Mechanism:
    """The mechanism in an MJCF file; what is not supported is left out, with one warning that lists it.

    Implements: the compiler of MuJoCo decides what the file means (defaults, includes, frames, meshes,
    inertias); this reads the compiled model.  `shown` is the name for messages, by default the path;
    `decompose` as for `sarrus.load`."""
    from sarrus.importers.references import mjcf_files

    name = shown if shown is not None else os.fspath(path)
    findings = Findings(name, "MJCF")
    with listening() as heard:
        check_files(mjcf_files(path, shown=name))
        model = compiled(path, name, heard)
        for warning in dict.fromkeys(heard):
            findings.change("warning of MuJoCo", "", warning)
        try:
            mech = mechanism_of(
                model, findings, fixed_base=fixed_base, self_contact=self_contact, decompose=decompose
            )
        except MechanismError as fault:
            raise FileError(f"{name}: {fault}") from None
    mech.import_report.warn(stacklevel=3)
    return mech


def mechanism_of(
    model: MjModel,
    findings: Findings,
    *,
    fixed_base: bool = False,
    self_contact: bool = True,
    decompose: bool | float = False,
) -> Mechanism:
    """The mechanism of a compiled model, with its `import_report` from all that was noted in `findings`."""
    robot = Robot(model, at_reference(model, findings), findings, decompose=decompose)
    check_places(robot)
    check_numbers(robot)
    title = model.names[: model.names.index(b"\0")].decode("utf-8", "replace").strip()
    mech = Mechanism(gravity=model.opt.gravity.copy(), name=title or "mechanism")
    if robot.disabled("GRAVITY"):
        mech.gravity = Mechanism(gravity=(0.0, 0.0, 0.0)).gravity
        findings.change("option", "gravity", "disabled in the file, so the mechanism has none")
    findings.timestep = float(model.opt.timestep)
    if not robot.disabled("EQUALITY"):
        robot.locked, robot.in_loops = held_joints(model), loop_bodies(model)
    name_bodies(robot, fixed_base=fixed_base)
    decide_contacts(robot)
    add_bodies(mech, robot)
    add_equalities(mech, robot)
    add_tendons(mech, robot)
    add_actuators(mech, robot)
    add_contacts(mech, robot, self_contact=self_contact)
    add_frames(mech, robot)
    add_keyframes(mech, robot)
    add_sensors(mech, robot)
    exclude_overlaps(mech, robot)
    list_losses(robot)
    mech.import_report = findings.report()
    return mech
