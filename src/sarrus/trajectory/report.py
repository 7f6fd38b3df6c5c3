"""The text of `Trajectory.report`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sarrus.model.gaps import meets

if TYPE_CHECKING:
    from sarrus.trajectory.trajectory import Trajectory


def report(traj: Trajectory) -> str:
    """A few lines: what was run, energy error, violation, iterations, divided steps, time."""
    if not len(traj):
        return "empty trajectory"
    totals, violation = traj.stats.summary(), traj.violation()
    worst = ""
    if violation.max() > 0.0:
        by_joint = {name: path.max() for name, path in traj.violation(by_joint=True).items()}
        worst = f", largest at joint {max(by_joint, key=by_joint.__getitem__)!r}"
        if traj.model.ranks.misfit:
            worst += " (its loops fit but for rounding: see sarrus.align)"
    lines = [
        f"{traj.method}, dt {traj.dt:g} s, {totals['steps']} steps, {traj.time[0]:g} to {traj.time[-1]:g} s, "
        f"{len(traj)} nodes recorded, {len(traj.body_names)} bodies",
        *of_energy(traj),
        f"violation       at most {violation.max():.2e}{worst}",
        f"iterations      {totals['iterations_mean']:.2f} per step, at most {totals['iterations_max']}",
        f"divided steps   {totals['substepped_steps']}{divided(traj)}",
    ]
    lines += of_contacts(traj)
    if totals["unbalanced"]:
        lines.append(f"unbalanced      {totals['unbalanced']} parts of steps, taken though they gain energy")
    if totals["singular_nodes"]:
        lines.append(f"singular        configurations met at {totals['singular_nodes']} nodes")
    if totals["projection"]:
        lines.append(
            f"start           velocities changed by {totals['projection']:.2e} to satisfy the constraints"
        )
    if totals["steps"]:
        lines.append(
            f"time            {totals['wall_time']:.3g} s, {totals['cpu_time']:.3g} s CPU, "
            f"{totals['us_per_step']:.3g} us per step; {totals['status']}"
        )
    return "\n".join(lines)


def of_energy(traj: Trajectory) -> list[str]:
    """Energy of the start, work that was done, and the error: what neither explains."""
    energy = traj.energy()
    start = f"energy          {energy.total[0]:.6g} J at the start"
    if not traj.counts_work:
        return [f"{start}, {energy.error[-1]:+.4g} J at the end; {traj.method} does not count the work done"]
    work, error = traj.work(), np.abs(traj.energy_balance())
    spread = float(np.ptp(energy.potential))
    share = f" ({error.max() / spread:.2e} of the range of the potential energy)" if spread > 0.0 else ""
    paths = {"motors": work.motors, "dampers": work.dampers, "contacts": work.contacts}
    paths["applied forces"] = work.applied
    done = {name: path[-1] for name, path in paths.items() if np.any(path != 0.0)}
    if not done:
        return [f"{start}, error at most {error.max():.2e} J{share}"]
    words = ", ".join(f"{name} {value:.4g} J" for name, value in done.items())
    return [
        f"{start}, {energy.error[-1]:+.4g} J at the end",
        f"work            {words}",
        f"balance         energy minus work is off by at most {error.max():.2e} J{share}",
    ]


def of_contacts(traj: Trajectory) -> list[str]:
    """Smallest gap, work and largest force of the contacts, and what the momentum stage cost."""
    contacts = traj.model.contacts
    if not contacts.any or traj.touch_records is None:
        return []
    totals, lines = traj.stats.summary(), []
    if meets(traj.model):
        lines.append(f"gap             at least {traj.gap().min():.2e} m")
    seen = traj.touches
    size = np.linalg.norm(seen.impulse, axis=1)
    worst = ""
    if len(seen):
        k = int(np.argmax(size))
        worst = f", largest impulse {size[k]:.3g} N s or N m s at {seen.names[int(seen.contact[k])]!r}"
    lines.append(f"contact work    {traj.contact_work().sum():.6g} J{worst}")
    lines.append(
        f"momentum stage  {totals['momentum_iterations_mean']:.2f} iterations per step, "
        f"at most {totals['momentum_iterations_max']}"
    )
    return lines


def divided(traj: Trajectory) -> str:
    """Into how many pieces and when first, for the steps that were divided; empty when none was."""
    stats = traj.stats
    if not stats.divided.size:
        return ""
    first = traj.time[0] + stats.divided[0] * traj.dt
    return f" into {int(stats.divided_into.sum())} pieces, the first at t = {first:g} s"
