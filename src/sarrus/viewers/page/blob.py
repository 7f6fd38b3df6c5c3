"""A binary block for a page: arrays one after the other, each named by its type, place and number."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import numpy as np

TYPES = {"float32": "<f4", "float64": "<f8", "int16": "<i2", "uint16": "<u2", "uint32": "<u4"}
LEVELS = 65535
"""Steps of a number stored in 16 bits."""


class Blob:
    """Bytes that grow by arrays; `add` gives what a reader needs to find the array again."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []
        self.size = 0

    def add(self, array: Any, kind: str) -> list[Any]:
        """Type, first byte and number of values of `array` after it was added; its numbers are finite."""
        values = np.ascontiguousarray(array)
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            raise ValueError(f"an array of {values.shape} holds numbers that are not finite")
        data = values.astype(TYPES[kind]).tobytes()
        entry = [kind, self.size, int(values.size)]
        data += bytes(-len(data) % 8)  # every array starts at a multiple of the widest type
        self.pieces.append(data)
        self.size += len(data)
        return entry

    def add_quantised(self, array: np.ndarray, tolerance: float | None = None) -> dict[str, Any]:
        """Rows (..., 3) as 16-bit numbers between the bounds of each column, as float32 where half a step of
        these would err by more than `tolerance`; None: whatever it is."""
        rows = np.asarray(array, dtype=np.float64).reshape(-1, array.shape[-1])
        if not len(rows):
            return {"data": self.add(rows, "float32"), "low": None, "step": None}
        low, high = rows.min(axis=0), rows.max(axis=0)
        step = (high - low) / LEVELS
        if tolerance is not None and 0.5 * float(step.max()) > tolerance:
            return {"data": self.add(rows, "float32"), "low": None, "step": None}
        levels = np.round((rows - low) / np.where(step > 0.0, step, 1.0))
        return {"data": self.add(levels, "uint16"), "low": low.tolist(), "step": step.tolist()}

    def text(self) -> str:
        """All bytes in base64."""
        return b64encode(b"".join(self.pieces)).decode("ascii")
