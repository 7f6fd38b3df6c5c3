"""[Mal25] Fig. 9: forces and torques on single bodies of a large figure, with masses from 0.3 g to 49 kg.

The paper shows snapshots of its own figure, without numbers but for the time of a step (Table 6); ours is of
the same size.  What all joints of a link press on it with must carry its weight and give it its
acceleration, and the efforts of the motors must be those of inverse dynamics."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import sarrus
from experiments.Mal25.mechanisms import figure_inputs
from experiments.outcome import Outcome
from experiments.plotting import OTHER, OTHER_2, OTHER_3, OURS, OURS_2, label, panels

DT = 0.033
MET = 1e-10
STEP_OF_PAPER, CONSTRAINED_OF_PAPER = 26.89, 4.19  # [ms]
LINK = "left forearm"
BALANCE = 1e-4  # of the weight of the link: accelerations are those of a spline through the nodes
EFFORT = 1e-6  # of the largest: rates of the inputs are differences
COLOURS = (OURS, OURS_2, OTHER, OTHER_2, OTHER_3, "black", "grey", "tab:green")


def run(out: Path, quick: bool = False, progress=None) -> dict:
    """138.5 s at 33 ms, as in the paper (3 s when quick); forces over the first 10 s."""
    from scipy.interpolate import CubicSpline

    outcome = Outcome("Forces on a link of a large figure", "[Mal25] Fig. 9", __file__, out)
    model = sarrus.build(sarrus.gallery.large_figure())
    inputs = figure_inputs(model)
    steps = round((3.0 if quick else 138.5) / DT)
    outcome.at_most("lightest body [kg]", model.masses.min(), 3e-4)
    outcome.at_least("heaviest body [kg]", model.masses.max(), 49.0)
    done = sarrus.simulate(model, steps * DT, DT, "bdf2", inputs=inputs)
    outcome.at_most("violation", done.violation().max(), MET)
    outcome.equal("divided steps", len(done.stats.divided), 0)
    outcome.number("step, general [ms]", STEP_OF_PAPER, 1e3 * done.stats.cpu_time / steps)
    short = min(steps, round((1.5 if quick else 10.0) / DT))
    loaded = sarrus.simulate(model, short * DT, DT, "bdf2", inputs=inputs, reactions=True)
    pressed = forces_on(loaded, LINK)
    b = model.body_names.index(LINK)
    acceleration = CubicSpline(loaded.time, loaded.velocity[:, b])(loaded.time, 1)
    weight = model.masses[b] * 9.81
    left = sum(pressed.values()) + model.masses[b] * (np.asarray(model.gravity) - acceleration)
    inner = slice(3, -3)  # ends of the spline
    outcome.at_most(
        f"forces on {LINK} out of balance, over its weight", np.abs(left[inner]).max() / weight, BALANCE
    )
    some = np.arange(3, short, max(1, short // 8))
    efforts = sarrus.inverse_dynamics(model, inputs, loaded.time[some])
    misfit = largest = 0.0
    for name in model.targets:
        effort = loaded.motor_effort(name)[some]
        misfit = max(misfit, float(np.abs(effort - efforts.effort[name]).max()))
        largest = max(largest, float(np.abs(effort).max()))
    outcome.at_most("efforts against inverse dynamics, over the largest", misfit / largest, EFFORT)
    figure, ((left_axes, right_axes),) = panels(1, 2)
    for (name, force), colour in zip(pressed.items(), COLOURS, strict=False):
        left_axes.plot(loaded.time, np.linalg.norm(force, axis=1), color=colour, lw=1, label=name)
        torque = loaded.reaction(name).torque
        right_axes.plot(loaded.time, np.linalg.norm(torque, axis=1), color=colour, lw=1, label=name)
    label(left_axes, f"forces of the joints on {LINK}", "time [s]", "[N]")
    label(right_axes, "torques of the joints", "time [s]", "[N m]", legend=False)
    outcome.save(figure)
    return outcome.finish(
        paper_step_fully_constrained_ms=CONSTRAINED_OF_PAPER,
        remark="No compiled solver for fully constrained systems: inverse_dynamics is Python.",
    )


def forces_on(done: sarrus.Trajectory, body: str) -> dict[str, np.ndarray]:
    """(T, 3) [N] by joint: what each presses on `body` with, world frame.  Motors on hinges give no force."""
    out = {}
    for name, joint in done.model.mechanism.joints.items():
        if body in (joint.parent, joint.child):
            force = done.reaction(name).force
            out[name] = force if joint.child == body else -force
    return out
