"""Energy, work and what remains: the balance is the error of the method, whatever motors and dampers do."""

import numpy as np
import pytest
from tests.physics.scenes import ratios

import sarrus

ORDER_2 = pytest.approx(4.0, abs=0.3)


def push(t, x, q, v, w, p, out):
    out[0, 0] = p[0] * np.cos(t) - 0.1 * v[0, 0]


def driven_chain():
    """Two links with a motor, a servo, a damped spring, a constant wrench and a force of the user's own."""
    mechanism = sarrus.gallery.pendulum(links=2)
    first, second = mechanism.joints
    upper, lower = mechanism.bodies
    mechanism.add_motor("motor", first)
    mechanism.add_motor("servo", second, mode="servo", stiffness=4.0, damping=0.1)
    mechanism.add_joint_spring("spring", second, stiffness=2.0, damping=0.1)
    ends = {"at_a": (0, 0.5, -1), "at_b": (0, 1.5, 0)}
    mechanism.add_spring("strut", "world", lower, **ends, stiffness=5.0, damping=0.3)
    mechanism.add_force("wrench", lower, force=(0.0, 0.3, 0.1))
    mechanism.add_custom_force("wind", upper, push, parameters=(0.5,))
    return sarrus.build(mechanism)


INPUTS = {"motor": lambda t: 2.0 * np.sin(3.0 * t), "servo": 0.3}


def test_the_balance_is_of_second_order_whatever_works_on_the_mechanism():
    model = driven_chain()

    def off(dt):
        return np.abs(sarrus.simulate(model, 1.0, dt, inputs=INPUTS).energy_balance()).max()

    assert ratios(off, 0.01, 2) == [ORDER_2] * 2
    # The work itself is three thousand times larger.
    work = sarrus.simulate(model, 1.0, 0.005, inputs=INPUTS).work()
    assert max(np.abs(path).max() for path in (work.motors, work.applied)) > 0.1
    assert work.dampers[-1] < -0.01


def test_the_work_of_a_constant_torque_is_torque_times_angle():
    mechanism = sarrus.Mechanism(gravity=(0, 0, 0))
    mechanism.add_body("wheel", 1.0, (0.1, 0.1, 0.2))
    mechanism.add_joint("axle", "revolute", "world", "wheel", at=(0, 0, 0), axis=(0, 0, 1))
    mechanism.add_motor("motor", "axle")
    run = sarrus.simulate(sarrus.build(mechanism), 1.0, 0.01, inputs={"motor": 0.02})
    np.testing.assert_allclose(run.work().motors, 0.02 * run.joint_position("axle"), rtol=1e-5, atol=1e-15)
    np.testing.assert_allclose(run.energy().kinetic, run.work().motors, rtol=1e-12, atol=1e-15)


def test_work_is_summed_over_every_step_whatever_is_recorded(tmp_path):
    model = driven_chain()
    all_nodes = sarrus.simulate(model, 1.0, 0.01, inputs=INPUTS)
    few = sarrus.simulate(model, 1.0, 0.01, inputs=INPUTS, record_every=10, out=tmp_path / "run.npz")
    for name in ("motors", "dampers", "contacts", "applied"):
        every, tenth = getattr(all_nodes.work(), name), getattr(few.work(), name)
        np.testing.assert_allclose(tenth, every[::10], rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(few.energy_balance(), all_nodes.energy_balance()[::10], atol=1e-12)


def test_a_report_tells_work_from_error():
    text = sarrus.simulate(driven_chain(), 1.0, 0.01, inputs=INPUTS).report()
    assert "motors" in text
    assert "dampers" in text
    assert "energy minus work is off by at most" in text
    plain = sarrus.simulate(sarrus.build(sarrus.gallery.pendulum(links=2)), 1.0, 0.01).report()
    assert "error at most" in plain
    assert "work" not in plain


def test_contacts_take_what_the_energy_loses():
    """A box that falls and rests: its work is the energy lost, to the oscillation of the method."""
    run = sarrus.simulate(sarrus.build(sarrus.gallery.box_drop()), 1.0, 0.002)
    lost = run.energy().error[-1]
    assert lost < -1.0
    assert run.work().contacts[-1] == pytest.approx(lost, rel=0.02)
