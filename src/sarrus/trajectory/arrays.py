"""Arrays of a trajectory: read-only, of the shape they must have."""

from __future__ import annotations

from typing import Any

import numpy as np

from sarrus.errors import MechanismError
from sarrus.mechanism.rotations import Array


def frozen(what: str, values: object, shape: tuple[Any, ...]) -> Array:
    """A read-only float64 view of values; shape: the length wanted per axis, None any, ... the rest."""
    array = np.asarray(values, dtype=np.float64).view()
    least = len(shape) - 1 if shape[-1] is ... else len(shape)
    if array.ndim < least or (array.ndim > least and least == len(shape)):
        raise _misfit(what, array, shape)
    for wanted, found in zip(shape, array.shape, strict=False):
        if wanted is not None and wanted is not ... and wanted != found:
            raise _misfit(what, array, shape)
    array.setflags(write=False)
    return array


def _misfit(what: str, array: Array, shape: tuple[Any, ...]) -> MechanismError:
    words = ", ".join("any" if n is None else "..." if n is ... else str(n) for n in shape)
    return MechanismError(f"trajectory: {what} has shape {array.shape}, needs ({words})")
