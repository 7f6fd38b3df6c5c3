"""TreeMidpoint, TreeTrapezoid, LieTrapezoid: the methods in joint coordinates and their settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sarrus.errors import MechanismError
from sarrus.integrators.interface import Method

if TYPE_CHECKING:
    from sarrus.integrators.tree.stepper import TreeStepper
    from sarrus.model import Model, State


@dataclass(frozen=True)
class TreeMethod(Method):
    """The base of all methods in joint coordinates.

    tolerance: largest remaining correction [rad, or parts of the size of the mechanism] of a converged step,
    and largest error of a closing joint.  max_iterations: Newton corrections per attempt.  max_substeps:
    parts that a step may be divided into, a power of 2.  balance: what a part of a step may do wrong in
    energy, over the largest kinetic energy so far; a part that does more is halved, but for the smallest (see
    `maximal/acceptance.py`; not first order).  inf leaves the steps as they are, to study the method."""

    tolerance: float = 1e-10
    max_iterations: int = 30
    max_substeps: int = 1024
    balance: float = 1e-3

    reactions = resumable = prescribed = True
    explicit = False
    statistics = (
        "factorisations", "iterations", "status", "substeps", "theta", "unbalanced", "imbalance", "turn",
    )  # fmt: skip

    def __post_init__(self) -> None:
        who = type(self).__name__
        if not (np.isfinite(self.tolerance) and self.tolerance > 0.0):
            raise MechanismError(f"{who}: tolerance must be positive and finite, not {self.tolerance!r}")
        if not (isinstance(self.max_iterations, int) and self.max_iterations > 0):
            raise MechanismError(
                f"{who}: max_iterations must be a positive whole number, not {self.max_iterations!r}"
            )
        parts = self.max_substeps
        if not (isinstance(parts, int) and parts > 0 and parts & (parts - 1) == 0):
            raise MechanismError(
                f"{who}: max_substeps must be a power of 2 (1, 2, 4, ...), not {self.max_substeps!r}"
            )
        if not self.balance > 0.0:
            raise MechanismError(f"{who}: balance must be positive, or inf, not {self.balance!r}")

    @property
    def stages(self) -> int:
        """Places of a step where the Lagrangian is taken: 1 within it, or its 2 ends."""
        return 2

    @property
    def place(self) -> float:
        """Where in a step its one stage is, from 0 to 1."""
        return 0.5

    @property
    def lie(self) -> bool:
        """Whether bodies that fly freely move on SE(3)."""
        return False

    def check(self, model: Model) -> None:
        """Refuses, by name, models that the method cannot run."""
        from sarrus.integrators.tree.refusals import check

        check(self, model)

    def stepper(self, model: Model, state: State, dt: float, *, reactions: bool = False) -> TreeStepper:
        """What runs the steps from `state`."""
        from sarrus.integrators.tree.stepper import TreeStepper

        return TreeStepper(self, model, state, dt, reactions=reactions)


@dataclass(frozen=True)
class TreeMidpoint(TreeMethod):
    """Variational integrator in joint coordinates with one stage in the step, at alpha.

    alpha 0.5 is the midpoint rule: second order, and time-reversible except for joints that turn freely,
    whose stage is not the middle of the turn.  Any other value from 0 to 1 is first order.

    Implements: [JM09] eqs. (19), (44)-(46).  Differs: forces are weighted as potentials are, by
    (1 - alpha) dt at the first node and alpha dt at the last."""

    alpha: float = 0.5

    summary = "joint coordinates, midpoint rule, second order"

    def __post_init__(self) -> None:
        super().__post_init__()
        known = isinstance(self.alpha, int | float) and not isinstance(self.alpha, bool)
        if not (known and 0.0 <= self.alpha <= 1.0):
            raise MechanismError(
                f"TreeMidpoint: alpha must be a number from 0 to 1 (0.5 is second order), not {self.alpha!r}"
            )

    @property
    def name(self) -> str:
        """The name that `simulate` takes for it."""
        return "tree-midpoint" if self.alpha == 0.5 else f"tree-midpoint (alpha {self.alpha:g})"

    @property
    def order(self) -> int:
        """Of the error of the motion."""
        return 2 if self.alpha == 0.5 else 1

    @property
    def stages(self) -> int:
        """Places of a step where the Lagrangian is taken."""
        return 1

    @property
    def place(self) -> float:
        """Where in a step its stage is, from 0 to 1."""
        return float(self.alpha)


@dataclass(frozen=True)
class TreeTrapezoid(TreeMethod):
    """Variational integrator in joint coordinates with a stage at both ends of the step.

    Potentials are explicit, as in Verlet's method, so dt must be below 2 over the highest frequency of a
    spring.  Its energy swings far within a whip and comes back, so that parts are judged by it only after one
    that turned a joint by 0.7 rad, or found no solution, and then strictly; near singular configurations
    of loops always.

    Implements: [Kob14] eqs. (21)-(25)."""

    balance: float = 1e-4

    name = "tree-trapezoid"
    summary = "joint coordinates, trapezoidal rule, second order"
    order = 2
    reversible = True
    explicit = True


@dataclass(frozen=True)
class LieTrapezoid(TreeTrapezoid):
    """`TreeTrapezoid` with free bodies on SE(3), by the Cayley map.

    The momenta of free bodies are constant to rounding.  Without free bodies it is `TreeTrapezoid`.

    Implements: [Kob14] eqs. (53)-(65), with (54) corrected.  Differs: forces act by dt/2 at each end, without
    the factor S of (58), (59), which changes nothing in the order."""

    name = "lie-trapezoid"
    summary = "joint coordinates, free bodies on SE(3), second order"

    @property
    def lie(self) -> bool:
        """Whether bodies that fly freely move on SE(3)."""
        return True
