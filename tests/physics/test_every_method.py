"""One mechanism, every method: whatever coordinates and rules a method uses, its motion tends to the same one
as dt -> 0."""

import warnings

import numpy as np
import pytest

import sarrus
from sarrus.errors import MechanismError
from sarrus.gallery.registry import NAMES
from sarrus.integrators.methods import NAMES as METHODS

# Steps of a run, and their length [s], or the turn [rad] of the fastest body in one.
STEPS, DT, TURN = 80, 0.0025, 0.025
# What is left when the leading error of two runs is taken away: a part of that error, or the rounding of
# many steps.
LEFT, ROUNDING = 0.2, 1e-8
SAMPLE = ("pendulum", "four_bar", "bricard", "gyroscope", "free_chain", "spherical_pendulum")


def extrapolated(model, name):
    """(bodies at the end for dt -> 0 by Richardson's rule, the same for one order more, size of the error at
    the smaller dt).

    A method may do better than its order: without forces "variational1" is of order 2"""
    order = METHODS[name].order
    spin = np.linalg.norm(model.initial_state().angular_velocity, axis=1).max()
    dt = min(DT, TURN / max(spin, 1e-9))
    ends = []
    # Of the first order, the second one is as large at these steps.
    fewest = STEPS if order > 1 else 2 * STEPS
    for steps in (fewest, 2 * fewest):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run = sarrus.simulate(model, STEPS * dt, STEPS * dt / steps, name, record_every=steps)
        ends.append(np.concatenate([run.position[-1], run.velocity[-1], run.angular_velocity[-1]], axis=1))
    change = (ends[1] - ends[0]) / (2.0**order - 1.0)
    better = (ends[1] - ends[0]) / (2.0 ** (order + 1) - 1.0)
    return ends[1] + change, ends[1] + better, float(np.abs(change).max())


BASELINE = "semi-implicit"
"""It removes a part of the joints' errors in every step, however long: its error has no expansion in dt that
Richardson's rule could take away.  Its order is tested with its family."""


def accepted(model):
    """Names of the methods that run the model."""
    names = []
    for name, method in METHODS.items():
        if name == BASELINE:
            continue
        try:
            method.check(model)
        except MechanismError:
            continue
        names.append(name)
    return names


CONTACTS = {
    "box_drop", "box_toss", "sliding_block", "bouncing_ball", "tippe_top", "sphere_chain", "newton_cradle",
    "box_stack", "pyramid", "dominoes", "arch", "woodpecker", "quadruped", "brick_wall", "card_house", "heap",
    "ring_chain", "hand", "gripper", "humanoid",
}  # fmt: skip
"""Impacts are events in time, which methods take at different places."""


def assert_methods_agree(mechanism):
    model = sarrus.build(mechanism)
    names = accepted(model)
    assert "variational" in names
    best, _, _ = extrapolated(model, "variational4" if "variational4" in names else "variational")
    # Joints that miss each other by rounded numbers leave it to the method which of them it holds.
    open_ = 100.0 * model.ranks.left_open
    for name in names:
        end, better, error = extrapolated(model, name)
        off = min(np.abs(end - best).max(), np.abs(better - best).max())
        assert off < LEFT * error + ROUNDING + open_, name


@pytest.mark.parametrize("name", SAMPLE)
def test_all_methods_tend_to_the_same_motion(name):
    assert_methods_agree(sarrus.gallery.make(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(NAMES) - CONTACTS - set(SAMPLE)))
def test_all_methods_tend_to_the_same_motion_on_the_rest_of_the_gallery(name):
    assert_methods_agree(sarrus.gallery.make(name))


def test_contacts_are_told_apart():
    models = {name: sarrus.build(sarrus.gallery.make(name)) for name in NAMES}
    assert {name for name, model in models.items() if model.contacts.any} == CONTACTS
