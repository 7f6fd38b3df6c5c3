"""Pages that play a run: what they hold, how precisely, how large, and that names cannot break them."""

from __future__ import annotations

import base64
import json
import os
import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import sarrus
from sarrus.trajectory import Trajectory
from sarrus.viewers.notebook import MAX_SIZE
from sarrus.viewers.page.curves import curves_of
from sarrus.viewers.page.html import page
from sarrus.viewers.page.motion import arrows_of, motion_of

HOSTILE = """</script><script>alert("1")</script> <b>&amp;'\u2028]]> {{data}}"""
PRECISION = 1e-4
"""What a page may lose of a position, as a part of the size of the mechanism."""
TURN = 1e-4
"""What a page may lose of a rotation, as the difference of unit quaternions."""
ARROW = 0.01
"""Forces are stored in 16 bits of the largest, which is that of the impact, some 50 times the weight."""
SINGLE = 1e-6
"""Rounding of curves, which are stored in single precision."""
MEGABYTE = 1_000_000
TYPES = {"float32": "<f4", "float64": "<f8", "int16": "<i2", "uint16": "<u2", "uint32": "<u4"}


@pytest.fixture(scope="module")
def swing() -> Trajectory:
    """Two links of a pendulum, half a second."""
    return sarrus.simulate(sarrus.build(sarrus.gallery.make("pendulum", links=2)), duration=0.5, dt=0.01)


@pytest.fixture(scope="module")
def landed() -> Trajectory:
    """A box that falls on the ground and comes to rest."""
    return sarrus.simulate(sarrus.build(sarrus.gallery.make("box_drop")), duration=2.0, dt=0.01)


class Elements(HTMLParser):
    """All elements of a page with their attributes, and the text of each script."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.title = ""
        self.open = ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        self.open = tag
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        self.open = ""

    def handle_data(self, data):
        if self.open == "script":
            self.scripts[-1] += data
        if self.open == "title":
            self.title += data


def parts_of(text: str) -> tuple[dict, bytes]:
    """Header and binary block of a page."""
    header, data, _ = Elements(text).scripts
    return json.loads(header, parse_constant=lambda name: pytest.fail(f"{name} in the page")), (
        base64.b64decode(data, validate=True)
    )


def array(data: bytes, entry: list) -> np.ndarray:
    """An array of the binary block."""
    kind, start, count = entry
    return np.frombuffer(data, TYPES[kind], count, start)


def rows(data: bytes, stored: dict) -> np.ndarray:
    """Rows of three numbers, from 16 bits or as they are."""
    values = array(data, stored["data"]).reshape(-1, 3).astype(float)
    return values if stored["low"] is None else np.array(stored["low"]) + np.array(stored["step"]) * values


def part_of(traj: Trajectory, nodes: slice, **changed: np.ndarray) -> Trajectory:
    """A trajectory of some nodes of another."""
    fields = ("time", "position", "orientation", "velocity", "angular_velocity")
    values = {name: getattr(traj, name)[nodes] for name in fields} | changed
    return Trajectory(traj.model, traj.method, traj.dt, **values)


def test_ropes_sag_where_gravity_pulls(swing):
    assert parts_of(page(swing))[0]["down"] == pytest.approx((0.0, 0.0, -1.0))


def test_a_page_is_one_file_that_asks_for_nothing(swing, tmp_path):
    path = swing.to_html(tmp_path / "run.html")
    assert path == tmp_path / "run.html"
    text = path.read_text("utf-8")
    assert os.listdir(tmp_path) == ["run.html"]
    for tag, attributes in Elements(text).found:
        assert "src" not in attributes
        assert tag not in {"iframe", "object", "embed", "base", "form", "img"}
        if "href" in attributes:
            assert attributes["href"] == "data:,"
    assert not re.search(r"https?:|@import|url\(|fetch\(|XMLHttpRequest|import\(|eval\(", text)
    (policy,) = [a["content"] for t, a in Elements(text).found if a.get("http-equiv")]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy


def test_the_page_says_what_was_run(swing):
    header, _ = parts_of(page(swing))
    facts = dict(header["facts"])
    assert facts["mechanism"] == swing.model.mechanism.name == header["title"]
    assert facts["time step"] == "0.01 s"
    assert facts["duration"] == "0.5 s"
    assert facts["method"] == "variational"
    assert float(facts["largest violation"]) == pytest.approx(swing.violation().max(), rel=1e-2)
    assert parts_of(page(swing, title="mine"))[0]["title"] == "mine"


@pytest.mark.parametrize("run", ["swing", "landed"])
def test_frames_are_the_nodes_of_the_run(run, request):
    traj = request.getfixturevalue(run)
    header, data = parts_of(page(traj, fps=1000.0))
    frames = header["frames"]
    time = array(data, frames["time"])
    assert time == pytest.approx(traj.time)
    shape = (len(time), len(traj.body_names), 3)
    error = np.abs(rows(data, frames["position"]).reshape(shape) - traj.position).max()
    assert error < PRECISION * header["size"]
    q = array(data, frames["orientation"]).reshape(*shape[:2], 4) / 32767.0
    sign = np.sign(np.sum(q * traj.orientation, axis=2, keepdims=True))
    assert np.abs(q * sign - traj.orientation).max() < TURN
    assert np.all(np.sum(q[1:] * q[:-1], axis=2) > 0.0), "neighbours lie on the same side, to be mixed"


def test_positions_that_16_bits_would_blur_are_stored_in_full(swing):
    far = swing.position.copy()
    far[-1, :, 0] += 1000.0
    header, data = parts_of(page(part_of(swing, slice(None), position=far), fps=1000.0))
    stored = header["frames"]["position"]
    assert stored["low"] is None
    assert rows(data, stored).reshape(far.shape) == pytest.approx(far, abs=PRECISION)


def test_curves_are_energy_error_violation_and_gap(swing, landed):
    header, data = parts_of(page(swing))
    shown = [curve for curve in header["curves"] if curve["shown"]]
    assert [curve["panel"] for curve in shown] == ["energy error", "violation"]
    energy = shown[0]
    assert array(data, energy["values"]) == pytest.approx(swing.energy().error, rel=SINGLE)
    assert shown[1]["log"]
    header, data = parts_of(page(landed))
    shown = [curve for curve in header["curves"] if curve["shown"]]
    assert shown[0]["panel"] == "energy change", "an impact takes energy, and rightly so"
    gap = shown[-1]
    assert gap["panel"] == "smallest gap"
    assert array(data, gap["values"]).min() == pytest.approx(landed.gap().min(), rel=SINGLE)


def test_every_signal_of_a_run_can_be_plotted_in_its_page(swing):
    header, data = parts_of(page(swing))
    assert {curve["name"] for curve in header["curves"]} == {each.name for each in swing.signals()}
    for each in swing.signals("position"):
        (curve,) = (curve for curve in header["curves"] if curve["name"] == each.name)
        assert array(data, curve["values"]) == pytest.approx(each.values, rel=SINGLE, abs=SINGLE)
        assert curve["time"] == header["curves"][0]["time"], "times are stored once"


def test_signals_are_chosen_and_those_without_room_are_counted(swing):
    header, _ = parts_of(page(swing, signals="velocity"))
    chosen = {curve["name"] for curve in header["curves"] if not curve["shown"]}
    assert chosen == {each.name for each in swing.signals("velocity")}
    curves, left_out = curves_of(swing, None, most=0)
    assert [curve.name for curve in curves] == ["energy/error", "violation"]
    assert left_out == len(swing.signals()) - 2


def test_arrows_of_a_box_at_rest_carry_its_weight(landed):
    header, data = parts_of(page(landed))
    touches, count = header["touches"], header["frames"]["count"]
    start = array(data, touches["start"])
    assert len(start) == count + 1
    weight = 9.81 * landed.model.mechanism.bodies[landed.body_names[0]].mass
    for frame in range(count - 20, count):
        force = rows(data, touches["force"])[start[frame] : start[frame + 1]].sum(axis=0)
        assert force == pytest.approx((0.0, 0.0, weight), abs=ARROW * weight), frame
    point = rows(data, touches["point"])[start[count - 20] :]
    assert point[:, 2] == pytest.approx(0.0, abs=PRECISION * header["size"])


@pytest.mark.parametrize("method", ["variational", "variational1"])
def test_mean_forces_are_the_same_whatever_was_recorded_and_when_the_run_began(method):
    model = sarrus.build(sarrus.gallery.make("box_drop", height=0.01))
    first = sarrus.simulate(model, duration=0.5, dt=0.01, method=method)
    traj = sarrus.simulate(
        model, duration=0.5, dt=0.01, method=method, record_every=5, state=first.final_state
    )
    motion = motion_of(traj, fps=60.0)
    arrows = arrows_of(traj, motion)
    weight = 9.81 * model.mechanism.bodies["box"].mass
    for frame in range(len(motion.time)):
        force = arrows.force[arrows.start[frame] : arrows.start[frame + 1]].sum(axis=0)
        assert force == pytest.approx((0.0, 0.0, weight), abs=ARROW * weight), frame


def test_a_mesh_that_several_bodies_share_is_stored_once():
    mech = sarrus.gallery.make("box_stack")
    traj = sarrus.simulate(sarrus.build(mech), duration=0.05, dt=0.01)
    header, _ = parts_of(page(traj))
    shapes = [part["mesh"] for part in header["parts"] if part["layer"] == "shapes"]
    assert len(shapes) == len(mech.bodies)
    assert len(set(shapes)) == 1


def test_names_and_titles_cannot_break_out_of_the_page():
    mech = sarrus.Mechanism(name=HOSTILE)
    mech.add_body(HOSTILE, mass=1.0, shapes=[sarrus.Sphere(0.1)])
    traj = sarrus.simulate(sarrus.build(mech), duration=0.05, dt=0.01)
    found = Elements(page(traj))
    assert [tag for tag, _ in found.found].count("script") == 3
    assert "b" not in {tag for tag, _ in found.found}
    assert found.title == HOSTILE
    header, _ = parts_of(page(traj))
    assert header["bodies"] == [HOSTILE]
    assert header["title"] == HOSTILE
    for text in (mech._repr_html_(), traj.model._repr_html_(), traj._repr_html_()):
        tags = {tag for tag, _ in Elements(text).found}
        assert "script" not in tags
        assert HOSTILE not in text


def test_a_run_of_twenty_bodies_and_ten_seconds_stays_below_five_megabytes(tmp_path):
    model = sarrus.build(sarrus.gallery.make("pendulum", links=20))
    traj = sarrus.simulate(model, duration=10.0, dt=0.01)
    assert traj.to_html(tmp_path / "run.html").stat().st_size < 5 * MEGABYTE


def test_a_long_run_is_thinned_to_the_size_and_says_so(swing):
    count = 200_000
    many = np.linspace(0, len(swing) - 1, count).astype(int)
    fields = ("position", "orientation", "velocity", "angular_velocity")
    changed = {name: getattr(swing, name)[many] for name in fields}
    traj = part_of(swing, slice(None), time=np.arange(count) / 60.0, **changed)
    text = page(traj, max_size=MEGABYTE)
    assert 0.8 * MEGABYTE < len(text.encode()) <= MEGABYTE
    header, data = parts_of(text)
    kept = header["frames"]["count"]
    assert kept < count
    assert f"{kept} of {count} recorded nodes are shown" in header["notes"][0]
    time = array(data, header["frames"]["time"])
    assert (time[0], time[-1]) == (traj.time[0], traj.time[-1])
    assert parts_of(page(swing, fps=100.0))[0]["notes"] == [], "nothing is said where nothing is left out"


def test_frames_follow_the_rate_that_was_asked_for(swing):
    header, data = parts_of(page(swing, fps=10.0))
    assert array(data, header["frames"]["time"]) == pytest.approx(np.linspace(0.0, 0.5, 6))


def test_a_run_of_one_node_is_a_still_picture(swing):
    header, data = parts_of(page(part_of(swing, slice(0, 1))))
    assert header["frames"]["count"] == 1
    assert len(array(data, header["frames"]["time"])) == 1


def test_what_is_not_finite_is_left_out(swing):
    broken = swing.position.copy()
    broken[-3:] = np.nan
    header, data = parts_of(page(part_of(swing, slice(None), position=broken), fps=1000.0))
    assert header["frames"]["count"] == len(swing) - 3
    assert np.isfinite(rows(data, header["frames"]["position"])).all()
    for curve in header["curves"]:
        assert np.isfinite(array(data, curve["values"])).all()
    with pytest.raises(sarrus.MechanismError, match="nothing to draw"):
        page(part_of(swing, slice(None), position=np.full_like(broken, np.nan)))


def test_an_empty_run_cannot_be_drawn(swing):
    with pytest.raises(sarrus.MechanismError, match="no node"):
        page(part_of(swing, slice(0, 0)))


def test_wrong_names_and_places_are_refused_and_leave_nothing_behind(swing, tmp_path):
    with pytest.raises(sarrus.FileError, match=r"run\.npz: the name of a page ends in \.html"):
        swing.to_html(tmp_path / "run.npz")
    with pytest.raises(sarrus.FileError, match="No such file or directory"):
        swing.to_html(tmp_path / "nowhere" / "run.html")
    (tmp_path / "folder.html").mkdir()
    with pytest.raises(sarrus.FileError, match=r"folder\.html: cannot be written"):
        swing.to_html(tmp_path / "folder.html")
    assert os.listdir(tmp_path) == ["folder.html"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"fps": 0.0}, "fps must be positive"),
        ({"fps": float("nan")}, "fps must be positive"),
        ({"fps": "60"}, "fps must be a number"),
        ({"max_size": -1}, "max_size must be positive"),
    ],
)
def test_rates_and_sizes_that_make_no_sense_are_refused(swing, options, words):
    with pytest.raises(sarrus.MechanismError, match=words):
        page(swing, **options)


def test_a_size_that_not_even_the_player_fits_into_is_refused(swing):
    with pytest.raises(sarrus.FileError, match="give a larger max_size"):
        page(swing, max_size=1000)


def test_a_failed_run_is_shown_as_far_as_it_came(tmp_path):
    method = sarrus.Variational(max_substeps=1, max_iterations=6)
    model = sarrus.build(sarrus.gallery.make("pendulum", links=6))
    with pytest.raises(sarrus.StepFailed) as caught:
        sarrus.simulate(model, duration=10.0, dt=0.02, method=method)
    path = caught.value.trajectory.to_html(tmp_path / "failed.html")
    header, data = parts_of(path.read_text("utf-8"))
    assert array(data, header["frames"]["time"])[-1] == pytest.approx(caught.value.time)


def test_a_notebook_shows_a_run_as_a_table_and_a_small_animation(swing):
    text = swing._repr_html_()
    assert len(text) < MAX_SIZE * 1.3, "quotes and ampersands of the page are escaped once more"
    (frame,) = [a for tag, a in Elements(text).found if tag == "iframe"]
    assert frame["sandbox"] == "allow-scripts"
    header, _ = parts_of(frame["srcdoc"])
    assert header["autoplay"] is False
    assert "violation" in unescape(text)


def test_a_notebook_shows_mechanisms_and_models_as_tables():
    mech = sarrus.gallery.make("double_four_bar")
    for name in (*mech.bodies, *mech.joints):
        assert name in mech._repr_html_()
    model = sarrus.build(mech)
    text = model._repr_html_()
    assert f">{model.dof}<" in text
    assert str(model.redundant_constraints) in text


def test_a_notebook_shows_what_there_is_of_a_run_that_cannot_be_drawn(swing):
    text = part_of(swing, slice(0, 0))._repr_html_()
    assert "no node" in text
    assert "iframe" not in text

    def lost():
        raise sarrus.FileError("the mechanism <is> code")

    nodes = {name: getattr(swing, name) for name in ("time", "position", "orientation")}
    rates = {name: getattr(swing, name) for name in ("velocity", "angular_velocity")}
    names = {"body_names": swing.body_names, "joint_names": swing.joint_names}
    text = Trajectory(lost, swing.method, swing.dt, **nodes, **rates, **names)._repr_html_()
    assert "the mechanism &lt;is&gt; code" in text
    assert "&lt;Trajectory" in text


def test_tables_of_large_mechanisms_are_shortened():
    mech = sarrus.gallery.make("pendulum", links=100)
    assert "and 60 more" in mech._repr_html_()


def test_the_player_belongs_to_the_package():
    from importlib.resources import files

    from sarrus.viewers.page.html import SCRIPTS

    folder = files("sarrus.viewers.page").joinpath("player")
    present = {Path(str(item)).name for item in folder.iterdir()}
    assert {*(f"{name}.js" for name in SCRIPTS), "player.css", "player.html"} == present
