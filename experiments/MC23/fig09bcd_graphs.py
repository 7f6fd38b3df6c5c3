"""[MC23] Figs. 9b-d: block LDU on ladder, net and crystal graphs against a dense solve.

Six scalars per node, as in the paper, which reports two orders of magnitude for most cases and a slight
advantage of the dense solver for the crystal of 6^3 nodes. Dense: LAPACK's LU on one thread."""

from __future__ import annotations

from pathlib import Path

from benchmarks.timing import best_cpu_times

from experiments.block_systems import backward_error, random_system
from experiments.cost import slope
from experiments.dense import dense_times
from experiments.outcome import Outcome
from experiments.plotting import OTHER, OURS, label, panels

EXACT = 1e-12  # backward error of the block LDU
LINEAR = 1.25  # exponent of the time over the nodes; 1 is linear
SIZES = {"ladder": (2, 5, 10, 20, 50, 100), "net": (2, 3, 4, 6, 8, 10, 14), "crystal": (2, 3, 4, 5, 6)}
QUICK = {"ladder": (2, 10), "net": (2, 4), "crystal": (2, 3)}
PUBLISHED = {"ladder": "about two orders", "net": "about two orders", "crystal": "dense slightly ahead"}


def run(out: Path, quick: bool = False, progress=None) -> dict:
    """Factors and solves random systems on the three graphs, sparse and dense."""
    outcome = Outcome("Linear systems of ladder, net and crystal graphs", "[MC23] Figs. 9b-d", __file__, out)
    sizes = QUICK if quick else SIZES
    tables, done = {}, 0
    for name, lengths in sizes.items():
        rows = []
        for length in lengths:
            rows.append(solve_graph(name, length, 5 if quick else 20))
            done += 1
            if progress is not None:
                progress(done, sum(map(len, sizes.values())))
        table = {key: [row[key] for row in rows] for key in rows[0]}
        table["dense"] = dense_times([6 * n for n in table["nodes"]], 5 if quick else 20)
        outcome.at_most(f"backward error, {name}", max(table["backward error"]), EXACT)
        tables[name] = table
    if not quick:
        for name, table in tables.items():
            table["speed-up"] = [d / s for d, s in zip(table["dense"], table["sparse"], strict=True)]
            what = f"dense over sparse time, {name} of {table['nodes'][-1]} nodes"
            outcome.number(what, PUBLISHED[name], round(table["speed-up"][-1], 2))
            if name != "crystal":
                outcome.at_least(what, table["speed-up"][-1], 10.0 if name == "ladder" else 1.0)
        exponent = slope(tables["ladder"]["nodes"][2:], tables["ladder"]["sparse"][2:])
        outcome.at_most("exponent of the time over the nodes, ladder", exponent, LINEAR)
    figure, (panes,) = panels(1, 3, 4.2)
    for axes, (name, table) in zip(panes, tables.items(), strict=True):
        axes.loglog(table["nodes"], table["sparse"], color=OURS, marker=".", label="block LDU")
        axes.loglog(table["nodes"], table["dense"], color=OTHER, marker=".", label="dense LU")
        label(axes, f"{name} graph", "nodes", "CPU time [s]")
    outcome.save(figure)
    return outcome.finish(tables=tables)


def solve_graph(name: str, length: int, repeats: int) -> dict:
    """Nodes, CPU time [s] of factor and solve, and backward error of a random system on one graph."""
    import sarrus
    from sarrus.solvers.block_graph import BlockGraph

    graph = getattr(sarrus.gallery.graphs, name)(length)
    solver = BlockGraph([6] * graph.nodes, [(int(a), int(b)) for a, b in graph.edges])
    matrix, rhs = random_system(graph.nodes, graph.edges, seed=length)
    values = solver.matrix_to_blocks(matrix)

    def solve():
        solver.factor(values)
        return solver.solve(rhs)[0]

    seconds = best_cpu_times({"sparse": solve}, repeats, budget=2.0)["sparse"]
    error = backward_error(matrix, solve(), rhs)
    return {"nodes": graph.nodes, "sparse": seconds, "backward error": error}
