"""Methods by name."""

from __future__ import annotations

from typing import Any

from sarrus.errors import MechanismError, unknown_name
from sarrus.integrators.interface import Method
from sarrus.integrators.variational.method import Variational

NAMES = {
    "variational": Variational(),
    "variational1": Variational(order=1),
    "variational4": Variational(order=4),
    "variational6": Variational(order=6),
}


def method_named(method: Any) -> Method:
    """The method itself, or the one of that name."""
    if isinstance(method, str):
        if method not in NAMES:
            raise unknown_name("method", method, NAMES)
        return NAMES[method]
    if isinstance(method, Method) and not isinstance(method, type):
        return method
    raise MechanismError(
        f"method must be a name ({', '.join(NAMES)}), a method such as Variational(order=4), or an object "
        f"with check and stepper, not {method!r}"
    )
