"""`sarrus view` and `Trajectory.show`: pages in a browser, ports, and what is said where."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.house.browser import BROWSERS, NAMES, running
from typer.testing import CliRunner

import sarrus
from sarrus.cli.app import app
from sarrus.errors import MechanismError
from sarrus.viewers.live.playback_window import PlaybackWindow
from sarrus.viewers.live.run_window import LiveWindow
from sarrus.viewers.live.server import free_port, url_of

BAD_INPUT = 2
PATIENCE = 240.0
"""Seconds that a slow machine may take to compile kernels and to draw a page by software."""
SIZE = {"width": 1000, "height": 460}


def until(true: Callable[[], bool], what: str) -> None:
    """Waits until something is true."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, f"waited {PATIENCE:g} s for {what}"
        time.sleep(0.05)


@pytest.fixture(scope="module")
def run() -> sarrus.Trajectory:
    """A box that falls on the ground, reactions recorded."""
    model = sarrus.build(sarrus.gallery.make("box_drop", height=0.02))
    return sarrus.simulate(model, duration=0.2, dt=0.01, reactions=True)


@pytest.fixture
def taken() -> Iterator[int]:
    """A port of this machine that somebody listens on."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield other.getsockname()[1]


def page_of(url: str) -> str:
    """What a browser gets there."""
    with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
        return answer.read().decode()


def test_a_port_in_use_is_said_and_the_next_one_taken(taken):
    said: list[str] = []
    assert free_port("127.0.0.1", taken, said.append) > taken
    assert len(said) == 1
    assert str(taken) in said[0]


@pytest.mark.parametrize("port", [-1, 70000])
def test_a_port_that_cannot_be_is_refused(port):
    with pytest.raises(MechanismError, match="65535"):
        free_port("127.0.0.1", port, lambda words: None)


def test_an_address_of_another_machine_is_refused():
    # 192.0.2.0/24 is set aside for examples.
    with pytest.raises(MechanismError, match=r"192\.0\.2\.1"):
        free_port("192.0.2.1", 8080, lambda words: None)


def test_the_viewer_listens_on_this_machine_alone_and_warns_elsewhere(run):
    said: list[str] = []
    page = PlaybackWindow(run, port=0, tell=said.append)
    assert page.window.server.get_host() == "127.0.0.1"
    assert said == []
    page.window.close()
    page = PlaybackWindow(run, host="0.0.0.0", port=0, tell=said.append)
    page.window.close()
    assert "password" in said[0]


def test_no_page_can_open_a_tunnel_to_the_world(run):
    page = PlaybackWindow(run, port=0)
    try:
        assert page.window.server.request_share_url() is None
    finally:
        page.window.close()


def test_addresses_are_written_as_a_browser_reads_them():
    assert url_of("127.0.0.1", 8080) == "http://localhost:8080"
    assert url_of("0.0.0.0", 8080) == "http://localhost:8080"
    assert url_of("fe80::1", 80) == "http://[fe80::1]:80"


def test_view_prints_where_it_is_and_ends_by_itself():
    result = CliRunner().invoke(
        app, ["view", "four_bar", "--port", "0", "--no-open", "--seconds", "0.3", "--json"]
    )
    assert result.exit_code == 0, result.stderr
    answer = json.loads(result.stdout)
    assert answer["kind"] == "live"
    assert answer["url"].startswith("http://localhost:")


def test_view_plays_a_saved_run(run, tmp_path):
    run.save(tmp_path / "run.npz")
    path = str(tmp_path / "run.npz")
    arguments = ["view", path, "--port", "0", "--no-open", "--seconds", "0.3"]
    result = CliRunner().invoke(app, [*arguments, "--json"])
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["kind"] == "playback"
    for option in (("--set", "links=2"), ("--dt", "0.01"), ("--ground",)):
        result = CliRunner().invoke(app, [*arguments, *option])
        assert result.exit_code == BAD_INPUT
        assert "saved run" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["no_such_mechanism"], "no_such_mechanism"),
        (["missing.npz"], "missing.npz"),
        (["four_bar", "--keyframe", "home"], "home"),
        (["four_bar", "--seconds", "0"], "--seconds"),
        (["four_bar", "--dt", "-1"], "dt"),
        (["four_bar", "--method", "euler"], "euler"),
        (["box_drop", "--method", "variational4"], "variational4"),
        (["four_bar", "--port", "99999"], "65535"),
    ],
)
def test_view_refuses_what_it_cannot_show(arguments, word):
    result = CliRunner().invoke(app, ["view", *arguments, "--no-open"])
    assert result.exit_code == BAD_INPUT
    assert word in result.stderr


def test_an_interrupt_ends_the_viewer_cleanly():
    command = "from sarrus.cli import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", command, "view", "pendulum", "--port", "0", "--no-open", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(Path(sarrus.__file__).parents[1])},
        # A shell that starts the tests in the background has its children ignore interrupts.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        url = json.loads(process.stdout.readline())["url"]
        assert "<html" in page_of(url).lower()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert process.returncode == 0
    assert "Traceback" not in errors


def test_show_returns_beside_the_caller_and_closes(run):
    shown = run.show(port=0, block=False, open_browser=False)
    assert "<html" in page_of(shown.url).lower()
    shown.close()
    with pytest.raises(OSError, match="refused"):
        page_of(shown.url)


def test_without_viser_the_error_names_the_extra(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "viser", None)
    with pytest.raises(sarrus.SarrusError, match=r"sarrus\[view\]"):
        run.show(port=0, block=False, open_browser=False)


def test_ci_has_a_browser():
    assert BROWSERS or os.environ.get("CI") != "true", f"install one of {', '.join(NAMES)}"


def wheel() -> sarrus.Mechanism:
    """A large ball on a hinge, without gravity: it stays in the middle of the picture."""
    mech = sarrus.Mechanism(gravity=(0.0, 0.0, 0.0), name="wheel")
    mech.add_body("ball", mass=2.0, inertia=(0.1, 0.1, 0.1), shapes=[sarrus.Sphere(0.3)])
    mech.add_joint("hinge", "revolute", parent="world", child="ball", at=(0, 0, 0), axis=(0, 0, 1))
    return mech


@pytest.mark.parametrize("path", BROWSERS)
def test_a_page_shows_the_mechanism_and_obeys_its_buttons_and_the_mouse(path):
    page = LiveWindow(wheel(), port=0)
    loop = threading.Thread(target=page.window.loop, args=(page.frame,), daemon=True)
    loop.start()
    try:
        with running(path) as browser:
            tab, said = browser.new_page(viewport=SIZE), []
            tab.set_default_timeout(1000 * PATIENCE)
            tab.on("pageerror", lambda error: said.append(str(error)))
            tab.on("console", lambda line: said.append(line.text) if line.type == "error" else None)
            tab.goto(page.window.url)
            tab.wait_for_selector("canvas")
            for word in ("Play", "Step", "Reset", "Speed", "Frames", "Trail", "Joints", "Plots"):
                tab.get_by_text(word, exact=True).first.wait_for()
            tab.get_by_role("button", name="Play").click()
            until(lambda: page.run.state.time > 0.1, "the run to start")
            assert said == []
            plot_a_signal(tab, page)
            pull(tab, page)
            tab.get_by_role("button", name="Pause").click()
            until(lambda: not page.run.playing, "the run to pause")
            tab.get_by_role("button", name="Reset").click()
            until(lambda: page.run.state.time == 0.0, "the run to go back")
            # viser grumbles at itself about a passive listener when a mouse drags.
            assert [words for words in said if "passive event listener" not in words] == []
    finally:
        page.window.stop()
        loop.join(timeout=PATIENCE)


def plot_a_signal(tab, page: LiveWindow) -> None:
    """Chooses a signal in the menu below the plots, until it is drawn."""
    tab.get_by_label("Add signal").first.click()
    tab.get_by_role("option", name="velocity/hinge", exact=True).click()
    tab.get_by_text("joint velocity [rad/s]").first.wait_for()
    until(lambda: len(page.run.history.signals[0]) > 1, "values of the signal")


def pull(tab, page: LiveWindow) -> None:
    """Drags the ball in the middle of the picture with the mouse, until it turns; and lets go."""
    x, y = 0.5 * SIZE["width"], 0.5 * SIZE["height"]
    tab.mouse.move(x, y)
    tab.mouse.down()
    moves = iter(range(10_000))

    def turning() -> bool:
        tab.mouse.move(x + 10 + next(moves) % 40, y)
        return bool(page.run.pulls) and abs(page.run.state.angular_velocity[0, 2]) > 0.0

    until(turning, "the ball to be pulled")
    tab.mouse.up()
    until(lambda: not page.run.pulls, "the hand to let go")
