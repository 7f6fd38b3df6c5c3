"""What the inputs of motors that prescribe coordinates had to do with a step that failed."""

from __future__ import annotations

import numpy as np

from sarrus.model import Model, State
from sarrus.model.actuation import stance
from sarrus.model.assembly import kernel_state
from sarrus.model.description import driven_coordinates

# Moves that a message lists, and the part of the largest below which they are left out.
LISTED, SMALL = 3, 0.01
# Drives are near the end of their reach where their smallest singular value is below this part of that in the
# reference.
WEAK = 0.5


def asked_of_drives(model: Model, state: State | None, u: np.ndarray) -> str:
    """How far the inputs u (fractions, width) of the failed step move the drives, and whether they are near
    the end of their reach in `state` at its start; empty where nothing is prescribed."""
    moves = []
    for name, where in model.targets.items():
        angular = model.mechanism.joint_kind(model.mechanism.motors[name].joint).angular
        change = (u[-1, where] - u[0, where])[0::3]
        for i, part in zip(driven_coordinates(model.description, name), change, strict=True):
            moves.append((abs(float(part)), f"{name!r} by {part:.3g} {'rad' if angular[i] else 'm'}"))
    if not moves:
        return ""
    largest = max(amount for amount, _ in moves)
    moves.sort(key=lambda move: -move[0])
    shown = [text for amount, text in moves[:LISTED] if amount > SMALL * largest]
    if not largest:
        return "; the inputs hold all motors still in this step"
    text = f"; in this step the inputs move motor {', '.join(shown)}"
    return text + (weak_drives(model, state) if state is not None else "")


def weak_drives(model: Model, state: State) -> str:
    """Which drives move the mechanism much less than in the reference; empty where none do."""
    (now, parts), (before, _) = stance(model, kernel_state(model, state)), stance(model, model.every.state)
    if not len(now) or now[-1] > WEAK * before[-1]:
        return ""
    named = ", ".join(repr(name) for name, _ in parts[:LISTED])
    return (
        f"; before it {named} {'are' if len(parts) > 1 else 'is'} {before[-1] / now[-1]:.2g} times nearer to "
        "being singular than in the reference: a loop may be at its dead centre, beyond which no input leads"
    )
