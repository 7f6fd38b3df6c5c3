"""Closed loops that fold flat on the ground: singular and in contact at once."""

import numpy as np
import pytest
from tests.physics.scenes import X, turn
from tests.reference.rotation import matrix

import sarrus
from sarrus.mechanism.shapes import Box, Sphere

# Energy [J] that a step may gain, of the kinetic energy and of the weight times the natural length 9.81 dt^2:
# what the oscillation of the method and the barrier explain.
GAIN = 0.01
# Largest error of a row of any joint: the tolerance of the steps, with a margin.
VIOLATION = 1e-9


def rhombus_of_boxes(tilt, length=0.3, height=0.6):
    """A square of four bars, whose boxes are 85 % as long, in a plane turned by `tilt` about its normal."""
    R = matrix(turn(X, tilt))
    half = length / np.sqrt(2.0)
    corners = half * np.array([[0, 0, 1], [0, 1, 0], [0, 0, -1], [0, -1, 0]]) @ R.T
    corners[:, 2] += height - corners[:, 2].min()
    mechanism = sarrus.Mechanism()
    for k in range(4):
        a, b = corners[k], corners[(k + 1) % 4]
        angle = np.arctan2(b[2] - a[2], b[1] - a[1])
        mechanism.add_body(
            f"bar {k}", 0.3, position=0.5 * (a + b), orientation=turn(X, angle),
            shapes=[Box((0.03, 0.85 * length, 0.03))],
        )  # fmt: skip
    return with_hinges(mechanism, corners, 0.5)


def rhombus_with_feet():
    """A square of four bars with balls at their ends, above the ground on one corner."""
    mechanism = sarrus.Mechanism()
    corners = np.array([[0, 0, 0.9], [0, 0.3, 0.6], [0, 0, 0.3], [0, -0.3, 0.6]])
    for k in range(4):
        a, b = corners[k], corners[(k + 1) % 4]
        middle = 0.5 * (a + b)
        feet = [Sphere(0.03, at=end - middle) for end in (a, b)]
        mechanism.add_body(f"bar {k}", 1.0, inertia=(0.02, 0.02, 0.02), position=middle, shapes=feet)
    return with_hinges(mechanism, corners, 0.6)


def with_hinges(mechanism, corners, friction):
    for k in range(4):
        before, after = f"bar {(k - 1) % 4}", f"bar {k}"
        mechanism.add_joint(f"hinge {k}", "revolute", before, after, at=corners[k], axis=X)
    mechanism.add_ground(friction=friction)
    return mechanism


def assert_folds(mechanism, dt, duration):
    """The loop falls, folds and comes to rest; no step gains energy, no row and no gap is violated."""
    model = sarrus.build(mechanism)
    assert model.redundant_constraints == 3
    run = sarrus.simulate(model, duration=duration, dt=dt)
    energy = run.energy()
    weight = 9.81 * sum(body.mass for body in mechanism.bodies.values())
    slack = GAIN * energy.kinetic[:-1] + weight * 9.81 * dt * dt
    assert np.all(np.diff(energy.total) <= slack)
    assert run.gap().min() > 0.0
    assert run.violation().max() < VIOLATION
    assert energy.kinetic[-1] < 1e-6
    assert run.touches.stage.size > 0
    return run


@pytest.mark.parametrize("dt", [0.01, 0.005, 0.0025, 0.001])
def test_a_tilted_rhombus_folds_flat_on_the_ground_without_gaining_energy(dt):
    assert_folds(rhombus_of_boxes(0.9), dt, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize("tilt", [0.0, 0.3, 0.6, 0.75, 1.2])
@pytest.mark.parametrize("dt", [0.01, 0.007, 0.005, 0.003])
def test_a_rhombus_of_any_tilt_folds_flat_on_the_ground_without_gaining_energy(tilt, dt):
    assert_folds(rhombus_of_boxes(tilt), dt, 300 * dt)


@pytest.mark.parametrize("dt", [0.01, 0.005, 0.004, 0.0025, 0.002, 0.001])
def test_a_rhombus_on_its_foot_folds_flat_and_rests_in_its_singular_configuration(dt):
    """At dt 0.004 and 0.001 a node of the fall is singular; all of them rest in a singular one."""
    run = assert_folds(rhombus_with_feet(), dt, 1.0)
    assert np.abs(run.velocity[-1]).max() < 1e-6
