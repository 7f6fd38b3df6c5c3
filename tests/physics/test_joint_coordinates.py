"""The methods in joint coordinates: order, momenta, closing joints of every kind, elements."""

import numpy as np
import pytest
from tests.physics.scenes import X, Z, add_random_body, random_axes, random_unit

import sarrus
from sarrus.mechanism.joints import JOINT_KINDS

METHODS = ("tree-midpoint", "tree-trapezoid", "lie-trapezoid")
SHORT = 0.1
# The ratio of errors at dt and dt/2 is 2^order but for a part that falls with dt.
ABOUT = 0.15


def random_tree(seed, kinds, root=None):
    """A branching tree of moving bodies; every second joint has the tree's parent as its child."""
    rng = np.random.default_rng(seed)
    mechanism = sarrus.Mechanism()
    for i, kind in enumerate(kinds):
        add_random_body(mechanism, f"b{i}", rng)
        above = "world" if i == 0 else f"b{max(0, i - 1 - i % 2)}"
        ends = (above, f"b{i}") if i % 2 == 0 else (f"b{i}", above)
        if i > 0 or root is None:
            mechanism.add_joint(f"j{i}", kind, *ends, at=rng.normal(size=3), **random_axes(kind, rng))
    return mechanism


def end_of(model, method, dt, duration=SHORT, **options):
    """Positions and velocities at the end of a run."""
    steps = round(duration / dt)
    run = sarrus.simulate(model, duration, dt, method, record_every=steps, **options)
    return np.concatenate([run.position[-1], run.velocity[-1], run.angular_velocity[-1]], axis=1)


def extrapolated(model, method, dt, **options):
    """The end of a run for dt -> 0, and the size of its error."""
    coarse, fine = (end_of(model, method, h, **options) for h in (dt, 0.5 * dt))
    return fine + (fine - coarse) / 3.0, float(np.abs(fine - coarse).max() / 3.0)


def assert_agree(mechanism, dt=0.005, within=0.1, methods=METHODS[:2], **options):
    """The methods tend to the motion that variational tends to."""
    model = sarrus.build(mechanism)
    best, _ = extrapolated(model, "variational", dt, **options)
    for method in methods:
        end, error = extrapolated(model, method, dt, **options)
        assert np.abs(end - best).max() < within * error + 1e-7, method


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("root", [None, "free"])
def test_the_motion_is_of_second_order(method, root):
    model = sarrus.build(random_tree(1, ("universal", "screw", "cylindrical", "spherical"), root))
    best, _ = extrapolated(model, method, 0.00125)
    errors = [np.abs(end_of(model, method, dt) - best).max() for dt in (0.01, 0.005)]
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=ABOUT)


def test_alpha_other_than_a_half_is_of_first_order():
    model = sarrus.build(random_tree(1, ("universal", "screw", "cylindrical")))
    best, _ = extrapolated(model, "tree-midpoint", 0.0025)
    method = sarrus.TreeMidpoint(alpha=0.3)
    errors = [np.abs(end_of(model, method, dt) - best).max() for dt in (0.01, 0.005)]
    assert method.order == 1
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=ABOUT)


BACKWARDS = [(sarrus.TreeMidpoint, "universal"), (sarrus.TreeTrapezoid, "spherical")]


@pytest.mark.parametrize(("method", "kind"), BACKWARDS)
def test_a_run_backwards_returns_to_its_start(method, kind):
    model = sarrus.build(random_tree(2, ("revolute", "prismatic", kind)))
    # Steps are solved to this, so that what is left is the rounding of two runs.
    method = method(tolerance=1e-13)
    run = sarrus.simulate(model, 0.2, 0.01, method)
    end = run.final_state
    back = sarrus.State(0.0, end.position, end.orientation, -end.velocity, -end.angular_velocity, model)
    back.winding = end.winding
    home = sarrus.simulate(model, 0.2, 0.01, method, state=back)
    assert np.abs(home.position[-1] - run.position[0]).max() < 1e-9


def momenta_are_constant(method, steps, dt, within):
    model = sarrus.build(sarrus.gallery.free_chain(links=3, joint="revolute"))
    run = sarrus.simulate(model, dt * steps, dt, method, record_every=max(1, steps // 200))
    momentum = run.momentum()
    assert np.abs(momentum.linear - momentum.linear[0]).max() < within
    assert np.abs(momentum.angular - momentum.angular[0]).max() < within


@pytest.mark.parametrize("method", METHODS)
def test_momenta_of_a_floating_chain_are_constant_to_rounding(method):
    momenta_are_constant(method, 200, 0.1, 1e-11)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_momenta_of_a_floating_chain_are_constant_over_many_steps(method):
    momenta_are_constant(method, 100_000, 0.1, 1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_rounding_of_the_linear_momentum_does_not_add_up(method):
    # 13 km away, 1e-13 of it in another direction are 1e-9 of angular momentum.
    model = sarrus.build(sarrus.gallery.free_chain(links=3, joint="revolute"))
    momentum = sarrus.simulate(model, 1000.0, 0.05, method, record_every=1000).momentum()
    assert np.abs(momentum.linear - momentum.linear[0]).max() < 1e-14


def test_the_linear_momentum_of_a_free_body_on_se3_follows_its_forces():
    mechanism = sarrus.gallery.free_chain(links=3, joint="revolute")
    mechanism.gravity = (0.0, 0.0, -2.0)
    first, *_, last = mechanism.bodies
    tip = mechanism.bodies[last].position
    mechanism.add_force("push", first, force=(0.0, 1.0, 0.5))
    mechanism.add_spring("line", "world", last, at_a=(0, 0, 1), at_b=tip, stiffness=3.0)
    model = sarrus.build(mechanism)
    lie, tree = (sarrus.simulate(model, 1.0, 1e-3, name) for name in ("lie-trapezoid", "tree-trapezoid"))
    assert np.abs(lie.momentum().linear[-1]).max() > 1.0
    np.testing.assert_allclose(lie.momentum().linear, tree.momentum().linear, atol=1e-5)


CLOSING = [kind for kind in JOINT_KINDS if kind not in ("free", "fixed")]


@pytest.mark.parametrize("kind", CLOSING)
def test_a_joint_of_any_kind_closes_a_loop(kind):
    rng = np.random.default_rng(len(kind))
    mechanism = sarrus.Mechanism()
    for i in range(3):
        add_random_body(mechanism, f"b{i}", rng)
    mechanism.add_joint("base", "spherical", "world", "b0", at=rng.normal(size=3))
    mechanism.add_joint("one", "spherical", "b0", "b1", at=rng.normal(size=3))
    mechanism.add_joint("two", "spherical", "b2", "b1", at=rng.normal(size=3))
    mechanism.add_joint("end", kind, "b2", "world", at=rng.normal(size=3), **random_axes(kind, rng))
    model = sarrus.build(mechanism)
    assert model.description.tree.closures
    run = sarrus.simulate(model, 0.05, 0.005, "tree-midpoint")
    assert run.violation().max() < 1e-9
    assert_agree(mechanism, methods=METHODS, duration=0.04)


def test_further_constraints_close_loops():
    def on_sphere(x, q, p, out):
        out[0] = 0.5 * (x[0, 0] ** 2 + x[0, 1] ** 2 + x[0, 2] ** 2 - p[0])

    rng = np.random.default_rng(5)
    mechanism = sarrus.Mechanism()
    for i in range(4):
        add_random_body(mechanism, f"b{i}", rng)
    for i, above in enumerate(("world", "b0", "b1", "world")):
        mechanism.add_joint(f"j{i}", "revolute", above, f"b{i}", at=rng.normal(size=3), axis=random_unit(rng))
    at = [mechanism.bodies[f"b{i}"].position for i in range(4)]
    mechanism.add_distance("rod", "b2", "b3", at[2], at[3])
    mechanism.add_gear("gear", "j1", "j3", 0.5)
    assert_agree(mechanism, duration=0.04)
    other = random_tree(3, ("spherical", "spherical"))
    centre = other.bodies["b1"].position
    other.add_constraint("sphere", ["b1"], on_sphere, rows=1, parameters=[float(centre @ centre)])
    assert_agree(other, duration=0.04)
    track = random_tree(4, ("spherical", "spherical"))
    point = track.bodies["b1"].position
    points = [point - X, point, point + X + 0.3 * Z]
    track.add_point_on_curve("track", "world", "b1", point, points)
    assert_agree(track, duration=0.04)


def loaded_tree():
    """Springs, dampers, motors and forces, on joints of the tree and between points."""
    mechanism = random_tree(6, ("revolute", "cylindrical", "spherical", "universal"))
    mechanism.add_joint_spring("coil", "j0", stiffness=30.0, rest=0.2, damping=0.5)
    mechanism.add_joint_spring("slider", "j1", stiffness=(20.0, 5.0), rest=(0.0, 0.1), damping=(1.0, 0.2))
    mechanism.add_joint_spring("ball", "j2", stiffness=4.0, damping=0.3)
    mechanism.add_motor("push", "j0")
    mechanism.add_motor("hold", "j3", mode="servo", component=0, stiffness=20.0, damping=1.0, limit=2.0)
    at = {name: body.position for name, body in mechanism.bodies.items()}
    mechanism.add_spring("s", "b1", "b3", at["b1"], at["b3"], stiffness=40.0, rest_length=0.2, damping=1.0)
    mechanism.add_spring("t", "world", "b2", (0, 0, 1), at["b2"], stiffness=15.0)
    mechanism.add_force("wind", "b2", force=(1.0, 2.0, 0.5), torque=(0.1, 0.0, 0.2), at=at["b2"] + 0.2 * X)
    mechanism.add_force("jet", "b3", force=(0.0, 1.0, 0.0), frame="body")
    return mechanism


def test_springs_dampers_motors_and_forces():
    inputs = {"push": lambda t: 2.0 * np.sin(20.0 * t), "hold": 0.5, "jet": (0.0, 0.0, 1.0, 0.0, 0.0, 0.0)}
    assert_agree(loaded_tree(), methods=METHODS, inputs=inputs)


def test_terms_of_the_users():
    def drag(t, x, q, v, w, p, out):
        for i in range(3):
            out[0, i] = -p[0] * v[0, i]

    def well(x, q, p):
        return p[0] * (x[0, 0] ** 2 + x[0, 2] ** 2)

    mechanism = random_tree(7, ("revolute", "spherical"))
    mechanism.add_custom_force("drag", ["b1"], drag, parameters=[0.8])
    mechanism.add_potential("well", ["b1"], well, [3.0])
    assert_agree(mechanism)


def test_springs_and_motors_of_joints_that_close_a_loop():
    mechanism = sarrus.gallery.four_bar()
    closing = sarrus.build(mechanism).description.tree.closures
    name = list(mechanism.joints)[closing[0]]
    mechanism.add_joint_spring("coil", name, stiffness=5.0, damping=0.2)
    mechanism.add_motor("push", name)
    assert_agree(mechanism, inputs={"push": 1.0})


def test_tendons_and_couplings():
    mechanism = random_tree(9, ("revolute", "revolute", "prismatic"))
    mechanism.add_tendon("cable", {"j0": 0.3, "j2": -1.0})
    mechanism.add_joint_spring("elastic", "cable", stiffness=20.0, rest=0.1, damping=0.5)
    mechanism.add_motor("pull", "cable")
    mechanism.add_coupling("gears", {"j0": 1.0, "j1": 2.0})
    assert_agree(mechanism, inputs={"pull": 1.0})


def test_armature_adds_inertia_to_a_coordinate():
    mechanism = sarrus.Mechanism()
    mechanism.add_body("rod", 1.0, (0.1, 0.1, 0.01), position=(0.0, 0.5, 0.0))
    mechanism.add_joint("hinge", "revolute", "world", "rod", at=(0, 0, 0), axis=(1, 0, 0), armature=0.4)
    assert_agree(mechanism)


def test_a_stiff_spring_does_not_bound_the_step_of_the_midpoint_rule():
    mechanism = sarrus.Mechanism()
    mechanism.add_body("a", 1.0, (0.1, 0.1, 0.1), position=(1.0, 0.0, 0.0))
    mechanism.add_body("b", 1.0, (0.1, 0.1, 0.1), position=(1.0, 0.0, 1.0))
    mechanism.add_joint("ja", "revolute", "world", "a", at=(0, 0, 0), axis=(0, 1, 0))
    mechanism.add_joint("jb", "revolute", "world", "b", at=(0, 0, 1), axis=(0, 1, 0))
    mechanism.add_spring("stiff", "a", "b", (1, 0, 0), (1, 0, 1), stiffness=1e8)
    model = sarrus.build(mechanism)
    run = sarrus.simulate(model, 1.0, 0.01, "tree-midpoint")
    # Both fall as one: the spring holds them at its length but for its sag.
    gap = np.linalg.norm(run.position[:, 1] - run.position[:, 0], axis=1)
    assert np.abs(gap - 1.0).max() < 1e-5
    assert np.ptp(run.energy().total) < 0.05 * np.ptp(run.energy().kinetic)


def test_a_controller_acts_on_the_inputs():
    model = sarrus.build(loaded_tree())
    steady = sarrus.simulate(model, 0.1, 0.01, "tree-midpoint", inputs={"push": 1.0})
    steered = sarrus.simulate(model, 0.1, 0.01, "tree-midpoint", controller=lambda t, state: {"push": 1.0})
    assert np.array_equal(steady.position, steered.position)


@pytest.mark.parametrize("method", METHODS[:2])
def test_overconstrained_loops_hold_in_all_rows_over_a_long_motion(method):
    for maker in (sarrus.gallery.sarrus, sarrus.gallery.bricard, sarrus.gallery.rhombus_chain):
        model = sarrus.build(maker())
        run = sarrus.simulate(model, 5.0, 0.01, method)
        energy = run.energy()
        assert run.violation().max() < 1e-9, model.mechanism.name
        # Bounded, of order dt^2: the Sarrus linkage drops by half a metre and back in less than a second.
        assert np.ptp(energy.total) < 0.05 * np.ptp(energy.kinetic), model.mechanism.name


def hanging_scissors(segments, angle, length=5.0, mass=1.0, inertia=1.0, slider=1.0):
    """The lift of [JM09] Fig. 10, hanging: pinned at the upper left, a mass that slides at the upper
    right."""
    mech = sarrus.Mechanism(name="hanging scissors")
    wide, high = length * np.cos(angle), length * np.sin(angle)
    mech.add_body("slider", slider, (1.0, 1.0, 1.0), position=(0.0, wide, 0.0))
    mech.add_joint("rail", "prismatic", "world", "slider", at=(0.0, wide, 0.0), axis=(0, 1, 0))
    left, right = "world", "slider"
    for k in range(segments):
        top = -k * high
        middle = (0.0, 0.5 * wide, top - 0.5 * high)
        for name in ("down", "up"):
            mech.add_body(f"{name} {k}", mass, (inertia,) * 3, position=middle)
        mech.add_joint(f"left {k}", "revolute", left, f"down {k}", at=(0.0, 0.0, top), axis=X)
        mech.add_joint(f"right {k}", "revolute", right, f"up {k}", at=(0.0, wide, top), axis=X)
        mech.add_joint(f"cross {k}", "revolute", f"down {k}", f"up {k}", at=middle, axis=X)
        left, right = f"up {k}", f"down {k}"
    return mech


def swing_of_scissors(segments, angle, length=5.0, mass=1.0, inertia=1.0, slider=1.0, g=9.81):
    """(period, largest angle) of the one freedom of the lift: the time from rest to the vertical, by
    quadrature of [JM09] VI-C, corrected: sin^2 has 1/4, and I stands outside m L^2."""
    from scipy.integrate import quad

    n = np.arange(1, segments + 1)

    def twice_kinetic(a):
        rods = mass * length**2 * (np.sum((n - 0.5) ** 2) * np.cos(a) ** 2 + 0.25 * segments * np.sin(a) ** 2)
        return 2.0 * (rods + segments * inertia) + slider * length**2 * np.sin(a) ** 2

    def potential(a):
        return -2.0 * mass * g * length * np.sum(n - 0.5) * np.sin(a)

    # With sin(s)^2 substituted the end of the swing is no singularity.
    def rate(s):
        a = angle + (0.5 * np.pi - angle) * (1.0 - np.cos(s))
        speed = np.sqrt(2.0 * (potential(angle) - potential(a)) / twice_kinetic(a))
        return (0.5 * np.pi - angle) * np.sin(s) / speed

    quarter = quad(rate, 0.0, 0.5 * np.pi, limit=200)[0]
    return 4.0 * quarter, np.pi - angle


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS[:2])
def test_a_scissor_lift_keeps_amplitude_and_frequency_over_1000_seconds(method):
    angle = 0.05 * np.pi
    model = sarrus.build(hanging_scissors(5, angle))
    assert model.dof == 1
    run = sarrus.simulate(model, 1000.0, 0.01, method)
    period, top = swing_of_scissors(5, angle)
    swing = angle - run.joint_position("left 0")
    late = run.time > 980.0
    assert run.violation().max() < 1e-8
    assert swing[late].max() - swing[late].min() == pytest.approx(top - angle, rel=0.01)
    middle = 0.5 * np.pi
    up = np.flatnonzero((swing[:-1] < middle) & (swing[1:] >= middle))
    times = run.time[up] + 0.01 * (middle - swing[up]) / (swing[up + 1] - swing[up])
    assert np.diff(times).mean() == pytest.approx(period, rel=0.01)
    assert np.diff(times[times > 900.0]).mean() == pytest.approx(period, rel=0.01)
