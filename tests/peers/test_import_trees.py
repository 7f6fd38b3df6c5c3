"""Imported trees beside MuJoCo: the same file moves in the same way."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import sarrus

from .random_robots import random_robot
from .robots import ROBOTS, TREES, body, joint, load_quietly, mujoco_run, random_motion, tree, without_bounds

DURATION, DT = 0.3, 1e-4
AGREEMENT = 1e-6
"""[m] our second-order error at this dt, implicit dampers and springs of up to 50 rad/s included: 4e-7 m."""
ROBOT_AGREEMENT = 1e-5
"""[m] Cassie's heel springs swing at 1000 rad/s: 9e-6 m at this dt, a quarter of it at half the dt."""
RANDOM_AGREEMENT = 5e-6
"""[m] of sixty random robots the worst ends 1.6e-6 m apart."""
SERVO_AGREEMENT = 1e-6


def with_start(text: str, qpos, qvel, ctrl=()) -> str:
    """The document with a keyframe "start"."""
    numbers = [" ".join(map(repr, map(float, q))) for q in (qpos, qvel, ctrl)]
    key = f'<key name="start" qpos="{numbers[0]}" qvel="{numbers[1]}" ctrl="{numbers[2]}"/>'
    return text.replace("</mujoco>", f"<keyframe>{key}</keyframe></mujoco>")


def largest_distance(mech, there, keyframe: str, inputs=None) -> float:
    """[m] how far apart any centre of mass ends here and in MuJoCo (model, data), from the same start."""
    model, data = there
    built = sarrus.build(mech)
    start = built.state(keyframe=keyframe)
    ours = sarrus.simulate(built, duration=DURATION, dt=DT, state=start, inputs=inputs, record_every=1000)
    names = {mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, b): b for b in range(1, model.nbody)}
    assert names.keys() >= {name for name in built.body_names if "/" not in name}
    return max(
        float(np.linalg.norm(ours.position[-1, i] - data.xipos[names[name]]))
        for i, name in enumerate(built.body_names)
        if name in names
    )


@pytest.mark.parametrize("name", TREES)
def test_a_tree_moves_as_in_mujoco(name, tmp_path):
    path = tmp_path / "tree.xml"
    path.write_text(tree(TREES[name]))
    qpos, qvel = random_motion(path, seed=1)
    path.write_text(with_start(tree(TREES[name]), qpos, qvel))
    mech = without_bounds(load_quietly(path))
    there = mujoco_run(path, qpos, qvel, DURATION, DT)
    assert largest_distance(mech, there, "start") <= AGREEMENT


@pytest.mark.parametrize("seed", range(12))
def test_a_random_robot_moves_as_in_mujoco(seed, tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text(random_robot(seed))
    qpos, qvel = random_motion(path, seed, spread=0.3)
    path.write_text(with_start(path.read_text(), qpos, qvel))
    mech = without_bounds(load_quietly(path))
    there = mujoco_run(path, qpos, qvel, DURATION, DT)
    assert largest_distance(mech, there, "start") <= RANDOM_AGREEMENT


def test_motors_servos_and_dampers_drive_as_in_mujoco(tmp_path):
    links = body(
        "a",
        joint("hinge", "h", 'axis="0 1 0" ref="20"'),
        body("b", joint("slide", "s", 'axis="1 0 0"') + joint("hinge", "t", 'axis="1 0 0" damping="0.1"')),
    )
    actuators = (
        '<motor name="m" joint="h" gear="3" armature="0.01" damping="0.02"/>'
        '<position name="p" joint="s" kp="80" kv="2" gear="2"/>'
        '<velocity name="v" joint="t" kv="0.2" gear="1.5"/>'
        '<general name="g" joint="h" gainprm="4" biastype="affine" biasprm="1 -6 -0.3" gear="0.5"/>'
    )
    text = tree(links).replace("</mujoco>", f"<actuator>{actuators}</actuator></mujoco>")
    path = tmp_path / "tree.xml"
    path.write_text(text)
    qpos, qvel = random_motion(path, seed=2)
    ctrl = np.array([0.7, 0.2, -3.0, 0.4])
    path.write_text(with_start(text, qpos, qvel, ctrl))
    mech = load_quietly(path)
    assert len(mech.motors) == 4
    inputs = {name: float(np.squeeze(value)) for name, value in mech.keyframes["start"].inputs.items()}
    there = mujoco_run(path, qpos, qvel, DURATION, DT, ctrl=ctrl)
    assert largest_distance(mech, there, "start", inputs) <= SERVO_AGREEMENT


def test_a_straight_tendon_pulls_as_in_mujoco(tmp_path):
    links = body("a", joint("hinge", "h", 'axis="0 1 0"'), '<site name="s" pos="0.2 0 0.1"/>')
    text = tree('<site name="w" pos="0.5 0.3 0.4"/>' + links)
    sites = '<site site="w"/><site site="s"/>'
    tendon = f'<tendon><spatial stiffness="60" damping="3" springlength="0.1">{sites}</spatial></tendon>'
    path = tmp_path / "tree.xml"
    path.write_text(text.replace("</mujoco>", f"{tendon}</mujoco>"))
    qpos, qvel = random_motion(path, seed=5)
    path.write_text(with_start(path.read_text(), qpos, qvel))
    there = mujoco_run(path, qpos, qvel, DURATION, DT)
    assert largest_distance(load_quietly(path), there, "start") <= AGREEMENT


@pytest.mark.parametrize("path", ROBOTS, ids=lambda path: path.stem)
@pytest.mark.parametrize("moving", [False, True], ids=["at rest", "moving"])
def test_a_robot_without_its_loops_moves_as_in_mujoco(path, moving):
    mech = without_bounds(load_quietly(path))
    for name in [n for n in mech.joints if n.startswith("connect")]:
        del mech.joints[name]
    model = mujoco.MjModel.from_xml_path(str(path))
    qpos, qvel = model.key_qpos[0].copy(), np.zeros(model.nv)
    if moving:
        rng = np.random.default_rng(3)
        for joint_name, place in mech.import_report.coordinates.items():
            speed = rng.normal()
            qvel[model.joint(joint_name).dofadr[0]] = speed
            mech.keyframes["home"].velocities[place.joint] = np.array([speed])
    there = mujoco_run(path, qpos, qvel, DURATION, DT)
    assert largest_distance(mech, there, "home") <= ROBOT_AGREEMENT
