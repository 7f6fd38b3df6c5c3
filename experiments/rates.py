"""How a series grows along a run."""

from __future__ import annotations

import numpy as np


def growth(series) -> float:
    """Largest value of the second half over the largest of the first."""
    half = len(series) // 2
    return float(np.max(series[half:]) / max(np.max(series[:half]), 1e-16))
