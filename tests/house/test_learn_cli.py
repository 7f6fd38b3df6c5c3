"""`sarrus learn`: help, resuming, the files it leaves, bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.unit.learn.robot import four_legs
from typer.testing import CliRunner

import sarrus
from sarrus.cli.app import app
from sarrus.gallery.registry import MAKERS
from sarrus.learn.gait import STANDING
from sarrus.learn.quadruped import Walk
from sarrus.learn.saved import SavedGait

BAD_INPUT = 2
INTERRUPTED = 130


def robot(friction: float = 0.8, foot_radius: float = 0.02, limits: bool = False) -> sarrus.Mechanism:
    """A robot that floats forwards, and a try takes no time."""
    return four_legs(gravity=(friction, 0.0, 0.0))


def command(*arguments: object):
    """What the command leaves: exit_code, stdout, stderr."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def json_of(*arguments: object) -> dict:
    """The object that the command prints with --json."""
    result = command(*arguments, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


@pytest.fixture
def floating(monkeypatch):
    """The robot of these tests in place of the gallery's."""
    monkeypatch.setitem(MAKERS, "quadruped", robot)


SHORT = ("learn", "quadruped", "--duration", "0.05", "--dt", "0.001")


@pytest.mark.parametrize("verb", ["quadruped", "replay"])
def test_the_verbs_help_with_an_example_and_take_json(verb):
    result = command("learn", verb, "--help")
    assert result.exit_code == 0
    for words in (f"sarrus learn {verb}", "Example", "--json"):
        assert words in result.stdout


def test_learn_alone_says_what_there_is_to_learn():
    result = command("learn", "--help")
    assert "quadruped" in result.stdout
    assert "replay" in result.stdout


def test_learning_leaves_progress_plot_and_a_gait_that_can_be_replayed(floating, tmp_path):
    answer = json_of(*SHORT, "--episodes", 6, "--out", tmp_path)
    assert answer["episodes"] == 6
    assert answer["seed"] == 0
    assert Path(answer["plots"][0]).read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "progress.json").exists()
    again = json_of("learn", "replay", answer["gait"], "--out", tmp_path / "run.npz")
    assert again["distance"] == answer["best_distance"] == again["learned_distance"]
    assert len(sarrus.load_trajectory(tmp_path / "run.npz").time) == 6


def test_learning_goes_on_where_it_stopped_unless_told_to_start_afresh(floating, tmp_path, monkeypatch):
    whole = json_of(*SHORT, "--episodes", 6, "--out", tmp_path / "whole")
    call, left = Walk.__call__, [3]

    def stops(self, numbers):
        if not left[0]:
            raise KeyboardInterrupt
        left[0] -= 1
        return call(self, numbers)

    with monkeypatch.context() as patch:
        patch.setattr(Walk, "__call__", stops)
        result = command(*SHORT, "--episodes", 6, "--out", tmp_path / "pieces")
    assert result.exit_code == INTERRUPTED
    assert "interrupted after 3 episodes" in result.stderr
    pieces = json_of(*SHORT, "--episodes", 6, "--out", tmp_path / "pieces")
    same = ("best_distance", "best_episode", "parameters", "failed")
    assert [pieces[key] for key in same] == [whole[key] for key in same]
    assert json_of(*SHORT, "--episodes", 2, "--out", tmp_path / "pieces", "--fresh")["episodes"] == 2


def test_other_settings_and_damaged_progress_are_bad_input_by_name(floating, tmp_path):
    json_of(*SHORT, "--episodes", 2, "--out", tmp_path)
    other = command(*SHORT, "--seed", 1, "--out", tmp_path)
    assert other.exit_code == BAD_INPUT
    assert "was made with seed 0, now it is 1" in other.stderr
    (tmp_path / "progress.json").write_text("{")
    damaged = command(*SHORT, "--out", tmp_path)
    assert damaged.exit_code == BAD_INPUT
    assert "progress.json: is damaged" in damaged.stderr.replace("\n", "")


def test_a_gait_is_replayed_on_the_robot_that_learned_it(floating, tmp_path):
    answer = json_of(*SHORT, "--set", "friction=0.3", "--episodes", 3, "--out", tmp_path)
    assert answer["friction"] == 0.3
    again = json_of("learn", "replay", answer["gait"])
    assert again["distance"] == answer["best_distance"]


def test_a_gait_that_this_robot_cannot_take_is_refused_by_name(floating, tmp_path):
    for settings, words in (
        ({"robot": "hexapod"}, "'hexapod'"),
        ({"robot": "quadruped", "legs": 6}, "'legs'"),
    ):
        SavedGait(STANDING, settings, 1.0, 1).save(tmp_path / "gait.json")
        result = command("learn", "replay", tmp_path / "gait.json")
        assert result.exit_code == BAD_INPUT
        assert words in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("learn", "replay", "nowhere.json"),
        ("learn", "quadruped", "--episodes", "0"),
        ("learn", "quadruped", "--seed", "-1"),
        ("learn", "quadruped", "--dt", "0"),
        ("learn", "hexapod"),
    ],
)
def test_bad_input_ends_with_status_2(floating, arguments):
    assert command(*arguments).exit_code == BAD_INPUT
