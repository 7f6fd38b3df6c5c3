"""Every shape on half-spaces of any pose: tosses, discs that wobble and roll, grooves and corners."""

import numpy as np
import pytest
from tests.physics.contact_scenes import (
    G,
    X,
    Z,
    ball,
    brick,
    gaps,
    lean,
    random_toss,
    touches,
    work_per_step,
)
from tests.physics.scenes import random_turn, turn
from tests.reference.rotation import matrix, multiply

import sarrus
from sarrus.mechanism.shapes import Box, Capsule, ConvexMesh, Cylinder, Sphere
from sarrus.model.gaps import line_gaps

POINTS = np.random.default_rng(0).normal(size=(20, 3)) * 0.2
SHAPES = {
    "capsule": Capsule(0.1, 0.4),
    "rod": Cylinder(0.1, 0.4),
    "disc": Cylinder(0.2, 0.05),
    "mesh": ConvexMesh(POINTS),
    "two shapes": (Box((0.2, 0.2, 0.2), at=(0.1, 0, 0)), Sphere(0.15, at=(-0.2, 0, 0))),
}
# Of the energy: work of contact impulses with restitution 0 is not positive.
NO_WORK = 1e-9


def simulate(mechanism, duration, dt, **options):
    return sarrus.simulate(sarrus.build(mechanism), duration=duration, dt=dt, **options)


def toss(shapes, seed, friction=0.5):
    rng = np.random.default_rng(seed)
    shapes = shapes if isinstance(shapes, tuple) else (shapes,)
    mechanism = sarrus.Mechanism()
    mechanism.add_body(
        "thing", 1.0, (0.01, 0.02, 0.015), position=(0, 0, 0.9), orientation=random_turn(rng),
        velocity=rng.normal(size=3), angular_velocity=4 * rng.normal(size=3), shapes=shapes,
    )  # fmt: skip
    mechanism.add_ground(friction)
    return mechanism


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("dt", [0.02, 0.01, 0.002])
@pytest.mark.parametrize("seed", range(2))
def test_a_tossed_shape_stays_above_the_ground_and_loses_energy(name, dt, seed):
    mechanism = toss(SHAPES[name], seed)
    run, records = simulate(mechanism, 2.0, dt), touches(mechanism, 2.0, dt)
    energy = run.energy().total
    assert gaps(run).min() > 0.0
    assert gaps(run)[-1].min() < 1e-3
    assert work_per_step(records).max() <= NO_WORK * energy[0]
    assert energy.max() <= energy[0] * (1 + 1e-6)
    # A disc that falls flat at a long step is solved again for points that its rim reaches: 7.5 at dt 0.02,
    # most of it in the last wobbles, which such a step does not resolve.
    assert run.stats.iterations.mean() <= (8.0 if name == "disc" else 6.0)


def test_a_cylinder_stands_lies_and_rolls():
    for orientation, height in ((turn(X, 0.0), 0.2), (turn(X, np.pi / 2), 0.1)):
        mechanism = sarrus.Mechanism()
        mechanism.add_body(
            "can", 1.0, position=(0, 0, height + 0.05), orientation=orientation, shapes=[Cylinder(0.1, 0.4)]
        )
        mechanism.add_ground(0.5)
        run = simulate(mechanism, 1.0, 0.01)
        assert run.position[-1, 0] == pytest.approx([0, 0, height], abs=1e-6)
        assert np.abs(run.angular_velocity[-1]).max() < 1e-5
    mechanism = sarrus.Mechanism()
    mechanism.add_body(
        "can", 1.0, position=(0, 0, 0.1 + 1e-9), orientation=turn(X, np.pi / 2), shapes=[Cylinder(0.1, 0.4)],
        velocity=(1.5, 0, 0),
    )  # fmt: skip
    mechanism.add_ground(0.4)
    run = simulate(mechanism, 1.0, 0.01)
    # A uniform cylinder keeps two thirds of its speed when it begins to roll.
    assert run.velocity[-1, 0] == pytest.approx([1.0, 0, 0], abs=1e-6)
    assert gaps(run).min() > 0.0


def coin(tilt, w, contact):
    """A disc of radius 0.2 m that leans about x by `tilt` and rolls with the world angular velocity w, by
    friction or by the rolling constraint."""
    r, q = 0.2, turn(X, tilt - np.pi / 2)
    axis = matrix(q)[:, 2]
    down = axis * axis[2] - Z
    arm = r * down / np.linalg.norm(down)
    mechanism = sarrus.Mechanism()
    mechanism.add_body(
        "coin", 1.0, (0.01, 0.01, 0.02), position=-arm + 1e-9 * Z, orientation=q,
        velocity=-np.cross(w, arm), angular_velocity=matrix(q).T @ w, shapes=[Cylinder(r, 1e-9)],
    )  # fmt: skip
    if contact:
        mechanism.add_ground(2.0)
    else:
        mechanism.add_rolling("ground", "coin", radius=r, axis=axis)
    return mechanism


@pytest.mark.parametrize("tilt", [0.0, 0.2, 0.5])
def test_a_coin_that_rolls_by_friction_moves_as_the_rolling_constraint_says(tilt):
    w = np.array([0.3, 6.0, 1.0])

    def apart(dt):
        a, b = (simulate(coin(tilt, w, contact), 0.5, dt) for contact in (True, False))
        assert gaps(a).min() > 0.0
        return np.abs(a.position[-1] - b.position[-1] - 1e-9 * Z).max()

    # The slip of a round contact is that of the first node of a step: first order in dt.
    coarse, fine = apart(0.005), apart(0.0025)
    assert coarse < 0.02
    assert fine < 0.7 * coarse


def test_a_tilted_ground_is_a_tilted_gravity():
    q, R = lean(np.array([0.6, 0.8, 0.0]), 0.35)
    flat = random_toss(np.random.default_rng(5))
    box = flat.bodies["box"]
    tilted = sarrus.Mechanism(gravity=R @ [0, 0, -G])
    tilted.add_body(
        "box", 1.0, position=R @ box.position + [1, 2, 3], orientation=multiply(q, box.orientation),
        velocity=R @ box.velocity, angular_velocity=box.angular_velocity, shapes=box.shapes,
    )  # fmt: skip
    tilted.add_ground(0.5, normal=R @ Z, at=(1, 2, 3))
    a, b = simulate(flat, 1.0, 0.01), simulate(tilted, 1.0, 0.01)
    # Through several impacts, which amplify rounding and where the barrier stops.
    assert np.abs(a.position @ R.T + [1, 2, 3] - b.position).max() < 1e-7
    assert gaps(b, R @ Z, (1, 2, 3)).min() > 0.0


@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_a_ball_comes_to_rest_in_a_groove(friction):
    mechanism = ball(position=(0.05, 0, 0.5))
    normals = np.array([[0.6, 0, 0.8], [-0.6, 0, 0.8]])
    for k, n in enumerate(normals):
        mechanism.add_ground(friction, normal=n, name=f"side {k}")
    run = simulate(mechanism, 3.0, 0.01)
    for n in normals:
        assert gaps(run, n).min() > 0.0
    if friction > 0.0:
        # It touches both sides: the centre is 0.1 / 0.8 above the bottom.
        assert run.position[-1, 0] == pytest.approx([0, 0, 0.125], abs=1e-6)
        assert np.abs(run.velocity[-1]).max() < 1e-5
    energy = run.energy().total
    assert energy.max() <= energy[0] * (1 + 1e-9)


def test_a_box_thrown_into_a_corner_stays_in_it():
    mechanism = brick(
        (0.2, 0.3, 0.4), position=(0.5, 0.5, 0.6), velocity=(-2, -1, 0), angular_velocity=(3, 1, 2)
    )
    for k, n in enumerate(np.eye(3)):
        mechanism.add_ground(0.2, normal=n, name=f"wall {k}")
    run = simulate(mechanism, 2.0, 0.01)
    for n in np.eye(3):
        assert gaps(run, n).min() > 0.0
    assert np.abs(run.velocity[-1]).max() < 1e-4


def test_a_ball_between_two_walls_closer_than_it_can_roll_wedges():
    # Walls that open upwards by 10 degrees each: friction 0.5 holds it against gravity.
    angle = np.radians(10)
    mechanism = ball(position=(0, 0, 1.0))
    for k, side in enumerate((1, -1)):
        mechanism.add_ground(0.5, normal=(side * np.cos(angle), 0, np.sin(angle)), name=f"wall {k}")
    run = simulate(mechanism, 1.0, 0.005)
    depth = 0.1 / np.sin(angle)
    assert run.position[-1, 0, 2] == pytest.approx(depth, abs=1e-5)
    assert np.abs(run.velocity[-1]).max() < 1e-4


def test_exclusions_let_a_body_fall_through():
    mechanism = ball(position=(0, 0, 0.3))
    mechanism.add_ground(0.5)
    mechanism.exclude("ball", "ground")
    run = simulate(mechanism, 1.0, 0.01)
    assert run.position[-1, 0, 2] == pytest.approx(0.3 - 0.5 * G, abs=1e-9)


@pytest.mark.parametrize("tilt", [1e-8, 1e-10, 1e-12, 0.0])
def test_the_gap_of_a_cylinder_that_all_but_stands_is_right(tilt):
    rng = np.random.default_rng(1)
    q, radius, length, gap = random_turn(rng), 0.1, 0.14, 1e-7
    mechanism = sarrus.Mechanism()
    mechanism.add_body(
        "can", 1.0, (0.01, 0.01, 0.01), position=(0, 0, 1), shapes=[Cylinder(radius, length, orientation=q)]
    )
    mechanism.add_ground()
    model = sarrus.build(mechanism)
    rims = [not line.of_rim for line in model.contacts.fixed]
    for _ in range(50):
        a, yaw = rng.uniform(0, 2 * np.pi, 2)
        leans = np.array([1, 0.5 * tilt * np.cos(a), 0.5 * tilt * np.sin(a), 0])
        upright = multiply(leans, multiply(turn(Z, yaw), q * [1, -1, -1, -1]))
        found = line_gaps(model, np.array([[[0, 0, 0.5 * length + gap]]]), upright[None, None])[0, rims]
        # A tilt of 1e-12 is not told from none.
        assert found.min() == pytest.approx(gap - radius * tilt, abs=2e-13)
