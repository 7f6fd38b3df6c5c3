"""The loop of a search with a store: tries, keeps, goes on where it was left."""

from __future__ import annotations

import time
from collections.abc import Callable
from math import isfinite
from typing import NamedTuple

import numpy as np

from sarrus.errors import FileError
from sarrus.learn.search import Search
from sarrus.learn.store import Episode, Store


class Tried(NamedTuple):
    """How a try went: the distance [m], None where it failed, and the outcome in words."""

    distance: float | None
    outcome: str


def train(
    evaluate: Callable[[np.ndarray], Tried],
    search: Search,
    store: Store,
    episodes: int,
    report: Callable[[Episode], None] | None = None,
) -> list[Episode]:
    """All episodes of the search, the recorded ones first; `report` hears of each new one.

    The records that exist are told to the search again, so that it goes on as if it had never stopped."""
    if store.exists:
        replay(search, store)
    while len(store.episodes) < episodes:
        parameters, started = search.propose(), time.process_time()
        tried = evaluate(parameters)
        distance = None
        if tried.distance is not None and isfinite(tried.distance):
            distance = float(tried.distance)
        episode = Episode(
            number=search.episode,
            parameters=tuple(parameters.tolist()),
            distance=distance,
            outcome=tried.outcome,
            improved=search.tell(distance),
            cpu_seconds=time.process_time() - started,
        )
        store.add(episode)
        if report is not None:
            report(episode)
    return store.episodes


def replay(search: Search, store: Store) -> None:
    """Tells the search what is recorded; raises where the record is not what this search would have done."""
    for episode in store.load():
        same = tuple(search.propose().tolist()) == episode.parameters
        if not same or search.tell(episode.distance) != episode.improved:
            raise FileError(
                f"{store.path}: episode {episode.number} is not what this search tries with seed "
                f"{search.seed}; start anew with --fresh"
            )


def best_of(episodes: list[Episode]) -> Episode | None:
    """The last improvement, None where there was none."""
    return next((episode for episode in reversed(episodes) if episode.improved), None)
