"""[LT20] Fig. 4c: one Newton step of a pendulum, sparse against dense.

Sparse: the block LDU on the graph of links and joints, and the engine's own elimination (its time per
Newton iteration, everything included). Dense: LAPACK's LU of the same matrix, 11 scalars per link, on
one thread."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from benchmarks.timing import best_cpu_times

import sarrus
from experiments.block_systems import backward_error, chain_system
from experiments.cost import slope
from experiments.dense import dense_times
from experiments.outcome import Outcome
from experiments.plotting import OTHER, OURS, OURS_2, label, panels

LINEAR, EXACT = 1.25, 1e-12
STEPS, DT = 100, 0.01


def run(out: Path, quick: bool = False, progress=None) -> dict:
    """Solves systems of 1 to 100 links (10 when quick)."""
    from sarrus.solvers.block_graph import BlockGraph

    outcome = Outcome("One Newton step, sparse and dense", "[LT20] Fig. 4c", __file__, out)
    sizes = (1, 5, 10) if quick else (1, 2, 5, 10, 20, 50, 100)
    table = {"links": sizes, "block LDU": [], "engine": [], "backward error": []}
    for k, n in enumerate(sizes):
        blocks, edges, matrix, rhs = chain_system(n, seed=n)
        # leaves to root, each joint after the links that hang below it
        solver = BlockGraph(blocks, edges, order=list(range(2 * n))[::-1])
        values = solver.matrix_to_blocks(matrix)

        def solve(solver=solver, values=values, rhs=rhs):
            solver.factor(values)
            return solver.solve(rhs)[0]

        seconds = best_cpu_times({"sparse": solve}, 5 if quick else 20, budget=2.0)["sparse"]
        table["block LDU"].append(seconds)
        table["backward error"].append(backward_error(matrix, solve(), rhs))
        table["engine"].append(_engine(n, 3 if quick else 7))
        if progress is not None:
            progress(k + 1, len(sizes))
    table["dense"] = dense_times([11 * n for n in sizes], 5 if quick else 20)
    outcome.at_most("backward error of the block LDU", max(table["backward error"]), EXACT)
    if not quick:
        large = slice(3, None)
        for name in ("block LDU", "engine"):
            exponent = slope(sizes[large], table[name][large])
            outcome.at_most(f"exponent of the time over the links, {name}", exponent, LINEAR)
        outcome.at_least("the same, dense", slope(sizes[large], table["dense"][large]), 2.0)
        outcome.number(
            "complexity", "O(n) and O(n^3)", f"n^{slope(sizes[large], table['engine'][large]):.2f}"
        )
    figure, ((axes,),) = panels(1, 1, 6.0, 4.0)
    for name, colour in (("block LDU", OURS_2), ("engine", OURS), ("dense", OTHER)):
        axes.loglog(sizes, table[name], color=colour, marker=".", label=name)
    label(axes, "One Newton step", "links", "CPU time [s]")
    outcome.save(figure)
    return outcome.finish(table=table)


def _engine(links: int, repeats: int) -> float:
    """CPU time [s] per Newton iteration of a running pendulum."""
    model = sarrus.build(sarrus.gallery.pendulum(links=links))

    def again():
        return sarrus.simulate(model, duration=STEPS * DT, dt=DT, method="variational1", record_every=STEPS)

    iterations = int(np.sum(again().stats.iterations))
    return best_cpu_times({"run": again}, repeats, budget=5.0)["run"] / iterations
