"""Start-up times, measured in fresh processes: import, first simulation, cold compilation."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

IMPORT = """
import json, sys, time
t, c = time.perf_counter(), time.process_time()
import sarrus
spent = {"wall": time.perf_counter() - t, "cpu": time.process_time() - c}
print(json.dumps(spent | {"numba": "numba" in sys.modules}))
"""

FIRST = """
import json, os, time
t, c = time.perf_counter(), time.process_time()
import sarrus
from pathlib import Path

def files():
    folder = os.environ.get("SARRUS_CACHE_DIR")
    return sum(1 for _ in Path(folder).rglob("*.nb*")) if folder else 0

sarrus.simulate(sarrus.build(sarrus.gallery.pendulum(links=10)), duration=0.1, dt=0.01)
tree = time.perf_counter() - t, time.process_time() - c
sarrus.simulate(sarrus.build(sarrus.gallery.four_bar()), duration=0.1, dt=0.01)
loop = time.perf_counter() - t, time.process_time() - c
before = files()
sarrus.simulate(sarrus.build(sarrus.gallery.tree(depth=3)), duration=0.1, dt=0.01)
sarrus.simulate(sarrus.build(sarrus.gallery.bricard()), duration=0.1, dt=0.01)
print(json.dumps({"wall_tree": tree[0], "cpu_tree": tree[1], "wall_loop": loop[0], "cpu_loop": loop[1],
                  "new_files": files() - before}))
"""


def _fresh(script: str, cache: str | None = None) -> dict:
    """What a fresh Python process prints as JSON on its last line."""
    source = Path(__file__).resolve().parents[1] / "src"
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(source), os.environ.get("PYTHONPATH", "")])
    }
    if cache is not None:
        environment["SARRUS_CACHE_DIR"] = cache
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"a fresh process failed: {done.stderr.strip().splitlines()[-1:]}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def import_time(repeats: int = 5) -> dict:
    """Best wall and CPU time [s] of `import sarrus`, and whether it loads numba."""
    runs = [_fresh(IMPORT) for _ in range(repeats)]
    return {
        "wall": min(run["wall"] for run in runs),
        "cpu": min(run["cpu"] for run in runs),
        "numba": any(run["numba"] for run in runs),
    }


def first_simulation(repeats: int = 3) -> dict:
    """Cold compilation into an empty cache and first simulations from a warm one: wall and CPU times [s].

    `tree`: from before the import to the end of a 10-link pendulum's run; `loop`: a four-bar's after it.
    `new_files`: what two further models of other shapes add to the cache."""
    with tempfile.TemporaryDirectory() as cache:
        cold = _fresh(FIRST, cache)
        warm = min((_fresh(FIRST, cache) for _ in range(repeats)), key=lambda run: run["wall_tree"])
    return {"cold": cold, "warm": warm}
