"""More drives than freedoms: consistent inputs are met, others leave the joints closed and are told with
all that take part, and efforts are those of least weighted norm."""

import warnings

import numpy as np
import pytest

import sarrus
from sarrus import layout as at
from sarrus.mechanism.rotations import rotation
from sarrus.model.actuation import left_of_drives
from sarrus.model.arrays import tied_rows_of
from sarrus.model.assembly import kernel_state
from sarrus.model.linear import Linearisation

FAMILY = ("variational", "bdf2", "sdirk")
MET = 1e-10  # tolerance of the steps
NORM = 1e-9  # of the largest multiplier: weights of 1e5 cost five digits of sixteen
NEAREST = 1e-6  # of the misfit: the nearest inputs solve a smooth problem to rounding

POINTS = np.array([(0, 0, 0), (-0.2, 0, 0.8), (0.5, 0, 1.5), (1.2, 0, 0.8), (1, 0, 0)], float)
INPUTS = {"left": lambda t: 0.2 * np.sin(3.0 * t), "right": lambda t: -0.15 * np.sin(4.0 * t)}


def five_bar(*drives):
    """A planar five-bar with two freedoms; drives: "left", "right" at the ground, "elbow"."""
    mechanism, links = sarrus.Mechanism(name="five-bar"), "abcd"
    for k, name in enumerate(links):
        length = np.linalg.norm(POINTS[k + 1] - POINTS[k])
        across = length**2 / 12.0
        mechanism.add_body(name, 1.0, (0.01, across, across), position=(POINTS[k] + POINTS[k + 1]) / 2)
    ends = ["world", *links, "world"]
    joints = ("left pivot", "left elbow", "tip", "right elbow", "right pivot")
    for k, joint in enumerate(joints):
        mechanism.add_joint(joint, "revolute", ends[k], ends[k + 1], at=POINTS[k], axis=(0, 1, 0))
    where = {"left": "left pivot", "right": "right pivot", "elbow": "left elbow"}
    for name in drives:
        mechanism.add_motor(name, where[name], mode="position")
    return sarrus.build(mechanism)


@pytest.fixture(scope="module")
def pair():
    return five_bar("left", "right")


@pytest.fixture(scope="module")
def three():
    return five_bar("left", "right", "elbow")


def consistent(pair, method="bdf2", duration=0.3):
    """A run with as many drives as freedoms, and the inputs of three drives that follow it."""
    run = sarrus.simulate(pair, duration, 0.01, method, inputs=INPUTS)
    return run, {**INPUTS, "elbow": run.joint_position("left elbow")}


def passive(run):
    """The largest residual of the joints, drives left out."""
    return np.abs(run.model.residuals(run.position, run.orientation)).max()


def test_a_third_drive_of_a_five_bar_is_counted_as_one_too_many(pair, three):
    assert (pair.dof, pair.dof_left, pair.overactuation) == (2, 0, 0)
    assert (three.dof, three.dof_left, three.overactuation) == (2, 0, 1)
    assert len(three.actuation.tied) == 3
    assert not pair.actuation.tied


def test_a_drive_outside_the_loop_is_not_tied():
    mechanism = five_bar("left", "right", "elbow").mechanism
    mechanism.add_body("hand", 0.5, (0.01, 0.01, 0.01), position=(0.5, 0.0, 1.8))
    mechanism.add_joint("wrist", "revolute", "b", "hand", at=(0.5, 0.0, 1.5), axis=(1, 0, 0))
    mechanism.add_motor("turn", "wrist", mode="position")
    model = sarrus.build(mechanism)
    assert model.overactuation == 1
    assert "turn" not in {model.actuation.motors[k] for k in model.actuation.tied}


@pytest.mark.parametrize("method", FAMILY)
def test_consistent_inputs_are_met_by_all_drives(pair, three, method):
    run, inputs = consistent(pair, method)
    again = sarrus.simulate(three, 0.3, 0.01, method, inputs=inputs)
    assert np.abs(again.position - run.position).max() < MET
    assert again.violation().max() < MET


@pytest.mark.parametrize("method", FAMILY)
def test_joints_stay_closed_when_inputs_do_not_fit(pair, three, method):
    run, inputs = consistent(pair, method)
    bad = {**inputs, "elbow": inputs["elbow"] + 1e-4 * np.minimum(1.0, run.time / 0.1)}
    with pytest.raises(sarrus.InfeasibleInputs, match="cannot be met together") as told:
        sarrus.simulate(three, 0.3, 0.01, method, inputs=bad)
    assert set(told.value.residuals) == {"left", "right", "elbow"} == set(told.value.nearest)
    assert all(repr(name) in str(told.value) for name in told.value.residuals)
    assert told.value.trajectory is not None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loose = sarrus.simulate(three, 0.3, 0.01, method, inputs=bad, drive_tolerance=(1e-3, 1e-2))
    assert passive(loose) < MET
    assert 1e-5 < loose.violation().max() < 1e-3


def test_every_node_is_looked_at_and_not_the_recorded_ones_alone(pair, three):
    run, inputs = consistent(pair)
    spike = np.zeros(len(run.time))
    spike[13] = 1e-4
    bad = {**inputs, "elbow": inputs["elbow"] + spike}
    with pytest.raises(sarrus.InfeasibleInputs) as told:
        sarrus.simulate(three, 0.3, 0.01, "bdf2", inputs=bad, record_every=10)
    assert told.value.time == pytest.approx(0.13)
    loose = sarrus.simulate(three, 0.3, 0.01, "bdf2", inputs=inputs, record_every=10, reactions=True)
    every = sarrus.simulate(three, 0.3, 0.01, "bdf2", inputs=inputs, reactions=True)
    assert np.array_equal(loose.position, every.position[::10])
    assert np.array_equal(loose.reactions, every.reactions[::10])


def test_small_misfits_are_warned_of_once(pair, three):
    _, inputs = consistent(pair)
    with pytest.warns(sarrus.InputsMissed, match="missed by") as told:
        sarrus.simulate(three, 0.3, 0.01, inputs={**inputs, "elbow": inputs["elbow"] + 1e-8})
    assert len(told) == 1


def test_the_nearest_inputs_can_be_met(three):
    wanted = {"left": 0.1, "right": -0.05, "elbow": 0.02}
    with pytest.raises(sarrus.InfeasibleInputs) as told:
        sarrus.simulate(three, 0.02, 0.01, "bdf2", inputs=wanted)
    nearest = told.value.nearest
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = sarrus.simulate(three, 0.02, 0.01, "bdf2", inputs=nearest)
    assert passive(run) < MET
    # No other inputs that can be met are nearer: along the two freedoms the distance does not fall.
    best = sum((nearest[name] - wanted[name]) ** 2 for name in wanted)
    assert best > 1e-4
    for change in ((1e-3, 0.0), (-1e-3, 0.0), (0.0, 1e-3), (0.0, -1e-3)):
        state = sarrus.assemble(
            three, {"left pivot": nearest["left"] + change[0], "right pivot": nearest["right"] + change[1]},
            near={"left elbow": nearest["elbow"]},
        )  # fmt: skip
        q = three.coordinates_of(state.position[None], state.orientation[None], winding=state.winding)[0][0]
        found = {"left": q[0], "right": q[4], "elbow": q[1]}
        assert sum((found[name] - wanted[name]) ** 2 for name in wanted) > best * (1.0 + NEAREST)


def screwed_together():
    """A nut and a bolt that a guide across the thread holds still, and a motor along the guide."""
    mechanism = sarrus.Mechanism(gravity=(0, 0, 0))
    for name, place in (("nut", (0, 0, 0)), ("bolt", (0.3, 0.2, 0.1))):
        mechanism.add_body(name, mass=1.0, inertia=(0.1, 0.2, 0.15), position=place)
    mechanism.add_joint("hang", "spherical", "world", "nut", at=(0.1, 0.4, 0.2))
    thread = {"at": (0.2, 0.1, 0.0), "axis": (1.0, 0.2, 0.3), "pitch": 0.3}
    mechanism.add_joint("thread", "screw", "nut", "bolt", **thread)
    guide = {"at": (-0.3, 0.5, 0.7), "axis": (0.2, 1.0, -0.4)}
    mechanism.add_joint("guide", "cylindrical", "nut", "bolt", **guide)
    mechanism.add_motor("push", "guide", mode="position", component=0)
    return sarrus.build(mechanism)


@pytest.mark.parametrize("value", [1e-5, 1e-3, 0.1])
def test_the_nearest_input_of_a_motor_that_cannot_move_is_where_it_is(value):
    model = screwed_together()
    assert "over-actuated: 1 more than are independent; the joints do not let 'push' move" in model.report()
    for inputs in (value, lambda t: 100.0 * value * t):
        with pytest.raises(sarrus.InfeasibleInputs) as told:
            sarrus.simulate(model, 0.02, 0.01, "bdf2", inputs={"push": inputs})
        assert abs(told.value.nearest["push"]) < MET


def test_one_step_at_a_time_tells_as_well(three):
    sim = sarrus.Simulation(three, dt=0.01, method="bdf2", drive_tolerance=(1e-5, 1e-4))
    sim.step({"left": 0.0, "right": 0.0, "elbow": 0.0})
    with pytest.raises(sarrus.InfeasibleInputs, match=r"'left'.*'right'.*'elbow'"):
        sim.step({"elbow": 1e-2})


def test_tolerances_that_make_no_sense_are_refused(three):
    for tolerance in (1e-6, (1e-6,), (1e-6, 1e-9), (0.0, 1e-6), ("a", "b")):
        with pytest.raises(sarrus.MechanismError, match="drive_tolerance"):
            sarrus.simulate(three, 0.01, 0.01, inputs={}, drive_tolerance=tolerance)


def turning_five_bar(*drives):
    """A five-bar whose short left crank can make whole turns."""
    points = np.array([(0, 0, 0), (0.0, 0, 0.3), (0.6, 0, 1.3), (1.4, 0, 0.7), (1, 0, 0)], float)
    mechanism, links = sarrus.Mechanism(gravity=(0, 0, 0)), "abcd"
    for k, name in enumerate(links):
        mechanism.add_body(name, 1.0, (0.05, 0.05, 0.05), position=(points[k] + points[k + 1]) / 2)
    ends = ["world", *links, "world"]
    for k in range(5):
        mechanism.add_joint(f"j{k}", "revolute", ends[k], ends[k + 1], at=points[k], axis=(0, 1, 0))
    for joint in drives:
        mechanism.add_motor(joint, joint, mode="position")
    return sarrus.build(mechanism)


@pytest.mark.parametrize("method", FAMILY)
def test_drives_are_chosen_anew_where_those_enforced_become_singular(method):
    """While the crank turns, the pair of drives enforced at first comes close to a singular position."""
    crank = {"j0": lambda t: 2.0 * np.pi * t, "j4": lambda t: 0.1 * np.sin(3.0 * t)}
    run = sarrus.simulate(turning_five_bar("j0", "j4"), 1.0, 0.01, method, inputs=crank)
    model = turning_five_bar("j2", "j3", "j4")
    inputs = {name: run.joint_position(name) for name in ("j2", "j3", "j4")}
    again = sarrus.simulate(model, 1.0, 0.01, method, inputs=inputs)
    assert np.abs(again.position - run.position).max() < MET
    assert again.violation().max() < MET
    weakest = [enforced_pivot(model, again.state(k)) for k in range(len(again))]
    assert min(weakest) < 0.1 * weakest[0]
    # The run has left them for others on the way.
    sim, chosen = sarrus.Simulation(model, 0.01, method), set()
    for k in range(1, len(again)):
        sim.step({name: values[k] for name, values in inputs.items()})
        kernel, topo = sim.stepper.kernel, sim.stepper.topo
        lines = topo[0, at.S_ROWS] + tied_rows_of(model.arrays)
        chosen.add(tuple(kernel[lines, at.ACTIVE] == at.WATCHED))
    assert len(chosen) > 1


def enforced_pivot(model, state):
    """Smallest singular value of the drives that are enforced at the reference, at a state."""
    left = left_of_drives(Linearisation(model.every, kernel_state(model, state)), model.actuation)
    kept = [k for k, drive in enumerate(model.description.tied) if not drive.watched]
    return np.linalg.svd(left[kept], compute_uv=False)[-1]


@pytest.mark.parametrize("weight", [1.0, 10.0, 1e5])
def test_efforts_are_those_of_the_dense_pseudo_inverse(pair, three, weight):
    _, inputs = consistent(pair)
    weights = dict.fromkeys(three.actuation.motors, weight)
    run = sarrus.simulate(
        three, 0.1, 0.01, "bdf2", inputs={**inputs, "elbow": inputs["elbow"][:11]}, reactions=True,
        reaction_weights=weights,
    )  # fmt: skip
    assert least_norm_error(run, weights) < NORM


def least_norm_error(run, weights):
    """How far efforts of a run are from (32) by a dense pseudo-inverse, over the largest multiplier."""
    drives, worst = run.model.actuation, 0.0
    for t in range(2, len(run), 4):
        G, dense = dense_least_norm(run, t, weights)
        scale = np.abs(dense).max()
        for k, motor in enumerate(drives.motors):
            effort = np.reshape(run.motor_effort(motor), (len(run), -1))[t]
            number = list(drives.motors[:k]).count(motor)
            worst = max(worst, abs(effort[number] - dense[len(G) + k]) / scale)
    return worst


def dense_least_norm(run, t, weights):
    """(rows of all joints, multipliers of joints and drives) at node t by a dense pseudo-inverse; the loads
    on the bodies are taken from the recorded wrenches."""
    model = run.model
    drives = model.actuation
    here = Linearisation(model.every, kernel_state(model, run.state(t)))
    G, J = here.matrix.toarray(), here.coordinates(drives.joints, drives.numbers)[1].toarray()
    A = np.vstack([G, J])
    w = np.concatenate(
        [
            *(
                np.full(rows.stop - rows.start, 1.0 if name in model.targets else weights.get(name, 1.0))
                for name, rows in model.row_slices.items()
            ),
            [weights.get(motor, 1.0) for motor in drives.motors],
        ]
    )
    load = np.zeros((len(model.body_names) + 1, 6))
    x = np.vstack([run.position[t], np.zeros(3)])
    index = {**model.body_index, "world": len(model.body_names)}
    for name, joint in model.mechanism.joints.items():
        f, tau = run.reaction(name).force[t], run.reaction(name).torque[t]
        point = joint_point(run, t, joint)
        for end, sign in ((joint.child, 1.0), (joint.parent, -1.0)):
            b = index[end]
            load[b] += sign * np.concatenate([f, tau + np.cross(point - x[b], f)])
    wanted = load[:-1][model.description.tree.order].ravel()
    root = 1.0 / np.sqrt(w)
    return G, root * (np.linalg.pinv((A * root[:, None]).T, rcond=1e-11) @ wanted)


def joint_point(run, t, joint):
    """Place of a joint at node t, on its child."""
    if joint.child == "world":
        return joint.at
    child, body = run.body(joint.child), run.model.mechanism.bodies[joint.child]
    arm = rotation(body.orientation).T @ (joint.at - body.position)
    return child.position[t] + rotation(child.orientation[t]) @ arm
