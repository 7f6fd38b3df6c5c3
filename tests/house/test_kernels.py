"""The kernels as they are written: how many arguments they take, and that they run without the JIT."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "src" / "sarrus"
ROOMS = ("maths", "solvers", "kinematics", "dynamics", "collision", "integrators/maximal/variational")
KINDS = {"kernel", "helper"}
MOST = 8
# Machine code contracts and reorders sums; over so few steps rounding does not grow.
ROUNDING = 1e-11


def compiled_functions(tree: ast.Module):
    """Functions that kernels call; entries, which Python calls, take the arrays of a run one by one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            names = {d.id for d in node.decorator_list if isinstance(d, ast.Name)}
            if names & KINDS:
                yield node


def test_no_kernel_takes_more_than_eight_arguments():
    many = {}
    for room in ROOMS:
        for file in (SOURCES / room).rglob("*.py"):
            for function in compiled_functions(ast.parse(file.read_text(encoding="utf-8"))):
                count = len(function.args.args)
                if count > MOST:
                    many[f"{file.relative_to(SOURCES)}:{function.name}"] = count
    assert not many


RUN = """
import sys
import numpy as np
import sarrus

linkage = sarrus.gallery.double_four_bar()
linkage.add_joint_spring("spring", joint=next(iter(linkage.joints)), stiffness=3.0, damping=0.1)
out = {}
for name, mechanism, duration in (
    ("chain", sarrus.gallery.pendulum(links=3, joint="spherical"), 0.1),
    ("loop", sarrus.gallery.rhombus_chain(2), 0.1),
    ("spring", linkage, 0.1),
    ("contact", sarrus.gallery.box_drop(), 0.3),
):
    run = sarrus.simulate(sarrus.build(mechanism), duration=duration, dt=0.01)
    out[name] = np.concatenate([run.position.ravel(), run.velocity.ravel(), run.energy().total])
np.savez(sys.argv[1], **out)
"""


def test_kernels_give_the_same_numbers_without_the_jit(tmp_path):
    runs = []
    for off in ("0", "1"):
        file = tmp_path / f"{off}.npz"
        subprocess.run(
            [sys.executable, "-W", "ignore", "-c", RUN, str(file)],
            env=os.environ | {"NUMBA_DISABLE_JIT": off, "PYTHONPATH": str(ROOT / "src")},
            check=True,
            timeout=600,
        )
        runs.append(np.load(file))
    compiled, plain = runs
    for name in compiled.files:
        scale = 1.0 + np.abs(plain[name]).max()
        assert np.abs(compiled[name] - plain[name]).max() < ROUNDING * scale, name
