"""The tree that the peers are given."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.mujoco_peer import MujocoPeer
from benchmarks.problems import rhombi
from benchmarks.spanning import spanning_tree

import sarrus

ROUNDING = 1e-12


def held(branches):
    """Names of the bodies in the order of the branches, and of their parents."""
    return [b.child for b in branches], [b.parent for b in branches]


def test_every_body_has_one_branch_and_parents_come_first():
    mech = sarrus.gallery.rhombus_chain(segments=4)
    branches, loops = spanning_tree(mech)
    children, parents = held(branches)
    assert sorted(children) == sorted(mech.bodies)
    for k, parent in enumerate(parents):
        assert parent == "world" or parent in children[:k]
    assert [joint.name for joint in loops] == [f"tip {k}" for k in range(1, 5)]


def test_a_joint_named_from_below_is_turned_round():
    mech = sarrus.Mechanism()
    for name, y in (("a", 0.5), ("b", 1.5)):
        mech.add_body(name, mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, y, 0))
    mech.add_joint("upper", "revolute", parent="world", child="a", at=(0, 0, 0), axis=(1, 0, 0))
    mech.add_joint("lower", "revolute", parent="b", child="a", at=(0, 1, 0), axis=(1, 0, 0))
    branches, loops = spanning_tree(mech)
    assert held(branches) == (["a", "b"], ["world", "a"])
    assert branches[1].flipped
    assert not loops


def test_bodies_that_nothing_holds_float():
    branches, loops = spanning_tree(sarrus.gallery.free_chain(links=3))
    assert branches[0].joint is None
    assert held(branches)[1] == ["world", "link 1", "link 2"]
    assert not loops


def test_a_joint_that_the_peers_do_not_know_is_named():
    mech = sarrus.Mechanism()
    mech.add_body("nut", mass=1.0, inertia=(0.1, 0.1, 0.1))
    mech.add_joint("thread", "screw", parent="world", child="nut", at=(0, 0, 0), axis=(0, 0, 1), pitch=0.01)
    with pytest.raises(ValueError, match="'thread' is a screw"):
        spanning_tree(mech)


@pytest.mark.parametrize("hinge_points", [1, 2])
def test_loops_are_closed_at_the_start_in_mujoco(hinge_points):
    for mech in (sarrus.gallery.double_four_bar(), rhombi(3).for_peers()):
        peer = MujocoPeer(mech, hinge_points=hinge_points)
        data = peer.start(0.01)
        peer.mujoco.mj_forward(peer.model, data)
        assert len(data.efc_pos) >= 6
        assert np.abs(data.efc_pos).max() <= ROUNDING


def test_the_spine_of_a_rhombus_chain_is_the_same_mechanism():
    problem = rhombi(2)
    ours, theirs = problem.make(), problem.for_peers()
    for name, body in ours.bodies.items():
        assert np.array_equal(body.position, theirs.bodies[name].position)
        assert np.array_equal(body.inertia, theirs.bodies[name].inertia)
    assert [j.name for j in ours.joints.values()] == [j.name for j in theirs.joints.values()]


def test_velocities_of_the_start_reach_mujoco():
    mech = sarrus.gallery.double_four_bar()
    kinetic = MujocoPeer(mech).run(0.01, 0.01).kinetic[0]
    assert kinetic == pytest.approx(
        1.5, abs=ROUNDING
    )  # three bars of 1/6 J and two couplers of 1/2 J at 1 m/s
