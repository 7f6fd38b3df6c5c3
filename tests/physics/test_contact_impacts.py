"""Impacts: rebound, energy, momentum, symmetry, and boxes that come to rest."""

import numpy as np
import pytest
from benchmarks.random_scenes import random_scene
from tests.physics.contact_scenes import (
    G,
    Y,
    ball,
    brick,
    gaps,
    random_toss,
    touches,
    work_per_step,
)
from tests.physics.scenes import turn
from tests.reference.rotation import matrix

import sarrus
from sarrus import gallery

# Work of contact impulses with restitution 0 is never positive; rounding and barrier, of the energy.
NO_WORK = 1e-9
# A stage is solved to 1e-10 m, over dt = 0.01; records leave out what the barrier gives to open contacts.
BALANCE = 1e-6


def simulate(mechanism, duration, dt, **options):
    return sarrus.simulate(sarrus.build(mechanism), duration=duration, dt=dt, **options)


@pytest.mark.parametrize("dt", [0.01, 0.001])
def test_a_dropped_box_rests_within_a_micrometre_above_the_ground(dt):
    run = simulate(gallery.box_drop(), 1.0, dt)
    gap = gaps(run)
    assert gap.min() > 0.0
    assert gap[run.time > 0.5].max() < 1e-6
    assert np.abs(run.velocity[-1]).max() < 1e-6
    energy = run.energy().total
    assert np.diff(energy).max() < 1e-6
    assert run.stats.iterations.mean() < 3.0


@pytest.mark.parametrize("dt", [0.1, 0.05, 0.01, 0.005])
@pytest.mark.parametrize("seed", range(3))
def test_a_tossed_box_ends_at_rest_on_a_face(dt, seed):
    mechanism = random_toss(np.random.default_rng(seed))
    run, records = simulate(mechanism, 4.0, dt), touches(mechanism, 4.0, dt)
    gap, energy = gaps(run), run.energy().total
    assert gap.min() > 0.0
    assert gap[-1, 0] < 1e-6
    assert np.abs(run.velocity[-1]).max() < 1e-6
    up = np.abs(matrix(run.orientation[-1, 0])[2]).max()
    assert up == pytest.approx(1.0, abs=1e-6)
    assert energy.max() <= energy[0] * (1 + NO_WORK)
    assert work_per_step(records).max() <= NO_WORK * energy[0]
    # The sum of the works is the energy lost and, at every step at rest, what the half steps of gravity put
    # in and the contact takes out again.
    lost, taken = energy[0] - energy[-1], -records.work.sum()
    assert lost - 0.02 * energy[0] < taken < lost + (G * dt / 2) ** 2 * len(run) + 0.1 * energy[0]


@pytest.mark.parametrize("e", [0.0, 0.5, 0.9, 1.0])
def test_a_ball_rebounds_to_e_squared_of_its_height_from_below(e):
    def rebound(dt, height=0.5):
        mechanism = ball(position=(0, 0, 0.1 + height))
        mechanism.add_ground(0.5, e)
        run = simulate(mechanism, 0.9, dt)
        assert gaps(run).min() > 0.0
        # Weight times the resting gap.
        assert np.diff(run.energy().total).max() < 1e-7
        z = run.position[:, 0, 2] - 0.1
        return z[np.argmin(z[run.time < 0.5]) :].max() / height

    coarse, fine = rebound(0.01), rebound(0.001)
    # A step before the impact is lost: first order in dt, 2 sqrt(2 g / H) dt / 2 at most.
    for found, dt in ((coarse, 0.01), (fine, 0.001)):
        assert found <= e**2 + 1e-8
        assert found >= e**2 * (1 - 2.0 * np.sqrt(2 * G / 0.5) * dt)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("e", [0.5, 1.0])
def test_restitution_with_friction_creates_no_energy(seed, e):
    mechanism = random_toss(np.random.default_rng(seed), restitution=e, spin=8.0)
    run = simulate(mechanism, 1.5, 0.005)
    energy = run.energy().total
    # Sticking contacts oscillate like the smooth method, seen here in single steps.
    assert energy.max() <= energy[0] * (1 + 1e-6)
    assert np.diff(energy).max() < 1e-3 * energy[0]
    assert gaps(run).min() > 0.0


@pytest.mark.parametrize("e", [0.0, 0.7])
def test_the_momentum_of_every_impact_balances(e):
    dt = 0.01
    mechanism = random_toss(np.random.default_rng(4), restitution=e)
    run, records = simulate(mechanism, 1.5, dt), touches(mechanism, 1.5, dt)
    steps, weight = len(run) - 1, 1.0 * np.array([0, 0, -G])
    linear, angular = np.zeros((2, steps, 3))
    np.add.at(linear, records.step, records.impulse)
    np.add.at(angular, records.step, np.cross(records.point, records.impulse))
    momentum = run.momentum()
    linear += dt * weight
    x = run.position[:, 0]
    angular += 0.5 * dt * np.cross(x[:-1] + x[1:], weight)
    assert np.abs(np.diff(momentum.linear, axis=0) - linear).max() < BALANCE
    # Where a step is divided at a rebound, the weight acts about points on the way that nobody sees.
    whole = run.stats.substeps < 2
    assert whole.sum() > 0.9 * steps
    assert np.abs(np.diff(momentum.angular, axis=0) - angular)[whole].max() < BALANCE
    # Impulses of a contact on the box, both stages, point away from the ground and lie in the cone.
    of = records.contact.max() + 1
    both = np.stack(
        [np.bincount(records.step * of + records.contact, records.impulse[:, k]) for k in range(3)]
    )
    friction, acts = np.linalg.norm(both[:2], axis=0), both[2] != 0.0
    assert both[2][acts].min() > 0.0
    assert (friction[acts] <= 0.5 * both[2][acts] * (1 + 1e-9)).all()
    assert records.point[:, 2].max() < 0.2


@pytest.mark.parametrize("dt", [0.01, 0.002])
def test_a_symmetric_impact_stays_symmetric(dt):
    # A box falls on an edge: nothing may push it to a side.
    size, q = np.array([0.3, 0.3, 0.3]), turn(Y, np.pi / 4)
    mechanism = brick(size, position=(0, 0, 0.3), orientation=q)
    mechanism.add_ground(0.5)
    run = simulate(mechanism, 0.3, dt)
    assert gaps(run)[-1, 0] < 1e-6
    # Unstable on its edge: rounding grows by exp(t sqrt(g / l)), less than 30.
    assert np.abs(run.position[:, 0, :2]).max() < 1e-9
    assert np.abs(run.angular_velocity).max() < 1e-7


def test_a_flat_impact_does_not_turn_a_box():
    run = simulate(gallery.box_drop(restitution=0.6), 1.0, 0.005)
    assert np.abs(run.angular_velocity).max() < 1e-9
    assert np.abs(run.position[:, 0, :2]).max() < 1e-9
    assert run.position[run.time > 0.4, 0, 2].max() > 0.3


@pytest.mark.parametrize("mass", [1e-3, 1.0, 1e5])
def test_the_motion_does_not_depend_on_the_unit_of_mass(mass):
    def run_of(m):
        return simulate(random_toss(np.random.default_rng(3), mass=m), 1.0, 0.01)

    # The same equations, scaled; rounding grows through the impacts.
    assert np.abs(run_of(mass).position - run_of(2.0).position).max() < 1e-9


def test_a_light_body_with_large_inertia_and_a_heavy_one_with_small_inertia_land():
    for mass, inertia in ((0.01, 10.0), (100.0, 1.0)):
        mechanism = sarrus.Mechanism()
        mechanism.add_body(
            "box", mass, inertia * np.ones(3), position=(0, 0, 0.6), orientation=turn(Y, 0.3),
            shapes=[sarrus.Box((0.4, 0.5, 0.6))],
        )  # fmt: skip
        mechanism.add_ground(0.6)
        run = simulate(mechanism, 1.0, 0.01)
        assert gaps(run).min() > 0.0
        energy = run.energy().total
        assert energy.max() <= energy[0] * (1 + 1e-6)


@pytest.mark.parametrize("parts", [1, 2, 4])
def test_a_loop_that_strikes_with_many_points_rebounds(parts):
    """Five bars fall flat on the ground, restitution 0.3: at some impact no rebound by Newton's law was
    found, at any step, and the run stopped."""
    _, mechanism, dt = random_scene(880204)
    run = simulate(mechanism, 1.0, dt / parts)
    energy = run.energy().total
    assert run.gap().min() > 0.0
    assert energy.max() <= energy[0] * (1 + 1e-6)
    assert run.violation().max() < 1e-9
    # It bounced: after the first impact its centre of mass rises again.
    assert run.momentum().linear[:, 2].max() > 0.1
