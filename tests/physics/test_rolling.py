"""Spheres and discs that roll without slipping."""

import numpy as np
import pytest
from tests.physics.scenes import X, Y, Z, ratios

import sarrus

RADIUS, MASS = 0.5, 2.0
NO_SLIP = 1e-9  # velocities of a solver with tolerance 1e-10, projected at every node
ORDER_2 = pytest.approx(4.0, abs=0.3)  # error ratio on halving dt


def sphere(velocity, spin=0.0, gravity=(0, 0, -9.81), inertia=None):
    """A homogeneous sphere that rolls with `velocity` and spins about the vertical."""
    inertia = 0.4 * MASS * RADIUS**2 * np.ones(3) if inertia is None else inertia
    mechanism = sarrus.Mechanism(gravity=gravity)
    turning = np.cross(Z, velocity) / RADIUS + spin * Z
    mechanism.add_body(
        "ball", MASS, inertia, position=(0, 0, RADIUS), velocity=velocity, angular_velocity=turning
    )
    mechanism.add_rolling("ground", "ball", radius=RADIUS)
    return sarrus.build(mechanism)


@pytest.mark.parametrize("spin", [0.0, 3.0], ids=["plain", "with a spin about the vertical"])
def test_a_sphere_rolls_straight_on_for_ever(spin):
    model = sphere((1.0, 0.5, 0.0), spin)
    assert model.dof == 3
    run = sarrus.simulate(model, duration=10.0, dt=0.01)
    assert run.slip().max() < NO_SLIP
    assert run.violation().max() < 1e-9
    assert run.velocity[:, 0] == pytest.approx(np.tile([1.0, 0.5, 0.0], (1001, 1)), abs=1e-6)
    energy = run.energy().total
    assert np.abs(energy - energy[0]).max() < 1e-6


def test_the_way_of_a_sphere_that_rolls_straight_on_is_its_radius_times_its_angle():
    run = sarrus.simulate(sphere((3.0, 0.0, 0.0)), duration=1.0, dt=0.01)
    q = run.orientation[:, 0]
    angle = np.unwrap(4.0 * np.arctan2(q[:, 2], q[:, 0])) / 2.0
    assert run.position[:, 0, 0] == pytest.approx(RADIUS * angle, abs=1e-8)


def test_a_sphere_on_a_slope_falls_five_sevenths_of_a_sliding_one():
    slope = 0.3
    model = sphere((0.0, 0.0, 0.0), gravity=9.81 * np.array([np.sin(slope), 0.0, -np.cos(slope)]))
    exact = 5.0 / 7.0 * 9.81 * np.sin(slope) / 2.0

    def error(dt):
        return abs(sarrus.simulate(model, duration=1.0, dt=dt).position[-1, 0, 0] - exact)

    assert ratios(error, 0.02) == [ORDER_2]


def test_the_ground_pushes_a_rolling_sphere_with_two_sevenths_of_its_weight_along_the_slope():
    slope = 0.3
    model = sphere((0.0, 0.0, 0.0), gravity=9.81 * np.array([np.sin(slope), 0.0, -np.cos(slope)]))
    run = sarrus.simulate(model, duration=0.5, dt=0.001, reactions=True)
    force = MASS * 9.81 * np.array([-2.0 / 7.0 * np.sin(slope), 0.0, np.cos(slope)])
    assert run.reaction("ground").force[250] == pytest.approx(force, abs=1e-3)
    # About the centre of the sphere: the arm to the ground times the force.
    moment = np.cross([0, 0, -RADIUS], run.reaction("ground").force[250])
    assert run.reaction("ground").torque[250] == pytest.approx(moment, abs=1e-9)


DISC = MASS * RADIUS**2 * np.array([0.25, 0.5])  # about a diameter, about the axis


def disc(lean, precession, spin):
    """A disc that leans by `lean`, turns about the vertical at `precession` and about its axis at `spin`.

    Its forward direction is x at first; the spoke from the ground to its centre is `up`."""
    up, axis = np.array([0, np.sin(lean), np.cos(lean)]), np.array([0, -np.cos(lean), np.sin(lean)])
    turning = precession * np.cos(lean) * up + spin * axis
    inertia = DISC[0] * np.eye(3) + (DISC[1] - DISC[0]) * np.outer(axis, axis)
    mechanism = sarrus.Mechanism()
    mechanism.add_body(
        "disc",
        MASS,
        inertia,
        position=(0, 0, RADIUS * np.cos(lean)),
        velocity=np.cross(turning, RADIUS * up),
        angular_velocity=turning,
    )
    mechanism.add_rolling("ground", "disc", radius=RADIUS, axis=axis)
    return sarrus.build(mechanism)


def test_an_upright_disc_rolls_straight_on():
    run = sarrus.simulate(disc(0.0, 0.0, -6.0), duration=2.0, dt=0.01)
    assert run.position[:, 0] == pytest.approx(np.outer(3.0 * run.time, X) + RADIUS * Z, abs=2e-2)
    assert np.ptp(run.velocity[:, 0], axis=0).max() < 1e-9
    assert run.slip().max() < NO_SLIP


def test_a_disc_circles_steadily_as_in_the_closed_form_with_order_2():
    lean, precession = 0.4, 2.0
    # Moments about the centre: spin precession cos (C + m r^2) - A precession^2 sin cos + m g r sin = 0.
    weight = MASS * 9.81 * RADIUS * np.sin(lean)
    tumbling = DISC[0] * precession**2 * np.sin(lean) * np.cos(lean)
    spin = (tumbling - weight) / (precession * np.cos(lean) * (DISC[1] + MASS * RADIUS**2))
    model = disc(lean, precession, spin)
    assert model.dof == 3
    start = -RADIUS * spin * X
    angle = precession * 1.0
    way = np.sin(angle) / precession * start + (1 - np.cos(angle)) / precession * np.cross(Z, start)
    exact = way + RADIUS * np.cos(lean) * Z

    def error(dt):
        run = sarrus.simulate(model, duration=1.0, dt=dt)
        assert run.slip().max() < NO_SLIP
        assert run.violation().max() < 1e-9
        return np.abs(run.position[-1, 0] - exact).max()

    assert ratios(error, 0.01, 2) == [ORDER_2, ORDER_2]


def test_the_energy_of_a_wobbling_disc_is_kept_to_second_order():
    model = sarrus.build(sarrus.gallery.rolling_disc())

    def error(dt):
        run = sarrus.simulate(model, duration=2.0, dt=dt)
        energy = run.energy().total
        return np.abs(energy - energy[0]).max()

    assert ratios(error, 0.01) == [ORDER_2]
    assert error(0.01) < 0.02


def test_rolling_is_the_same_backwards_in_time():
    model = disc(0.3, 1.5, -5.0)
    there = sarrus.simulate(model, duration=1.0, dt=0.01).final_state
    there.velocity *= -1.0
    there.angular_velocity *= -1.0
    there.memory = None
    back = sarrus.simulate(model, duration=1.0, dt=0.01, state=there)
    start = model.initial_state()
    assert np.abs(back.position[-1] - start.position).max() < 1e-6
    assert np.abs(back.velocity[-1] + start.velocity).max() < 1e-5


def test_a_cart_on_a_rail_is_slowed_by_its_wheel_and_what_the_rail_holds_anyway_is_redundant():
    mechanism = sarrus.Mechanism()
    mechanism.add_body("frame", 3.0, (0.2, 0.2, 0.2), position=(0, 0, 0.8))
    mechanism.add_body("wheel", 1.0, (0.05, 0.1, 0.05), position=(0, 0, RADIUS))
    mechanism.add_joint("rail", "prismatic", "world", "frame", at=(0, 0, 0.8), axis=X)
    mechanism.add_joint("axle", "revolute", "frame", "wheel", at=(0, 0, RADIUS), axis=Y)
    mechanism.add_rolling("ground", "wheel", radius=RADIUS, axis=Y)
    mechanism.add_force("push", "frame", force=(4.0, 0, 0))
    model = sarrus.build(mechanism)
    assert (model.dof, model.redundant) == (1, (("ground", 0), ("ground", 2)))
    acceleration = 4.0 / (3.0 + 1.0 + 0.1 / RADIUS**2)

    def error(dt):
        run = sarrus.simulate(model, duration=1.0, dt=dt, reactions=True)
        assert run.reaction("ground").force[5, 0] == pytest.approx(-0.1 / RADIUS**2 * acceleration, rel=1e-3)
        return abs(run.position[-1, 0, 0] - 0.5 * acceleration)

    assert ratios(error, 0.02) == [ORDER_2]


def tricycle():
    """Two driven wheels and a ball under one frame."""
    mechanism = sarrus.Mechanism()
    mechanism.add_body("frame", 3.0, (0.2, 0.3, 0.4), position=(0.3, 0, RADIUS))
    for side, y in (("left", 0.4), ("right", -0.4)):
        mechanism.add_body(side, 1.0, (0.07, 0.1, 0.07), position=(0, y, RADIUS))
        mechanism.add_joint(f"axle {side}", "revolute", "frame", side, at=(0, y, RADIUS), axis=Y)
        mechanism.add_rolling(f"ground {side}", side, radius=RADIUS, axis=Y)
        mechanism.add_motor(side, f"axle {side}")
    mechanism.add_body("ball", 1.0, (0.1, 0.1, 0.1), position=(1, 0, RADIUS))
    mechanism.add_joint("socket", "spherical", "frame", "ball", at=(1, 0, RADIUS))
    mechanism.add_rolling("ground ball", "ball", radius=RADIUS)
    return sarrus.build(mechanism)


def test_a_tricycle_steers_by_its_motors_and_gains_the_energy_they_give():
    model = tricycle()
    # Two wheels and the spin of the ball; one of the two sideways rows of the common axle is redundant.
    assert (model.dof, model.redundant_constraints) == (3, 1)
    run = sarrus.simulate(model, duration=2.0, dt=0.01, inputs={"left": 0.5, "right": 1.0})
    assert run.slip().max() < NO_SLIP
    assert np.abs(run.position[:, :, 2] - RADIUS).max() < 1e-9
    # The stronger right wheel turns it to the left.
    assert run.position[-1, 0, 1] > 0.1
    work = sum(
        np.trapezoid(run.motor_effort(side), run.joint_position(f"axle {side}")) for side in ("left", "right")
    )
    energy = run.energy().total
    assert energy[-1] - energy[0] == pytest.approx(work, rel=1e-4)


def test_an_order_that_runs_backwards_is_refused_for_rolling_by_name():
    with pytest.raises(sarrus.MechanismError, match=r"variational4.*'ground'"):
        sarrus.simulate(sphere((1.0, 0, 0)), duration=0.1, dt=0.01, method="variational4")
