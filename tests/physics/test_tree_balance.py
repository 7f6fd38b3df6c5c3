"""Joint coordinates: steps are judged by their balance of energy, as those in maximal coordinates are."""

import numpy as np
import pytest

import sarrus

METHODS = [sarrus.TreeMidpoint, sarrus.TreeTrapezoid, sarrus.LieTrapezoid]
G = 9.81
# Energy error over the range of a chain in a run of coarse steps: what whips leave; measured 1 to 8 %.
COARSE = 0.2
# The same of the trapezoid at the end of a run, as a mean: its energy swings far within a whip and comes
# back.
DRIFT = 0.1
# Its rms over ten starts: what is allowed to the maximal family; measured 0.4 to 5.6 %.
MEAN_DRIFT = 0.06
# What a step does wrong is of third order in dt; its largest value, at nodes that lie elsewhere, nearly so.
THIRD_ORDER = 8.0
ABOUT = 0.2
# Rate [rad/s] of the first joint, so that all steps of 5 ms are looked at.
FAST = 15.0


def energy_range(links):
    """Energy [J] of a chain of rods of 1 m and 1 kg from horizontal to hanging."""
    return G * sum(k + 0.5 for k in range(links))


def energy_errors(method, links, dt, duration, start=0):
    """Energy error over the range of a chain from horizontal, every 0.1 s."""
    model = sarrus.build(sarrus.gallery.pendulum(links=links, angle=0.5 * np.pi + 0.001 * start))
    run = sarrus.simulate(model, duration, dt, method, record_every=round(0.1 / dt))
    return run.energy().error / energy_range(links)


def drift(errors):
    """Mean energy error of the last tenth of a run."""
    return abs(errors[-len(errors) // 10 :].mean())


@pytest.mark.parametrize(("links", "dt", "duration"), [(2, 0.05, 300.0), (10, 0.02, 30.0), (6, 0.01, 60.0)])
def test_chains_from_horizontal_keep_their_energy_at_coarse_steps(links, dt, duration):
    assert np.abs(energy_errors(sarrus.TreeMidpoint(), links, dt, duration)).max() < COARSE


@pytest.mark.parametrize(("links", "dt", "duration"), [(2, 0.05, 300.0), (10, 0.02, 300.0), (6, 0.01, 60.0)])
def test_the_energy_of_the_trapezoid_comes_back_at_coarse_steps(links, dt, duration):
    assert drift(energy_errors(sarrus.TreeTrapezoid(), links, dt, duration)) < DRIFT


def test_the_trapezoid_divides_no_step_before_a_joint_turns_too_far():
    model = sarrus.build(sarrus.gallery.pendulum(links=5))
    run = sarrus.simulate(model, 60.0, 0.01, "tree-trapezoid")
    assert run.stats.turn.max() > 0.3
    assert len(run.stats.divided) == 0


@pytest.mark.slow
@pytest.mark.parametrize(("links", "dt"), [(2, 0.05), (2, 0.01), (3, 0.01), (4, 0.01), (5, 0.01), (6, 0.01)])
def test_chains_run_for_ten_minutes_from_ten_starts(links, dt):
    for start in range(-5, 5):
        assert np.abs(energy_errors(sarrus.TreeMidpoint(), links, dt, 600.0, start)).max() < COARSE


@pytest.mark.slow
@pytest.mark.parametrize(
    ("links", "dt"), [(2, 0.05), (5, 0.01), (6, 0.01), (10, 0.005), (10, 0.01), (10, 0.02)]
)
def test_chains_of_the_trapezoid_do_not_drift_in_ten_minutes_from_ten_starts(links, dt):
    drifts = [drift(energy_errors(sarrus.TreeTrapezoid(), links, dt, 600.0, start)) for start in range(-5, 5)]
    assert np.sqrt(np.mean(np.square(drifts))) < MEAN_DRIFT


def test_steps_of_one_length_stay_so_before_the_first_whip():
    model = sarrus.build(sarrus.gallery.pendulum(links=2))
    run = sarrus.simulate(model, 60.0, 0.01, "tree-midpoint")
    assert len(run.stats.divided) == 0
    assert run.stats.imbalance.max() > 0.0


@pytest.mark.parametrize("every", [1, 7])
def test_a_continued_run_equals_an_unbroken_one_though_the_rule_looks_back(every):
    model = sarrus.build(sarrus.gallery.pendulum(links=6))
    whole = sarrus.simulate(model, 8.4, 0.01, "tree-midpoint").final_state
    half = sarrus.simulate(model, 4.2, 0.01, "tree-midpoint", record_every=every).final_state
    joined = sarrus.simulate(model, 4.2, 0.01, "tree-midpoint", state=half, record_every=every).final_state
    np.testing.assert_array_equal(joined.position, whole.position)


@pytest.mark.parametrize("method", METHODS[1:])
def test_a_continued_run_of_a_chain_that_flies_equals_an_unbroken_one(method):
    model = sarrus.build(sarrus.gallery.free_chain(links=3, joint="revolute"))
    for half in (1.0, 20.0):
        whole = sarrus.simulate(model, 2.0 * half, 0.1, method()).final_state
        state = sarrus.simulate(model, half, 0.1, method()).final_state
        joined = sarrus.simulate(model, half, 0.1, method(), state=state).final_state
        np.testing.assert_array_equal(joined.position, whole.position)
        np.testing.assert_array_equal(joined.velocity, whole.velocity)


def test_parts_that_cannot_be_halved_any_more_are_counted_and_warned_of():
    model = sarrus.build(sarrus.gallery.pendulum(links=2))
    with pytest.warns(UserWarning, match="energy does not balance"):
        run = sarrus.simulate(model, 10.0, 0.05, sarrus.TreeMidpoint(max_substeps=1))
    assert run.stats.unbalanced > 0


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan])
@pytest.mark.parametrize("method", METHODS)
def test_a_balance_that_is_no_balance_is_refused(method, bad):
    with pytest.raises(sarrus.MechanismError, match="balance"):
        method(balance=bad)


def worst_imbalance(model, method, dt, **options):
    """Largest imbalance of a step, from a start so fast that all steps are looked at."""
    state = model.state(velocities={model.joint_names[0]: FAST})
    run = sarrus.simulate(model, 0.1, dt, method(balance=np.inf), state=state, **options)
    assert run.stats.imbalance.all()
    return run.stats.imbalance.max()


def assert_imbalance_is_of_third_order(mechanism, method, dt=0.01, **options):
    model = sarrus.build(mechanism)
    coarse, fine = (worst_imbalance(model, method, h, **options) for h in (dt, 0.5 * dt))
    assert coarse / fine == pytest.approx(THIRD_ORDER, rel=ABOUT)


@pytest.mark.parametrize("method", METHODS)
def test_the_work_of_springs_dampers_motors_and_forces_is_counted(method):
    mechanism = sarrus.gallery.pendulum(links=3, angle=1.0)
    first, second, third = mechanism.joints
    tip = list(mechanism.bodies)[-1]
    mechanism.add_joint_spring("spring", first, stiffness=3.0, rest=0.5)
    mechanism.add_joint_spring("damper", second, stiffness=0.0, damping=0.2)
    mechanism.add_motor("motor", joint=third)
    mechanism.add_force("push", tip, force=(0.0, 1.0, 2.0))
    mechanism.add_spring(
        "line", "world", tip, at_a=(0.0, 1.0, 1.0), at_b=mechanism.bodies[tip].position, stiffness=5.0,
        damping=0.1,
    )  # fmt: skip
    inputs = {"motor": lambda t: 2.0 * np.cos(5.0 * t)}
    assert_imbalance_is_of_third_order(mechanism, method, inputs=inputs)


@pytest.mark.parametrize("method", METHODS[:2])
def test_the_work_of_prescribed_coordinates_is_counted(method):
    mechanism = sarrus.gallery.pendulum(links=3, angle=1.0)
    mechanism.add_motor("drive", joint=next(iter(mechanism.joints)), mode="position")
    inputs = {"drive": lambda t: np.sin(FAST * t)}
    assert_imbalance_is_of_third_order(mechanism, method, dt=0.004, inputs=inputs)


@pytest.mark.parametrize("method", METHODS[:2])
def test_loops_balance(method):
    assert_imbalance_is_of_third_order(sarrus.gallery.four_bar(), method, dt=0.0025)
