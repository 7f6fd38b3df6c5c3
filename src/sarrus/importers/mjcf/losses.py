"""What a compiled model has beyond bodies, joints, contacts and motors: listed, since there is none here."""

from __future__ import annotations

import numpy as np

from sarrus.importers.mjcf.compile import Robot

KINDS = (
    ("nflex", "FLEX", "flex", "deformable bodies are not supported"),
    ("nskin", "SKIN", "skin", "not drawn"),
    ("ncam", "CAMERA", "camera", "viewers have their own"),
    ("nlight", "LIGHT", "light", "viewers have their own"),
    ("nplugin", "PLUGIN", "plugin", "plugins are not supported"),
)
"""Tables of the model: number, type, what one is called, and why it is left out."""


def list_losses(robot: Robot) -> None:
    """Lists sensors, cameras, fluids, ... of the file."""
    model, findings = robot.model, robot.findings
    for count, kind, what, why in KINDS:
        for i in range(getattr(model, count, 0)):
            findings.lose(what, robot.name(kind, i) or f"{what} {i + 1}", why)
    for b in range(1, model.nbody):
        if model.body_mocapid[b] >= 0:
            findings.lose("mocap body", robot.bodies[b], "it stays where the file puts it")
    for what in ("density", "viscosity"):
        if getattr(model.opt, what):
            findings.lose("option", what, "fluid forces are not supported")
    if np.any(model.opt.wind):
        findings.lose("option", "wind", "fluid forces are not supported")
    for flag, what in (
        ("LIMIT", "limits"),
        ("SPRING", "springs"),
        ("DAMPER", "dampers"),
        ("FRICTIONLOSS", "friction of joints"),
        ("CONSTRAINT", "constraints"),
    ):
        if robot.disabled(flag):
            findings.lose("option", what, "disabled in the file")
    for j in range(model.njnt):
        if model.jnt_actgravcomp[j]:
            findings.lose(
                "joint", robot.name("JOINT", j), "gravity compensation by its actuator is not supported"
            )
