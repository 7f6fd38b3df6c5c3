"""Results with contact as Markdown."""

from __future__ import annotations

from .tables import table

HOW = """\
The same scenes in both: masses, sizes, friction, servos, torque and joint limits; MuJoCo reads them as MJCF
that is made from the mechanism, all else by its defaults (Newton's method, pyramidal cones, soft contacts).
dt 0.01 s where nothing else is said, 0.002 s for robots, hands and gripper, 0.001 s for the trot. Standing
humanoid, hands and gripper have servos so stiff that MuJoCo's Euler blows up; it runs them with implicitfast.
CPU time per step is measured as above, in fewer rounds where a run takes seconds. Smallest gap: the smallest
distance of all contacts over all nodes, negative where bodies overlap. Moved: the furthest that a body gets
from its first place along the ground; a stack should not move. Energy gained: the largest gain of the total
energy in one step, where no motors work.
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
        if "failed" in row:
            rows.append([name, *["-"] * 6, _failure(row)])
            continue
        cost = row["us per step"]
        theirs = f"{cost['MuJoCo']:.3g}" if "MuJoCo" in cost else "-"
        ratios = [f"{cost[key]:.2g}" if key in cost else "-" for key in ("ratio", "ratio, no read-out")]
        ours = [f"{cost[key]:.3g}" for key in ("sarrus", "sarrus, no read-out")]
        rows.append([name, *ours, theirs, *ratios, f"{cost['times real time']:.3g}", _goal(row)])
    header = ["problem", "Sarrus", "Sarrus, no read-out", "MuJoCo", "Sarrus / MuJoCo", "no read-out"]
    return table([*header, "times faster than real time", "goal"], rows)


def _failure(row: dict) -> str:
    return f"no step at {row['failed']:.3f} s"


def _goal(row: dict) -> str:
    cost, goals = row["us per step"], []
    if row["limit"] is not None and "ratio" in cost:
        goals.append(f"ratio {row['limit']:g}: " + ("met" if cost["ratio"] <= row["limit"] else "missed"))
    if row["real_time"] is not None:
        reached = cost["times real time"] >= row["real_time"]
        goals.append(f"{row['real_time']:g} times real time: " + ("met" if reached else "missed"))
    return "; ".join(goals) or "-"


def _growth(exponents: dict) -> str:
    if not exponents:
        return ""
    listed = ", ".join(f"{name} {value:.2f}" for name, value in exponents.items())
    return f"Time per step over the number of spheres n of the flat chains grows as n to the power: {listed}."


def _quality(problems: dict) -> str:
    rows = []
    for name, row in problems.items():
        if "failed" in row:
            rows.append([name, *["-"] * 6, _failure(row)])
            continue
        ours, theirs = row["quality"]["sarrus"], row["quality"].get("MuJoCo")
        work = f"{ours['iterations']:.1f}, at most {ours['iterations_max']}"
        if ours["above_20"]:
            work += f" ({100 * ours['above_20']:.1f} % above 20)"
        work += f"; {ours['momentum_iterations']:.1f}, at most {ours['momentum_iterations_max']}"
        if ours["substeps"]:
            work += f"; {ours['substeps']} substepped"
        rows.append([name, *_cells(ours), *(_cells(theirs) if theirs else ["-"] * 3), work])
    header = ["problem"]
    for who in ("Sarrus", "MuJoCo"):
        header += [f"{who}: smallest gap [m]", "moved [m]", "energy gained [J]"]
    return table([*header, "Sarrus: iterations per step, positions; momenta"], rows)


def _cells(row: dict) -> list[str]:
    late = f" (blows up at {row['blows_up']:.2f} s)" if "blows_up" in row else ""
    gained = f"{max(0.0, row['step_gain']):.1e}" if "step_gain" in row else "-"
    return [f"{row['smallest_gap']:.1e}{late}", f"{row['moved']:.1e}", gained]
