"""Bdf, Sdirk and SemiImplicit: the methods and their settings."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from sarrus.errors import MechanismError
from sarrus.integrators.interface import Method
from sarrus.integrators.maximal.implicit import columns as of

if TYPE_CHECKING:
    from sarrus.integrators.maximal.implicit.stepper import ImplicitStepper, SemiImplicitStepper
    from sarrus.model import Model, State

FORMS = ("momentum", "printed")
GAMMA = 1.0 - sqrt(0.5)
# Where in a step the methods take their inputs.
BDF_FRACTIONS = (0.0, 1.0)
FRACTIONS = {"alexander": (0.0, GAMMA, 1.0), "pareschi-russo": (0.0, GAMMA, 1.0 - GAMMA, 1.0)}


def check_settings(name: str, form: str, tolerance: float, max_iterations: int, max_substeps: int) -> None:
    """Refuses settings that make no sense, by name."""
    if form not in FORMS:
        raise MechanismError(f"{name}: form must be {' or '.join(map(repr, FORMS))}, not {form!r}")
    if not (np.isfinite(tolerance) and tolerance > 0.0):
        raise MechanismError(f"{name}: tolerance must be positive and finite, not {tolerance!r}")
    if not (isinstance(max_iterations, int) and max_iterations > 0):
        raise MechanismError(
            f"{name}: max_iterations must be a positive whole number, not {max_iterations!r}"
        )
    if not (isinstance(max_substeps, int) and max_substeps > 0 and max_substeps & (max_substeps - 1) == 0):
        raise MechanismError(
            f"{name}: max_substeps must be a power of 2 (1, 2, 4, ...), not {max_substeps!r}"
        )


def check_smooth(method: Method, model: Model) -> None:
    """Refuses, by name, what is bounded by inequalities, and what acts on angular velocities of joints."""
    model.check_masses(method.name)
    if model.contacts.any:
        raise MechanismError(
            f"{method} is for smooth motion: it has no contacts, ropes, limits and joint friction (here "
            f"{model.contacts.name_of(0)!r}); use variational, which has them"
        )
    turning = np.flatnonzero(model.drives.turning)
    if len(turning):
        raise MechanismError(
            f"{method} does not run the damper or armature on the angular velocity of joint "
            f"{model.joint_names[turning[0]]!r} (rates='angular'); variational does"
        )


@dataclass(frozen=True)
class Bdf(Method):
    """Backward differentiation formulas of order 1 or 2, implicit in all forces and constraints.

    They damp: fast motion loses energy, and angular momentum is kept for free bodies only.  Springs and
    dampers of any stiffness are stable.  form "momentum": differences of the angular momentum; "printed":
    the rotational equation as in the paper, which is less accurate for bodies that spin fast.  A step of
    order 2 needs the node before it, so the first step is one of Sdirk("alexander"); so are the parts of a
    step that did not converge.
    tolerance: largest error of a joint [m, or 2 sin(angle/2)] and largest remaining correction [m, rad] of a
    converged step, times the size of the mechanism [m] up to 100.  max_iterations: Newton corrections per
    attempt.
    max_substeps: parts that a step may be divided into, a power of 2.
    kinematic: where motors leave nothing free, the joints and the inputs alone say how everything moves, and
    a step solves their rows without forces; False: it solves the equations of motion there too.

    Implements: [Mal25] eq. (25) with (3)-(24), and section 6.3.  Differs: see `residual`; joint rows are
    those of [MC23]."""

    order: int = 2
    form: str = "momentum"
    tolerance: float = 1e-10
    max_iterations: int = 30
    max_substeps: int = 1024
    kinematic: bool = True

    explicit = False
    damps = True
    reactions = compiled_controllers = resumable = prescribed = True
    statistics = ("factorisations", "iterations", "status", "substeps", "theta")
    fractions = BDF_FRACTIONS

    def __post_init__(self) -> None:
        if self.order not in (1, 2):
            raise MechanismError(f"Bdf: order must be 1 or 2, not {self.order!r}")
        check_settings("Bdf", self.form, self.tolerance, self.max_iterations, self.max_substeps)

    @property
    def name(self) -> str:
        """The name that `simulate` takes for it."""
        return f"bdf{self.order}"

    @property
    def summary(self) -> str:
        """One line for lists of methods."""
        return f"backward differentiation, order {self.order}: implicit, damps fast motion"

    @property
    def number(self) -> int:
        """What the kernels call it."""
        return of.BDF1 if self.order == 1 else of.BDF2

    def check(self, model: Model) -> None:
        """Refuses, by name, models that the method cannot run."""
        check_smooth(self, model)

    def stepper(self, model: Model, state: State, dt: float, *, reactions: bool = False) -> ImplicitStepper:
        """What runs the steps from `state`."""
        from sarrus.integrators.maximal.implicit.stepper import ImplicitStepper

        return ImplicitStepper(self, model, state, dt, reactions=reactions)


@dataclass(frozen=True)
class Sdirk(Method):
    """Diagonally implicit Runge-Kutta methods of two stages and order 2.

    "alexander": its last stage is the end of the step, where all constraints hold.  In the momentum form the
    velocities satisfy the constraints too, which order 2 needs; form "printed" constrains positions only, as
    in the paper, and is of order 1 where there are joints.  "pareschi-russo": as in the paper; nodes are
    means of stages that miss the constraints by O(dt^2), and energy can grow.
    The other settings are those of `Bdf`.

    Implements: [Mal25] eqs. (26)-(28).  Differs: see `steps`."""

    tableau: str = "alexander"
    form: str = "momentum"
    tolerance: float = 1e-10
    max_iterations: int = 30
    max_substeps: int = 1024
    kinematic: bool = True

    order = 2
    explicit = False
    damps = True
    reactions = compiled_controllers = resumable = prescribed = True
    statistics = ("factorisations", "iterations", "status", "substeps", "theta")

    def __post_init__(self) -> None:
        if self.tableau not in FRACTIONS:
            raise MechanismError(
                f"Sdirk: tableau must be {' or '.join(map(repr, FRACTIONS))}, not {self.tableau!r}"
            )
        check_settings("Sdirk", self.form, self.tolerance, self.max_iterations, self.max_substeps)

    @property
    def name(self) -> str:
        """The name that `simulate` takes for it."""
        return "sdirk" if self.tableau == "alexander" else f"sdirk-{self.tableau}"

    @property
    def summary(self) -> str:
        """One line for lists of methods."""
        if self.tableau == "alexander":
            return "two implicit stages, order 2: one step alone, damps fast motion"
        return "two implicit stages, order 2, as printed: nodes miss the joints by O(dt^2)"

    @property
    def fractions(self) -> tuple[float, ...]:
        """Where in a step it takes its inputs, as parts of it."""
        return FRACTIONS[self.tableau]

    @property
    def number(self) -> int:
        """What the kernels call it."""
        return of.ALEXANDER if self.tableau == "alexander" else of.PARESCHI_RUSSO

    def check(self, model: Model) -> None:
        """Refuses, by name, models that the method cannot run."""
        check_smooth(self, model)

    def stepper(self, model: Model, state: State, dt: float, *, reactions: bool = False) -> ImplicitStepper:
        """What runs the steps from `state`."""
        from sarrus.integrators.maximal.implicit.stepper import ImplicitStepper

        return ImplicitStepper(self, model, state, dt, reactions=reactions)


@dataclass(frozen=True)
class SemiImplicit(Method):
    """Semi-implicit Euler with stabilised velocity constraints: the baseline that most simulators use.

    One linear system per step, forces at its first node: joints come apart, by O(dt^2) in every step, and
    baumgarte (alpha, from 0 to 1) is the part of their errors that a step removes.  Of order 1; velocities
    are those of the step.  For comparison, not for results.

    Implements: [Mal25] appendix D."""

    baumgarte: float = 0.2

    order = 1
    damps = True
    name = "semi-implicit"
    summary = "semi-implicit Euler with Baumgarte's stabilisation: a baseline, joints drift"
    resumable = prescribed = True
    statistics = ("factorisations", "iterations", "status", "substeps")
    fractions = BDF_FRACTIONS

    def __post_init__(self) -> None:
        if not 0.0 <= self.baumgarte <= 1.0:
            raise MechanismError(f"SemiImplicit: baumgarte must be from 0 to 1, not {self.baumgarte!r}")

    def check(self, model: Model) -> None:
        """Refuses, by name, models that the method cannot run."""
        check_smooth(self, model)

    def stepper(
        self, model: Model, state: State, dt: float, *, reactions: bool = False
    ) -> SemiImplicitStepper:
        """What runs the steps from `state`."""
        from sarrus.integrators.maximal.implicit.stepper import SemiImplicitStepper

        return SemiImplicitStepper(self, model, state, dt, reactions=reactions)
