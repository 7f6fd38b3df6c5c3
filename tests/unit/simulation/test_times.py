"""The times of a run are those of its steps."""

import numba
import numpy as np

import sarrus
from sarrus._jit import compile_times

SHARE = 0.5
"""Fifty steps take a few milliseconds, the smallest kernel some hundred to compile."""


def test_what_is_compiled_while_a_run_goes_on_is_not_counted():
    model = sarrus.build(sarrus.gallery.pendulum(links=2))

    def compiles(done, steps):
        numba.njit(lambda x: np.sin(x) + 1.0)(0.5)

    before = compile_times()
    traj = sarrus.simulate(model, duration=0.5, dt=0.01, progress=compiles)
    wall, cpu = (now - then for now, then in zip(compile_times(), before, strict=True))
    assert 0.0 < traj.stats.cpu_time < SHARE * cpu
    assert 0.0 < traj.stats.wall_time < SHARE * wall
