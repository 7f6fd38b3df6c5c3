"""[MC23] Fig. 12: the double four-bar linkage through its flat configurations, against a GGL integrator.

Beside the paper's curves stand the benchmark's reference point of joint B0 after 10 s and the energy
errors published for Exudyn: 0.114, 1.14e-3 and 2.9e-4 J at dt 0.01, 0.001 and 0.0005 s. The paper
reports a growing energy error for its GGL code; our small baseline of that type keeps its error
bounded, at the size of order 1, and runs late."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import sarrus
from experiments.ggl import ggl_run
from experiments.outcome import Outcome
from experiments.planar import arm, gaps, planar
from experiments.plotting import OTHER, OURS, OURS_2, label, panels

B0 = np.array([0.32845811145, 0.94451853821])  # [m] after 10 s
EXUDYN = {0.01: 0.114, 0.001: 1.14e-3, 0.0005: 2.9e-4}  # [J]
NEAR = {0.01: 5e-3, 0.001: 1e-4}  # [m]
HELD = 1e-9  # [m, rad]
BOUNDED = 1.5  # energy error of the second half of the run over the first


def run(out: Path, quick: bool = False, progress=None) -> dict:
    """Runs 10 s at three steps (0.01 s only when quick); the GGL baseline at 0.01 and 0.001 s."""
    outcome = Outcome("Double four-bar linkage", "[MC23] Fig. 12", __file__, out)
    mech = sarrus.gallery.double_four_bar()
    model = sarrus.build(mech)
    outcome.equal("degrees of freedom found", model.dof, 1)
    outcome.equal("redundant rows found", model.redundant_constraints, 6)
    table, shown = {}, {}
    for dt in (0.01,) if quick else (0.01, 0.001, 0.0005):
        traj = sarrus.simulate(model, duration=10.0, dt=dt)
        energy, violation = traj.energy(), traj.violation()
        error = np.abs(energy.total - energy.total[0])
        path = traj.body("bar 0").point((0.0, 0.0, 0.5))[:, 1:]
        away = float(np.linalg.norm(path[-1] - B0))
        table[f"{dt:g}"] = {
            "energy error [J]": float(error.max()),
            "B0 off by [m]": away,
            "violation": violation.max(),
        }
        outcome.number(f"largest energy error [J], dt {dt:g} s (Exudyn)", EXUDYN[dt], float(error.max()))
        outcome.at_most(f"largest violation, dt {dt:g} s [m, rad]", violation.max(), HELD)
        outcome.at_most(f"energy error, dt {dt:g} s [J], below Exudyn's", error.max(), EXUDYN[dt])
        if dt in NEAR:
            outcome.at_most(f"B0 after 10 s from the reference, dt {dt:g} s [m]", away, NEAR[dt])
        half = len(error) // 2
        growth = error[half:].max() / error[:half].max()
        outcome.at_most(f"energy error, second half over first, dt {dt:g} s", growth, BOUNDED)
        if dt == 0.01:
            shown = {"time": traj.time, "path": path, "energy": energy, "violation": violation}
    first = sarrus.simulate(model, duration=10.0, dt=0.01, method="variational1").energy().total
    baseline = {dt: _ggl(mech, dt, progress) for dt in ((0.01,) if quick else (0.01, 0.001))}
    for dt, found in baseline.items():
        table[f"GGL {dt:g}"] = {
            "energy error [J]": float(found["error"].max()),
            "B0 off by [m]": float(np.linalg.norm(found["path"][-1] - B0)),
            "violation": float(found["gap"].max()),
        }
    ours, theirs = table["0.01"]["B0 off by [m]"], table["GGL 0.01"]["B0 off by [m]"]
    outcome.at_least("error of B0 after 10 s, GGL over ours, dt 0.01 s", theirs / ours, 5.0)
    outcome.save(_figure(shown, first, baseline[0.01]))
    return outcome.finish(table=table)


def _ggl(mech, dt: float, progress) -> dict:
    flat = planar(mech)
    q, v = ggl_run(flat, dt, round(10.0 / dt), progress)
    kinetic, potential = flat.energy(q, v)
    total = kinetic + potential
    lever = np.array([0.0, 0.5])
    return {
        "time": dt * np.arange(len(q)),
        "path": np.array([node[0, :2] + arm(lever, node[0, 2]) for node in q]),
        "error": np.abs(total - total[0]),
        "signed": total - total[0],
        "gap": np.array([np.abs(gaps(flat.pins, node)).max() for node in q]),
    }


def _figure(shown: dict, first, ggl: dict):
    figure, ((a, b), (c, d)) = panels(2, 2)
    time, energy = shown["time"], shown["energy"]
    a.plot(time, shown["path"][:, 0], color=OURS, label="sarrus, y of B0")
    a.plot(ggl["time"], ggl["path"][:, 0], color=OTHER, lw=1, label="GGL, y of B0")
    a.plot(10.0, B0[0], "k+", label="reference")
    b.plot(time, energy.total - energy.total[0], color=OURS, lw=1, label="sarrus, order 2")
    b.plot(time, first - first[0], color=OURS_2, lw=1, label="sarrus, order 1")
    b.plot(ggl["time"], ggl["signed"], color=OTHER, lw=1, label="GGL, symplectic Euler")
    c.semilogy(time, np.maximum(shown["violation"], 1e-17), color=OURS, lw=1, label="sarrus, all rows")
    c.semilogy(ggl["time"], np.maximum(ggl["gap"], 1e-17), color=OTHER, lw=1, label="GGL")
    for name, part in (("kinetic", energy.kinetic), ("potential", energy.potential), ("total", energy.total)):
        d.plot(time, part, lw=1, label=name)
    label(a, "(a) path, dt = 0.01 s", "time [s]", "y [m]")
    label(b, "(b) energy error", "time [s]", "E - E0 [J]")
    label(c, "(c) constraint violation", "time [s]", "[m, rad]")
    label(d, "(d) energy", "time [s]", "[J]")
    return figure
