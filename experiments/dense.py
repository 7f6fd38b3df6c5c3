"""Times of dense LU solves on one thread: `python -m experiments.dense 60 120` prints them as JSON.

A process of its own, since the threads of a numerical library are fixed when it is loaded."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ONE_THREAD = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def dense_times(scalars, repeats: int = 20) -> list[float]:
    """Best CPU time [s] of numpy's `solve` (LAPACK's LU) for one right-hand side, per number of scalars."""
    root = Path(__file__).resolve().parents[1]
    command = [sys.executable, "-m", "experiments.dense", str(repeats), *(str(int(n)) for n in scalars)]
    path = os.pathsep.join([str(root), str(root / "src"), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"PYTHONPATH": path} | dict.fromkeys(ONE_THREAD, "1")
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def _measure(repeats: int, scalars: list[int]) -> list[float]:
    import numpy as np
    from benchmarks.timing import best_cpu_times

    rng, found = np.random.default_rng(0), []
    for n in scalars:
        A, b = rng.normal(size=(n, n)), rng.normal(size=n)
        runs = {"dense": lambda A=A, b=b: np.linalg.solve(A, b)}
        found.append(best_cpu_times(runs, repeats, budget=2.0)["dense"])
    return found


if __name__ == "__main__":
    count, *numbers = (int(word) for word in sys.argv[1:])
    print(json.dumps(_measure(count, numbers)))
