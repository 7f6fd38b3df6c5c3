"""Progress on disk: whole after every episode, resumed to the bit, refused by name when damaged."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from sarrus.errors import FileError
from sarrus.learn import Episode, Search, Store, train
from sarrus.learn.gait import STANDING
from sarrus.learn.saved import SavedGait
from sarrus.learn.store import FORMAT, VERSION, write
from sarrus.learn.training import Tried, best_of

START = np.array([0.1, 0.0, 1.0])
SETTINGS = {"seed": 5, "dt": 0.001}
EPISODES = 40


class Interrupted(Exception):
    """What stops a run in these tests."""


def walk(parameters: np.ndarray) -> Tried:
    """A rollout that takes no time: further with more of the first number, falls with little of the last."""
    if parameters[2] < 0.95:
        return Tried(None, "fell at 0.10 s")
    return Tried(float(parameters[0] - 0.05 + 0.1 * np.sin(40.0 * parameters[1])), "walked")


def learn(folder, episodes=EPISODES, evaluate=walk, settings=SETTINGS, seed=5) -> list[Episode]:
    """Episodes of a search with a store in the folder."""
    found = train(evaluate, Search(START, seed), Store(folder, settings), episodes)
    return [replace(episode, cpu_seconds=0.0) for episode in found]


def interrupted_after(calls: int):
    """The rollout, stopped in the middle of the one after `calls`."""
    left = [calls]

    def evaluate(parameters):
        if not left[0]:
            raise Interrupted
        left[0] -= 1
        return walk(parameters)

    return evaluate


@pytest.mark.parametrize("stops", [(0,), (1,), (7, 5, 1), (39,), (40,)])
def test_an_interrupted_search_ends_as_if_it_had_not_been(tmp_path, stops):
    whole = learn(tmp_path / "whole")
    assert any(episode.improved for episode in whole)
    assert any(episode.distance is None for episode in whole)
    done = 0
    for count in stops:
        done += count
        if done < EPISODES:
            with pytest.raises(Interrupted):
                learn(tmp_path / "pieces", evaluate=interrupted_after(count))
            assert len(learn(tmp_path / "pieces", episodes=done) if done else []) == done
    assert learn(tmp_path / "pieces") == whole


def test_a_finished_search_can_be_prolonged(tmp_path):
    learn(tmp_path / "short", episodes=10)
    assert learn(tmp_path / "short") == learn(tmp_path / "long")


def test_a_search_that_is_done_runs_nothing_again(tmp_path):
    whole = learn(tmp_path)
    assert learn(tmp_path, evaluate=interrupted_after(0)) == whole


def test_a_distance_that_is_no_number_is_kept_as_a_failure(tmp_path):
    episodes = learn(tmp_path, 3, evaluate=lambda p: Tried(float("nan"), "strange"))
    assert [episode.distance for episode in episodes] == [None] * 3
    assert best_of(episodes) is None


def test_nothing_but_the_progress_is_left_in_the_folder(tmp_path):
    learn(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["progress.json"]


def test_a_write_that_fails_leaves_the_progress_as_it_was(tmp_path, monkeypatch):
    learn(tmp_path, 5)
    before = (tmp_path / "progress.json").read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", lambda descriptor: (_ for _ in ()).throw(OSError(28, "No space left")))
        with pytest.raises(FileError, match=r"progress.json: cannot be written \(No space left\)"):
            learn(tmp_path)
    assert (tmp_path / "progress.json").read_bytes() == before
    assert learn(tmp_path) == learn(tmp_path / "again")


@pytest.mark.parametrize("keep", [0, 1, 200, -3])
def test_a_truncated_file_is_refused_by_name(tmp_path, keep):
    learn(tmp_path, 5)
    file = tmp_path / "progress.json"
    file.write_bytes(file.read_bytes()[:keep])
    with pytest.raises(FileError, match=r"progress\.json"):
        learn(tmp_path)


def test_an_edited_number_is_refused_by_name(tmp_path):
    learn(tmp_path, 5)
    file = tmp_path / "progress.json"
    content = json.loads(file.read_text())
    content["episodes"][2]["distance"] = 99.0
    file.write_text(json.dumps(content))
    with pytest.raises(FileError, match=r"progress\.json: is damaged or was edited"):
        learn(tmp_path)


def test_a_record_that_this_search_would_not_have_made_is_refused_by_episode(tmp_path):
    store = Store(tmp_path, SETTINGS)
    store.add(Episode(1, (0.0, 0.0, 0.0), 1.0, "walked", True, 0.0))
    with pytest.raises(FileError, match="episode 1 is not what this search tries with seed 5"):
        learn(tmp_path)


@pytest.mark.parametrize(
    "episodes", [None, [3], [{}], [{"number": 1}], [{"number": 1, "parameters": 0}], {"1": 2}]
)
def test_a_whole_file_with_no_episodes_in_it_is_refused(tmp_path, episodes):
    write(tmp_path / "progress.json", FORMAT, VERSION, {"settings": SETTINGS, "episodes": episodes})
    with pytest.raises(FileError, match="episode"):
        learn(tmp_path)


def test_other_settings_are_refused_by_name(tmp_path):
    learn(tmp_path, 5)
    with pytest.raises(FileError, match=r"was made with dt 0\.001, now it is 0\.002"):
        learn(tmp_path, settings=SETTINGS | {"dt": 0.002})


@pytest.mark.parametrize("text", ["[]", "{}", '{"format": "other"}', "null", "not json", "[" * 100000])
def test_files_of_another_kind_are_refused(tmp_path, text):
    (tmp_path / "progress.json").write_text(text)
    with pytest.raises(FileError, match=r"progress\.json"):
        learn(tmp_path)


def test_a_gait_is_saved_and_loaded(tmp_path):
    saved = SavedGait(STANDING, SETTINGS, 1.25, 17)
    saved.save(tmp_path / "gait.json")
    assert SavedGait.load(tmp_path / "gait.json") == saved


def test_a_damaged_gait_is_refused_by_name(tmp_path):
    file = tmp_path / "gait.json"
    SavedGait(STANDING, SETTINGS, 1.25, 17).save(file)
    file.write_text(file.read_text().replace("-1.5", "-1.4"))
    with pytest.raises(FileError, match=r"gait\.json: is damaged or was edited"):
        SavedGait.load(file)
    with pytest.raises(FileError, match=r"missing\.json: cannot be read"):
        SavedGait.load(tmp_path / "missing.json")
