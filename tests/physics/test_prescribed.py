"""Motors that prescribe positions, velocities and poses: closed forms, agreement of the families, efforts,
starts, what is refused."""

import numpy as np
import pytest
from tests.physics.scenes import add_random_body, random_axes, rod_pendulum

import sarrus
from sarrus.model import Clock
from sarrus.prescribed import Path

FAMILY = ("variational", "bdf2", "sdirk")
MET = 1e-10  # tolerance of the steps
RATES = 1e-6  # rates of functions are differences over a hundredth of a step


def swing(t):
    return 0.3 * np.sin(5.0 * t)


def arm(mode="position"):
    """A pendulum of two rods whose upper hinge is driven."""
    mechanism = rod_pendulum([0.4, 0.8])
    mechanism.add_motor("drive", "hinge 0", mode=mode)
    return sarrus.build(mechanism)


@pytest.mark.parametrize("method", [*FAMILY, "bdf1", "variational4"])
def test_a_driven_hinge_is_where_its_input_is_at_every_node(method):
    run = sarrus.simulate(arm(), 0.3, 0.01, method, inputs={"drive": swing})
    assert np.abs(run.joint_position("hinge 0") - swing(run.time)).max() < MET
    assert np.abs(run.joint_velocity("hinge 0") - 1.5 * np.cos(5.0 * run.time)).max() < RATES


@pytest.mark.parametrize("method", FAMILY)
def test_the_effort_of_a_drive_is_that_of_a_rod_turned_by_a_torque(method):
    mechanism = rod_pendulum([0.0])
    mechanism.add_motor("drive", "hinge 0", mode="position")
    model = sarrus.build(mechanism)
    run = sarrus.simulate(model, 0.4, 0.002, method, inputs={"drive": swing}, reactions=True)
    angle, turned = swing(run.time), -25.0 * swing(run.time)
    inertia = model.inertias[0, 0, 0] + model.masses[0] * 0.25
    torque = inertia * turned + model.masses[0] * 9.81 * 0.5 * np.sin(angle)
    inner = slice(2, -2)
    assert np.abs(run.motor_effort("drive") - torque)[inner].max() < 2e-3 * np.abs(torque).max()


def test_the_families_agree_on_the_free_part_of_a_driven_mechanism():
    model = arm()
    fine = sarrus.simulate(model, 0.3, 0.0005, inputs={"drive": swing}).joint_position("hinge 1")[-1]
    for method in FAMILY:
        errors = [
            abs(
                sarrus.simulate(model, 0.3, dt, method, inputs={"drive": swing}).joint_position("hinge 1")[-1]
                - fine
            )
            for dt in (0.01, 0.005)
        ]
        assert errors[0] / errors[1] == pytest.approx(4.0, abs=0.8), method


def test_the_work_of_a_drive_balances_the_energy():
    model = arm()
    errors = []
    for dt in (0.01, 0.005):
        run = sarrus.simulate(model, 0.5, dt, inputs={"drive": swing})
        assert np.abs(run.work().motors).max() > 0.1
        errors.append(np.abs(run.energy_balance()).max())
    assert errors[0] < 1e-2
    assert errors[0] / errors[1] > 3.0


@pytest.mark.parametrize("method", FAMILY)
def test_a_prescribed_velocity_adds_up_to_the_way(method):
    run = sarrus.simulate(
        arm("velocity"), 0.3, 0.01, method, inputs={"drive": lambda t: 1.5 * np.cos(5.0 * t)}
    )
    assert np.abs(run.joint_position("hinge 0") - swing(run.time)).max() < 1e-7
    steady = sarrus.simulate(arm("velocity"), 0.3, 0.01, method, inputs={"drive": 0.7})
    assert np.abs(steady.joint_position("hinge 0") - 0.7 * steady.time).max() < MET


KINDS = [k for k in sarrus.JOINT_KINDS if sarrus.JOINT_KINDS[k].coordinates]


def driven_joint(kind):
    """(model, motion, its number of coordinates): a joint of any kind whose coordinates all swing."""
    rng = np.random.default_rng(KINDS.index(kind))
    mechanism = sarrus.Mechanism()
    add_random_body(mechanism, "one", rng, speed=0.0)
    add_random_body(mechanism, "two", rng, speed=0.0)
    mechanism.add_joint("first", "revolute", "world", "one", at=rng.normal(size=3), axis=(1, 0, 0))
    mechanism.add_joint("second", kind, "one", "two", at=rng.normal(size=3), **random_axes(kind, rng))
    mechanism.add_motor("drive", "second", mode="position")
    count = len(sarrus.JOINT_KINDS[kind].coordinates)
    size = 0.2 + 0.1 * np.arange(count)

    def wanted(t):
        return size * np.sin(3.0 * t + 0.5 * np.arange(count))

    return sarrus.build(mechanism), wanted, count


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_joint_follows_what_is_prescribed(kind):
    model, wanted, count = driven_joint(kind)
    for method in ("variational", "bdf2"):
        run = sarrus.simulate(model, 0.2, 0.01, method, inputs={"drive": wanted})
        found = run.joint_position("second").reshape(len(run), count)
        assert np.abs(found - [wanted(t) for t in run.time]).max() < 10 * MET, method


def test_drives_may_be_partial_and_mixed_with_forces():
    mechanism = sarrus.Mechanism()
    mechanism.add_body("sled", 1.0, (0.1, 0.1, 0.1))
    mechanism.add_joint("guide", "cylindrical", "world", "sled", at=(0, 0, 0), axis=(1, 0, 0))
    mechanism.add_motor("slide", "guide", mode="position", component=0)
    mechanism.add_motor("twist", "guide", mode="force", component=1)
    run = sarrus.simulate(
        sarrus.build(mechanism), 0.5, 0.01, "bdf2", inputs={"slide": lambda t: 0.2 * t**2, "twist": 0.3}
    )
    q = run.joint_position("guide")
    assert np.abs(q[:, 0] - 0.2 * run.time**2).max() < MET
    assert q[-1, 1] == pytest.approx(0.5 * 3.0 * 0.25, rel=0.05)


@pytest.mark.parametrize("method", [*FAMILY, "tree-midpoint", "tree-trapezoid", "lie-trapezoid"])
def test_a_body_follows_a_prescribed_pose(method):
    mechanism = sarrus.Mechanism()
    mechanism.add_body("hand", 1.0, (0.1, 0.2, 0.3), position=(0.5, 0.0, 0.0))
    mechanism.add_body("tool", 0.5, (0.01, 0.01, 0.01), position=(0.5, 0.0, -0.3))
    mechanism.add_joint("hang", "spherical", "hand", "tool", at=(0.5, 0.0, 0.0))
    mechanism.add_motion("guide", "hand")

    def pose(t):
        half = 4.0 * t
        return np.array([0.5 + 0.1 * np.sin(3 * t), 0.1 * t, 0.0, np.cos(half), 0.0, np.sin(half), 0.0])

    run = sarrus.simulate(sarrus.build(mechanism), 1.0, 0.01, method, inputs={"guide": pose})
    path, wanted = run.body("hand"), np.array([pose(t) for t in run.time])
    assert np.abs(path.position - wanted[:, :3]).max() < 10 * MET
    side = np.sign((path.orientation * wanted[:, 3:]).sum(-1, keepdims=True))
    assert np.abs(side * path.orientation - wanted[:, 3:]).max() < 10 * MET


def test_a_loop_is_driven_by_its_crank_and_starts_assembled():
    mechanism = sarrus.gallery.four_bar()
    mechanism.add_motor("crank", "crank pivot", mode="position")
    model = sarrus.build(mechanism)
    for method in FAMILY:
        run = sarrus.simulate(
            model, 0.5, 0.01, method, inputs={"crank": lambda t: 0.2 + 4.0 * t}, reactions=True
        )
        assert run.joint_position("crank pivot")[0] == pytest.approx(0.2, abs=1e-9)
        assert run.joint_velocity("crank pivot") == pytest.approx(4.0, abs=1e-6)
        assert run.violation().max() < MET
        assert np.isfinite(run.motor_effort("crank")).all()


def plate_motion(t):
    """Place (3,) and rotation about z of the plate of a Stewart platform, and their second rates."""
    w = 3.0
    place = np.array([0.05 * np.sin(w * t), 0.03 * np.sin(w * t), 0.04 * np.sin(w * t)])
    return place, -(w**2) * place


def test_the_legs_of_a_stewart_platform_carry_what_moves():
    model = sarrus.build(sarrus.gallery.stewart_platform(mode="position"))
    mech = model.mechanism
    legs = {}
    for k in range(1, 7):
        foot, head = mech.joints[f"foot {k}"].at, mech.joints[f"head {k}"].at
        rest = np.linalg.norm(head - foot)
        legs[f"leg {k}"] = lambda t, foot=foot, head=head, rest=rest: (
            np.linalg.norm(head + plate_motion(t)[0] - foot) - rest
        )
    for method in ("variational", "bdf2"):
        run = sarrus.simulate(model, 0.5, 0.005, method, inputs=legs, reactions=True)
        moved = run.body("plate").position - run.body("plate").position[0]
        wanted = np.array([plate_motion(t)[0] for t in run.time])
        assert np.abs(moved - wanted).max() < 1e-8
        # All that holds the plate: the balls of the legs; it has no other joint.
        push = sum(run.reaction(f"head {k}").force for k in range(1, 7))
        load = 10.0 * (np.array([plate_motion(t)[1] for t in run.time]) - model.gravity)
        assert np.abs(push - load)[2:-2].max() < 5e-3 * np.abs(load).max(), method
        assert np.abs(run.motor_effort("leg 1")).max() > 10.0


def test_inputs_may_be_numbers_arrays_signals_and_controllers():
    model, times = arm(), np.linspace(0.0, 0.3, 31)
    array = sarrus.simulate(model, 0.3, 0.01, "bdf2", inputs={"drive": swing(times)})
    assert np.abs(array.joint_position("hinge 0") - swing(times)).max() < MET
    signal = sarrus.Signal(np.linspace(0.0, 1.0, 101), swing(np.linspace(0.0, 1.0, 101)))
    smooth = sarrus.simulate(model, 0.3, 0.01, "bdf2", inputs={"drive": signal})
    assert np.abs(smooth.joint_position("hinge 0") - swing(times)).max() < 1e-7
    still = sarrus.simulate(model, 0.1, 0.01, "bdf2", inputs={"drive": 0.25})
    assert np.abs(still.joint_position("hinge 0") - 0.25).max() < MET
    led = sarrus.simulate(model, 0.1, 0.01, "bdf2", controller=lambda t, state: {"drive": 0.5 * (t + 0.01)})
    # The value is the target at the end of the step.
    assert np.abs(led.joint_position("hinge 0") - 0.5 * led.time).max() < MET
    sim = sarrus.Simulation(model, dt=0.01, method="bdf2")
    for k in range(3):
        now = sim.step({"drive": 0.01 * (k + 1)})
        assert now.joint_position("hinge 0") == pytest.approx(0.01 * (k + 1), abs=MET)
    assert sim.step().joint_position("hinge 0") == pytest.approx(0.03, abs=MET)


def test_a_signal_reads_files_and_refuses_those_whose_times_do_not_increase(tmp_path):
    good = tmp_path / "good.csv"
    good.write_text("t,hip,knee\n0,0,1\n0.5,1,0\n1,0,1\n1.5,1,0\n")
    both, knee = sarrus.Signal.from_csv(good), sarrus.Signal.from_csv(good, "knee")
    assert both(0.5) == pytest.approx([1.0, 0.0])
    assert knee(1.0) == pytest.approx(1.0)
    step = 1e-5
    assert knee.rate(0.3) == pytest.approx((knee(0.3 + step) - knee(0.3 - step)) / (2 * step), abs=1e-6)
    bad = tmp_path / "bad.csv"
    bad.write_text("0,1\n1,2\n0.5,3\n")
    with pytest.raises(sarrus.FileError, match=r"(?s)bad.csv.*increase"):
        sarrus.Signal.from_csv(bad)
    with pytest.raises(sarrus.FileError, match="no column 'toe'"):
        sarrus.Signal.from_csv(good, "toe")
    bad.write_text("0,1\n1,two\n")
    with pytest.raises(sarrus.FileError, match="line 2"):
        sarrus.Signal.from_csv(bad)


def test_a_given_start_that_misses_the_drives_is_refused_with_the_misfit():
    model = arm()
    with pytest.raises(sarrus.MechanismError, match=r"(?s)'drive'.*0.2.*hinge 0"):
        sarrus.simulate(model, 0.1, 0.01, "bdf2", state=model.initial_state(), inputs={"drive": 0.2})


def test_inputs_that_depend_on_each_other_and_do_not_fit_are_told_by_name():
    mechanism = sarrus.gallery.four_bar()
    mechanism.add_motor("crank", "crank pivot", mode="position")
    mechanism.add_motor("rocker", "rocker pivot", mode="position")
    with pytest.raises(sarrus.InfeasibleInputs, match=r"(?s)'crank'.*'rocker'"):
        sarrus.simulate(sarrus.build(mechanism), 0.1, 0.01, "bdf2", inputs={"crank": 0.1, "rocker": 0.0})


def test_bad_drives_and_inputs_are_refused():
    mechanism = rod_pendulum([0.3])
    mechanism.add_motor("push", "hinge 0")
    with pytest.raises(sarrus.MechanismError, match=r"(?s)'push'.*hinge 0"):
        mechanism.add_motor("drive", "hinge 0", mode="position")
    with pytest.raises(sarrus.MechanismError, match="stiffness"):
        rod_pendulum([0.3]).add_motor("drive", "hinge 0", mode="position", stiffness=1.0)
    ball = sarrus.Mechanism()
    ball.add_body("ball", 1.0, (1, 1, 1))
    ball.add_joint("socket", "spherical", "world", "ball", at=(0, 0, 0))
    with pytest.raises(sarrus.MechanismError, match="rotation"):
        ball.add_motor("drive", "socket", mode="position", component=1)
    model = arm()
    for value, said in (
        (np.zeros(10), "per node"),
        (float("nan"), "finite"),
        (lambda t: np.nan, "finite"),
        (lambda t: (1.0, 2.0), "needs 1"),
        (np.zeros((3, 3)), "shape"),
    ):
        with pytest.raises(sarrus.MechanismError, match=said):
            sarrus.simulate(model, 0.1, 0.01, "bdf2", inputs={"drive": value})
    with pytest.raises(sarrus.MechanismError, match=r"(?s)rk4.*'drive'|'drive'"):
        sarrus.simulate(model, 0.1, 0.01, "rk4")


def test_a_compiled_controller_cannot_prescribe():
    def hold(t, q, v, u, memory):
        u[0] = 0.1

    with pytest.raises(sarrus.MechanismError, match=r"(?s)compiled controller.*'drive'"):
        sarrus.simulate(arm(), 0.1, 0.01, controller=sarrus.CompiledController(hold))


def test_an_input_that_jumps_farther_than_a_step_can_follow_is_refused_with_how_far_and_when():
    def jump(t):
        return 0.0 if t < 0.045 else 3.5

    with pytest.raises(sarrus.MechanismError, match=r"'drive' jumps by 3.5 rad between t = 0.04 s and"):
        sarrus.simulate(arm(), 0.1, 0.01, "bdf2", inputs={"drive": jump})


@pytest.mark.parametrize("method", FAMILY)
def test_a_step_that_fails_tells_how_far_its_inputs_move_the_motors(method):
    model = sarrus.build(sarrus.gallery.stewart_platform(mode="position"))
    jump = {"leg 1": lambda t: 0.0 if t < 0.195 else 1.0, "leg 2": lambda t: 0.5 * t}
    with pytest.raises(sarrus.StepFailed, match=r"t = 0.19 s .* move motor 'leg 1' by 1 m$"):
        sarrus.simulate(model, 0.3, 0.01, method, inputs=jump)
    sim = sarrus.Simulation(model, dt=0.01, method=method)
    with pytest.raises(sarrus.StepFailed, match="move motor 'leg 3' by -1 m"):
        sim.step({"leg 3": -1.0})


@pytest.mark.parametrize("method", FAMILY)
def test_a_motor_that_drives_a_loop_beyond_its_dead_centre_is_told_so_by_name(method):
    mechanism = sarrus.gallery.four_bar()
    mechanism.add_motor("rocker drive", "rocker pivot", mode="position")
    inputs = {"rocker drive": lambda t: 2.0 * t}
    with pytest.raises(sarrus.StepFailed, match=r"'rocker drive' is .* dead centre") as told:
        sarrus.simulate(sarrus.build(mechanism), 2.0, 0.01, method, inputs=inputs)
    # Crank and coupler (0.4 and 1.1 m) lie in line where the rocker has turned by 1.1537 rad, at 0.5768 s.
    assert told.value.time == pytest.approx(0.57)


def test_drives_are_kept_in_files(tmp_path):
    mechanism = rod_pendulum([0.4])
    mechanism.add_motor("drive", "hinge 0", mode="velocity")
    mechanism.add_body("hand", 1.0, (1, 1, 1))
    mechanism.add_motion("guide", "hand")
    mechanism.save(tmp_path / "arm.yaml")
    read = sarrus.load(tmp_path / "arm.yaml")
    assert read.motors["drive"].mode == "velocity"
    assert read.motors["guide"].mode == "pose"
    assert sarrus.build(read).inputs == sarrus.build(mechanism).inputs


def turned(t):
    """A pose (7,) that moves and turns."""
    angle = 0.8 * np.sin(2.0 * t)
    return np.array([0.2 * np.sin(3.0 * t), 0.1 * t * t, 0.3, np.cos(angle / 2), 0.0, np.sin(angle / 2), 0.0])


@pytest.mark.parametrize("method", FAMILY)
def test_a_recorded_pose_takes_the_same_efforts_as_its_function_up_to_the_last_node(method):
    mechanism = sarrus.Mechanism()
    mechanism.add_body("hand", mass=2.0, inertia=(0.02, 0.03, 0.04), position=(0.0, 0.0, 0.3))
    mechanism.add_motion("guide", "hand")
    model = sarrus.build(mechanism)
    nodes = np.array([turned(0.01 * k) for k in range(51)])
    efforts = [
        sarrus.simulate(model, 0.5, 0.01, method, inputs={"guide": given}, reactions=True).motor_effort(
            "guide"
        )
        for given in (turned, nodes)
    ]
    scale = np.abs(efforts[0]).max()
    # Second rates of the spline err by the square of the spacing, most at its ends.
    assert np.abs(efforts[0] - efforts[1]).max() < 0.02 * scale
    assert np.abs(efforts[0] - efforts[1])[3:-3].max() < 1e-4 * scale


def test_poses_taken_at_once_are_those_of_one_time_after_the_other():
    """Over more than half a turn, through both signs of a quaternion, from a function and from samples."""
    mechanism = sarrus.Mechanism()
    mechanism.add_body("hand", 1.0, (1, 1, 1), position=(0.1, 0.2, 0.3))

    def pose(t):
        w, x, y, z = np.cos(3.0 * t), np.sin(3.0 * t) * 0.6, 0.0, np.sin(3.0 * t) * 0.8
        return np.array([t, 0.5, -t * t, w, x, y, z]) * np.array([1, 1, 1, *(4 * [(-1.0) ** int(30 * t)])])

    times = np.linspace(0.0, 1.0, 51)
    nodes = np.array([pose(t) for t in times])
    nodes[:, 3:] *= np.sign(np.cumprod(np.sign(np.r_[1.0, (nodes[1:, 3:] * nodes[:-1, 3:]).sum(axis=1)])))[
        :, None
    ]
    for given in (pose, sarrus.Signal(times, nodes)):
        made = [
            Path("guide", given, "pose", Clock(0.0, 0.02), list(range(6)), 50, mechanism.bodies["hand"])
            for _ in range(2)
        ]
        at_once, one_by_one = made[0].over(times), np.array([made[1].at(float(t)) for t in times])
        assert np.array_equal(at_once, one_by_one)
        assert np.linalg.norm(at_once[-1, 9::3]) == pytest.approx(6.0, abs=1e-6)


def test_a_signal_keeps_its_rates_at_its_last_sample_and_takes_several_times_at_once():
    times = np.linspace(0.0, 1.0, 11)
    signal = sarrus.Signal(times, np.stack([times**2, -times], axis=1))
    assert signal.rate(1.0 + 1e-15) == pytest.approx([2.0, -1.0])
    assert (signal.rate(1.01) == 0.0).all()
    several = np.array([-0.1, 0.25, 1.0, 1.5])
    for made in (signal, signal.rate, signal.rate2):
        assert np.array_equal(made(several), [made(float(t)) for t in several])


def test_an_input_that_stops_being_finite_is_refused_with_its_time():
    with pytest.raises(sarrus.MechanismError, match=r"'drive' at t = 0.06 s is not finite"):
        sarrus.simulate(arm(), 0.1, 0.01, "bdf2", inputs={"drive": lambda t: np.nan if t > 0.05 else 0.0})
