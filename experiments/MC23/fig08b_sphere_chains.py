"""[MC23] Fig. 8b: the time of 1000 steps of a chain of spheres grows in proportion to its length.

Spheres of radius 0.25 m and 1 kg, spherical joints, dt 0.01 s, dropped flat and tilted by 30 degrees. The
paper gives curves only. Its remark on MuJoCo: contact violations of 10 cm or more beyond 20 spheres, and no
chain of more than 44 could be computed; that is what the tilted chains show here."""

from __future__ import annotations

from math import pi
from pathlib import Path

from benchmarks.timing import best_cpu_times

import sarrus
from experiments.cost import slope
from experiments.outcome import Outcome
from experiments.peers import contact_peer
from experiments.plotting import OTHER, OTHER_2, OURS, OURS_2, label, panels

DT, STEPS = 0.01, 1000
TILTS = {"flat": 0.0, "tilted": pi / 6}
SIZES = (1, 2, 5, 10, 20, 40, 100, 200)
MUJOCO = 40  # spheres; the time of longer chains in MuJoCo grows with the cube of their number
LINEAR = 1.25  # 1 is linear, timing noise stays below a quarter
JOINTS = 1e-8  # [m]
DEEP = 0.1  # [m] the paper's 10 cm


def run(out: Path, quick: bool = False, progress=None) -> dict:
    """Times chains of 1 to 200 spheres (2 and 10 when quick), flat and tilted, and looks at their gaps."""
    outcome = Outcome("Time of 1000 steps of n-sphere chains", "[MC23] Fig. 8b", __file__, out)
    sizes, steps = ((2, 10), 100) if quick else (SIZES, STEPS)
    tables, done = {}, 0
    for name, tilt in TILTS.items():
        rows = []
        for n in sizes:
            rows.append(measure(n, tilt, steps, 2 if quick else 3))
            done += 1
            if progress is not None:
                progress(done, len(TILTS) * len(sizes))
        tables[name] = rows
        check(outcome, name, sizes, rows, quick)
    deep = [row["MuJoCo penetration"] for row in tables["tilted"] if "MuJoCo penetration" in row]
    if deep and not quick:
        outcome.at_least("MuJoCo: penetration of the tilted chain of 40 [m]", deep[-1], DEEP)
        outcome.number("MuJoCo: penetration beyond 20 spheres [m]", "0.1 or more", deep[-1])
    figure, ((left, right),) = panels(1, 2)
    plot(left, right, sizes, tables, steps)
    outcome.save(figure)
    return outcome.finish(spheres=sizes, steps=steps, chains=tables)


def measure(n: int, tilt: float, steps: int, repeats: int) -> dict:
    """CPU time [s] of the steps, iterations, smallest gap [m] and violation [m]; the same of MuJoCo."""
    mech = sarrus.gallery.sphere_chain(n=n, tilt=tilt)
    model = sarrus.build(mech)
    traj = sarrus.simulate(model, duration=steps * DT, dt=DT)
    total = traj.energy().total
    row = {
        "gap": float(traj.gap().min()),
        "violation": float(traj.violation().max()) if n > 1 else 0.0,
        "iterations": traj.stats.summary()["iterations_mean"],
        "iterations max": traj.stats.summary()["iterations_max"],
        "substepped": len(traj.stats.divided),
        "energy at the start [J]": float(total[0]),
        "energy gained [J]": float((total - total[0]).max()),
    }
    runs = {"sarrus": lambda: sarrus.simulate(model, duration=steps * DT, dt=DT)}
    peer = contact_peer(mech, DT) if n <= MUJOCO else None
    if peer is not None:
        runs["MuJoCo"] = lambda: peer.advance(steps)
        found = peer.run(steps)
        row["MuJoCo penetration"] = float(found.penetration.max())
        row["MuJoCo blows up [s]"] = found.blows_up
    return row | best_cpu_times(runs, repeats, budget=10.0)


def check(outcome: Outcome, name: str, sizes, rows: list[dict], quick: bool) -> None:
    """Gaps positive, joints closed, energy not gained, time in proportion to the spheres."""
    for n, row in zip(sizes, rows, strict=True):
        outcome.above(f"smallest gap, {n} spheres, {name} [m]", row["gap"])
    outcome.at_most(f"largest violation, {name} [m]", max(row["violation"] for row in rows), JOINTS)
    gained = max(row["energy gained [J]"] / row["energy at the start [J]"] for row in rows)
    outcome.at_most(f"largest energy gained over that of the start, {name}", gained, 1e-6)
    if not quick:
        large = [k for k, n in enumerate(sizes) if n >= 5]
        each = [rows[k]["sarrus"] / rows[k]["iterations"] for k in large]
        exponent = slope([sizes[k] for k in large], each)
        outcome.at_most(f"exponent of our time per iteration over the spheres, {name}", exponent, LINEAR)


def plot(left, right, sizes, tables: dict, steps: int) -> None:
    """Times over the spheres, and gaps or penetration."""
    styles = {"flat": (OURS, OTHER), "tilted": (OURS_2, OTHER_2)}
    for name, (ours, theirs) in styles.items():
        rows = tables[name]
        left.loglog(sizes, [row["sarrus"] for row in rows], ".-", color=ours, label=f"sarrus, {name}")
        right.loglog(sizes, [row["gap"] for row in rows], ".-", color=ours, label=f"sarrus, {name}: gap")
        found = [(n, row) for n, row in zip(sizes, rows, strict=True) if "MuJoCo" in row]
        if found:
            there = [n for n, _ in found]
            left.loglog(
                there, [row["MuJoCo"] for _, row in found], ".-", color=theirs, label=f"MuJoCo, {name}"
            )
            depth = [row["MuJoCo penetration"] for _, row in found]
            right.loglog(there, depth, "x--", color=theirs, label=f"MuJoCo, {name}: penetration")
    label(left, f"n-sphere chains, {steps} steps of 0.01 s", "spheres", "CPU time [s]")
    label(right, "smallest gap, deepest penetration", "spheres", "[m]")
