"""Theta, the ratio of two corrections through one factor: recorded by every family, small in safe steps."""

import warnings

import numpy as np
import pytest

import sarrus
from sarrus.analysis.solvability import SAFE
from sarrus.pilot import auto_dt, pilot_dt

FAMILIES = ("variational", "bdf2", "sdirk", "tree-midpoint", "tree-trapezoid")


@pytest.fixture(scope="module")
def chain():
    return sarrus.build(sarrus.gallery.pendulum(links=3))


@pytest.mark.parametrize("method", FAMILIES)
def test_theta_is_recorded_and_falls_with_the_step(chain, method):
    highest = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for dt in (0.05, 0.0125):
            run = sarrus.simulate(chain, 1.0, dt, method)
            assert run.stats.theta.shape == run.stats.iterations.shape
            assert (run.stats.theta >= 0.0).all()
            highest.append(run.stats.theta.max())
    # Corrections fall with dt^2 or faster, and Theta with them.
    assert 0.0 < highest[1] < 0.25 * highest[0]


def test_theta_is_kept_in_files_and_of_records_the_largest(chain, tmp_path):
    run = sarrus.simulate(chain, 1.0, 0.02, "tree-midpoint")
    sparse = sarrus.simulate(chain, 1.0, 0.02, "tree-midpoint", record_every=5, out=tmp_path / "run.npz")
    assert np.array_equal(sparse.stats.theta, run.stats.theta.reshape(-1, 5).max(axis=1))
    assert np.array_equal(sarrus.load_trajectory(tmp_path / "run.npz").stats.theta, sparse.stats.theta)


def test_one_free_body_has_a_theta_too():
    mechanism = sarrus.Mechanism()
    mechanism.add_body("stone", 1.0, (1.0, 2.0, 2.5), angular_velocity=(1.0, 2.0, 3.0))
    model = sarrus.build(mechanism)
    for method in ("rigid-body-newmark", "rigid-body-cayley"):
        large, small = (sarrus.simulate(model, 1.0, dt, method).stats.theta.max() for dt in (0.1, 0.02))
        assert 0.0 < small < 0.5 * large


def safe_steps_are_whole(links, dt, method):
    """Divided steps of a run, none of which has a safe Theta."""
    model = sarrus.build(sarrus.gallery.pendulum(links=links))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            stats = sarrus.simulate(model, 5.0 if links < 50 else 2.0, dt, method).stats
        except sarrus.StepFailed as failed:
            stats = failed.trajectory.stats
    assert (stats.theta[stats.divided] >= SAFE).all()
    return len(stats.divided)


@pytest.mark.parametrize("links", [2, 10])
def test_no_step_with_a_safe_theta_is_divided(links):
    divided = [safe_steps_are_whole(links, dt, sarrus.TreeMidpoint(balance=np.inf)) for dt in (0.01, 0.05)]
    # The other side: at steps that are too long some are.
    assert links == 2 or divided[1] > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "method",
    [m(balance=np.inf) for m in (sarrus.TreeMidpoint, sarrus.TreeTrapezoid, sarrus.Variational)],
    ids=str,
)
@pytest.mark.parametrize("links", [2, 3, 5, 10, 20, 50])
def test_no_step_with_a_safe_theta_is_divided_on_longer_chains(links, method):
    # At 0.05 s bodies spin so fast that variational halves its steps for that.
    for dt in (0.01, 0.02) if isinstance(method, sarrus.Variational) else (0.01, 0.02, 0.05):
        safe_steps_are_whole(links, dt, method)


def test_the_pilot_runs_the_method_itself_loops_included(chain):
    four_bar = sarrus.build(sarrus.gallery.four_bar())
    for method in ("variational", "tree-midpoint"):
        found = pilot_dt(four_bar, method=method)
        assert found is not None
        assert auto_dt(four_bar, method=method) <= found
    # A pilot with too long steps leads to shorter ones, at which a run is safe.
    shorter = pilot_dt(chain, dt=0.2, method="tree-midpoint")
    assert shorter <= 0.1
    run = sarrus.simulate(chain, 1.0, "auto", "tree-midpoint")
    assert np.quantile(run.stats.theta, 0.99) < SAFE


def test_a_pilot_of_a_driven_mechanism_takes_its_inputs():
    mechanism = sarrus.gallery.pendulum(links=2)
    mechanism.add_motor("drive", next(iter(mechanism.joints)), mode="position")
    run = sarrus.simulate(
        sarrus.build(mechanism),
        0.2,
        "auto",
        "tree-midpoint",
        inputs={"drive": lambda t: 0.3 * np.sin(2.0 * t)},
    )
    assert run.time[-1] == pytest.approx(0.2)
