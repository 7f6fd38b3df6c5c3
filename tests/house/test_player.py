"""The page of a run in a real browser: it loads without complaint, asks for nothing, plays and obeys.

Where no browser is installed there is nothing to run, except in CI, where a missing browser is a failure."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.house.browser import BROWSERS, NAMES, running

import sarrus
from sarrus.mechanism.rotations import rotation
from sarrus.viewers.scene import scene_of
from sarrus.viewers.strands import strand_points

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

WINDOW = {"width": 900, "height": 460}
PATIENCE = 60.0
"""Seconds that a slow machine may take to draw one picture."""
SAME = 1e-4
"""Poses in the page are stored in 16 bits."""
HOSTILE = """</script><script>window.injected = 1</script><img src=x onerror="window.injected = 1">&amp;"""


def test_ci_has_a_browser():
    assert BROWSERS or os.environ.get("CI") != "true", f"install one of {', '.join(NAMES)}"


@pytest.fixture(scope="module", params=BROWSERS, ids=lambda path: Path(path).name)
def browser(request) -> Iterator[Browser]:
    """A browser that runs without a window."""
    with running(request.param) as found:
        yield found


@pytest.fixture(scope="module")
def run() -> sarrus.Trajectory:
    """A four-bar linkage over two seconds."""
    return sarrus.simulate(sarrus.build(sarrus.gallery.make("four_bar")), duration=2.0, dt=0.01)


@pytest.fixture(scope="module")
def file(run, tmp_path_factory) -> Path:
    """Its page."""
    return run.to_html(tmp_path_factory.mktemp("pages") / "run.html")


class Visit:
    """A page in the browser, and what it said and asked for."""

    def __init__(self, browser: Browser, path: Path, mark: str = "#paused", script: str = "", **context: Any):
        self.context = browser.new_context(viewport=WINDOW, **context)
        self.page: Page = self.context.new_page()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        if script:
            self.page.add_init_script(script)
        self.page.goto(path.as_uri() + mark)
        self.until(lambda: self.js("!!window.player && !window.player.dirty") or "#paused" not in mark)

    def js(self, expression: str) -> Any:
        """The value of an expression in the page."""
        return self.page.evaluate(expression)

    def until(self, true: Callable[[], bool]) -> None:
        """Waits for a condition."""
        end = time.monotonic() + PATIENCE
        while not true():
            assert time.monotonic() < end, f"waited in vain; the page said {self.said}"
            time.sleep(0.02)

    def drawn(self) -> None:
        """Waits until what was changed is on the screen."""
        self.until(lambda: self.js("!player.dirty && !player.camera.wanted"))

    def picture(self) -> np.ndarray:
        """The pixels (h, w, 3) of the drawn bodies."""
        from io import BytesIO

        from PIL import Image

        self.drawn()
        png = self.page.locator("#view").screenshot()
        return np.asarray(Image.open(BytesIO(png)).convert("RGB"), dtype=float)

    def close(self) -> None:
        """Leaves the page."""
        self.context.close()


@pytest.fixture(scope="module")
def opened(browser, file) -> Iterator[Visit]:
    """The page of the run, opened once: software takes a second for the first picture."""
    seen = Visit(browser, file)
    yield seen
    seen.close()


@pytest.fixture
def visit(opened) -> Iterator[Visit]:
    """The page of the run, paused at its start and as it was when it was opened."""
    opened.page.mouse.move(1, 1)
    opened.js("player.speed = 1, player.loop = true, player.pause(), player.home(), player.seek(0)")
    opened.drawn()
    yield opened
    assert opened.said == []


def test_the_page_loads_in_silence_asks_for_nothing_and_shows_the_bodies(visit, file):
    picture = visit.picture()
    assert visit.asked == [file.as_uri()]
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 100, "more than an empty sky"
    blue = (picture[..., 2] > picture[..., 0] + 60.0).mean()
    assert 0.001 < blue < 0.5, "the first bar is blue"


def test_time_passes_when_playing_and_stands_when_paused(visit):
    before = visit.js("player.time")
    visit.page.click("#play")
    visit.until(lambda: visit.js("player.time") > before)
    visit.page.click("#play")
    assert visit.js("player.playing") is False
    stood = visit.js("player.time")
    time.sleep(0.1)
    assert visit.js("player.time") == stood


def test_the_slider_moves_the_bodies_to_where_the_run_had_them(visit, run):
    first = visit.picture()
    visit.page.locator("#time").fill("1.5")
    visit.drawn()
    assert visit.js("player.time") == pytest.approx(1.5)
    assert "1.50 / 2.00 s" in visit.page.inner_text("#clock")
    node = int(np.searchsorted(run.time, 1.5 - 1e-9))
    for body, place in enumerate(run.position[node]):
        assert visit.js(f"player.poses.place({body})") == pytest.approx(place, abs=SAME)
    assert np.abs(visit.picture() - first).max() > 30.0, "the picture has changed"


def test_poses_between_two_frames_lie_between_them(visit, run):
    visit.js("player.seek(0.73)")
    node = int(np.searchsorted(run.time, 0.73 - 1e-9))
    near = run.position[node - 1 : node + 2].mean(axis=1)
    found = np.mean([visit.js(f"player.poses.place({b})") for b in range(len(run.body_names))], axis=0)
    slack = np.ptp(near, axis=0) + SAME
    assert np.all(np.abs(found - near[1]) <= slack)
    matrix = np.array(visit.js("Array.from(player.poses.of(0))")).reshape(4, 4)[:3, :3]
    assert matrix @ matrix.T == pytest.approx(np.eye(3), abs=SAME), "a rotation, not a mean of two"


def test_keys_play_step_and_go_to_the_ends(visit):
    frames = visit.js("Array.from(player.run.frames.time)")
    visit.page.keyboard.press("ArrowRight")
    assert visit.js("player.time") == pytest.approx(frames[1])
    visit.page.keyboard.press("Shift+ArrowRight")
    assert visit.js("player.time") == pytest.approx(frames[11])
    visit.page.keyboard.press("ArrowLeft")
    assert visit.js("player.time") == pytest.approx(frames[10])
    visit.page.keyboard.press("End")
    assert visit.js("player.time") == pytest.approx(2.0)
    visit.page.keyboard.press("Home")
    assert visit.js("player.time") == 0.0
    visit.page.keyboard.press("+")
    assert visit.js("player.speed") == 2
    visit.page.keyboard.press("l")
    assert visit.js("player.loop") is False
    visit.page.keyboard.press("Space")
    assert visit.js("player.playing") is True


def test_without_loop_the_run_ends_at_its_end(visit):
    visit.js("player.loop = false, player.speed = 4, player.seek(1.9), player.play()")
    visit.until(lambda: not visit.js("player.playing"))
    assert visit.js("player.time") == pytest.approx(2.0)


def test_dragging_turns_the_view_and_the_wheel_comes_nearer(visit):
    azimuth, distance = visit.js("[player.camera.azimuth, player.camera.distance]")
    visit.page.mouse.move(200, 200)
    visit.page.mouse.down()
    visit.page.mouse.move(260, 220)
    visit.page.mouse.up()
    visit.page.mouse.wheel(0, -200)
    visit.until(lambda: visit.js("player.camera.distance") < distance)
    assert visit.js("player.camera.azimuth") != azimuth
    visit.page.keyboard.press("f")
    assert visit.js("[player.camera.azimuth, player.camera.distance]") == pytest.approx([azimuth, distance])


def test_a_click_in_a_plot_goes_to_its_time(visit):
    box = visit.page.locator("#plots canvas").first.bounding_box()
    visit.page.mouse.click(box["x"] + box["width"] - 10.0, box["y"] + 40.0)
    assert visit.js("player.time") == pytest.approx(2.0, abs=0.02)


def test_bodies_are_named_under_the_pointer_and_looked_at_on_double_click(visit, run):
    visit.drawn()
    place = visit.js(
        """(() => { const c = player.canvas, m = player.camera.matrix(c.width / c.height);
        const p = player.poses.place(1), w = m[3]*p[0] + m[7]*p[1] + m[11]*p[2] + m[15];
        return [0, 1].map((i) => (m[i]*p[0] + m[4+i]*p[1] + m[8+i]*p[2] + m[12+i]) / w); })()"""
    )
    box = visit.page.locator("#view").bounding_box()
    at = (box["x"] + (0.5 + 0.5 * place[0]) * box["width"], box["y"] + (0.5 - 0.5 * place[1]) * box["height"])
    visit.page.mouse.move(*at)
    visit.until(lambda: visit.page.inner_text("#label") == run.body_names[1])
    visit.page.mouse.dblclick(*at)
    visit.drawn()
    assert visit.js("player.camera.target") == pytest.approx(run.position[0][1], abs=0.05)


def test_layers_can_be_hidden_and_a_trail_drawn(visit):
    full = visit.picture()
    visit.page.uncheck("#show-shapes")
    visit.page.uncheck("#show-joints")
    empty = visit.picture()
    assert np.abs(full - empty).max() > 50.0
    visit.page.check("#show-shapes")
    visit.page.select_option("#trail", "0")
    visit.js("player.seek(1.0)")
    trail = visit.picture()
    visit.page.select_option("#trail", "-1")
    assert np.abs(trail - visit.picture()).max() > 50.0
    others = ("#show-joints", "#show-wireframe", "#show-frames", "#show-masses")
    for name in others:
        visit.page.check(name)
    assert np.abs(visit.picture() - full).max() > 50.0
    for name in others[1:]:
        visit.page.uncheck(name)


def test_the_page_follows_the_dark_scheme_of_the_system(browser, file):
    visit = Visit(browser, file, color_scheme="dark")
    assert visit.picture().mean() < 90.0
    assert visit.said == []
    visit.close()


def test_on_a_narrow_screen_the_panel_is_closed_and_opens_below(browser, file):
    visit = Visit(browser, file)
    visit.page.set_viewport_size({"width": 380, "height": 700})
    visit.page.reload()
    visit.until(lambda: visit.js("!!window.player && !window.player.dirty"))
    assert not visit.page.locator("#plots").is_visible()
    visit.page.click("#open")
    panel, view = (visit.page.locator(name).bounding_box() for name in ("#panel", "#view"))
    assert panel["y"] >= view["y"] + view["height"] - 1.0
    assert panel["width"] == pytest.approx(380.0, abs=1.0)
    assert visit.js("document.documentElement.scrollWidth") <= 380
    visit.close()


def test_without_webgl_there_is_a_message_and_the_plots_still_work(browser, file):
    without = (
        "const get = HTMLCanvasElement.prototype.getContext;"
        "HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {"
        " return kind === 'webgl2' ? null : get.call(this, kind, ...rest); };"
    )
    visit = Visit(browser, file, script=without)
    assert "no WebGL 2" in visit.page.inner_text("#message")
    box = visit.page.locator("#plots canvas").first.bounding_box()
    visit.page.mouse.click(box["x"] + box["width"] - 10.0, box["y"] + 40.0)
    assert visit.js("player.time") == pytest.approx(2.0, abs=0.02)
    assert visit.said == []
    visit.close()


def test_names_that_look_like_html_are_shown_and_not_obeyed(browser, tmp_path):
    mech = sarrus.Mechanism(name=HOSTILE)
    mech.add_body(HOSTILE, mass=1.0, shapes=[sarrus.Sphere(0.1)])
    traj = sarrus.simulate(sarrus.build(mech), duration=0.01, dt=0.01)
    motion = ("time", "position", "orientation", "velocity", "angular_velocity")
    still = sarrus.Trajectory(
        traj.model, traj.method, traj.dt, **{name: getattr(traj, name)[:1] for name in motion}
    )
    visit = Visit(browser, still.to_html(tmp_path / "run.html"))
    assert visit.js("window.injected") is None
    assert visit.page.inner_text("#name") == HOSTILE
    assert HOSTILE in visit.page.inner_text("#bodies")
    assert visit.page.title() == HOSTILE
    assert visit.js("player.first === player.last")
    visit.page.keyboard.press("Space")
    assert visit.js("player.playing") is False, "one node is a still picture"
    assert visit.said == []
    visit.close()


def test_contact_forces_are_drawn_as_arrows(browser, tmp_path):
    traj = sarrus.simulate(sarrus.build(sarrus.gallery.make("box_drop")), duration=1.0, dt=0.01)
    visit = Visit(browser, traj.to_html(tmp_path / "run.html"), mark="#paused&t=0.9")
    before = visit.picture()
    visit.page.check("#show-forces")
    assert np.abs(visit.picture() - before).max() > 50.0
    assert visit.said == []
    visit.close()


def test_tendons_are_drawn_from_point_to_point_and_around_what_they_wind_about(browser, tmp_path):
    mech = sarrus.gallery.pendulum(links=1)
    (link,) = mech.bodies
    around = sarrus.Wrap("world", (0.0, 0.0, 0.0), 0.1)
    mech.add_tendon("t", path=[("world", (0.3, 0.3, 0.3)), around, (link, mech.bodies[link].position - 0.02)])
    traj = sarrus.simulate(sarrus.build(mech), duration=1.0, dt=0.01)
    visit = Visit(browser, traj.to_html(tmp_path / "run.html"), mark="#paused&t=0.7")
    visit.drawn()
    points = np.array(visit.js("player.poses.strand(player.run.strands[0].pieces)"))
    turn, shift = rotation(traj.orientation[70]), traj.position[70]
    (strand,) = scene_of(mech).strands
    assert points == pytest.approx(strand_points(strand, turn, shift), abs=SAME)
    assert visit.js("player.renderer.lines.length") == 1
    assert visit.said == []
    visit.close()


def test_a_plain_page_hides_its_panel_until_it_is_opened(browser, run, tmp_path):
    visit = Visit(browser, run.to_html(tmp_path / "run.html"), mark="#paused&plain")
    assert not visit.page.is_visible("#plots")
    visit.page.click("#open")
    assert visit.page.is_visible("#plots")
    assert visit.said == []
    visit.close()


def test_an_animation_in_a_notebook_runs_in_its_frame(browser, run, tmp_path):
    page = tmp_path / "notebook.html"
    page.write_text(f"<!doctype html><meta charset=utf-8><title>n</title>{run._repr_html_()}", "utf-8")
    context = browser.new_context(viewport=WINDOW)
    tab = context.new_page()
    said: list[str] = []
    tab.on("console", lambda message: said.append(message.text))
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.goto(page.as_uri())
    frame = tab.frames[1]
    end = time.monotonic() + PATIENCE
    while not frame.evaluate("!!window.player && !window.player.dirty"):
        assert time.monotonic() < end
        time.sleep(0.05)
    assert frame.evaluate("player.playing") is False
    assert frame.evaluate("player.last") == pytest.approx(2.0)
    assert said == []
    context.close()


def test_signals_are_chosen_from_the_menu_and_taken_out_again(visit, run):
    first = visit.page.locator("#plots figure").count()
    visit.page.select_option("#signals", label="all velocity [rad/s]")
    figure = visit.page.locator("#plots figure", has_text="joint velocity [rad/s]")
    assert figure.locator("li").count() == len(run.joint_names)
    visit.page.select_option("#signals", label=f"{run.joint_names[1]} [rad]")
    assert visit.page.locator("#plots figure").count() == first + 2
    swatch = "getComputedStyle([...document.querySelectorAll('#plots li')].find((e) => e.closest('figure')"
    colours = [
        visit.js(
            f"{swatch}.innerText.includes('{panel}') && e.innerText.includes('{run.joint_names[1]}'))"
            ".querySelector('i')).borderTopColor"
        )
        for panel in ("joint position", "joint velocity")
    ]
    assert colours[0] == colours[1], "a joint keeps its colour"
    visit.js("player.seek(1.0)")
    visit.drawn()
    node = int(np.searchsorted(run.time, 1.0 - 1e-9))
    shown = float(figure.locator("li output").first.inner_text())
    assert shown == pytest.approx(run.joint_velocity(run.joint_names[0])[node], rel=0.01)
    while figure.count():
        figure.locator("li button").first.click()
    assert visit.page.locator("#plots figure").count() == first + 1


def test_trails_are_smooth_and_reach_the_body(visit, run):
    visit.page.select_option("#trail", label=run.body_names[0])
    visit.js("player.seek(1.503)")
    visit.drawn()
    way = np.array(visit.js("player.renderer.trail.points"))
    frames = run.position[:, 0]
    assert (
        np.abs(way[:, None] - frames[None]).sum(axis=2).min(axis=1).max()
        < np.linalg.norm(np.diff(frames, axis=0), axis=1).max() + SAME
    ), "it stays beside the run"
    assert largest_turn(way) < 0.6 * largest_turn(frames), "corners are rounded"
    assert visit.js("!!player.renderer.trail.head"), "a last piece leads to the body"


def largest_turn(way: np.ndarray) -> float:
    """The largest angle [rad] between two pieces of a way, where it does not turn back."""
    pieces = np.diff(way, axis=0)
    pieces = pieces[np.linalg.norm(pieces, axis=1) > SAME]
    pieces /= np.linalg.norm(pieces, axis=1)[:, None]
    turns = np.arccos(np.clip(np.sum(pieces[1:] * pieces[:-1], axis=1), -1.0, 1.0))
    return float(turns[turns < 1.0].max())
