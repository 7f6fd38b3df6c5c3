"""Pages of live viewers, told what browsers tell them, without a browser."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np
import pytest

import sarrus
from sarrus.errors import MechanismError
from sarrus.viewers.live.playback_window import PlaybackWindow
from sarrus.viewers.live.run_window import MANY, LiveWindow

FRAME = 0.025


@pytest.fixture
def pages() -> Iterator[list]:
    """Pages that are closed at the end."""
    opened: list = []
    yield opened
    for page in opened:
        page.window.close()


def live(pages: list, mechanism: sarrus.Mechanism, **options) -> LiveWindow:
    page = LiveWindow(mechanism, port=0, **options)
    pages.append(page)
    return page


def falling() -> sarrus.Mechanism:
    """A ball that falls."""
    mech = sarrus.Mechanism()
    mech.add_body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1), shapes=[sarrus.Sphere(0.1)])
    return mech


def drag(phase: str, start: tuple, end: tuple) -> SimpleNamespace:
    """What viser tells of a mouse."""
    return SimpleNamespace(client_id=7, phase=phase, start_position=start, end_position=end)


def test_a_mouse_pulls_from_press_to_release(pages):
    page = live(pages, sarrus.gallery.make("pendulum", links=2))
    page.run.play()
    at = tuple(page.run.state.position[1])
    page._dragged(1, drag("start", at, at))
    page._dragged(1, drag("update", at, (0.0, 0.0, 1.0)))
    page.window.do_waiting()
    page.frame(FRAME)
    assert page.run.pulls[7].body == 1
    assert page.run.instant().pulls[0, 1] == pytest.approx((0.0, 0.0, 1.0))
    page._dragged(1, drag("end", at, at))
    page.window.do_waiting()
    assert not page.run.pulls


def test_sliders_pose_joints_and_follow_the_motion(pages):
    page = live(pages, sarrus.gallery.make("four_bar"))
    joint = page.run.model.joint_names[0]
    page._pose(joint, 0, 0.4)
    page._show_coordinates()
    assert page._sliders[joint, 0][0].value == pytest.approx(0.4, abs=1e-6)
    # A slider shows an angle within one turn; posing goes on from the turn that the joint is on.
    page.run.pose(joint, 0, 6.5)
    page._pose(joint, 0, 0.3)
    assert page.run.coordinates()[joint, 0] == pytest.approx(0.3 + 2.0 * np.pi, abs=1e-6)


def test_many_coordinates_show_the_sliders_of_one_joint(pages):
    page = live(pages, sarrus.gallery.make("pendulum", links=MANY + 2))
    assert len(page._sliders) == 1


def test_motors_have_sliders_that_reset_puts_back(pages):
    page = live(pages, sarrus.gallery.make("quadruped"))
    assert len(page._inputs) == 12
    page.run.set_input("FR_hip", 0, 0.2)
    page._show_inputs()
    assert page._inputs["FR_hip", 0].value == pytest.approx(0.2)
    page._reset()
    assert page._inputs["FR_hip", 0].value == 0.0


def test_layers_and_trails_are_shown_and_hidden(pages):
    page = live(pages, sarrus.gallery.make("four_bar"))
    stage = page.window.stage
    assert stage.layers["frames"]
    for shown in (True, False):
        stage.show_layer("frames", shown)
        assert {mesh.visible for mesh in stage.layers["frames"]} == {shown}
    page.window._draw_way_of(1)
    page.run.play()
    for _ in range(4):
        page.frame(FRAME)
    assert stage._trail.visible
    page.window._draw_way_of(None)
    assert not stage._trail.visible


def test_the_camera_goes_along_with_a_body_and_the_mouse_still_finds_it(pages):
    page = live(pages, falling())
    page.frame(0.0)
    page.window._go_along(0)
    page.run.play()
    page.frame(0.2)
    stage, here = page.window.stage, page.run.state.position[0]
    assert here[2] < -0.1
    # The ball stays where it was in the view.
    assert stage._root.position + here == pytest.approx((0.0, 0.0, 0.0), abs=1e-9)
    page._dragged(0, drag("start", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
    page.window.do_waiting()
    assert page.run.pulls[7].target == pytest.approx(here)
    page.window._go_along(None)
    page.frame(0.2)
    assert np.linalg.norm(stage._root.position + page.run.state.position[0]) > 1e-3


def test_contact_forces_are_arrows_in_the_page(pages):
    page = live(pages, sarrus.gallery.make("quadruped"))
    page.run.play()
    for _ in range(3):
        page.frame(FRAME)
    assert page.window.stage._contacts.visible
    assert len(page.window.stage._contacts.points) == 4
    page.window.stage.shows["contacts"] = False
    page.frame(FRAME)
    assert not page.window.stage._contacts.visible


def test_what_waits_is_done_in_order_and_only_the_last_of_a_kind(pages):
    window = live(pages, sarrus.gallery.make("pendulum", links=1)).window
    done: list[str] = []
    for key, word in (("a", "first"), ("b", "second"), ("a", "third")):
        window.later(key, lambda word=word: done.append(word))
    window.do_waiting()
    assert done == ["second", "third"]


def test_what_cannot_be_done_says_why_in_the_page(pages):
    page = live(pages, sarrus.gallery.make("pendulum", links=1))

    def fail() -> None:
        raise MechanismError("no such thing")

    page.window.later("a", fail)
    page.window.do_waiting()
    page._say()
    assert "no such thing" in page.window.note.content
    assert page.window.note.visible


def test_springs_and_names_with_slashes_are_drawn(pages):
    mech = sarrus.Mechanism()
    mech.add_body("arm/left", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.0, 0.0, -1.0))
    mech.add_spring("s", "world", "arm/left", (0, 0, 0), (0, 0, -1), stiffness=10.0)
    page = live(pages, mech)
    page.run.play()
    page.frame(0.1)
    assert len(page.window.stage._springs[1].points) > 10


def test_tendons_are_drawn_from_point_to_point_as_they_move(pages):
    mech = falling()
    mech.add_tendon(
        "t", path=[("world", (0.0, 0.0, 1.0)), ("ball", (0.0, 0.0, 0.0)), ("world", (1.0, 0.0, 0.0))]
    )
    page = live(pages, mech)
    page.run.play()
    page.frame(0.1)
    drawn = np.asarray(page.window.stage._tendons.points)
    assert drawn.shape == (2, 2, 3)
    assert drawn[:, 0] == pytest.approx(np.array([(0.0, 0.0, 1.0), page.run.state.position[0]]), abs=1e-6)
    assert page.run.state.position[0, 2] < 0.0


def test_a_saved_run_is_moved_by_its_slider_and_buttons(pages):
    model = sarrus.build(sarrus.gallery.make("pendulum", links=1))
    page = PlaybackWindow(sarrus.simulate(model, duration=0.3, dt=0.01), port=0)
    pages.append(page)
    page._times = lambda: True
    page._seek(0.2)
    page.frame(0.0)
    assert page._time.value == pytest.approx(0.2)
    page._go("Back")
    assert page.play.time == pytest.approx(0.19)
    page._go("Start")
    assert page.play.time == 0.0
    page._toggle(None)
    page.frame(0.05)
    assert page.play.time == pytest.approx(0.05)
