"""The search of [MC23] Algorithm 7."""

from __future__ import annotations

import numpy as np
import pytest

from sarrus.errors import MechanismError
from sarrus.learn.search import ALONG, AROUND, EXPLORE, LESS, Search

GOAL = np.array([0.3, -0.2, 0.1])
FAR_OFF = float(np.linalg.norm(GOAL))
NEAR = 0.1
"""Left of 0.37 to the goal after 300 tries; directions are followed in steps of 0.01."""
WIDE = 6.0
"""Standard deviations that no sample of these seeds passes."""


def hill(parameters: np.ndarray) -> float:
    """A distance that is largest, and positive near the start, at the goal."""
    return 1.0 - float(np.linalg.norm(parameters - GOAL))


@pytest.mark.parametrize("samples", ["normal", "uniform"])
@pytest.mark.parametrize("seed", range(5))
def test_the_search_climbs_a_hill(seed, samples):
    search = Search(np.zeros(3), seed, samples)
    for _ in range(300):
        search.tell(hill(search.propose()))
    assert np.linalg.norm(search.best - GOAL) < NEAR < FAR_OFF


def test_the_best_distance_never_falls_and_belongs_to_the_best_parameters():
    search, best = Search(np.zeros(3), 1), 0.0
    for _ in range(100):
        search.tell(hill(search.propose()))
        assert search.distance >= best
        best = search.distance
        if best > 0.0:
            assert hill(search.best) == best


def test_after_a_success_the_next_sample_lies_a_small_step_further_on():
    search = Search(np.zeros(3), 2)
    tried = search.propose()
    assert search.tell(1.0)
    np.testing.assert_array_equal(search.best, tried)
    onward = search.propose() - search.best - ALONG * tried / np.linalg.norm(tried)
    assert np.abs(onward).max() < WIDE * AROUND


@pytest.mark.parametrize("distance", [None, 0.0, -1.0, float("nan"), float("inf")])
def test_after_a_failure_the_search_goes_on_from_the_best_and_explores_less(distance):
    search = Search(np.ones(3), 3)
    first = search.propose()
    assert not search.tell(distance)
    np.testing.assert_array_equal(search.best, np.ones(3))
    assert search.explore == LESS * EXPLORE
    assert not (search.propose() == first).any()


def test_a_success_makes_the_search_explore_widely_again():
    search = Search(np.zeros(3), 4)
    for _ in range(20):
        search.tell(None)
    assert search.explore < 0.2 * EXPLORE
    search.tell(1.0)
    search.tell(None)
    assert search.explore == LESS * EXPLORE


def test_samples_have_zero_mean():
    searches = [Search(np.zeros(5), seed) for seed in range(400)]
    samples = np.array([search.propose() for search in searches]) / EXPLORE
    assert np.abs(samples.mean(axis=0)).max() < 4.0 / np.sqrt(len(samples))


def test_seeds_differ_and_repeat():
    same = [Search(np.zeros(5), 7).propose() for _ in range(2)]
    np.testing.assert_array_equal(*same)
    assert (Search(np.zeros(5), 8).propose() != same[0]).all()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([np.nan, 0.0], 0), "finite"),
        (([], 0), "finite"),
        (([0.0], -1), "seed"),
        (([0.0], 1.5), "seed"),
        (([0.0], 0, "sobol"), "normal or uniform"),
    ],
)
def test_a_search_that_cannot_be_is_refused(arguments, words):
    with pytest.raises(MechanismError, match=words):
        Search(*arguments)
