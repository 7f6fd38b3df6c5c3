"""build: from what the user says to what the kernels read."""

from __future__ import annotations

import warnings

import numpy as np

from sarrus.errors import MechanismError, NearlyRedundant, RigidMechanism
from sarrus.mechanism import Mechanism
from sarrus.mechanism.validation import number
from sarrus.model.actuation import find_actuation
from sarrus.model.arrays import make_arrays, step_arrays
from sarrus.model.contacts import Contacts
from sarrus.model.description import Drives, describe, size_of
from sarrus.model.geometry import joint_geometry
from sarrus.model.graph import spanning_tree
from sarrus.model.model import Model
from sarrus.model.plan import border_plan, constraint_rows, listing, tied_rows
from sarrus.model.redundancy import Ranks, carried, choose_rows, find_ranks

# Largest misfit of redundant joints that counts as rounding [rad, parts of the size].
REDUNDANCY_TOLERANCE = 1e-3
# Larger parts of it may be meant, and are warned of.
NAMED = 0.1
# Width of a shape [m], a hundred times the depth to which contact is resolved.
TINY = 1e-4


def build(mechanism: Mechanism, *, redundancy_tolerance: float = REDUNDANCY_TOLERANCE) -> Model:
    """The model of `mechanism`: frozen arrays, elimination plan, redundancy.

    redundancy_tolerance: a misfit of the joints of a closed loop up to this value over its motion [rad, or
    relative to the size of the mechanism] counts as rounding, and the loop moves; beyond, it is rigid."""
    if not isinstance(mechanism, Mechanism):
        raise MechanismError(f"build takes a sarrus.Mechanism, not {type(mechanism).__name__}")
    if not mechanism.bodies:
        raise MechanismError("the mechanism has no bodies; add one with add_body")
    number("build", "redundancy_tolerance", redundancy_tolerance)
    if not 0.0 <= redundancy_tolerance < 1.0:
        raise MechanismError(
            f"redundancy_tolerance {redundancy_tolerance!r} must be from 0 to 1 [rad, parts of the size]"
        )
    return _built(mechanism, redundancy_tolerance, ())


def build_locked(model: Model, locks: tuple[tuple[int, int, float], ...]) -> Model:
    """The model of the same mechanism with coordinates held: (joint, number, value) of each."""
    with warnings.catch_warnings():
        # What a lock leaves no freedom is meant to be rigid.
        warnings.simplefilter("ignore")
        return _built(model.mechanism, model.ranks.tolerance or REDUNDANCY_TOLERANCE, locks)


def _built(
    mechanism: Mechanism, redundancy_tolerance: float, locks: tuple[tuple[int, int, float], ...]
) -> Model:
    tree = spanning_tree(mechanism)
    d = describe(mechanism, tree, joint_geometry(mechanism))
    d.locks = locks
    drives, contacts = Drives(d), Contacts(d)
    listed = [row for j, joint in enumerate(d.joints) for row in constraint_rows(d, j, joint.places)]
    every = make_arrays(d, listing(tree, listed), drives)
    closing = [j for j in tree.closures if d.joints[j].places]
    candidates, ranks, places = None, Ranks(), {}
    candidate_rows = []
    if closing:
        candidate_rows = [row for j in closing for row in constraint_rows(d, j, d.joints[j].places)]
        candidates = make_arrays(d, border_plan(tree, candidate_rows), drives)
        ranks = find_ranks(d, every, candidates, closing, size_of(d), redundancy_tolerance)
        start = choose_rows(candidates, carried(candidates, every.state), ranks.scales, ranks.ranks)
        for j in closing:
            order = start.places[j] + [p for p in d.joints[j].places if p not in start.places[j]]
            places[j] = tuple(order[: ranks.ranks[j]])
    actuation = find_actuation(d, every, size_of(d))
    if d.tied:
        # Chosen after the rows of all joints.
        ranks.scales = ranks.scales if len(ranks.scales) else np.ones((len(d.joints), 6))
        candidates = make_arrays(d, border_plan(tree, candidate_rows + tied_rows(d)), drives)
    arrays = step_arrays(d, drives, places, contacts.fixed if contacts.any else None)
    model = Model(d, drives, arrays, every, candidates, ranks, contacts, places, actuation)
    if closing and not model.dof:
        from sarrus.model.report import refusal

        warnings.warn(f"{mechanism.name}: {refusal(model)}", RigidMechanism, stacklevel=2)
    if ranks.rounded_away and ranks.misfit > NAMED * redundancy_tolerance:
        from sarrus.model.report import taken_as_rounded

        warnings.warn(f"{mechanism.name}: {taken_as_rounded(model)}", NearlyRedundant, stacklevel=2)
    if contacts.any:
        _warn_of_tiny_shapes(mechanism)
    return model


def _warn_of_tiny_shapes(mechanism: Mechanism) -> None:
    """Warns of shapes that contact cannot resolve: two shapes may end a step up to 1e-6 m inside each
    other."""
    for name, body in mechanism.bodies.items():
        size = min((shape.width for shape in body.shapes if shape.collide and shape.solid), default=TINY)
        if size < TINY:
            warnings.warn(
                f"body {name!r} has a shape of {size:.2g} m that may touch others; contacts are resolved to "
                f"1e-6 m, and wrong for shapes below {TINY:g} m: write the mechanism in larger units, such "
                "as mm (gravity 9810 mm/s^2)",
                stacklevel=3,
            )
            return
