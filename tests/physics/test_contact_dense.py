"""Steps with contacts, limits, dry friction and ropes against the dense reference."""

import numpy as np
import pytest
from tests.physics.contact_scenes import X, Y, Z, brick
from tests.physics.scenes import SHARP, random_turn, turn
from tests.reference.contact import Contact, DenseContact
from tests.reference.rotation import conjugate, matrix, multiply, rotate

import sarrus
from sarrus.mechanism.shapes import Box, Sphere

# Both solve the same equations; what is left is where between 1 and 3 times the final barrier an interior
# point stops, a part of the resting gap of 2e-9 m and of the creep of sticking contacts.
SAME = 2e-8
# Velocities: the same over dt = 0.01.  A barely closed contact moves by the barrier over its small force.
SAME_RATE, SAME_SPIN = 1e-4, 1e-3


def compare(mechanism, contacts=(), limits=(), drags=(), steps=12, dt=0.01, inputs=None):
    """Runs both and compares every node."""
    model = sarrus.build(mechanism)
    # In one piece: the reference does not divide steps where something bounces.
    method = sarrus.Variational(tolerance=SHARP, max_substeps=1)
    run = sarrus.simulate(model, duration=steps * dt, dt=dt, method=method, inputs=inputs)
    dense = DenseContact(mechanism, dt, contacts, limits, drags, inputs)
    forces = 0.0
    for k in range(1, steps + 1):
        first, second = dense.step()
        forces = max(forces, np.abs(first).max(), np.abs(second).max())
        here = dense.read_out()
        assert np.abs(run.position[k] - here["position"]).max() < SAME, k
        same_side = np.sign((run.orientation[k] * here["orientation"]).sum(-1, keepdims=True))
        assert np.abs(same_side * run.orientation[k] - here["orientation"]).max() < SAME, k
        assert np.abs(run.velocity[k] - here["velocity"]).max() < SAME_RATE, k
        assert np.abs(run.angular_velocity[k] - here["angular_velocity"]).max() < SAME_SPIN, k
        take_over(dense, run, k)
    # Something must have happened.
    assert forces > 1.0
    return run


def take_over(dense, run, k):
    """Node k of a run as the node of the reference: every step is compared on its own."""
    q = run.orientation[k]
    dense.x[:-1], dense.r[:-1] = run.position[k], multiply(q, conjugate(dense.orientations))
    u = np.column_stack([run.velocity[k], rotate(q, run.angular_velocity[k])]).ravel()
    dense.p = dense.mass_matrix(dense.z) @ u


def on_plane(body, points, mu, e=0.0, radius=0.0, normal=Z, at=(0, 0, 0)):
    return [Contact("plane", "world", body, at, p, np.asarray(normal), radius, mu=mu, e=e) for p in points]


def corners(size):
    return 0.5 * np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]) * size


@pytest.mark.parametrize(("mu", "e"), [(0.5, 0.0), (0.0, 0.0), (1.2, 0.0), (0.3, 0.6)])
def test_a_box_that_lands_on_its_corner(mu, e):
    rng = np.random.default_rng(3)
    q, size = random_turn(rng), np.array([0.3, 0.4, 0.5])
    arms = corners(size) @ matrix(q).T
    mechanism = brick(
        size, 2.0, position=(0, 0, 0.02 - arms[:, 2].min()), orientation=q, velocity=(0.7, -0.4, -1.0),
        angular_velocity=(2.0, -3.0, 1.0),
    )  # fmt: skip
    mechanism.add_ground(mu, e)
    points = mechanism.bodies["box"].position + arms
    # Then it lies flat, and how four corners share its weight is not determined.
    compare(mechanism, on_plane("box", points, mu, e), steps=8)


def test_a_box_at_rest_on_a_slope_below_its_friction_angle():
    q = turn(Y, 0.35)
    R, size = matrix(q), np.array([0.4, 0.4, 0.1])
    mechanism = brick(size, position=R @ [0, 0, 0.05 + 1e-6], orientation=q)
    mechanism.add_ground(0.5, normal=R @ Z)
    points = mechanism.bodies["box"].position + corners(size) @ R.T
    compare(mechanism, on_plane("box", points, 0.5, normal=R @ Z))


def test_a_jointed_pair_of_a_ball_and_a_box_on_the_ground():
    mechanism = sarrus.Mechanism()
    q = turn(X, 0.3)
    size = np.array([0.2, 0.3, 0.2])
    mechanism.add_body(
        "box", 1.0, position=(0, 0, 0.19), orientation=q, shapes=[Box(size)], velocity=(1, 0.5, 0)
    )
    mechanism.add_body(
        "ball", 0.5, (2e-3, 2e-3, 2e-3), position=(0.4, 0, 0.12), shapes=[Sphere(0.1)], velocity=(1, 0.5, 0),
        angular_velocity=(0, 0, 2.0),
    )  # fmt: skip
    mechanism.add_joint("link", "universal", "box", "ball", at=(0.2, 0, 0.15), axis=X, axis2=Y)
    mechanism.add_ground(0.4)
    points = mechanism.bodies["box"].position + corners(size) @ matrix(q).T
    contacts = on_plane("box", points, 0.4) + on_plane("ball", [(0.4, 0, 0.12)], 0.4, radius=0.1)
    compare(mechanism, contacts, steps=15)


def swing(angle=1.2, rate=0.0, **joint):
    mechanism = sarrus.Mechanism()
    d = np.array([0, np.sin(angle), -np.cos(angle)])
    mechanism.add_body(
        "rod", 1.0, (1 / 12, 1 / 12, 1e-3), position=d / 2, orientation=turn(X, angle),
        angular_velocity=(rate, 0, 0), velocity=np.cross([rate, 0, 0], d / 2),
    )  # fmt: skip
    mechanism.add_joint("hinge", "revolute", "world", "rod", at=(0, 0, 0), axis=X, **joint)
    return mechanism


@pytest.mark.parametrize("armature", [0.0, 0.3])
def test_a_pendulum_that_meets_a_stop_and_has_dry_friction(armature):
    mechanism = swing(1.2, -3.0, armature=armature)
    mechanism.add_limit("stop", "hinge", lower=-0.2)
    mechanism.add_joint_friction("hinge", 0.8)
    compare(mechanism, limits=[(0, 1.0, -0.2)], drags=[(0, 0.8)])


def test_a_rope_that_goes_taut():
    mechanism = sarrus.Mechanism()
    mechanism.add_body("stone", 1.5, (0.1, 0.2, 0.15), position=(0.3, 0, -0.1), velocity=(2, 1, -2))
    mechanism.add_rope("rope", "world", "stone", at_a=(0, 0, 0), at_b=(0.4, 0, -0.1), length=0.5)
    compare(mechanism, [Contact("rope", "world", "stone", (0, 0, 0), np.array([0.4, 0, -0.1]), r=0.5)])


def test_limits_of_a_spherical_joint():
    mechanism = sarrus.Mechanism()
    mechanism.add_body(
        "rod", 1.0, (0.1, 0.1, 0.05), position=(0.5, 0, 0), velocity=(0, 1, 0), angular_velocity=(0.5, 0, 2)
    )
    mechanism.add_joint("ball", "spherical", "world", "rod", at=(0, 0, 0))
    mechanism.add_limit("stop", "ball", upper=(np.inf, 0.15, 0.1))
    compare(mechanism, limits=[(1, -1.0, 0.15), (2, -1.0, 0.1)])


def test_a_closed_loop_with_a_foot_on_the_ground_a_limit_on_the_joint_that_closes_it_and_dry_friction():
    mechanism = sarrus.Mechanism()
    corners_of_loop = np.array([[0, 0, 0.6], [0, 0.3, 0.9], [0, 0.6, 0.6], [0, 0.3, 0.3]])
    names = ["left top", "right top", "right low", "left low"]
    for k, name in enumerate(names):
        a, b = corners_of_loop[k], corners_of_loop[(k + 1) % 4]
        shapes = [Sphere(0.02)] if k in (2, 3) else []
        middle = 0.5 * (a + b)
        mechanism.add_body(
            name, 0.5, (5e-3, 5e-3, 5e-3), position=middle, velocity=(0, 0, -1.0),
            shapes=[Sphere(0.05, at=corners_of_loop[3] - middle)] if k == 2 else shapes[:0],
        )  # fmt: skip
    for k in range(4):
        mechanism.add_joint(f"hinge {k}", "revolute", names[k - 1], names[k], at=corners_of_loop[k], axis=X)
    mechanism.add_ground(0.6, at=(0, 0, 0.245))
    mechanism.add_limit("stop", "hinge 0", lower=-0.02, upper=0.02)
    mechanism.add_limit("stop 2", "hinge 3", lower=-0.01)
    mechanism.add_joint_friction("hinge 1", 0.3)
    foot = on_plane("right low", [corners_of_loop[3]], 0.6, radius=0.05, at=(0, 0, 0.245))
    limits = [(0, 1.0, -0.02), (0, -1.0, 0.02), (3, 1.0, -0.01)]
    compare(mechanism, foot, limits, drags=[(1, 0.3)], steps=8)


def test_two_balls_that_meet_each_other_and_the_ground():
    mechanism = sarrus.Mechanism()
    places = {"a": np.array([0, 0, 0.1 + 1e-9]), "b": np.array([0.24, 0.1, 0.17])}
    for name, velocity in (("a", (1.5, 0, 0)), ("b", (-0.5, -0.3, -0.5))):
        mechanism.add_body(
            name, 1.0, (4e-3, 4e-3, 4e-3), position=places[name], velocity=velocity, shapes=[Sphere(0.1)]
        )
    mechanism.add_ground(0.4)
    mechanism.add_contact("a", "b", 0.6)
    contacts = [c for name, at in places.items() for c in on_plane(name, [at], 0.4, radius=0.1)]
    contacts.append(Contact("points", "a", "b", places["a"], places["b"], r=0.2, rb=0.1, mu=0.6))
    compare(mechanism, contacts)


def test_a_rope_between_two_bodies():
    mechanism = sarrus.Mechanism()
    mechanism.add_body("a", 1.0, (0.1, 0.2, 0.15), position=(0, 0, 0), velocity=(-1, 0, 1))
    mechanism.add_body("b", 0.5, (0.1, 0.1, 0.15), position=(0.5, 0, 0), velocity=(2, 1, 0))
    ends = np.array([[0.1, 0.1, 0]]), np.array([[0.4, 0, 0.1]])
    mechanism.add_rope("rope", "a", "b", at_a=ends[0][0], at_b=ends[1][0], length=0.4)
    compare(mechanism, [Contact("rope", "a", "b", ends[0][0], ends[1][0], r=0.4)])


def test_the_reference_itself_stops_a_sliding_point():
    # A point mass on a plane: constant deceleration until rest.
    mechanism = sarrus.Mechanism()
    mechanism.add_body("point", 1.0, (1, 1, 1), velocity=(0.3, 0.4, 0))
    dense = DenseContact(mechanism, 0.01, on_plane("point", [(0, 0, 0)], 0.5, at=(0, 0, -1e-9)))
    for _ in range(5):
        dense.step()
    speed = np.linalg.norm(dense.read_out()["velocity"])
    assert speed == pytest.approx(0.5 - 0.05 * 0.5 * 9.81, abs=1e-4)
