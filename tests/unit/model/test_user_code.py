"""A typo in a function that is compiled: which name, in which line."""

import math

import pytest

import sarrus


def no_such_name(t, q, v, u, memory):
    half = 0.5 * t
    u[0] = half * sinn(q[0])  # noqa: F821


def no_such_function(t, q, v, u, memory):
    u[0] = math.sinn(q[0])


def not_known_yet(t, q, v, u, memory):
    u[0] = later  # noqa: F821
    later = 1.0  # noqa: F841


def no_such_attribute(t, q, v, u, memory):
    u[0] = q.shap[0]


def plain(x):
    return 2.0 * x


def calls_plain_python(t, q, v, u, memory):
    u[0] = plain(q[0])


def too_few(t, q, v, u):
    u[0] = 1.0


TYPOS = {
    no_such_name: r"line \d+ of test_user_code.py \(u\[0\] = half .*name 'sinn' is not defined",
    no_such_function: r"line \d+ .*module 'math' has no 'sinn'; did you mean 'sin'\?",
    not_known_yet: r"line \d+ .*'later' is not defined",
    no_such_attribute: r"line \d+ .*'shap'",
    calls_plain_python: r"line \d+ .*'plain'.*numba.njit",
    too_few: r"must take \(t, q, v, u, memory\)",
}


def motor():
    mech = sarrus.Mechanism()
    mech.add_body("rod", 1.0, (0.1, 0.1, 0.1), position=(0, 0, -1))
    mech.add_joint("hinge", "revolute", "world", "rod", at=(0, 0, 0), axis=(1, 0, 0))
    mech.add_motor("motor", "hinge")
    return sarrus.build(mech)


@pytest.mark.parametrize("function", TYPOS, ids=lambda f: f.__name__)
def test_a_typo_in_a_compiled_controller_is_told_by_name_and_line(function):
    with pytest.raises(sarrus.MechanismError, match=TYPOS[function]) as fault:
        sarrus.simulate(motor(), duration=0.1, dt=0.01, controller=sarrus.CompiledController(function))
    assert "nopython" not in str(fault.value)


def bad_force(t, x, q, v, w, p, out):
    out[0, 2] = p[0] * grvity  # noqa: F821


def bad_energy(x, q, p):
    return heigt * p[0]  # noqa: F821


def bad_residual(x, q, p, out):
    out[0] = x[0, 2] - levl  # noqa: F821


def test_a_typo_in_a_custom_term_is_told_by_its_name_and_line():
    for add, name in (
        (lambda m: m.add_custom_force("lift", ("rod",), bad_force), "force 'lift'.*line .*'grvity'"),
        (lambda m: m.add_potential("well", "rod", bad_energy), "potential 'well'.*line .*'heigt'"),
        (lambda m: m.add_constraint("rail", ("rod",), bad_residual, rows=1), "'rail'.*line .*'levl'"),
    ):
        mech = sarrus.Mechanism()
        mech.add_body("rod", 1.0, (0.1, 0.1, 0.1))
        add(mech)
        with pytest.raises(sarrus.MechanismError, match=name):
            sarrus.build(mech)


def beyond_inputs(t, q, v, u, memory):
    u[5] = 1.0


def beyond_bodies(t, x, q, v, w, p, out):
    out[:] = 0.0
    out[3, 2] = 1.0


def test_a_controller_that_writes_beyond_its_inputs_is_told_the_line():
    with pytest.raises(
        sarrus.MechanismError, match=r"line \d+ of test_user_code.py \(u\[5\] = 1.0\).*out of bounds"
    ):
        sarrus.simulate(motor(), 0.1, 0.01, controller=sarrus.CompiledController(beyond_inputs))


def test_a_force_that_writes_beyond_its_bodies_is_told_the_line():
    mechanism = motor().mechanism
    mechanism.add_custom_force("push", ["rod"], beyond_bodies)
    with pytest.raises(sarrus.MechanismError, match=r"'push', line \d+ of .*out\[3, 2\].*out of bounds"):
        sarrus.simulate(sarrus.build(mechanism), 0.1, 0.01)
