"""Animations from the command line."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from sarrus.cli.app import app

BAD_INPUT = 2
FAILED_RUN = 1
SHORT = ["--duration", "0.05", "--dt", "0.01"]


def sarrus(*arguments: object):
    """What the command leaves: exit_code, stdout, stderr."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_simulate_writes_an_animation_and_says_where(tmp_path):
    page = tmp_path / "run.html"
    result = sarrus("simulate", "pendulum", *SHORT, "--html", page)
    assert result.exit_code == 0, result.stderr
    assert f"wrote {page}" in result.stdout
    assert page.read_text("utf-8").startswith("<!doctype html>")
    result = sarrus("simulate", "pendulum", *SHORT, "--html", page, "--json")
    assert json.loads(result.stdout)["html"] == page.as_posix()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("run.png", "the name of a page ends in .html"),
        ("nowhere/run.html", "there is no folder"),
        ("folder.html", "it is a folder"),
    ],
)
def test_a_place_where_no_page_can_be_written_is_refused_before_the_run(tmp_path, name, words):
    (tmp_path / "folder.html").mkdir()
    result = sarrus("simulate", "pendulum", "--html", tmp_path / name)
    assert result.exit_code == BAD_INPUT
    assert words in result.stderr.replace("\n", " ")


def test_a_run_that_fails_still_leaves_its_animation(tmp_path, monkeypatch):
    import sarrus as package

    simulate = package.simulate
    hard = package.Variational(max_substeps=1, max_iterations=2)
    monkeypatch.setattr(package, "simulate", lambda *a, **options: simulate(*a, **options | {"method": hard}))
    page = tmp_path / "run.html"
    result = sarrus("simulate", "pendulum", "--set", "links=6", "--dt", "0.02", "--html", page)
    assert result.exit_code == FAILED_RUN, result.stdout + result.stderr
    assert page.exists()


def test_the_demo_writes_an_animation_of_each_of_its_mechanisms(tmp_path):
    result = sarrus("demo", "--out", tmp_path, "--json")
    assert result.exit_code == 0, result.stderr
    pages = json.loads(result.stdout)["animations"]
    assert [page.rpartition("/")[2] for page in pages] == [
        "double_four_bar.html",
        "pendulum.html",
        "sarrus.html",
    ]
    for page in pages:
        assert "Content-Security-Policy" in (tmp_path / page).read_text("utf-8")
