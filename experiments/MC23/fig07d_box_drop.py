"""[MC23] Fig. 7d: a box that is dropped stops above the ground; MuJoCo's soft contact lets it sink in.

A cube of 0.5 m and 1 kg, 0.4 m above the ground, dt 0.01 s. The paper's box stops 43 um above the ground,
MuJoCo's sinks in by 2.7 cm with its default settings. That number is mostly the way of one step of free
fall, so the drop is repeated at dt 0.001 s; and from other heights up to 1 m, as in the paper."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import sarrus
from experiments.outcome import Outcome
from experiments.peers import contact_run
from experiments.plotting import OTHER, OURS, OURS_2, label, panels

EDGE, DURATION = 0.5, 1.0
HEIGHTS = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
RESTS = 1e-6  # [m] above the ground at the end
AT_REST = 1e-6  # [m/s]
PAPER_GAP, PAPER_SUNK = 43e-6, 2.7e-2  # [m]
SUNK = 1e-3  # [m] MuJoCo's penetration to the paper's two digits and one step of rounding


def run(out: Path, quick: bool = False, progress=None) -> dict:
    """Drops the box at dt 0.01 and 0.001 s and from six heights (0.4 m only when quick)."""
    outcome = Outcome("Box dropped on the ground", "[MC23] Fig. 7d", __file__, out)
    mech = sarrus.gallery.box_drop(height=0.4, edge=EDGE)
    model = sarrus.build(mech)
    runs = {dt: sarrus.simulate(model, duration=DURATION, dt=dt) for dt in (0.01, 0.001)}
    for dt, traj in runs.items():
        gap = underside(traj.position)
        outcome.above(f"smallest gap over all nodes, dt {dt:g} s [m]", gap.min())
        outcome.at_most(f"gap at the end, dt {dt:g} s [m]", gap[-1], RESTS)
        outcome.at_most(f"speed at the end, dt {dt:g} s [m/s]", np.abs(traj.velocity[-1]).max(), AT_REST)
        lost = traj.energy().total
        outcome.at_most(f"energy gained, dt {dt:g} s [J]", (lost - lost[0]).max(), 1e-9)
    outcome.number("gap at the end [m], dt 0.01 s", PAPER_GAP, float(underside(runs[0.01].position)[-1]))
    peers = {dt: contact_run(mech, dt, round(DURATION / dt)) for dt in (0.01, 0.001)}
    if peers[0.01] is not None:
        sunk = float(-underside(peers[0.01].position).min())
        outcome.number("MuJoCo: deepest penetration [m], dt 0.01 s", PAPER_SUNK, sunk)
        outcome.within("MuJoCo: deepest penetration, dt 0.01 s [m]", sunk, PAPER_SUNK, SUNK)
    table = {}
    for height in (0.4,) if quick else HEIGHTS:
        dropped = sarrus.gallery.box_drop(height=height, edge=EDGE)
        gap = underside(sarrus.simulate(sarrus.build(dropped), duration=DURATION, dt=0.01).position)
        peer = contact_run(dropped, 0.01, round(DURATION / 0.01))
        table[f"{height:g}"] = {
            "smallest gap [m]": float(gap.min()),
            "gap at the end [m]": float(gap[-1]),
            "MuJoCo's smallest gap [m]": None if peer is None else float(underside(peer.position).min()),
        }
        outcome.above(f"smallest gap from {height:g} m [m]", gap.min())
    outcome.save(_figure(runs, peers))
    return outcome.finish(heights=table)


def underside(position) -> np.ndarray:
    """Height (T,) [m] of the underside of the box, which stays level, from positions (T, 1, 3)."""
    return position[:, 0, 2] - EDGE / 2


def _figure(runs: dict, peers: dict):
    figure, ((left, right),) = panels(1, 2)
    styles = {0.01: (OURS, OTHER, "o"), 0.001: (OURS_2, "tab:orange", None)}
    for dt, (ours, theirs, marker) in styles.items():
        pairs = [("sarrus", runs[dt], ours)] + ([("MuJoCo", peers[dt], theirs)] if peers[dt] else [])
        for name, found, colour in pairs:
            height = underside(found.position)
            look = {"color": colour, "lw": 1, "marker": marker, "ms": 2}
            left.plot(found.time, height, label=f"{name}, dt {dt:g} s", **look)
            right.plot(found.time, 1e3 * height, label=f"{name}, dt {dt:g} s", **look)
    right.axhline(0.0, color="black", lw=0.6)
    right.set_xlim(0.25, 0.6)
    right.set_ylim(-30.0, 10.0)
    label(left, "Box dropped from 0.4 m", "time [s]", "height of the underside [m]")
    label(right, "the impact", "time [s]", "height of the underside [mm]")
    return figure
