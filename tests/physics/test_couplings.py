"""Couplings of several joints and tendons over them, against closed forms."""

import numpy as np
import pytest

import sarrus

# Rows hold to the tolerance of a step.
HELD = 1e-9


def racks(count, masses=(0.2, 0.3, 0.5, 0.7)):
    """Bodies on parallel rails, without gravity: a step is exact for constant forces."""
    mech = sarrus.Mechanism(gravity=(0, 0, 0))
    for k in range(count):
        mech.add_body(f"rack {k}", masses[k], (1, 1, 1), position=(k, 0, 0))
        mech.add_joint(f"rail {k}", "prismatic", "world", f"rack {k}", at=(k, 0, 0), axis=(0, 0, 1))
    return mech


def test_a_differential_shares_a_force_as_its_masses_ask():
    """s q0 + r q1 = (s + r) q2; a force T on the first: accelerations from Lagrange's equations."""
    s, r, torque = 20.0, 60.0, 3.0
    mech = racks(3)
    mech.add_coupling("set", {"rail 0": s, "rail 1": r, "rail 2": -(s + r)})
    mech.add_motor("drive", "rail 0")
    model = sarrus.build(mech)
    assert model.dof == 2
    traj = sarrus.simulate(model, duration=0.5, dt=0.05, inputs={"drive": torque})
    M, a = np.diag([0.2, 0.3, 0.5]), np.array([s, r, -(s + r)])
    free = np.linalg.solve(M, [torque, 0, 0])
    acceleration = free - np.linalg.solve(M, a) * (a @ free) / (a @ np.linalg.solve(M, a))
    for k in range(3):
        q = traj.joint_position(f"rail {k}")
        np.testing.assert_allclose(q, 0.5 * acceleration[k] * traj.time**2, atol=1e-9)
    assert traj.violation().max() < 1e-7  # rows with factors of 80 count 80 times an angle
    np.testing.assert_allclose(traj.joint_position("set"), traj.joint_position("rail 0"))


def test_a_gear_is_a_coupling_of_two_to_the_last_bit():
    paths = []
    for gear in (True, False):
        mech = racks(2)
        if gear:
            mech.add_gear("g", "rail 0", "rail 1", ratio=-2.5)
        else:
            mech.add_coupling("g", {"rail 0": 1.0, "rail 1": 2.5})
        mech.add_motor("drive", "rail 1")
        run = sarrus.simulate(sarrus.build(mech), duration=0.2, dt=0.01, inputs={"drive": np.cos})
        paths.append(run.joint_position("rail 0"))
    np.testing.assert_array_equal(*paths)


def test_a_coupling_with_an_offset_is_assembled():
    mech = racks(3)
    mech.add_coupling("sum", {"rail 0": 1.0, "rail 1": 1.0, "rail 2": 1.0}, offset=0.6)
    model = sarrus.build(mech)
    state = sarrus.assemble(model, {"rail 0": 0.5})
    total = sum(state.joint_position(f"rail {k}") for k in range(3))
    assert total == pytest.approx(0.6, abs=HELD)


def test_a_motor_on_a_tendon_pulls_every_joint_with_its_factor():
    mech = racks(2)
    mech.add_tendon("rope", {"rail 0": 2.0, "rail 1": -0.5}, offset=0.3)
    mech.add_motor("pull", "rope", limit=3.0)
    model = sarrus.build(mech)
    assert model.dof == 2
    traj = sarrus.simulate(model, duration=0.5, dt=0.05, inputs={"pull": 4.0})
    effort = 3.0
    for k, factor in enumerate((2.0, -0.5)):
        expected = 0.5 * factor * effort / (0.2, 0.3)[k] * traj.time**2
        np.testing.assert_allclose(traj.joint_position(f"rail {k}"), expected, atol=1e-9)
    length = 0.3 + 2.0 * traj.joint_position("rail 0") - 0.5 * traj.joint_position("rail 1")
    np.testing.assert_allclose(traj.joint_position("rope"), length, atol=1e-12)
    speed = 2.0 * traj.joint_velocity("rail 0") - 0.5 * traj.joint_velocity("rail 1")
    np.testing.assert_allclose(traj.joint_velocity("rope"), speed, atol=1e-12)
    np.testing.assert_allclose(traj.motor_effort("pull"), effort)


@pytest.mark.parametrize("stiffness", [5.0, 5e5])
def test_a_spring_on_a_tendon_swings_at_its_frequency_soft_or_stiff(stiffness):
    """One freedom L = q0 + q1 with the mass 1 / (1/I0 + 1/I1); stiff: 1000 rad per step, no energy gained."""
    mech = racks(2)
    mech.add_tendon("rope", {"rail 0": 1.0, "rail 1": 1.0})
    mech.add_joint_spring("spring", "rope", stiffness=stiffness)
    model = sarrus.build(mech)
    w = np.sqrt(stiffness * (1 / 0.2 + 1 / 0.3))
    dt = 0.02
    start = model.state({"rail 0": 0.1, "rail 1": 0.2})
    traj = sarrus.simulate(model, duration=1.0, dt=dt, state=start)
    energy = traj.energy().total
    if w * dt < 1:
        np.testing.assert_allclose(traj.joint_position("rope"), 0.3 * np.cos(w * traj.time), atol=5e-3)
        assert np.ptp(energy) < 0.02 * energy[0]
    else:
        assert np.abs(traj.joint_position("rope")).max() < 0.3 * (1 + 1e-6)
        assert energy.max() < energy[0] * (1 + 1e-6)
    # What the tendon does not feel stays as it was.
    calm = 0.2 * traj.joint_position("rail 0") - 0.3 * traj.joint_position("rail 1")
    np.testing.assert_allclose(calm, calm[0], atol=1e-8)


def test_a_servo_on_a_tendon_brings_its_length_to_the_target_and_its_damping_is_work_lost():
    mech = racks(2)
    mech.add_tendon("rope", {"rail 0": 0.5, "rail 1": 0.5})
    mech.add_motor("servo", "rope", mode="servo", stiffness=100.0, damping=10.0, limit=5.0)
    model = sarrus.build(mech)
    traj = sarrus.simulate(model, duration=4.0, dt=0.01, inputs={"servo": 0.4})
    assert traj.joint_position("rope")[-1] == pytest.approx(0.4, abs=1e-6)
    assert np.abs(traj.motor_effort("servo")).max() <= 5.0 + 1e-12
    np.testing.assert_allclose(
        0.2 * traj.joint_position("rail 0"), 0.3 * traj.joint_position("rail 1"), atol=1e-9
    )
    assert np.abs(traj.energy_balance()).max() < 1e-3


def test_couplings_and_tendons_survive_a_round_trip(tmp_path):
    mech = racks(3)
    mech.add_coupling("set", {"rail 0": 2.0, "rail 1": 3.0, "rail 2": -5.0})
    mech.add_tendon("rope", {"rail 0": 0.5, ("rail 1", 0): 0.25}, offset=0.1)
    mech.add_motor("pull", "rope")
    mech.add_joint_spring("spring", "rope", stiffness=1.0, damping=0.1)
    mech.save(tmp_path / "m.yaml")
    back = sarrus.load(tmp_path / "m.yaml")
    assert back.joints["set"].terms == mech.joints["set"].terms
    assert (back.joints["rope"].terms, back.joints["rope"].offset) == (mech.joints["rope"].terms, 0.1)
    run = sarrus.simulate(sarrus.build(back), duration=0.02, dt=0.01, inputs={"pull": 1.0})
    run.save(tmp_path / "run.npz")
    again = sarrus.load_trajectory(tmp_path / "run.npz")
    assert again.model.mechanism.joints["rope"].terms == mech.joints["rope"].terms


@pytest.mark.parametrize(
    ("joints", "message"),
    [
        ({"rail 0": 1.0}, "one joint alone"),
        ({}, "give its joints as a dict of factors"),
        ("rail 0", "give its joints as a dict of factors"),
        ({"rail 0": 1.0, "rial 1": 1.0}, "no joint named 'rial 1'"),
        ({"rail 0": 1.0, "rail 1": 0.0}, "the factor of 'rail 1' is 0"),
        ({"rail 0": 1.0, ("rail 1", 2): 1.0}, "has no coordinate 2"),
        ({"rail 0": 1.0, "rail 1": np.nan}, "must be finite"),
        ({"rail 0": 1.0, ("rail 0", 0): 2.0}, "is named twice"),
    ],
)
def test_what_cannot_be_coupled_is_refused_by_name(joints, message):
    with pytest.raises(sarrus.MechanismError, match=f"coupling 'c': .*{message}"):
        racks(2).add_coupling("c", joints)


def test_a_thruster_pushes_with_its_input_times_its_force_within_its_limits():
    mech = sarrus.Mechanism(gravity=(0, 0, 0))
    mech.add_body("craft", 2.0, (1, 1, 1))
    mech.add_force("jet", "craft", force=(0, 0, 3), frame="body", scaled=True, limits=(0, 5))
    model = sarrus.build(mech)
    for given, felt in ((2.0, 2.0), (9.0, 5.0), (-1.0, 0.0)):
        traj = sarrus.simulate(model, duration=0.5, dt=0.1, inputs={"jet": given})
        np.testing.assert_allclose(traj.position[:, 0, 2], 0.5 * 3 * felt / 2.0 * traj.time**2, atol=1e-12)
    with pytest.raises(sarrus.MechanismError, match="limits bound the one input"):
        mech.add_force("x", "craft", limits=(0, 1))
