"""Links of URDF files that move without a mass: they borrow some, or are refused."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from tests.unit.importers.test_urdf import loaded, notes
from tests.unit.importers.urdf_texts import joint, link, robot

import sarrus


def test_a_link_without_mass_between_two_moving_joints_does_not_change_the_motion(tmp_path):
    """Two crossed hinges with nothing between them are a universal joint."""
    text = robot(
        '<link name="base"/>', '<link name="cross"/>', link("arm"),
        joint("first", "base", "cross", axis="1 0 0"),
        joint("second", "cross", "arm", rpy="0 0.4 0", axis="0 1 0"),
    )  # fmt: skip
    mech = loaded(tmp_path, text)
    got = "no mass in the file, so it takes 1e-9 of that of 'arm' and 1e-9 of its inertia"
    assert notes(mech)["link", "cross"] == got
    np.testing.assert_allclose(sum(body.mass for body in mech.bodies.values()), 1.0, rtol=1e-15)
    plain = sarrus.Mechanism()
    arm = mech.bodies["arm"]
    plain.add_body("arm", arm.mass, arm.inertia, position=arm.position, orientation=arm.orientation)
    plain.add_joint("both", "universal", "world", "arm", at=(0, 0, 0), axis=(1, 0, 0), axis2=(0, 1, 0))
    ends = []
    for made, names in ((mech, ("first", "second")), (plain, ("both",))):
        model = sarrus.build(made)
        speed = {"first": 1.0} if len(names) == 2 else {"both": (1.0, 0.0)}
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # nothing is said about the time step of so light a link
            run = sarrus.simulate(model, duration=0.2, dt=0.005, state=model.state(velocities=speed))
        ends.append(run.body("arm").position[-1])
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-8)  # 1e-9 of the mass moves it by no more


SENSOR = '<visual><geometry><sphere radius="0.02"/></geometry></visual>'
EMPTY = f'<link name="pan">{SENSOR}</link><link name="tilt">{SENSOR}</link>'
PAN = joint("first", "base", "pan")
FAST = joint("second", "pan", "tilt", kind="fixed")
TILT = joint("second", "pan", "tilt", axis="1 0 0")
ROTOR = '<inertial><mass value="0"/><inertia ixx="1e-3" iyy="1e-3" izz="1e-3"/></inertial>'


@pytest.mark.parametrize(
    ("parts", "named"),
    [
        ((EMPTY, PAN, TILT), "joint 'first' moves the link 'pan'"),
        ((EMPTY, joint("first", "base", "pan", kind="fixed"), TILT), "joint 'second' moves the link 'tilt'"),
        ((EMPTY.replace(SENSOR, ROTOR), PAN, TILT.replace("continuous", "prismatic")), "joint 'second'"),
        ((EMPTY, PAN, TILT.replace("</joint>", '<mimic joint="first"/></joint>')), "joint 'first'"),
    ],
)
def test_a_joint_that_moves_nothing_with_a_mass_is_refused_by_name(tmp_path, parts, named):
    with pytest.raises(sarrus.FileError, match=named + ".* has a mass, so its motion is undefined"):
        loaded(tmp_path, robot(link("base"), *parts))


@pytest.mark.parametrize(
    "parts",
    [
        (EMPTY.replace(SENSOR, ROTOR), PAN, TILT),
        (EMPTY, PAN, FAST, link("arm"), joint("third", "tilt", "arm")),
        (EMPTY, PAN.replace("</joint>", '<dynamics armature="0.1"/></joint>'), FAST),
        (EMPTY, PAN.replace("</joint>", '<mimic joint="third"/></joint>'), FAST, link("arm"),
         joint("third", "base", "arm")),
    ],
    ids=["inertia", "carries", "rotor", "mimic"],
)  # fmt: skip
def test_a_link_without_mass_moves_where_its_motion_is_defined(tmp_path, parts):
    mech = loaded(tmp_path, robot(link("base"), *parts))
    run = sarrus.simulate(sarrus.build(mech), duration=0.05, dt=0.005)
    assert np.all(np.isfinite(run.position))
    assert run.violation().max() < 1e-9
