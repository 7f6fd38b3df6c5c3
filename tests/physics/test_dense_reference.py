"""The dense reference against closed forms, minimal coordinates and its own action."""

import numpy as np
import pytest
from tests.reference import planar
from tests.reference.dense import Dense
from tests.reference.rotation import IDENTITY, conjugate, multiply, rotate

from sarrus.mechanism import Mechanism
from sarrus.mechanism.joints import JOINT_KINDS

ORDER_2 = pytest.approx(
    4.0, abs=0.2
)  # error ratio on halving dt; the next term of the expansion is below 1 %
ROUNDING = 1e-12  # sums of some hundred numbers near 1
CLOSED = 1e-11  # violation of rows solved to 1e-12, in positions of a few metres

X, Y, Z = np.eye(3)


def turn(axis, angle):
    """Quaternion of a rotation by `angle` about the unit vector `axis`."""
    return np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * np.asarray(axis)])


def add_rod(mechanism, name, start, angle):
    """Far end of a new rod, a box of 0.1 x 0.1 x 1 m and 1 kg, at `angle` from hanging about x."""
    direction = rotate(turn(X, angle), -Z)
    mechanism.add_body(
        name,
        1.0,
        np.array([1.01, 1.01, 0.02]) / 12,
        position=start + direction / 2,
        orientation=turn(X, angle),
    )
    return start + direction


def pendulum(angles):
    mechanism, end, above = Mechanism(), np.zeros(3), "world"
    for k, angle in enumerate(angles):
        start, end = end, add_rod(mechanism, f"rod {k}", end, angle)
        mechanism.add_joint(f"hinge {k}", "revolute", above, f"rod {k}", at=start, axis=X)
        above = f"rod {k}"
    return mechanism


def rhombus():
    """Four rods, closed below, 45 degrees from hanging, each 22.5 degrees off the middle."""
    mechanism = Mechanism()
    for side, sign in (("left", 1.0), ("right", -1.0)):
        elbow = add_rod(mechanism, f"{side} upper", np.zeros(3), np.pi / 4 + sign * np.pi / 8)
        end = add_rod(mechanism, f"{side} lower", elbow, np.pi / 4 - sign * np.pi / 8)
        mechanism.add_joint(f"{side} top", "revolute", "world", f"{side} upper", at=np.zeros(3), axis=X)
        mechanism.add_joint(f"{side} elbow", "revolute", f"{side} upper", f"{side} lower", at=elbow, axis=X)
    mechanism.add_joint("bottom", "revolute", "left lower", "right lower", at=end, axis=X)
    return mechanism


def error_ratio(error, coarse):
    """Error at `coarse` over error at half of it."""
    return error(coarse) / error(coarse / 2)


def test_the_planar_reference_keeps_its_energy_and_swings_like_a_small_pendulum():
    angles, rates = planar.swing(np.array([1.5, 1.2, 0.3]), np.zeros(3), np.linspace(0.0, 1.0, 11))
    energies = [planar.energy(a, r) for a, r in zip(angles, rates, strict=True)]
    assert np.ptp(energies) < 1e-11
    stiffness, inertia = planar.GRAVITY / 2, planar.INERTIA + 0.25
    small, _ = planar.swing(np.array([1e-4]), np.zeros(1), [0.0, 0.7])
    # The sine of 1e-4 differs from it by 2e-9 parts.
    assert small[-1, 0] == pytest.approx(1e-4 * np.cos(np.sqrt(stiffness / inertia) * 0.7), abs=1e-11)


def test_a_double_pendulum_converges_with_order_2_to_minimal_coordinates():
    start = np.array([np.pi / 2, np.pi / 2])
    exact = planar.centres(planar.swing(start, np.zeros(2), [0.0, 0.6])[0][-1])

    def error(dt):
        run = Dense(pendulum(start), dt).run(round(0.6 / dt))
        assert run.violation.max() < CLOSED
        return np.abs(run.position[-1] - exact).max()

    assert error_ratio(error, 0.02) == ORDER_2
    assert error_ratio(error, 0.01) == ORDER_2


def test_velocities_and_energy_read_at_the_nodes_are_of_order_2():
    start = np.array([np.pi / 2, np.pi / 2])
    angles, rates = (part[-1] for part in planar.swing(start, np.zeros(2), [0.0, 0.5]))

    def error(dt):
        run = Dense(pendulum(start), dt).run(round(0.5 / dt))
        return np.abs(run.angular_velocity[-1, :, 0] - rates).max()

    assert error_ratio(error, 0.01) == ORDER_2
    run = Dense(pendulum(start), 0.005).run(100)
    assert run.energy[-1] == pytest.approx(planar.energy(angles, rates), abs=5e-3)


def test_the_legendre_transforms_are_the_derivatives_of_the_discrete_action():
    rng = np.random.default_rng(1)
    mechanism = Mechanism(gravity=(0, 0, 0))
    spread = rng.normal(size=(3, 3))
    q0, w, dt = turn(Y, 0.7), np.array([3.0, -5.0, 4.0]), 0.05
    mechanism.add_body("stone", 2.0, spread @ spread.T + 3 * np.eye(3), orientation=q0)
    dense = Dense(mechanism, dt)
    u = np.concatenate([np.zeros(3), w])[None]
    z1 = dense.moved(dense.z, u)
    inertia = mechanism.bodies["stone"].inertia

    def action(start, end):
        spin = 2.0 / dt * multiply(conjugate(start), end)[1:]
        return 0.5 * dt * spin @ inertia @ spin

    def gradient(of):
        step = 1e-30
        units = [np.array([1.0, *(0.5j * step * unit)]) for unit in np.eye(3)]
        return np.array([of(unit).imag for unit in units]) / step

    q1 = multiply(z1[1][0], q0)
    left = -gradient(lambda small: action(multiply(small, q0.astype(complex)), q1))
    right = gradient(lambda small: action(q0, multiply(small, q1.astype(complex))))
    assert dense.legendre(dense.z, u, 1.0)[3:] == pytest.approx(left, rel=1e-13)
    assert dense.legendre(z1, u, -1.0)[3:] == pytest.approx(right, rel=1e-13)


@pytest.mark.parametrize("kind", ["spherical", "universal", "revolute", "screw", "slot"])
def test_a_free_two_body_chain_keeps_its_momentum(kind):
    mechanism = Mechanism(gravity=(0, 0, 0))
    mechanism.add_body(
        "a", 1.0, (0.1, 0.2, 0.25), position=(0, 0, 0.5), velocity=(0.3, 0, 0.1), angular_velocity=(1, 3, -2)
    )
    mechanism.add_body(
        "b",
        0.4,
        (0.05, 0.03, 0.06),
        position=(0.2, 0, -0.5),
        orientation=turn(Y, 0.4),
        angular_velocity=(-3, -4, 2),
    )
    options = {
        name: value
        for name, value in (("axis", X), ("axis2", Y), ("pitch", 0.05))
        if name in JOINT_KINDS[kind].takes
    }
    mechanism.add_joint("joint", kind, "a", "b", at=(0, 0, 0), **options)
    run = Dense(mechanism, 0.01).run(40)
    assert np.abs(run.momentum - run.momentum[0]).max() < ROUNDING
    assert run.violation.max() < CLOSED
    assert np.abs(run.coordinates[-1]).max() > 0.2


def test_the_rhombus_passes_its_flat_configurations_with_a_bounded_energy_error():
    run = Dense(rhombus(), 0.01).run(170)
    kinetic = run.energy - 9.81 * run.position[:, :, 2].sum(1)
    # Flat at 0.365 s, 0.893 s and 1.61 s; over 10 s the error is 5.3e-4 of the largest kinetic energy.
    assert np.abs(run.energy - run.energy[0]).max() < 5.4e-4 * kinetic.max()
    assert run.violation.max() < CLOSED
    assert run.iterations.mean() < 2.1


@pytest.mark.slow
def test_the_rhombus_has_the_energy_error_of_the_loop_study():
    run = Dense(rhombus(), 0.01).run(1000)
    kinetic = run.energy - 9.81 * run.position[:, :, 2].sum(1)
    assert np.abs(run.energy - run.energy[0]).max() / kinetic.max() == pytest.approx(5.3e-4, rel=0.02)
    assert run.violation.max() < CLOSED


AXIS, AXIS2 = np.array([2.0, 1.0, 2.0]) / 3, np.array([1.0, 2.0, -2.0]) / 3


def two_bodies(kind):
    """Two bodies in general positions, a joint of the kind between them."""
    mechanism = Mechanism()
    mechanism.add_body("a", 1.0, (0.1, 0.2, 0.25), position=(0.4, 0.1, 0.5), orientation=turn(AXIS2, 0.8))
    mechanism.add_body("b", 0.4, (0.05, 0.03, 0.06), position=(0.2, 0, -0.5), orientation=turn(Y, 0.4))
    takes = JOINT_KINDS[kind].takes
    given = {"axis": AXIS, "axis2": AXIS2, "pitch": 0.3}
    mechanism.add_joint("joint", kind, "a", "b", at=(0.1, 0.2, 0.3), **{name: given[name] for name in takes})
    return mechanism


def placed(joint, q):
    """(displacement, rotation) of the child in the parent's frame, by the definition of the coordinates q."""
    kind, axis2 = joint.kind, joint.axis2
    slides, angles = np.split(q, [JOINT_KINDS[kind].translations])
    gap, spin = np.zeros(3), IDENTITY
    if len(slides) == 1:
        gap = slides[0] * AXIS
    elif len(slides) == 2:
        gap = slides[0] * axis2 + slides[1] * np.cross(AXIS, axis2)
    elif len(slides) == 3:
        gap = slides
    if kind == "universal":
        spin = multiply(turn(AXIS, angles[0]), turn(axis2, angles[1]))
    elif len(angles) == 3:
        spin = turn(angles / np.linalg.norm(angles), np.linalg.norm(angles))
    elif len(angles) == 1:
        spin = turn(axis2 if kind == "pin_in_slot" else AXIS, angles[0])
    if kind == "screw":
        gap = 0.3 * angles[0] * AXIS
    return gap, spin


@pytest.mark.parametrize("kind", JOINT_KINDS)
def test_each_joint_kind_leaves_its_coordinates_free_and_nothing_else(kind):
    dense = Dense(two_bodies(kind), 0.01)
    assert np.abs(dense.coordinates(dense.z)).max(initial=0.0) < ROUNDING
    parent, spot = turn(Z, 1.1), np.array([0.3, -0.2, 0.9])
    q = np.array([0.3, -0.4, 0.5, 0.7, -0.6, 0.2])[: dense.coordinate_count]
    gap, spin = placed(dense.mechanism.joints["joint"], q)
    x, r = dense.places.x.copy(), np.tile(IDENTITY, (3, 1))
    x[0], r[0], r[1] = spot, parent, multiply(parent, spin)
    at = np.array([0.1, 0.2, 0.3])
    x[1] = spot + rotate(parent, at + gap - dense.places.x[0]) - rotate(r[1], at - dense.places.x[1])
    assert np.abs(dense.residual((x, r))).max(initial=0.0) < ROUNDING
    assert dense.coordinates((x, r)) == pytest.approx(q, abs=ROUNDING)
    rows = dense.jacobian(dense.residual, (x, r))
    assert len(rows) == np.linalg.matrix_rank(rows) == 6 - len(q)


@pytest.mark.parametrize("kind", JOINT_KINDS)
def test_complex_steps_agree_with_central_differences(kind):
    dense = Dense(two_bodies(kind), 0.01)
    dense.p = np.arange(12.0) / 40
    dense.step()
    x, r = dense.z
    for function in (dense.residual, dense.coordinates):
        exact = dense.jacobian(function, dense.z)
        for column in range(12):
            body, place = divmod(column, 6)
            sides = []
            for sign in (1e-6, -1e-6):
                moved, turned = x.copy(), r.copy()
                if place < 3:
                    moved[body, place] += sign
                else:
                    turned[body] = multiply(turn(np.eye(3)[place - 3], sign), turned[body])
                sides.append(function((moved, turned)))
            # Central differences err by 1e-12 (truncation) and 1e-10 (rounding).
            assert (sides[0] - sides[1]) / 2e-6 == pytest.approx(exact[:, column], abs=1e-8)


def test_angles_go_on_beyond_a_full_turn():
    mechanism = Mechanism(gravity=(0, 0, 0))
    mechanism.add_body("wheel", 1.0, (0.1, 0.1, 0.2), angular_velocity=(0, 0, 20.0))
    mechanism.add_joint("axle", "revolute", "world", "wheel", at=(0, 0, 0), axis=Z)
    run = Dense(mechanism, 0.02).run(50)
    # The discrete rotation by 2 arcsin(f) per step carries the momentum s J w = J 20.
    step = 2 * np.arcsin(np.sqrt(0.5 - 0.5 * np.sqrt(1 - 4 * 0.2**2)))
    assert run.coordinates[-1, 0] == pytest.approx(50 * step, abs=1e-10)
    assert run.coordinates[-1, 0] > 6 * np.pi


def damped_rod(dt):
    """Angle and rate at 1 s of a rod at 60 degrees with a spring, a damper and an armature."""
    mechanism = pendulum([np.pi / 3])
    mechanism.add_joint("brake", "revolute", "world", "rod 0", at=(0, 0, 0), axis=X, armature=0.1)
    mechanism.add_joint_spring("spring", "brake", stiffness=2.0, rest=-0.3, damping=0.5)
    run = Dense(mechanism, dt).run(round(1.0 / dt))
    return np.array([run.coordinates[-1, 1], run.angular_velocity[-1, 0, 0]])


def test_a_damped_spring_with_armature_converges_with_order_2_beside_a_redundant_hinge():
    from scipy.integrate import solve_ivp

    def slope(_, state):
        angle, rate = state
        moment = -0.5 * 9.81 * np.sin(np.pi / 3 + angle) - 2.0 * (angle + 0.3) - 0.5 * rate
        return rate, moment / (1.01 / 12 + 0.25 + 0.1)

    exact = solve_ivp(slope, (0.0, 1.0), [0.0, 0.0], method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    coarse, fine = (np.abs(damped_rod(dt) - exact) for dt in (0.02, 0.01))
    assert coarse / fine == ORDER_2


def hanging_mass(dt):
    """Height at 1 s of 2 kg on a damped point spring, released 1 m below the hook at its rest length."""
    mechanism = Mechanism()
    mechanism.add_body("mass", 2.0, (0.1, 0.1, 0.1), position=(0, 0, -1))
    mechanism.add_spring(
        "spring", "world", "mass", at_a=(0, 0, 0), at_b=(0, 0, -1), stiffness=50.0, damping=3.0
    )
    return Dense(mechanism, dt).run(round(1.0 / dt)).position[-1, 0, 2]


def test_a_mass_on_a_point_spring_with_damper_follows_the_closed_form_with_order_2():
    decay, rate = 3.0 / 4.0, np.sqrt(50.0 / 2.0 - (3.0 / 4.0) ** 2)
    sag = 2.0 * 9.81 / 50.0
    exact = -1.0 - sag + sag * np.exp(-decay) * (np.cos(rate) + decay / rate * np.sin(rate))
    coarse, fine = (abs(hanging_mass(dt) - exact) for dt in (0.02, 0.01))
    assert coarse / fine == ORDER_2
    # dt^2 rate^2 / 24 of the phase, which is 5 rad.
    assert fine < 0.01**2 * rate**2


def test_a_nut_on_a_screw_falls_as_its_rotating_inertia_lets_it():
    mechanism = Mechanism()
    mechanism.add_body("nut", 1.0, (0.01, 0.01, 0.02))
    mechanism.add_joint("thread", "screw", "world", "nut", at=(0, 0, 0), axis=Z, pitch=0.1)
    run = Dense(mechanism, 0.005).run(100)
    fall = 0.5 * 9.81 / (1.0 + 0.02 / 0.1**2) * 0.5**2
    assert run.position[-1, 0, 2] == pytest.approx(-fall, rel=1e-3)
    assert run.coordinates[-1, 0] == pytest.approx(run.position[-1, 0, 2] / 0.1, rel=1e-9)


def test_geared_wheels_share_a_torque_by_their_ratio():
    mechanism = Mechanism()
    for name, place in (("a", (0, 0, 0)), ("b", (1, 0, 0))):
        mechanism.add_body(name, 1.0, (0.1, 0.1, 0.2), position=place)
        mechanism.add_joint(f"axle {name}", "revolute", "world", name, at=place, axis=Z)
    mechanism.add_gear("gear", "axle a", "axle b", ratio=-3.0)
    mechanism.add_motor("motor", "axle b")
    run = Dense(mechanism, 0.005, inputs={"motor": 0.5}).run(100)
    angle = 0.5 * 0.5 / (0.2 + 9.0 * 0.2) * 0.5**2
    assert run.coordinates[-1] == pytest.approx([-3.0 * angle, angle], rel=1e-4)
    assert run.violation.max() < CLOSED


def test_a_wire_keeps_its_length_and_a_point_mass_like_body_swings_on_it():
    mechanism = Mechanism()
    mechanism.add_body("bob", 1.0, (1e-3, 1e-3, 1e-3), position=(0, np.sin(0.02), -np.cos(0.02)))
    mechanism.add_distance("wire", "world", "bob", at_a=(0, 0, 0), at_b=(0, np.sin(0.02), -np.cos(0.02)))
    run = Dense(mechanism, 0.005).run(100)
    assert run.violation.max() < CLOSED
    # Amplitude 0.02 rad lengthens the period by 0.02^2 / 16 parts.
    assert run.position[-1, 0, 1] == pytest.approx(0.02 * np.cos(np.sqrt(9.81) * 0.5), abs=2e-6)


def test_constant_wrenches_act_as_placed():
    mechanism = Mechanism(gravity=(0, 0, 0))
    mechanism.add_body("stone", 2.0, (0.1, 0.2, 0.25), position=(1, 0, 0), orientation=turn(Z, np.pi / 2))
    mechanism.add_force("push", "stone", force=(0, 0, 3), at=(1, 0.5, 0))
    mechanism.add_force("jet", "stone", force=(4, 0, 0), frame="body")
    mechanism.add_force("twist", "stone", torque=(0, 0.6, 0))
    dense = Dense(mechanism, 0.01, inputs={"push": (0, 0, 1, 0, 0, 0)})
    # Body x points along world y, body y along world -x; the push's arm is 0.5 m along world y.
    assert dense.force(dense.z) == pytest.approx([0, 4, 4, 2 - 0.6, 0, 0], abs=ROUNDING)
