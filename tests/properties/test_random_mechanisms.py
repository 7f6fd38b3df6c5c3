"""What holds for every mechanism: ranks, symmetry in time and space, freedom in how it is written down."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.physics.scenes import SHARP, assert_same, random_turn, run_both
from tests.properties.mechanisms import add_random_springs, random_mechanism
from tests.reference.rotation import multiply, rotate

import sarrus

seeds = st.integers(0, 10_000)
few = settings(max_examples=12, deadline=None, derandomize=True)
CLOSED = 2e-10  # twice the tolerance, per metre of the mechanism's size
# Fifty steps of a solver at 1e-12, on motions that part by less than a factor 1e4 in that time.
SAME = 1e-7


# Misfits of loops above this [rad, parts of the size] are meant: random numbers come close to special ones.
MEANT = 1e-6


def as_written(mechanism):
    return sarrus.build(mechanism, redundancy_tolerance=MEANT)


def sharp(mechanism, duration=0.5, dt=0.01, **options):
    """A run at the tolerance of the dense reference."""
    model = as_written(mechanism)
    method = sarrus.Variational(tolerance=SHARP)
    return sarrus.simulate(model, duration=duration, dt=dt, method=method, **options)


@few
@given(seeds, st.integers(1, 3))
def test_ranks_of_loops_are_those_of_the_whole_constraint_matrix(seed, loops):
    from sarrus.model.linear import Linearisation
    from sarrus.model.redundancy import settle, wander

    mechanism, rng = random_mechanism(seed, bodies=5, loops=loops)
    model = as_written(mechanism)
    best = 0
    for _ in range(2):
        here = Linearisation(model.every, model.every.state.copy())
        settle(here)
        wander(here, rng, 0.0)
        best = max(best, np.linalg.matrix_rank(here.matrix.toarray(), tol=1e-7))
    assert model.dof == 6 * 5 - best
    assert model.redundant_constraints == model.rows - best


@few
@given(seeds, st.integers(0, 2))
def test_random_mechanisms_with_springs_move_as_in_the_dense_reference(seed, loops):
    mechanism, rng = random_mechanism(seed, bodies=3, loops=loops)
    add_random_springs(mechanism, rng, damping=0.4)
    _, run, dense = run_both(mechanism, steps=8)
    assert_same(run, dense, within=SAME)


@few
@given(seeds)
def test_the_order_in_which_a_mechanism_is_written_down_does_not_matter(seed):
    mechanism, rng = random_mechanism(seed, bodies=5, loops=2)
    other = sarrus.Mechanism()
    for name in rng.permutation(list(mechanism.bodies)):
        body = mechanism.bodies[name]
        motion = {"velocity": body.velocity, "angular_velocity": body.angular_velocity}
        place = {"position": body.position, "orientation": body.orientation}
        other.add_body(str(name), body.mass, body.inertia, **place, **motion)
    for name in rng.permutation(list(mechanism.joints)):
        joint = mechanism.joints[name]
        other.joints[str(name)] = joint
    a, b = sharp(mechanism), sharp(other)
    order = [b.body_names.index(name) for name in a.body_names]
    assert a.model.dof == b.model.dof
    assert a.model.redundant_constraints == b.model.redundant_constraints
    assert np.abs(a.position - b.position[:, order]).max() < SAME
    assert np.abs(a.velocity - b.velocity[:, order]).max() < 100 * SAME


@few
@given(seeds)
def test_a_turned_and_shifted_mechanism_moves_as_the_turned_and_shifted_motion(seed):
    rng = np.random.default_rng(seed)
    q, shift = random_turn(rng), rng.normal(size=3)

    def moved(mechanism):
        out = sarrus.Mechanism(gravity=rotate(q, mechanism.gravity))
        for body in mechanism.bodies.values():
            out.add_body(
                body.name,
                body.mass,
                body.inertia,
                position=rotate(q, body.position) + shift,
                orientation=multiply(q, body.orientation),
                velocity=rotate(q, body.velocity),
                angular_velocity=body.angular_velocity,
            )
        for joint in mechanism.joints.values():
            if hasattr(joint, "kind"):
                names = ("axis", "axis2") if joint.kind != "point_on_plane" else ("axis",)
                axes = {n: rotate(q, getattr(joint, n)) for n in names if getattr(joint, n) is not None}
                more = {} if joint.pitch is None else {"pitch": joint.pitch}
                at = rotate(q, joint.at) + shift
                out.add_joint(joint.name, joint.kind, joint.parent, joint.child, at=at, **axes, **more)
            else:
                points = {"at_a": rotate(q, joint.at_a) + shift, "at_b": rotate(q, joint.at_b) + shift}
                out.add_distance(joint.name, joint.a, joint.b, **points)
        return out

    mechanism, _ = random_mechanism(seed, bodies=4, loops=1)
    a, b = sharp(mechanism), sharp(moved(mechanism))
    assert np.abs(rotate(q, a.position) + shift - b.position).max() < SAME
    assert np.abs(rotate(q, a.velocity) - b.velocity).max() < 100 * SAME


@few
@given(seeds, st.integers(0, 2))
def test_a_motion_without_dampers_runs_back_to_where_it_came_from(seed, loops):
    mechanism, rng = random_mechanism(seed, bodies=4, loops=loops)
    add_random_springs(mechanism, rng)
    there = sharp(mechanism, duration=0.3)
    turned = there.final_state
    turned.velocity *= -1.0
    turned.angular_velocity *= -1.0
    turned.memory = None
    method = sarrus.Variational(tolerance=SHARP)
    back = sarrus.simulate(there.model, duration=0.3, dt=0.01, method=method, state=turned)
    assert np.abs(back.position[-1] - there.position[0]).max() < SAME
    assert np.abs(back.velocity[-1] + there.velocity[0]).max() < 100 * SAME


@few
@given(seeds, st.integers(0, 2))
def test_what_flies_freely_keeps_its_momentum_whatever_acts_inside(seed, loops):
    mechanism, rng = random_mechanism(seed, bodies=4, loops=loops, anchored=False, gravity=(0, 0, 0))
    names = list(mechanism.bodies)
    points = {"at_a": rng.normal(size=3), "at_b": rng.normal(size=3)}
    mechanism.add_spring("spring", names[0], names[2], **points, stiffness=20.0, rest_length=0.3, damping=0.5)
    run = sarrus.simulate(as_written(mechanism), duration=1.0, dt=0.01)
    for part in (run.momentum().linear, run.momentum().angular):
        assert np.abs(part - part[0]).max() < 1e-11 * max(1.0, np.abs(part[0]).max())
    assert run.violation().max() < CLOSED * run.model.size


@few
@given(seeds)
def test_the_reactions_at_the_world_and_gravity_change_the_momentum(seed):
    mechanism, _ = random_mechanism(seed, bodies=4, loops=2)
    model = as_written(mechanism)
    dt = 0.002
    run = sarrus.simulate(model, duration=0.1, dt=dt, reactions=True)
    force = np.zeros((len(run), 3))
    for name, joint in mechanism.joints.items():
        a, b = (joint.parent, joint.child) if hasattr(joint, "kind") else (joint.a, joint.b)
        if a == "world":
            force += run.reaction(name).force
        elif b == "world":
            force -= run.reaction(name).force
    linear = run.momentum().linear
    rate = (linear[2:] - linear[:-2]) / (2 * dt)
    outer = force[1:-1] + model.masses.sum() * model.gravity
    # Both are of second order in dt, at forces that change by up to 1e3 per second.
    assert rate == pytest.approx(outer, abs=0.02 * max(1.0, np.abs(outer).max()))
