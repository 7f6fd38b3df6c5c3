"""The gallery against closed forms: the published double four-bar, straight lines, cones, rolling."""

import numpy as np
import pytest
from tests.unit.gallery.mobility import Joints, rotation

from sarrus import gallery

PUBLISHED = (0.32845811145, 0.94451853821)  # joint B0 after 10 s, printed with 11 digits
PUBLISHED_ERROR = 2e-10  # the reference and an ODE at 1e-12 agree to 1e-10
CLOSURE = 1e-12
ROUNDING = 1e-14


def one_freedom_energy(mech):
    """Kinetic and potential energy [J] of the mechanism at rest in place, moving as its bodies say."""
    kinetic = potential = 0.0
    for body in mech.bodies.values():
        w = body.angular_velocity
        kinetic += 0.5 * body.mass * body.velocity @ body.velocity + 0.5 * w @ body.inertia @ w
        potential -= body.mass * mech.gravity @ body.position
    return kinetic, potential


def test_the_double_four_bar_reaches_its_published_position():
    """Its one angle obeys J angle'' = M g sin(angle): J from the kinetic energy, M from the potential."""
    from scipy.integrate import solve_ivp

    kinetic, potential = one_freedom_energy(gallery.double_four_bar())
    inertia = 2 * kinetic  # at 1 rad/s
    done = solve_ivp(
        lambda t, y: [y[1], potential / inertia * np.sin(y[0])],
        (0, 10),
        [0.0, 1.0],
        method="DOP853",
        rtol=1e-12,
        atol=1e-12,
    )
    angle = done.y[0, -1]
    np.testing.assert_allclose((np.sin(angle), np.cos(angle)), PUBLISHED, atol=PUBLISHED_ERROR)


def test_the_double_four_bar_starts_with_all_tops_at_one_metre_per_second_along_y():
    mech = gallery.double_four_bar()
    body = mech.bodies["bar 0"]
    top = body.velocity + np.cross(rotation(body.orientation) @ body.angular_velocity, [0, 0, 0.5])
    np.testing.assert_allclose(top, [0, 1, 0], atol=ROUNDING)
    np.testing.assert_allclose(mech.frames["B0"].at, [0, 0, 1], atol=ROUNDING)
    assert mech.frames["B0"].body == "bar 0"


def test_the_plate_of_sarrus_linkage_goes_straight_up_and_down_without_turning():
    mech = gallery.sarrus()
    joints = Joints(mech)
    plate = joints.names.index("plate")
    before = joints.x[plate].copy()
    joints.wander(seed=3)
    assert abs(joints.x[plate][2] - before[2]) > 1e-2
    np.testing.assert_allclose(joints.x[plate][:2], 0.0, atol=CLOSURE)
    np.testing.assert_allclose(joints.R[plate], np.eye(3), atol=CLOSURE)


def test_the_platform_of_the_lift_stays_level_at_the_height_of_its_rods():
    mech = gallery.scissor_lift(segments=2)
    joints = Joints(mech)
    joints.wander(seed=1)
    platform, rod = joints.names.index("platform"), joints.names.index("rising 1")
    assert joints.x[platform][2] == pytest.approx(2 * joints.R[rod][2, 2], abs=CLOSURE)
    np.testing.assert_allclose(joints.R[platform], np.eye(3), atol=CLOSURE)


def test_the_slider_follows_the_crank_by_the_closed_form():
    mech = gallery.slider_crank()
    joints = Joints(mech)
    joints.wander(seed=0)
    crank, slider = joints.names.index("crank"), joints.names.index("slider")
    c, s = -joints.R[crank][1:, 2]  # the rod's z points back to the pivot
    assert joints.x[slider][1] == pytest.approx(0.3 * c + np.sqrt(0.81 - (0.3 * s) ** 2), abs=CLOSURE)


def test_bennetts_joint_angles_keep_his_relation():
    """Also far from the reference: a finite motion, not an infinitesimal one."""
    alpha, beta = np.pi / 4, np.pi / 3
    mech = gallery.bennett(twist=alpha, twist2=beta)
    joints = Joints(mech)
    joints.wander(seed=2, steps=25)
    ratio = np.sin((beta + alpha) / 2) / np.sin((beta - alpha) / 2)
    order = ["joint 4", "joint 1", "joint 2", "joint 3"]
    rods = ["rod 3", "rod 1", "rod 2", "rod 3"]
    at, axis = [], []
    for name, rod in zip(order, rods, strict=True):
        joint, body, i = mech.joints[name], mech.bodies[rod], joints.names.index(rod)
        R = joints.R[i] @ rotation(body.orientation).T
        at.append(joints.x[i] + R @ (joint.at - body.position))
        axis.append(R @ joint.axis)

    def angle(i):
        back, ahead = at[i] - at[i - 1], at[(i + 1) % 4] - at[i]
        return np.arctan2(np.cross(back, ahead) @ axis[i], back @ ahead)

    for i in range(4):
        product = np.tan(angle(i) / 2) * np.tan(angle((i + 1) % 4) / 2)
        assert abs(product) == pytest.approx(ratio, rel=1e-9)  # tangents near pi/2 lose three digits


def test_the_spherical_pendulum_starts_on_its_steady_cone():
    """Angular momentum about the pivot, turned at the rate of the cone, changes as gravity's moment says."""
    mech = gallery.spherical_pendulum(length=0.8, angle=0.6)
    ball = mech.bodies["ball"]
    w = rotation(ball.orientation) @ ball.angular_velocity
    momentum = np.cross(ball.position, ball.mass * ball.velocity) + ball.inertia @ w
    rate = ball.velocity[0] / -ball.position[1]  # about z
    moment = np.cross(ball.position, ball.mass * mech.gravity)
    np.testing.assert_allclose(np.cross([0, 0, rate], momentum), moment, atol=100 * ROUNDING)


def test_the_rolling_disc_touches_the_ground_with_a_point_at_rest():
    mech = gallery.rolling_disc()
    disc, rolling = mech.bodies["disc"], mech.joints["ground"]
    across = np.array([0, 0, 1]) - rolling.axis[2] * rolling.axis
    contact = disc.position - rolling.radius * across / np.linalg.norm(across)
    w = rotation(disc.orientation) @ disc.angular_velocity
    assert contact[2] == pytest.approx(0.0, abs=ROUNDING)
    slip = disc.velocity + np.cross(w, contact - disc.position)
    np.testing.assert_allclose(slip, 0.0, atol=ROUNDING)
    np.testing.assert_allclose(disc.inertia @ [0, 1, 0], [0, disc.inertia[1, 1], 0], atol=ROUNDING)
    assert disc.inertia[1, 1] == pytest.approx(0.5 * 0.5**2, rel=ROUNDING)  # m r^2 / 2 about the axis


def test_the_free_chain_has_momenta_to_conserve():
    mech = gallery.free_chain()
    linear = sum(b.mass * b.velocity for b in mech.bodies.values())
    assert np.linalg.norm(linear) > 1.0
    assert not mech.gravity.any()


def test_the_top_is_fast_enough_to_stand():
    """The sleeping top's condition: (J3 spin)^2 > 4 m g height J1, J1 about the tip."""
    top = gallery.spinning_top().bodies["top"]
    across = top.inertia[0, 0] + 0.2**2
    assert (top.inertia[2, 2] * 60.0) ** 2 > 4 * 9.81 * 0.2 * across
