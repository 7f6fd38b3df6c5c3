"""The time step to start with."""

import numpy as np
import pytest

import sarrus
from sarrus.analysis.timestep import recommended_dt, rounded_down
from sarrus.locks import locked


def test_it_is_one_two_or_five_times_a_power_of_ten_and_not_above():
    for dt, expected in ((0.0123, 0.01), (0.049, 0.02), (0.05, 0.05), (9.9e-4, 5e-4)):
        assert rounded_down(dt) == pytest.approx(expected)


def test_a_longer_chain_asks_for_a_smaller_step():
    steps = [recommended_dt(sarrus.build(sarrus.gallery.pendulum(links=n))) for n in (1, 10, 100)]
    assert steps[0] > steps[1] > steps[2] > 0.0


def test_a_spring_and_a_fast_spin_ask_for_a_smaller_step_but_not_a_spring_as_stiff_as_a_joint():
    mech = sarrus.Mechanism(gravity=(0.0, 0.0, 0.0))
    mech.add_body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1), angular_velocity=(0.0, 0.0, 100.0))
    assert recommended_dt(sarrus.build(mech)) == pytest.approx(0.001)
    mech.add_spring("s", "world", "ball", at_a=(0, 0, 1), at_b=(0, 0, 0), stiffness=2.5e5)
    assert recommended_dt(sarrus.build(mech)) == pytest.approx(2e-4)
    mech.add_spring("rope", "world", "ball", at_a=(0, 0, 1), at_b=(0, 0, 0), stiffness=1e8)
    assert recommended_dt(sarrus.build(mech)) == pytest.approx(2e-4)


def test_a_body_at_rest_without_forces_asks_for_none():
    mech = sarrus.Mechanism(gravity=np.zeros(3))
    mech.add_body("stone", mass=1.0, inertia=(0.1, 0.1, 0.1))
    assert recommended_dt(sarrus.build(mech)) is None


def swinging_rod(**extra) -> sarrus.Mechanism:
    """A thin rod of 1 kg and 1 m on a hinge at its end, without gravity: 1/3 kg m^2 about the hinge."""
    mech = sarrus.Mechanism(gravity=(0.0, 0.0, 0.0))
    mech.add_body("rod", mass=1.0, inertia=(1e-6, 1.0 / 12.0, 1.0 / 12.0), position=(0.5, 0.0, 0.0))
    mech.add_joint("hinge", "revolute", "world", "rod", at=(0, 0, 0), axis=(0, 1, 0), **extra)
    mech.add_joint_spring("spring", joint="hinge", stiffness=100.0 / 3.0)
    return mech


def test_a_spring_of_a_hinge_moves_the_inertia_about_that_hinge_and_its_armature():
    # w = sqrt(k/I) = 10 rad/s, so 0.1/w = 0.01 s; with an armature of 99 I a tenth of that rate.
    assert recommended_dt(sarrus.build(swinging_rod())) == pytest.approx(0.01)
    assert recommended_dt(sarrus.build(swinging_rod(armature=33.0))) == pytest.approx(0.1)


@pytest.mark.parametrize("name", ["large_figure", "overactuated_legs"])
def test_where_motors_say_how_everything_moves_no_step_is_recommended(name):
    model = sarrus.build(sarrus.gallery.make(name))
    assert model.dof_left == 0
    assert recommended_dt(model) is None


def driven_arm(driven: bool, mass: float = 1e-3) -> sarrus.Model:
    """A light crank on a driven hinge, with a rod of 1 kg and 1 m hanging on its end."""
    mech = sarrus.Mechanism()
    mech.add_body("crank", mass=mass, inertia=(1e-9, 1e-9, 1e-9), position=(0.0, 0.0, -0.01))
    mech.add_body("rod", mass=1.0, inertia=(1.0 / 12.0, 1.0 / 12.0, 1e-6), position=(0.0, 0.0, -0.52))
    mech.add_joint("drive", "revolute", "world", "crank", at=(0, 0, 0), axis=(0, 1, 0))
    mech.add_joint("hinge", "revolute", "crank", "rod", at=(0, 0, -0.02), axis=(0, 1, 0))
    if driven:
        mech.add_motor("motor", "drive", mode="position")
    return sarrus.build(mech)


def test_a_crank_that_a_motor_holds_asks_for_no_smaller_step_however_light_it_is():
    alone = sarrus.Mechanism()
    alone.add_body("rod", mass=1.0, inertia=(1.0 / 12.0, 1.0 / 12.0, 1e-6), position=(0.0, 0.0, -0.5))
    alone.add_joint("hinge", "revolute", "world", "rod", at=(0, 0, 0), axis=(0, 1, 0))
    assert recommended_dt(driven_arm(driven=True)) == recommended_dt(sarrus.build(alone))
    assert recommended_dt(driven_arm(driven=False)) < 0.1 * recommended_dt(driven_arm(driven=True))


def test_a_locked_joint_counts_as_held():
    free = driven_arm(driven=False)
    held, _ = locked(free, ["drive"], free.initial_state())
    assert recommended_dt(held) == recommended_dt(driven_arm(driven=True))


def hip(off: float, between: float = 1e-2) -> sarrus.Model:
    """A heavy thigh under a light hip, whose centre lies `off` [m] from its axis."""
    mech = sarrus.Mechanism()
    mech.add_body("hip", mass=between, inertia=1e-5 * np.ones(3), position=(off, 0.0, 0.0))
    mech.add_body("thigh", mass=5.0, inertia=(0.1, 0.1, 0.01), position=(0.0, 0.0, -0.2))
    mech.add_joint("roll", "revolute", "world", "hip", at=(0, 0, 0), axis=(0, 1, 0))
    mech.add_joint("pitch", "revolute", "hip", "thigh", at=(0, 0, 0), axis=(1, 0, 0))
    mech.add_joint_spring("roll", "roll", stiffness=0.0, damping=0.1)
    return sarrus.build(mech)


def test_a_centre_of_mass_on_its_axis_but_for_rounding_asks_for_no_tiny_step():
    """Robot files are full of them: the step of a quadruped came out as 1e-12 s."""
    assert recommended_dt(hip(0.0)) == recommended_dt(hip(1e-17)) == recommended_dt(hip(1e-12)) == 0.01


def test_bodies_that_readers_put_between_joints_ask_for_no_tiny_step():
    assert recommended_dt(hip(0.2, 1e-9)) == recommended_dt(hip(0.0)) < 1.0
