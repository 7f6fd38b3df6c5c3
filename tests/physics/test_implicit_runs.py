"""Runs of BDF, SDIRK and semi-implicit Euler: read-outs, reactions, stiff springs, steps that fail, what is
refused."""

import warnings

import numpy as np
import pytest
from tests.physics.scenes import X, rod_pendulum

import sarrus
from sarrus.mechanism.rotations import rotate, rotation

CLOSED = 1e-10
PROJECTED = 1e-9  # velocities read out meet the rows to this
FAMILY = ("bdf1", "bdf2", "sdirk")


@pytest.mark.parametrize("method", ["bdf2", "sdirk"])
def test_reactions_are_those_of_the_accelerations_from_the_first_node_on(method):
    model = sarrus.build(sarrus.gallery.four_bar(speed=4.0))
    run = sarrus.simulate(model, 0.05, 0.002, method, reactions=True)
    fine = sarrus.simulate(model, 0.05, 0.0001, reactions=True, record_every=20)
    for joint in model.joint_names:
        mine, theirs = run.reaction(joint), fine.reaction(joint)
        scale = np.abs(theirs.force).max()
        # Inner nodes; the ends of the other run have one step only.
        assert np.abs(mine.force - theirs.force)[1:-1].max() < 2e-3 * scale, joint
        assert np.abs(mine.torque - theirs.torque)[1:-1].max() < 2e-3 * scale, joint


def test_the_reaction_of_a_resting_pendulum_is_its_weight_with_armature_and_springs_left_out():
    mechanism = rod_pendulum([0.0], armature=0.3)
    mechanism.add_joint_spring("spring", "hinge 0", stiffness=5.0, rest=0.0, damping=1.0)
    model = sarrus.build(mechanism)
    run = sarrus.simulate(model, 0.05, 0.01, "bdf2", reactions=True)
    wrench = run.reaction("hinge 0")
    weight = -model.masses[0] * model.gravity
    assert np.allclose(wrench.force, weight, atol=1e-9)
    assert np.allclose(wrench.torque, 0.0, atol=1e-9)


@pytest.mark.parametrize("method", FAMILY)
def test_velocities_read_out_meet_the_constraints(method):
    model = sarrus.build(sarrus.gallery.double_four_bar())
    run = sarrus.simulate(model, 0.3, 0.01, method, record_every=5)
    assert run.violation().max() < CLOSED
    step = 1e-6
    for k in range(len(run)):
        state = run.state(k)
        x = state.position + step * state.velocity
        half = 0.5 * step * state.angular_velocity
        q = state.orientation
        w = np.concatenate([np.zeros((len(q), 1)), half], axis=1)
        moved = q + np.array([quaternion_product(a, b) for a, b in zip(q, w, strict=True)])
        moved /= np.linalg.norm(moved, axis=1)[:, None]
        # The error of the second order of the difference itself is about step^2.
        assert np.abs(model.residuals(x[None], moved[None])).max() < step * PROJECTED + 100 * step**2


def quaternion_product(a, b):
    return np.concatenate(
        [[a[0] * b[0] - a[1:] @ b[1:]], a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])]
    )


@pytest.mark.parametrize("method", FAMILY)
def test_springs_of_any_stiffness_are_stable(method):
    mechanism = rod_pendulum([0.4, 0.4])
    mechanism.add_joint_spring("stiff", "hinge 1", stiffness=1e7)
    mechanism.add_spring(
        "strut", "world", "rod 0", at_a=(0.0, 1.0, 0.0), at_b=(0.0, 0.2, -0.2), stiffness=1e6, damping=10.0
    )
    run = sarrus.simulate(sarrus.build(mechanism), 0.5, 0.01, method)
    assert np.abs(run.joint_position("hinge 1")).max() < 1e-3
    assert run.energy().total[-1] <= run.energy().total[0] + 1e-9


def test_a_users_stiff_potential_is_solved_for():
    def well(x, q, p):
        return 0.5 * p[0] * (x[0, 0] ** 2 + x[0, 1] ** 2 + x[0, 2] ** 2)

    mechanism = sarrus.Mechanism(gravity=(0.0, 0.0, 0.0))
    mechanism.add_body("bead", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.1, 0.0, 0.0))
    mechanism.add_potential("well", ["bead"], well, [1e6])
    run = sarrus.simulate(sarrus.build(mechanism), 1.0, 0.01, "bdf2")
    assert np.abs(run.position[-1]).max() < 1e-3  # damped away: w dt = 10
    assert run.stats.iterations[1:].max() <= 3
    assert run.stats.iterations[0] <= 6  # a step of SDIRK: two stages


def test_a_users_drag_is_that_of_the_variational_method_as_dt_falls():
    def drag(t, x, q, v, w, p, out):
        speed = np.sqrt(v[0, 0] ** 2 + v[0, 1] ** 2 + v[0, 2] ** 2)
        for i in range(3):
            out[0, i] = -p[0] * speed * v[0, i]

    mechanism = sarrus.Mechanism()
    mechanism.add_body("ball", mass=0.1, inertia=(4e-5, 4e-5, 4e-5), velocity=(20.0, 0.0, 20.0))
    mechanism.add_custom_force("air", ["ball"], drag, parameters=[0.002])
    model = sarrus.build(mechanism)
    fine = sarrus.simulate(model, 1.0, 0.0005).position[-1]
    for method in ("bdf2", "sdirk"):
        assert np.abs(sarrus.simulate(model, 1.0, 0.005, method).position[-1] - fine).max() < 2e-3


@pytest.mark.parametrize("method", ["bdf2", "sdirk"])
def test_a_rolling_disc_stays_on_the_ground_and_agrees_with_the_variational_method(method):
    model = sarrus.build(sarrus.gallery.rolling_disc())
    fine = sarrus.simulate(model, 0.5, 0.0005, record_every=1000)
    run = sarrus.simulate(model, 0.5, 0.002, method)
    assert run.violation().max() < CLOSED
    assert run.slip().max() < PROJECTED
    assert np.abs(run.position[-1] - fine.position[-1]).max() < 2e-3


def test_a_step_that_fails_is_done_in_parts_and_recorded():
    model = sarrus.build(sarrus.gallery.pendulum(links=10))
    run = sarrus.simulate(model, 6.0, 0.1, sarrus.Bdf(max_iterations=4))
    assert run.stats.substeps.sum() > 0
    assert (run.stats.status[run.stats.substeps > 0] == sarrus.Status.SUBSTEPPED).all()
    assert run.violation().max() < CLOSED


def test_large_steps_do_not_flip_joints():
    model = sarrus.build(sarrus.gallery.bricard())
    run = sarrus.simulate(model, 3.0, 0.1, "bdf2")
    assert run.violation().max() < CLOSED
    fixed = rod_pendulum([0.3, 0.6, 0.9, 1.2])
    swing = sarrus.simulate(sarrus.build(fixed), 4.0, 0.1, "bdf2")
    # All axes stay parallel to x: none has turned over.
    axes = np.array([swing.body(name).point(X) - swing.body(name).position for name in swing.body_names])
    assert np.abs(axes - X).max() < 1e-9


@pytest.mark.parametrize("method", FAMILY)
@pytest.mark.parametrize(
    ("make", "options"),
    [
        ("four_bar", {"speed": 20.0}),
        ("double_four_bar", {}),
        ("bricard", {}),
        ("rhombus_chain", {"segments": 3}),
    ],
)
def test_axes_of_hinges_stay_together_where_bodies_turn_far_in_a_step(make, options, method):
    """A joint that flips keeps its rows and turns its axis over."""
    model = sarrus.build(sarrus.gallery.make(make, **options))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the steps, which are meant to be far too long
        run = sarrus.simulate(model, 3.0, 0.1, method)
    assert run.violation().max() < CLOSED
    hinges = [j for j in model.mechanism.joints.values() if j.kind == "revolute"]
    assert hinges
    for joint in hinges:
        axes = [carried(run, body, joint.axis) for body in (joint.parent, joint.child)]
        assert (np.sum(axes[0] * axes[1], axis=1) > 1.0 - 1e-9).all(), joint.name


def carried(run, body, axis):
    """(T, 3) an axis of the reference that `body` carries along."""
    axis = np.asarray(axis, float) / np.linalg.norm(axis)
    if body == "world":
        return np.broadcast_to(axis, (len(run), 3))
    k, given = run.model.body_index[body], run.model.mechanism.bodies[body].orientation
    return rotate(run.orientation[:, k], rotation(given).T @ axis)


def test_bdf2_starts_and_starts_again_with_a_step_of_order_two():
    model = sarrus.build(sarrus.gallery.four_bar(speed=4.0))
    first, alone = (sarrus.simulate(model, 0.01, 0.01, method) for method in ("bdf2", "sdirk"))
    assert np.array_equal(first.position, alone.position)
    fine = sarrus.simulate(model, 1.0, 1e-3, "variational6", record_every=1000).position[-1]

    def error(dt, pieces):
        state = None
        for _ in range(pieces):
            run = sarrus.simulate(model, 1.0 / pieces, dt, "bdf2", state=state)
            state = run.final_state
            state.memory = None  # forgets the node before
        return np.abs(run.position[-1] - fine).max()

    # Four more starts cost next to nothing; with starts of order 1 they would dominate.
    assert error(0.005, 5) == pytest.approx(error(0.005, 1), rel=0.05)
    assert error(0.01, 5) / error(0.005, 5) == pytest.approx(4.0, abs=0.5)


def test_divided_steps_leave_bdf2_its_accuracy():
    model = sarrus.build(sarrus.gallery.pendulum(links=3))
    fine = sarrus.simulate(model, 1.0, 1e-3, "variational6", record_every=1000).position[-1]
    whole, divided = (sarrus.simulate(model, 1.0, 0.02, sarrus.Bdf(max_iterations=n)) for n in (30, 2))
    assert not whole.stats.substeps.any()
    assert divided.stats.substeps.any()
    errors = [np.abs(run.position[-1] - fine).max() for run in (whole, divided)]
    assert errors[1] < 1.2 * errors[0]


def test_a_run_taken_up_from_its_state_goes_on_as_if_unbroken():
    model = sarrus.build(sarrus.gallery.four_bar(speed=4.0))
    for method in ("bdf2", "sdirk"):
        whole = sarrus.simulate(model, 0.2, 0.01, method)
        first = sarrus.simulate(model, 0.1, 0.01, method)
        rest = sarrus.simulate(model, 0.1, 0.01, method, state=first.final_state)
        assert np.abs(rest.position[-1] - whole.position[-1]).max() < 1e-9, method
        other = sarrus.simulate(model, 0.1, 0.01, state=first.final_state)
        assert np.abs(other.position[-1] - whole.position[-1]).max() < 1e-2


def test_one_step_at_a_time_is_the_same_as_a_run():
    model = sarrus.build(sarrus.gallery.pendulum(links=2))
    run = sarrus.simulate(model, 0.05, 0.01, "bdf2")
    sim = sarrus.Simulation(model, dt=0.01, method="bdf2")
    for _ in range(5):
        now = sim.step()
    assert np.abs(now.position - run.position[-1]).max() < 1e-14
    assert np.abs(now.velocity - run.velocity[-1]).max() < 1e-12


def test_a_method_that_damps_is_not_warned_of_for_losing_energy(recwarn):
    model = sarrus.build(sarrus.gallery.four_bar(speed=4.0))
    run = sarrus.simulate(model, 1.0, 0.02, "bdf1")
    assert run.energy().total[-1] < run.energy().total[0] - 0.05 * np.ptp(run.energy().kinetic)
    assert not [w for w in recwarn if "energy" in str(w.message)]


def test_what_is_bounded_by_inequalities_is_refused_by_name():
    mechanism = rod_pendulum([0.3])
    mechanism.add_limit("stop", "hinge 0", lower=-1.0, upper=1.0)
    model = sarrus.build(mechanism)
    for method in (*FAMILY, "semi-implicit"):
        with pytest.raises(sarrus.MechanismError, match=r"(?s)stop.*variational"):
            sarrus.simulate(model, 0.1, 0.01, method)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: sarrus.Bdf(order=3), "order must be 1 or 2"),
        (lambda: sarrus.Bdf(form="other"), "momentum"),
        (lambda: sarrus.Bdf(tolerance=float("nan")), "tolerance"),
        (lambda: sarrus.Sdirk("gauss"), "alexander"),
        (lambda: sarrus.Sdirk(max_substeps=3), "power of 2"),
        (lambda: sarrus.SemiImplicit(baumgarte=1.5), "from 0 to 1"),
    ],
)
def test_settings_that_make_no_sense_are_refused(make, said):
    with pytest.raises(sarrus.MechanismError, match=said):
        make()


def test_semi_implicit_euler_is_of_order_one_and_lets_joints_drift():
    model = sarrus.build(sarrus.gallery.four_bar(speed=4.0))
    fine = sarrus.simulate(model, 0.2, 0.0005, record_every=400).position[-1]
    errors = []
    for dt in (0.004, 0.002, 0.001):
        run = sarrus.simulate(model, 0.2, dt, "semi-implicit")
        errors.append(np.abs(run.position[-1] - fine).max())
        assert run.violation().max() > CLOSED
    assert errors[0] / errors[1] == pytest.approx(2.0, abs=0.3)
    drifting = sarrus.simulate(model, 0.5, 0.01, sarrus.SemiImplicit(baumgarte=0.0)).violation()[-1]
    held = sarrus.simulate(model, 0.5, 0.01, sarrus.SemiImplicit(baumgarte=0.5)).violation()[-1]
    assert held < 0.2 * drifting


@pytest.mark.parametrize(
    "method",
    [sarrus.Bdf(1, max_substeps=1), sarrus.Bdf(max_substeps=1), sarrus.Sdirk(max_substeps=1)],
)
def test_a_step_that_fails_and_may_not_be_divided_is_never_accepted(method):
    model = sarrus.build(sarrus.gallery.pendulum(links=3))
    with pytest.warns(UserWarning, match="recommended step"), pytest.raises(sarrus.StepFailed):
        sarrus.simulate(model, 20.0, 2.0, method)
