"""Kernels ready before the clock starts."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sarrus.model import Model

FIRST_STEPS = 2
FIRST_DT = 1e-6  # [s], so short that it finds its solution wherever the run itself may fail


def load_kernels(model: Model, method: str = "variational", start: Mapping[str, Any] | None = None) -> None:
    """Compile or load what a run of this model needs, so that the run's time is that of its steps.

    start: where the run starts, as `start_at` gives it."""
    import sarrus

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the run itself will tell
        sarrus.simulate(model, duration=FIRST_STEPS * FIRST_DT, dt=FIRST_DT, method=method, **start or {})
