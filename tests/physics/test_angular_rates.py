"""Joints whose dampers and armatures act on the angular velocity (rates="angular")."""

from __future__ import annotations

import numpy as np
import pytest

import sarrus

DURATION, STEPS = 1.0, (0.02, 0.01, 0.005)
ORDER_SLACK = 0.15
"""What a measured order may miss: the next term of the error at these steps."""
ROUNDING = 1e-9
"""[m] after 1 s, of steps solved to 1e-10 m."""
CLOSURE = 1e-9


def two_links(rates: str = "angular", *, armature: float = 0.3, swapped: bool = False) -> sarrus.Mechanism:
    """Two links on spherical joints with springs, dampers and armatures; swapped: the second joint the other
    way round."""
    mech = sarrus.Mechanism()
    mech.add_body("a", mass=1.0, inertia=(0.1, 0.2, 0.15), position=(0.3, 0, 0), angular_velocity=(1, 2, -1))
    mech.add_body("b", mass=0.5, inertia=(0.05, 0.02, 0.03), position=(0.6, 0.1, 0))
    mech.add_joint("s", "spherical", "world", "a", at=(0, 0, 0), armature=armature, rates=rates)
    ends = ("b", "a") if swapped else ("a", "b")
    mech.add_joint("t", "spherical", *ends, at=(0.45, 0, 0), armature=armature / 3, rates=rates)
    mech.add_joint_spring("k", "s", stiffness=2.0, damping=0.4)
    mech.add_joint_spring("l", "t", stiffness=1.0, damping=0.1)
    return mech


def orders(errors: list[float]) -> np.ndarray:
    """Measured orders between halvings of the step."""
    return np.log2(np.array(errors[:-1]) / np.array(errors[1:]))


def test_steps_converge_to_the_continuous_equations_with_second_order():
    """Those have the mass matrix of the angular velocities, and no more products of velocities."""
    model = sarrus.build(two_links())
    there = sarrus.continuous(model).solve(DURATION, 0.02).position[-1]
    runs = [sarrus.simulate(model, DURATION, dt) for dt in STEPS]
    errors = [float(np.abs(run.position[-1] - there).max()) for run in runs]
    assert np.all(np.abs(orders(errors) - 2.0) < ORDER_SLACK), errors


def test_the_energy_balance_counts_the_work_of_the_dampers():
    model = sarrus.build(two_links())
    runs = [sarrus.simulate(model, DURATION, dt) for dt in STEPS]
    left = [float(np.abs(run.energy_balance()).max()) for run in runs]
    assert np.all(np.abs(orders(left) - 2.0) < ORDER_SLACK), left
    assert runs[-1].work().dampers[-1] < -0.1, "the dampers take energy, which the balance has to know"


def test_the_two_kinds_of_rates_agree_for_small_angles_and_differ_for_large_ones():
    ends = {}
    for speed in (1e-3, 1.0):
        for rates in ("angular", "coordinates"):
            mech = two_links(rates)
            mech.gravity = sarrus.Mechanism(gravity=(0, 0, 0)).gravity
            model = sarrus.build(mech)
            state = model.state(velocities={"s": (speed, 2 * speed, -speed), "t": (-speed, 0, speed)})
            # Not by steps: there the springs go by different rules.
            ends[speed, rates] = sarrus.continuous(model).solve(DURATION, 0.02, state=state).position[-1]
    # The difference is of second order in the angle, relative to it.
    assert np.abs(ends[1e-3, "angular"] - ends[1e-3, "coordinates"]).max() < 1e-8
    assert np.abs(ends[1.0, "angular"] - ends[1.0, "coordinates"]).max() > 1e-4


def test_a_joint_the_other_way_round_is_the_same_joint():
    runs = [sarrus.simulate(sarrus.build(two_links(swapped=s)), DURATION, 0.01) for s in (False, True)]
    np.testing.assert_allclose(runs[0].position, runs[1].position, atol=ROUNDING)


def test_a_joint_that_closes_a_loop_has_its_damper():
    """A rod between a crank and a rocker: its spin about itself is damped by both ends alone."""
    mech = sarrus.Mechanism(gravity=(0, 0, 0))
    mech.add_body("rod", mass=1.0, inertia=(0.02, 0.1, 0.1), position=(0, 0, 0), angular_velocity=(3, 0, 0))
    mech.add_joint("p", "spherical", "world", "rod", at=(-0.5, 0, 0), rates="angular")
    mech.add_joint("q", "spherical", "world", "rod", at=(0.5, 0, 0), rates="angular", armature=0.01)
    mech.add_joint_spring("c", "p", stiffness=0.0, damping=0.03)
    mech.add_joint_spring("d", "q", stiffness=0.0, damping=0.05)
    errors = []
    for dt in STEPS:
        run = sarrus.simulate(sarrus.build(mech), DURATION, dt)
        assert run.violation().max() < CLOSURE
        spin = 3.0 * np.exp(-0.08 / 0.03 * run.time)
        errors.append(float(np.abs(run.angular_velocity[:, 0, 0] - spin).max()))
    assert np.all(np.abs(orders(errors) - 2.0) < ORDER_SLACK), errors


@pytest.mark.parametrize("method", ["tree-midpoint", "lie-trapezoid"])
def test_tree_methods_have_the_damper(method):
    model = sarrus.build(two_links(armature=0.0))
    there = sarrus.continuous(model).solve(DURATION, 0.02).position[-1]
    errors = [
        float(np.abs(sarrus.simulate(model, DURATION, dt, method=method).position[-1] - there).max())
        for dt in STEPS
    ]
    assert np.all(np.abs(orders(errors) - 2.0) < 2 * ORDER_SLACK), errors


@pytest.mark.parametrize("method", ["bdf2", "sdirk", "semi-implicit"])
def test_methods_without_it_refuse_it_by_name(method):
    with pytest.raises(sarrus.MechanismError, match=r"angular velocity of joint 's'.*variational does"):
        sarrus.simulate(sarrus.build(two_links()), DURATION, 0.01, method=method)


def test_the_mass_matrix_and_inverse_dynamics_have_the_armature():
    model = sarrus.build(two_links())
    state = model.state({"s": (0.3, -0.4, 0.9), "t": (1.0, 0.2, -0.5)}, {"s": (1, 2, 3), "t": (-1, 0, 2)})
    bare = sarrus.build(two_links(armature=0.0))
    added = model.mass_matrix(state) - bare.mass_matrix(state)
    np.testing.assert_allclose(added, np.diag([0.3] * 3 + [0.1] * 3), atol=1e-12)
    a = model.forward_dynamics(state)
    more = model.inverse_dynamics(state, a) - bare.inverse_dynamics(state, a)
    np.testing.assert_allclose(more, added @ a, atol=1e-9)


@pytest.mark.parametrize(
    ("kind", "options", "told"),
    [
        ("revolute", {"axis": (0, 0, 1)}, "three free rotations"),
        ("spherical", {"armature": (1.0, 1.0, 2.0)}, "one armature for the three rotations"),
    ],
)
def test_what_the_option_does_not_fit_is_refused(kind, options, told):
    mech = sarrus.Mechanism()
    mech.add_body("a", mass=1.0, inertia=(1, 1, 1))
    with pytest.raises(sarrus.MechanismError, match=told):
        mech.add_joint("j", kind, "world", "a", at=(0, 0, 0), rates="angular", **options)


@pytest.mark.parametrize(
    ("spring", "told"),
    [
        ({"stiffness": (1, 2, 1)}, "one stiffness"),
        ({"stiffness": 1, "damping": (0, 0, 1)}, "one damping"),
        ({"stiffness": 1, "rest": (0.1, 0, 0)}, "at rest in the reference"),
    ],
)
def test_springs_that_the_option_does_not_fit_are_refused(spring, told):
    mech = two_links()
    with pytest.raises(sarrus.MechanismError, match=told):
        mech.add_joint_spring("odd", "s", **spring)


def test_the_option_goes_through_yaml_and_mjcf(tmp_path):
    mech = two_links()
    for name in ("m.yaml", "m.xml"):
        mech.save(tmp_path / name)
        again = sarrus.load(tmp_path / name)
        assert [again.joints[j].rates for j in "st"] == ["angular"] * 2
        ends = [sarrus.simulate(sarrus.build(m), 0.2, 0.01).position[-1] for m in (mech, again)]
        if name == "m.yaml":
            np.testing.assert_array_equal(*ends)
