"""[LT20] Fig. 7: chains of four-link segments, and what a single dense closure node would cost.

Section 4.3 of the paper stacks all loop closures into one dense node at the end; here that order of
elimination stands beside one that closes each loop where it ends, on the same block graph. The paper
gives a curve only."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from benchmarks.timing import best_cpu_times

from experiments.block_systems import backward_error
from experiments.cost import slope
from experiments.outcome import Outcome
from experiments.plotting import OTHER, OURS, OURS_2, label, panels
from experiments.rhombi import rhombus_costs

EXACT = 1e-12
LINEAR = 1.3  # exponent of the local order's time over the segments


def run(out: Path, quick: bool = False, progress=None) -> dict:
    """Runs chains of up to 20 segments and solves one linear system of up to 40 segments in both orders."""
    outcome = Outcome(
        "Chains of four-link segments, closures local or stacked", "[LT20] Fig. 7", __file__, out
    )
    table = rhombus_costs(
        (1, 3) if quick else (1, 2, 5, 10, 20), 200 if quick else 1000, quick, progress, "variational1"
    )
    outcome.at_most("largest violation of all joint rows [m, rad]", max(table["violation"]), 1e-9)
    sizes = (1, 3) if quick else (1, 2, 5, 10, 20, 40)
    orders = {"segments": sizes, "local": [], "stacked": [], "backward error": []}
    for n in sizes:
        row = _orders(n, 5 if quick else 20)
        for key, value in row.items():
            orders[key].append(value)
    outcome.at_most("backward error, both orders", max(orders["backward error"]), EXACT)
    if not quick:
        exponent = slope(sizes[2:], orders["local"][2:])
        outcome.at_most("exponent of the time over the segments, local closures", exponent, LINEAR)
        ratio = orders["stacked"][-1] / orders["local"][-1]
        outcome.at_least("stacked over local time, 40 segments", ratio, 2.0)
    figure, ((left, right),) = panels(1, 2)
    left.loglog(table["segments"], table["sarrus"], color=OURS, marker=".", label="sarrus, order 1")
    label(left, "1000 steps of 0.01 s", "segments", "CPU time [s]")
    right.loglog(sizes, orders["local"], color=OURS_2, marker=".", label="closures where loops end")
    right.loglog(sizes, orders["stacked"], color=OTHER, marker=".", label="one dense closure node (4.3)")
    label(right, "one linear system, block LDU", "segments", "CPU time [s]")
    outcome.save(figure)
    return outcome.finish(runs=table, orders=orders)


def _orders(segments: int, repeats: int) -> dict:
    """CPU times [s] of factor and solve with local and stacked closures, and the worse backward error."""
    from sarrus.solvers.block_graph import BlockGraph

    sizes, edges, local, stacked = rhombus_graph(segments)
    at = np.concatenate([[0], np.cumsum(sizes)])
    rng = np.random.default_rng(segments)
    matrix = np.zeros((at[-1], at[-1]))
    for a, b in edges:
        i, j = slice(at[a], at[a + 1]), slice(at[b], at[b + 1])
        matrix[i, j] = rng.normal(size=(sizes[a], sizes[b]))
        matrix[j, i] = -matrix[i, j].T
    matrix += 10.0 * np.eye(at[-1])
    rhs = rng.normal(size=at[-1])
    closures = stacked[-segments:]
    # mutual edges among the closures make their nodes one dense block, whatever it holds
    dense = [(a, b) for k, a in enumerate(closures) for b in closures[k + 1 :]]
    solvers = {
        "local": BlockGraph(sizes, edges, order=local),
        "stacked": BlockGraph(sizes, edges + dense, order=stacked),
    }
    runs, errors = {}, []
    for name, solver in solvers.items():
        values = solver.matrix_to_blocks(matrix)

        def solve(solver=solver, values=values):
            solver.factor(values)
            return solver.solve(rhs)[0]

        runs[name] = solve
        errors.append(backward_error(matrix, solve(), rhs))
    return {**best_cpu_times(runs, repeats, budget=3.0), "backward error": max(errors)}


def rhombus_graph(segments: int) -> tuple[list[int], list[tuple[int, int]], list[int], list[int]]:
    """Block sizes, edges, and two orders of elimination for a chain of rhombi: closures local, closures last.

    Both upper rods of a segment hang on the right lower rod of the segment above. Nodes per segment: hinges
    0-3 (5 rows each), rods 4-7 (right upper and lower, left upper and lower; 6 each), closure 8 (5)."""
    sizes, edges, local = [], [], []
    for k in range(segments):
        n = 9 * k
        sizes += [5, 5, 5, 5, 6, 6, 6, 6, 5]
        upper_right, lower_right, upper_left, lower_left, closure = range(n + 4, n + 9)
        edges += [(n, upper_right), (n + 1, upper_right), (n + 1, lower_right)]
        edges += [(n + 2, upper_left), (n + 3, upper_left), (n + 3, lower_left)]
        edges += [(lower_right, closure), (lower_left, closure)]
        if k:
            edges += [(n, n - 4), (n + 2, n - 4)]
    for k in reversed(range(segments)):
        n = 9 * k
        local += [
            n + 7,
            n + 3,
            n + 6,
            n + 2,
            n + 5,
            n + 1,
            n + 4,
            n,
            n + 8,
        ]  # the closure before the rod above
    stacked = [node for node in local if node % 9 != 8] + [9 * k + 8 for k in range(segments)]
    return sizes, edges, local, stacked
