"""The gallery, built and run: what `build` finds is what the documentation says."""

import pytest
from tests.unit.gallery.test_counts import COUNTS, IDS

import sarrus

SOLVED = 1e-9  # the promise: every row of every joint at every node
ROUNDING = 1e-9  # of energies that cancel


def touches(mech):
    """Whether bodies of the mechanism meet each other or an obstacle, which takes energy away."""
    return bool(mech.obstacles or mech.contacts)


@pytest.mark.parametrize(("name", "parameters", "dof", "loops", "redundant"), COUNTS, ids=IDS)
def test_build_finds_the_documented_counts(name, parameters, dof, loops, redundant):
    model = sarrus.build(sarrus.gallery.make(name, **parameters))
    assert (model.dof, model.redundant_constraints, len(model.loops)) == (dof, redundant, loops)
    assert len(model.redundant) == redundant
    assert all(joint in model.joint_names for joint, _ in model.redundant)


SMOOTH = [name for name in sarrus.gallery.NAMES if not touches(sarrus.gallery.make(name))]


@pytest.mark.parametrize("name", SMOOTH)
def test_every_mechanism_without_contact_runs_for_a_second_with_all_rows_satisfied(name):
    model = sarrus.build(sarrus.gallery.make(name))
    traj = sarrus.simulate(model, duration=1.0, dt=0.01)
    assert traj.violation().max() < SOLVED
    energy = traj.energy()
    span = max(energy.potential.max() - energy.potential.min(), 0.1 * energy.kinetic.max())
    # What motors hold still has no range.
    span = max(span, ROUNDING * abs(energy.potential).max(), ROUNDING)
    # Servos and dampers do work: what remains is the error.
    assert abs(traj.energy_balance()).max() < 0.05 * span
