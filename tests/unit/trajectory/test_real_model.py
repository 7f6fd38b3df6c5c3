"""Trajectories with built models: what comes back from a file reads out the same, bit by bit."""

import numpy as np
import pytest
from tests.unit.trajectory.test_description import everything

import sarrus
from sarrus import gallery
from sarrus.errors import FileError
from sarrus.model import build
from sarrus.trajectory import Trajectory, load_trajectory

DT = 0.01
# The closest point of a curve is found by iteration from the node before, which shows in its last bits.
SEAMS = 1e-9


def wandering(model, nodes=40):
    """A made-up path near the reference configuration that turns as it goes; read-outs ask for no physics."""
    rng = np.random.default_rng(11)
    start = model.initial_state()
    bodies = len(model.body_names)
    time = DT * np.arange(nodes)
    position = start.position + 0.1 * time[:, None, None] * rng.normal(size=(bodies, 3))
    half = 2.0 * time[:, None] * np.ones(bodies)
    axis = rng.normal(size=(bodies, 3))
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    orientation = np.concatenate([np.cos(half)[..., None], np.sin(half)[..., None] * axis], axis=2)
    motion = (position, orientation, rng.normal(size=(nodes, bodies, 3)), rng.normal(size=(nodes, bodies, 3)))
    return Trajectory(model, "variational", DT, time, *motion, winding=np.zeros(model.coordinates))


@pytest.fixture(scope="module", params=["everything", "four_bar"])
def traj(request):
    mechanism = everything() if request.param == "everything" else gallery.four_bar()
    return wandering(build(mechanism))


def test_a_loaded_trajectory_builds_the_same_model(traj, tmp_path):
    traj.save(tmp_path / "run.npz")
    loaded = load_trajectory(tmp_path / "run.npz")
    model, expected = loaded.model, traj.model
    assert model is loaded.model
    assert (model.dof, model.redundant) == (expected.dof, expected.redundant)
    for name in ("topo", "par", "state"):
        np.testing.assert_array_equal(getattr(model.arrays, name), getattr(expected.arrays, name))


def test_every_read_out_of_a_loaded_trajectory_is_the_same(traj, tmp_path):
    traj.save(tmp_path / "run.npz")
    for mapped in (False, True):
        loaded = load_trajectory(tmp_path / "run.npz", mapped=mapped)
        for name in ("kinetic", "potential"):
            np.testing.assert_array_equal(getattr(loaded.energy(), name), getattr(traj.energy(), name))
        np.testing.assert_array_equal(loaded.momentum().angular, traj.momentum().angular)
        np.testing.assert_array_equal(loaded.violation(), traj.violation())
        np.testing.assert_array_equal(loaded.slip(), traj.slip())
        by_joint = loaded.violation(by_joint=True)
        assert tuple(by_joint) == traj.joint_names
        for name, where in traj.model.joint_slices.items():
            np.testing.assert_array_equal(by_joint[name], traj.violation(by_joint=True)[name])
            if where.start < where.stop:
                np.testing.assert_array_equal(loaded.joint_position(name), traj.joint_position(name))
                np.testing.assert_array_equal(loaded.joint_velocity(name), traj.joint_velocity(name))


def test_read_outs_in_pieces_have_no_seams(traj, monkeypatch):
    whole = wandering(traj.model)
    expected = whole.energy().total, whole.violation()
    monkeypatch.setattr("sarrus.trajectory.invariants.POSES_AT_ONCE", 7 * len(traj.body_names))
    pieces = wandering(traj.model)
    for found, wanted in zip((pieces.energy().total, pieces.violation()), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=SEAMS, atol=SEAMS)


def test_springs_and_gears_see_the_turns_between_recorded_nodes():
    """Two geared wheels and a spiral spring, 4 rad between records: neither may lose a turn."""
    mech = sarrus.Mechanism(gravity=(0.0, 0.0, 0.0))
    for name in ("a", "b"):
        mech.add_body(name, mass=1.0, inertia=(1.0, 1.0, 1.0))
        mech.add_joint(f"axle {name}", "revolute", "world", name, at=(0, 0, 0), axis=(1, 0, 0))
    mech.add_gear("gear", "axle a", "axle b", ratio=2.0)
    mech.add_joint_spring("spiral", "axle b", stiffness=3.0)
    model = build(mech)
    rate = np.array([8.0, 4.0])
    time = np.arange(6.0)
    angle = time[:, None] * rate
    zero = np.zeros((6, 2, 3))
    orientation = np.zeros((6, 2, 4))
    orientation[:, :, 0], orientation[:, :, 1] = np.cos(angle / 2), np.sin(angle / 2)
    spin = zero.copy()
    spin[:, :, 0] = rate
    traj = Trajectory(model, "variational", DT, time, zero, orientation, zero, spin)
    np.testing.assert_allclose(traj.joint_position("axle a"), 8.0 * time, atol=SEAMS)
    np.testing.assert_allclose(traj.energy().potential, 1.5 * (4.0 * time) ** 2, atol=SEAMS)
    assert np.max(traj.violation()) < SEAMS


def test_the_violation_by_joint_covers_all_rows(traj):
    rows = np.stack(list(traj.violation(by_joint=True).values()))
    np.testing.assert_array_equal(rows.max(axis=0), traj.violation())


def test_a_state_of_a_node_is_a_copy_with_its_coordinates(traj):
    state = traj.state(7)
    assert state.time == traj.time[7]
    np.testing.assert_array_equal(state.position, traj.position[7])
    state.position[:] = 0.0
    assert np.any(traj.position[7] != 0.0)
    first = traj.joint_names[0]
    np.testing.assert_array_equal(
        state.winding[traj.model.joint_slices[first]], traj.joint_position(first)[7]
    )
    assert traj.state(-1).time == traj.time[-1] == traj.final_state.time
    with pytest.raises(IndexError, match="40 nodes, 0 to 39"):
        traj.state(40)


def test_a_mechanism_that_was_tampered_with_is_refused_when_it_is_built(traj, tmp_path):
    from tests.unit.trajectory.test_storage import rewritten

    path = tmp_path / "run.npz"
    traj.save(path)

    def stranger(header):
        joint = header["mechanism"]["joints"][0]
        key = "parent" if "parent" in joint else "a"
        return header | {"mechanism": header["mechanism"] | {"joints": [joint | {key: "stranger"}]}}

    loaded = load_trajectory(rewritten(path, stranger))
    with pytest.raises(FileError, match=r"run\.npz: the mechanism in the file cannot be built"):
        loaded.energy()
