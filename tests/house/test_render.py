"""`sarrus render` on the command line."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from sarrus.cli.app import app

BAD_INPUT = 2
TINY = ["--size", "96x64"]


def sarrus(*arguments: object):
    """What the command leaves: exit_code, stdout, stderr."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A saved run of a four-bar linkage."""
    path = tmp_path_factory.mktemp("runs") / "run.npz"
    result = sarrus("simulate", "four_bar", "--duration", "0.2", "--dt", "0.01", "--out", path)
    assert result.exit_code == 0, result.stderr
    return path


@pytest.mark.parametrize(
    ("name", "start"), [("film.gif", b"GIF89a"), ("film.webp", b"RIFF"), ("still.png", b"\x89PNG")]
)
def test_render_writes_the_kind_of_file_that_the_name_says(run, tmp_path, name, start):
    out = tmp_path / name
    result = sarrus("render", run, out, *TINY, "--json")
    assert result.exit_code == 0, result.stderr
    answer = json.loads(result.stdout)
    assert answer["out"] == out.as_posix()
    assert answer["bytes"] == out.stat().st_size
    assert answer["frames"] == (1 if name == "still.png" else {"gif": 5, "webp": 6}[out.suffix[1:]])
    assert out.read_bytes().startswith(start)


def test_render_writes_an_mp4_beside_the_run_when_no_name_is_given(run):
    result = sarrus("render", run, *TINY, "--stop", "0.1")
    assert result.exit_code == 0, result.stderr
    assert b"ftyp" in run.with_suffix(".mp4").read_bytes()[:16]
    assert "4 frames" in result.stdout
    assert "\x1b[" not in result.stdout + result.stderr  # no colours and no bar where nobody looks


def test_render_takes_camera_and_layers(run, tmp_path):
    options = ["--azimuth", "30", "--elevation", "10", "--zoom", "1.2", "--follow", "crank"]
    options += ["--trail", "coupler", "--layer", "shapes", "--layer", "joints", "--forces"]
    result = sarrus("render", run, tmp_path / "still.png", "--at", "0.1", *TINY, *options)
    assert result.exit_code == 0, result.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["film.avi"], ".mp4"),
        (["film.mp4", "--size", "wide"], "1280x720"),
        (["film.mp4", "--at", "0.1"], "--start"),
        (["still.png", "--at", "9"], "0 to 0.2 s"),
        (["film.gif", "--follow", "cranc"], "'crank'"),
        (["film.gif", "--trail", "cranc"], "'crank'"),
        (["film.gif", "--layer", "skin"], "shapes"),
        (["film.gif", "--fps", "0"], "fps"),
        (["no-such-folder/film.gif"], "no-such-folder"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input_ends_with_status_2_and_writes_nothing(run, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    result = sarrus("render", run, *arguments, *([] if "--size" in arguments else TINY))
    assert result.exit_code == BAD_INPUT
    assert words in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_does_not_exist_is_bad_input(tmp_path):
    result = sarrus("render", tmp_path / "missing.npz", tmp_path / "film.gif")
    assert result.exit_code == BAD_INPUT
    assert "missing.npz" in result.stderr
