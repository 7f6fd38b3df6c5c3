"""Row vectors of every constraint against central differences of its residual."""

import numpy as np
import pytest
from tests.physics.scenes import X, Y, Z, add_random_body, random_axes, random_unit, turn

import sarrus
from sarrus.mechanism.joints import JOINT_KINDS

STEP = 1e-5
# Central differences err by STEP^2 times third derivatives of order 1 and by 1e-16 / STEP.
DIFFERENCES = 1e-9
# A row that the engine itself finds by differences, of steps of 6e-6, has the same errors.
BOTH_DIFFERENCES = 1e-8


def at_node(model, state):
    """The constraints linearised at `state`."""
    from sarrus.model.assembly import kernel_state
    from sarrus.model.linear import Linearisation

    return Linearisation(model.every, kernel_state(model, state))


def differences(model, state):
    """Derivative (rows, 6 nb) of all residuals by world translations and rotations of the bodies."""
    size = 6 * len(model.body_names)
    columns = []
    for unit in np.eye(size):
        sides = []
        for sign in (1.0, -1.0):
            moved = at_node(model, state)
            moved.move(sign * STEP * unit)
            sides.append(moved.residual.copy())
        columns.append((sides[0] - sides[1]) / (2 * STEP))
    return np.array(columns).T


def assert_rows_are_derivatives(mechanism, within=DIFFERENCES, rows=slice(None), steps=30):
    """Somewhere on the way of the mechanism, not only at its start."""
    model = sarrus.build(mechanism)
    state = sarrus.simulate(model, duration=0.01 * steps, dt=0.01).final_state
    rows = np.arange(model.rows)[rows]
    assert len(rows) > 0
    matrix = at_node(model, state).matrix.toarray()
    assert np.abs(matrix).max(axis=1)[rows].min() > 0.1
    assert np.abs(matrix - differences(model, state))[rows].max() < within
    return model


def two_bodies(seed):
    rng = np.random.default_rng(seed)
    mechanism = sarrus.Mechanism()
    for name in "ab":
        add_random_body(mechanism, name, rng)
    return mechanism, rng


@pytest.mark.parametrize("kind", [kind for kind in JOINT_KINDS if kind != "free"])
def test_rows_of_a_joint_are_derivatives_of_its_residual_and_as_many_as_it_takes_freedoms(kind):
    mechanism, rng = two_bodies(40 + len(kind))
    mechanism.add_joint("joint", kind, "b", "a", at=rng.normal(size=3), **random_axes(kind, rng))
    model = assert_rows_are_derivatives(mechanism)
    assert model.rows == 6 - model.coordinates
    assert model.dof == 12 - model.rows


def test_rows_of_a_wire_between_two_bodies_are_derivatives():
    mechanism, rng = two_bodies(1)
    mechanism.add_distance("wire", "a", "b", at_a=rng.normal(size=3), at_b=rng.normal(size=3))
    assert assert_rows_are_derivatives(mechanism).dof == 11


@pytest.mark.parametrize("ratio", [2.0, -0.7])
def test_rows_of_a_gear_between_joints_that_share_a_body_are_derivatives(ratio):
    mechanism, rng = two_bodies(2)
    mechanism.add_joint(
        "first", "screw", "world", "a", at=rng.normal(size=3), axis=random_unit(rng), pitch=0.2
    )
    axes = random_axes("cylindrical", rng)
    mechanism.add_joint("second", "cylindrical", "b", "a", at=rng.normal(size=3), **axes)
    mechanism.add_gear("gear", "first", "second", ratio=ratio, component_b=1)
    assert assert_rows_are_derivatives(mechanism).dof == 2


def test_rows_of_a_gear_on_a_component_of_a_rotation_vector_are_derivatives():
    mechanism, rng = two_bodies(3)
    mechanism.add_joint("ball", "spherical", "world", "a", at=rng.normal(size=3))
    mechanism.add_joint("hinge", "revolute", "a", "b", at=rng.normal(size=3), axis=random_unit(rng))
    mechanism.add_gear("gear", "ball", "hinge", ratio=0.5, component_a=2)
    assert assert_rows_are_derivatives(mechanism).dof == 3


def test_rows_of_a_point_on_a_curve_of_a_moving_body_are_derivatives():
    mechanism, rng = two_bodies(4)
    start = rng.normal(size=3)

    def helix(s):
        return start + np.array([np.cos(3 * s) - 1, np.sin(3 * s), 2 * s])

    mechanism.add_point_on_curve("bead", "a", "b", at=start, curve=helix)
    assert assert_rows_are_derivatives(mechanism).dof == 10


def keep_level(x, q, p, out):
    """Two bodies at equal heights, and the tip of the first body's x axis at height p[0] above its centre."""
    out[0] = x[0, 2] - x[1, 2]
    out[1] = 2.0 * (q[0, 1] * q[0, 3] - q[0, 0] * q[0, 2]) - p[0]


def keep_level_slope(x, q, p, out):
    out[:] = 0.0
    out[0, 0, 2] = 1.0
    out[0, 1, 2] = -1.0
    # A world rotation w moves the axis a by w x a; its height by w1 a2 - w2 a1.
    w, i, j, k = q[0]
    out[1, 0, 3] = 2.0 * (i * j + w * k)
    out[1, 0, 4] = -(1.0 - 2.0 * (j * j + k * k))


@pytest.mark.parametrize("given", [True, False], ids=["derivative given", "derivative by differences"])
def test_rows_of_a_custom_constraint_are_derivatives(given):
    mechanism = sarrus.Mechanism()
    add_random_body(mechanism, "a", np.random.default_rng(5))
    a = mechanism.bodies["a"]
    mechanism.add_body(
        "b", 1.0, (0.1, 0.2, 0.25), position=a.position + [1.0, 0.5, 0.0], angular_velocity=(1, 2, 3)
    )
    w, x, y, z = a.orientation
    slope = keep_level_slope if given else None
    height = 2.0 * (x * z - w * y)
    mechanism.add_constraint("level", ("a", "b"), keep_level, rows=2, parameters=[height], jacobian=slope)
    within = DIFFERENCES if given else BOTH_DIFFERENCES
    assert assert_rows_are_derivatives(mechanism, within).dof == 10


@pytest.mark.parametrize("axis", [None, Y], ids=["sphere", "disc"])
def test_the_height_row_of_a_rolling_body_is_a_derivative(axis):
    mechanism = sarrus.Mechanism()
    lean = turn(X, 0.3)
    tilted = None if axis is None else np.array([0.0, np.cos(0.3), np.sin(0.3)])
    height = 0.5 if axis is None else 0.5 * np.cos(0.3)
    mechanism.add_body(
        "wheel",
        1.0,
        (0.1, 0.2, 0.1),
        position=(0, 0, height),
        orientation=lean,
        angular_velocity=(0.5, 3, 0.4),
    )
    mechanism.add_rolling("ground", "wheel", radius=0.5, axis=tilted)
    assert assert_rows_are_derivatives(mechanism, rows=slice(0, 1)).dof == 3


def test_rolling_rows_give_the_velocity_of_the_contact_point():
    mechanism = sarrus.Mechanism()
    mechanism.add_body("ball", 1.0, (0.1, 0.1, 0.1), position=(0, 0, 0.5), angular_velocity=(1, 2, 3))
    mechanism.add_rolling("ground", "ball", radius=0.5)
    model = sarrus.build(mechanism)
    rows = at_node(model, model.initial_state()).matrix.toarray()
    velocity, spin = np.array([0.2, -0.1, 0.4]), np.array([1.0, 2.0, 3.0])
    contact = velocity + np.cross(spin, -0.5 * Z)
    assert rows @ np.concatenate([velocity, spin]) == pytest.approx(contact[[2, 0, 1]], abs=1e-14)
