"""The 2F85 gripper on a hoist closes on a box by its own actuator and lifts it."""

from __future__ import annotations

import pytest

import sarrus

from .robots import MODELS, load_quietly

GRIPPER = [p for p in (MODELS / "robotiq_2f85/2f85.xml",) if p.is_file()]
LIFT, WEIGHT = 0.1, 0.1 * 9.81
DT, GRASP, DURATION = 0.002, 0.5, 2.5
# [m]: the hoist is a servo of 5e4 N/m that carries some 30 N, and the box may slip by less than that.
SLACK = 1e-3


def cell(path) -> sarrus.Mechanism:
    """The gripper, pointing down, on a vertical rail over a box of 0.1 kg that stands on the ground."""
    mech = sarrus.Mechanism(name="cell")
    mech.add_ground(friction=0.6)
    mech.add_body("lift", mass=2.0, inertia=(0.02, 0.02, 0.02), position=(0, 0, 0.25))
    mech.add_joint("rail", "prismatic", "world", "lift", at=(0, 0, 0.25), axis=(0, 0, 1))
    mech.add_motor("hoist", "rail", mode="servo", stiffness=5e4, damping=2e3)
    mech.add_frame("flange", "lift", at=(0, 0, 0.18), orientation=(0, 1, 0, 0))
    mech.attach(load_quietly(path), frame="flange", prefix="hand/")
    mech.add_body("box", mass=0.1, position=(0, 0, 0.03), shapes=[sarrus.Box((0.04, 0.04, 0.06))])
    for pad in ("hand/left_pad", "hand/right_pad"):
        mech.add_contact("box", pad, friction=0.8)
    for name in mech.bodies:
        if name != "box":
            mech.exclude(name, "ground")
    return mech


@pytest.mark.slow
@pytest.mark.parametrize("path", GRIPPER, ids=lambda path: path.stem)
def test_the_gripper_closes_on_a_box_by_its_own_actuator_and_lifts_it(path):
    model = sarrus.build(cell(path))

    def fingers(t):
        control = {"hand/fingers_actuator": min(255.0, 255.0 * t / GRASP)}
        return model.control_inputs(control)["hand/fingers_actuator"]

    def hoist(t):
        return min(max(LIFT * (t - 2 * GRASP), 0.0), LIFT)

    inputs = {"hoist": hoist, "hand/fingers_actuator": fingers}
    traj = sarrus.simulate(model, duration=DURATION, dt=DT, inputs=inputs)
    height = traj.body("box").position[:, 2]
    assert height[-1] - height[0] == pytest.approx(LIFT, abs=SLACK)
    assert traj.contact_force("box")[-2][2] == pytest.approx(WEIGHT, rel=1e-2)
    assert traj.motor_effort("hand/fingers_actuator")[-1] == pytest.approx(5.0)  # as the file limits it
    assert traj.violation().max() < 1e-9
    assert traj.gap().min() > -1e-6
