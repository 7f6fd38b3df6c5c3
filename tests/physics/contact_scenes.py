"""Bodies that touch, and what is read from their runs, for the tests of contact."""

from types import SimpleNamespace

import numpy as np
from tests.physics.scenes import turn
from tests.reference.rotation import matrix

import sarrus
from sarrus.integrators.maximal.variational.stages import (
    TOUCH_CONTACT,
    TOUCH_GAP,
    TOUCH_IMPULSE,
    TOUCH_POINT,
    TOUCH_STAGE,
    TOUCH_STEP,
    TOUCH_WORK,
)
from sarrus.mechanism.shapes import Box, Capsule, ConvexMesh, Cylinder, Sphere

G = 9.81
X, Y, Z = np.eye(3)


def touches(mechanism, duration, dt, state=None):
    """Records of all contacts of a run, by column, and its stats (steps, 6)."""
    model = sarrus.build(mechanism)
    stepper = sarrus.Variational().stepper(model, state or model.initial_state(), dt)
    chunk = stepper.advance(round(duration / dt), None, 1)
    assert chunk.failure is None, chunk.failure
    t = chunk.touches
    return SimpleNamespace(
        step=t[:, TOUCH_STEP].astype(int),
        stage=t[:, TOUCH_STAGE].astype(int),
        contact=t[:, TOUCH_CONTACT].astype(int),
        point=t[:, TOUCH_POINT : TOUCH_POINT + 3],
        impulse=t[:, TOUCH_IMPULSE : TOUCH_IMPULSE + 3],
        work=t[:, TOUCH_WORK],
        gap=t[:, TOUCH_GAP],
        stats=chunk.stats,
        steps=chunk.steps,
    )


def work_per_step(records):
    """Work [J] of all contact impulses in each step, both stages."""
    return np.bincount(records.step, records.work, records.steps)


def lowest(shape, turned, normal):
    """Support of a shape along -normal: the lowest value of normal.(point - origin of the body)."""
    axes = turned @ matrix(shape.orientation)
    along = axes.T @ normal
    centre = normal @ turned @ shape.at
    if isinstance(shape, Sphere):
        return centre - shape.radius
    if isinstance(shape, Capsule):
        return centre - shape.radius - 0.5 * shape.length * abs(along[2])
    if isinstance(shape, Cylinder):
        return centre - 0.5 * shape.length * abs(along[2]) - shape.radius * np.hypot(along[0], along[1])
    if isinstance(shape, Box):
        return centre - 0.5 * np.abs(along) @ shape.size
    assert isinstance(shape, ConvexMesh)
    return centre + (shape.points @ along).min()


def gaps(run, normal=Z, at=(0.0, 0.0, 0.0)):
    """True gap (nodes, shapes) of every shape over a half-space, by its support function."""
    bodies = run.model.mechanism.bodies.values()
    found = []
    for b, body in enumerate(bodies):
        turned = matrix(run.orientation[:, b])
        height = (run.position[:, b] - at) @ normal
        for shape in body.shapes:
            low = [lowest(shape, R, np.asarray(normal, float)) for R in turned]
            found.append(height + low)
    return np.array(found).T


def brick(size=(0.4, 0.4, 0.1), mass=1.0, **body):
    """A mechanism with one box; `ground` and all else is up to the caller."""
    mechanism = sarrus.Mechanism()
    mechanism.add_body("box", mass, shapes=[Box(size)], **body)
    return mechanism


def ball(radius=0.1, mass=1.0, inertia=None, **body):
    """A mechanism with one ball, by default of uniform density."""
    mechanism = sarrus.Mechanism()
    inertia = 0.4 * mass * radius**2 * np.ones(3) if inertia is None else inertia
    mechanism.add_body("ball", mass, inertia, shapes=[Sphere(radius)], **body)
    return mechanism


def random_toss(rng, mass=1.0, friction=0.5, size=(0.5, 0.5, 0.5), restitution=0.0, spin=4.0):
    """A box of a random pose and motion whose lowest corner is 0.1 m above the ground."""
    q = rng.normal(size=4)
    q /= np.linalg.norm(q)
    low = lowest(Box(size), matrix(q), Z)
    mechanism = brick(
        size, mass, position=(0, 0, 0.1 - low), orientation=q, velocity=rng.normal(size=3),
        angular_velocity=spin * rng.normal(size=3),
    )  # fmt: skip
    mechanism.add_ground(friction, restitution)
    return mechanism


def lean(axis, angle):
    """(quaternion, rotation matrix) of a rotation by `angle` about `axis`."""
    q = turn(axis, angle)
    return q, matrix(q)
