"""A controller that runs inside the compiled loop."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sarrus.errors import MechanismError
from sarrus.integrators.interface import Control
from sarrus.model import Model


class CompiledController:
    """A controller that runs inside the compiled loop: function(t, q, v, u, memory), arrays ordered by
    `model.joint_slices`.

    It writes the inputs into u (ordered by `model.inputs`), which holds those of the last step (at first the
    `inputs` of `simulate`), and may keep numbers in memory, which is zero at the start of a run."""

    def __init__(self, function: Callable[..., None], memory: int = 0):
        if not callable(function):
            raise MechanismError(f"CompiledController takes a function, not {function!r}")
        if not (isinstance(memory, int) and memory >= 0):
            raise MechanismError(
                f"CompiledController: memory must be a whole number of floats, not {memory!r}"
            )
        self.function, self.memory = function, memory

    def compiled(self, model: Model, first: np.ndarray) -> Control:
        """The function compiled for a model, with the inputs at the start."""
        from sarrus.model.custom import controller_callback

        if not model.inputs:
            raise MechanismError("a controller needs motors or forces to act on; the mechanism has none")
        memory = np.zeros(max(self.memory, 1))
        callback = controller_callback(
            "the controller", self.function, max(model.coordinates, 1), model.input_width, len(memory)
        )
        return Control(self.function, callback.address, np.array(first, float), memory, callback)
