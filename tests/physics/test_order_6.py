"""Order 6, the nine stages of Kahan and Li: conditions, slopes down to rounding, energy, the way back."""

import numpy as np
import pytest
from tests.physics.scenes import ratios
from tests.reference import planar

import sarrus

STAGES = sarrus.Variational(order=6).stages
# 2^6 = 64, up to the next term of the error at the largest step.
ORDER_6 = pytest.approx(64.0, rel=0.15)


def end(model, dt, **options):
    run = sarrus.simulate(model, 1.0, dt, method="variational6", record_every=round(1.0 / dt), **options)
    return run.position[-1]


def test_the_stages_meet_the_conditions_of_order_6():
    """A step of order 2 has the errors h^3 C + h^5 D, and a composition those of the sums of their powers;
    the last condition is that of the commutator [A, [A, C]], with the time that has passed before a stage."""
    assert STAGES.sum() == pytest.approx(1.0, abs=1e-15)
    assert np.array_equal(STAGES, STAGES[::-1])
    for power in (3, 5):
        assert abs((STAGES**power).sum()) < 1e-15
    middle = np.cumsum(STAGES) - 0.5 * STAGES
    # Cubes weighed with the square of the time at which they act: the flow of A carries C there and back.
    nested = (STAGES**3 * middle**2).sum() + (STAGES**5).sum() / 12.0
    assert abs(nested) < 1e-15


@pytest.mark.parametrize(("links", "coarsest", "reached"), [(2, 0.02, 1e-12), (10, 0.02, 2e-12)])
def test_order_6_on_chains_holds_down_to_rounding(links, coarsest, reached):
    model = sarrus.build(sarrus.gallery.pendulum(links=links))
    level = np.full(links, np.pi / 2)
    exact = planar.centres(planar.swing(level, np.zeros(links), [0.0, 1.0])[0][-1])

    def error(dt):
        return np.abs(end(model, dt) - exact).max()

    assert ratios(error, coarsest, 2) == [ORDER_6] * 2
    assert error(coarsest / 8.0) < reached


def test_order_6_on_a_loop_with_springs():
    mechanism = sarrus.gallery.four_bar(speed=2.0)
    mechanism.add_joint_spring("watch spring", "crank pivot", stiffness=3.0, rest=0.5)
    mechanism.add_spring("coil", "crank", "rocker", at_a=(0, 0.1, 0.1), at_b=(0, 0.8, 0.4), stiffness=40.0)
    model = sarrus.build(mechanism)
    exact = end(model, 0.00125)
    assert ratios(lambda dt: np.abs(end(model, dt) - exact).max(), 0.02, 2) == [ORDER_6] * 2


def test_the_energy_of_a_double_pendulum_falls_with_the_sixth_power_and_does_not_drift():
    model = sarrus.build(sarrus.gallery.pendulum(links=2))

    def worst(dt):
        return np.abs(sarrus.simulate(model, 2.0, dt, method="variational6").energy().error).max()

    assert ratios(worst, 0.01, 1) == [pytest.approx(64, rel=0.3)]
    run = sarrus.simulate(model, 60.0, 0.01, method="variational6")
    error = np.abs(run.energy().error)
    assert error.max() < 1e-4 * 19.62
    assert error[3000:].max() < 3.0 * error[:3000].max()
    assert run.violation().max() < 1e-9


def test_a_run_of_order_6_returns_the_way_it_came():
    model = sarrus.build(sarrus.gallery.four_bar(speed=2.0))
    start = model.initial_state()
    there = sarrus.simulate(model, 1.0, 0.01, method="variational6", state=start).final_state
    there.velocity *= -1.0
    there.angular_velocity *= -1.0
    there.memory = None
    back = sarrus.simulate(model, 1.0, 0.01, method="variational6", state=there).final_state
    np.testing.assert_allclose(back.position, start.position, atol=1e-10)
    np.testing.assert_allclose(back.velocity, -start.velocity, atol=1e-9)
