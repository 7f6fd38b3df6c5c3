"""Statistics of the solver."""

import json

import numpy as np
import pytest

from sarrus.errors import Status
from sarrus.integrators.interface import RECORDED, STATS, Reduced, total
from sarrus.trajectory import Stats
from sarrus.trajectory.stats import worst
from sarrus.trajectory.tally import Tally


def test_the_summary_holds_plain_numbers_for_json():
    stats = Stats([2, 3, 9], [1, 1, 4], [0, 1, 4], [0, 0, 5], wall_time=0.5, cpu_time=0.3)
    summary = stats.summary()
    assert json.loads(json.dumps(summary)) == summary
    assert summary["iterations_mean"] == pytest.approx(14 / 3)
    assert summary["iterations_max"] == 9
    assert (summary["substeps"], summary["substepped_steps"]) == (4, 1)
    assert summary["us_per_step"] == pytest.approx(1e5)
    assert summary["status"] == str(Status.SUBSTEPPED)


def test_statistics_print_as_one_line():
    stats = Stats([2, 3, 9], [1, 1, 4], [0, 1, 4], [0, 0, 5], wall_time=0.5, cpu_time=0.3)
    assert repr(stats) == (
        "<Stats: 3 steps, 1 divided into 4, 4.67 iterations per step (at most 9), 1e+05 us per step, "
        f"{worst([0, 0, 5])}>"
    )
    assert repr(Stats()).startswith("<Stats: 0 steps, 0 iterations per step")


def test_a_run_without_steps_has_a_summary_too():
    summary = Stats().summary()
    assert summary["steps"] == 0
    assert summary["status"] == "converged"


def test_a_failure_outranks_a_divided_step():
    assert worst([0, 5, 2]) == str(Status.NOT_FINITE)
    assert worst([0, 0]) == "converged"
    assert worst([0, 77]) == "unknown status 77"


def test_counts_of_different_length_are_refused():
    with pytest.raises(ValueError, match=r"substeps has shape \(1,\), needs \(2,\)"):
        Stats([1, 2], [1, 2], [1], [0, 0])


def test_divided_steps_are_told_by_index():
    stats = Stats([2, 2, 2], [1, 1, 1], [0, 2, 8], [0, 5, 5])
    np.testing.assert_array_equal(stats.divided, [1, 2])


def test_iterations_of_the_momentum_stage_are_zero_unless_given():
    np.testing.assert_array_equal(Stats([2, 3], [1, 1], [0, 0], [0, 0]).momentum_iterations, [0, 0])
    stats = Stats([2, 3], [1, 1], [0, 0], [0, 0], momentum_iterations=[1, 4])
    assert stats.summary()["momentum_iterations_mean"] == 2.5
    assert stats.summary()["momentum_iterations_max"] == 4


def counted(steps, seed=3):
    """A table of steps as a stepper counts them, some divided, with one failure."""
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 7, (steps, len(STATS))).astype(float)
    table[:, STATS.index("status")] = rng.choice([0, 5], steps)
    table[steps // 2, STATS.index("status")] = int(Status.NOT_FINITE)
    table[:, STATS.index("substeps")] = rng.choice([0, 0, 0, 1, 2, 64], steps)
    return table


def tallied(table, every, pieces):
    """Statistics of steps that come in pieces."""
    tally = Tally(every)
    for piece in np.array_split(table, pieces):
        tally.add(piece)
    return tally.stats(wall_time=0.5, cpu_time=0.25)


@pytest.mark.parametrize("every", [1, 3, 7, 50, 1000])
@pytest.mark.parametrize("pieces", [1, 4, 333])
def test_thinned_statistics_keep_the_steps_the_divided_ones_and_the_summary(every, pieces):
    table = counted(1000)
    whole, thinned = tallied(table, 1, 1), tallied(table, every, pieces)
    assert len(thinned.iterations) == -(-1000 // every)
    assert thinned.steps == 1000
    assert thinned.summary() == whole.summary()
    np.testing.assert_array_equal(thinned.divided, whole.divided)
    np.testing.assert_array_equal(thinned.divided_into, whole.divided_into)
    starts = np.arange(0, 1000, every)
    np.testing.assert_array_equal(thinned.iterations, np.add.reduceat(whole.iterations, starts))
    np.testing.assert_array_equal(thinned.iterations_max, np.maximum.reduceat(whole.iterations, starts))
    np.testing.assert_array_equal(thinned.steps_per_record, np.diff([*starts, 1000]))


def test_a_sum_of_fractions_has_the_same_bits_however_the_steps_come(monkeypatch):
    monkeypatch.setitem(RECORDED, "factorisations", Reduced("factorisations", total, "<f8"))
    table = counted(1000)
    table[:, STATS.index("factorisations")] = np.random.default_rng(1).normal(size=1000)
    whole = tallied(table, 77, 1)
    for pieces in (2, 10, 1000):
        assert tallied(table, 77, pieces).factorisations.tobytes() == whole.factorisations.tobytes()


def test_a_tally_goes_on_from_where_another_stopped():
    table = counted(200)
    first, second, whole = Tally(30), Tally(30), Tally(30)
    whole.add(table)
    first.add(table[:77])
    second.go_on_from(first.totals(), first.open())
    second.add(table[77:])
    for a, b, together in zip(first.take(), second.take(), whole.take(), strict=True):
        np.testing.assert_array_equal(np.concatenate([a, b]), together)
    assert second.totals() == whole.totals()
    np.testing.assert_array_equal(second.open(), whole.open())


def test_a_stepper_may_count_fewer_columns():
    tally = Tally(2)
    tally.add(np.ones((4, 2)))
    stats = tally.stats()
    np.testing.assert_array_equal(stats.iterations, [2, 2])
    np.testing.assert_array_equal(stats.status, [0, 0])


def test_records_that_do_not_fit_the_steps_are_refused():
    with pytest.raises(ValueError, match="2 records do not fit 30 steps, 10 to a record"):
        Stats([2, 2], [1, 1], [0, 0], [0, 0], record_every=10, steps=30)
