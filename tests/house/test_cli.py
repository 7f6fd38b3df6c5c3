"""The command line: one JSON object on stdout, errors on stderr, exit statuses."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import sarrus as package
from sarrus.cli.app import app

BAD_INPUT = 2
FAILED_RUN = 1
VIOLATION_LIMIT = 1e-9
"""Constraints hold to the solver's 1e-10; one decade for the read-out."""
SIMULATE_FIELDS = {
    *(
        "model",
        "method",
        "dt",
        "duration",
        "steps",
        "bodies",
        "dof",
        "redundant_constraints",
        "energy_initial",
    ),
    *("energy_error_max", "violation_max", "min_gap", "iterations_mean", "substeps", "us_per_step", "status"),
}
CHECK_FIELDS = {
    *(
        "bodies",
        "joints",
        "dof",
        "loops",
        "redundant_constraints",
        "redundant",
        "recommended_dt",
        "guaranteed_dt",
    ),
}
SHORT = ["--duration", "0.05", "--dt", "0.01"]


def sarrus(*arguments: object):
    """What the command leaves: exit_code, stdout, stderr."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def json_of(*arguments: object) -> dict:
    """The object that the command prints with --json: one line of strict JSON, status 0."""
    result = sarrus(*arguments, "--json")
    assert result.exit_code == 0, result.stderr
    assert len(result.stdout.splitlines()) == 1
    return json.loads(result.stdout, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))


def test_simulate_answers_with_the_fields_of_the_contract():
    answer = json_of("simulate", "pendulum", "--set", "links=2", *SHORT)
    assert answer.keys() >= SIMULATE_FIELDS
    assert (answer["model"], answer["bodies"], answer["dof"], answer["steps"]) == ("pendulum", 2, 2, 5)
    assert answer["violation_max"] <= VIOLATION_LIMIT
    assert answer["min_gap"] is None
    assert answer["status"] == "converged"
    assert all(math.isfinite(answer[key]) for key in ("energy_initial", "energy_error_max", "us_per_step"))


def test_simulate_tells_the_smallest_gap_of_a_run_with_contacts():
    answer = json_of("simulate", "box_drop", "--set", "height=0.01", "--duration", "0.2", "--dt", "0.01")
    assert 0.0 < answer["min_gap"] < 0.01


def test_check_lists_contacts():
    answer = json_of("check", "box_drop")
    assert answer["contacts"]["obstacles"] == ["ground"]
    assert answer["contacts"]["shapes"] == 1
    assert "'ground' (HalfSpace, friction 0.5)" in sarrus("check", "box_drop").stdout


def test_simulate_saves_a_run_that_plot_draws(tmp_path):
    run = tmp_path / "run.npz"
    answer = json_of("simulate", "four_bar", *SHORT, "--out", run, "--plot", tmp_path / "direct")
    assert Path(answer["out"]) == run
    drawn = json_of("plot", run, "--out", tmp_path / "later")
    for plot in [*answer["plots"], *drawn["plots"]]:
        assert Path(plot).read_bytes().startswith(b"\x89PNG")


def test_reactions_recorded_on_the_command_line_are_in_the_run(tmp_path):
    runs = {}
    for flags in ((), ("--reactions",)):
        out = tmp_path / f"run{len(flags)}.npz"
        answer = json_of("simulate", "four_bar", *SHORT, "--out", out, *flags)
        assert answer["reactions"] is bool(flags)
        runs[flags] = package.load_trajectory(out).reactions
    assert runs[()] is None
    assert abs(runs["--reactions",]).max() > 1.0, "four bars of 1 kg each weigh on their joints"
    alone = sarrus("simulate", "four_bar", *SHORT, "--reactions")
    assert alone.exit_code == BAD_INPUT
    assert "--out" in alone.stderr


@pytest.mark.parametrize("option", ["--out", "--plot", "--html"])
def test_what_cannot_be_written_is_refused_before_the_run(option, tmp_path, monkeypatch):
    monkeypatch.setattr("os.access", lambda *_: False)
    monkeypatch.setattr(package, "build", lambda *_: pytest.fail("the run had begun"))
    name = {"--out": "run.npz", "--plot": "new/plots", "--html": "run.html"}[option]
    result = sarrus("simulate", "four_bar", *SHORT, option, tmp_path / name)
    assert result.exit_code == BAD_INPUT
    assert "no permission" in result.stderr


def test_simulate_reports_in_words_without_json():
    result = sarrus("simulate", "four_bar", *SHORT)
    assert result.exit_code == 0, result.stderr
    assert "degree" in result.stdout
    assert "violation" in result.stdout


def test_check_answers_with_the_fields_of_the_contract():
    answer = json_of("check", "double_four_bar")
    assert answer.keys() >= CHECK_FIELDS
    assert (answer["dof"], answer["redundant_constraints"]) == (1, 6)
    assert len(answer["redundant"]) == answer["redundant_constraints"]
    assert answer["guaranteed_dt"] is None


def test_check_reports_in_words_without_json():
    result = sarrus("check", "four_bar")
    assert result.exit_code == 0, result.stderr
    assert "recommended time step" in result.stdout


def test_gallery_lists_mechanisms_with_their_parameters():
    mechanisms = {entry["name"]: entry for entry in json_of("gallery")["mechanisms"]}
    assert mechanisms.keys() >= {"pendulum", "four_bar", "sarrus", "bricard", "bennett"}
    assert "links" in mechanisms["pendulum"]["parameters"]
    assert all(entry["summary"] for entry in mechanisms.values())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["simulate", "pendulun"], "'pendulum'"),
        (["simulate", "robot.urdf"], "no such file"),
        (["check", "robot.urdf"], "no such file"),
        (["simulate", "pendulum", "--set", "lings=3"], "'links'"),
        (["simulate", "pendulum", "--set", "links"], "NAME=VALUE"),
        (["simulate", "pendulum", "--set", "links=many"], "a whole number"),
        (["simulate", "pendulum", "--set", "links=2", "--set", "links=3"], "given twice"),
        (["simulate", "pendulum", "--method", "leapfrog"], "variational"),
        (["simulate", "pendulum", "--dt", "0"], "dt"),
        (["simulate", "pendulum", "--dt", "nan"], "dt"),
        (["simulate", "pendulum", "--duration", "-1"], "duration"),
        (["simulate", "pendulum", "--duration", "1.005"], "1.01"),
        (["simulate", "pendulum", "--out", "run.txt"], ".npz"),
        (["simulate", "pendulum", "--out", "no-such-folder/run.npz"], "no-such-folder"),
        (["plot", "no-such-run.npz"], "no-such-run.npz"),
        (["reproduce", "MC23/no_such_figure"], "no_such_figure"),
        (["simulate"], "MODEL"),
        (["juggle"], "juggle"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input_ends_with_status_2_and_says_what_would_be_valid(arguments, words):
    result = sarrus(*arguments, *(["--json"] if len(arguments) > 1 else []))
    assert result.exit_code == BAD_INPUT
    assert words in result.stderr
    assert "Traceback" not in result.stderr
    if len(arguments) == 1:
        assert result.stdout == ""
        return
    told = json.loads(result.stdout)
    assert words in told["error"]
    assert told["exit_status"] == BAD_INPUT


@pytest.mark.parametrize("arguments", [["simulate"], ["juggle"], ["simulate", "pendulum", "--dt", "small"]])
def test_arguments_that_make_no_sense_are_told_as_json_too(arguments):
    result = sarrus(*arguments, "--json")
    assert result.exit_code == BAD_INPUT
    assert len(result.stdout.splitlines()) == 1
    assert json.loads(result.stdout)["error_type"] == "UsageError"
    assert "--json" not in result.stderr


def test_a_fault_of_the_program_is_told_as_json_too(monkeypatch):
    def broken(*arguments, **options):
        raise RuntimeError("this should not happen")

    monkeypatch.setattr(package, "build", broken)
    result = sarrus("check", "pendulum", "--json")
    assert result.exit_code == FAILED_RUN
    assert json.loads(result.stdout)["error"] == "this should not happen"


def test_a_warning_is_one_line_of_words():
    result = sarrus("simulate", "pendulum", "--duration", "1", "--dt", "1", "--json")
    assert result.exit_code == 0, result.stderr
    assert [line for line in result.stderr.splitlines() if line.startswith("warning: dt = 1 s is")]
    assert "warnings.warn" not in result.stderr


def test_a_file_that_is_not_a_run_is_bad_input(tmp_path):
    stranger = tmp_path / "stranger.npz"
    stranger.write_bytes(b"not a trajectory")
    result = sarrus("plot", stranger, "--out", tmp_path, "--json")
    assert result.exit_code == BAD_INPUT
    assert "stranger.npz" in result.stderr


def test_a_run_that_fails_ends_with_status_1_and_still_answers(monkeypatch, tmp_path):
    from sarrus.errors import Status, StepFailed

    simulate = package.simulate
    before = simulate(package.build(package.gallery.four_bar()), duration=0.02, dt=0.01)

    def fails(model, **options):
        if options["duration"] < before.dt:
            return simulate(model, **options)
        before.save(options["out"])
        raise StepFailed(
            "no solution at joint 'A'", time=0.02, joint="A", status=Status.ITERATION_LIMIT, trajectory=before
        )

    monkeypatch.setattr(package, "simulate", fails)
    result = sarrus("simulate", "four_bar", *SHORT, "--json", "--out", tmp_path / "partial.npz")
    assert result.exit_code == FAILED_RUN
    assert "no solution at joint 'A'" in result.stderr
    told = json.loads(result.stdout)
    assert "failed at t = 0.02 s" in told["status"]
    assert (told["error"], told["exit_status"]) == ("no solution at joint 'A'", FAILED_RUN)
    assert (tmp_path / "partial.npz").exists()


def test_the_installed_command_knows_its_version_and_its_exit_statuses():
    def command(*arguments: str) -> subprocess.CompletedProcess[str]:
        code = "from sarrus.cli import main; main()"
        return subprocess.run(
            [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
        )

    assert command("--version").stdout.startswith("sarrus ")
    assert command("simulate", "nothing-of-the-kind").returncode == BAD_INPUT


@pytest.mark.parametrize(
    "verb",
    [
        "demo",
        "simulate",
        "check",
        "gallery",
        "view",
        "plot",
        "table",
        "render",
        "warmup",
        "bench",
        "reproduce",
    ],
)
def test_every_verb_helps_with_an_example_and_takes_json(verb):
    result = sarrus(verb, "--help")
    assert result.exit_code == 0
    assert f"sarrus {verb}" in result.stdout
    assert "Example" in result.stdout
    assert "--json" in result.stdout
