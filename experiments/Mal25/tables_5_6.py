"""[Mal25] Tables 4 to 6: kinds and sizes of the mechanisms, and the time of a step beside the paper's.

The mechanisms are ours, of the same size; the paper's times are those of its 16-core workstation, ours of one
core, the best of some runs by turns.  Where motors leave nothing free, bdf2 finds positions from joints and
inputs alone, as in section 6.3; "general" is the same method with the equations of motion.  The variational
family runs the same mechanisms."""

from __future__ import annotations

import time
import warnings
from pathlib import Path

import numpy as np

import sarrus
from experiments.Mal25.mechanisms import figure_inputs, legs, satellite_inputs
from experiments.outcome import Outcome
from experiments.plotting import OTHER, OURS, OURS_2, label, panels

# name, bodies, joints, step [s], time of a step in the paper [ms], the most that it may be here
ROWS = (
    ("t_handle", 1, 0, 0.001, 0.037, 0.01),
    ("spinning_top", 1, 1, 0.0001, 0.045, 0.01),
    ("hoberman_sphere", 240, 420, 0.01, 1138.03, 20.0),
    ("satellite", 26, 37, 0.033, 7.75, 1.0),
    ("large_figure", 151, 198, 0.033, 26.89, 2.0),
    ("overactuated_legs", 38, 45, 0.01, 3.55, 0.5),
)
# Table 4: redundant constraints, over-actuated, passive freedoms.
KINDS = {
    "t_handle": (False, False, True),
    "spinning_top": (False, False, True),
    "hoberman_sphere": (True, False, True),
    "satellite": (True, True, True),
    "large_figure": (True, False, False),
    "overactuated_legs": (True, True, False),
}
SPHERE = {"spin": 1.8, "throw": 15.0}
OPEN, MET = 1e-9, 1e-10  # [m] what joints may miss: the sphere next to its singular position, all others
STEPS, RUNS = 200, 5
# The paper's times where nothing is left free [ms], and the most that ours may be.
FULLY = {"large_figure": (4.19, 1.0), "overactuated_legs": (0.84, 0.3)}
BDF2, GENERAL, VARIATIONAL, REACTIONS = "bdf2", "bdf2, general", "variational", "bdf2 with reactions"
MANY = 3.0  # steps that reactions at every node may cost, their own included


def run(out: Path, quick: bool = False, progress=None) -> dict:
    """200 steps of each mechanism with BDF2 and with the variational method (quick: 20, no sphere,
    and the figure with BDF2 alone)."""
    outcome = Outcome("Sizes and times of a step", "[Mal25] Tables 4 to 6", __file__, out)
    steps, found = (20 if quick else STEPS), {}
    for name, bodies, joints, dt, paper, most in ROWS:
        if quick and name == "hoberman_sphere":
            continue
        mechanism = sarrus.gallery.make(name, **(SPHERE if name == "hoberman_sphere" else {}))
        model = sarrus.build(mechanism)
        outcome.equal(f"bodies of {name}", len(model.body_names), bodies)
        outcome.equal(f"joints of {name}", len(model.joint_names), joints)
        kind = model.redundant_constraints > 0, model.overactuation > 0, model.dof_left > 0
        outcome.equal(f"{name}: redundant, over-actuated, passive", kind, KINDS[name])
        inputs = inputs_of(name, model, steps * dt, dt)
        open_by = OPEN if name == "hoberman_sphere" else MET
        times, violations = measured(model, name, steps, dt, inputs, quick)
        for method, worst in violations.items():
            outcome.at_most(f"violation of {name}, {method}", worst, open_by)
        found[name] = times
        if len(model.joint_names) > 1:
            outcome.number(
                f"step of {name} with reactions, over without", None, times[REACTIONS] / times[BDF2]
            )
        general = times.get(GENERAL, times[BDF2])
        outcome.number(f"step of {name} [ms]", paper, general)
        if name in FULLY:
            outcome.number(f"step of {name}, fully constrained [ms]", FULLY[name][0], times[BDF2])
        if not quick:
            outcome.at_most(f"step of {name} [ms]", general, most)
            if name in FULLY:
                outcome.at_most(f"step of {name}, fully constrained [ms]", times[BDF2], FULLY[name][1])
            if len(model.joint_names) > 1:
                outcome.at_most(
                    f"step of {name} with reactions, over without", times[REACTIONS] / times[BDF2], MANY
                )
    figure, ((axes,),) = panels(1, 1, 7.0, 4.0)
    place = np.arange(len(found))
    paper = [row[4] for row in ROWS if row[0] in found]
    for k, (values, text, colour) in enumerate(
        (
            (paper, "[Mal25], BDF2", OTHER),
            ([t[BDF2] for t in found.values()], BDF2, OURS),
            ([t.get(VARIATIONAL, np.nan) for t in found.values()], VARIATIONAL, OURS_2),
        )
    ):
        axes.bar(place + 0.27 * (k - 1), values, 0.25, color=colour, label=text)
    axes.set_yscale("log")
    axes.set_xticks(place, list(found), rotation=20)
    label(axes, "Time of a step", "", "[ms]")
    outcome.save(figure)
    return outcome.finish(times=found)


def measured(model, name, steps, dt, inputs, quick):
    """(time of a step [ms] by way of running it, least of several runs taken by turns; largest violation by
    method); with reactions: shared out by least norm at every node."""
    ways = {BDF2: sarrus.Bdf(), REACTIONS: sarrus.Bdf()}
    if name in FULLY:
        ways[GENERAL] = sarrus.Bdf(kinematic=False)
    if not (quick and name == "large_figure"):
        ways[VARIATIONAL] = sarrus.Variational()
    times, whole, violations = dict.fromkeys(ways, np.inf), dict.fromkeys(ways, np.inf), {}
    for turn in range(1 if quick else RUNS + 1):
        for way, method in ways.items():
            count = 2 if turn == 0 and not quick else steps  # compiled and warm
            begun = time.process_time()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                done = sarrus.simulate(
                    model, count * dt, dt, method, inputs=shortened(inputs, count), reactions=way == REACTIONS
                )
            spent = time.process_time() - begun
            if count == steps:
                times[way] = min(times[way], 1e3 * done.stats.cpu_time / steps)
                whole[way] = min(whole[way], 1e3 * spent / steps)
                violations[way] = float(done.violation().max())
    # Multipliers of least norm are found after the run: the whole call with them against that without.
    times[REACTIONS] = max(times[REACTIONS], times[BDF2] + whole[REACTIONS] - whole[BDF2])
    return times, violations


def inputs_of(name, model, duration, dt):
    """Inputs of the motors that prescribe."""
    if name == "overactuated_legs":
        return legs(duration, dt)[1]
    if name == "satellite":
        return satellite_inputs(duration)
    return figure_inputs(model) if name == "large_figure" else {}


def shortened(inputs, steps):
    """The same inputs for a run of so many steps."""
    return {name: v[: steps + 1] if isinstance(v, np.ndarray) else v for name, v in inputs.items()}
