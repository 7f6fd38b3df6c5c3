"""Plans for the contacts of pairs that are near."""

import numpy as np

import sarrus
from sarrus import layout as at
from sarrus.model.pairs import KEPT


def balls(n):
    mechanism = sarrus.Mechanism()
    for k in range(n):
        mechanism.add_body(f"ball {k}", 1.0, position=(0.3 * k, 0, 1), shapes=[sarrus.Sphere(0.1)])
    mechanism.add_ground(0.5)
    mechanism.add_contact_group(friction=0.3, restitution=0.2)
    return sarrus.build(mechanism)


def test_a_plan_is_kept_for_the_next_time():
    model = balls(4)
    stiff = model.stiff_springs(0.01)
    assert model.near_pairs.plan({0: 1, 3: 2}, stiff) is model.near_pairs.plan({3: 2, 0: 1}, stiff)


def test_only_the_last_plans_are_kept():
    """A pile that falls for hours meets ever new sets of pairs: memory must not grow with them."""
    model = balls(12)
    stiff, count = model.stiff_springs(0.01), 66
    first = model.near_pairs.plan({0: 1}, stiff)
    for pair in range(1, count):
        model.near_pairs.plan({pair: 1}, stiff)
        if pair % 10 == 0:
            # What is used again stays.
            assert model.near_pairs.plan({0: 1}, stiff) is first
    assert len(model.near_pairs._plans) == KEPT


def test_contacts_of_a_plan_name_their_bodies_friction_and_restitution():
    model = balls(3)
    arrays = model.near_pairs.plan({0: 2, 2: 4}, model.stiff_springs(0.01)).arrays
    h = arrays.topo[0]
    topo = arrays.topo[h[at.T_CONTACTS] :][: h[at.CONTACTS]]
    state = arrays.state[h[at.S_CONTACTS] :][: h[at.CONTACTS]]
    assert len(topo) == 3 + 6  # balls on the ground, and those of the two pairs
    assert (topo[:, at.CONTACT_KIND] == at.TOUCH).all()
    bodies = arrays.topo[1:4, at.USER]
    pairs = np.sort(bodies[topo[3:][:, [at.CONTACT_A, at.CONTACT_B]]], axis=1)
    assert pairs.tolist() == [[0, 1]] * 2 + [[1, 2]] * 4
    assert (state[:3, at.MU] == 0.5).all()
    assert (state[3:, at.MU] == 0.3).all()
    assert (state[3:, at.RESTITUTION] == 0.2).all()
