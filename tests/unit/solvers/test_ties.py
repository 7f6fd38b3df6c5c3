"""Bodies that touch, tied beside the tree: the elimination against dense solves, and its order."""

import numba
import numpy as np
import pytest
from tests.unit.solvers.test_tree import System, agree, eliminate, flat

import sarrus
from sarrus import layout as at
from sarrus.maths.access import get3, get6, put6
from sarrus.maths.spatial import ZERO6, carry_motion
from sarrus.model.ties import in_order_of_elimination
from sarrus.solvers import ties, tree
from sarrus.solvers.border import solve_rows


@numba.njit
def correct(topo, work):
    tree.clear_seeds(topo, work)
    return tree.correct(topo, work, True, True)


@numba.njit
def solve(topo, state, work):
    solve_rows(topo, state, work, topo[0, at.BODIES], 0, ZERO6)
    for b in range(topo[0, at.BODIES]):
        z = carry_motion(get6(work, topo[b + 1, at.PARENT], at.DZ), get3(work, b, at.ARM1))
        if ties.is_tied(topo, b):
            ties.solve_tied(topo, work, b)
        z = tree.solve_link(topo, work, b, z, at.S1, True)
        put6(work, b, at.DZ, z)
        if tree.closes(topo, b):
            solve_rows(topo, state, work, b, b + 1, z)


class TiedSystem(System):
    """Random blocks between bodies that touch."""

    def __init__(self, mechanism, seed):
        super().__init__(mechanism, seed)
        self.loops = True

    def arrays_of(self, model):
        pairs = model.contacts.pairs
        return model.near_pairs.plan(dict.fromkeys(range(len(pairs)), 1), model.stiff_springs(0.01)).arrays

    def tie(self, rng):
        """Fills the ties of contacts; those that only elimination fills start at zero."""
        topo, self.between = self.topo, []
        table = topo[topo[0, at.T_CONTACTS] :][: topo[0, at.CONTACTS]]
        for line in table[table[:, at.CONTACT_KIND] == at.TOUCH]:
            a, b = sorted((int(line[at.CONTACT_A]), int(line[at.CONTACT_B])), reverse=True)
            if a == self.n:
                continue
            e = next(
                e
                for e in range(topo[a + 1, at.TIE0], topo[a + 1, at.TIE1])
                if topo[topo[0, at.T_TIES] + e, at.TIE_BODY] == b
            )
            here, there = rng.normal(size=(2, 6, 6))
            self.work[topo[0, at.W_TIES] + e, at.TIE_HERE : at.TIE_HERE + 36] = flat(here)
            self.work[topo[0, at.W_TIES] + e, at.TIE_THERE : at.TIE_THERE + 36] = flat(there)
            self.between.append((a, b, here, there))

    def matrix(self):
        M = super().matrix()
        for a, b, here, there in self.between:
            M[6 * a : 6 * a + 6, 6 * b : 6 * b + 6] = here
            M[6 * b : 6 * b + 6, 6 * a : 6 * a + 6] = there
        return M

    def solve(self):
        solve(self.topo, self.state, self.work)


def scene(name):
    """Free bodies, chains, branches and loops; most bodies may touch those that are not their neighbours."""
    mech, names = sarrus.Mechanism(name=name), []
    for k in range(7):
        mech.add_body(f"body {k}", 1.0, (0.1, 0.1, 0.1), position=(k, 0, 0), shapes=[sarrus.Sphere(0.1)])
        names.append(f"body {k}")
    kinds = {
        "free": [],
        "hand": ["revolute", "revolute", "spherical"],
        "chain": ["revolute"] * 6,
        "loops": ["revolute"] * 4,
    }[name]
    joined = set()
    for k, kind in enumerate(kinds):
        axis = {} if kind == "spherical" else {"axis": (0, 1, 0)}
        parent = names[0] if name == "hand" and k == 1 else names[k]
        mech.add_joint(f"joint {k}", kind, parent, names[k + 1], at=(k + 0.5, 0, 0), **axis)
        joined.add((parent, names[k + 1]))
    if name == "loops":
        # A loop that touches, one between bodies that touch, and one to the world.
        mech.add_joint("closing", "spherical", names[0], names[3], at=(1, 1, 0))
        mech.add_distance("wire", names[5], names[6], at_a=(5, 0, 0), at_b=(6, 0, 0))
        mech.add_distance("hook", "world", names[4], at_a=(0, 0, 3), at_b=(4, 0, 0))
    rng = np.random.default_rng(3)
    for i in range(7):
        for j in range(i + 1, 7):
            if (names[i], names[j]) not in joined and rng.random() < 0.6:
                mech.add_contact(names[i], names[j], friction=0.5)
    return mech


@pytest.mark.parametrize("name", ["free", "hand", "chain", "loops"])
def test_tied_bodies_are_solved_as_by_a_dense_matrix_and_again_for_another_right_hand_side(name):
    rng = np.random.default_rng(5)
    system = TiedSystem(scene(name), 1)
    system.tie(rng)
    assert system.between
    eliminate(system.topo, system.work, system.flat, True, True)
    agree(system)
    system.new_right_hand_side(rng)
    correct(system.topo, system.work)
    agree(system)


@pytest.mark.parametrize("count", [2, 10, 40])
def test_a_stack_is_eliminated_without_fill(count):
    mech = sarrus.Mechanism()
    for k in np.random.default_rng(0).permutation(count):
        mech.add_body(f"body {k}", 1.0, (1, 1, 1), position=(0, 0, k), shapes=[sarrus.Sphere(0.4)])
    for k in range(count - 1):
        mech.add_contact(f"body {k}", f"body {k + 1}")
    model = sarrus.build(mech)
    plan = model.near_pairs.plan(dict.fromkeys(range(count - 1), 4), model.stiff_springs(0.01))
    assert plan.arrays.topo[0, at.TIES] == count - 1
    assert plan.arrays.topo[0, at.ROWS] == 0


def test_bodies_are_eliminated_after_their_children_whatever_touches():
    model = sarrus.build(scene("hand"))
    tree_now = model.description.tree
    rng = np.random.default_rng(1)
    for _ in range(20):
        links = [tuple(map(int, rng.choice(7, 2, replace=False))) for _ in range(6)]
        ordered = in_order_of_elimination(tree_now, links)
        n = len(ordered.order)
        assert sorted(ordered.order) == list(range(n))
        assert all(a == n or a < b for b, a in enumerate(ordered.parent))
        # The same tree: parents and joints of every body by the user's numbers.
        for a in (tree_now, ordered):
            a_of = {user: (a.joint[b], [*a.order, n][a.parent[b]]) for b, user in enumerate(a.order)}
            if a is tree_now:
                expected = a_of
        assert a_of == expected
