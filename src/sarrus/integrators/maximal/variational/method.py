"""Variational: the method and its settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sarrus.errors import MechanismError
from sarrus.integrators.interface import STATS, Method
from sarrus.mechanism.constraints import Rolling
from sarrus.mechanism.validation import number

if TYPE_CHECKING:
    from sarrus.integrators.maximal.variational.stepper import VariationalStepper
    from sarrus.model import Model, State

# Lengths of the first stages of a step, as parts of it; the middle stage is what remains of 1, and the others
# mirror the first.  Each stage is a step of order 2; a negative one runs backwards in time.
SUZUKI = 1.0 / (4.0 - 4.0 ** (1.0 / 3.0))
FIRST_STAGES = {
    1: (),
    2: (),
    4: (SUZUKI, SUZUKI),
    6: (0.39216144400731413928, 0.33259913678935943860, -0.70624617255763935981, 0.08221359629355080023),
}
STAGES = {
    order: np.array([*first, 1.0 - 2.0 * sum(first), *reversed(first)])
    for order, first in FIRST_STAGES.items()
}
# Where the stages begin and end.
FRACTIONS = {order: np.concatenate([[0.0], np.cumsum(stages)]) for order, stages in STAGES.items()}
# What the orders are for, in a list of methods.
SUMMARIES = {
    1: "first order, as printed in the paper",
    2: "second order, the default",
    4: "fourth order, for smooth motion",
    6: "sixth order, for smooth motion to many digits",
}
# The discrete rotation of a step exists for |w| dt below this.
LARGEST_TURN = 2.0


@dataclass(frozen=True)
class Variational(Method):
    """Variational integrator in position-momentum form.

    order 2: potentials by the trapezoidal rule, the same solves as order 1.  order 1: forces at the first
    node of a step, as printed in [MC23].  order 4: Suzuki's composition of five steps of order 2, for smooth
    systems.  order 6: that of Kahan and Li, of nine, where errors below 1e-7 are wanted.
    tolerance: largest error of a joint [m, or 2 sin(angle/2)] and largest remaining correction [m, rad] of a
    converged step, times the size of the mechanism [m] up to 100.  max_iterations: Newton corrections per
    attempt.
    max_substeps: parts that a step may be divided into, a power of 2.  balance: what a part of a step may do
    wrong in energy, over the largest kinetic energy so far; a part that does more is halved, but for the
    smallest (see `acceptance.py`; not order 1).  inf leaves the steps as they are, for studies of the method.
    friction_sides: None for the exact friction cone of contacts; an even number from 4 to 32 for the pyramid
    of [MC23] eqs. (29d)-(29f), whose friction depends on the direction.

    Implements: [MC23] eqs. (20a), (20b).  Differs: momenta are the state, so that a step starts itself and
    any dt may follow."""

    order: int = 2
    tolerance: float = 1e-10
    max_iterations: int = 30
    max_substeps: int = 1024
    balance: float = 1e-3
    friction_sides: int | None = None

    reactions = contacts = compiled_controllers = resumable = prescribed = tells_spin = True
    statistics = STATS

    def __post_init__(self) -> None:
        if self.order not in STAGES:
            raise MechanismError(f"Variational: order must be 1, 2, 4 or 6, not {self.order!r}")
        number("Variational", "tolerance", self.tolerance, positive=True)
        if not (isinstance(self.max_iterations, int) and self.max_iterations > 0):
            raise MechanismError(
                f"Variational: max_iterations must be a positive whole number, not {self.max_iterations!r}"
            )
        parts = self.max_substeps
        if not (isinstance(parts, int) and parts > 0 and parts & (parts - 1) == 0):
            raise MechanismError(
                f"Variational: max_substeps must be a power of 2 (1, 2, 4, ...), not {self.max_substeps!r}"
            )
        if not self.balance > 0.0:
            raise MechanismError(f"Variational: balance must be positive, or inf, not {self.balance!r}")
        sides = self.friction_sides
        if sides is not None and not (isinstance(sides, int) and 4 <= sides <= 32 and sides % 2 == 0):
            raise MechanismError(
                f"Variational: friction_sides must be None (the exact cone) or an even number from 4 to 32, "
                f"not {sides!r}"
            )

    @property
    def name(self) -> str:
        """The name that `simulate` takes for it."""
        return "variational" if self.order == 2 else f"variational{self.order}"

    @property
    def summary(self) -> str:
        """One line for lists of methods."""
        return SUMMARIES[self.order]

    @property
    def stages(self) -> np.ndarray:
        """Lengths of the stages of a step, as parts of it."""
        return STAGES[self.order]

    @property
    def fractions(self) -> np.ndarray:
        """Where in a step it takes its inputs, as parts of it: at its start and at the ends of its stages."""
        stages = self.stages
        if stages is STAGES[self.order]:
            return FRACTIONS[self.order]
        return np.concatenate([[0.0], np.cumsum(stages)])

    @property
    def weights(self) -> tuple[float, float]:
        """Weights of the forces at the two nodes of a step."""
        return (1.0, 0.0) if self.order == 1 else (0.5, 0.5)

    @property
    def one_sided(self) -> bool:
        """Whether the forces of a step act at its first node alone."""
        return self.weights[1] == 0.0

    @property
    def reversible(self) -> bool:
        """Whether a run with all velocities reversed goes back the way it came."""
        return not self.one_sided

    @property
    def adaptive(self) -> bool:
        """Whether steps can follow the motion: the rule is for symmetric steps of one stage."""
        return self.reversible and len(self.stages) == 1

    def check(self, model: Model) -> None:
        """Refuses, by name, models that the method cannot run."""
        model.check_masses(self.name)
        if self.stages.min() < 0.0:
            rolling = [j.name for j in model.mechanism.joints.values() if isinstance(j, Rolling)]
            if rolling:
                raise MechanismError(
                    f"{self} runs a stage backwards in time, which the rolling constraint "
                    f"{rolling[0]!r} does not allow; use variational"
                )
            if model.contacts.any:
                raise MechanismError(
                    f"{self} runs a stage backwards in time, which contacts, ropes, limits and joint "
                    f"friction do not allow (here {model.contacts.name_of(0)!r}); use variational"
                )
            self._warn_of_dampers(model)

    def check_start(self, model: Model, state: State, dt: float) -> None:
        """Refuses a start that spins too fast for the discrete rotation.

        A run that goes on from its own state divides its steps already."""
        from sarrus.analysis.timestep import spin_bound

        if state.memory is not None or spin_bound(state) * dt < LARGEST_TURN:
            return
        spin = np.linalg.norm(state.angular_velocity, axis=1) * dt
        if spin.max(initial=0.0) >= LARGEST_TURN:
            b = int(np.argmax(spin))
            raise MechanismError(
                f"body {model.body_names[b]!r} spins by |w| dt = {spin[b]:.3g}, the discrete rotation needs "
                f"less than {LARGEST_TURN:g}: use dt below {LARGEST_TURN * dt / spin[b]:.3g} s"
            )

    def _warn_of_dampers(self, model: Model) -> None:
        import warnings

        damped = [s.name for s in model.mechanism.springs.values() if s.damping > 0.0]
        damped += [s.name for s in model.mechanism.joint_springs.values() if np.any(s.damping > 0.0)]
        damped += [m.name for m in model.mechanism.motors.values() if m.damping > 0.0]
        if damped:
            warnings.warn(
                f"{self} runs a stage backwards in time: strong dampers ({damped[0]!r}) can make it "
                "unstable; variational (order 2) has no such limit",
                stacklevel=4,
            )

    def stepper(
        self, model: Model, state: State, dt: float, *, reactions: bool = False
    ) -> VariationalStepper:
        """What runs the steps from `state`."""
        from sarrus.integrators.maximal.variational.stepper import VariationalStepper

        return VariationalStepper(self, model, state, dt, reactions=reactions)
