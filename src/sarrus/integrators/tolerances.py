"""When a step counts as solved: tolerances in the units of a mechanism, the same for all families."""

from __future__ import annotations

from math import ceil, log2

import numpy as np

from sarrus.model import Model, State

# So many roundings of the largest coordinate are no error of a joint, up to this part of the size.
ROUNDINGS, FAR = 4.0, 1e-6
ROUNDING = float(np.finfo(float).eps)
# Tolerances follow the size of a mechanism from here to there [m]: they are those of angles too.
LEAST, WIDE = 1e-3, 10.0
# Redundant rows may disagree by this [m, 2 sin(angle/2)], or by this many times the inexactness of the
# geometry.
REDUNDANT_LIMIT, INEXACT_FACTOR = 1e-8, 100.0


def solved_within(model: Model, state: State, tolerance: float) -> float:
    """Error of the joints of a converged step [m, rad], for a tolerance in parts of the size."""
    size = max(LEAST, model.size)
    # Coordinates far from the origin of the kernels carry this rounding.
    reach = float(np.abs(state.position - model.description.origin).max(initial=1.0))
    rounding = ROUNDINGS * ROUNDING * 2.0 ** ceil(log2(reach))
    return max(tolerance * min(size, WIDE), min(rounding, FAR * size))


def redundant_within(model: Model, solved: float) -> float:
    """Error allowed in redundant rows of steps whose others hold to `solved` [m, rad]."""
    size, ranks = max(LEAST, model.size), model.ranks
    # Redundant but for rounding: no more than the geometry forces, and nothing that is not small.
    forced = min(INEXACT_FACTOR * ranks.deviation, 10.0 * ranks.tolerance * size)
    return max(REDUNDANT_LIMIT * size, INEXACT_FACTOR * ranks.inexact, forced, 10.0 * solved)
