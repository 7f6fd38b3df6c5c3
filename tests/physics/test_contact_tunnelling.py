"""Fast bodies and thin ones: nothing passes through anything, whatever throws it there within a step."""

import numpy as np
import pytest
from tests.physics.scenes import turn

import sarrus
from sarrus.mechanism.shapes import Box, Capsule, ConvexMesh, Cylinder, Sphere

# Overlap that two bodies may have at the end of a step [m].
DEEPEST = 1e-6
X, Y, Z = np.eye(3)


def simulate(mechanism, duration, dt):
    return sarrus.simulate(sarrus.build(mechanism), duration=duration, dt=dt)


def add_ball(mechanism, name, mass, radius, x, v=0.0):
    inertia = 0.4 * mass * radius**2 * np.ones(3)
    mechanism.add_body(name, mass, inertia, position=(x, 0, 0), velocity=(v, 0, 0), shapes=[Sphere(radius)])


def wall(x, thick):
    """A plate of 1 m whose near side is at x."""
    return Box((thick, 1.0, 1.0), at=(x + 0.5 * thick, 0, 0))


def light_ball_before_a_wall(phase, mass=0.05, restitution=0.0, thick=0.005):
    """A ball at 10 m/s hits a light one that stands 6 cm before a wall."""
    mechanism = sarrus.Mechanism(gravity=(0, 0, 0))
    add_ball(mechanism, "heavy", 1.0, 0.05, -0.5 - phase, 10.0)
    add_ball(mechanism, "light", mass, 0.05, 0.0)
    mechanism.add_obstacle("wall", wall(0.11, thick), 0.3)
    mechanism.add_contact("heavy", "light", 0.3, restitution)
    return mechanism


@pytest.mark.parametrize("dt", [0.01, 0.02])
@pytest.mark.parametrize("restitution", [0.0, 0.8])
@pytest.mark.parametrize("phase", [0.0, 0.02, 0.04, 0.07])
def test_a_light_ball_that_is_hit_does_not_pass_through_the_wall_behind_it(phase, restitution, dt):
    run = simulate(light_ball_before_a_wall(phase, restitution=restitution), 0.2, dt)
    assert run.gap().min() > -DEEPEST
    assert run.position[:, 1, 0].max() < 0.06 + DEEPEST
    assert np.all(run.position[:, 0, 0] < run.position[:, 1, 0])


def test_a_very_light_ball_is_not_thrown_over_to_the_other_side_of_a_thin_wall():
    # At 20 m/s it is 20 cm away after a step: it would end beyond the wall, apart from it.
    mechanism = light_ball_before_a_wall(0.03, mass=1e-3, restitution=1.0, thick=0.001)
    run = simulate(mechanism, 0.2, 0.01)
    assert run.position[:, 1, 0].max() < 0.06 + DEEPEST


@pytest.mark.parametrize("gap", [0.01, 0.05, 0.11])
@pytest.mark.parametrize("restitution", [0.0, 1.0])
def test_a_row_of_balls_keeps_its_order_when_the_first_is_shot_at_it(gap, restitution):
    mechanism, x = sarrus.Mechanism(gravity=(0, 0, 0)), 0.0
    for k, (mass, radius) in enumerate([(2.0, 0.05), (0.1, 0.02), (0.01, 0.01), (0.3, 0.03), (0.01, 0.01)]):
        x += radius
        add_ball(mechanism, f"ball {k}", mass, radius, x, 20.0 if k == 0 else 0.0)
        x += radius + gap
    mechanism.add_obstacle("wall", wall(x, 0.002), 0.0)
    mechanism.add_obstacle("back", wall(-0.302, 0.002), 0.0)
    mechanism.add_contact_group(friction=0.0, restitution=restitution)
    run = simulate(mechanism, 0.2, 0.01)
    assert np.all(np.diff(run.position[:, :, 0], axis=1) > 0.0)
    assert run.position[:, :, 0].max() < x
    assert run.position[:, :, 0].min() > -0.3
    assert run.gap().min() > -DEEPEST


THIN = [
    Box((0.004, 0.3, 0.3)),
    Capsule(0.004, 0.6),
    Box((0.004, 0.004, 0.6)),
    Cylinder(0.3, 0.004, orientation=turn(Y, np.pi / 2)),
    ConvexMesh(points=[(0, -0.4, -0.4), (0, 0.4, -0.4), (0.005, 0, 0.5), (-0.005, 0, 0.5)]),
]


@pytest.mark.parametrize("target", THIN, ids=["plate", "capsule", "bar", "disc", "blade"])
@pytest.mark.parametrize("shape", [Sphere(0.01), Box((0.02, 0.02, 0.02)), Capsule(0.005, 0.02)], ids=repr)
def test_a_small_body_thrown_by_another_does_not_pass_through_a_thin_one(shape, target):
    mechanism = sarrus.Mechanism(gravity=(0, 0, 0))
    mechanism.add_body(
        "hammer", 5.0, position=(-0.45, 0, 0), velocity=(30, 0, 0), shapes=[Box((0.2, 0.2, 0.2))]
    )
    mechanism.add_body("small", 0.01, position=(-0.2, 0, 0), shapes=[shape])
    mechanism.add_body("target", 1.0, inertia=(0.03, 0.03, 0.03), shapes=[target])
    mechanism.add_contact_group(friction=0.2)
    run = simulate(mechanism, 0.1, 0.01)
    assert run.gap().min() > -DEEPEST
    # Along the way of the hammer, the order stays.
    assert np.all(run.position[:, 0, 0] < run.position[:, 1, 0])
    assert np.all(run.position[:, 1, 0] < run.position[:, 2, 0])


@pytest.mark.parametrize("phase", [0.0, 0.1, 0.2])
def test_the_head_of_a_swung_arm_takes_along_what_lies_on_its_arc(phase):
    """The arm turns by 0.3 rad in a step; its head is smaller than the way it goes."""
    mechanism = sarrus.Mechanism(gravity=(0, 0, 0))
    mechanism.add_body(
        "arm", 10.0, (0.1, 2.0, 2.0), angular_velocity=(0, 0, 30.0),
        shapes=[Box((0.03, 0.03, 0.03), at=(0.6, 0, 0)), Sphere(0.02, at=(-0.6, 0, 0))],
    )  # fmt: skip
    mechanism.add_joint("pin", "revolute", "world", "arm", at=(0, 0, 0), axis=Z)
    angle = 0.5 + phase
    mechanism.add_body(
        "ball", 0.01, 0.4e-2 * 0.01**2 * np.ones(3), shapes=[Sphere(0.01)],
        position=(0.6 * np.cos(angle), 0.6 * np.sin(angle), 0),
    )  # fmt: skip
    mechanism.add_contact_group(friction=0.0)
    run = simulate(mechanism, 0.05, 0.01)
    assert run.gap().min() > -DEEPEST
    # Hit from behind, at the speed of the head, by its flat side.
    assert np.linalg.norm(run.velocity[-1, 1]) > 0.9 * 30.0 * 0.6


@pytest.mark.parametrize("seed", range(6))
def test_nothing_leaves_a_room_of_thin_walls(seed):
    rng = np.random.default_rng(seed)
    dt, thick = rng.choice([0.005, 0.01, 0.02]), 10.0 ** rng.uniform(-3.0, -2.0)
    mechanism = sarrus.Mechanism()
    for axis in range(3):
        for side in (-1, 1):
            size, at = np.full(3, 1.0 + 2 * thick), np.zeros(3)
            size[axis], at[axis] = thick, side * 0.5 * (1.0 + thick)
            mechanism.add_obstacle(f"wall {axis} {side}", Box(tuple(size), at=tuple(at)), 0.3)
    shapes = [Sphere(0.03), Box((0.1, 0.06, 0.01)), Capsule(0.01, 0.15), Cylinder(0.05, 0.02), Sphere(0.1)]
    for k, place in enumerate([(0, 0, 0), (0.3, 0, 0), (-0.3, 0.1, 0.1), (0, -0.3, 0.2), (0, 0.3, -0.3)]):
        mechanism.add_body(
            f"body {k}", 10.0 ** rng.uniform(-2, 1), inertia=1e-3 * np.ones(3), position=place,
            velocity=rng.normal(size=3) * 10.0 ** rng.uniform(0, 1.3),
            angular_velocity=rng.normal(size=3) * 0.1 / dt, shapes=[shapes[k]],
        )  # fmt: skip
    mechanism.add_contact_group(friction=0.3, restitution=float(rng.choice([0.0, 0.7])))
    run = simulate(mechanism, 50 * dt, dt)
    assert run.gap().min() > -DEEPEST
    assert np.abs(run.position).max() < 0.5


@pytest.mark.parametrize(
    ("speed", "radius", "thick", "dt"),
    [(150, 5e-4, 5e-4, 0.01), (1000, 0.01, 4e-3, 0.02), (300, 1e-3, 1e-3, 0.01)],
)
def test_shot_that_flies_thousands_of_its_thickness_in_a_step_hits_a_thin_plate(speed, radius, thick, dt):
    mechanism = sarrus.Mechanism(gravity=(0, 0, 0))
    mechanism.add_body(
        "shot",
        1e-3,
        position=(-0.2 * speed * dt, 0.02, 0.01),
        velocity=(speed, 0, 0),
        shapes=[sarrus.Sphere(radius)],
    )
    mechanism.add_body("plate", 1.0, shapes=[sarrus.Box((thick, 0.5, 0.5))])
    mechanism.add_contact("shot", "plate")
    run = sarrus.simulate(sarrus.build(mechanism), duration=4 * dt, dt=dt)
    assert run.body("plate").velocity[-1, 0] > 0.5 * 1e-3 * speed
