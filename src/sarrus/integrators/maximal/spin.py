"""A warning for bodies that turn too far in a step for their angles to be right."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from sarrus import layout as at
from sarrus.integrators.maximal import columns as run

if TYPE_CHECKING:
    from sarrus.integrators.maximal.variational.stepper import VariationalStepper

# |w| h of a step whose body spins by |w| dt = 0.5: it turns 5 % too far.  A turn of FINE [rad] per step is
# 1 % too far.
WARN, FINE = 0.5176, 0.24


def warn_of_spin(stepper: VariationalStepper) -> bool:
    """Whether a body has turned too far in a step; it is named."""
    spin = stepper.settings[run.SPUN]
    if not spin > WARN:
        return False
    body = stepper.model.body_names[stepper.topo[1 + stepper.counts[run.FASTEST], at.USER]]
    turn = 2.0 * np.arcsin(0.5 * spin)
    excess = 100.0 * (turn / np.sin(turn) - 1.0)
    warnings.warn(
        f"body {body!r} spins by {turn:.2g} rad in a step, {excess:.0f} % too far for its speed; "
        f"dt = {FINE * stepper.dt / turn:.1g} s keeps that below 1 %",
        stacklevel=5,
    )
    return True
