"""[JM09] Fig. 7: run time against the number of links, with and without a cache of what was computed.

A plain step of the midpoint rule built on `sarrus.frames`, equations (16)-(27) but for the misprints, in
Python; beside it the compiled kernel, which forms no derivative of a frame velocity. The paper gives curves
for a C program: 20 s at dt 0.01 s from 45 degrees. What is compared is how the time grows."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

import sarrus
from experiments.cost import slope
from experiments.outcome import Outcome
from experiments.plotting import OTHER, OURS, OURS_2, label, panels
from sarrus.analysis.frames import Frames

DT, TOLERANCE = 0.01, 1e-11
AGREEMENT = 1e-8  # [m] between the plain step and the kernel after a few steps


def run(out: Path, quick: bool = False, progress=None) -> dict:
    """Times a few steps of chains of up to 6 links (3 when quick)."""
    outcome = Outcome("Run time against the number of links", "[JM09] Fig. 7", __file__, out)
    sizes = (1, 2, 3) if quick else (1, 2, 3, 4, 5, 6)
    steps = 2 if quick else 5
    table = {"with cache": [], "without cache": [], "kernel": []}
    for n in sizes:
        model = sarrus.build(sarrus.gallery.pendulum(links=n))
        start = model.state({model.joint_names[0]: np.pi / 4})
        kernel = sarrus.simulate(model, steps * DT, DT, method="tree-midpoint", state=start)
        again = sarrus.simulate(model, 200 * DT, DT, method="tree-midpoint", state=start)
        table["kernel"].append(again.stats.cpu_time / 200)
        plain_run(model, start, 1, True)  # kernels are loaded before the clock runs
        for name, cache in (("with cache", True), ("without cache", False)):
            began = time.process_time()
            position = plain_run(model, start, steps, cache)
            table[name].append((time.process_time() - began) / steps)
            off = float(np.abs(position - kernel.position[-1]).max())
            outcome.at_most(f"distance from the kernel, {n} links, {name} [m]", off, AGREEMENT)
    gain = [a / b for a, b in zip(table["without cache"], table["with cache"], strict=True)]
    if not quick:
        # with few links the rest of a step outweighs what is looked up
        outcome.at_least(f"gain of the cache, {sizes[-1]} links", gain[-1], 1.2)
        growth = {name: slope(sizes[2:], values[2:]) for name, values in table.items() if name != "kernel"}
        faster = growth["without cache"] - growth["with cache"]
        outcome.above("exponent of the time, without cache less with it", faster)
    figure, ((axes,),) = panels(1, 1, 6.5, 4.0)
    for name, colour in (("without cache", OTHER), ("with cache", OURS_2), ("kernel", OURS)):
        axes.semilogy(sizes, table[name], color=colour, marker=".", label=name)
    label(axes, "One step of the midpoint rule", "links", "CPU time [s]")
    outcome.save(figure)
    return outcome.finish(links=sizes, seconds_per_step=table, gain=gain)


def plain_run(model, state, steps, cache):
    """Positions (nb, 3) after some steps of the midpoint rule, as [JM09] V-A has them."""
    q, v = model.joint_dynamics.motion(state)
    p = lagrangian(model, q, v, cache)[1]
    for _ in range(steps):
        x = DT * v
        for _ in range(20):
            Lq, Lv, Lqq, Lqv, Lvv = lagrangian(model, q + 0.5 * x, x / DT, cache, second=True)
            f = p + 0.5 * DT * Lq - Lv
            if np.abs(f).max() < TOLERANCE:
                break
            # (22); its two mixed terms are transposes of each other
            Df = 0.25 * DT * Lqq + 0.5 * Lqv - 0.5 * Lqv.T - Lvv / DT
            x = x - np.linalg.solve(Df, f)
        p, q, v = 0.5 * DT * Lq + Lv, q + x, x / DT
    return model.joint_dynamics.state(q, v).position


def lagrangian(model, q, v, cache, second=False):
    """(L_q, L_v), and with `second` also (L_qq, L_qv, L_vv), from the frames of all bodies: (23)-(27)."""
    frames, n = Frames(model, q, v, cache), len(v)
    Lq, Lv, Lqq, Lqv, Lvv = np.zeros(n), np.zeros(n), np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
    for k, name in enumerate(model.body_names):
        M = np.zeros((6, 6))
        M[:3, :3], M[3:, 3:] = model.masses[k] * np.eye(3), model.inertias[k]
        weight = model.masses[k] * model.gravity
        momentum, dq, dv = M @ frames.velocity(name), frames.velocity_dq(name), frames.velocity_dv(name)
        Lq += dq @ momentum + frames.pose_dq(name)[:, :3, 3] @ weight
        Lv += dv @ momentum
        if second:
            Lqq += (
                dq @ M @ dq.T
                + frames.velocity_dqdq(name) @ momentum
                + frames.pose_dqdq(name)[..., :3, 3] @ weight
            )
            Lqv += dq @ M @ dv.T + frames.velocity_dqdv(name) @ momentum
            Lvv += dv @ M @ dv.T
    return (Lq, Lv, Lqq, Lqv, Lvv) if second else (Lq, Lv)
