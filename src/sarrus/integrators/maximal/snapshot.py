"""All that a stepper goes on from, as arrays: a run taken up from them has the bits of an unbroken one.

A `State` holds the node; what follows from it is computed anew at a start, and may round otherwise.  Here
everything is kept as it is, by the names of the stepper's attributes: what is added to the stepper is kept
too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sarrus.integrators.maximal.variational.stepper import VariationalStepper

# What the model, the method and the process give.
GIVEN = (
    "topo", "par", "scales", "stages", "still", "controller", "dt", "tolerance", "touches", "reactions",
    "joints", "adapts", "_is_compiled",
)  # fmt: skip


def snapshot(run: VariationalStepper) -> dict[str, np.ndarray]:
    """The arrays and numbers that steps change, by name."""
    out = {f"run_{name}": value for name, value in vars(run).items() if name not in GIVEN}
    if run.near is not None:
        out["pairs"] = run.near.line()
    numbers = {
        name: value for name, value in out.items() if isinstance(value, np.ndarray | np.number | float | int)
    }
    return {name: _stored(value) for name, value in numbers.items()}


def restore(run: VariationalStepper, arrays: dict[str, np.ndarray]) -> None:
    """Puts back what `snapshot` returned, into a stepper of the same model, method and dt."""
    if run.near is not None:
        run.near.go_on_from(arrays["pairs"])
        run.adopt(run.near.plan.arrays)
    for key, array in arrays.items():
        if key.startswith("run_"):
            setattr(run, key.removeprefix("run_"), array if array.ndim else array.item())


def _stored(value: np.ndarray | np.number | float | int) -> np.ndarray:
    array = np.asarray(value)
    return array.astype("<f8" if array.dtype.kind == "f" else "<i8")
