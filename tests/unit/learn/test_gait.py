"""The gait of [MC23] Algorithm 6."""

from __future__ import annotations

import numpy as np
import pytest

from sarrus.errors import MechanismError
from sarrus.learn.gait import LEGS, STANDING, Gait

ROUNDING = 1e-12
"""Angles of order one, cosines of phases below 1e3 rad."""
TIME = np.linspace(0.0, 2.0, 41)
TROT = Gait(0.2, 0.3, 0.9, -0.4, -1.6)


def test_the_start_of_the_search_stands_still_with_bent_legs():
    for leg in LEGS:
        targets = STANDING.targets(leg, TIME)
        assert (targets["hip"] == 0.0).all()
        assert (targets["thigh"] == 1.0).all()
        assert (targets["calf"] == -1.5).all()


def test_targets_are_the_formulas_of_algorithm_6():
    angle = 20.0 * np.pi * TIME * 0.2
    first, second = TROT.targets("FR", TIME), TROT.targets("FL", TIME)
    for found, expected in (
        (first["thigh"], 0.3 * np.cos(angle) + 0.9),
        (second["thigh"], 0.3 * np.cos(angle + np.pi) + 0.9),
        (first["calf"], -0.4 * np.cos(angle - np.pi / 2) - 1.6),
        (second["calf"], -0.4 * np.cos(angle + np.pi / 2) - 1.6),
    ):
        np.testing.assert_allclose(found, expected, atol=ROUNDING)


def test_the_legs_of_a_diagonal_move_together_and_the_diagonals_in_turn():
    targets = {leg: TROT.targets(leg, TIME) for leg in LEGS}
    for joint in ("thigh", "calf"):
        assert (targets["FR"][joint] == targets["RL"][joint]).all()
        assert (targets["FL"][joint] == targets["RR"][joint]).all()
        middle = (targets["FR"][joint] + targets["FL"][joint]) / 2
        np.testing.assert_allclose(middle, middle[0], atol=ROUNDING)


def test_numbers_make_the_gait_and_come_back():
    assert Gait.of(np.array(TROT.numbers)) == TROT


@pytest.mark.parametrize("numbers", [(0.1, 0.0, 1.0, 0.0), (0.1, 0.0, 1.0, 0.0, np.nan)])
def test_numbers_that_make_no_gait_are_refused(numbers):
    with pytest.raises(MechanismError, match="gait"):
        Gait.of(np.array(numbers))


def test_a_leg_that_does_not_exist_is_refused_with_those_that_do():
    with pytest.raises(MechanismError, match="'XX'; the legs are FR, FL, RR, RL"):
        TROT.targets("XX", TIME)
