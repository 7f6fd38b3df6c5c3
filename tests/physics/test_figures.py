"""The figures that the engine promises: order, energy, momentum, violation; pendulums, chains, loops."""

import numpy as np
import pytest
from tests.physics.scenes import ratios
from tests.reference import planar

import sarrus
from sarrus.analysis.timestep import recommended_dt

CLOSED = 1e-9  # violation of every constraint at every node


def energy_error(run, until=np.inf):
    """Largest energy error up to a time, as a part of the range of the kinetic energy in the whole run."""
    energy = run.energy()
    here = run.time <= until + 1e-9
    return np.abs(energy.total - energy.total[0])[here].max() / np.ptp(energy.kinetic)


def swing(links, dt, duration=10.0, **options):
    model = sarrus.build(sarrus.gallery.pendulum(links=links))
    return sarrus.simulate(model, duration=duration, dt=dt, **options)


@pytest.fixture(scope="module")
def double_pendulum():
    """Positions (2, 3) at 1 s of the double pendulum from horizontal, in minimal coordinates."""
    horizontal = np.array([np.pi / 2, np.pi / 2])
    return planar.centres(planar.swing(horizontal, np.zeros(2), [0.0, 1.0])[0][-1])


@pytest.mark.parametrize(
    ("order", "coarsest", "expected"),
    [
        (1, 0.0025, pytest.approx(2.0, abs=0.1)),
        (2, 0.01, pytest.approx(4.0, abs=0.2)),
        (4, 0.02, pytest.approx(16.0, abs=3.0)),
    ],
)
def test_a_double_pendulum_converges_to_its_reference_with_the_order_of_the_method(
    double_pendulum, order, coarsest, expected
):
    # Sharp enough that the error of order 4 at the smallest step, 1e-7, is not the solver's.
    method = sarrus.Variational(order=order, tolerance=1e-13)

    def error(dt):
        return np.abs(swing(2, dt, 1.0, method=method).position[-1] - double_pendulum).max()

    assert ratios(error, coarsest, 2) == [expected, expected]


@pytest.mark.parametrize(
    ("method", "limit"), [("variational", 8e-3), ("variational4", 1e-4), ("variational6", 1e-6)]
)
def test_the_energy_error_of_a_double_pendulum_stays_small(method, limit):
    run = swing(2, 0.01, method=method)
    assert energy_error(run) < limit
    assert run.violation().max() < CLOSED


@pytest.mark.slow
def test_the_energy_of_a_double_pendulum_does_not_drift_in_an_hour():
    run = swing(2, 0.01, 3600.0)
    energy = run.energy()
    first, last = energy.total[: 60 * 100].mean(), energy.total[-60 * 100 :].mean()
    assert abs(last - first) < 1e-3 * np.ptp(energy.kinetic)
    assert run.violation().max() < CLOSED


@pytest.mark.parametrize("joint", ["spherical", "universal", "revolute"])
def test_a_free_chain_keeps_its_momentum(joint):
    model = sarrus.build(sarrus.gallery.free_chain(links=5, joint=joint))
    run = sarrus.simulate(model, duration=20.0, dt=0.01)
    momentum = run.momentum()
    for part in (momentum.linear, momentum.angular):
        assert np.abs(part - part[0]).max() < 1e-9 * np.linalg.norm(part[0])
    assert run.violation().max() < CLOSED


def test_a_free_chain_of_order_4_keeps_its_momentum():
    model = sarrus.build(sarrus.gallery.free_chain(links=5))
    momentum = sarrus.simulate(model, duration=5.0, dt=0.02, method="variational4").momentum()
    assert np.abs(momentum.angular - momentum.angular[0]).max() < 1e-9 * np.linalg.norm(momentum.angular[0])


def test_ten_links_keep_their_energy_until_their_motion_is_chaotic():
    run = swing(10, 0.01)
    assert energy_error(run, 4.0) < 2e-3
    assert energy_error(run, 6.0) < 5e-2
    assert run.violation().max() < CLOSED
    fine = swing(10, 0.005)
    assert energy_error(fine) < 1.5e-2
    assert fine.violation().max() < CLOSED


@pytest.mark.parametrize("links", [50, 100])
def test_long_chains_run_to_the_end_and_keep_their_energy(links):
    run = swing(links, 0.01)
    assert run.time[-1] == pytest.approx(10.0)
    assert energy_error(run) < 0.1
    assert run.violation().max() < CLOSED


@pytest.mark.parametrize("segments", [1, 5, 20])
def test_rhombi_pass_their_flat_configurations_and_keep_their_energy(segments):
    model = sarrus.build(sarrus.gallery.rhombus_chain(segments=segments))
    assert (model.dof, model.redundant_constraints) == (2 * segments, 3 * segments)
    run = sarrus.simulate(model, duration=10.0, dt=0.01)
    assert energy_error(run) < 2e-2
    assert run.violation().max() < CLOSED


def test_forty_rhombi_run_to_the_end():
    model = sarrus.build(sarrus.gallery.rhombus_chain(segments=40))
    run = sarrus.simulate(model, duration=10.0, dt=0.01)
    assert run.time[-1] == pytest.approx(10.0)
    assert run.violation().max() < CLOSED
    assert energy_error(run) < 0.1


B0 = np.array([0.32845811145, 0.94451853821])  # (y, z) [m] at 10 s, IFToMM benchmark A02


@pytest.mark.parametrize(("dt", "within"), [(0.01, 5e-3), (0.001, 1e-4)])
def test_the_double_four_bar_is_where_the_benchmark_says(dt, within):
    model = sarrus.build(sarrus.gallery.double_four_bar())
    assert (model.dof, model.redundant_constraints) == (1, 6)
    run = sarrus.simulate(model, duration=10.0, dt=dt)
    assert np.abs(run.frame("B0").position[-1, 1:] - B0).max() < within
    assert run.violation().max() < CLOSED


@pytest.mark.parametrize(
    ("name", "dof", "redundant"), [("bricard", 1, 1), ("bennett", 1, 3), ("sarrus", 1, 1), ("four_bar", 1, 3)]
)
def test_overconstrained_linkages_run_with_all_rows_closed(name, dof, redundant):
    model = sarrus.build(sarrus.gallery.make(name))
    assert (model.dof, model.redundant_constraints) == (dof, redundant)
    run = sarrus.simulate(model, duration=10.0, dt=recommended_dt(model))
    assert run.violation().max() < CLOSED
    assert energy_error(run) < 2e-3
    assert len(run.stats.divided) == 0
