"""Computation time of chains with revolute and spherical joints, for [MC23] Fig. 8a and [LT20] Fig. 5."""

from __future__ import annotations

import sarrus

from .cost import cost, slope
from .plotting import OTHER, OTHER_2, OURS, label

STEPS = 1000
PEERS = ("MuJoCo", "Pinocchio")


def chain_costs(sizes, quick: bool, progress=None, method: str = "variational1", make=None) -> dict:
    """Per joint kind: CPU times [s] of 1000 steps by contestant, violation, and the exponents of ours.

    `make(links, joint)` gives the mechanism; None: the pendulum of the gallery from horizontal."""
    make = make or (lambda links, joint: sarrus.gallery.pendulum(links=links, joint=joint))
    tables, done = {}, 0
    for joint in ("revolute", "spherical"):
        rows = []
        for n in sizes:
            rows.append(cost(make(n, joint), 200 if quick else STEPS, 3 if quick else 5, method=method))
            done += 1
            if progress is not None:
                progress(done, 2 * len(sizes))
        scale = 5.0 if quick else 1.0
        table = {key: [scale * row[key] for row in rows] for key in ("sarrus", *PEERS) if key in rows[0]}
        table["iterations"] = [row["iterations"] for row in rows]
        table["violation"] = [row["violation"] for row in rows]
        each = [t / i for t, i in zip(table["sarrus"], table["iterations"], strict=True)]
        large = [k for k, n in enumerate(sizes) if n >= 5] if not quick else range(len(sizes))
        table["slope"] = slope([sizes[k] for k in large], [table["sarrus"][k] for k in large])
        table["slope per iteration"] = slope([sizes[k] for k in large], [each[k] for k in large])
        tables[joint] = table
    return tables


def plot_chains(axes, sizes, tables: dict, title: str) -> None:
    """Times over the links: revolute solid, spherical dashed."""
    colours = {"sarrus": OURS, "MuJoCo": OTHER, "Pinocchio": OTHER_2}
    for joint, line in (("revolute", "-"), ("spherical", "--")):
        for name, colour in colours.items():
            if name in tables[joint]:
                axes.loglog(
                    sizes, tables[joint][name], line, color=colour, marker=".", label=f"{name}, {joint}"
                )
    label(axes, title, "links", "CPU time [s]")
