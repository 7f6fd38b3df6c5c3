"""How many corrections the steps of the implicit family take, and what they leave unsolved."""

import numpy as np
import pytest

import sarrus

SMOOTH, FAST, LONG = 2.2, 3.2, 5.5  # mean corrections per step: at 10 ms, of a fast crank, at 100 ms
LEFT = 2e-11  # [m]: what forty steps leave unsolved, against steps solved four digits further
SOLVED = 1e-14  # times the size: rounding, where nothing is nearly singular

GALLERY = {
    "chain": lambda: sarrus.gallery.pendulum(links=10),
    "ball joints": lambda: sarrus.gallery.pendulum(links=10, joint="spherical"),
    "four-bar": lambda: sarrus.gallery.four_bar(speed=4.0),
    "double four-bar": sarrus.gallery.double_four_bar,
    "bricard": sarrus.gallery.bricard,
    "scissor lift": sarrus.gallery.scissor_lift,
}


def corrections(mechanism, duration, dt):
    """Mean of all steps but the first, which is one of SDIRK."""
    return sarrus.simulate(sarrus.build(mechanism), duration, dt, "bdf2").stats.iterations[1:].mean()


@pytest.mark.parametrize("name", GALLERY)
def test_steps_of_bdf2_take_few_corrections(name):
    assert corrections(GALLERY[name](), 0.6, 0.01) <= SMOOTH
    assert corrections(GALLERY[name](), 2.0, 0.1) <= LONG


def test_a_ring_that_falls_takes_few_corrections_before_its_links_whip():
    assert corrections(sarrus.gallery.hoberman_ring(), 0.3, 0.01) <= SMOOTH


def test_a_fast_crank_takes_few_corrections():
    assert corrections(sarrus.gallery.four_bar(speed=12.0), 0.6, 0.01) <= FAST


@pytest.mark.parametrize("method", [sarrus.Bdf, sarrus.Sdirk])
@pytest.mark.parametrize("name", ["four-bar", "bricard"])
def test_what_steps_leave_unsolved_is_rounding(name, method):
    model = sarrus.build(GALLERY[name]())
    runs = [sarrus.simulate(model, 0.4, 0.01, m).position for m in (method(), method(tolerance=SOLVED))]
    assert np.abs(runs[0] - runs[1]).max() < LEFT
