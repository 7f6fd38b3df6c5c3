"""Points held on curves."""

import numpy as np
import pytest
from tests.physics.scenes import ratios

import sarrus

RADIUS = 0.5
# The spline through 257 points of the circle errs by 5e-9 radii; its speed by 1e-5 parts or less.
SPLINE = 1e-8
ORDER_2 = pytest.approx(4.0, abs=0.3)  # error ratio on halving dt


def on_circle(angle):
    """Point of a circle in the x-z plane, `angle` from the bottom."""
    return RADIUS * np.array([np.sin(angle), 0.0, -np.cos(angle)])


def bead(start, rate=0.0):
    """A bead on a circular wire, `start` from the bottom, going round at `rate` [rad/s]."""
    mechanism = sarrus.Mechanism()
    velocity = rate * RADIUS * np.array([np.cos(start), 0.0, np.sin(start)])
    mechanism.add_body("bead", 0.3, (1e-4, 1e-4, 1e-4), position=on_circle(start), velocity=velocity)

    def circle(s):
        return on_circle(2 * np.pi * s)

    mechanism.add_point_on_curve("wire", "world", "bead", at=on_circle(start), curve=circle)
    return sarrus.build(mechanism)


def pendulum(start, rate, times):
    from scipy.integrate import solve_ivp

    def slope(_, state):
        return state[1], -9.81 / RADIUS * np.sin(state[0])

    options = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-12, "t_eval": times}
    return solve_ivp(slope, (0, times[-1]), [start, rate], **options).y


# The start may be anywhere on the wire, also where its tangent is parallel to an axis of the world.
@pytest.mark.parametrize("start", [0.3, np.pi / 2, 2.5, -2.0])
def test_a_bead_on_a_circular_wire_is_a_pendulum(start):
    model = bead(start)
    assert model.dof == 4
    exact = pendulum(start, 0.0, [0.0, 1.0])[0, -1]

    def error(dt):
        run = sarrus.simulate(model, duration=1.0, dt=dt)
        assert run.violation().max() < 1e-9
        assert run.joint_position("wire")[0] == pytest.approx(0.0, abs=1e-12)
        return np.abs(run.position[-1, 0] - on_circle(exact)).max()

    assert ratios(error, 0.02) == [ORDER_2]


def test_a_bead_goes_round_a_closed_wire_again_and_again():
    model = bead(1.0, rate=15.0)
    run = sarrus.simulate(model, duration=3.0, dt=0.002)
    x = run.position[:, 0]
    angle = np.unwrap(np.arctan2(x[:, 0], -x[:, 2]))
    along = run.joint_position("wire")
    assert along[-1] > 5 * 2 * np.pi * RADIUS
    # The coordinate is the chord length of the spline's points, 2.5e-5 parts shorter than the arc.
    assert along == pytest.approx(RADIUS * (angle - angle[0]), rel=3e-5, abs=1e-5)
    assert np.abs(np.linalg.norm(x, axis=1) - RADIUS).max() < SPLINE
    energy = run.energy().total
    assert np.abs(energy - energy[0]).max() < 1e-3 * np.ptp(run.energy().kinetic)
    # A recording with several quarter turns between two nodes reads the same.
    coarse = sarrus.simulate(model, duration=3.0, dt=0.002, record_every=100)
    assert coarse.violation().max() < 1e-9
    assert coarse.final_state.joint_position("wire") == pytest.approx(along[-1], abs=1e-9)


def test_a_bead_on_a_straight_wire_slides_down_its_slope():
    mechanism = sarrus.Mechanism()
    mechanism.add_body("bead", 1.0, (0.01, 0.01, 0.01), position=(1, 0, 0))
    mechanism.add_point_on_curve("wire", "world", "bead", at=(1, 0, 0), curve=[(0, 0, 0.5), (2, 0, -0.5)])
    run = sarrus.simulate(sarrus.build(mechanism), duration=0.4, dt=0.01, reactions=True)
    sine, cosine = 1 / np.sqrt(5), 2 / np.sqrt(5)
    # Even acceleration: the trapezoidal rule is exact.
    assert run.joint_position("wire") == pytest.approx(0.5 * 9.81 * sine * run.time**2, abs=1e-9)
    assert run.joint_velocity("wire") == pytest.approx(9.81 * sine * run.time, abs=1e-9)
    normal = 9.81 * cosine * np.array([sine, 0.0, cosine])
    assert run.reaction("wire").force == pytest.approx(np.tile(normal, (41, 1)), abs=1e-7)
    assert run.reaction("wire").torque == pytest.approx(np.zeros((41, 3)), abs=1e-9)


def test_a_wire_fixed_to_a_moving_body_keeps_the_momentum_of_both():
    mechanism = sarrus.Mechanism(gravity=(0, 0, 0))
    mechanism.add_body("frame", 2.0, (0.3, 0.4, 0.5), angular_velocity=(0.4, -0.3, 1.0))
    mechanism.add_body("bead", 0.5, (0.01, 0.01, 0.01), position=(1, 0, 0), velocity=(0, 6, 3))

    def ellipse(s):
        return np.array([np.cos(2 * np.pi * s), 0.6 * np.sin(2 * np.pi * s), 0.2 * np.sin(4 * np.pi * s)])

    mechanism.add_point_on_curve("wire", "frame", "bead", at=(1, 0, 0), curve=ellipse)
    run = sarrus.simulate(sarrus.build(mechanism), duration=4.0, dt=0.005)
    momentum = run.momentum()
    assert np.abs(momentum.linear - momentum.linear[0]).max() < 1e-11
    assert np.abs(momentum.angular - momentum.angular[0]).max() < 1e-11
    energy = run.energy().total
    assert np.abs(energy - energy[0]).max() < 1e-3 * energy[0]
    assert run.violation().max() < 1e-9
    assert run.joint_position("wire")[-1] > 3.0


def test_a_point_off_the_centre_of_a_body_follows_the_curve():
    mechanism = sarrus.Mechanism()
    mechanism.add_body("rod", 1.0, (0.1, 0.1, 0.01), position=(0, 0, -0.5))
    arc = [np.array([x, 0.0, 0.5 * x**2]) for x in np.linspace(-1, 1, 41)]
    mechanism.add_point_on_curve("track", "world", "rod", at=(0, 0, 0), curve=arc)
    mechanism.add_force("push", "rod", force=(2.0, 0.3, 0))
    run = sarrus.simulate(sarrus.build(mechanism), duration=1.0, dt=0.01)
    tip = run.body("rod").point((0, 0, 0.5))
    assert np.abs(tip[:, 1]).max() < 1e-9
    # The spline through the points of a parabola, natural at its ends.
    assert np.abs(tip[:, 2] - 0.5 * tip[:, 0] ** 2).max() < 1e-4
    assert np.ptp(tip[:, 0]) > 0.1
