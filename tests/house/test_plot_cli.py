"""`sarrus plot`: one overview, or every figure that a run has data for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import sarrus
from sarrus.cli.app import app


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    """A short saved run of the four-bar, without reactions."""
    path = tmp_path_factory.mktemp("runs") / "run.npz"
    sarrus.simulate(sarrus.build(sarrus.gallery.four_bar()), duration=0.2, dt=0.01).save(path)
    return path


def plot(*arguments: object):
    """What `sarrus plot` leaves: exit_code, stdout, stderr."""
    return CliRunner().invoke(app, ["plot", *map(str, arguments)])


def test_all_figures_are_listed_as_json_with_what_is_left_out_and_why(run, tmp_path):
    result = plot(run, "--all", tmp_path / "figures", "--json")
    assert result.exit_code == 0, result.stderr
    answer = json.loads(result.stdout)
    names = [each["name"] for each in answer["figures"]]
    assert {"overview", "energy", "phase-portraits", "sparsity", "graph"} <= set(names)
    assert [Path(each["path"]).name for each in answer["figures"]] == [f"{name}.png" for name in names]
    assert [each["path"] for each in answer["figures"]] == answer["plots"]
    assert all(Path(path).read_bytes().startswith(b"\x89PNG") for path in answer["plots"])
    left_out = {each["name"]: each["why"] for each in answer["left_out"]}
    assert left_out == {
        "contacts": "the mechanism has no contacts",
        "poincare": "with one degree of freedom a section is a single point",
        "reactions": "reactions were not recorded; simulate with reactions=True, or --reactions",
    }


def test_the_table_names_files_and_reasons(run, tmp_path, monkeypatch):
    from sarrus.plots import collection

    few = [kind for kind in collection.KINDS if kind.name in ("iterations", "reactions")]
    monkeypatch.setattr(collection, "KINDS", tuple(few))
    result = plot(run, "--all", tmp_path, "--format", "svg")
    assert result.exit_code == 0, result.stderr
    words = " ".join(result.stdout.split())
    assert "iterations.svg" in "".join(result.stdout.split())
    assert "left out: reactions were not recorded" in words
    assert (tmp_path / "iterations.svg").read_bytes().startswith(b"<?xml")


def test_the_overview_can_be_a_pdf(run, tmp_path):
    result = plot(run, "--out", tmp_path, "--format", "pdf")
    assert result.exit_code == 0, result.stderr
    assert (tmp_path / "run.pdf").read_bytes().startswith(b"%PDF")


def test_a_folder_that_is_a_file_and_an_unknown_format_are_bad_input(run, tmp_path):
    taken = tmp_path / "taken"
    taken.write_text("")
    result = plot(run, "--all", taken)
    assert result.exit_code == 2
    assert "it is a file, not a folder" in result.stderr
    assert plot(run, "--format", "gif").exit_code == 2


def test_chosen_signals_are_plotted(run, tmp_path):
    result = plot(run, "--signal", "velocity", "--signal", "energy/total", "--out", tmp_path)
    assert result.exit_code == 0, result.stderr
    assert (tmp_path / "run.png").read_bytes().startswith(b"\x89PNG")
    both = plot(run, "--signal", "velocity", "--all", tmp_path)
    assert both.exit_code == 2
    assert "give one of them" in " ".join(both.stderr.split())


def table(*arguments: object):
    """What `sarrus table` leaves: exit_code, stdout, stderr."""
    return CliRunner().invoke(app, ["table", *map(str, arguments)])


def test_the_signals_of_a_run_are_listed(run):
    result = table(run)
    assert result.exit_code == 0, result.stderr
    assert "position/crank pin" in result.stdout
    assert "kg m^2/s" in result.stdout


@pytest.mark.parametrize("name", ["run.csv", "run.parquet"])
def test_chosen_signals_are_written_as_a_table(run, tmp_path, name):
    import pandas

    result = table(run, tmp_path / name, "--signal", "position/crank pin", "--signal", "energy", "--json")
    assert result.exit_code == 0, result.stderr
    answer = json.loads(result.stdout)
    assert answer["rows"] == 21
    assert [each["name"] for each in answer["signals"]][:2] == ["position/crank pin", "energy/kinetic"]
    read = pandas.read_csv if name.endswith("csv") else pandas.read_parquet
    assert read(tmp_path / name).shape == (21, 6)


@pytest.mark.parametrize(
    ("out", "signal", "words"),
    [
        ("run.txt", "energy", "ends in .csv or .parquet"),
        ("run.csv", "energi", "did you mean 'energy'"),
        ("run.csv", "reaction", "reactions were not recorded"),
        ("missing/run.csv", "energy", "there is no folder"),
    ],
)
def test_tables_that_cannot_be_written_are_refused(run, tmp_path, out, signal, words):
    result = table(run, tmp_path / out, "--signal", signal)
    assert result.exit_code == 2
    assert words in " ".join(result.stderr.split())
    assert list(tmp_path.iterdir()) == []
