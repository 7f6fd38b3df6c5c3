"""The same bits, whichever process compiled: a kernel runs in the process that compiles it and in one that
loads it from the cache."""

import os
import subprocess
import sys

import pytest

# Sums whose rounding depends on how they are vectorised, in a kernel that is too large to be inlined.
KERNELS = """
import numpy as np
from sarrus._jit import entry, kernel

@kernel
def total(a, n, b):
    s = 0.0
    for i in range(n):
        s += a[i] * b + a[i] / (1.0 + a[i] * a[i])
        for j in range(3):
            s += a[(i * 7 + j) % n] * b * j
    return s

@entry
def both(a, out):
    out[0] = total(a, a.shape[0], 3.0)
    out[1] = total(a, a.shape[0] - 1, 3.0)

@entry
def one(a, out):
    out[2] = total(a, a.shape[0], 3.0)
"""
CALLS = """
import sys
import numpy as np
from kernels import both, one
a, out = np.random.default_rng(0).normal(size=1001), np.zeros(3)
for name in sys.argv[1:]:
    {"both": both, "one": one}[name](a, out)
print([x.hex() for x in out])
"""
RUN = """
import hashlib, sys
import sarrus
traj = sarrus.simulate(sarrus.build(getattr(sarrus.gallery, sys.argv[1])()), duration=1.0, dt=0.01)
print(hashlib.sha256(traj.position.tobytes() + traj.orientation.tobytes()).hexdigest())
"""


def printed(folder, *arguments):
    """What a Python process with its kernels cached in `folder` prints."""
    paths = [str(folder), *sys.path]
    environment = os.environ | {
        "SARRUS_CACHE_DIR": str(folder / "cache"), "SARRUS_QUIET": "1", "PYTHONPATH": os.pathsep.join(paths),
    }  # fmt: skip
    environment.pop("NUMBA_DISABLE_JIT", None)
    command = [sys.executable, *arguments]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


def test_a_process_that_loads_kernels_rounds_as_the_one_that_compiled_them(tmp_path):
    (tmp_path / "kernels.py").write_text(KERNELS)
    (tmp_path / "calls.py").write_text(CALLS)
    calls = str(tmp_path / "calls.py")
    compiled = printed(tmp_path, calls, "both", "one")
    assert printed(tmp_path, calls, "both", "one") == compiled
    # Nor does it matter which of two entries comes first.
    assert printed(tmp_path, calls, "one", "both") == compiled


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pendulum", "four_bar", "box_toss"])
def test_a_run_gives_the_same_bits_whichever_process_compiled(name, tmp_path):
    (tmp_path / "run.py").write_text(RUN)
    first, second = (printed(tmp_path, str(tmp_path / "run.py"), name) for _ in range(2))
    assert first == second
