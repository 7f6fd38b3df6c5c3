"""Frames: poses, body velocities and their derivatives against differences and against the kernels."""

from __future__ import annotations

import numpy as np
import pytest
from tests.peers.random_trees import random_tree

import sarrus
from sarrus.analysis.frames import Frames, inverse_pose, unhat

STEP = 1e-5
# Central differences over STEP of functions of size 1 to 10: truncation 1e-9, rounding 1e-10.
DIFFERENCES = 2e-8
ROUNDING = 1e-11
CASES = ["free_chain", "tree", "four_bar", 0, 1, 3]


def case(which):
    """(model, q, v, a frame far from the root) at a random configuration."""
    mech = getattr(sarrus.gallery, which)() if isinstance(which, str) else random_tree(which, most_bodies=5)
    last = list(mech.bodies)[-1]
    body = mech.bodies[last]
    turned = np.array([0.5, 0.5, 0.5, 0.5])
    mech.add_frame("tool", last, at=body.position + (0.3, -0.2, 0.1), orientation=turned)
    model = sarrus.build(mech)
    rng = np.random.default_rng(5)
    tree = model.joint_dynamics.tree
    q, _ = tree.motion(model.initial_state())
    return model, tree.moved(q, rng.normal(scale=0.5, size=tree.nv)), rng.normal(size=tree.nv)


def along(model, q, v, i, h):
    """Frames with variable i moved by h."""
    tree = model.joint_dynamics.tree
    return Frames(model, tree.moved(q, np.eye(tree.nv)[i], h), v)


def second(model, q, v, i, j, what):
    """Second differences of the pose along canonical coordinates: i moved, then j, in the order of the
    chain."""
    first, then = min(i, j), max(i, j)
    tree = model.joint_dynamics.tree

    def there(a, b):
        moved = tree.moved(tree.moved(q, np.eye(tree.nv)[first], a), np.eye(tree.nv)[then], b)
        return getattr(Frames(model, moved, v), what)("tool")

    h = 1e-4
    return (there(h, h) - there(h, -h) - there(-h, h) + there(-h, -h)) / (4 * h * h)


@pytest.mark.parametrize("which", CASES)
def test_poses_and_velocities_are_those_of_the_state(which):
    model, q, v = case(which)
    state = model.joint_dynamics.state(q, v)
    found = Frames(model, q, v)
    for k, name in enumerate(model.body_names):
        assert found.position(name) == pytest.approx(state.position[k], abs=ROUNDING)
        R = found.pose(name)[:3, :3]
        assert R @ found.velocity(name)[:3] == pytest.approx(state.velocity[k], abs=10 * ROUNDING)
        assert found.velocity(name)[3:] == pytest.approx(state.angular_velocity[k], abs=10 * ROUNDING)


@pytest.mark.parametrize("which", CASES)
def test_first_derivatives_are_those_of_differences(which):
    model, q, v = case(which)
    found = Frames(model, q, v)
    balls = {
        k
        for joint in found.tree.joints
        if joint.ball
        for k in range(joint.velocities.stop - 3, joint.velocities.stop)
    }
    for i in range(found.nv):
        ahead, behind = along(model, q, v, i, STEP), along(model, q, v, i, -STEP)
        slope = (ahead.pose("tool") - behind.pose("tool")) / (2 * STEP)
        assert found.pose_dq("tool")[i] == pytest.approx(slope, abs=DIFFERENCES)
        if i not in balls:  # there v itself turns with the child
            slope = (ahead.velocity("tool") - behind.velocity("tool")) / (2 * STEP)
            assert found.velocity_dq("tool")[i] == pytest.approx(slope, abs=10 * DIFFERENCES)
            slope = (ahead.velocity_dv("tool") - behind.velocity_dv("tool")) / (2 * STEP)
            assert found.velocity_dqdv("tool")[i] == pytest.approx(slope, abs=DIFFERENCES)
        faster, slower = (
            Frames(model, q, v + STEP * np.eye(found.nv)[i]),
            Frames(model, q, v - STEP * np.eye(found.nv)[i]),
        )
        slope = (faster.velocity("tool") - slower.velocity("tool")) / (2 * STEP)
        assert found.velocity_dv("tool")[i] == pytest.approx(slope, abs=DIFFERENCES)


@pytest.mark.parametrize("which", ["tree", "four_bar", 0])
def test_second_derivatives_are_those_of_differences(which):
    model, q, v = case(which)
    found = Frames(model, q, v)
    balls = any(joint.ball for joint in found.tree.joints)
    pairs = [(0, 0), (0, found.nv - 1), (found.nv - 1, found.nv - 1), (1, found.nv - 2)]
    for i, j in pairs:
        loose = 1e-6  # second differences over 1e-4: rounding 1e-8, truncation 1e-8 times a few
        assert (
            found.pose_dqdq("tool")[i, j] == pytest.approx(second(model, q, v, i, j, "pose"), abs=loose)
            or balls
        )
        if not balls:
            expected = second(model, q, v, i, j, "velocity")
            assert found.velocity_dqdq("tool")[i, j] == pytest.approx(expected, abs=10 * loose)
    assert found.pose_dqdq("tool") == pytest.approx(
        found.pose_dqdq("tool").transpose(1, 0, 2, 3), abs=ROUNDING
    )
    assert found.velocity_dqdq("tool") == pytest.approx(
        found.velocity_dqdq("tool").transpose(1, 0, 2), abs=ROUNDING
    )


@pytest.mark.parametrize("which", CASES)
def test_jacobians_give_velocities_and_the_mass_matrix(which):
    model, q, v = case(which)
    found = Frames(model, q, v)
    assert found.body_jacobian("tool") @ v == pytest.approx(found.velocity("tool"), abs=ROUNDING)
    assert pytest.approx(found.velocity_dv("tool"), abs=ROUNDING) == found.body_jacobian("tool").T
    g = found.pose("tool")
    moving = sum(found.pose_dq("tool")[i] * v[i] for i in range(found.nv))
    assert found.spatial_jacobian("tool") @ v == pytest.approx(unhat(moving @ inverse_pose(g)), abs=ROUNDING)
    M = np.zeros((found.nv, found.nv))
    for k, name in enumerate(model.body_names):
        J = found.body_jacobian(name)
        M += model.masses[k] * J[:3].T @ J[:3] + J[3:].T @ model.inertias[k] @ J[3:]
    dynamics = model.joint_dynamics
    for j, i, armature in dynamics.forces.armatures:
        M[dynamics.forces.dual[j, i], dynamics.forces.dual[j, i]] += armature
    assert dynamics.mass_matrix(dynamics.instant(q, v)) == pytest.approx(M, abs=10 * ROUNDING)


def test_with_and_without_cache_it_is_the_same():
    model, q, v = case("tree")
    ours, plain = Frames(model, q, v), Frames(model, q, v, cache=False)
    assert np.array_equal(ours.velocity_dqdq("tool"), plain.velocity_dqdq("tool"))


def test_frames_are_found_by_name():
    model, *_ = case("four_bar")
    found = sarrus.frames(model)
    assert found.pose("world") == pytest.approx(np.eye(4))
    assert found.position("tool") == pytest.approx(model.mechanism.frames["tool"].at, abs=ROUNDING)
    with pytest.raises(sarrus.UnknownName, match="no frame named 'tol'; known: 'tool'"):
        found.pose("tol")
    with pytest.raises(sarrus.MechanismError, match="frames takes a model"):
        sarrus.frames(model.mechanism)
