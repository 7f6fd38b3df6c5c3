"""The checker of derivatives that users write."""

import numpy as np
import pytest

import sarrus

# Central differences of smooth functions of size 1 with steps of 1e-5.
DIFFERENCES = 1e-8


def residual(x, q, p, out):
    d = x[1] - x[0]
    out[0] = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] - p[0]


def right(x, q, p, out):
    for i in range(3):
        out[0, 1, i] = 2.0 * (x[1, i] - x[0, i])
        out[0, 0, i] = -2.0 * (x[1, i] - x[0, i])


def wrong(x, q, p, out):
    right(x, q, p, out)
    out[0, 1, 2] += 0.5


def energy(x, q, p):
    return p[0] * x[0, 2] * x[0, 2] + q[0, 1]


def gradient(x, q, p, out):
    out[0, 2] = 2.0 * p[0] * x[0, 2]
    # A world rotation by t about an axis changes the quaternion by t/2 (0, axis) q.
    out[0, 3], out[0, 4], out[0, 5] = 0.5 * q[0, 0], 0.5 * q[0, 3], -0.5 * q[0, 2]


def two_bodies():
    mech = sarrus.Mechanism()
    for i in range(2):
        mech.add_body(f"body {i}", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.0, 0.0, float(i)))
    return mech


def test_a_right_jacobian_passes_and_its_error_is_told():
    mech = two_bodies()
    mech.add_constraint("rod", ("body 0", "body 1"), residual, parameters=(1.0,), jacobian=right)
    assert sarrus.check_derivatives(sarrus.build(mech))["rod"] < DIFFERENCES


def test_a_wrong_jacobian_is_refused_with_row_body_and_both_numbers():
    mech = two_bodies()
    mech.add_constraint("rod", ("body 0", "body 1"), residual, parameters=(1.0,), jacobian=right)
    model = sarrus.build(mech)
    term = model.mechanism.joints["rod"]
    object.__setattr__(term, "jacobian", wrong)
    with pytest.raises(sarrus.MechanismError, match=r"'rod'.*row 0.*'body 1' along z.*differences say"):
        sarrus.check_derivatives(model)


def test_the_gradient_of_a_potential_is_checked_along_and_about_all_axes():
    mech = two_bodies()
    mech.add_potential("well", ("body 0",), energy, parameters=(3.0,), gradient=gradient)
    assert sarrus.check_derivatives(sarrus.build(mech))["well"] < DIFFERENCES


def test_terms_without_given_derivatives_have_nothing_to_check():
    mech = two_bodies()
    mech.add_constraint("rod", ("body 0", "body 1"), residual, parameters=(1.0,))
    assert sarrus.check_derivatives(sarrus.build(mech)) == {}


def test_a_derivative_that_is_not_finite_is_refused():
    mech = two_bodies()
    mech.add_potential("well", ("body 0",), energy, parameters=(3.0,), gradient=gradient)
    state = sarrus.build(mech).initial_state()
    state.position[0, 2] = np.nan
    with pytest.raises(sarrus.MechanismError, match="not finite"):
        sarrus.check_derivatives(state.model, state)
