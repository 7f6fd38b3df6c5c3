"""Results as Markdown."""

from __future__ import annotations

from .contact_report import contact_sections
from .tables import table

CONTESTANTS = {
    "sarrus": "Sarrus",
    "sarrus, no read-out": "Sarrus, no read-out",
    "MuJoCo euler": "MuJoCo Euler",
    "MuJoCo implicitfast": "implicitfast",
    "MuJoCo rk4": "RK4",
    "Pinocchio": "Pinocchio",
}
# Limits [us] of one step from Python, by links.
STEP_LIMITS = {10: "12", 100: "60"}
HOW = """\
Every problem without contact runs 10 s at dt 0.01 s. Times are CPU time (`time.process_time`) per step,
the best of up to nine rounds; in each round all contestants run once, one after the other, in one
process. Sarrus: `sarrus.simulate`, order 2, positions, orientations and projected velocities of every
node recorded ("no read-out": only the last node). MuJoCo: its own compiled loop `mj_step(model, data,
nstep)`, default settings, nothing recorded; loops are soft `connect` constraints at one point each,
which suffices in a plane, for the rhombi on the faster of the two spanning trees that were tried.
Pinocchio: `aba` and semi-implicit Euler called from Python, the price of those calls included; trees
only. Energy errors are max |E - E0| over the run as a part of the energy of the start above that of
hanging at rest; violation is the largest residual of all joint rows [m, rad]. "Blows up": MuJoCo resets
itself silently after a numerical failure, found in its warnings; its time per step is then that of the
steps before and after the reset.
"""


def markdown(results: dict) -> str:
    """The text of RESULTS.md."""
    parts = [
        "# Benchmark results",
        "Written by the command itself; do not edit. To repeat: `make bench`, or `python -m benchmarks`.",
        _where(results),
        HOW,
        "## CPU time per step [us]",
        _times(results),
        "## Energy error and violation",
        _accuracy(results),
        *contact_sections(results),
        "## Cost and number of links",
        _scaling(results),
        "## Memory, calls, start",
        _start(results),
    ]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _where(results: dict) -> str:
    machine = ", ".join(f"{key} {value}" for key, value in results["machine"].items())
    packages = ", ".join(f"{name} {version}" for name, version in results["versions"].items())
    return f"- Date: {results['date']}\n- Machine: {machine}\n- Versions: {packages}"


def _times(results: dict) -> str:
    rows = []
    for name, row in results["problems"].items():
        cost = row["us per step"]
        cells = [f"{cost[key]:.3g}" if key in cost else "-" for key in CONTESTANTS]
        ratio = f"{cost['ratio']:.2g}" if "ratio" in cost else "-"
        bare = f"{cost['ratio, no read-out']:.2g}" if "ratio" in cost else "-"
        goal = "-" if row["limit"] is None else f"{row['limit']:g} ({row['aim']:g}): {_verdict(cost, row)}"
        rows.append([name, *cells, ratio, bare, goal])
    header = ["problem", *CONTESTANTS.values(), "Sarrus / MuJoCo Euler", "no read-out", "limit (aim)"]
    return table(header, rows)


def _verdict(cost: dict, row: dict) -> str:
    if "ratio" not in cost:
        return "not measured"
    if cost["ratio"] <= row["aim"]:
        return "aim reached"
    return "met" if cost["ratio"] <= row["limit"] else "missed"


def _accuracy(results: dict) -> str:
    names = [
        "sarrus order 2",
        "sarrus order 4",
        "MuJoCo euler",
        "MuJoCo implicitfast",
        "MuJoCo rk4",
        "Pinocchio",
    ]
    rows = []
    for problem, row in results["problems"].items():
        rows.append([problem, *(_quality(row["accuracy"].get(name)) for name in names)])
    header = ["problem", "Sarrus order 2", "order 4", "MuJoCo Euler", "implicitfast", "RK4", "Pinocchio"]
    return (
        "Energy error; violation; for Sarrus the mean Newton iterations and the substepped steps, if any.\n\n"
        + (table(header, rows))
    )


def _quality(cell: dict | None) -> str:
    if cell is None:
        return "-"
    if "blows_up" in cell:
        return f"blows up at {cell['blows_up']:.2f} s"
    if "fails_at" in cell:
        return f"stops at {cell['fails_at']:.2f} s"
    energy = f"{100 * cell['energy']:.2g} %" if cell["energy"] >= 1e-4 else f"{cell['energy']:.1e}"
    text = f"{energy}; {cell['violation']:.0e}"
    if "iterations" in cell:
        text += f"; {cell['iterations']:.1f} it."
        if cell["substeps"]:
            text += f", {cell['substeps']} substepped"
    return text


def _scaling(results: dict) -> str:
    rows = []
    for links, row in results["scaling"].items():
        rows.append(
            [
                str(links),
                f"{row['us per link and step']:.3g}",
                f"{row['iterations per step']:.2f}",
                f"{row['us per link and iteration']:.3g}",
                f"{row['violation']:.0e}",
            ]
        )
    header = [
        "links",
        "us per link and step",
        "iterations per step",
        "us per link and iteration",
        "violation",
    ]
    each = [row["us per link and iteration"] for row in results["scaling"].values()]
    what = "Pendulums from horizontal, 1 s at dt 0.005 s, no read-out, the price of the call taken off."
    what += " Largest over smallest cost per link and iteration:"
    return f"{what} {max(each) / min(each):.2f} (limit 1.5)." + "\n\n" + table(header, rows)


def _start(results: dict) -> str:
    loaded = "numba loaded" if results["import [s]"]["numba"] else "numba not loaded"
    rows = [
        [f"memory per body, {key} [kB]", f"{value:.1f}", "20" if key != "peak of a run" else "-"]
        for key, value in results["memory per body [kB]"].items()
    ]
    rows.append(
        ["a call of `simulate` besides its steps [ms]", f"{results['call of simulate [ms]']:.3f}", "0.1"]
    )
    for links, spent in results["Simulation.step [us]"].items():
        what = f"`Simulation.step`, {links} links, the step included [us]"
        rows.append([what, f"{spent:.1f}", STEP_LIMITS[links]])
    for links, added in results["Python controller [us]"].items():
        rows.append([f"a Python controller, {links} links, per step [us]", f"{added['alone']:.1f}", "-"])
        rows.append(["the same, reading all joints [us]", f"{added['reading']:.1f}", "-"])
    rows.append([f"`import sarrus`, wall [s] ({loaded})", f"{results['import [s]']['wall']:.2f}", "0.3"])
    first = results.get("first simulation [s]")
    if first:
        rows.append(
            ["first simulation of a tree, warm cache, wall [s]", f"{first['warm']['wall_tree']:.2f}", "3"]
        )
        rows.append(["the same and then of a loop, wall [s]", f"{first['warm']['wall_loop']:.2f}", "-"])
        rows.append(["cold: import, compilation, a tree, CPU [s]", f"{first['cold']['cpu_tree']:.1f}", "60"])
        loop = first["cold"]["cpu_loop"] - first["cold"]["cpu_tree"]
        rows.append(["cold: compilation and run of a loop after it, CPU [s]", f"{loop:.1f}", "60"])
        rows.append(
            ["files that two models of other shapes add to the cache", str(first["cold"]["new_files"]), "0"]
        )
    return table(["", "measured", "limit"], rows)
