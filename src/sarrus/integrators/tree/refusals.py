"""What methods in joint coordinates refuse, by name, and which methods have it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sarrus.errors import MechanismError
from sarrus.mechanism.constraints import Rolling

if TYPE_CHECKING:
    from sarrus.integrators.tree.method import TreeMethod
    from sarrus.model import Model


def check(method: TreeMethod, model: Model) -> None:
    """Refuses models that the method cannot run."""
    mechanism = model.mechanism
    for joint in mechanism.joints.values():
        if isinstance(joint, Rolling):
            raise _refusal(method, f"the rolling constraint {joint.name!r}")
    if mechanism.limits:
        raise _refusal(method, f"the limit {next(iter(mechanism.limits))!r}")
    if mechanism.joint_frictions:
        raise _refusal(method, f"the dry friction of joint {next(iter(mechanism.joint_frictions))!r}")
    if model.contacts.any:
        raise _refusal(method, f"the contact {model.contacts.name_of(0)!r}")
    if model.actuation.tied:
        motors = dict.fromkeys(model.actuation.motors[k] for k in model.actuation.tied)
        raise _refusal(method, f"motors that depend on each other ({', '.join(map(repr, motors))})")
    if model.description.locks:
        raise _refusal(method, f"the lock of joint {model.joint_names[model.description.locks[0][0]]!r}")
    for geometry in model.description.joints:
        if geometry.rotations == 3 and np.any(np.asarray(geometry.armature) > 0.0):
            raise _refusal(method, f"the armature of joint {geometry.name!r}, which turns freely")


def _refusal(method: TreeMethod, what: str) -> MechanismError:
    return MechanismError(f"{method} does not run {what}; variational does")
