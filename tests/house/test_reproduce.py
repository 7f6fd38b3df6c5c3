"""`sarrus reproduce`: finding experiments, running them, writing their results, failing with them."""

from __future__ import annotations

import json
import sys

import pytest
from typer.testing import CliRunner

from sarrus.cli.app import app
from sarrus.cli.experiments import discover

PASSES = '''"""A line that is straight."""

def run(out, quick, progress):
    (out / "line.png").write_bytes(b"figure")
    checks = [{"what": "slope", "value": 1.0, "limit": 2.0, "passed": True},
              {"what": "nothing", "value": float("nan"), "expected": 0.5, "passed": True}]
    return {"name": "line", "paper": "P00", "checks": checks, "figures": [out / "line.png"], "seconds": 0.1}
'''
FAILS = PASSES.replace('"passed": True', '"passed": False').replace("straight", "bent")
SHARED = '"""Shared code, no experiment."""\n'


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A checkout with two experiments, one of which fails, as the working directory."""
    folder = tmp_path / "experiments" / "P00"
    folder.mkdir(parents=True)
    (tmp_path / "src" / "sarrus").mkdir(parents=True)
    for package in (folder.parent, folder):
        (package / "__init__.py").write_text("")
    (folder / "line.py").write_text(PASSES)
    (folder / "bend.py").write_text(FAILS)
    (folder / "shared.py").write_text(SHARED)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    loaded = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "experiments"}
    for name in loaded:
        del sys.modules[name]
    yield tmp_path
    for name in [name for name in sys.modules if name.partition(".")[0] == "experiments"]:
        del sys.modules[name]
    sys.modules.update(loaded)


def test_experiments_are_found_without_being_run(repository):
    assert [(e.path, e.summary) for e in discover(repository)] == [
        ("P00/bend", "A line that is bent."),
        ("P00/line", "A line that is straight."),
    ]


def test_an_experiment_leaves_a_result_file_without_nan(repository):
    result = CliRunner().invoke(app, ["reproduce", "line", "--json"])
    assert result.exit_code == 0, result.stderr
    answer = json.loads(result.stdout)
    assert answer["passed"] is True
    written = json.loads((repository / "out/reproduced/P00/line.json").read_text())
    assert written["figures"] == ["out/reproduced/P00/line.png"]
    assert written["checks"][1]["value"] is None


def test_a_check_that_fails_ends_with_status_1(repository):
    result = CliRunner().invoke(app, ["reproduce", "--all"])
    assert result.exit_code == 1
    assert "failed" in result.stdout
    assert "passed" in result.stdout


def test_the_experiments_of_the_repository_are_listed():
    result = CliRunner().invoke(app, ["reproduce", "--list", "--json"])
    assert result.exit_code == 0, result.stderr
    assert all(entry["summary"] for entry in json.loads(result.stdout)["experiments"])


def test_outside_a_checkout_the_message_says_where_to_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sarrus.cli.checkout.__file__", str(tmp_path / "a" / "b" / "c" / "d.py"))
    for verb in ("bench", "reproduce"):
        result = CliRunner().invoke(app, [verb])
        assert result.exit_code == 2
        assert "checkout" in result.stderr


def test_tracked_results_are_replaced_only_when_asked(repository):
    tracked = repository / "experiments/results/P00/line.json"
    assert CliRunner().invoke(app, ["reproduce", "line"]).exit_code == 0
    assert not tracked.exists()
    assert CliRunner().invoke(app, ["reproduce", "line", "--update"]).exit_code == 0
    assert tracked.exists()
    refused = CliRunner().invoke(app, ["reproduce", "line", "--update", "--quick"])
    assert refused.exit_code == 2
