"""Tendons as they are drawn: through their points and around what they wind about."""

from __future__ import annotations

import json

import numpy as np
import pytest

import sarrus
from sarrus.mechanism.rotations import rotation
from sarrus.viewers import strands
from sarrus.viewers.film.camera import framing
from sarrus.viewers.film.canvas import Canvas
from sarrus.viewers.page.html import contents
from sarrus.viewers.scene import Scene, scene_of

FINE = 400
"""Points of a bend: chords of half a turn are then shorter than the arc by 3e-6 of it."""
SAME = 1e-5
"""Part of the length by which what is drawn may differ from what acts."""
STORED = 1e-4
"""[m] points of a page are stored in 16 bits."""
WAYS = {
    "straight": None,
    "sphere": {"radius": 0.05},
    "cylinder": {"radius": 0.05, "axis": (0.0, 1.0, 0.2)},
    "side": {"radius": 0.05, "axis": (0.0, 1.0, 0.0), "side": (0.12, 0.0, -0.3)},
    "side of a sphere": {"radius": 0.05, "side": (-0.12, 0.02, -0.3)},
    "ring": {"radius": 0.04, "axis": (0.0, 1.0, 0.0), "side": (0.0, 0.0, -0.3)},
}


def arm(*names: str) -> sarrus.Mechanism:
    """Two links, turned from the world's axes, and a tendon over their elbow for each way of winding."""
    mech = sarrus.Mechanism(name="arm")
    for name, z, turn in (("upper", -0.15, (0.5, 0.5, 0.5, 0.5)), ("lower", -0.45, (0.0, 0.0, 0.6, 0.8))):
        shapes = [sarrus.Sphere(0.02)]
        mech.add_body(name, 1.0, (0.01, 0.01, 0.01), position=(0.0, 0.0, z), orientation=turn, shapes=shapes)
    mech.add_joint("shoulder", "spherical", "world", "upper", at=(0.0, 0.0, 0.0))
    mech.add_joint("elbow", "revolute", "upper", "lower", at=(0.0, 0.0, -0.3), axis=(0.0, 1.0, 0.0))
    for name in names:
        wrap = [] if WAYS[name] is None else [sarrus.Wrap("upper", at=(0.0, 0.0, -0.3), **WAYS[name])]
        ends = ("upper", (0.06, -0.01, -0.12)), ("lower", (0.04, 0.02, -0.43))
        last = "world", (0.2, 0.3, -0.6)
        mech.add_tendon(name, path=[ends[0], *wrap, ends[1], last, sarrus.Pulley(2.0), *ends])
    return mech


def lengths(scene: Scene, state: sarrus.State) -> dict[str, float]:
    """The length of what is drawn of each tendon; what follows a pulley counts half."""
    total: dict[str, float] = {}
    turn = rotation(state.orientation)
    for strand in scene.strands:
        points = strands.strand_points(strand, turn, state.position)
        length = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
        total[strand.name] = total.get(strand.name, 0.0) + length / (2.0 if strand.name in total else 1.0)
    return total


def test_what_is_drawn_is_as_long_as_what_acts(monkeypatch):
    monkeypatch.setattr(strands, "BEND", FINE)
    model = sarrus.build(arm(*WAYS))
    scene, random, wound = scene_of(model.mechanism), np.random.default_rng(0), dict.fromkeys(WAYS, 0)
    for _ in range(60):
        turned = {"shoulder": random.uniform(-1.0, 1.0, 3), "elbow": random.uniform(-2.5, 2.5)}
        state = model.state(joints=turned)
        drawn = lengths(scene, state)
        acting = {name: float(state.joint_position(name)) for name in WAYS}
        assert drawn == pytest.approx(acting, rel=SAME)
        for name in WAYS:
            wound[name] += acting[name] > acting["straight"] * (1.0 + SAME)
    assert wound.pop("straight") == 0
    assert all(10 <= times <= 60 for times in wound.values()), f"each must wind, often enough: {wound}"


def test_tendons_over_joint_coordinates_have_no_place():
    mech = arm()
    mech.add_tendon("sum", {"elbow": 1.0})
    assert scene_of(mech).strands == ()


def test_a_bend_runs_on_the_surface_of_what_it_winds_around():
    model = sarrus.build(arm("straight", "cylinder"))
    scene, wound = scene_of(model.mechanism), 0
    strand = next(strand for strand in scene.strands if strand.name == "cylinder")
    bend = strand.pieces[1]
    for elbow in np.linspace(-2.5, 2.5, 21):
        state = model.state(joints={"elbow": elbow})
        if state.joint_position("cylinder") > state.joint_position("straight") * (1.0 + SAME):
            wound += 1
            ways = strands.bent(strand, 1, rotation(state.orientation), state.position) - bend.centre
            across = ways - (ways @ bend.axis)[:, None] * bend.axis
            assert np.linalg.norm(across, axis=1) == pytest.approx(0.05, rel=1e-12)
    assert wound > 2


def test_the_film_shows_tendons_where_they_run():
    mech = arm("side")
    model = sarrus.build(mech)
    state = model.state(joints={"elbow": 1.5})
    pictures = []
    for drawn in (mech, arm()):
        canvas = Canvas(scene_of(drawn), (160, 160), layers=("shapes",))
        canvas.pose(state.position, state.orientation)
        camera = framing(np.array([[-0.4, -0.1, -0.5], [0.4, 0.1, 0.1]]), 0.0, 0.0, (160, 160))
        pictures.append(canvas.draw(camera).astype(int))
    red = pictures[0][:, :, 0] - pictures[0][:, :, 1:].max(axis=2)
    assert np.any(red > 40)
    assert not np.array_equal(*pictures)


def test_a_page_holds_the_points_of_every_frame():
    model = sarrus.build(arm("sphere"))
    traj = sarrus.simulate(model, 0.2, 0.01, state=model.state(joints={"elbow": -2.0}))
    header, blob = contents(traj, "arm", 60.0, None, [], [])
    first, second = json.loads(json.dumps(header["strands"]))
    assert [first["name"], second["name"]] == ["sphere", "sphere"]
    assert [piece["body"] for piece in first["pieces"]] == [0, 0, 1, -1]
    stored = first["pieces"][1]["points"]
    kind, start, count = stored["data"]
    assert (kind, count) == ("uint16", 3 * strands.BEND * header["frames"]["count"])
    data = np.frombuffer(b"".join(blob.pieces), "<u2", count, start).reshape(-1, strands.BEND, 3)
    points = np.array(stored["low"]) + np.array(stored["step"]) * data
    strand = scene_of(model.mechanism).strands[0]
    last = strands.bent(strand, 1, rotation(traj.orientation[-1]), traj.position[-1])
    assert points[-1] == pytest.approx(last, abs=STORED)
