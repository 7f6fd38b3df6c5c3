"""Runs of the command line that signals stop: what was computed is kept, named, read, and gone on with."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import sarrus

PATIENCE = 120.0
"""[s] for a process to start its run, on a machine that does other things too."""
RUN = ["simulate", "pendulum", "--set", "links=3", "--duration", "2000", "--record-every", "50"]
# Background shells ignore Ctrl-C; here it is to be heard.
COMMAND = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from sarrus.cli import main
main()
"""


def start(*arguments: object) -> subprocess.Popen[str]:
    """The command, running."""
    words = [sys.executable, "-c", COMMAND, *map(str, arguments)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(*arguments: object) -> subprocess.CompletedProcess[str]:
    """What the command leaves."""
    return subprocess.run(
        [sys.executable, "-c", COMMAND, *map(str, arguments)], capture_output=True, text=True, check=False
    )


def has_records(path: os.PathLike[str]) -> bool:
    """Whether a run has written its first records, whole."""
    try:
        return len(sarrus.load_trajectory(path)) > 1
    except sarrus.FileError:
        return False


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory):
    """The run that nobody stops."""
    path = tmp_path_factory.mktemp("unbroken") / "run.npz"
    done = finish(*RUN, "--out", path)
    assert done.returncode == 0, done.stderr
    return sarrus.load_trajectory(path)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda n: n.name)
def test_a_run_that_a_signal_stops_is_kept_and_goes_on_bit_by_bit(tmp_path, unbroken, number):
    out, left = tmp_path / "run.npz", tmp_path / "run.npz.partial"
    process = start(*RUN, "--out", out, "--json")
    end = time.monotonic() + PATIENCE
    while not has_records(left):
        assert time.monotonic() < end
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.002)
    process.send_signal(number)
    stdout, stderr = process.communicate(timeout=PATIENCE)
    assert os.listdir(tmp_path) == [left.name]
    if number == signal.SIGKILL:
        assert process.returncode == -number
    else:
        assert process.returncode == 128 + number
        assert "are kept in" in stderr
        assert left.name in stderr
        assert "--resume" in stderr
        told = json.loads(stdout)
        assert told["kept"] == str(left)
        assert told["exit_status"] == 128 + number
    kept = sarrus.load_trajectory(left)
    assert kept.position.tobytes() == unbroken.position[: len(kept)].tobytes()

    later = finish("simulate", "pendulum", "--duration", "0.1", "--out", out)
    assert later.returncode == 0
    assert "warning: found" in later.stderr
    assert f"load_trajectory('{left}') reads it" in later.stderr.replace("\n", " ")
    assert left.exists()

    resumed = finish(*RUN, "--out", out, "--resume", "--json")
    assert resumed.returncode == 0, resumed.stderr
    whole = sarrus.load_trajectory(out)
    for name in ("time", "position", "orientation", "velocity", "angular_velocity"):
        assert getattr(whole, name).tobytes() == getattr(unbroken, name).tobytes()
    np.testing.assert_array_equal(whole.final_state.memory, unbroken.final_state.memory)
    assert whole.stats.steps == unbroken.stats.steps
    assert not left.exists()


def test_the_run_to_go_on_with_needs_its_file():
    result = finish("simulate", "pendulum", "--resume", "--json")
    assert result.returncode == 2
    assert "--out run.npz" in json.loads(result.stdout)["error"]
