"""Bodies in general positions and ways to compare runs, for the tests of this folder."""

from itertools import pairwise

import numpy as np
from tests.reference.dense import Dense

import sarrus
from sarrus.layout import MEAN
from sarrus.mechanism.joints import JOINT_KINDS, Joint
from sarrus.model.description import Drives

X, Y, Z = np.eye(3)
# The dense reference solves to 1e-12; the engine is asked for the same where both are compared.
SHARP = 1e-12
# Twenty steps of two bodies amplify the last digits of two solvers at 1e-12 by less than this, velocities
# (divided by dt = 0.01) and energies included.
SAME = 1e-8


def turn(axis, angle):
    """Quaternion of a rotation by `angle` about the unit vector `axis`."""
    return np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * np.asarray(axis)])


def random_turn(rng):
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def random_unit(rng):
    u = rng.normal(size=3)
    return u / np.linalg.norm(u)


def add_random_body(mechanism, name, rng, speed=1.0):
    """A body of about 1 kg and 0.2 kg m^2 in a random place, moving."""
    spread = rng.normal(size=(3, 3))
    points = spread @ spread.T + 0.3 * np.eye(3)
    inertia = 0.1 * (np.trace(points) * np.eye(3) - points)
    mechanism.add_body(
        name,
        0.5 + rng.random(),
        inertia,
        position=rng.normal(size=3),
        orientation=random_turn(rng),
        velocity=0.5 * speed * rng.normal(size=3),
        angular_velocity=speed * rng.normal(size=3),
    )


def random_axes(kind, rng):
    """The axes and the pitch that a kind takes."""
    axis = random_unit(rng)
    second = np.cross(axis, random_unit(rng))
    given = {"axis": axis, "axis2": second / np.linalg.norm(second), "pitch": 0.3}
    return {name: given[name] for name in JOINT_KINDS[kind].takes}


def by_mean(model, dt):
    """Which coordinates of the dense reference (of joints, then lengths of springs) have springs by the mean
    rule in steps of dt."""
    drives = Drives(model.description, model.stiff_springs(dt))
    chosen = []
    for j, joint in enumerate(model.mechanism.joints.values()):
        if isinstance(joint, Joint):
            chosen += list(drives.by_mean[j, : len(JOINT_KINDS[joint.kind].coordinates)])
    return np.array([*chosen, *(rule == MEAN for rule in drives.rules)], bool)


def run_both(mechanism, steps=20, dt=0.01, inputs=None, **options):
    """(model, trajectory, dense run) of the same start."""
    model = sarrus.build(mechanism)
    # The reference does not divide steps.
    method = sarrus.Variational(tolerance=SHARP, balance=np.inf)
    run = sarrus.simulate(model, duration=steps * dt, dt=dt, method=method, inputs=inputs, **options)
    return model, run, Dense(mechanism, dt, inputs, by_mean(model, dt)).run(steps)


def assert_same(run, dense, within=SAME):
    """The trajectory is that of the dense reference: motion, energy, momentum, coordinates."""
    for name in ("position", "velocity", "angular_velocity"):
        assert np.abs(getattr(run, name) - getattr(dense, name)).max() < within, name
    same_side = np.sign((run.orientation * dense.orientation).sum(-1, keepdims=True))
    assert np.abs(same_side * run.orientation - dense.orientation).max() < within
    assert np.abs(run.energy().total - dense.energy).max() < 10 * within
    momentum = np.concatenate([run.momentum().linear, run.momentum().angular], axis=1)
    assert np.abs(momentum - dense.momentum).max() < within
    first = 0
    for name, joint in run.model.mechanism.joints.items():
        if hasattr(joint, "kind"):
            count = len(JOINT_KINDS[joint.kind].coordinates)
            if count:
                mine = run.joint_position(name).reshape(len(run), count)
                assert np.abs(mine - dense.coordinates[:, first : first + count]).max() < within, name
            first += count


def ratios(error, coarsest, halvings=1):
    """How many times smaller `error(dt)` becomes on each halving of dt."""
    errors = [error(coarsest / 2**k) for k in range(halvings + 1)]
    return [coarse / fine for coarse, fine in pairwise(errors)]


def rod_pendulum(angles, **joint):
    """Rods of tests/reference/planar.py at absolute `angles` from hanging, hinged in a row about x."""
    from tests.reference import planar

    mechanism, end, above = sarrus.Mechanism(gravity=(0, 0, -planar.GRAVITY)), np.zeros(3), "world"
    for k, angle in enumerate(angles):
        direction = np.array([0.0, np.sin(angle), -np.cos(angle)])
        mechanism.add_body(
            f"rod {k}",
            planar.MASS,
            (planar.INERTIA, planar.INERTIA, 0.02 / 12),
            position=end + direction / 2,
            orientation=turn(X, angle),
        )
        mechanism.add_joint(f"hinge {k}", "revolute", above, f"rod {k}", at=end, axis=X, **joint)
        end, above = end + direction, f"rod {k}"
    return mechanism
