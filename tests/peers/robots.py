"""MJCF trees for comparison with MuJoCo: every type of joint, several joints on a body, springs, dampers."""

from __future__ import annotations

import warnings
from pathlib import Path

import mujoco
import numpy as np

import sarrus
from sarrus.errors import LossyImport

MODELS = Path(__file__).resolve().parents[2].parent / "shared" / "models"
"""Robots beside the repository; tests that need them are collected only where they are."""
ROBOTS = [p for p in (MODELS / "unitree_a1/a1.xml", MODELS / "agility_cassie/cassie.xml") if p.is_file()]

HANDS = [p for p in (MODELS / "robotiq_2f85/2f85.xml", MODELS / "shadow_hand/right_hand.xml") if p.is_file()]

BALL = '<inertial pos="0.03 0.02 -0.1" mass="0.8" fullinertia="0.02 0.015 0.012 0.001 -0.002 0.0015"/>'


def tree(*bodies: str, options: str = "") -> str:
    """An MJCF document with these bodies in the world."""
    return f"<mujoco><option {options}/><worldbody>{''.join(bodies)}</worldbody></mujoco>"


def body(
    name: str, joints: str, inside: str = "", pos: str = "0.1 0.05 -0.3", quat: str = "0.9 0.2 0.3 -0.1"
) -> str:
    """A body of 0.8 kg, its centre of mass off its origin, with joints and bodies inside."""
    return f'<body name="{name}" pos="{pos}" quat="{quat}">{BALL}{joints}{inside}</body>'


def joint(kind: str, name: str, more: str = "") -> str:
    """A joint with a point off the origin of the body."""
    return f'<joint name="{name}" type="{kind}" pos="0.01 -0.02 0.03" {more}/>'


SAME = "0.01 -0.02 0.03"
TREES = {
    "hinge and slide": body(
        "a",
        joint("hinge", "h", 'axis="0 1 0.2" damping="0.3" armature="0.05" stiffness="4" springref="30"'),
        body("b", joint("slide", "s", 'axis="1 0 1" damping="2" stiffness="80" ref="0.2" armature="0.3"')),
    ),
    "ball": body("a", joint("ball", "b1", 'stiffness="3"'), body("b", joint("ball", "b2"))),
    "ball with dampers and armatures": body(
        "a",
        joint("ball", "b1", 'stiffness="3" damping="0.3" armature="0.05"'),
        body("b", joint("ball", "b2", 'damping="0.2"'), body("c", joint("ball", "b3", 'armature="0.02"'))),
    ),
    "floating with dampers": body(
        "a", '<joint type="free" name="f" damping="0.4" armature="0.3"/>', body("b", joint("ball", "b2"))
    ),
    "free": body(
        "a", '<freejoint name="f"/>', body("b", joint("hinge", "h", 'axis="1 0 0" damping="0.1" ref="-45"'))
    ),
    "universal": body(
        "a",
        joint("hinge", "x", 'axis="1 0 0" damping="0.2" armature="0.04"')
        + joint("hinge", "y", 'axis="0 1 0" stiffness="5" ref="20"'),
        body("b", joint("hinge", "h", 'axis="0 0 1"')),
    ),
    "three hinges": body(
        "a",
        joint("hinge", "x", 'axis="1 0 0" damping="0.2"')
        + joint("hinge", "y", 'axis="0 1 0" stiffness="5"')
        + joint("hinge", "z", 'axis="0 0 1" armature="0.03" springref="10"'),
    ),
    "oblique hinges apart": body(
        "a",
        '<joint name="x" type="hinge" axis="1 0 0.3" pos="0.1 0 0"/>'
        '<joint name="y" type="hinge" axis="0.5 1 0" pos="0 0.1 0.1" damping="0.1"/>'
        '<joint name="z" type="hinge" axis="0 1 1" pos="0 0 0.1" stiffness="2"/>',
        body("b", joint("slide", "s", 'axis="1 1 0" stiffness="90"')),
    ),
    "cylindrical": body(
        "a",
        joint("slide", "s", 'axis="0 1 1" stiffness="60" damping="1"')
        + joint("hinge", "h", 'axis="0 1 1" damping="0.1" armature="0.02"'),
        body("b", joint("hinge", "h2", 'axis="1 0 0"') + joint("slide", "s2", 'axis="1 0 0" stiffness="70"')),
    ),
    "planar": body(
        "a",
        joint("slide", "x", 'axis="1 0 0" stiffness="20"')
        + joint("slide", "z", 'axis="0 0 1" damping="1" stiffness="30"')
        + joint("hinge", "y", 'axis="0 1 0" damping="0.2"'),
        body("b", joint("hinge", "h", 'axis="0 1 0"')),
        quat="1 0 0 0",
    ),
    "three slides and a ball": body(
        "a",
        joint("slide", "z", 'axis="0 0 1" stiffness="50"')
        + joint("slide", "x", 'axis="1 0 0" stiffness="60" damping="2"')
        + joint("slide", "y", 'axis="0 1 0" armature="0.5"')
        + joint("ball", "b", 'stiffness="2"'),
        quat="1 0 0 0",
    ),
    "slides with a hinge, and in a plane with a ball": body(
        "a",
        joint("slide", "z", 'axis="0 0 1" stiffness="50"')
        + joint("slide", "x", 'axis="1 0 0" stiffness="60" damping="2"')
        + joint("slide", "y", 'axis="0 1 0" armature="0.5"')
        + joint("hinge", "h", 'axis="1 2 0" stiffness="2"'),
        body(
            "b",
            joint("slide", "x2", 'axis="1 0 0" stiffness="50"')
            + joint("slide", "y2", 'axis="0 1 0" stiffness="60" damping="2"')
            + joint("ball", "t", 'stiffness="2"'),
            quat="1 0 0 0",
        ),
        quat="1 0 0 0",
    ),
    "slide before a hinge and a ball": body(
        "a",
        joint("slide", "s", 'axis="1 0 0" stiffness="50"')
        + joint("hinge", "h", 'axis="0 1 0" damping="0.1"'),
        body(
            "b",
            joint("slide", "s2", 'axis="0 1 1" stiffness="60" damping="1"') + joint("ball", "b2"),
        ),
    ),
    "slide after a hinge": body(
        "a",
        joint("hinge", "h", 'axis="0 1 0" damping="0.1"')
        + joint("slide", "s", 'axis="1 0 0" stiffness="50"'),
        body(
            "b",
            joint("slide", "s1", 'axis="1 0 0" stiffness="40"')
            + joint("slide", "s2", 'axis="0 0 1" stiffness="40"'),
        ),
    ),
    "fixed links": body(
        "a",
        joint("hinge", "h", 'axis="0 1 0"'),
        body("mount", "", body("b", joint("hinge", "h2", 'axis="1 0 0"')))
        + '<body name="camera" pos="0.1 0 0">'
        + body("c", joint("slide", "s", 'axis="1 0 0" stiffness="40"'))
        + "</body>",
    ),
    "carried weight": body(
        "a",
        joint("hinge", "h", 'axis="0 1 0"'),
        body("b", joint("hinge", "h2", 'axis="1 0 0"')).replace('name="b"', 'name="b" gravcomp="0.7"'),
    ),
}


def load_quietly(path, **options) -> sarrus.Mechanism:
    """The mechanism of a file, without the warning about what is left out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LossyImport)
        return sarrus.load(path, **options)


def without_bounds(mech: sarrus.Mechanism) -> sarrus.Mechanism:
    """The mechanism without limits, friction and contacts, which MuJoCo has in another form."""
    for table in (mech.limits, mech.joint_frictions, mech.contacts, mech.obstacles, mech.motors):
        table.clear()
    return mech


def mujoco_run(path, qpos, qvel, duration: float, dt: float, *, ctrl=None):
    """MuJoCo's model and data after a run by RK4 without limits, friction, contacts and equalities."""
    model = mujoco.MjModel.from_xml_path(str(path))
    off = mujoco.mjtDisableBit
    flags = [off.mjDSBL_CONTACT, off.mjDSBL_LIMIT, off.mjDSBL_FRICTIONLOSS, off.mjDSBL_EQUALITY]
    if ctrl is None:
        flags.append(off.mjDSBL_ACTUATION)
    for flag in flags:
        model.opt.disableflags |= int(flag)
    model.opt.integrator = int(mujoco.mjtIntegrator.mjINT_RK4)
    model.opt.timestep = dt
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = qpos, qvel
    if ctrl is not None:
        data.ctrl[:] = ctrl
    for _ in range(round(duration / dt)):
        mujoco.mj_step(model, data)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    return model, data


def random_motion(path, seed: int, spread: float = 0.4, speed: float = 1.0):
    """(qpos, qvel) near the reference of a model, at random."""
    model = mujoco.MjModel.from_xml_path(str(path))
    rng = np.random.default_rng(seed)
    qpos = model.qpos0.copy()
    mujoco.mj_integratePos(model, qpos, spread * rng.normal(size=model.nv), 1.0)
    return qpos, speed * rng.normal(size=model.nv)
