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


# They pass configurations in which links are in line.
WHIPPING = {
    "ring": sarrus.gallery.hoberman_ring,
    "rhombi": lambda: sarrus.gallery.rhombus_chain(segments=5),
}


def coupled():
    """Two bodies whose springs couple them: what Newton's matrix does not know of it contracts slowly."""
    mechanism = sarrus.gallery.four_bar(speed=4.0)
    mechanism.add_spring(
        "stay", "crank", "rocker", at_a=(0.1, 0.2, 0.3), at_b=(0.2, 1.0, 0.9), stiffness=4000.0, damping=5.0
    )
    return mechanism


def corrections(mechanism, duration, dt):
    """Mean of all steps but the first, which is one of SDIRK."""
    return sarrus.simulate(sarrus.build(mechanism), duration, dt, "bdf2").stats.iterations[1:].mean()


@pytest.mark.parametrize("name", GALLERY)
def test_steps_of_bdf2_take_few_corrections(name):
    assert corrections(GALLERY[name](), 0.6, 0.01) <= SMOOTH
    assert corrections(GALLERY[name](), 2.0, 0.1) <= LONG


@pytest.mark.parametrize(("name", "duration"), [("ring", 0.3), ("ring", 1.0), ("rhombi", 0.6)])
def test_loops_whose_links_whip_take_few_corrections(name, duration):
    assert corrections(WHIPPING[name](), duration, 0.01) <= SMOOTH


def test_the_ring_takes_few_corrections_at_long_steps():
    assert corrections(WHIPPING["ring"](), 2.0, 0.1) <= LONG


def test_a_fast_crank_takes_few_corrections():
    assert corrections(sarrus.gallery.four_bar(speed=12.0), 0.6, 0.01) <= FAST


@pytest.mark.parametrize("method", [sarrus.Bdf, sarrus.Sdirk])
@pytest.mark.parametrize("name", ["four-bar", "bricard", "ring", "rhombi", "coupled"])
def test_what_steps_leave_unsolved_is_rounding(name, method):
    model = sarrus.build({**GALLERY, **WHIPPING, "coupled": coupled}[name]())
    runs = [sarrus.simulate(model, 0.4, 0.01, m).position for m in (method(), method(tolerance=SOLVED))]
    assert np.abs(runs[0] - runs[1]).max() < LEFT
