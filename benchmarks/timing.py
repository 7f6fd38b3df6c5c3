"""CPU times of competing runs, interleaved in one process."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable


def best_cpu_times(
    runs: dict[str, Callable[[], object]], repeats: int = 5, budget: float = 60.0
) -> dict[str, float]:
    """CPU time [s] of each run, the best of `repeats` rounds; every round runs all of them once.

    The best, because noise of the machine only adds; interleaved, so that a slow spell meets all alike.
    Rounds stop early, after three of them, once `budget` [s] of CPU time is spent.
    """
    for run in runs.values():
        run()
    best = {name: float("inf") for name in runs}
    spent = 0.0
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        for done in range(repeats):
            for name, run in runs.items():
                t = time.process_time()
                run()
                t = time.process_time() - t
                best[name] = min(best[name], t)
                spent += t
            if spent > budget and done >= 2:
                break
    finally:
        if was_enabled:
            gc.enable()
    return best
