"""Where mechanisms rest: closed forms, loops, springs and motors, and what rests nowhere."""

import numpy as np
import pytest
from tests.physics.scenes import rod_pendulum

import sarrus

RESTS = 1e-7  # [rad, m]


def test_a_chain_hangs_straight_down():
    model = sarrus.build(rod_pendulum([1.0, 2.0, -0.5]))
    rest = sarrus.equilibrium(model)
    low = -np.array([0.5, 1.5, 2.5])
    assert np.abs(rest.position[:, 2] - low).max() < RESTS
    assert not rest.velocity.any()


def test_a_motor_a_spring_and_gravity_balance():
    mechanism = rod_pendulum([0.0])
    mechanism.add_joint_spring("spring", "hinge 0", stiffness=4.0, damping=0.1)
    mechanism.add_motor("motor", "hinge 0")
    model = sarrus.build(mechanism)
    rest = sarrus.equilibrium(model, {"motor": 3.0})
    angle = rest.joint_position("hinge 0")
    weight = model.masses[0] * 9.81 * 0.5
    assert 3.0 - 4.0 * angle - weight * np.sin(angle) == pytest.approx(0.0, abs=1e-5)


def test_a_loop_rests_where_a_run_with_dampers_ends():
    mechanism = sarrus.gallery.four_bar()
    mechanism.add_joint_spring("brake", "crank pivot", stiffness=0.0, damping=2.0)
    model = sarrus.build(mechanism)
    rest = sarrus.equilibrium(model)
    run = sarrus.simulate(model, 1.0, 0.01, "bdf2", state=rest)
    assert np.abs(run.position - rest.position).max() < 1e-5


def test_what_rests_nowhere_is_refused_by_name():
    mechanism = sarrus.Mechanism()
    mechanism.add_body("stone", 1.0, (1, 1, 1))
    with pytest.raises(sarrus.MechanismError, match="'stone' has no equilibrium"):
        sarrus.equilibrium(sarrus.build(mechanism))
    model = sarrus.build(rod_pendulum([0.1]))
    with pytest.raises(sarrus.MechanismError, match="takes"):
        sarrus.equilibrium(sarrus.gallery.pendulum())
    with pytest.raises(sarrus.MechanismError, match="motor or force"):
        sarrus.equilibrium(model, {"motor": 1.0})
