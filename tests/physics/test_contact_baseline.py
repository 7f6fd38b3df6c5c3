"""The dense step of [MC23] (29a)-(29f) and its interior points, with which experiments compare."""

import numpy as np
import pytest
from experiments.baselines import interior_point
from experiments.baselines.paper_contact import PaperContact

import sarrus

DT = 0.01
# Central differences of forces of 1e3 N over changes of 1e-6 and more.
DIFFERENCES = 1e-6
# Interior points stop between 1 and 3 times the same barrier, a gap of 1 nm here.
SAME = 1e-8  # [m] after one step
RESTS = 1e-12  # [m] of a gap of 1 nm


def toss(**options):
    mechanism = sarrus.gallery.box_toss(seed=3, height=0.01)
    return PaperContact(mechanism, DT, **options)


@pytest.mark.parametrize("sides", [None, 4, 6])
@pytest.mark.parametrize("slip", ["velocity", "displacement"])
def test_the_jacobian_agrees_with_differences(sides, slip):
    chain = PaperContact(sarrus.gallery.sphere_chain(n=2), DT, sides=sides, slip=slip)
    for dense in (toss(sides=sides, slip=slip), chain):
        stage = dense.position_stage()
        y = dense.y + 0.1 * np.random.default_rng(0).normal(size=len(dense.y))
        at, _ = interior_point.start(stage, y, dense.lam, ones=False)
        ends = np.cumsum([np.size(part) for part in at])[:-1]
        flat = np.concatenate([np.ravel(part) for part in at])

        def rows(flat, stage=stage, at=at, ends=ends):
            parts = [part.reshape(old.shape) for part, old in zip(np.split(flat, ends), at, strict=True)]
            return interior_point.residual(stage, interior_point.Point(*parts), 0.0)

        steps = np.diag(1e-6 * np.maximum(1e-2, np.abs(flat)))
        slope = np.stack([(rows(flat + h) - rows(flat - h)) / (2 * h.sum()) for h in steps], 1)
        assert np.abs(slope - interior_point.jacobian(stage, at)).max() < DIFFERENCES


@pytest.mark.parametrize("sides", [4, 8, None])
def test_the_papers_algorithm_and_mehrotras_find_the_same_step(sides):
    found = []
    # As printed it starts at ones, with the pyramid. In the exact cone starts at ones stall at its boundary,
    # at this impact too: the table of solvers counts them.
    starts = [{"ones": False}, {"solver": "mehrotra", "ones": False}]
    for options in [{}, *starts] if sides else starts:
        dense = toss(sides=sides, **options)
        for _ in range(4):
            assert dense.step().solved
        found.append(dense.x)
    assert np.ptp(found, axis=0).max() < SAME


def test_one_sided_momenta_show_half_a_step_of_gravity_at_rest_and_two_sided_ones_nothing():
    mechanism = sarrus.gallery.box_drop(height=1e-3)
    options = {"solver": "mehrotra", "ones": False, "slip": "displacement"}
    printed = PaperContact(mechanism, DT, **options).trajectory(20).momentum[-1, 0, 2]
    settled = PaperContact(mechanism, DT, momenta="two-sided", **options).trajectory(20).momentum[-1, 0, 2]
    assert printed == pytest.approx(-0.5 * 9.81 * DT, rel=1e-6)
    assert abs(settled) < 1e-6


def test_the_gap_at_rest_is_the_barrier_over_the_force():
    dense = PaperContact(sarrus.gallery.box_drop(height=1e-3), DT, solver="mehrotra", ones=False)
    for _ in range(20):
        found = dense.step()
    gap = dense.x[0, 2] - 0.25
    s, gamma = found.point.X[:, 0], found.point.X[:, 1]
    assert np.abs(s[s < 1e-3] - gap).max() < RESTS
    assert gamma[s < 1e-3].sum() == pytest.approx(9.81, rel=1e-6)


def test_what_the_baseline_does_not_know_is_refused():
    with pytest.raises(ValueError, match="even number of sides"):
        toss(sides=5).step()
    with pytest.raises(ValueError, match="solver must be one of algorithm 5, mehrotra"):
        toss(solver="simplex")
    with pytest.raises(ValueError, match="restitution"):
        PaperContact(sarrus.gallery.box_drop(restitution=0.5), DT)


def test_a_run_may_go_on_with_another_friction():
    """The state of a run with the cone carries no cone into a run with the pyramid."""
    mech = sarrus.gallery.sliding_block(speed=2.0, direction=np.pi / 4)
    model = sarrus.build(mech)
    first = sarrus.simulate(model, duration=0.05, dt=0.01)
    pyramid = sarrus.Variational(friction_sides=4)
    speed = {}
    for name, method in (("cone", "variational"), ("pyramid", pyramid)):
        after = sarrus.simulate(model, duration=0.1, dt=0.01, method=method, state=first.final_state)
        speed[name] = np.linalg.norm(after.velocity[-1, 0, :2])
    begun = np.linalg.norm(first.velocity[-1, 0, :2])
    # Between its edges a pyramid of four sides has 1 / sqrt(2) of the friction.
    ratio = (begun - speed["pyramid"]) / (begun - speed["cone"])
    assert ratio == pytest.approx(2**-0.5, rel=1e-3)
