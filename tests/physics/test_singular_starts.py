"""Starts where branches of motion meet: the velocities choose one, or the start is refused, with a reason."""

import numpy as np
import pytest

import sarrus

# Links 1, 2, 1 over a ground of 2, all in line: w of the coupler and the rocker over that of the crank, on
# the two branches that meet there (from the second-order terms of the closing equations).
PARALLEL, CROSSED = (0.0, 1.0), (-2.0, -3.0)
METHODS = (
    "variational", "variational1", "variational4", "bdf1", "bdf2", "sdirk", "semi-implicit", "tree-midpoint",
    "tree-trapezoid", "lie-trapezoid", "rk4",
)  # fmt: skip


def flat_four_bar(rates=(0.0, 0.0, 0.0), angle: float = 0.0, gravity: float = -9.81) -> sarrus.Mechanism:
    """A parallelogram, flat at angle 0; rates: angular velocities of crank, coupler, rocker."""
    crank = np.array([np.cos(angle), 0.0, -np.sin(angle)])
    points = [np.zeros(3), crank, crank + [2.0, 0.0, 0.0], np.array([2.0, 0.0, 0.0])]
    names = ["world", "crank", "coupler", "rocker", "world"]
    mech = sarrus.Mechanism(gravity=(0.0, 0.0, gravity))
    tip = np.zeros(3)
    for k, rate in enumerate(rates):
        half, turn = (points[k + 1] - points[k]) / 2, np.array([0.0, rate, 0.0])
        mech.add_body(
            names[k + 1], 1.0, (0.1, 0.1, 0.1), position=points[k] + half,
            velocity=tip + np.cross(turn, half), angular_velocity=turn,
        )  # fmt: skip
        tip = tip + 2.0 * np.cross(turn, half)
    for k in range(4):
        mech.add_joint(f"hinge {k}", "revolute", names[k], names[k + 1], at=points[k], axis=(0, 1, 0))
    return mech


@pytest.mark.parametrize("speed", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("branch", [PARALLEL, CROSSED])
def test_a_flat_parallelogram_takes_the_branch_that_its_velocities_choose(branch, speed):
    model = sarrus.build(flat_four_bar((speed, speed * branch[0], speed * branch[1]), gravity=0.0))
    # The crank turns by 0.1 rad.
    traj = sarrus.simulate(model, duration=0.1 / speed, dt=0.001 / speed)
    crank, between = traj.joint_position("hinge 0")[-1], traj.joint_position("hinge 1")[-1]
    assert between == pytest.approx((branch[0] - 1.0) * crank, rel=0.1)
    energy = traj.energy()
    assert np.ptp(energy.total) < 1e-3 * energy.kinetic.max()
    assert traj.violation().max() < 1e-9


def test_the_branch_chosen_at_the_singular_start_is_that_of_a_start_beside_it():
    flat = sarrus.simulate(sarrus.build(flat_four_bar((1.0, 0.0, 1.0))), duration=0.5, dt=0.001)
    beside = sarrus.simulate(sarrus.build(flat_four_bar((1.0, 0.0, 1.0), angle=1e-5)), duration=0.5, dt=0.001)
    # They start 1e-5 rad apart.
    assert np.abs(flat.position - beside.position).max() < 3e-5


@pytest.mark.parametrize(
    ("rates", "reason"), [((0, 0, 0), "at rest none is chosen"), ((1, 0, 0), "those of none")]
)
def test_a_singular_start_without_a_branch_is_refused_with_the_reason(rates, reason):
    with pytest.raises(sarrus.MechanismError, match=reason) as caught:
        sarrus.simulate(sarrus.build(flat_four_bar(rates)), duration=0.1, dt=0.01)
    assert "'hinge 3'" in str(caught.value)


@pytest.mark.parametrize("velocity", [(0, 0, 0), (0, 0, 1)])
def test_a_shaky_truss_is_told_at_build_and_refused_with_the_reason(velocity):
    mech = sarrus.Mechanism()
    mech.add_body("node", 1.0, (0.1, 0.1, 0.1), position=(1, 0, 0), velocity=velocity)
    mech.add_distance("left", "world", "node", at_a=(0, 0, 0), at_b=(1, 0, 0))
    mech.add_distance("right", "world", "node", at_a=(2, 0, 0), at_b=(1, 0, 0))
    model = sarrus.build(mech)
    assert "shaky" in model.report()
    with pytest.raises(sarrus.MechanismError, match="shaky at joint 'right'"):
        sarrus.simulate(model, duration=0.1, dt=0.01)


def test_a_shaky_pair_of_rods_is_refused_with_the_reason():
    mech = sarrus.Mechanism()
    for k, name in enumerate("ab"):
        mech.add_body(name, 1.0, (0.01, 0.1, 0.1), position=(k + 0.5, 0, 0))
    for k, (a, b) in enumerate((("world", "a"), ("a", "b"), ("b", "world"))):
        mech.add_joint(f"hinge {k}", "revolute", a, b, at=(k, 0, 0), axis=(0, 1, 0))
    with pytest.raises(sarrus.MechanismError, match="shaky at joint 'hinge 2'"):
        sarrus.simulate(sarrus.build(mech), duration=0.1, dt=0.01)


def flat_parallelograms(lengths: tuple[float, ...], rate: float = 0.0) -> sarrus.Mechanism:
    """Cranks of length 1 under one coupler, side by side, all in line, which turn with `rate`; lengths: of
    the parts of the coupler between its pins."""
    mech = sarrus.Mechanism()
    feet = np.concatenate([[0.0], np.cumsum(lengths)])
    turn = np.array([0.0, rate, 0.0])
    for k, foot in enumerate(feet):
        mech.add_body(
            f"crank {k}", 1.0, (0.1, 0.1, 0.1), position=(foot + 0.5, 0, 0),
            velocity=np.cross(turn, (0.5, 0, 0)), angular_velocity=turn,
        )  # fmt: skip
    middle = (1.0 + feet[-1] / 2, 0, 0)
    mech.add_body("coupler", 1.0, (0.1, 0.1, 0.1), position=middle, velocity=np.cross(turn, (1.0, 0, 0)))
    for k, foot in enumerate(feet):
        mech.add_joint(f"foot {k}", "revolute", "world", f"crank {k}", at=(foot, 0, 0), axis=(0, 1, 0))
        mech.add_joint(f"pin {k}", "revolute", f"crank {k}", "coupler", at=(foot + 1, 0, 0), axis=(0, 1, 0))
    return mech


LINKAGES = {"parallelogram": (2.0,), "rhombus": (1.0,), "double parallelogram": (2.0, 1.5)}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("linkage", LINKAGES)
def test_every_method_refuses_a_singular_start_at_rest_with_the_same_words(linkage, method):
    model = sarrus.build(flat_parallelograms(LINKAGES[linkage]))
    with pytest.raises(sarrus.MechanismError, match=r"singular configuration .* at rest none is chosen"):
        sarrus.simulate(model, 0.1, 0.01, method=method)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("linkage", LINKAGES)
def test_every_method_takes_the_branch_that_the_velocities_choose(linkage, method):
    model = sarrus.build(flat_parallelograms(LINKAGES[linkage], rate=1.0))
    traj = sarrus.simulate(model, 0.1, 0.01, method=method)
    # The coupler does not turn; the last crank turns like the first.  Errors of the baseline are 1e-4.
    assert traj.joint_position("foot 1")[-1] == pytest.approx(traj.joint_position("foot 0")[-1], abs=1e-3)
    assert traj.joint_position("pin 0")[-1] == pytest.approx(-traj.joint_position("foot 0")[-1], abs=1e-3)
    assert traj.joint_position("foot 0")[-1] > 0.05


@pytest.mark.parametrize("method", METHODS)
def test_every_method_refuses_velocities_between_two_branches(method):
    # The second crank stands still: neither the parallelogram nor its crossed form.
    model = sarrus.build(flat_four_bar((1.0, -1.0, 0.0)))
    with pytest.raises(sarrus.MechanismError, match="its velocities are those of none"):
        sarrus.simulate(model, 0.1, 0.01, method=method)


@pytest.mark.parametrize("method", METHODS)
def test_loads_choose_no_branch_of_a_singular_start_at_rest(method):
    mech = flat_parallelograms((2.0,))
    mech.add_motor("motor", joint="foot 0")
    with pytest.raises(sarrus.MechanismError, match="at rest none is chosen"):
        sarrus.simulate(sarrus.build(mech), 0.1, 0.01, method=method, inputs={"motor": 5.0})


@pytest.mark.parametrize("method", [m for m in METHODS if m != "rk4" and "tree" not in m and "lie" not in m])
def test_every_method_refuses_a_shaky_truss(method):
    mech = sarrus.Mechanism()
    mech.add_body("node", 1.0, (0.1, 0.1, 0.1), position=(1, 0, 0))
    mech.add_distance("left", "world", "node", at_a=(0, 0, 0), at_b=(1, 0, 0))
    mech.add_distance("right", "world", "node", at_a=(2, 0, 0), at_b=(1, 0, 0))
    with pytest.raises(sarrus.MechanismError, match="shaky at joint 'right'"):
        sarrus.simulate(sarrus.build(mech), 0.1, 0.01, method=method)


@pytest.mark.parametrize("method", METHODS)
def test_a_run_that_began_in_a_singular_configuration_goes_on_from_its_end(method):
    model = sarrus.build(flat_parallelograms((2.0,), rate=1.0))
    through = sarrus.simulate(model, 0.02, 0.01, method=method)
    more = sarrus.simulate(model, 0.02, 0.01, method=method, state=through.final_state)
    assert more.joint_position("foot 0")[-1] > through.joint_position("foot 0")[-1]
