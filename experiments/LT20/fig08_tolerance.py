"""[LT20] Fig. 8: n-link pendulums run to solver tolerances of 1e-6, 1e-8 and 1e-10.

The comparison of [MC23] Fig. 10 in the first version of its integrator: "variational1" here, beside methods
in joint coordinates."""

from __future__ import annotations

from pathlib import Path

from experiments.outcome import Outcome
from experiments.tolerances import compare


def run(out: Path, quick: bool = False, progress=None) -> dict:
    """Runs 1000 steps (100 when quick) of pendulums of up to 100 links at each tolerance."""
    outcome = Outcome("n-link pendulums to three tolerances", "[LT20] Fig. 8", __file__, out)
    return compare(outcome, quick, progress)
