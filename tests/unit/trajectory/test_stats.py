"""Statistics of the solver."""

import json

import numpy as np
import pytest

from sarrus.errors import Status
from sarrus.trajectory import Stats
from sarrus.trajectory.stats import worst


def test_the_summary_holds_plain_numbers_for_json():
    stats = Stats([2, 3, 9], [1, 1, 4], [0, 1, 4], [0, 0, 5], wall_time=0.5, cpu_time=0.3)
    summary = stats.summary()
    assert json.loads(json.dumps(summary)) == summary
    assert summary["iterations_mean"] == pytest.approx(14 / 3)
    assert summary["iterations_max"] == 9
    assert (summary["substeps"], summary["substepped_steps"]) == (4, 1)
    assert summary["us_per_step"] == pytest.approx(1e5)
    assert summary["status"] == str(Status.SUBSTEPPED)


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
