"""Placement: joints lie where the rods are, loops close, masses and inertias are those documented."""

import numpy as np
import pytest
from tests.unit.gallery.mobility import rotation

from sarrus import gallery
from sarrus.mechanism import Joint

CLOSURE = 1e-12  # every loop closes to this, in metres
ROUNDING = 1e-14

OF_RODS = [
    ("pendulum", {}),
    ("four_bar", {}),
    ("three_link_loop", {}),
    ("double_four_bar", {}),
    ("rhombus_chain", {"segments": 4}),
    ("slider_crank", {}),
    ("scissor_lift", {}),
    ("hoberman_ring", {}),
    ("hoberman_ring", {"units": 7, "deployment": 0.3}),
    ("bricard", {}),
    ("sarrus", {}),
    ("bennett", {}),
    ("bennett", {"twist": 0.4, "twist2": 1.9, "angle": -2.0}),
    ("free_chain", {}),
    ("tree", {"branching": 3}),
]


def rod_points(body):
    """Ends and middle of each half of a rod, (N, 3) in the world."""
    R = rotation(body.orientation)
    points = []
    for shape in body.shapes:
        axis = rotation(shape.orientation)[:, 2] * shape.size[2] / 2
        points += [body.position + R @ (shape.at + s * axis) for s in (-1, 0, 1)]
    return np.array(points)


@pytest.mark.parametrize(("name", "parameters"), OF_RODS)
def test_every_joint_lies_on_the_end_or_the_middle_of_its_rods(name, parameters):
    mech = gallery.make(name, **parameters)
    for joint in mech.joints.values():
        assert isinstance(joint, Joint)
        for name_of in (joint.parent, joint.child):
            if name_of in ("world", "slider", "plate", "platform"):
                continue
            gaps = np.linalg.norm(rod_points(mech.bodies[name_of]) - joint.at, axis=1)
            assert np.min(gaps) < CLOSURE, (joint.name, name_of)


@pytest.mark.parametrize(
    ("name", "parameters", "mass"),
    [
        ("pendulum", {"links": 7}, 7.0),
        ("rhombus_chain", {"segments": 2}, 8.0),
        ("double_four_bar", {}, 5.0),
        ("three_link_loop", {}, 2.0 + np.sqrt(0.5)),
        ("four_bar", {}, 2.3),
        ("bricard", {}, 5.0),
        ("hoberman_ring", {}, 12.0),
        ("scissor_lift", {"segments": 2, "load": 3.0}, 7.0),
        ("sarrus", {}, 6.0),
        ("tree", {"depth": 2, "branching": 3}, 1.0 + 3 * 0.8),
        ("gyroscope", {}, 1.3),
    ],
)
def test_the_whole_mass_is_as_documented(name, parameters, mass):
    mech = gallery.make(name, **parameters)
    assert sum(body.mass for body in mech.bodies.values()) == pytest.approx(mass, rel=ROUNDING)


def test_the_links_of_the_pendulum_are_the_boxes_of_the_benchmark_lying_along_y():
    mech = gallery.pendulum(links=2)
    body = mech.bodies["link 2"]
    np.testing.assert_allclose(body.position, [0, 1.5, 0], atol=ROUNDING)
    np.testing.assert_allclose(np.diag(body.inertia), [1.01 / 12, 1.01 / 12, 0.02 / 12], rtol=100 * ROUNDING)
    np.testing.assert_allclose(rotation(body.orientation) @ [0, 0, -1], [0, 1, 0], atol=ROUNDING)
    np.testing.assert_allclose(mech.joints["joint 2"].at, [0, 1, 0], atol=ROUNDING)
    np.testing.assert_allclose(mech.joints["joint 2"].axis, [1, 0, 0], atol=ROUNDING)


def test_a_pendulum_at_angle_zero_hangs_with_the_identity_orientation():
    body = gallery.pendulum(links=1, angle=0.0).bodies["link 1"]
    np.testing.assert_array_equal(body.orientation, [1, 0, 0, 0])
    np.testing.assert_allclose(body.position, [0, 0, -0.5])


def test_the_rhombus_hangs_as_in_the_benchmark():
    """Corners of one rhombus: half opening angle pi/8 about a line tilted by pi/4 from the vertical."""
    joints = gallery.rhombus_chain().joints
    tip = 2 * np.cos(np.pi / 8) * np.array([0, np.sqrt(0.5), -np.sqrt(0.5)])
    np.testing.assert_allclose(joints["tip 1"].at, tip, atol=ROUNDING)
    for hand, angle in (("right", np.pi / 4 + np.pi / 8), ("left", np.pi / 4 - np.pi / 8)):
        elbow = joints[f"{hand} elbow 1"].at
        np.testing.assert_allclose(elbow, [0, np.sin(angle), -np.cos(angle)], atol=ROUNDING)


def test_bricards_axes_are_perpendicular_to_both_rods_and_twist_by_right_angles():
    mech = gallery.bricard()
    axes = [joint.axis for joint in mech.joints.values()]
    points = [joint.at for joint in mech.joints.values()]
    for i in range(6):
        link = points[(i + 1) % 6] - points[i]
        assert np.linalg.norm(link) == pytest.approx(1.0, abs=CLOSURE)
        assert abs(link @ axes[i]) < CLOSURE
        assert abs(link @ axes[(i + 1) % 6]) < CLOSURE
        assert abs(axes[i] @ axes[(i + 1) % 6]) < CLOSURE


def test_bennetts_links_have_his_lengths_and_twists():
    alpha, beta = 0.5, 1.1
    mech = gallery.bennett(length=0.7, twist=alpha, twist2=beta)
    order = ["joint 4", "joint 1", "joint 2", "joint 3"]
    at = [mech.joints[name].at for name in order]
    axis = [mech.joints[name].axis for name in order]
    lengths = [0.7, 0.7 * np.sin(beta) / np.sin(alpha)] * 2
    for i, (length, twist) in enumerate(zip(lengths, [alpha, beta] * 2, strict=True)):
        link = at[(i + 1) % 4] - at[i]
        assert np.linalg.norm(link) == pytest.approx(length, abs=CLOSURE)
        assert abs(link @ axis[i]) < CLOSURE
        assert abs(link @ axis[(i + 1) % 4]) < CLOSURE
        assert axis[i] @ axis[(i + 1) % 4] == pytest.approx(np.cos(twist), abs=CLOSURE)


@pytest.mark.parametrize("units", [3, 4, 5, 6, 8])
def test_the_joints_of_the_ring_lie_on_their_rays(units):
    mech = gallery.hoberman_ring(units=units)
    radius = 0.5 * np.sin(np.pi / 4) / np.sin(np.pi / units)
    centre = np.array([0, 0, -radius])
    for k in range(1, units + 1):
        for joint, angle in (
            (f"crossing {k}", 2 * np.pi * (k - 1) / units),
            (f"outer {k}", 2 * np.pi * (k - 0.5) / units),
            (f"inner {k}", 2 * np.pi * (k - 0.5) / units),
        ):
            out = mech.joints[joint].at - centre
            np.testing.assert_allclose(out[1] * np.cos(angle), out[2] * np.sin(angle), atol=CLOSURE)
    np.testing.assert_allclose(mech.joints["guide"].at[1], 0.0, atol=CLOSURE)


def test_the_t_handle_spins_about_its_middle_axis():
    body = gallery.t_handle().bodies["handle"]
    moments = np.diag(body.inertia)
    np.testing.assert_allclose(body.inertia, np.diag(moments), atol=ROUNDING)
    assert moments[1] < moments[2] < moments[0]
    assert moments[1] < 0.9 * moments[2] < 0.9 * 0.9 * moments[0]
    assert body.angular_velocity[2] == 5.0
