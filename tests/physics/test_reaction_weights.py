"""Reactions of redundant joints with weights: the same on every body, and least in the weighted norm."""

import numpy as np
import pytest

import sarrus

SAME = 1e-9  # of the largest reaction: the sums over the joints of a body do not depend on the weights


def loaded_loop():
    """A planar four-bar pushed out of its plane: which joint takes the couple is undetermined."""
    mechanism = sarrus.gallery.four_bar(speed=2.0)
    mechanism.add_force("push", "coupler", force=(5.0, 0.0, 0.0), torque=(0.0, 0.3, 0.2))
    return sarrus.build(mechanism)


def reactions(model, **options):
    run = sarrus.simulate(model, 0.02, 0.01, "bdf2", reactions=True, **options)
    return {joint: run.reaction(joint) for joint in model.joint_names}


def cost(found, weights):
    """Sum of weight times multiplier squared: rows of revolute joints are orthonormal, so that these are
    force and torque."""
    return sum(
        weights.get(joint, 1.0) * ((r.force**2).sum(axis=1) + (r.torque**2).sum(axis=1))
        for joint, r in found.items()
    )


@pytest.mark.parametrize("weight", [10.0, 1e5])
def test_weights_move_the_load_and_leave_every_body_in_balance(weight):
    model, weights = loaded_loop(), {"rocker pivot": weight}
    plain = reactions(model)
    weighted = reactions(model, reaction_weights=weights)
    scale = max(np.abs(r.force).max() for r in plain.values())
    # The coupler hangs from two pins: one holds it as a child, one as a parent.
    for parent, child in (("crank pin", "rocker pin"),):
        before = plain[parent].force - plain[child].force
        after = weighted[parent].force - weighted[child].force
        assert np.abs(before - after).max() < SAME * scale
    assert (cost(weighted, weights) < cost(plain, weights)).all()
    assert (cost(plain, {}) <= cost(weighted, {}) * (1.0 + 1e-9)).all()
    # What the joint must give it gives; couples out of the plane it can leave to others.
    torque = np.linalg.norm(weighted["rocker pivot"].torque, axis=1)
    assert (torque < np.linalg.norm(plain["rocker pivot"].torque, axis=1)).all()


def test_weights_that_make_no_sense_are_refused():
    model = loaded_loop()
    for weights, said in (
        ({"rocker pivot": 0.0}, "positive"),
        ({"rocker pivot": float("nan")}, "positive"),
        ({"rocker pivot": (1.0, 2.0)}, "one number or 5"),
        ({"elbow": 1.0}, "elbow"),
        ([1.0], "dict"),
    ):
        with pytest.raises(sarrus.SarrusError, match=said):
            sarrus.simulate(model, 0.02, 0.01, "bdf2", reactions=True, reaction_weights=weights)
    with pytest.raises(sarrus.MechanismError, match="reactions=True"):
        sarrus.simulate(model, 0.02, 0.01, "bdf2", reaction_weights={"rocker pivot": 2.0})
