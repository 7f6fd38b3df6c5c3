"""Parts of a step in which bodies may meet each other: with the pairs that come near, and again with what was
met on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sarrus.errors import Status
from sarrus.integrators.maximal import columns as run
from sarrus.integrators.maximal.near_pairs import DEEPEST, carry_state
from sarrus.integrators.maximal.variational.newton import PAUSED

if TYPE_CHECKING:
    from sarrus.integrators.maximal.variational.stepper import VariationalStepper
    from sarrus.model.pairs import NearPlan

# How often a part looks for contact lines before it is halved.
LOOKS = 4


def step_with_pairs(
    stepper: VariationalStepper,
    u: np.ndarray,
    out: np.ndarray,
    reactions: np.ndarray,
    stats: np.ndarray,
    sums: np.ndarray,
) -> tuple[int, int, int]:
    """(status, steps done, lines recorded) of one part with the pairs that come near; again with more lines
    where one ends inside another, and halved where that does not help."""
    near, counts = stepper.near, stepper.counts
    if counts[run.PLACE] == 0:
        stepper.step_start = near.plan, stepper.kernel.copy()
    before, held = near.plan, counts.copy()
    block = counts[run.BLOCK] or stepper.largest_part()
    take_lines(stepper, before, near.look(stepper.kernel, block / counts[run.FULL] * stepper.dt), u)
    lines = stats[0].copy(), sums[0].copy()
    for _ in range(LOOKS):
        counts[:], stats[0], sums[0] = held, *lines
        stepper.make_room(1)
        status, did, wrote = stepper.enter(u, out, reactions, stats, sums)
        if not did and counts[run.PLACE] == held[run.PLACE]:
            return status, did, wrote
        stepper.depth, stepper.deepest = near.check(stepper.kernel)
        if stepper.depth >= -DEEPEST:
            return status, did, wrote
        before = near.plan
        stepper.kernel[:] = stepper.saved
        stepper.start(run.AS_IT_IS, u)
        take_lines(stepper, before, near.look_again(), u)
    counts[:], stats[0], sums[0] = held, *lines
    if block == 1:
        return Status.PENETRATION, 0, 0
    counts[run.BLOCK] = block // 2
    return PAUSED, 0, 0


def take_lines(stepper: VariationalStepper, before: NearPlan, plan: NearPlan, u: np.ndarray) -> None:
    """Contact lines of the near pairs into the node; on another plan where new pairs have come."""
    if plan is not before:
        stepper.adopt(plan.arrays, carry_state(stepper.kernel, before, plan))
        stepper.start(run.AS_IT_IS, u)
    stepper.near.put_lines(stepper.kernel)
