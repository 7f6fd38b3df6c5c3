"""The large mechanisms of the gallery: driven legs and figure, the satellite that unfolds, the Hoberman
sphere through its singular position."""

import numpy as np
import pytest
from tests.physics.test_overactuation import dense_least_norm, joint_point, least_norm_error

import sarrus

MET = 1e-10  # tolerance of the steps
NORM = 1e-9  # of the largest multiplier: weights of 1e5 cost five digits of sixteen
SPHERE_NORM = 1e-7  # the same through 547 redundant rows
OPEN = 1e-9  # [m, rad] what joints of the sphere may miss next to its singular position


def following(model):
    """Motors that are not enforced at the reference: their inputs follow from those of the others."""
    tied = [model.actuation.motors[k] for k in model.actuation.tied]
    return [name for name, drive in zip(tied, model.description.tied, strict=True) if drive.watched]


def legs_without(*names):
    """The legs with some motors left out, and a motion of the others."""
    mechanism = sarrus.gallery.overactuated_legs()
    for name in names:
        mechanism.motors.pop(name)
    return sarrus.build(mechanism)


def dance(model):
    """Inputs of all motors, small and of different rates."""
    return {
        name: lambda t, k=k: 0.08 * np.sin((2.0 + 0.2 * k) * t) * min(1.0, t)
        for k, name in enumerate(model.targets)
    }


@pytest.fixture(scope="module")
def danced():
    """(legs with all motors, inputs of them that fit each other, the run that they were read from)."""
    legs = sarrus.build(sarrus.gallery.overactuated_legs())
    free = following(legs)
    fewer = legs_without(*free)
    inputs = dance(fewer)
    run = sarrus.simulate(fewer, 0.5, 0.01, "bdf2", inputs=inputs)
    nodes = {name: run.joint_position(legs.mechanism.motors[name].joint) for name in free}
    return legs, {**inputs, **nodes}, run


@pytest.mark.parametrize("method", ["bdf2", "sdirk", "variational"])
def test_over_actuated_legs_follow_inputs_that_fit(danced, method):
    legs, inputs, run = danced
    assert (legs.dof, legs.overactuation, legs.dof_left) == (20, 2, 0)
    again = sarrus.simulate(legs, 0.5, 0.01, method, inputs=inputs)
    assert np.abs(again.position - run.position).max() < 10 * MET
    assert again.violation().max() < MET


def test_one_input_of_the_legs_that_is_off_leaves_joints_closed_and_is_told(danced):
    legs, inputs, _ = danced
    name = following(legs)[0]
    bad = {**inputs, name: inputs[name] + 1e-4}
    with pytest.raises(sarrus.InfeasibleInputs) as told:
        sarrus.simulate(legs, 0.5, 0.01, "bdf2", inputs=bad)
    assert len(told.value.nearest) == 8
    loose = sarrus.simulate(legs, 0.5, 0.01, "bdf2", inputs=bad, drive_tolerance=(1e-2, 1e-1))
    assert np.abs(legs.residuals(loose.position, loose.orientation)).max() < MET


@pytest.mark.parametrize("weight", [1.0, 1e5])
def test_efforts_of_the_legs_are_those_of_the_dense_pseudo_inverse(danced, weight):
    legs, inputs, _ = danced
    weights = dict.fromkeys(legs.targets, weight)
    short = {name: value[:11] if isinstance(value, np.ndarray) else value for name, value in inputs.items()}
    run = sarrus.simulate(legs, 0.1, 0.01, "bdf2", inputs=short, reactions=True, reaction_weights=weights)
    assert least_norm_error(run, weights) < NORM


def test_reactions_of_the_legs_with_weights_over_five_decades_are_those_of_the_dense_pseudo_inverse(danced):
    legs, inputs, _ = danced
    rng = np.random.default_rng(3)
    driven = {motor.joint for motor in legs.mechanism.motors.values()}
    weights = {name: 10.0 ** rng.uniform(0.0, 5.0) for name in (*legs.joint_names, *legs.targets)}
    short = {name: value[:11] if isinstance(value, np.ndarray) else value for name, value in inputs.items()}
    run = sarrus.simulate(legs, 0.1, 0.01, "bdf2", inputs=short, reactions=True, reaction_weights=weights)
    G, dense = dense_least_norm(run, 10, weights)
    # The wrench of a driven joint has the effort of its drive in it.
    passive = [name for name in legs.joint_names if name not in driven]
    assert len(passive) > 20
    assert wrench_error(run, 10, G, dense, passive) < NORM * np.abs(dense).max()
    assert least_norm_error(run, weights) < NORM


@pytest.mark.parametrize("method", ["bdf2", "sdirk", "variational"])
def test_seven_motors_unfold_the_panel_of_the_satellite_in_concert(method):
    model = sarrus.build(sarrus.gallery.satellite())
    assert (model.dof, model.overactuation, model.dof_left) == (7, 6, 6)

    def angle(t):
        return 1.3 - 0.3 * (1.0 - np.cos(np.pi * t)) / 2.0

    inputs = {f"cross {k}": lambda t: 2.0 * (angle(t) - 1.3) for k in range(1, 7)}
    inputs["slide"] = lambda t: np.sin(angle(t)) - np.sin(1.3)
    run = sarrus.simulate(model, 0.5, 0.01, method, inputs=inputs)
    assert run.violation().max() < MET
    momentum = run.momentum()
    scale = (model.masses[None, :, None] * np.abs(run.velocity)).sum(axis=(1, 2)).max()
    # Nothing pushes from outside; the implicit family keeps momenta to the error of its steps.
    assert np.abs(momentum.linear).max() < 1e-3 * scale


def figure_inputs(model, hand=0.003):
    size = {name: hand if name.endswith("hand") else 0.1 for name in model.targets}
    return {
        name: lambda t, k=k, name=name: size[name] * np.sin((1.0 + 0.1 * k) * t)
        for k, name in enumerate(model.targets)
    }


@pytest.mark.slow
@pytest.mark.parametrize("method", ["bdf2", "sdirk", "variational"])
def test_the_large_figure_moves_as_its_27_motors_say(method, recwarn):
    model = sarrus.build(sarrus.gallery.large_figure())
    assert (model.dof, model.overactuation, model.dof_left) == (27, 0, 0)
    assert (model.masses.min(), model.masses.max()) == (0.0003, 49.0)
    inputs = figure_inputs(model)
    # Far enough for the hands to pass their whole stroke to both sides at 10 ms and above.
    for dt, steps in ((0.001, 200), (0.01, 300), (0.033, 120), (0.1, 60)):
        run = sarrus.simulate(model, steps * dt, dt, method, inputs=inputs)
        assert run.violation().max() < MET, dt
        if dt < 0.1:
            assert not run.stats.substeps.any(), dt
    assert not [w for w in recwarn if "recommended" in str(w.message)]


@pytest.mark.slow
def test_the_hands_of_the_large_figure_close_and_open_far_beyond_their_reference():
    """Ties that are near their dead centres let them close by 1.7 mm only."""
    model = sarrus.build(sarrus.gallery.large_figure())
    slow = dict.fromkeys(model.targets, 0.0)
    for side in ("left", "right"):
        slow[f"{side} hand"] = lambda t: 0.009 * np.sin(2.0 * np.pi * t)
    run = sarrus.simulate(model, 1.0, 0.01, "bdf2", inputs=slow)
    assert run.violation().max() < MET
    bent = run.joint_position("right ring knuckle 3")
    assert bent.max() > 0.5
    assert bent.min() < -0.5


@pytest.mark.slow
@pytest.mark.parametrize("method", [sarrus.Bdf(), sarrus.Sdirk(), sarrus.Variational()], ids=str)
def test_a_spinning_hoberman_sphere_passes_full_expansion_and_contracts_again(method):
    model = sarrus.build(sarrus.gallery.hoberman_sphere(spin=1.8, throw=15.0))
    assert (len(model.body_names), len(model.joint_names), model.rows) == (240, 420, 1980)
    assert (model.dof, model.redundant_constraints) == (7, 547)
    with pytest.warns(UserWarning, match="recommended"):
        run = sarrus.simulate(model, 4.0, 0.01, method)
    phi = np.pi / 4 - run.joint_position("crossing 1.1") / 2.0
    assert phi.max() > 0.7 * np.pi  # beyond pi/2, fully open
    through = np.flatnonzero(np.diff(np.sign(phi - np.pi / 2)))
    assert len(through) == 3  # and between these it contracts
    assert run.violation().max() < OPEN


def wrench_error(run, t, G, multipliers, joints=None):
    """Largest difference between the recorded wrenches of joints at node t and those of `multipliers` of the
    rows G; joints: those to look at."""
    model, worst = run.model, 0.0
    order = list(model.description.tree.order)
    for name in joints or model.joint_names:
        joint, rows, found = model.mechanism.joints[name], model.row_slices[name], run.reaction(name)
        child = model.body_index[joint.child]
        columns = slice(6 * order.index(child), 6 * order.index(child) + 6)
        force, torque = np.split(multipliers[rows] @ G[rows, columns], 2)
        about = np.cross(joint_point(run, t, joint) - run.position[t, child], force)
        worst = max(
            worst, np.abs(found.force[t] - force).max(), np.abs(found.torque[t] + about - torque).max()
        )
    return worst


@pytest.mark.slow
@pytest.mark.parametrize("weight", [1.0, 1e5])
def test_reactions_of_the_hoberman_sphere_are_those_of_the_dense_pseudo_inverse(weight):
    model = sarrus.build(sarrus.gallery.hoberman_sphere(spin=1.8))
    weights = {name: weight for name in model.joint_names if name.startswith("crossing 1.")}
    with pytest.warns(UserWarning, match="recommended"):
        run = sarrus.simulate(model, 0.02, 0.01, "bdf2", reactions=True, reaction_weights=weights)
    G, dense = dense_least_norm(run, 2, weights)
    if weight > 1.0:
        assert np.abs(dense - dense_least_norm(run, 2, {})[1]).max() > 1e-2 * np.abs(dense).max()
    assert wrench_error(run, 2, G, dense) < SPHERE_NORM * np.abs(dense).max()


@pytest.mark.parametrize("name", ["large_figure", "overactuated_legs", "satellite"])
def test_motors_of_the_gallery_are_not_called_nearly_singular(name):
    """A hand that a slide of millimetres closes is no worse off than a waist: values have no units."""
    report = sarrus.build(sarrus.gallery.make(name)).report()
    assert "singular" not in report
