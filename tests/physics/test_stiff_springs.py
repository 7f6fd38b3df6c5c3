"""Springs that a step does not resolve: energy stays bounded at every stiffness, the limit is the joint, and
resolved ones keep the order of the method."""

import numpy as np
import pytest
from tests.physics.scenes import SHARP, X, Y, Z, ratios, rod_pendulum, run_both, turn

import sarrus

DT = 0.01
PHASES = (0.1, 1.0, 2.02, 10.0, 1000.0)  # w dt
# One mass on a spring along one line: the mean rule keeps its energy but for rounding, which the stiffness
# enlarges, and for the error of the trapezoidal rule where that resolves it.
EXACT, TRAPEZOIDAL = 1e-11, 3e-3
# Range of the energy error over m g L: that of the swing, whatever the stiffness.
SWING = 6e-4
ORDER_2, ORDER_4 = pytest.approx(4.0, abs=0.3), pytest.approx(16.0, abs=3.0)


def hanging(place, phase):
    """A mass of 1 kg at rest below the world, on a spring of `phase` = w dt at rest as placed."""
    stiffness = (phase / DT) ** 2
    mechanism = sarrus.Mechanism()
    mechanism.add_body("mass", 1.0, (0.1, 0.1, 0.1), position=(0, 0, -1))
    if place == "in the tree":
        mechanism.add_joint("guide", "prismatic", "world", "mass", at=(0, 0, 0), axis=Z)
        mechanism.add_joint_spring("spring", "guide", stiffness=stiffness)
    elif place == "closing a loop":
        mechanism.add_joint("guide", "free", "world", "mass", at=(0, 0, 0))
        mechanism.add_joint("slide", "prismatic", "world", "mass", at=(0, 0, 0), axis=Z)
        mechanism.add_joint_spring("spring", "slide", stiffness=stiffness)
    else:
        mechanism.add_spring("spring", "world", "mass", (0, 0, 0), (0, 0, -1), stiffness=stiffness)
    return sarrus.build(mechanism)


def energy_range(run, scale):
    """Range of the energy error over `scale`; the last tenth of the run has not drifted out of it."""
    error = run.energy().total - run.energy().total[0]
    return np.ptp(error) / scale


@pytest.mark.parametrize("order", [2, 4])
@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("place", ["in the tree", "closing a loop", "between points"])
def test_a_mass_on_a_spring_of_any_stiffness_keeps_its_energy(place, phase, order):
    model = hanging(place, phase)
    run = sarrus.simulate(model, duration=20.0, dt=DT, method=sarrus.Variational(order=order))
    assert energy_range(run, 9.81) < (TRAPEZOIDAL if phase < 0.5 else EXACT * max(1.0, phase / 10))
    assert len(run.stats.divided) == 0


@pytest.mark.parametrize("phase", PHASES)
def test_order_1_is_bounded_too(phase):
    run = sarrus.simulate(hanging("in the tree", phase), duration=20.0, dt=DT, method="variational1")
    # Gravity kicks at one end of the step: half of (g dt)^2, and where the spring sags meanwhile, w dt / 2 of
    # its energy (g / w)^2.
    assert energy_range(run, (9.81 * DT) ** 2) < 0.5 + 1.0 / phase
    assert len(run.stats.divided) == 0


def spring_pendulum(phase, damping=0.0):
    """A mass of 1 kg on a spring of 1 m, released sideways and pushed: it swings in space."""
    mechanism = sarrus.Mechanism()
    mechanism.add_body("mass", 1.0, (0.1, 0.1, 0.1), position=(0, 0.8, -0.6), velocity=(1.0, 0, 0))
    mechanism.add_spring(
        "spring", "world", "mass", (0, 0, 0), (0, 0.8, -0.6), (phase / DT) ** 2, None, damping
    )
    return sarrus.build(mechanism)


@pytest.mark.parametrize("phase", PHASES[1:])
def test_a_spring_pendulum_has_the_energy_error_of_its_swing_at_any_stiffness(phase):
    run = sarrus.simulate(spring_pendulum(phase), duration=100.0, dt=DT)
    assert energy_range(run, 9.81) < SWING
    assert len(run.stats.divided) == 0
    assert run.stats.iterations.mean() < 5.0


def test_a_stiff_spring_pendulum_keeps_its_energy_better_with_order_4():
    run = sarrus.simulate(spring_pendulum(1000.0), duration=20.0, dt=DT, method="variational4")
    assert energy_range(run, 9.81) < 1e-6
    assert len(run.stats.divided) == 0


def test_the_limit_of_a_stiff_spring_between_points_is_the_wire():
    mechanism = sarrus.Mechanism()
    mechanism.add_body("mass", 1.0, (0.1, 0.1, 0.1), position=(0, 0.8, -0.6), velocity=(1.0, 0, 0))
    mechanism.add_distance("wire", "world", "mass", (0, 0, 0), (0, 0.8, -0.6))
    wire = sarrus.simulate(sarrus.build(mechanism), duration=2.0, dt=DT)
    spring = sarrus.simulate(spring_pendulum(1000.0), duration=2.0, dt=DT)
    # The wire stretches by at most 3 m g / k, 3e-9 m.
    assert np.abs(spring.position - wire.position).max() < 1e-7


def double_pendulum(phase, damping=0.0):
    """Two rods of 1 kg and 1 m; the second joint is held by a spring, or fixed where phase is None."""
    mechanism = rod_pendulum([1.2, 1.2])
    if phase is not None:
        stiffness = (1.0 / 12.0) * (phase / DT) ** 2
        mechanism.add_joint_spring("spring", "hinge 1", stiffness=stiffness, damping=damping)
    else:
        mechanism.add_joint("weld", "fixed", "rod 0", "rod 1", at=(0, 0, 0))
    return sarrus.build(mechanism)


@pytest.mark.parametrize("phase", PHASES)
def test_a_double_pendulum_with_a_stiff_joint_has_a_bounded_energy_error(phase):
    run = sarrus.simulate(double_pendulum(phase), duration=100.0, dt=DT)
    # Soft, it is a double pendulum, whose energy error is larger than that of the swing of one rod.
    assert energy_range(run, 2 * 9.81) < (3e-3 if phase < 1.0 else SWING)
    assert len(run.stats.divided) == 0


def test_the_limit_of_a_stiff_joint_spring_is_the_fixed_joint():
    fixed = sarrus.simulate(double_pendulum(None), duration=2.0, dt=DT)
    spring = sarrus.simulate(double_pendulum(1000.0), duration=2.0, dt=DT)
    # Moments of 10 N m bend a joint of 8e8 N m/rad by 1e-8 rad.
    assert np.abs(spring.position - fixed.position).max() < 1e-6


@pytest.mark.parametrize("phase", [0.3, 2.02, 10.0, 1000.0])
def test_a_chain_of_masses_and_stiff_springs_has_a_bounded_energy_error(phase):
    count, stiffness = 10, 0.25 * (phase / DT) ** 2  # w = 2 sqrt(k / m)
    mechanism = sarrus.Mechanism()
    # An arc: a straight chain between walls would be a singular truss.
    angles = np.linspace(0.0, np.pi, count + 2)
    places = 3.5 * np.column_stack([-np.cos(angles), np.zeros(count + 2), -np.sin(angles)])
    names = ["world", *(f"mass {k}" for k in range(count)), "world"]
    for name, place in zip(names[1:-1], places[1:-1], strict=True):
        mechanism.add_body(name, 1.0, (0.1, 0.1, 0.1), position=place, velocity=(0, 0.2 * place[2], 0))
    for k in range(count + 1):
        ends = names[k], names[k + 1], places[k], places[k + 1]
        mechanism.add_spring(f"spring {k}", *ends, stiffness=stiffness)
    run = sarrus.simulate(sarrus.build(mechanism), duration=20.0, dt=DT)
    assert energy_range(run, count * 9.81) < 2e-3
    assert len(run.stats.divided) == 0


@pytest.mark.parametrize("stiffness", [(1.0, 1.0, 1.0), (1.0, 0.1, 3.0)], ids=["even", "uneven"])
@pytest.mark.parametrize("phase", PHASES)
def test_a_ball_joint_with_a_stiff_spring_has_a_bounded_energy_error(phase, stiffness):
    mechanism = sarrus.Mechanism()
    mechanism.add_body("top", 1.0, (0.2, 0.25, 0.3), position=(0.1, 0.2, -0.5))
    mechanism.add_joint("ball", "spherical", "world", "top", at=(0, 0, 0))
    mechanism.add_joint_spring("spring", "ball", stiffness=0.3 * (phase / DT) ** 2 * np.array(stiffness))
    model = sarrus.build(mechanism)
    rate = min(2.0, 0.05 / phase / DT)
    run = sarrus.simulate(model, 10.0, DT, state=model.state(velocities={"ball": (rate, 0.5 * rate, -rate)}))
    kinetic = run.energy().kinetic.max()
    assert energy_range(run, kinetic) < (0.05 if phase < 2.0 else 0.02)
    assert len(run.stats.divided) == 0


@pytest.mark.parametrize(("method", "coarsest", "expected"), [(2, 0.02, ORDER_2), (4, 0.04, ORDER_4)])
@pytest.mark.parametrize("place", ["row", "tree"])
@pytest.mark.filterwarnings("ignore:variational4 runs a stage backwards")
def test_resolved_springs_by_the_mean_rule_keep_the_order_of_the_method(method, coarsest, expected, place):
    # The damper does nothing but make the spring implicit at every dt.
    model = (spring_pendulum if place == "row" else double_pendulum)(0.08, damping=1e-13)

    def end(dt, order):
        chosen = sarrus.Variational(order=order, tolerance=SHARP)
        return sarrus.simulate(model, duration=0.8, dt=dt, method=chosen).position[-1]

    exact = end(0.0025, 4)
    assert ratios(lambda dt: np.abs(end(dt, method) - exact).max(), coarsest) == [expected]


@pytest.mark.parametrize("ends", [("a", "b"), ("world", "b"), ("b", "a")])
def test_stiff_springs_between_points_act_as_in_the_dense_reference(ends):
    mechanism = sarrus.Mechanism()
    mechanism.add_body("a", 1.0, (0.1, 0.2, 0.25), position=(0.4, 0.1, 0.5), orientation=turn(Y, 0.8))
    mechanism.add_body("b", 0.4, (0.05, 0.03, 0.06), position=(0.2, 0, -0.5), angular_velocity=(1, -2, 1))
    mechanism.add_joint("hinge", "revolute", "world", "a", at=(0, 0, 0.5), axis=X)
    mechanism.add_joint("ball", "spherical", "a", "b", at=(0.3, 0.1, 0))
    points = (0.5, 0.2, 0.3), (0.1, -0.2, -0.6)
    mechanism.add_spring("spring", *ends, *points, stiffness=4e3, rest_length=0.9)
    mechanism.add_joint_spring("twist", "ball", stiffness=(900.0, 500.0, 2000.0), rest=(0.05, 0, -0.1))
    model, run, dense = run_both(mechanism)
    assert model.stiff_springs(DT).points == {0}
    for name in ("position", "velocity", "angular_velocity"):
        # The springs turn last digits of positions into velocities.
        assert np.abs(getattr(run, name) - getattr(dense, name)).max() < 1e-7, name


def test_bodies_on_a_stiff_spring_of_no_length_keep_momentum_and_energy():
    mechanism = sarrus.Mechanism(gravity=(0, 0, 0))
    for sign, name in ((1.0, "a"), (-1.0, "b")):
        mechanism.add_body(
            name, 1.0, (0.1, 0.2, 0.25), position=(sign, 0, 0), velocity=(0, sign, 0.2),
            angular_velocity=(0.5, sign, 1.0),
        )  # fmt: skip
    mechanism.add_spring("spring", "a", "b", (0.01, 0.2, 0), (-0.01, 0.2, 0), 1e4, rest_length=0.0)
    run = sarrus.simulate(sarrus.build(mechanism), duration=20.0, dt=DT)
    for part in (run.momentum().linear, run.momentum().angular):
        assert np.abs(part - part[0]).max() < 1e-9
    # The points are off the centres: the arms turn by 0.1 rad in a step.
    assert energy_range(run, run.energy().total[0]) < 0.1
    assert len(run.stats.divided) == 0


def test_soft_springs_stay_explicit_and_the_choice_is_that_of_model_and_dt():
    soft, stiff = spring_pendulum(0.1), spring_pendulum(1.0)
    assert soft.step_arrays(DT) is soft.arrays
    assert stiff.step_arrays(DT).topo[0, 3] == 1
    assert stiff.step_arrays(DT) is stiff.step_arrays(DT)
    half = sarrus.simulate(stiff, duration=0.5, dt=DT)
    whole = sarrus.simulate(stiff, duration=1.0, dt=DT)
    rest = sarrus.simulate(stiff, duration=0.5, dt=DT, state=half.final_state)
    assert rest.position[-1].tobytes() == whole.position[-1].tobytes()


def test_tension_across_a_spring_that_a_step_does_not_resolve_is_warned_of_by_name():
    mechanism = sarrus.Mechanism()
    mechanism.add_body("mass", 1.0, (0.1, 0.1, 0.1), position=(0, 0, -1))
    mechanism.add_spring("rope", "world", "mass", (0, 0, 0), (0, 0, -1), stiffness=5e4, rest_length=0.5)
    mechanism.add_spring("stay", "world", "mass", (0, 0, -2), (0, 0, -1), stiffness=5e4, rest_length=0.5)
    model = sarrus.build(mechanism)
    # Each pulls with 25 kN at 1 m: w = sqrt(25e3) rad/s.
    with pytest.warns(UserWarning, match=r"spring 'rope' across its line has w dt = 1\.6.*dt = 0\.005 s"):
        sarrus.simulate(model, duration=0.02, dt=DT)


def test_a_slack_or_resolved_spring_is_not_warned_of(recwarn):
    sarrus.simulate(spring_pendulum(1000.0), duration=0.1, dt=DT)
    assert not recwarn.list


def well(x, q, p):
    """A stiff potential about a height, which steps take explicitly."""
    return 0.5 * p[0] * (x[0, 2] + 1.0) ** 2


def steep(x, q, p, out):
    out[:] = 0.0
    out[0, 2] = p[0] * (x[0, 2] + 1.0)


@pytest.mark.parametrize("gradient", [None, steep], ids=["energy", "gradient"])
def test_a_potential_that_is_too_stiff_is_warned_of_at_the_start_and_where_energy_has_grown(gradient):
    mechanism = sarrus.Mechanism()
    mechanism.add_body("mass", 2.0, (0.1, 0.1, 0.1), position=(0, 0, -1.01))
    mechanism.add_potential("well", ["mass"], well, parameters=[2.0 * (2.02 / DT) ** 2], gradient=gradient)
    model = sarrus.build(mechanism)
    with (
        pytest.warns(UserWarning, match="potential 'well' has w dt = 2 at the start"),
        pytest.warns(UserWarning, match="without a source; potential 'well'"),
    ):
        sarrus.simulate(model, duration=0.5, dt=DT)


# Across a spring between points its pull is explicit: no stiffer than dt resolves.
@pytest.mark.parametrize(
    ("kind", "phase"),
    [(kind, phase) for kind in ("joint", "ball joint", "points") for phase in (0.3, 0.5, 2.02)][:-1],
)
def test_wide_swings_that_dt_does_not_resolve_are_not_divided(kind, phase):
    mechanism = sarrus.Mechanism()
    mechanism.add_body("rod", 1.0, (0.1, 0.1, 0.1), position=(0, 0, -0.5))
    joint = {"kind": "spherical"} if kind == "ball joint" else {"kind": "revolute", "axis": (1, 0, 0)}
    mechanism.add_joint("hinge", parent="world", child="rod", at=(0, 0, 0), **joint)
    stiffness, angle = 0.35 * (phase / DT) ** 2, 0.3
    if kind == "points":
        if phase > 1.0:
            angle = (
                0.1  # beyond that the pull across the spring, which is explicit, is as stiff as the spring
            )
        ends = {"at_a": (0, 1, -1), "at_b": (0, 0, -1)}
        mechanism.add_spring("spring", "world", "rod", stiffness=stiffness, rest_length=1 - angle, **ends)
    else:
        rest = (angle, 0, 0) if kind == "ball joint" else angle
        mechanism.add_joint_spring("spring", "hinge", stiffness, rest)
    run = sarrus.simulate(sarrus.build(mechanism), duration=5.0, dt=DT)
    energy = run.energy()
    assert run.stats.divided.size == 0
    # It swings to and fro by (omega dt)^2 / 8 and the like, and goes nowhere.
    off = (energy.total - energy.total[0]) / energy.kinetic.max()
    assert abs(off[-250:].mean() - off[:250].mean()) < 0.05
