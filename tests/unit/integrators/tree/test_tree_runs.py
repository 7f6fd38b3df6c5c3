"""Runs in joint coordinates: what they offer, what they refuse by name, and that they go on where they
stopped."""

import numpy as np
import pytest
from tests.physics.scenes import add_random_body

import sarrus
from sarrus.errors import MechanismError, StepFailed

METHODS = ("tree-midpoint", "tree-trapezoid", "lie-trapezoid")
# Joints of the tree hold by construction: rounding of a few metres.
ROUNDING = 1e-13


@pytest.fixture(scope="module")
def chain():
    return sarrus.build(sarrus.gallery.pendulum(links=3))


def test_a_run_is_a_trajectory_like_any_other(chain, tmp_path):
    start = chain.state({chain.joint_names[0]: 0.7})
    run = sarrus.simulate(chain, 0.2, 0.01, "tree-midpoint", state=start, record_every=2)
    assert len(run.time) == 11
    assert run.violation().max() < ROUNDING
    assert run.joint_position(chain.joint_names[0])[0] == pytest.approx(0.7)
    assert run.stats.iterations.sum() > 0
    run.save(tmp_path / "run.npz")
    again = sarrus.load_trajectory(tmp_path / "run.npz")
    assert np.array_equal(again.position, run.position)


def test_a_run_goes_on_from_its_last_state_to_the_last_bit(chain):
    start = chain.state({chain.joint_names[0]: 0.7})
    whole = sarrus.simulate(chain, 0.2, 0.01, "tree-midpoint", state=start)
    half = sarrus.simulate(chain, 0.1, 0.01, "tree-midpoint", state=start)
    rest = sarrus.simulate(chain, 0.1, 0.01, "tree-midpoint", state=half.final_state)
    assert np.array_equal(rest.position[-1], whole.position[-1])
    assert np.array_equal(rest.velocity[-1], whole.velocity[-1])


def test_simulation_steps_as_simulate_does(chain):
    start = chain.state({chain.joint_names[0]: 0.7})
    run = sarrus.simulate(chain, 0.05, 0.01, "tree-midpoint", state=start)
    sim = sarrus.Simulation(chain, 0.01, "tree-midpoint", state=start)
    for _ in range(5):
        now = sim.step()
    assert np.array_equal(now.position, run.position[-1])


def test_angles_count_turns(chain):
    name = chain.joint_names[0]
    start = chain.state({name: 0.0}, velocities={name: 40.0})
    run = sarrus.simulate(chain, 0.5, 0.01, "tree-midpoint", state=start)
    assert np.abs(np.diff(run.joint_position(name))).max() < 1.0
    assert run.joint_position(name)[-1] > 2.0 * np.pi


def test_velocities_of_a_start_are_projected_onto_the_joints_in_the_metric_of_the_masses():
    mechanism = sarrus.Mechanism()
    rng = np.random.default_rng(3)
    for name in "ab":
        add_random_body(mechanism, name, rng)
    mechanism.add_joint("base", "revolute", "world", "a", at=rng.normal(size=3), axis=(0, 0, 1))
    mechanism.add_joint("ball", "spherical", "b", "a", at=rng.normal(size=3))
    model = sarrus.build(mechanism)
    ours = sarrus.Simulation(model, 0.01, "tree-midpoint").state
    other = sarrus.Simulation(model, 0.01, "variational").state
    assert ours.velocity == pytest.approx(other.velocity, abs=1e-10)
    assert ours.angular_velocity == pytest.approx(other.angular_velocity, abs=1e-10)


@pytest.mark.parametrize("method", METHODS)
def test_what_it_does_not_run_is_refused_by_name(method):
    rolling = sarrus.build(sarrus.gallery.rolling_disc())
    with pytest.raises(MechanismError, match=f"{method} does not run the rolling .*; variational does"):
        sarrus.simulate(rolling, 0.1, 0.01, method)
    box = sarrus.build(sarrus.gallery.box_drop())
    with pytest.raises(MechanismError, match=f"{method} does not run the contact"):
        sarrus.simulate(box, 0.1, 0.01, method)


@pytest.mark.parametrize("alpha", [-0.1, 1.5, np.nan, "half", True, None])
def test_alpha_is_from_0_to_1(alpha):
    with pytest.raises(MechanismError, match="alpha must be a number from 0 to 1"):
        sarrus.TreeMidpoint(alpha=alpha)


@pytest.mark.parametrize("given", [{"tolerance": 0.0}, {"max_iterations": 0}, {"max_substeps": 3}])
def test_settings_that_make_no_sense_are_refused(given):
    with pytest.raises(MechanismError, match=next(iter(given))):
        sarrus.TreeTrapezoid(**given)


def test_a_joint_that_moves_no_mass_is_refused_by_name():
    mechanism = sarrus.Mechanism()
    mechanism.add_body("arm", 1.0, (0.1, 0.1, 0.1), position=(0, 0, -0.5))
    mechanism.add_body("ball", 1.0, (0.0, 0.0, 0.0), position=(0, 0, -1.0))
    mechanism.add_joint("hinge", "revolute", "world", "arm", at=(0, 0, 0), axis=(1, 0, 0))
    # Turning a point mass about itself moves nothing.
    mechanism.add_joint("spin", "revolute", "arm", "ball", at=(0, 0, -1.0), axis=(1, 0, 0))
    model = sarrus.build(mechanism)
    with pytest.raises(MechanismError, match="'spin'"):
        sarrus.simulate(model, 0.1, 0.01, "tree-midpoint")


def test_point_masses_are_fine():
    mechanism = sarrus.Mechanism()
    mechanism.add_body("ball", 2.0, (0.0, 0.0, 0.0), position=(0, 0, -1.0))
    mechanism.add_joint("hinge", "revolute", "world", "ball", at=(0, 0, 0), axis=(1, 0, 0))
    model = sarrus.build(mechanism)
    run = sarrus.simulate(model, 1.0, 0.001, "tree-midpoint", state=model.state({"hinge": 0.1}))
    # The period of a mathematical pendulum of 1 m at 0.1 rad: 2 pi sqrt(l/g) (1 + 0.1^2/16).
    angle, period = run.joint_position("hinge"), 2.0 * np.pi / np.sqrt(9.81) * (1.0 + 0.01 / 16.0)
    assert angle == pytest.approx(0.1 * np.cos(2.0 * np.pi * run.time / period), abs=2e-5)


def test_a_step_that_fails_names_time_and_joint(chain):
    start = chain.state({chain.joint_names[0]: 1.0})
    method = sarrus.TreeMidpoint(max_iterations=1, max_substeps=1, tolerance=1e-15)
    with pytest.raises(StepFailed) as failed:
        sarrus.simulate(chain, 0.1, 0.05, method, state=start)
    assert failed.value.joint in chain.joint_names
    assert failed.value.time == pytest.approx(0.0, abs=0.1)


def test_a_step_that_finds_no_solution_is_divided(chain):
    start = chain.state({chain.joint_names[0]: 1.0})
    method = sarrus.TreeMidpoint(max_iterations=3)
    run = sarrus.simulate(chain, 1.0, 0.1, method, state=start)
    assert run.stats.substeps.max() > 1
    fine = sarrus.simulate(chain, 1.0, 0.001, "tree-midpoint", state=start, record_every=100)
    assert np.abs(run.position - fine.position).max() < 0.5
