"""Shell completion: what is offered after TAB, in a fresh process, as a shell asks for it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sarrus.cli.app import app

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 0.3
"""Of processor time, on top of what Python, numpy and typer need to start: TAB must not keep one waiting."""
HEAVY = ("numba", "scipy", "matplotlib", "mujoco", "viser", "PIL")


def asked(line: str) -> dict[str, str]:
    """What bash sets to have the last word of a line completed."""
    return {"_SARRUS_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}


def process(code: str, environment: dict[str, str], folder: object) -> subprocess.CompletedProcess[str]:
    """A fresh Python process in `folder`, with the package of this checkout."""
    environment = environment | {"PYTHONPATH": str(ROOT / "src")}
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder, env=os.environ | environment, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    """A folder with robots, a run and a picture."""
    for name in ("robot.xml", "arm.urdf", "run.npz", "photo.png"):
        (tmp_path / name).write_text("")
    (tmp_path / "legged.xml").write_text(
        '<mujoco><keyframe><key name="home"/><key qpos="0" name="crouch"/></keyframe></mujoco>'
    )
    (tmp_path / "swing.yaml").write_text(
        "bodies:\n  rod: {mass: 1}\nkeyframes:\n  up:\n    joints: {a: 1}\n  down: {}\n"
    )
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "dog.xml").write_text("")
    return tmp_path


@pytest.mark.parametrize(
    ("line", "offered", "not_offered"),
    [
        ("sarrus sim", {"simulate"}, {"check"}),
        ("sarrus simulate pend", {"pendulum"}, {"four_bar"}),
        ("sarrus simulate double-four", {"double-four-bar"}, {"four_bar"}),
        (
            "sarrus check ",
            {"quadruped", "robot.xml", "arm.urdf", "swing.yaml", "models/"},
            {"run.npz", "photo.png"},
        ),
        ("sarrus check models/", {"models/dog.xml"}, {"robot.xml"}),
        ("sarrus plot ", {"run.npz", "models/"}, {"robot.xml"}),
        ("sarrus view ", {"run.npz", "robot.xml", "pendulum"}, {"photo.png"}),
        ("sarrus render r", {"run.npz"}, {"robot.xml"}),
        ("sarrus simulate pendulum --method var", {"variational", "variational6"}, set()),
        ("sarrus simulate pendulum --set li", {"links=10"}, set()),
        ("sarrus simulate legged.xml --keyframe ", {"home", "crouch"}, set()),
        ("sarrus simulate swing.yaml --keyframe ", {"up", "down"}, {"rod", "joints"}),
        ("sarrus render run.npz film.gif --layer ", {"shapes", "joints"}, set()),
        ("sarrus gallery scis", {"scissor_lift"}, set()),
        ("sarrus reproduce MC23/fig07", {"MC23/fig07a_drift"}, {"MC23/fig08a_chains"}),
    ],
)
def test_completion_offers(folder, monkeypatch, line, offered, not_offered):
    monkeypatch.chdir(folder)
    result = CliRunner().invoke(app, [], env=asked(line), prog_name="sarrus")
    found = set(result.stdout.split())
    assert found >= offered
    assert not found & not_offered


def test_completion_loads_nothing_heavy_and_is_quick(folder):
    code = (
        "import atexit, contextlib, importlib, json, sys, time\n"
        "for name in ('numpy', 'typer', 'typer._adapters', 'rich.console'):\n"
        "    with contextlib.suppress(ImportError):\n"
        "        importlib.import_module(name)\n"
        "start = time.process_time()\n"
        f"atexit.register(lambda: print(json.dumps([time.process_time() - start, "
        f"[name for name in {HEAVY} if name in sys.modules]]), file=sys.stderr))\n"
        "from sarrus.cli import main; main()"
    )
    done = process(code, asked("sarrus simulate pend"), folder)
    seconds, heavy = json.loads(done.stderr.splitlines()[-1])
    assert done.stdout.split() == ["pendulum"]
    assert heavy == []
    assert seconds < SECONDS


def test_the_script_for_the_shell_can_be_shown(tmp_path):
    code = "from sarrus.cli import main; main()"
    done = process(code, {"_SARRUS_COMPLETE": "source_bash"}, tmp_path)
    assert "_SARRUS_COMPLETE" in done.stdout
    assert "complete" in done.stdout
    assert "sarrus" in done.stdout


def test_what_is_offered_without_loading_anything_is_what_there_is():
    from sarrus.cli import completion
    from sarrus.importers.load import ENDINGS
    from sarrus.viewers.scene import LAYERS

    assert sorted(completion.MODEL_FILES) == sorted(ENDINGS)
    assert completion.LAYERS == LAYERS
