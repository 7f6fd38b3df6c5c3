"""Bounds of time steps: rigid body, constants of trees, no false promise."""

from __future__ import annotations

import numpy as np
import pytest

import sarrus
from sarrus.analysis import solvability
from sarrus.analysis.trapezoid import Trapezoid
from sarrus.analysis.tree_constants import Geometry as TreeGeometry
from sarrus.analysis.tree_constants import (
    guaranteed_constants,
    mass_bounds,
    sampled_constants,
    scalings,
    slopes,
)
from sarrus.integrators.rigid_body import equations

# Differences of the fourth order against central ones.
DIFFERENCES = 1e-8


def pendulum(links):
    return sarrus.build(sarrus.gallery.pendulum(links=links))


def spatial(links=3):
    """A chain whose axes are not parallel."""
    mech = sarrus.Mechanism()
    x, above = np.zeros(3), "world"
    rng = np.random.default_rng(4)
    for k in range(links):
        axis = np.eye(3)[k % 2] if k else np.array([0.0, 1.0, 0.0])
        step = np.array([0.3, 0.1, -0.4]) * (1 + 0.2 * k)
        mech.add_body(f"link {k}", mass=1.0 + k, inertia=np.diag([0.05, 0.06, 0.04]), position=x + 0.5 * step)
        mech.add_joint(f"joint {k}", "revolute", above, f"link {k}", at=x, axis=axis)
        x, above = x + step + 0.05 * rng.normal(size=3), f"link {k}"
    return sarrus.build(mech)


def test_rigid_body_bounds_hold_and_the_sharper_one_is_larger():
    assert solvability.newmark_bound(1.0) == np.inf
    assert solvability.newmark_bound(5.0) == 1.0
    assert solvability.cayley_bound(3.58) == np.inf
    assert solvability.cayley_bound(4.0) == pytest.approx(8.0 / 6.0)
    assert solvability.sharp_cayley_bound(4.8) == np.inf
    rng = np.random.default_rng(0)
    for _ in range(300):
        kappa = rng.uniform(1.0, 20.0)
        assert solvability.sharp_cayley_bound(kappa) >= solvability.cayley_bound(kappa)
        turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        J = turn @ np.diag([1.0, rng.uniform(max(1.0, kappa - 1.0), kappa), kappa]) @ turn.T
        u = rng.normal(size=3)
        u /= np.linalg.norm(u)
        for bound, jacobian in (
            (solvability.newmark_bound, equations.newmark_jacobian),
            (solvability.sharp_cayley_bound, equations.cayley_jacobian),
        ):
            for h in np.linspace(0.05, 0.999, 8) * min(bound(kappa), 10.0):
                assert np.linalg.eigvalsh(jacobian(u, J, h) + jacobian(u, J, h).T)[0] > 0.0
    with pytest.raises(sarrus.MechanismError, match="at least 1"):
        solvability.newmark_bound(0.5)


def test_constants_of_planar_chains_are_those_of_the_study():
    two, three = (guaranteed_constants(pendulum(n))[0] for n in (2, 3))
    assert (two.l0, two.l2) == pytest.approx((1.207, 1.207), abs=1e-3)
    assert two.m1 == pytest.approx(0.0601, abs=1e-3)
    assert (three.l0, three.l2, three.m1) == pytest.approx((5.96, 5.70, 0.0259), rel=2e-3)


@pytest.mark.parametrize("made", [pendulum, spatial])
def test_guaranteed_constants_are_never_below_what_is_found(made):
    model = made(3)
    g = TreeGeometry(model)
    sampled = sampled_constants(model, samples=20)
    l0, l2 = mass_bounds(g, np.ones(3))
    assert sampled.l0 <= l0
    assert sampled.l2 <= l2
    assert not sampled.guaranteed
    for c in guaranteed_constants(model):
        assert c.guaranteed
        if np.all(c.scale == 1.0):
            assert c.m1 <= sampled.m1
    assert len(scalings(g)) == 2
    first, second = slopes(model, np.array([0.3, 0.5, -0.2]), np.array([0.0, 1.0, 0.0]))
    assert np.linalg.norm(first, 2) <= l0
    assert np.linalg.norm(second, 2) <= l2


def test_the_step_of_the_study_is_that_of_the_papers_equation():
    model = pendulum(2)
    step, rng = Trapezoid(model), np.random.default_rng(1)
    q, v, h = rng.normal(size=2), rng.normal(size=2), 0.1
    p = step.momentum(q, v)
    slope = [
        (step.residual(q, v + 1e-5 * e, h, p) - step.residual(q, v - 1e-5 * e, h, p)) / 2e-5
        for e in np.eye(2)
    ]
    assert step.jacobian(q, v, h) == pytest.approx(np.array(slope).T, abs=DIFFERENCES)
    found = step.newton(q, v, 0.01, p)
    assert step.residual(q, found, 0.01, p) == pytest.approx(np.zeros(2), abs=1e-10)


def promise(model, states, seed):
    """Random states at which Newton fails though dt is below the guaranteed bound; and how far that is."""
    step, rng = Trapezoid(model), np.random.default_rng(seed)
    (c, *_), n = guaranteed_constants(model), model.joint_dynamics.tree.nv
    failures = 0
    for _ in range(states):
        q, v = rng.uniform(-np.pi, np.pi, n), rng.normal(size=n) * rng.choice([0.3, 3.0, 10.0])
        s = solvability.Situation(float(np.linalg.norm(v)), float(np.linalg.norm(step.gradient(q))))
        h = 0.999 * solvability.improved_dt(c, s)
        assert solvability.kantorovich_dt(c, s) < h * 1.01
        failures += step.newton(q, v, h, step.momentum(q, v)) is None
    return failures


def test_newton_converges_below_the_guaranteed_bound():
    assert promise(pendulum(2), 40, 0) == 0
    assert promise(spatial(2), 20, 1) == 0


@pytest.mark.slow
@pytest.mark.parametrize("which", [0, 1, 2])
def test_no_promise_is_broken_in_many_states(which):
    model = (pendulum(2), pendulum(3), spatial(3))[which]
    assert promise(model, 3334, 10 + which) == 0


def test_bounds_are_ordered_and_damping_makes_them_larger():
    model = pendulum(2)
    state = model.state(velocities=dict.fromkeys(model.joint_names, 2.0))
    found = solvability.bounds(model, state)
    assert found.kantorovich < found.improved < found.a_posteriori < 1.0
    c = found.constants
    free = solvability.Situation(2.0, 1.0)
    damped = solvability.Situation(2.0, 1.0, least_damping=0.5)
    assert solvability.regular_dt(c, damped) > solvability.regular_dt(c, free)
    assert solvability.improved_dt(c, damped) > solvability.improved_dt(c, free)


def test_theta_grows_with_the_step_and_is_small_where_steps_are_safe():
    model = pendulum(3)
    state = model.state(velocities=dict.fromkeys(model.joint_names, 3.0))
    small, large = (solvability.theta(model, state, dt) for dt in (0.01, 0.1))
    assert small < solvability.SAFE
    assert small < large


def test_the_guarantee_names_its_method_and_speed_or_why_there_is_none():
    said = str(solvability.guarantee(pendulum(2)))
    assert "tree-trapezoid, for joint speeds up to" in said
    four_bar = sarrus.build(sarrus.gallery.four_bar())
    assert "closed loops" in str(solvability.guarantee(four_bar))
    assert "slides without bound" in str(solvability.guarantee(sarrus.build(sarrus.gallery.free_chain())))
    assert "contacts" in str(solvability.guarantee(sarrus.build(sarrus.gallery.box_drop())))
    with pytest.raises(sarrus.MechanismError, match="no guaranteed step: closed loops"):
        solvability.bounds(four_bar)
    with pytest.raises(sarrus.MechanismError, match="theta is for trees"):
        solvability.theta(four_bar)


@pytest.mark.parametrize("off", [0.0, 0.5])
def test_one_hinged_body_has_a_guaranteed_step(off):
    """The mass matrix of a single link is constant, so there is no shape to search."""
    mech = sarrus.Mechanism()
    spin = {"velocity": (0.0, 2.0 * off, 0.0), "angular_velocity": (2.0, 0.0, 0.0)}
    mech.add_body("rod", mass=2.0, inertia=(0.3, 0.2, 0.2), position=(0.0, 0.0, -off), **spin)
    mech.add_joint("hinge", "revolute", "world", "rod", at=(0.0, 0.0, 0.0), axis=(1.0, 0.0, 0.0))
    found = guaranteed_constants(sarrus.build(mech))
    exact = 0.3 + 2.0 * off**2
    assert [c.m1 * float(c.scale[0]) ** 2 for c in found] == pytest.approx([exact] * len(found))
    assert "tree-trapezoid, for joint speeds up to" in str(solvability.guarantee(sarrus.build(mech)))


def test_dt_auto_is_the_least_of_the_recommended_step_and_the_pilots():
    from sarrus.analysis.timestep import recommended_dt
    from sarrus.pilot import auto_dt, pilot_dt

    model = pendulum(2)
    start = model.state(velocities=dict.fromkeys(model.joint_names, 1.0))
    run = sarrus.simulate(model, 0.5, dt="auto", state=start)
    wanted = min(recommended_dt(model, start), pilot_dt(model, start))
    assert auto_dt(model, start) == wanted
    assert run.dt <= wanted * (1 + 1e-9)
    assert run.time[-1] == pytest.approx(0.5)
    assert pilot_dt(model, start, dt=0.2) < 0.2
    assert pilot_dt(sarrus.build(sarrus.gallery.box_drop())) is None
    still = sarrus.Mechanism(gravity=(0.0, 0.0, 0.0))
    still.add_body("stone", mass=1.0, inertia=(1.0, 1.0, 1.0))
    with pytest.raises(sarrus.MechanismError, match="finds nothing that moves"):
        sarrus.simulate(sarrus.build(still), 1.0, dt="auto")
