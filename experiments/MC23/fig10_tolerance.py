"""[MC23] Fig. 10: n-link pendulums run to solver tolerances of 1e-6, 1e-8 and 1e-10.

The paper's integrator of order 1 is "variational1" here; its peers in minimal coordinates fail for long
chains at small tolerances, ours in joint coordinates stand for them."""

from __future__ import annotations

from pathlib import Path

from experiments.outcome import Outcome
from experiments.tolerances import compare


def run(out: Path, quick: bool = False, progress=None) -> dict:
    """Runs 1000 steps (100 when quick) of pendulums of up to 100 links at each tolerance."""
    outcome = Outcome("n-link pendulums to three tolerances", "[MC23] Fig. 10", __file__, out)
    return compare(outcome, quick, progress)
