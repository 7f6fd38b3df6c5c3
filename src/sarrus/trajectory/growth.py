"""Energy that a run has gained without a source."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sarrus.trajectory import invariants

if TYPE_CHECKING:
    from sarrus.trajectory.trajectory import Trajectory

# Records that are looked at, spread over the run: a long one is not read again for this.
LOOKED_AT = 20
# Bodies that move by no more than this part of the size in a step are at rest: steps are solved to about as
# much.
STILL = 1e-9


def unexplained_gain(trajectory: Trajectory) -> float:
    """Energy at the last record that neither that of the first nor the work done explains, over the largest
    kinetic energy of the run; 0 where nothing moves."""
    t, last = trajectory, len(trajectory) - 1
    nodes = np.arange(LOOKED_AT) * last // (LOOKED_AT - 1) if last >= LOOKED_AT else np.arange(last + 1)
    # One line for every node, or for the first alone.
    winding = None if t.winding is None else t.winding[nodes] if t.winding.ndim == 2 else t.winding[None]
    x, q, v, w = (np.asarray(a[nodes]) for a in (t.position, t.orientation, t.velocity, t.angular_velocity))
    energy = invariants.energy(t.model, x, q, v, w, winding)
    peak = float(energy.kinetic.max())
    gained = float(energy.total[-1] - energy.total[0] - t.work().total[-1])
    still = 0.5 * float(t.model.masses.sum()) * (STILL * t.model.size / t.dt) ** 2
    # Not "gained if ...": NaN is no gain that could be told.
    return gained / peak if peak > still and np.isfinite(gained) else 0.0
