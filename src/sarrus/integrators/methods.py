"""Methods by name."""

from __future__ import annotations

from typing import Any

from sarrus.errors import MechanismError, unknown_name
from sarrus.integrators.continuous.method import Continuous
from sarrus.integrators.interface import Conventions, Method
from sarrus.integrators.maximal.implicit.method import Bdf, Sdirk, SemiImplicit
from sarrus.integrators.maximal.variational.method import Variational
from sarrus.integrators.rigid_body.method import RigidBodyCayley, RigidBodyNewmark
from sarrus.integrators.tree.method import LieTrapezoid, TreeMidpoint, TreeTrapezoid

NAMES: dict[str, Method] = {
    "variational": Variational(),
    "variational1": Variational(order=1),
    "variational4": Variational(order=4),
    "variational6": Variational(order=6),
    "continuous": Continuous(),
    "rk4": Continuous("rk4"),
    "heun": Continuous("heun"),
    "tree-midpoint": TreeMidpoint(),
    "tree-trapezoid": TreeTrapezoid(),
    "lie-trapezoid": LieTrapezoid(),
    "rigid-body-newmark": RigidBodyNewmark(),
    "rigid-body-cayley": RigidBodyCayley(),
    "bdf1": Bdf(order=1),
    "bdf2": Bdf(order=2),
    "sdirk": Sdirk(),
    "sdirk-pareschi-russo": Sdirk("pareschi-russo"),
    "semi-implicit": SemiImplicit(),
}


def method_named(method: Any) -> Method:
    """The method itself, or the one of that name."""
    if isinstance(method, str):
        if method not in NAMES:
            raise unknown_name("method", method, NAMES)
        return NAMES[method]
    if isinstance(method, Method):
        return method
    raise MechanismError(
        f"method must be a name ({', '.join(NAMES)}), a method such as Variational(order=4), or one derived "
        f"from sarrus.integrators.interface.Method, not {method!r}"
    )


def conventions_of(method: Method | Conventions | str) -> Conventions:
    """What a reader of a run must know of its method; of one that is not known by its name, the usual."""
    if isinstance(method, Conventions):
        return method
    if isinstance(method, str) and method not in NAMES:
        return Conventions(method)
    known = NAMES[method] if isinstance(method, str) else method
    return Conventions(str(known), bool(known.one_sided), tuple(known.statistics))
