"""Joint coordinates and controls as the file counts them that a mechanism was read from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from sarrus.errors import MechanismError, unknown_name
from sarrus.mechanism.validation import array, choice, number

if TYPE_CHECKING:
    from sarrus.model.model import Model

CONVENTIONS = ("sarrus", "file")


def is_file(convention: str) -> bool:
    """Whether coordinates count as in the file; another word than "sarrus" or "file" is refused."""
    return choice("joints", "convention", convention, CONVENTIONS) == "file"


def report_of(model: Model) -> Any:
    """The report of the file that a model was read from."""
    report = model.mechanism.import_report
    if report is None:
        raise MechanismError(
            f"{model.mechanism.name!r} was not read from a robot file, so it has no convention of its own"
        )
    return report


def file_coordinate(model: Model, name: str) -> tuple[str, int, float]:
    """(joint, component, offset) of a joint of the file, by its name there: q_file = q + offset."""
    places = report_of(model).coordinates
    if name not in places:
        raise unknown_name("joint of one coordinate in the file", name, places)
    place = places[name]
    return place.joint, place.component, place.offset


def from_file(model: Model, joints: Mapping[str, Any], near: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Coordinates by joint of the model from those of the file's joints; `near` fills the other coordinates
    of a joint that several joints of the file make up."""
    out: dict[str, np.ndarray] = {}
    for name, value in joints.items():
        joint, component, offset = file_coordinate(model, name)
        if joint not in out:
            where = model.joint_slices[joint]
            out[joint] = np.array(near.get(joint, np.zeros(where.stop - where.start)), float)
        out[joint][component] = number(f"joint {name!r}", "coordinate", value) - offset
    return out


def control_inputs(model: Model, controls: Any) -> dict[str, float]:
    """Inputs by motor from controls of the file: by name of actuator, or one number each in the order of the
    file."""
    known = report_of(model).inputs
    if not isinstance(controls, Mapping):
        values = array("control_inputs", "controls", controls, (len(known),))
        controls = dict(zip(known, values, strict=True))
    out = {}
    for name, value in controls.items():
        if name not in known:
            raise unknown_name("actuator of the file", name, known)
        out[known[name].motor] = known[name].value(number(f"actuator {name!r}", "control", value))
    return out
