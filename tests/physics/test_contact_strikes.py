"""Impacts in one piece: their outcome has a limit as dt falls, and bounces keep their energy."""

import numpy as np
import pytest
from tests.physics.contact_scenes import X, Y, ball, gaps
from tests.physics.scenes import turn

import sarrus

LENGTH, TIP = 1.0, 0.02  # of a rod whose lower end is a ball [m]
ANGLE = np.radians(40)  # against the ground


def slanted_rod(mu, height):
    mechanism = sarrus.Mechanism(gravity=(0, 0, 0))
    mechanism.add_body(
        "rod", 1.0, (0.01, 1 / 12, 1 / 12), position=(0, 0, 0.5 * LENGTH * np.sin(ANGLE) + TIP + height),
        orientation=turn(Y, -ANGLE), velocity=(0.5, 0, -2.0),
        shapes=[sarrus.Sphere(TIP, at=(-0.5 * LENGTH, 0, 0))],
    )  # fmt: skip
    mechanism.add_ground(friction=mu)
    return mechanism


def plastic_impact(mu):
    """(vx, vz, w about -y) of the rod after the impact: Coulomb's law for the impulse, no rebound."""
    inverse = np.diag([1.0, 1.0, 12.0])
    normal = np.array([0.0, 1.0, -0.5 * LENGTH * np.cos(ANGLE)])
    along = np.array([1.0, 0.0, 0.5 * LENGTH * np.sin(ANGLE) + TIP])
    u = np.array([0.5, -2.0, 0.0])
    rows = np.array([normal, along])
    stuck = np.linalg.solve(rows @ inverse @ rows.T, -rows @ u)
    if abs(stuck[1]) <= mu * stuck[0]:
        return u + inverse @ rows.T @ stuck
    for side in (-1.0, 1.0):
        push = normal + side * mu * along
        after = u - inverse @ push * (normal @ u) / (normal @ inverse @ push)
        if side * (along @ after) <= 0.0:
            return after
    raise AssertionError("no outcome")


@pytest.mark.parametrize("mu", [0.1, 0.5])
def test_a_slanted_rod_leaves_the_ground_in_the_same_way_wherever_in_the_step_it_lands(mu):
    expected = plastic_impact(mu)
    for dt in (0.01, 0.001, 0.0001):
        for phase in np.linspace(0.05, 0.95, 7):
            model = sarrus.build(slanted_rod(mu, 2.0 * dt * phase))
            run = sarrus.simulate(model, duration=2 * dt, dt=dt)
            found = (*run.velocity[-1, 0, [0, 2]], -run.angular_velocity[-1, 0, 1])
            # The rod turns by up to 3.2 dt before the end of the step, and the lever arm with it.
            assert np.abs(np.subtract(found, expected)).max() < 5.0 * dt


def arm_above_the_ground(height, **options):
    """Two links without weight, one below the other, on the way down; the tip of the lower one lands."""
    mechanism = sarrus.Mechanism(gravity=(0, 0, 0))
    for k in range(2):
        mechanism.add_body(
            f"link {k}", 1.0, (0.1, 0.1, 0.01), position=(0.2 * (k - 0.5), 0, 0.9 - 0.4 * k + height),
            velocity=(0.3, 0, -2.0), shapes=[sarrus.Sphere(0.1, at=(0.1, 0, -0.4))] if k == 1 else [],
        )  # fmt: skip
    mechanism.add_joint("hinge", "revolute", "link 0", "link 1", at=(0, 0, 0.7 + height), axis=Y, **options)
    mechanism.add_ground(friction=0.4)
    return mechanism


@pytest.mark.parametrize("options", [{}, {"armature": 0.05}])
def test_what_an_impact_does_to_a_jointed_pair_has_a_limit(options):
    spread = []
    for dt in (4e-3, 1e-3, 2.5e-4):
        found = []
        for phase in (0.05, 0.4, 0.8):
            model = sarrus.build(arm_above_the_ground(2.0 * dt * phase, **options))
            run = sarrus.simulate(model, duration=2 * dt, dt=dt)
            found.append(np.concatenate([run.velocity[-1].ravel(), run.angular_velocity[-1].ravel()]))
            assert run.violation().max() < 1e-12
        spread.append(np.ptp(found, axis=0).max())
    assert spread[1] < 0.3 * spread[0]
    assert spread[2] < 0.3 * spread[1]


def test_reactions_and_contacts_explain_the_momentum_of_an_impact():
    dt, steps = 1e-3, 6
    model = sarrus.build(arm_above_the_ground(5.5e-3))  # it lands in the third step
    run = sarrus.simulate(model, duration=steps * dt, dt=dt, reactions=True)
    change = run.velocity[-1] - run.velocity[0]  # of 1 kg each
    # The first and the last node stand for half a step.
    share = np.full(steps + 1, dt)
    share[[0, -1]] *= 0.5
    hinge, ground = share @ run.reaction("hinge").force, share @ run.contact_force("link 1")
    assert np.abs(change).max() > 0.5
    # Wrenches at both ends of the run are extrapolated.
    assert change[0] == pytest.approx(-hinge, abs=1e-3)
    assert change[1] == pytest.approx(hinge + ground, abs=1e-3)


@pytest.mark.parametrize("height", [0.3, 0.5, 0.52, 1.0])
def test_a_ball_with_full_restitution_keeps_its_energy(height):
    mechanism = ball(position=(0, 0, 0.1 + height))
    mechanism.add_ground(0.5, 1.0)
    run = sarrus.simulate(sarrus.build(mechanism), duration=0.8, dt=0.01)
    energy = run.energy().total - run.energy().potential.min()
    assert gaps(run).min() > 0.0
    assert run.velocity[:, 0, 2].max() > 1.0
    assert energy[-1] <= energy[0] * (1 + 1e-9)
    assert energy[-1] == pytest.approx(energy[0], rel=1e-3)


def test_a_pendulum_with_full_restitution_keeps_its_energy():
    mechanism = sarrus.Mechanism()
    mechanism.add_body(
        "rod", 1.0, (1 / 12, 1 / 12, 1e-3), position=(0, 0.5, 0), orientation=turn(X, np.pi / 2),
        shapes=[sarrus.Sphere(0.1, at=(0, 0, -0.5))],
    )  # fmt: skip
    mechanism.add_joint("hinge", "revolute", "world", "rod", at=(0, 0, 0), axis=X)
    mechanism.add_ground(friction=0.0, restitution=1.0, normal=(0, 1, 0), at=(0, -0.1, 0))
    run = sarrus.simulate(sarrus.build(mechanism), duration=1.5, dt=0.005)
    energy = run.energy().total
    rate = run.joint_velocity("hinge")
    assert rate.max() > 3.0
    assert rate.min() < -3.0
    # The motion between takes 5e-4 of the kinetic energy back and forth.
    assert energy[-1] == pytest.approx(energy[0], abs=1e-3 * run.energy().kinetic.max())


def test_what_an_impact_does_not_reach_moves_as_without_it():
    def run_of(*names):
        mechanism = sarrus.Mechanism()
        mechanism.add_ground(friction=0.5)
        if "box" in names:
            shapes = [sarrus.Box((0.2, 0.2, 0.2))]
            mechanism.add_body("box", 1.0, position=(0, 0, 0.1 + 1e-6), velocity=(1, 0, 0), shapes=shapes)
        if "ball" in names:
            mechanism.add_body("ball", 1.0, position=(2, 0, 0.5), shapes=[sarrus.Sphere(0.1)])
        return sarrus.simulate(sarrus.build(mechanism), duration=0.5, dt=0.01)

    both, alone = run_of("box", "ball"), run_of("box")
    # Both are solved to 1e-10 m per step, together or alone.
    assert np.abs(both.position[:, 0] - alone.position[:, 0]).max() < 1e-8


@pytest.mark.parametrize("restitution", [0.0, 0.6])
def test_collisions_in_space_keep_all_momentum(restitution):
    mechanism = sarrus.Mechanism(gravity=(0, 0, 0))
    for k, x in enumerate((-0.4, 0.4)):
        mechanism.add_body(
            f"box {k}", 1.0 + k, position=(x, 0.05 * k, 0.1 * k), velocity=(-3.0 * np.sign(x), 0.5, 0.2),
            angular_velocity=(1.0, -2.0 * k, 3.0), shapes=[sarrus.Box((0.3, 0.2, 0.25))],
        )  # fmt: skip
    mechanism.add_contact("box 0", "box 1", friction=0.6, restitution=restitution)
    run = sarrus.simulate(sarrus.build(mechanism), duration=0.4, dt=0.01)
    momentum = run.momentum()
    assert np.abs(np.diff(run.velocity[:, 0], axis=0)).max() > 0.5
    # Rounding, of momenta about 3 over 40 steps.
    assert np.ptp(momentum.linear, axis=0).max() < 1e-13
    assert np.ptp(momentum.angular, axis=0).max() < 1e-13
