"""Forces, potentials and constraints that the user writes."""

import numpy as np
import pytest
from tests.physics.scenes import add_random_body, ratios, rod_pendulum, turn

import sarrus

ORDER_2 = pytest.approx(4.0, abs=0.3)  # error ratio on halving dt
EXPLICIT = 1e-9  # the same forces and rows in the same solver: its tolerance, amplified by 100 steps
DIFFERENCES = 1e-7  # a gradient by differences is good to 1e-10 of forces of 10 N


def quadratic_drag(t, x, q, v, w, p, out):
    speed = np.sqrt(v[0, 0] ** 2 + v[0, 1] ** 2 + v[0, 2] ** 2)
    for i in range(3):
        out[0, i] = -p[0] * speed * v[0, i]
        out[0, 3 + i] = -p[1] * w[0, i]


def test_a_projectile_with_quadratic_drag_follows_its_differential_equation_with_order_2():
    from scipy.integrate import solve_ivp

    mechanism = sarrus.Mechanism()
    start, speed = np.zeros(3), np.array([10.0, 0.0, 8.0])
    mechanism.add_body("ball", 0.5, (0.1, 0.1, 0.1), velocity=speed, angular_velocity=(0, 0, 5.0))
    mechanism.add_custom_force("drag", "ball", quadratic_drag, parameters=(0.08, 0.05))
    model = sarrus.build(mechanism)

    def slope(_, state):
        v = state[3:6]
        pull = -0.08 * np.linalg.norm(v) * v / 0.5 + [0, 0, -9.81]
        return np.concatenate([v, pull])

    exact = solve_ivp(slope, (0, 1), np.concatenate([start, speed]), method="DOP853", rtol=1e-12, atol=1e-12)

    def error(dt):
        run = sarrus.simulate(model, duration=1.0, dt=dt)
        return np.abs(np.concatenate([run.position[-1, 0], run.velocity[-1, 0]]) - exact.y[:, -1]).max()

    assert ratios(error, 0.02, 2) == [ORDER_2, ORDER_2]

    def spin_error(dt):
        spin = sarrus.simulate(model, duration=1.0, dt=dt).angular_velocity[-1, 0, 2]
        return abs(spin - 5.0 * np.exp(-0.05 / 0.1))

    assert ratios(spin_error, 0.02, 2) == [ORDER_2, ORDER_2]


def swinging_wind(t, x, q, v, w, p, out):
    """A force that depends on time, on a position and on the angular velocity of another body."""
    out[0, 1] = p[0] * np.sin(p[1] * t) - 0.3 * w[1, 0]
    out[1, 3] = -0.5 * x[0, 1]


def test_a_force_of_time_position_and_other_bodies_on_a_double_pendulum_converges_with_order_2():
    from scipy.integrate import solve_ivp
    from tests.reference import planar

    mechanism = rod_pendulum([0.7, 0.2])
    mechanism.add_custom_force("wind", ("rod 0", "rod 1"), swinging_wind, parameters=(3.0, 4.0))
    model = sarrus.build(mechanism)

    def slope(t, state):
        angles, rates = state[:2], state[2:]
        y = 0.5 * np.sin(angles[0])
        push = 3.0 * np.sin(4.0 * t) - 0.3 * rates[1]
        moments = np.array([0.5 * np.cos(angles[0]) * push, -0.5 * y])
        weight = planar.MASS * planar.arms(2).T @ planar.arms(2)
        matrix = weight * np.cos(angles[:, None] - angles) + planar.INERTIA * np.eye(2)
        return np.concatenate([rates, planar.accelerations(angles, rates) + np.linalg.solve(matrix, moments)])

    exact = solve_ivp(slope, (0, 1), [0.7, 0.2, 0, 0], method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]

    def error(dt):
        return np.abs(
            sarrus.simulate(model, duration=1.0, dt=dt).position[-1] - planar.centres(exact[:2])
        ).max()

    assert ratios(error, 0.02, 2) == [ORDER_2, ORDER_2]


def viscous_pair(t, x, q, v, w, p, out):
    for i in range(3):
        pull = p[0] * (v[1, i] - v[0, i]) + p[1] * (x[1, i] - x[0, i])
        out[0, i] = pull
        out[1, i] = -pull


def test_a_strong_pair_force_converges_and_keeps_the_momentum():
    rng = np.random.default_rng(3)
    mechanism = sarrus.Mechanism(gravity=(0, 0, 0))
    for name in "ab":
        add_random_body(mechanism, name, rng)
    mechanism.add_custom_force("glue", ("a", "b"), viscous_pair, parameters=(20.0, 5.0))
    run = sarrus.simulate(sarrus.build(mechanism), duration=2.0, dt=0.02)
    linear = run.momentum().linear
    assert np.abs(linear - linear[0]).max() < 1e-12
    gap = run.position[:, 0] - run.position[:, 1]
    # Overdamped: the slow mode decays with 5 / 20 per second.
    assert np.linalg.norm(gap[-1]) < 0.8 * np.linalg.norm(gap[0])
    assert run.stats.divided.size == 0


def point_spring(x, q, p):
    """Energy of a spring between the centres of two bodies."""
    d = 0.0
    for i in range(3):
        d += (x[1, i] - x[0, i]) ** 2
    return 0.5 * p[0] * (np.sqrt(d) - p[1]) ** 2


def point_spring_slope(x, q, p, out):
    out[:] = 0.0
    d = x[1] - x[0]
    length = np.sqrt(d[0] ** 2 + d[1] ** 2 + d[2] ** 2)
    for i in range(3):
        out[1, i] = p[0] * (length - p[1]) * d[i] / length
        out[0, i] = -out[1, i]


@pytest.mark.parametrize("given", [True, False], ids=["gradient given", "gradient by differences"])
def test_a_potential_of_the_users_is_the_built_in_spring(given):
    def scene(custom):
        rng = np.random.default_rng(4)
        mechanism = sarrus.Mechanism()
        for name in "ab":
            add_random_body(mechanism, name, rng)
        mechanism.add_joint("foot", "spherical", "world", "a", at=rng.normal(size=3))
        a, b = (mechanism.bodies[name].position for name in "ab")
        if custom:
            slope = point_spring_slope if given else None
            mechanism.add_potential(
                "spring", ("a", "b"), point_spring, parameters=(15.0, 0.7), gradient=slope
            )
        else:
            mechanism.add_spring("spring", "a", "b", at_a=a, at_b=b, stiffness=15.0, rest_length=0.7)
        return sarrus.simulate(sarrus.build(mechanism), duration=1.0, dt=0.01)

    mine, built_in = scene(True), scene(False)
    within = EXPLICIT if given else DIFFERENCES
    assert np.abs(mine.position - built_in.position).max() < within
    assert np.abs(mine.energy().total - built_in.energy().total).max() < within


def upright(x, q, p):
    """Energy of a body whose z axis leans away from the vertical: p (1 - cos)."""
    return p[0] * 2.0 * (q[0, 1] ** 2 + q[0, 2] ** 2)


def test_a_potential_of_the_orientation_makes_a_body_swing_like_a_pendulum():
    mechanism = sarrus.Mechanism(gravity=(0, 0, 0))
    mechanism.add_body("needle", 1.0, (0.2, 0.2, 0.1), orientation=turn((1, 0, 0), 0.01))
    mechanism.add_potential("magnet", "needle", upright, parameters=(3.0,))
    run = sarrus.simulate(sarrus.build(mechanism), duration=1.0, dt=0.005)
    lean = 2.0 * np.arctan2(run.orientation[-1, 0, 1], run.orientation[-1, 0, 0])
    # Small swings, at sqrt(3 / 0.2) rad/s; the amplitude lengthens the period by 6e-6 parts.
    assert lean == pytest.approx(0.01 * np.cos(np.sqrt(15.0)), abs=1e-6)
    energy = run.energy().total
    assert np.abs(energy - energy[0]).max() < 1e-7


def keep_distance(x, q, p, out):
    """The distance of two body-fixed points, p[1:4] on the first and p[4:7] on the second, is p[0]."""
    d = np.zeros(3)
    for m in range(2):
        w, a, b, c = q[m, 0], q[m, 1], q[m, 2], q[m, 3]
        r0, r1, r2 = p[1 + 3 * m], p[2 + 3 * m], p[3 + 3 * m]
        t0, t1, t2 = b * r2 - c * r1, c * r0 - a * r2, a * r1 - b * r0
        sign = 1.0 if m == 1 else -1.0
        d[0] += sign * (x[m, 0] + r0 + 2.0 * (w * t0 + b * t2 - c * t1))
        d[1] += sign * (x[m, 1] + r1 + 2.0 * (w * t1 + c * t0 - a * t2))
        d[2] += sign * (x[m, 2] + r2 + 2.0 * (w * t2 + a * t1 - b * t0))
    out[0] = np.sqrt(d[0] ** 2 + d[1] ** 2 + d[2] ** 2) - p[0]


def test_a_constraint_of_the_users_is_the_built_in_distance():
    from tests.reference.rotation import conjugate, rotate

    def scene(custom):
        rng = np.random.default_rng(5)
        mechanism = sarrus.Mechanism()
        for name in "ab":
            add_random_body(mechanism, name, rng)
        mechanism.add_joint("foot", "spherical", "world", "a", at=rng.normal(size=3))
        at = rng.normal(size=(2, 3))
        if custom:
            local = []
            for name, point in zip("ab", at, strict=True):
                body = mechanism.bodies[name]
                local.append(rotate(conjugate(body.orientation), point - body.position))
            numbers = np.concatenate([[np.linalg.norm(at[1] - at[0])], *local])
            mechanism.add_constraint("wire", ("a", "b"), keep_distance, parameters=numbers)
        else:
            mechanism.add_distance("wire", "a", "b", at_a=at[0], at_b=at[1])
        return sarrus.simulate(sarrus.build(mechanism), duration=1.0, dt=0.01)

    mine, built_in = scene(True), scene(False)
    assert mine.model.dof == built_in.model.dof == 8
    assert mine.violation().max() < 1e-9
    # Row vectors by differences are off by 1e-10, and the impulses along them.
    assert np.abs(mine.position - built_in.position).max() < DIFFERENCES


def on_sphere(x, q, p, out):
    out[0] = x[0, 0] ** 2 + x[0, 1] ** 2 + x[0, 2] ** 2 - 1.0


def test_a_redundant_constraint_of_the_users_is_found_and_eliminated():
    mechanism = sarrus.Mechanism()
    mechanism.add_body("ball", 1.0, (0.1, 0.1, 0.1), position=(0, 1, 0))
    mechanism.add_joint("pivot", "spherical", "world", "ball", at=(0, 0, 0))
    mechanism.add_constraint("again", "ball", on_sphere)
    model = sarrus.build(mechanism)
    assert (model.dof, model.redundant) == (3, (("again", 0),))
    run = sarrus.simulate(model, duration=1.0, dt=0.01)
    plain = sarrus.Mechanism()
    plain.add_body("ball", 1.0, (0.1, 0.1, 0.1), position=(0, 1, 0))
    plain.add_joint("pivot", "spherical", "world", "ball", at=(0, 0, 0))
    alone = sarrus.simulate(sarrus.build(plain), duration=1.0, dt=0.01)
    assert np.abs(run.position - alone.position).max() < 1e-9


def nine_bodies(t, x, q, v, w, p, out):
    out[:] = 0.0


def seven_rows(x, q, p, out):
    out[:] = 0.0


def test_terms_that_are_too_large_are_refused_by_name():
    mechanism = sarrus.Mechanism()
    for k in range(9):
        mechanism.add_body(f"body {k}", 1.0, (0.1, 0.1, 0.1))
    mechanism.add_constraint("heavy", "body 0", seven_rows, rows=7)
    with pytest.raises(sarrus.MechanismError, match=r"constraint 'heavy' has 7 rows; at most 6"):
        sarrus.build(mechanism)
    mechanism = sarrus.Mechanism()
    for k in range(9):
        mechanism.add_body(f"body {k}", 1.0, (0.1, 0.1, 0.1))
    mechanism.add_custom_force("crowd", tuple(mechanism.bodies), nine_bodies)
    with pytest.raises(sarrus.MechanismError, match=r"custom force 'crowd' acts on 9 bodies; at most 8"):
        sarrus.build(mechanism)


def broken(x, q, p):
    return undefined_name  # noqa: F821


def test_a_function_that_cannot_be_compiled_is_named():
    mechanism = sarrus.Mechanism()
    mechanism.add_body("ball", 1.0, (0.1, 0.1, 0.1))
    mechanism.add_potential("odd", "ball", broken)
    with pytest.raises(sarrus.MechanismError, match=r"potential 'odd': energy, line \d+ of .*undefined_name"):
        sarrus.build(mechanism)


def body_lift(t, x, q, v, w, p, out):
    out[0, 2] = p[0]


def test_reactions_carry_a_force_of_the_users():
    mechanism = sarrus.Mechanism()
    mechanism.add_body("plate", 2.0, (0.1, 0.1, 0.1), position=(0, 0.5, 0))
    mechanism.add_body("load", 1.0, (0.1, 0.1, 0.1), position=(0, 1.0, 0))
    mechanism.add_joint("wall", "fixed", "world", "plate", at=(0, 0, 0))
    mechanism.add_joint("clamp", "fixed", "plate", "load", at=(0, 1.0, 0))
    mechanism.add_custom_force("lift", "plate", body_lift, parameters=(12.0,))
    run = sarrus.simulate(sarrus.build(mechanism), duration=0.1, dt=0.01, reactions=True)
    wall, clamp = run.reaction("wall"), run.reaction("clamp")
    assert wall.force[5] == pytest.approx([0, 0, 3 * 9.81 - 12.0], abs=1e-8)
    # About the point on the wall, x component: weights at 0.5 m and 1 m, the lift at 0.5 m.
    assert wall.torque[5] == pytest.approx([(2 * 9.81 - 12) * 0.5 + 9.81, 0, 0], abs=1e-8)
    assert clamp.force[5] == pytest.approx([0, 0, 9.81], abs=1e-8)
