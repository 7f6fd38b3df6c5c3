"""What a trajectory says about contacts: forces, impulses, work, gaps, in memory and in files."""

import numpy as np
import pytest

import sarrus

G = 9.81
DT = 0.01
# Nodes inside a run balance exactly: what remains is the solver's rounding, in N for about 10 N.
BALANCE = 1e-9
# The first and the last node show one stage, which stops at the barrier: 4e-6 of the weight at dt 0.01.
ONE_STAGE = 1e-5
# Momentum that no record shows, relative or in N s for a body of 1 kg.
MOMENTUM = 1e-6
# Speed that the barrier gives bodies which nothing presses together, relative to 1 m/s.
BARRIER = 5e-4
# Work of a contact with restitution 0, relative to the energy at the start.
WORK = 1e-9


def box(height=1e-6, **ground):
    mech = sarrus.Mechanism(name="box")
    mech.add_body("box", mass=2.0, position=(0.0, 0.0, 0.2 + height), shapes=[sarrus.Box((0.6, 0.5, 0.4))])
    mech.add_ground(**ground)
    return sarrus.build(mech)


@pytest.fixture(scope="module")
def rest():
    return sarrus.simulate(box(), duration=0.5, dt=DT)


@pytest.fixture(scope="module", params=[0.0, 0.7], ids=["plastic", "bouncing"])
def toss(request):
    model = sarrus.build(sarrus.gallery.box_toss(seed=3, restitution=request.param))
    return sarrus.simulate(model, duration=1.5, dt=DT)


def test_a_resting_box_is_carried_by_its_weight(rest):
    force = rest.contact_force("box")
    weight = [0.0, 0.0, 2.0 * G]
    np.testing.assert_allclose(force[3:-1], np.broadcast_to(weight, (len(rest) - 4, 3)), atol=BALANCE)
    np.testing.assert_allclose(force[-1], weight, atol=ONE_STAGE * 2.0 * G)


def test_a_resting_box_stays_above_the_ground(rest):
    gap = rest.gap()
    assert gap.min() > 0.0
    lowest = rest.position[:, 0, 2] - 0.2
    np.testing.assert_allclose(gap, lowest, atol=1e-8)


def test_every_impact_changes_the_momentum_by_its_impulses(toss):
    seen = toss.touches
    assert len(seen) > 0
    steps = toss.stats.steps
    linear = np.stack([np.bincount(seen.step, seen.impulse[:, k], steps) for k in range(3)], axis=1)
    change = np.diff(toss.momentum().linear, axis=0) - [0.0, 0.0, -G * DT]
    np.testing.assert_allclose(change, linear, atol=MOMENTUM)
    node = seen.step + (seen.stage == 2)
    moment = np.cross(seen.point - toss.position[node, 0], seen.impulse)
    angular = np.stack([np.bincount(seen.step, moment[:, k], steps) for k in range(3)], axis=1)
    about_centre = toss.momentum().angular - np.cross(toss.position[:, 0], toss.momentum().linear)
    # Not where a step is divided at a rebound: the points of its parts are not those of its nodes.
    whole = toss.stats.substeps < 2
    assert whole.sum() > 0.9 * steps
    np.testing.assert_allclose(np.diff(about_centre, axis=0)[whole], angular[whole], atol=MOMENTUM)


def test_contacts_without_restitution_take_energy_in_every_step():
    for mech in (sarrus.gallery.box_toss(seed=1), sarrus.gallery.sliding_block(direction=0.3)):
        traj = sarrus.simulate(sarrus.build(mech), duration=1.0, dt=DT)
        energy = traj.energy()
        assert traj.contact_work().shape == (100,)
        assert traj.contact_work().max() <= WORK * max(energy.kinetic.max(), np.ptp(energy.potential))


def test_the_work_of_an_impact_is_the_energy_that_is_lost():
    traj = sarrus.simulate(box(height=0.3), duration=0.5, dt=0.001)
    lost, work = traj.energy().error[-1], traj.contact_work()
    assert lost == pytest.approx(-2.0 * G * 0.3, rel=1e-6)
    # At rest the contact takes back what half a step of gravity gives twice per step, m g^2 dt^2 / 4; in the
    # step of the impact gravity works too, at most m g dt v.
    resting = 0.25 * 2.0 * G**2 * 0.001**2 * np.count_nonzero(work)
    assert abs(work.sum() - lost) <= 1.1 * resting + 2.0 * G * 0.001 * np.sqrt(2.0 * G * 0.3)


def test_a_sliding_block_shows_the_friction_and_its_slip():
    traj = sarrus.simulate(sarrus.build(sarrus.gallery.sliding_block(friction=0.3)), duration=0.2, dt=DT)
    force = traj.contact_force("block")[5:-1]
    np.testing.assert_allclose(force[:, 2], G, atol=1e-4)
    np.testing.assert_allclose(force[:, 0], -0.3 * G, rtol=1e-4)
    seen = traj.touches
    middle = (seen.stage == 1) & (seen.step == 10)
    np.testing.assert_allclose(seen.slip[middle], DT * traj.velocity[10, 0, 0], rtol=0.02)
    np.testing.assert_allclose(seen.point[middle][:, 2], 0.0, atol=1e-6)


def test_sparse_records_show_the_forces_of_their_own_nodes(rest):
    sparse = sarrus.simulate(box(), duration=0.5, dt=DT, record_every=5)
    np.testing.assert_array_equal(sparse.contact_force("box"), rest.contact_force("box")[::5])
    np.testing.assert_allclose(
        sparse.contact_work(), rest.contact_work().reshape(-1, 5).sum(axis=1), rtol=1e-12, atol=1e-18
    )


def test_sparse_records_keep_the_contacts_of_their_own_nodes_alone():
    """The memory of a long run follows its records, not its steps."""
    model = sarrus.build(sarrus.gallery.box_toss(seed=1))
    fine, sparse = (sarrus.simulate(model, duration=1.0, dt=DT, record_every=n) for n in (1, 7))
    node = fine.touches.step + (fine.touches.stage == 2)
    own = node % 7 == 0
    for what in ("step", "stage", "contact", "impulse", "point", "work"):
        np.testing.assert_array_equal(getattr(sparse.touches, what), getattr(fine.touches, what)[own])
    assert 0 < len(sparse.touches) < len(fine.touches) / 4
    np.testing.assert_allclose(sparse.contact_work().sum(), fine.contact_work().sum(), rtol=1e-12)


def test_a_rope_carries_what_hangs_from_it():
    mech = sarrus.Mechanism()
    mech.add_body("bob", mass=1.5, inertia=(0.1, 0.1, 0.1), position=(0.0, 0.0, -1.0))
    mech.add_rope("line", "world", "bob", (0.0, 0.0, 0.0), (0.0, 0.0, -1.0), length=1.0 + 1e-7)
    traj = sarrus.simulate(sarrus.build(mech), duration=0.3, dt=DT)
    np.testing.assert_allclose(traj.contact_force("bob")[5:-1, 2], 1.5 * G, atol=1e-6)
    assert set(traj.touches.names.values()) == {"rope line"}
    with pytest.raises(sarrus.MechanismError, match="has no contacts, so there is no gap"):
        traj.gap()


def test_limits_and_joint_friction_do_work_and_push_no_body():
    mech = sarrus.Mechanism()
    mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.01), position=(0.0, 0.0, -0.5))
    mech.add_joint("hinge", "revolute", parent="world", child="rod", at=(0, 0, 0), axis=(1, 0, 0))
    mech.add_limit("stop", "hinge", lower=0.2)
    mech.add_joint_friction("hinge", 0.1)
    model = sarrus.build(mech)
    traj = sarrus.simulate(model, duration=1.0, dt=DT, state=model.state({"hinge": 1.0}))
    assert set(traj.touches.names.values()) == {"lower limit stop", "friction of joint hinge"}
    assert traj.contact_work().min() < -0.1
    assert traj.contact_work().max() <= WORK * 10.0
    with pytest.raises(sarrus.MechanismError, match="no contacts and no ropes"):
        traj.contact_force("rod")


def test_two_bodies_push_each_other_with_opposite_forces():
    mech = sarrus.Mechanism(gravity=(0.0, 0.0, 0.0))
    for name, x, v in (("left", -0.3, 1.0), ("right", 0.3, -1.0)):
        mech.add_body(name, mass=1.0, position=(x, 0, 0), velocity=(v, 0, 0), shapes=[sarrus.Sphere(0.1)])
    mech.add_contact("left", "right", friction=0.0)
    traj = sarrus.simulate(sarrus.build(mech), duration=0.4, dt=DT)
    left, right = traj.contact_force("left"), traj.contact_force("right")
    np.testing.assert_array_equal(left, -right)
    # Not quite 1 N s: the barrier pushes bodies apart that nothing presses together.
    change = traj.velocity[-1, 1, 0] - traj.velocity[0, 1, 0]
    assert change == pytest.approx(1.0, rel=BARRIER)
    assert np.sum(right[:-1, 0]) * DT == pytest.approx(change, rel=MOMENTUM)
    assert set(traj.touches.bodies.values()) == {("left", "right")}
    assert traj.gap()[0] == pytest.approx(0.4)
    assert traj.gap().min() >= -1e-6


def test_a_saved_run_has_the_same_contacts(toss, tmp_path):
    toss.save(tmp_path / "toss.npz")
    for mapped in (False, True):
        loaded = sarrus.load_trajectory(tmp_path / "toss.npz", mapped=mapped)
        assert loaded.touches.names == toss.touches.names
        np.testing.assert_array_equal(loaded.touch_records, toss.touch_records)
        np.testing.assert_array_equal(loaded.contact_force("box"), toss.contact_force("box"))
        np.testing.assert_array_equal(loaded.gap(), toss.gap())
        np.testing.assert_array_equal(loaded.stats.momentum_iterations, toss.stats.momentum_iterations)


def test_a_streamed_run_has_the_same_contacts(rest, tmp_path):
    streamed = sarrus.simulate(box(), duration=0.5, dt=DT, out=tmp_path / "rest.npz")
    np.testing.assert_array_equal(streamed.touch_records, rest.touch_records)
    np.testing.assert_array_equal(streamed.contact_work(), rest.contact_work())
    np.testing.assert_array_equal(streamed.stats.momentum_iterations, rest.stats.momentum_iterations)


def test_a_continued_run_counts_its_steps_from_its_own_start(rest):
    more = sarrus.simulate(rest.model, duration=0.1, dt=DT, state=rest.final_state)
    assert more.touches.step.min() == 0
    assert more.touches.time.min() == rest.time[-1]
    np.testing.assert_allclose(more.contact_force("box")[1:-1, 2], 2.0 * G, atol=BALANCE)


def test_the_report_tells_gap_work_and_the_largest_impulse(rest):
    text = rest.report()
    assert "gap             at least" in text
    assert "contact work" in text
    assert "box corner" in text
    assert "momentum stage" in text
