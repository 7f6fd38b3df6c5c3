"""Mechanisms whose motors leave nothing free: positions from joints and inputs alone."""

import numpy as np
import pytest

import sarrus
from sarrus.integrators.maximal.implicit import columns as of
from sarrus.integrators.maximal.implicit.stepper import form_of

MET = 1e-10  # tolerance of the steps
SAME = 1e-8  # of the largest effort: positions that differ by the tolerance


def crank_angle(t):
    return 2.0 * t + 0.3 * np.sin(5.0 * t)


def elements(mechanism):
    """A spring with a damper between two bodies, and a spring on a driven and on a passive joint."""
    mechanism.add_spring(
        "pull", "coupler", "world", at_a=(0.1, 0.0, 0.4), at_b=(0.5, 0.2, 1.0), stiffness=300.0, damping=4.0
    )
    mechanism.add_joint_spring("wind-up", "crank pivot", stiffness=20.0, damping=0.5)
    mechanism.add_joint_spring("rub", "rocker pivot", stiffness=5.0, damping=0.2)


def driven_four_bar(with_elements=False):
    mechanism = sarrus.gallery.four_bar()
    if with_elements:
        elements(mechanism)
    mechanism.add_motor("crank", "crank pivot", mode="position")
    return sarrus.build(mechanism), {"crank": crank_angle}


def stewart(with_elements=False):
    model = sarrus.build(sarrus.gallery.stewart_platform(mode="position"))
    return model, {
        name: lambda t, k=k: 0.03 * np.sin((2.0 + 0.3 * k) * t) for k, name in enumerate(model.targets)
    }


@pytest.mark.parametrize("with_elements", [False, True])
@pytest.mark.parametrize("scene", [driven_four_bar, stewart])
@pytest.mark.parametrize("method", [sarrus.Bdf, sarrus.Sdirk])
def test_rows_alone_give_the_motion_and_the_efforts_of_the_equations_of_motion(method, scene, with_elements):
    model, inputs = scene(with_elements)
    rows, general = (
        sarrus.simulate(model, 0.5, 0.01, method(kinematic=kinematic), inputs=inputs, reactions=True)
        for kinematic in (True, False)
    )
    assert rows.violation().max() < MET
    assert np.abs(rows.position - general.position).max() < MET
    assert np.abs(rows.velocity - general.velocity).max() < 100.0 * MET
    for name in model.targets:
        effort = general.motor_effort(name)
        assert np.abs(rows.motor_effort(name) - effort).max() < SAME * np.abs(effort).max()


def test_they_are_found_by_themselves():
    model, _ = driven_four_bar()
    assert form_of(sarrus.Bdf(), model) == of.ROWS
    assert form_of(sarrus.Sdirk(), model) == of.ROWS
    assert form_of(sarrus.Bdf(kinematic=False), model) == of.MOMENTUM
    assert form_of(sarrus.Bdf(form="printed"), model) == of.PRINTED
    assert form_of(sarrus.Bdf(), sarrus.build(sarrus.gallery.four_bar())) == of.MOMENTUM
    # A motor on one of two hinges leaves one freedom.
    mechanism = sarrus.gallery.pendulum(links=2)
    mechanism.add_motor("drive", "joint 1", mode="position")
    assert form_of(sarrus.Bdf(), sarrus.build(mechanism)) == of.MOMENTUM


def test_no_load_makes_a_step_fail():
    """A load of 1e9 N on the rod between: positions do not see it, efforts do."""
    mechanism = sarrus.gallery.four_bar()
    mechanism.add_force("load", "coupler", force=(0.0, 3e8, -1e9))
    mechanism.add_motor("crank", "crank pivot", mode="position")
    model = sarrus.build(mechanism)
    inputs = {"crank": crank_angle}
    run = sarrus.simulate(model, 1.0, 0.02, "bdf2", inputs=inputs, reactions=True)
    assert not run.stats.substeps.any()
    assert run.violation().max() < MET
    free, _ = driven_four_bar()
    unloaded = sarrus.simulate(free, 1.0, 0.02, "bdf2", inputs=inputs)
    assert np.abs(run.position - unloaded.position).max() < MET
    found = sarrus.inverse_dynamics(model, inputs, run.time)
    effort = found.effort["crank"]
    assert np.abs(run.motor_effort("crank") - effort)[2:-2].max() < 1e-5 * np.abs(effort).max()


def test_a_lock_that_leaves_nothing_free_is_held_by_rows_and_let_go():
    model = sarrus.build(sarrus.gallery.four_bar(speed=3.0))
    run = sarrus.simulate(model, 0.6, 0.01, "bdf2", locks={"crank pivot": (0.2, 0.4)})
    other = sarrus.simulate(model, 0.6, 0.01, sarrus.Bdf(kinematic=False), locks={"crank pivot": (0.2, 0.4)})
    assert np.abs(run.position - other.position).max() < 10.0 * MET
    held = run.joint_position("crank pivot")[20:41]
    assert np.ptp(held) < MET
    assert abs(run.joint_position("crank pivot")[-1] - held[-1]) > 1e-3


def test_a_run_taken_up_from_its_state_goes_on_as_if_unbroken():
    model, inputs = stewart()
    whole = sarrus.simulate(model, 0.4, 0.01, "bdf2", inputs=inputs)
    first = sarrus.simulate(model, 0.2, 0.01, "bdf2", inputs=inputs)
    rest = sarrus.simulate(model, 0.2, 0.01, "bdf2", inputs=inputs, state=first.final_state)
    assert np.abs(rest.position[-1] - whole.position[-1]).max() < MET
