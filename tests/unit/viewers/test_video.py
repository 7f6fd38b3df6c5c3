"""Films and pictures of runs: what is in the files, and that none is left half-written."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

import sarrus
from sarrus.errors import FileError, MechanismError, UnknownName
from sarrus.viewers.film import encoders
from sarrus.viewers.film.film import Film
from sarrus.viewers.film.video import render

SMALL = (96, 64)


@pytest.fixture(scope="module")
def swing():
    """A tenth of a second of a pendulum."""
    return sarrus.simulate(sarrus.build(sarrus.gallery.pendulum(links=2)), duration=0.2, dt=0.01)


@pytest.fixture(scope="module")
def resting():
    """A box that lies on the ground."""
    model = sarrus.build(sarrus.gallery.box_drop(height=0.01))
    return sarrus.simulate(model, duration=0.2, dt=0.01)


def test_an_mp4_has_the_size_the_frames_and_the_motion(swing, tmp_path):
    import imageio_ffmpeg

    path = swing.render(tmp_path / "run.mp4", size=SMALL)
    reader = imageio_ffmpeg.read_frames(str(path))
    facts = next(reader)
    pictures = [np.frombuffer(frame, np.uint8) for frame in reader]
    assert facts["size"] == SMALL
    assert facts["fps"] == 30.0
    assert len(pictures) == 7
    assert np.mean(np.abs(pictures[0].astype(int) - pictures[-1])) > 0.1


@pytest.mark.parametrize(("name", "milliseconds", "frames"), [("run.gif", 50, 5), ("run.webp", 40, 6)])
def test_animated_pictures_loop_at_the_speed_of_the_motion(swing, tmp_path, name, milliseconds, frames):
    path = render(swing, tmp_path / name, size=SMALL)
    with Image.open(path) as film:
        assert film.size == SMALL
        assert film.n_frames == frames
        assert film.info["loop"] == 0
        film.seek(1)
        film.load()
        assert film.info["duration"] == milliseconds


def test_a_picture_is_what_the_film_shows_at_that_time(swing, tmp_path):
    path = render(swing, tmp_path / "still.png", size=SMALL, at=0.1, azimuth=10.0, elevation=5.0)
    with Image.open(path) as picture:
        assert picture.size == SMALL
        shown = np.array(picture)
    film = Film(swing, SMALL, start=0.1, stop=0.1, azimuth=10.0, elevation=5.0)
    assert np.array_equal(shown, film.picture(0))


def test_an_interrupted_film_leaves_no_file_and_spares_the_old_one(swing, tmp_path):
    path = tmp_path / "run.gif"
    path.write_bytes(b"old")

    def interrupted(done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        render(swing, path, size=SMALL, progress=interrupted)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["run.mp4", "run.webp"])
def test_a_film_that_fails_leaves_nothing(swing, tmp_path, name):
    def fails(done: int, total: int) -> None:
        raise MechanismError("stop here")

    with pytest.raises(MechanismError, match="stop here"):
        render(swing, tmp_path / name, size=SMALL, progress=fails)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "options", "fault", "words"),
    [
        ("run.avi", {}, FileError, r"\.mp4, \.gif, \.webp, \.png"),
        ("no-such-folder/run.mp4", {}, FileError, "no-such-folder"),
        ("run.mp4", {"size": (95, 64)}, FileError, "even"),
        ("run.gif", {"size": (4, 4)}, MechanismError, "size"),
        ("run.gif", {"zoom": 0.0}, MechanismError, "zoom"),
        ("run.gif", {"follow": "link 3"}, UnknownName, "link 3"),
        ("run.gif", {"trails": ["link 3"]}, UnknownName, "link 3"),
        ("run.gif", {"layers": ["bones"]}, UnknownName, "bones"),
        ("run.png", {"at": 7.0}, MechanismError, "0 to 0.2 s"),
        ("run.mp4", {"at": 0.1}, MechanismError, "at is the instant of a picture"),
    ],
)
def test_bad_input_is_refused_before_anything_is_written(swing, tmp_path, name, options, fault, words):
    with pytest.raises(fault, match=words):
        render(swing, tmp_path / name, **({"size": SMALL} | options))
    assert list(tmp_path.iterdir()) == []


def test_a_missing_package_is_named_with_the_way_to_get_it(tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(FileError, match=r"pip install 'sarrus\[video\]'"):
        encoders.check_target(tmp_path / "run.mp4")


def test_a_gif_keeps_the_speed_that_its_hundredths_of_a_second_allow(tmp_path):
    assert encoders.possible_fps(tmp_path / "a.gif", 30.0) == pytest.approx(100.0 / 3.0)
    assert encoders.possible_fps(tmp_path / "a.mp4", 30.0) == 30.0


def test_pictures_come_in_order_whichever_thread_draws_them(swing):
    film = Film(swing, SMALL, fps=60.0)
    drawn = list(film.pictures())
    assert len(drawn) == len(film) == 13
    assert all(np.array_equal(picture, film.picture(k)) for k, picture in enumerate(drawn))


def test_the_camera_frames_the_whole_motion(swing):
    film = Film(swing, SMALL)
    for frame in range(len(film)):
        film.picture(frame)
        seen = film.canvas.owner >= 0
        assert seen.any()
        assert not seen[[0, -1]].any()
        assert not seen[:, [0, -1]].any()


def test_forces_are_arrows_where_a_box_touches_the_ground(resting):
    plain = Film(resting, SMALL, start=0.2).picture(0)
    film = Film(resting, SMALL, start=0.2, forces=True)
    points, vectors = film.forces.at(0)
    assert len(points) > 0
    assert vectors[:, 2].sum() == pytest.approx(0.6, rel=0.05)  # they carry the weight
    assert np.any(film.picture(0) != plain)


def test_a_trail_grows_along_the_path_of_a_body(swing):
    name = swing.body_names[-1]
    film = Film(swing, SMALL, trails=[name])
    film.picture(len(film) - 1)
    plain = Film(swing, SMALL).canvas
    assert np.sum(film.canvas.kinds[film.canvas.owner[film.canvas.owner >= 0]] == 2) > 0
    assert plain.trails == 0


def test_the_camera_goes_with_a_body_that_it_follows(swing):
    name = swing.body_names[0]
    film = Film(swing, SMALL, follow=name)
    assert np.ptp(film.path, axis=0).max() > 0.0
    assert not Film(swing, SMALL, follow="none").path.any()


def test_the_camera_goes_with_a_mechanism_that_travels_far():
    mechanism = sarrus.Mechanism()
    mechanism.add_body(
        "ball", mass=1.0, inertia=(0.1, 0.1, 0.1), velocity=(20.0, 0.0, 0.0), shapes=[sarrus.Sphere(0.1)]
    )
    run = sarrus.simulate(sarrus.build(mechanism), duration=0.5, dt=0.05)
    film = Film(run, SMALL)
    assert np.ptp(film.path[:, 0]) > 5.0
    for frame in (0, len(film) - 1):
        film.picture(frame)
        assert np.mean(film.canvas.owner >= 0) > 0.02


def test_a_run_with_a_node_that_is_not_finite_is_drawn_up_to_it(swing):
    broken = sarrus.Trajectory(
        swing.model, swing.method, swing.dt, swing.time,
        np.where(np.arange(len(swing))[:, None, None] == len(swing) - 1, np.nan, swing.position),
        swing.orientation, swing.velocity, swing.angular_velocity,
    )  # fmt: skip
    film = Film(broken, SMALL)
    assert film.times[-1] <= swing.time[-2] + 1e-9
    assert film.picture(len(film) - 1).shape == (64, 96, 3)
