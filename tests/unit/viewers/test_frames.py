"""Poses between recorded nodes, at the times of film frames."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from sarrus.errors import MechanismError
from sarrus.viewers.film.film import smooth
from sarrus.viewers.frames import frame_times, frames, slerp

NODES = np.linspace(0.0, 1.0, 11)
ROUNDING = 1e-12


def turning(rate: float) -> SimpleNamespace:
    """A body that moves along x at 1 m/s and turns about z at `rate` [rad/s], recorded at `NODES`."""
    half = 0.5 * rate * NODES
    zero = np.zeros_like(NODES)
    position = np.stack([NODES, zero, zero], axis=1)[:, None, :]
    orientation = np.stack([np.cos(half), zero, zero, np.sin(half)], axis=1)[:, None, :]
    orientation[::2] *= -1.0  # the same orientations: signs of quaternions mean nothing
    return SimpleNamespace(time=NODES, position=position, orientation=orientation)


def test_frames_between_nodes_lie_on_straight_lines_and_arcs():
    times, positions, orientations = frames(turning(rate=3.0), fps=24.0)
    assert positions[:, 0, 0] == pytest.approx(times, abs=ROUNDING)
    angle = 2.0 * np.arctan2(orientations[:, 0, 3], orientations[:, 0, 0])
    assert np.sin(angle) == pytest.approx(np.sin(3.0 * times), abs=ROUNDING)
    assert np.linalg.norm(orientations, axis=-1) == pytest.approx(1.0, abs=ROUNDING)


@pytest.mark.parametrize(
    ("options", "count", "last"),
    [
        ({}, 31, 1.0),
        ({"speed": 0.5}, 61, 1.0),
        ({"speed": 2.0}, 16, 1.0),
        ({"start": 0.5}, 16, 1.0),
        ({"start": 0.2, "stop": 0.2}, 1, 0.2),
    ],
)
def test_a_film_has_a_frame_for_every_instant_ends_included(options, count, last):
    times = frame_times(NODES, 30.0, **options)
    assert len(times) == count
    assert times[-1] == pytest.approx(last)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"fps": 0.0}, "fps"),
        ({"speed": -1.0}, "speed"),
        ({"start": -0.1}, "0 to 1 s"),
        ({"stop": 2.0}, "0 to 1 s"),
        ({"start": 0.8, "stop": 0.2}, "in this order"),
        ({"start": 9.0, "stop": 9.0}, "the instant 9 s"),
        ({"speed": float("nan")}, "speed"),
    ],
)
def test_impossible_times_are_refused_in_words(options, words):
    with pytest.raises(MechanismError, match=words):
        frame_times(NODES, **({"fps": 30.0} | options))


def test_orientations_that_are_alike_are_interpolated_without_a_division_by_zero():
    q = np.array([[1.0, 0.0, 0.0, 0.0]])
    with np.errstate(all="raise"):
        between = slerp(q, q, np.array([[0.3]]))
    assert between == pytest.approx(q)


def test_the_path_of_a_camera_keeps_a_uniform_motion():
    path = np.linspace(0.0, 1.0, 40)[:, None] * np.array([1.0, 2.0, 0.0])
    assert smooth(path, 5.0) == pytest.approx(path, abs=ROUNDING)
    assert smooth(path[:4], 5.0).shape == (4, 3)
