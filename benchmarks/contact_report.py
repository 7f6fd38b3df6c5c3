"""Results with contact as Markdown."""

from __future__ import annotations

from .tables import table

HOW = """\
The same scenes in both: masses, sizes, friction, servos, torque and joint limits; MuJoCo reads them as MJCF
that is made from the mechanism, all else by its defaults (Newton's method, pyramidal cones, soft contacts).
dt 0.01 s where nothing else is said, 0.001 s for the quadruped. CPU time per step is measured as above.
Smallest gap: the smallest distance of all contacts over all nodes, negative where bodies overlap. Moved: the
furthest that a body gets from its first place along the ground; a stack should not move. Energy gained: the
largest total energy above that of the start.
"""


def contact_sections(results: dict) -> list[str]:
    """The sections on contact."""
    contact = results["contact"]
    return [
        "## Contact: CPU time per step [us]",
        HOW + "\n" + _times(contact["problems"]) + "\n\n" + _growth(contact["growth"]),
        "## Contact: penetration, drift, energy",
        _quality(contact["problems"]),
    ]


def _times(problems: dict) -> str:
    rows = []
    for name, row in problems.items():
        cost = row["us per step"]
        theirs = f"{cost['MuJoCo']:.3g}" if "MuJoCo" in cost else "-"
        ratios = [f"{cost[key]:.2g}" if key in cost else "-" for key in ("ratio", "ratio, no read-out")]
        ours = [f"{cost[key]:.3g}" for key in ("sarrus", "sarrus, no read-out")]
        rows.append([name, *ours, theirs, *ratios, f"{cost['times real time']:.3g}", _goal(row)])
    header = ["problem", "Sarrus", "Sarrus, no read-out", "MuJoCo", "Sarrus / MuJoCo", "no read-out"]
    return table([*header, "times faster than real time", "goal"], rows)


def _goal(row: dict) -> str:
    cost = row["us per step"]
    if row["limit"] is not None and "ratio" in cost:
        return f"ratio {row['limit']:g}: " + ("met" if cost["ratio"] <= row["limit"] else "missed")
    if row["real_time"] is not None:
        reached = cost["times real time"] >= row["real_time"]
        return f"{row['real_time']:g} times real time: " + ("met" if reached else "missed")
    return "-"


def _growth(exponents: dict) -> str:
    if not exponents:
        return ""
    listed = ", ".join(f"{name} {value:.2f}" for name, value in exponents.items())
    return f"Time per step over the number of spheres n of the flat chains grows as n to the power: {listed}."


def _quality(problems: dict) -> str:
    rows = []
    for name, row in problems.items():
        ours, theirs = row["quality"]["sarrus"], row["quality"].get("MuJoCo")
        work = f"{ours['iterations']:.1f}, at most {ours['iterations_max']}"
        if ours["substeps"]:
            work += f"; {ours['substeps']} substepped"
        rows.append([name, *_cells(ours), *(_cells(theirs) if theirs else ["-"] * 3), work])
    header = ["problem"]
    for who in ("Sarrus", "MuJoCo"):
        header += [f"{who}: smallest gap [m]", "moved [m]", "energy gained [J]"]
    return table([*header, "Sarrus: iterations per step"], rows)


def _cells(row: dict) -> list[str]:
    late = f" (blows up at {row['blows_up']:.2f} s)" if "blows_up" in row else ""
    gained = f"{max(0.0, row['energy_gained']):.1e}" if "energy_gained" in row else "-"
    return [f"{row['smallest_gap']:.1e}{late}", f"{row['moved']:.1e}", gained]
