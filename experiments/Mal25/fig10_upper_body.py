"""[Mal25] section 8: the upper body of the legs alone, its torso driven along all six freedoms by the
recorded run of the whole figure.

The paper shows it in its video, without numbers.  What the motors above the torso do, and what the torso is
held with, must be as in the whole figure; and another motion of the arms costs a run of the part only."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import sarrus
from experiments.Mal25.mechanisms import legs, swing
from experiments.outcome import Outcome
from experiments.plotting import OTHER, OURS, label, panels

DT = 0.01
MET = 1e-10
TORSO, WAIST = "chest", "waist roll"
# Both runs are of order 2, with inputs that agree at the nodes.
SAME_PLACE, SAME_EFFORT = 1e-9, 1e-3  # [m], over the largest


def run(out: Path, quick: bool = False, progress=None) -> dict:
    """9.8 s at 10 ms (1 s when quick)."""
    outcome = Outcome("An upper body on a recorded torso", "[Mal25] section 8", __file__, out)
    duration = 1.0 if quick else 9.8
    model, inputs = legs(duration, DT)
    whole = sarrus.simulate(model, duration, DT, "bdf2", inputs=inputs, reactions=True)
    part = sarrus.build(upper_body())
    outcome.equal("freedoms left", part.dof_left, 0)
    torso = whole.body(TORSO)
    own = {name: inputs[name] for name in part.targets if name in inputs}
    own["torso"] = np.concatenate([torso.position, torso.orientation], axis=1)
    alone = sarrus.simulate(part, duration, DT, "bdf2", inputs=own, reactions=True)
    outcome.at_most("violation", alone.violation().max(), MET)
    apart = max(
        float(np.abs(alone.body(name).position - whole.body(name).position).max()) for name in part.body_names
    )
    outcome.at_most("way between the bodies of both runs [m]", apart, SAME_PLACE)
    misfit = largest = 0.0
    for name in own:
        if name != "torso":
            misfit = max(misfit, float(np.abs(alone.motor_effort(name) - whole.motor_effort(name)).max()))
            largest = max(largest, float(np.abs(whole.motor_effort(name)).max()))
    outcome.at_most("efforts of the motors against the whole figure", misfit / largest, SAME_EFFORT)
    held, carried = alone.motor_effort("torso")[:, :3], whole.reaction(WAIST).force
    misfit = np.abs(held - carried).max() / np.abs(carried).max()
    outcome.at_most("force on the torso against the whole figure", misfit, SAME_EFFORT)
    times = [1e3 * done.stats.cpu_time / round(duration / DT) for done in (whole, alone)]
    outcome.above("time of a step, whole figure over upper body", times[0] / times[1], 1.0)
    waved = {**own, "left shoulder roll": swing(0.5, 3.0), "left elbow": swing(-0.6, 5.0)}
    changed = sarrus.simulate(part, duration, DT, "bdf2", inputs=waved, reactions=True)
    outcome.at_most("violation with another motion of the arm", changed.violation().max(), MET)
    figure, ((left, right),) = panels(1, 2)
    for done, text, colour in ((alone, "as recorded", OURS), (changed, "another motion of the arm", OTHER)):
        force = np.linalg.norm(done.motor_effort("torso")[:, :3], axis=1)
        left.plot(done.time, force, color=colour, lw=0.9, label=text)
        right.plot(done.time, done.motor_effort("left shoulder roll"), color=colour, lw=0.9, label=text)
    left.plot(whole.time, np.linalg.norm(carried, axis=1), "k:", lw=0.9, label="whole figure")
    label(left, "force that holds the torso", "time [s]", "[N]")
    label(right, "left shoulder roll", "time [s]", "[N m]", legend=False)
    outcome.save(figure)
    return outcome.finish(step_ms={"whole": times[0], "upper body": times[1]})


def upper_body() -> sarrus.Mechanism:
    """The torso of `gallery.overactuated_legs` with all that hangs on it, and a motion of the torso."""
    mechanism = sarrus.gallery.overactuated_legs()
    kept, growing = {TORSO}, True
    while growing:
        more = {
            joint.child
            for joint in mechanism.joints.values()
            if joint.parent in kept and joint.child not in kept
        }
        kept |= more
        growing = bool(more)
    for name in [n for n, joint in mechanism.joints.items() if {joint.parent, joint.child} - kept]:
        for motor in [m for m, drive in mechanism.motors.items() if drive.joint == name]:
            del mechanism.motors[motor]
        del mechanism.joints[name]
    for name in [n for n in mechanism.bodies if n not in kept]:
        del mechanism.bodies[name]
    mechanism.add_motion("torso", TORSO)
    return mechanism
