"""Measures whether robots hold their home pose with their own controls as in MuJoCo; writes
benchmarks/HOLDING.md.

    python -m benchmarks.holding FOLDER/unitree_a1/a1.xml FOLDER/robotiq_2f85/2f85.xml

Hanging: the base held, nothing touches, no dry friction; both start at the first keyframe with its
controls (the reference and the middle of the ranges where there is none), and run until they rest.
Standing: on the ground with all that the file says but dry friction, 5 s."""

from __future__ import annotations

import argparse
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np

import sarrus

from .robots import write_report

FILE = Path(__file__).resolve().parent / "HOLDING.md"
DT = 0.002  # [s]
STANDING, LONGEST = 5.0, 60.0  # [s]
REST = 1e-9
"""[rad/s, m/s] a robot whose joints are slower than this has settled: MuJoCo's by their velocities, ours by
how far they came since the last look, since a joint that rests on a limit is read out with up to 1e-5."""
STIFF = (-1e6, -2e3)
"""MuJoCo's equalities and limits as stiff as its steps allow: ours are exact."""

HEADS = [
    "robot", "bodies", "joints", "motors", "settled after [s]", "MuJoCo [s]", "equilibrium apart [rad, m]",
    "moved from home [rad, m]", "feet carry the weight to", "smallest gap [m]",
]  # fmt: skip


@dataclass(frozen=True)
class Held:
    """Where the joints of a robot came to rest: coordinates by name, and when [s]; None: it did not."""

    joints: dict[str, float]
    time: float | None


def quiet(path: Path, **options: bool) -> sarrus.Mechanism:
    """The robot without dry friction, and without the warning about what is left out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sarrus.LossyImport)
        mech = sarrus.load(path, **options)
    mech.joint_frictions.clear()
    return mech


def hanging(path: Path) -> sarrus.Mechanism:
    """The robot with its base held, in empty space."""
    mech = quiet(path, fixed_base=True)
    for bounds in (mech.contacts, mech.obstacles, mech.ropes):
        bounds.clear()
    return mech


def peer_of(path: Path) -> tuple[mujoco.MjModel, dict[str, float], np.ndarray]:
    """(MuJoCo's model of the robot hanging, its start by joint, its controls)."""
    whole = mujoco.MjModel.from_xml_path(str(path))
    qpos = whole.key_qpos[0] if whole.nkey else whole.qpos0
    ctrl = whole.key_ctrl[0].copy() if whole.nkey else middle_of(whole)
    start = {
        whole.joint(j).name: float(qpos[whole.jnt_qposadr[j]])
        for j in range(whole.njnt)
        if int(whole.jnt_type[j]) in (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))
    }
    spec = mujoco.MjSpec.from_file(str(path))
    for joint in [j for j in spec.joints if j.type == mujoco.mjtJoint.mjJNT_FREE]:
        spec.delete(joint)
    for key in list(spec.keys):
        spec.delete(key)
    model = spec.compile()
    off = mujoco.mjtDisableBit
    for flag in (off.mjDSBL_CONTACT, off.mjDSBL_FRICTIONLOSS):
        model.opt.disableflags |= int(flag)
    model.opt.timestep, model.opt.integrator = 0.0005, int(mujoco.mjtIntegrator.mjINT_IMPLICITFAST)
    model.opt.iterations, model.opt.tolerance = 200, 1e-15
    for softness in ("eq_sol", "jnt_sol", "tendon_sol"):
        end = "_lim" if softness == "tendon_sol" else ""
        getattr(model, f"{softness}ref{end}")[:] = STIFF
        getattr(model, f"{softness}imp{end}")[:, :2] = 0.9999
    return model, start, ctrl


def middle_of(model: mujoco.MjModel) -> np.ndarray:
    """Controls in the middle of their ranges; 0 where they have none."""
    return model.actuator_ctrllimited * model.actuator_ctrlrange.mean(axis=1)


def mujoco_rest(path: Path) -> Held:
    """Where MuJoCo's robot comes to rest."""
    model, start, ctrl = peer_of(path)
    data = mujoco.MjData(model)
    for name, q in start.items():
        data.qpos[model.joint(name).qposadr[0]] = q
    data.ctrl[:] = ctrl
    settled = None
    while data.time < LONGEST and settled is None:
        for _ in range(1000):
            mujoco.mj_step(model, data)
        if np.abs(data.qvel).max(initial=0.0) < REST:
            settled = float(data.time)
    return Held({name: float(data.qpos[model.joint(name).qposadr[0]]) for name in start}, settled)


def our_rest(path: Path, start: dict[str, float], controls: np.ndarray) -> tuple[Held, sarrus.Model]:
    """Where the robot comes to rest here, from the same start; controls: where it has no keyframe."""
    mech = hanging(path)
    model = sarrus.build(mech)
    report = mech.import_report
    key = next(iter(mech.keyframes), None)
    inputs = model.keyframe_inputs(key) if key else model.control_inputs(controls)
    state = model.state(keyframe=key) if key else model.state()
    settled, time, before = None, 0.0, coordinates_of(model, state)
    while time < LONGEST and settled is None:
        run = sarrus.simulate(
            model, STANDING, DT, state=state, inputs=inputs, record_every=500, allow_overlap=True
        )
        state, time = run.final_state, time + STANDING
        now = coordinates_of(model, state)
        if np.abs(now - before).max(initial=0.0) < REST * STANDING:
            settled = time
        before = now
    joints = {}
    for name in start:
        if name in report.coordinates:
            place = report.coordinates[name]
            joints[name] = (
                float(np.atleast_1d(state.joint_position(place.joint))[place.component]) + place.offset
            )
    return Held(joints, settled), model


def coordinates_of(model: sarrus.Model, state: sarrus.State) -> np.ndarray:
    """All joint coordinates at a state."""
    moving = [name for name, part in model.joint_slices.items() if part.stop > part.start]
    return np.concatenate([np.atleast_1d(state.joint_position(name)) for name in moving])


def standing(path: Path) -> tuple[str, str]:
    """(how well the feet carry the weight, smallest gap) after 5 s on the ground."""
    mech = quiet(path)
    if not any(isinstance(obstacle.shape, sarrus.HalfSpace) for obstacle in mech.obstacles.values()):
        mech = quiet(path, ground=True)
    model = sarrus.build(mech)
    free = [j for j in mech.joints.values() if getattr(j, "kind", "") == "free"]
    if not free or not mech.keyframes:
        return "-", "-"
    key = next(iter(mech.keyframes))
    run = sarrus.simulate(
        model, STANDING, DT, state=model.state(keyframe=key), inputs=model.keyframe_inputs(key),
        record_every=50, allow_overlap=True,
    )  # fmt: skip
    weight = float(np.sum(model.masses) * np.linalg.norm(mech.gravity))
    carried = sum(run.contact_force(name)[-1] for name in model.body_names)
    return f"{abs(float(carried[2]) / weight - 1.0):.0e}", f"{run.gap().min():.0e}"


def measure(path: Path) -> list[str]:
    """One row of the table."""
    there, (_, start, controls) = mujoco_rest(path), peer_of(path)
    ours, model = our_rest(path, start, controls)
    apart = max((abs(q - there.joints[name]) for name, q in ours.joints.items()), default=0.0)
    moved = max((abs(q - start[name]) for name, q in ours.joints.items()), default=0.0)
    carried, gap = standing(path)
    times = [f"{held.time:.0f}" if held.time else f"not in {LONGEST:.0f}" for held in (ours, there)]
    name = path.stem if path.stem not in ("robot", "scene") else f"{path.parent.name} {path.stem}"
    return [
        name, f"{len(model.body_names)}", f"{len(ours.joints)}", f"{len(model.mechanism.motors)}", *times,
        f"{apart:.0e}", f"{moved:.0e}", carried, gap,
    ]  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    """Measures the robots of the given files."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.holding", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, help="MJCF files of robots")
    rows = [measure(path) for path in parser.parse_args(arguments).files]
    text = [
        "# Robots at their home pose",
        "",
        "Written by `python -m benchmarks.holding FILES`; do not edit. Hanging: base held, without",
        "contacts and dry friction, from the first keyframe with its controls (none: the reference, controls",
        "in the middle of their ranges) until all joints move by less than 1e-9 rad/s, looked at every 5 s",
        "(MuJoCo: every 0.5 s); by how much the joints of MuJoCo and ours then differ. Standing: 5 s on the",
        "ground, sum of the contact forces over weight. The files come from packages and are not kept here.",
        "Robots whose motors are plain torques (Cassie, the arms of robosuite) hold no pose in MuJoCo",
        "either: their joints move by more than 0.8 rad within 5 s of the same start.",
    ]
    write_report(FILE, text, HEADS, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
