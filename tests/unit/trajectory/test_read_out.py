"""The read-outs of a trajectory against closed forms of a prescribed swing."""

import numpy as np
import pytest
from tests.unit.trajectory.swing import ARM, DT, GRAVITY, INERTIA, MASS, SwingModel, swing

from sarrus.errors import MechanismError, UnknownName
from sarrus.trajectory import Trajectory

# Sums of a few products of numbers around ten: rounding stays well below this.
ROUNDING = 1e-12


@pytest.fixture
def traj() -> Trajectory:
    return swing()


@pytest.fixture
def angle(traj):
    return 4.0 * np.sin(traj.time)


@pytest.fixture
def rate(traj):
    return 4.0 * np.cos(traj.time)


def test_energy_is_kinetic_plus_potential_with_gravity_zero_at_the_origin(traj, angle, rate):
    energy = traj.energy()
    inertia = INERTIA[0, 0] + MASS * ARM**2
    np.testing.assert_allclose(energy.kinetic, 0.5 * inertia * rate**2, atol=ROUNDING)
    np.testing.assert_allclose(energy.potential, -MASS * GRAVITY * ARM * np.cos(angle), atol=ROUNDING)
    np.testing.assert_array_equal(energy.total, energy.kinetic + energy.potential)
    np.testing.assert_array_equal(energy.error, energy.total - energy.total[0])


def test_angular_momentum_about_the_origin_holds_orbit_and_spin(traj, rate):
    momentum = traj.momentum()
    np.testing.assert_allclose(momentum.linear, MASS * traj.velocity[:, 0], atol=ROUNDING)
    expected = np.zeros((len(traj), 3))
    expected[:, 0] = (INERTIA[0, 0] + MASS * ARM**2) * rate
    np.testing.assert_allclose(momentum.angular, expected, atol=ROUNDING)


def test_violation_is_the_largest_row_and_can_be_told_by_joint(traj):
    assert np.max(traj.violation()) < ROUNDING
    position = traj.position.copy()
    position[5, 0] += (0.1, -0.3, 0.2)
    broken = Trajectory(
        traj.model,
        "variational",
        DT,
        traj.time,
        position,
        traj.orientation,
        traj.velocity,
        traj.angular_velocity,
    )
    assert broken.violation()[5] == pytest.approx(0.3, abs=ROUNDING)
    by_joint = broken.violation(by_joint=True)
    assert list(by_joint) == ["hinge"]
    np.testing.assert_array_equal(by_joint["hinge"], broken.violation())


def test_a_node_that_is_not_finite_shows_in_the_violation(traj):
    position = traj.position.copy()
    position[5, 0, 1] = np.nan
    motion = (traj.orientation, traj.velocity, traj.angular_velocity)
    broken = Trajectory(traj.model, "variational", DT, traj.time, position, *motion)
    assert np.isnan(broken.violation()[5])
    assert np.isnan(broken.violation(by_joint=True)["hinge"][5])


def test_long_paths_are_read_out_in_pieces_without_seams(monkeypatch, traj):
    whole = traj.energy().total, traj.violation(), traj.momentum().angular
    monkeypatch.setattr("sarrus.trajectory.invariants.POSES_AT_ONCE", 7)
    pieces = swing()
    for expected, found in zip(
        whole, (pieces.energy().total, pieces.violation(), pieces.momentum().angular), strict=True
    ):
        np.testing.assert_array_equal(found, expected)


def test_joint_angles_are_continuous_beyond_half_a_turn(angle, rate):
    traj = swing(301)
    time = traj.time
    np.testing.assert_allclose(traj.joint_position("hinge"), 4.0 * np.sin(time), atol=ROUNDING)
    np.testing.assert_allclose(traj.joint_velocity("hinge"), 4.0 * np.cos(time), atol=ROUNDING)
    assert traj.joint_position("hinge").shape == (301,)


def test_the_winding_of_the_start_is_kept(traj, angle):
    continued = swing(winding=np.array([6.0 * np.pi]))
    np.testing.assert_allclose(continued.joint_position("hinge"), angle + 6.0 * np.pi, atol=ROUNDING)


def test_pieces_of_a_long_path_stay_on_their_turn(monkeypatch):
    """Springs and gears see which turn an angle is on: a piece continues where the one before it ended."""
    monkeypatch.setattr("sarrus.trajectory.invariants.POSES_AT_ONCE", 50)
    seen = []

    class Watched(SwingModel):
        def potential_energy(self, position, orientation, winding=None):
            seen.append(winding)
            return super().potential_energy(position, orientation)

    traj = swing(141, model=Watched(), winding=np.array([2.0 * np.pi]))
    traj.energy()
    assert len(seen) == 3
    np.testing.assert_array_equal(np.concatenate(seen)[:, 0], traj.joint_position("hinge"))


def test_reactions_are_told_by_joint_when_they_were_recorded():
    wrench = np.arange(101 * 6.0).reshape(101, 1, 6)
    reaction = swing(reactions=wrench).reaction("hinge")
    np.testing.assert_array_equal(reaction.force, wrench[:, 0, :3])
    np.testing.assert_array_equal(reaction.torque, wrench[:, 0, 3:])


def test_reactions_that_were_not_recorded_say_what_is_needed(traj):
    with pytest.raises(MechanismError, match=r"joint 'hinge' .*simulate\(reactions=True\)"):
        traj.reaction("hinge")


def test_the_effort_of_a_force_motor_is_its_input(traj):
    np.testing.assert_array_equal(traj.motor_effort("drive"), traj.time**2)
    np.testing.assert_array_equal(swing(inputs={}).motor_effort("drive"), np.zeros(len(traj)))


def test_the_effort_of_a_servo_pulls_to_its_target_and_damps(traj, angle, rate):
    expected = 3.0 * (0.1 * traj.time - angle) - 0.5 * rate
    np.testing.assert_allclose(traj.motor_effort("servo"), expected, atol=10 * ROUNDING)


def test_a_body_has_a_path_and_its_points_have_paths(traj, angle):
    rod = traj.body("rod")
    np.testing.assert_array_equal(rod.position, traj.position[:, 0])
    np.testing.assert_array_equal(rod.angular_velocity, traj.angular_velocity[:, 0])
    np.testing.assert_allclose(rod.point((0.0, 0.0, ARM)), np.zeros((len(traj), 3)), atol=ROUNDING)
    np.testing.assert_allclose(rod.point((0.3, 0.0, ARM))[:, 0], 0.3, atol=ROUNDING)
    with pytest.raises(ValueError, match="body 'rod' needs 3 numbers"):
        rod.point((1.0, 2.0))


def test_a_frame_moves_with_its_body_from_where_it_was_placed(traj, angle):
    tip = traj.frame("tip")
    expected = np.stack([0.0 * angle, np.sin(angle), -np.cos(angle)], axis=1)
    np.testing.assert_allclose(tip.position, expected, atol=ROUNDING)
    turned = (angle + np.pi / 2) / 2
    np.testing.assert_allclose(
        tip.orientation[:, :2], np.stack([np.cos(turned), np.sin(turned)], axis=1), atol=ROUNDING
    )
    ground = traj.frame("ground")
    assert ground.position.shape == (len(traj), 3)
    np.testing.assert_array_equal(ground.position[-1], (1.0, 2.0, 3.0))


def test_nothing_slips_where_nothing_rolls(traj):
    np.testing.assert_array_equal(traj.slip(), np.zeros(len(traj)))


def test_a_joint_without_coordinates_says_so():
    model = SwingModel()
    model.joint_slices = {"hinge": slice(0, 0)}
    with pytest.raises(MechanismError, match="joint 'hinge' has no coordinates"):
        swing(model=model).joint_position("hinge")


@pytest.mark.parametrize(
    ("read", "kind"),
    [
        (lambda t: t.body("rodd"), "body"),
        (lambda t: t.joint_position("hing"), "joint"),
        (lambda t: t.joint_velocity("hing"), "joint"),
        (lambda t: t.reaction("hing"), "joint"),
        (lambda t: t.motor_effort("serv"), "motor"),
        (lambda t: t.frame("tp"), "frame"),
    ],
)
def test_unknown_names_are_told_with_the_known_ones(traj, read, kind):
    with pytest.raises(UnknownName, match=f"no {kind} named"):
        read(traj)


def test_arrays_are_read_only(traj):
    for array in (
        traj.time,
        traj.position,
        traj.energy().kinetic,
        traj.joint_position("hinge"),
        traj.stats.status,
    ):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


def test_read_outs_are_computed_once():
    model = SwingModel()
    traj = swing(model=model)
    assert model.calls == 0
    traj.joint_position("hinge"), traj.joint_velocity("hinge"), traj.motor_effort("servo")
    assert model.calls == 1
    assert traj.energy() is traj.energy()
    assert traj.violation() is traj.violation()


def test_shapes_that_do_not_fit_are_refused_by_name(traj):
    motion = (traj.orientation, traj.velocity, traj.angular_velocity)
    with pytest.raises(MechanismError, match=r"position has shape \(100, 1, 3\), needs \(101, any, 3\)"):
        Trajectory(traj.model, "variational", DT, traj.time, traj.position[1:], *motion)
    with pytest.raises(MechanismError, match="input 'drive' has shape"):
        swing(inputs={"drive": np.zeros(3)})
    with pytest.raises(MechanismError, match=r"input 'drive' has shape \(\), needs \(101, ...\)"):
        swing(inputs={"drive": 1.0})
    doubled = [np.repeat(array, 2, axis=1) for array in (traj.position, *motion)]
    with pytest.raises(MechanismError, match="2 bodies does not fit 1 body names"):
        Trajectory(traj.model, "variational", DT, traj.time, *doubled)


def test_length_repr_and_report_tell_what_was_run(traj):
    assert len(traj) == 101
    assert repr(traj) == "<Trajectory 0 to 1 s: 101 nodes, 1 bodies, variational, dt 0.01>"
    report = traj.report()
    for words in (
        "variational, dt 0.01 s, 100 steps",
        "J at the start, error at most",
        "violation       at most",
    ):
        assert words in report
    assert "iterations      2.50 per step, at most 3" in report
    assert "divided steps   1 into 4 pieces, the first at t = 0.07 s" in report
    assert "singular        configurations met at 3 nodes" in report
    assert "velocities changed by 1.00e-03" in report
