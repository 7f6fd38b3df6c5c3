"""[Mal25] Fig. 8: seven motors unfold the panel of a satellite that flies freely, in concert.

The paper shows pictures and the time of a step (Table 6).  Checked here: the motion is the one prescribed,
joints stay closed, the centre of mass stays where it is, and the least-norm torques of the seven motors are
smaller than those of one motor that unfolds the panel alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import sarrus
from experiments.Mal25.mechanisms import satellite_inputs
from experiments.outcome import Outcome
from experiments.plotting import OTHER, OURS, OURS_2, label, panels

DT = 0.033
MET = 1e-10
STEP_OF_PAPER = 7.75  # [ms]
HEAVY = 1e5  # weight of the torques of motors: the paper's choice
ALONE = "cross 1"


def run(out: Path, quick: bool = False, progress=None) -> dict:
    """300 steps of 33 ms (45 when quick) with both families."""
    outcome = Outcome("A satellite unfolds its panel", "[Mal25] Fig. 8", __file__, out)
    steps = 45 if quick else 300
    model = sarrus.build(sarrus.gallery.satellite())
    inputs = satellite_inputs(steps * DT)
    outcome.equal("motors", len(model.targets), 7)
    outcome.equal("over-actuation", model.overactuation, 6)
    outcome.equal("freedoms left", model.dof_left, 6)
    found = {}
    for method in ("bdf2", "sdirk", "variational"):
        found[method] = sarrus.simulate(model, steps * DT, DT, method, inputs=inputs)
        outcome.at_most(f"violation, {method}", found[method].violation().max(), MET)
        centre = np.einsum("b,tbi->ti", model.masses, found[method].position) / model.masses.sum()
        outcome.at_most(f"way of the centre of mass [m], {method}", np.abs(centre - centre[0]).max(), 1e-9)
        last = found[method].joint_position(joint_of(model, "cross 6"))[-1]
        outcome.within(
            f"the last hinge at the end [rad], {method}", last, inputs["cross 6"](steps * DT), 1e-9
        )
    outcome.number("step of bdf2 [ms]", STEP_OF_PAPER, 1e3 * found["bdf2"].stats.cpu_time / steps)
    torques = efforts(model, inputs, steps)
    fewer = sarrus.gallery.satellite()
    for name in model.targets:
        if name != ALONE:
            fewer.motors.pop(name)
    alone = efforts(sarrus.build(fewer), {ALONE: inputs[ALONE]}, steps)
    together, single = rms(torques), rms(alone)
    outcome.above("effort of one motor alone over that of seven (root mean square)", single / together, 1.0)
    figure, ((left, right),) = panels(1, 2)
    time = found["bdf2"].time
    for name, colour in (("cross 1", OURS), ("cross 6", OURS_2)):
        left.plot(time, found["bdf2"].joint_position(joint_of(model, name)), color=colour, label=name)
    label(left, "hinges of the panel", "time [s]", "[rad]")
    for name, values in torques.items():
        right.plot(time, values, color=OURS, lw=0.8, label="seven motors" if name == ALONE else None)
    right.plot(time, alone[ALONE], color=OTHER, lw=0.8, label="one motor")
    label(right, "efforts", "time [s]", "[N m] ([N] of the slide)")
    outcome.save(figure)
    return outcome.finish(rms_of_seven=together, rms_of_one=single)


def joint_of(model: sarrus.Model, motor: str) -> str:
    """The joint that a motor moves."""
    return model.mechanism.motors[motor].joint


def efforts(model: sarrus.Model, inputs: dict, steps: int) -> dict:
    """Efforts of the motors with BDF2, least norm with the paper's weights."""
    done = sarrus.simulate(
        model, steps * DT, DT, "bdf2", inputs=inputs, reactions=True,
        reaction_weights=dict.fromkeys(model.targets, HEAVY),
    )  # fmt: skip
    return {name: done.motor_effort(name) for name in model.targets}


def rms(efforts: dict) -> float:
    """Root mean square of the length of all efforts together."""
    return float(np.sqrt(np.mean(sum(np.asarray(values) ** 2 for values in efforts.values()))))
