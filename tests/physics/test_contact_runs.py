"""Runs with contact: chains, continuation, substeps, reactions, and what gallery scenes cost."""

import numpy as np
import pytest
from tests.physics.contact_scenes import G, Y, gaps, random_toss, touches
from tests.physics.scenes import turn
from tests.physics.test_contact_bodies import pile
from tests.reference.rotation import matrix, multiply

import sarrus
from sarrus import gallery
from sarrus.mechanism.shapes import Sphere

# A stage is solved to 1e-10 m, over dt = 0.01.
BALANCE = 2e-7


def simulate(mechanism, duration, dt, **options):
    return sarrus.simulate(sarrus.build(mechanism), duration=duration, dt=dt, **options)


def assert_chain_runs(n, duration, iterations=6.0):
    mechanism = gallery.sphere_chain(n, np.radians(30))
    plane = mechanism.obstacles["ground"].shape
    run = simulate(mechanism, duration, 0.01)
    assert run.violation().max() < 1e-8
    assert gaps(run, matrix(plane.orientation) @ plane.normal, plane.at).min() > 0.0
    energy = run.energy().total
    assert energy.max() <= energy[0] * (1 + 1e-9)
    assert run.stats.iterations.mean() <= iterations
    return run


def test_a_tilted_chain_of_10_spheres_runs_on_the_ground():
    assert_chain_runs(10, 5.0)


@pytest.mark.slow
def test_a_tilted_chain_of_40_spheres_runs_on_the_ground():
    # It still slides at the end, and one impact is divided, after all starts of the whole step were tried.
    assert_chain_runs(40, 5.0, iterations=7.0)


@pytest.mark.parametrize("cut", [0.2, 0.7, 1.1])
def test_a_run_goes_on_from_its_final_state_as_if_uninterrupted(cut):
    mechanism = random_toss(np.random.default_rng(1), restitution=0.3)
    whole = simulate(mechanism, 2.0, 0.01)
    first = simulate(mechanism, cut, 0.01)
    second = simulate(mechanism, 2.0 - cut, 0.01, state=first.final_state)
    assert np.abs(whole.position[round(cut / 0.01) :] - second.position).max() == 0.0


@pytest.fixture(scope="module")
def fallen():
    """A pile that has just fallen together, its model and its run."""
    model = sarrus.build(pile(8, 1, 2.0))
    return model, sarrus.simulate(model, duration=1.0, dt=0.01)


@pytest.mark.parametrize("cut", [0.2, 0.5, 0.63])
def test_a_run_whose_bodies_touch_goes_on_from_its_final_state_as_if_uninterrupted(fallen, cut, tmp_path):
    """The forces that contacts remember, their order and their axes are in the State, and in its files."""
    model, whole = fallen
    sarrus.simulate(model, duration=cut, dt=0.01).save(tmp_path / "first.npz")
    first = sarrus.load_trajectory(tmp_path / "first.npz").final_state
    second = sarrus.simulate(model, duration=1.0 - cut, dt=0.01, state=first)
    assert np.abs(whole.position[round(cut / 0.01) :] - second.position).max() == 0.0
    np.testing.assert_array_equal(second.final_state.memory, whole.final_state.memory)


def test_a_memory_that_is_none_is_a_fresh_start(fallen):
    model, whole = fallen
    good = whole.final_state
    fresh = good.copy()
    fresh.memory = None
    expected = sarrus.simulate(model, duration=0.05, dt=0.01, state=fresh).position
    bad = [(0, np.nan), (1, np.nan), (1, 1e300), (1, -1.0), (2, 1e9), (3, 1e6), (3, -5.0), (4, 3.0)]
    for column, value in bad:
        state = good.copy()
        state.memory[0, column] = value
        found = sarrus.simulate(model, duration=0.05, dt=0.01, state=state).position
        np.testing.assert_array_equal(found, expected)
    for memory in (np.zeros((1, 0)), np.zeros((1, 1)), np.zeros((1, 5)), np.zeros(7), good.memory[:, :-1]):
        state = good.copy()
        state.memory = memory
        found = sarrus.simulate(model, duration=0.05, dt=0.01, state=state).position
        np.testing.assert_array_equal(found, expected)


def test_one_step_at_a_time_is_the_same_run():
    mechanism = random_toss(np.random.default_rng(2))
    whole = simulate(mechanism, 1.0, 0.01)
    now = sarrus.Simulation(sarrus.build(mechanism), dt=0.01)
    for k in range(1, 101):
        state = now.step()
        assert np.abs(whole.position[k] - state.position).max() == 0.0


def test_every_record_of_a_coarse_recording_is_that_of_the_fine_one():
    mechanism = random_toss(np.random.default_rng(2))
    fine, coarse = simulate(mechanism, 1.0, 0.01), simulate(mechanism, 1.0, 0.01, record_every=7)
    assert np.abs(fine.position[::7][: len(coarse)] - coarse.position[: len(fine.position[::7])]).max() == 0.0


def test_fast_spin_at_a_long_step_is_divided_and_still_lands():
    # |w| dt = 1.7 of at most 2: impacts have no solution there but with shorter steps.
    worst = 0
    for seed in range(4):
        mechanism = random_toss(np.random.default_rng(seed), spin=0.0)
        body = mechanism.bodies["box"]
        spun = sarrus.Mechanism()
        spun.add_body(
            "box", 1.0, position=body.position, orientation=body.orientation, velocity=(1, 0, -2),
            angular_velocity=np.array([20.0, -22.0, 15.0]), shapes=body.shapes,
        )  # fmt: skip
        spun.add_ground(0.5)
        run = simulate(spun, 2.0, 0.05)
        worst = max(worst, run.stats.substeps.max())
        assert gaps(run).min() > 0.0
        energy = run.energy().total
        assert energy.max() <= energy[0] * (1 + 1e-2)
        records = touches(spun, 2.0, 0.05)
        impulse = np.zeros((len(run) - 1, 3))
        np.add.at(impulse, records.step, records.impulse)
        # The momentum balances over divided steps too, with the force that the barrier has for corners which
        # pass close above the ground.
        change = np.diff(run.momentum().linear, axis=0) - impulse - 0.05 * np.array([0, 0, -G])
        assert np.abs(change).max() < 1e-6
    assert worst > 1


def test_reactions_contact_forces_and_gravity_change_the_momenta():
    dt, masses = 0.01, np.array([1.0, 2.0])
    mechanism = sarrus.Mechanism()
    mechanism.add_body("a", 1.0, (0.01, 0.01, 0.01), position=(0, 0, 0.3), shapes=[Sphere(0.1)])
    mechanism.add_body(
        "b", 2.0, (0.02, 0.02, 0.02), position=(0.4, 0, 0.35), shapes=[Sphere(0.1)],
        angular_velocity=(0, 1, 0),
    )  # fmt: skip
    mechanism.add_joint("hinge", "revolute", "a", "b", at=(0.2, 0, 0.3), axis=Y)
    mechanism.add_ground(0.5)
    run, records = simulate(mechanism, 1.0, dt, reactions=True), touches(mechanism, 1.0, dt)
    body = {i: line.b for i, line in enumerate(run.model.contacts.fixed)}
    impulse = np.zeros((len(run), 2, 3))
    for step, stage, contact, force in zip(
        records.step, records.stage, records.contact, records.impulse, strict=True
    ):
        impulse[step + stage - 1, body[contact]] += force
    momentum = np.diff(run.position, axis=0) / dt * masses[None, :, None]
    rest = np.diff(momentum, axis=0) - impulse[1:-1] - dt * masses[:, None] * [0, 0, -G]
    force = run.reaction("hinge").force[1:-1]
    assert np.abs(impulse).max() > 1.0
    assert np.abs(rest[:, 1] - dt * force).max() < BALANCE
    assert np.abs(rest[:, 0] + dt * force).max() < BALANCE


def test_reactions_include_what_a_joint_limit_does():
    # A rod held horizontally by its stop: the hinge carries its weight, the stop the torque.
    mechanism = sarrus.Mechanism()
    mechanism.add_body("rod", 1.0, (1e-3, 1 / 12, 1 / 12), position=(0.5, 0, 0))
    mechanism.add_joint("hinge", "revolute", "world", "rod", at=(0, 0, 0), axis=Y)
    mechanism.add_limit("stop", "hinge", upper=1e-9)
    run = simulate(mechanism, 0.5, 0.01, reactions=True)
    assert np.abs(run.joint_position("hinge")).max() < 1e-8
    assert run.reaction("hinge").force[-2] == pytest.approx([0, 0, G], abs=1e-5)


# Scenes of the gallery with contact; those that take long are in the slow test.
QUICK = {
    "box_drop": {}, "box_toss": {}, "sliding_block": {}, "bouncing_ball": {}, "box_stack": {"n": 3},
    "sphere_chain": {"n": 10}, "tippe_top": {}, "newton_cradle": {}, "dominoes": {"n": 4},
    "pyramid": {"rows": 3},
}  # fmt: skip


@pytest.mark.parametrize("name", QUICK)
def test_the_position_stage_takes_few_iterations_in_gallery_scenes(name):
    mechanism = getattr(gallery, name)(**QUICK[name])
    run = simulate(mechanism, 1.0, 0.01 if name != "tippe_top" else 0.001)
    assert run.stats.iterations.mean() <= 6.0
    assert run.violation().max(initial=0.0) < 1e-8


def test_the_same_mechanism_turned_about_the_vertical_moves_the_same():
    q = turn(np.array([0.0, 0.0, 1.0]), 1.1)
    R = matrix(q)
    mechanism = random_toss(np.random.default_rng(8))
    box = mechanism.bodies["box"]
    turned = sarrus.Mechanism()
    turned.add_body(
        "box", 1.0, position=R @ box.position, orientation=multiply(q, box.orientation),
        velocity=R @ box.velocity, angular_velocity=box.angular_velocity, shapes=box.shapes,
    )  # fmt: skip
    turned.add_ground(0.5)
    a, b = simulate(mechanism, 1.0, 0.01), simulate(turned, 1.0, 0.01)
    assert np.abs(a.position @ R.T - b.position).max() < 1e-7


@pytest.mark.parametrize("joint", ["revolute", "universal", "spherical"])
def test_a_leg_whose_hip_has_an_armature_lands(joint):
    """The armature is part of the momentum that an impact changes."""
    mech = sarrus.Mechanism()
    mech.add_body("hip", 2.0, (0.02, 0.02, 0.02), position=(0, 0, 0.9))
    foot = Sphere(0.05, at=(0, 0, -0.3))
    mech.add_body("leg", 1.0, (0.02, 0.02, 0.002), position=(0.1, 0, 0.6), shapes=[foot])
    axes = {"axis": (0, 1, 0), "axis2": (1, 0, 0)}
    taken = {"revolute": ("axis",), "universal": ("axis", "axis2"), "spherical": ()}[joint]
    given = {name: axes[name] for name in taken}
    mech.add_joint("joint", joint, "hip", "leg", at=(0, 0, 0.9), armature=0.05, **given)
    mech.add_ground(friction=0.6)
    run = sarrus.simulate(sarrus.build(mech), duration=0.5, dt=0.002)
    assert run.contact_force("leg")[:, 2].max() > 0.0
    assert run.gap().min() > 0.0
    assert len(run.stats.divided) == 0
    assert run.stats.momentum_iterations.max() < 20
    # The swinging of the leg after the impact: without armature it is 2e-6 J.
    assert np.diff(run.energy().total).max() < 1e-5
