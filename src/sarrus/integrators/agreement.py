"""What is asked of a method and what comes back: both must fit, and what does not is told by name."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from sarrus.errors import MechanismError, unknown_name
from sarrus.integrators.interface import STATS, TOUCH_WIDTH, Chunk, Method, Stepper

if TYPE_CHECKING:
    from sarrus.model import Model, State


def check_asked(
    method: Method, *, reactions: bool = False, compiled: bool = False, adaptive: bool = False
) -> None:
    """Refuses, by name, what a method does not offer."""
    if reactions and not method.reactions:
        raise MechanismError(f"the method {method} gives no reactions; leave out reactions=True")
    if compiled and not method.compiled_controllers:
        raise MechanismError(
            f"the method {method} runs no compiled controllers; give a Python function of (t, state)"
        )
    if adaptive and not method.adaptive:
        raise MechanismError(
            'dt="adaptive" is for methods whose steps follow the motion, such as order 2 ("variational"), '
            f"not for {method}; give dt as a number [s]"
        )
    for name in method.statistics:
        if name not in STATS:
            raise unknown_name(f"statistic of the method {method}", name, STATS)


def start(method: Method, model: Model, state: State, dt: float, *, reactions: bool) -> Stepper:
    """The stepper of a method, once it is one and offers what was asked for."""
    stepper = method.stepper(model, state, dt, reactions=reactions)
    if not isinstance(stepper, Stepper):
        raise MechanismError(
            f"the method {method} must make a stepper derived from sarrus.integrators.interface.Stepper, not "
            f"{type(stepper).__name__}"
        )
    if bool(stepper.reactions) != reactions:
        raise MechanismError(
            f"the method {method} was asked for a stepper with reactions={reactions}, and made one with "
            f"reactions={stepper.reactions!r}"
        )
    return stepper


def checked(
    chunk: Chunk, method: Method, model: Model, steps: int, *, before: int, every: int, reactions: bool
) -> Chunk:
    """What `advance` returned when asked for `steps` steps after `before`, once it fits what was asked;
    `stats` become the columns of `STATS`."""
    if not isinstance(chunk, Chunk):
        raise MechanismError(f"the method {method}: advance must return a Chunk, not {type(chunk).__name__}")
    done, columns = chunk.steps, len(method.statistics)
    if done != steps:
        fewer = chunk.failure is not None or method.adaptive
        if not (fewer and 0 <= done <= steps):
            raise MechanismError(f"the method {method} did {done} steps, and {steps} were asked for")
    m = (before + done) // every - before // every
    _fits(method, "nodes", chunk.nodes, (m, 13 * len(model.body_names)))
    if chunk.stats is None:
        chunk.stats = np.zeros((done, columns))
    _fits(method, "stats", chunk.stats, (done, columns))
    if reactions:
        _fits(method, "reactions", chunk.reactions, (1 + m, len(model.joint_names), 6))
    if model.contacts.any and method.contacts:
        count = () if chunk.touches is None else np.shape(chunk.touches)[:1]
        _fits(method, "touches", chunk.touches, (*count, TOUCH_WIDTH))
    if chunk.winding is not None:
        _fits(method, "winding", chunk.winding, (m, model.coordinates))
    # The sum is quick; it may also be too large, and then each number is looked at.
    if not isfinite(chunk.nodes.sum()) and not np.isfinite(chunk.nodes).all():
        raise MechanismError(f"the method {method} returned a node that is not finite, and no failure")
    if method.statistics != STATS:
        counted, chunk.stats = chunk.stats, np.zeros((done, len(STATS)))
        chunk.stats[:, [STATS.index(name) for name in method.statistics]] = counted
    return chunk


def _fits(method: Method, what: str, array: np.ndarray | None, shape: tuple[int, ...]) -> None:
    """Refuses what has another shape."""
    if array is None or getattr(array, "shape", None) != shape:
        found = "None" if array is None else f"shape {np.shape(array)}"
        raise MechanismError(f"the method {method} returned {what} of {found}, needs an array {shape}")
