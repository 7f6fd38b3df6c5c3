"""Frames, Jacobians, mass matrix, forward and inverse dynamics of a model at a state."""

import numpy as np
import pytest

import sarrus

# What is left of exact formulas is rounding; differences of positions over 1e-6 s leave 1e-9.
EXACT, DIFFERENCE = 1e-10, 1e-7


def arm():
    """Three bars that turn about different axes, a tool at the end, motors, a spring and a damper."""
    mech = sarrus.Mechanism()
    points = np.array([[0, 0, 0], [0, 0, 0.4], [0.3, 0, 0.4], [0.3, 0.2, 0.4]])
    before = "world"
    for k, axis in enumerate([(0, 0, 1), (0, 1, 0), (1, 0, 0)]):
        name = f"bar {k}"
        mech.add_bar(name, points[k], points[k + 1], 0.02, mass=1.0 + k, collide=False)
        mech.add_joint(f"joint {k}", "revolute", before, name, at=points[k], axis=axis, armature=0.01 * k)
        mech.add_motor(f"motor {k}", f"joint {k}")
        before = name
    mech.add_joint_spring("spring", "joint 1", stiffness=3.0, rest=0.2, damping=0.5)
    mech.add_frame("tool", before, at=points[3], orientation=(np.sqrt(0.5), 0, np.sqrt(0.5), 0))
    return sarrus.build(mech)


MODEL = arm()
STATE = MODEL.state(
    {"joint 0": 0.4, "joint 1": -0.7, "joint 2": 1.1}, {"joint 0": 0.8, "joint 1": 1.5, "joint 2": -0.6}
)


def moved(dt):
    """The state after a small motion of the joints."""
    q = {f"joint {k}": STATE.joint_position(f"joint {k}") for k in range(3)}
    v = {f"joint {k}": STATE.joint_velocity(f"joint {k}") for k in range(3)}
    return MODEL.state({name: q[name] + dt * v[name] for name in q}, v)


def test_the_pose_of_a_frame_is_where_the_trajectory_has_it():
    traj = sarrus.simulate(MODEL, duration=0.01, dt=0.01, state=STATE)
    pose, path = STATE.frame_pose("tool"), traj.frame("tool")
    np.testing.assert_allclose(pose.position, path.position[0], atol=EXACT)
    np.testing.assert_allclose(pose.orientation, path.orientation[0], atol=EXACT)
    np.testing.assert_allclose(pose.matrix[:3, 3], pose.position)
    np.testing.assert_allclose(STATE.frame_pose("bar 1").position, STATE.position[1])


def test_the_velocity_of_a_frame_is_the_rate_of_its_pose():
    before, after = moved(-1e-6).frame_pose("tool"), moved(1e-6).frame_pose("tool")
    twist = STATE.frame_velocity("tool")
    np.testing.assert_allclose(twist.linear, (after.position - before.position) / 2e-6, atol=DIFFERENCE)
    turn = after.matrix[:3, :3] @ before.matrix[:3, :3].T / 2e-6
    spin = 0.5 * np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    np.testing.assert_allclose(twist.angular, spin, atol=1e-4)


def test_jacobians_times_joint_velocities_are_velocities():
    v = MODEL.joint_velocities(STATE)
    twist = STATE.frame_velocity("tool")
    np.testing.assert_allclose(
        MODEL.frame_jacobian(STATE, "tool") @ v, [*twist.linear, *twist.angular], atol=EXACT
    )
    p = np.array([0.1, -0.2, 0.3])
    b = MODEL.body_index["bar 1"]
    R = STATE.frame_pose("bar 1").matrix[:3, :3]
    expected = STATE.velocity[b] + np.cross(R @ STATE.angular_velocity[b], R @ p)
    np.testing.assert_allclose(MODEL.point_jacobian(STATE, "bar 1", p) @ v, expected, atol=EXACT)
    momentum = MODEL.masses @ STATE.velocity
    np.testing.assert_allclose(MODEL.com_jacobian(STATE) @ v * MODEL.masses.sum(), momentum, atol=EXACT)
    np.testing.assert_allclose(MODEL.com(STATE), MODEL.masses @ STATE.position / MODEL.masses.sum())


def test_the_mass_matrix_gives_the_kinetic_energy():
    v = MODEL.joint_velocities(STATE)
    kinetic = MODEL.kinetic_energy(
        STATE.position[None], STATE.orientation[None], STATE.velocity[None], STATE.angular_velocity[None]
    )
    assert 0.5 * v @ MODEL.mass_matrix(STATE) @ v == pytest.approx(kinetic[0], rel=1e-12)


def test_gravity_forces_are_the_slope_of_the_potential_energy():
    def height(k, dq):
        q = {f"joint {i}": STATE.joint_position(f"joint {i}") + dq * (i == k) for i in range(3)}
        return -float(MODEL.gravity @ MODEL.com(MODEL.state(q))) * MODEL.masses.sum()

    slopes = [(height(k, 1e-6) - height(k, -1e-6)) / 2e-6 for k in range(3)]
    np.testing.assert_allclose(MODEL.gravity_forces(STATE), slopes, atol=DIFFERENCE)


def test_inverse_dynamics_give_back_the_efforts_of_the_motors():
    inputs = {"motor 0": 0.7, "motor 1": -1.3, "motor 2": 0.2}
    a = MODEL.forward_dynamics(STATE, inputs)
    np.testing.assert_allclose(MODEL.inverse_dynamics(STATE, a), list(inputs.values()), atol=EXACT)
    M, bias = MODEL.mass_matrix(STATE), MODEL.bias_forces(STATE)
    spring = -3.0 * (STATE.joint_position("joint 1") - 0.2) - 0.5 * STATE.joint_velocity("joint 1")
    np.testing.assert_allclose(M @ a + bias, [0.7, -1.3 + spring, 0.2], atol=EXACT)


def test_forward_dynamics_are_the_limit_of_a_step():
    a, dt = MODEL.forward_dynamics(STATE, {"motor 1": 0.5}), 1e-4
    traj = sarrus.simulate(MODEL, duration=2 * dt, dt=dt, state=STATE, inputs={"motor 1": 0.5})
    for k in range(3):
        v = traj.joint_velocity(f"joint {k}")
        second = (v[2] - v[0]) / (2 * dt)
        slope = a[k] + dt * (v[2] - 2 * v[1] + v[0]) / dt**2
        assert second == pytest.approx(slope, abs=1e-3 * (1 + abs(a[k])))


def test_a_loop_accelerates_as_its_constraints_allow_and_its_efforts_are_the_smallest():
    mech = sarrus.gallery.four_bar()
    model = sarrus.build(mech)
    state = model.state(velocities={next(iter(mech.joints)): 1.0})
    a = model.forward_dynamics(state)
    efforts = model.inverse_dynamics(state, a)
    np.testing.assert_allclose(efforts, 0.0, atol=1e-8)  # nothing drives it
    rows = model.joint_dynamics.instant(*model.joint_dynamics.motion(state), state.winding).rows
    other = model.inverse_dynamics(state, a + np.linalg.svd(rows)[2][-1])
    assert np.abs(rows @ other).max() < 1e-8 * np.abs(other).max()


def test_what_is_unknown_or_of_another_model_is_refused_by_name():
    with pytest.raises(sarrus.UnknownName, match="did you mean 'tool'"):
        STATE.frame_pose("tol")
    with pytest.raises(sarrus.UnknownName, match="no body named 'bar 9'"):
        MODEL.point_jacobian(STATE, "bar 9")
    with pytest.raises(sarrus.UnknownName, match="no motor or force"):
        MODEL.forward_dynamics(STATE, {"motor": 1.0})
    with pytest.raises(sarrus.MechanismError, match="acceleration must be 3 finite numbers"):
        MODEL.inverse_dynamics(STATE, [0.0, np.nan, 0.0])
    other = sarrus.build(sarrus.gallery.pendulum(links=2)).initial_state()
    with pytest.raises(sarrus.MechanismError, match="state must be one of this model"):
        MODEL.mass_matrix(other)


def test_building_and_reading_say_that_they_compile(monkeypatch, capsys):
    import sarrus._jit

    monkeypatch.setattr(sarrus._jit, "is_compiled", lambda dispatcher: False)
    monkeypatch.delenv("SARRUS_QUIET", raising=False)
    model = sarrus.build(sarrus.gallery.four_bar())
    assert "sarrus: compiling the kernels that build and read models" in capsys.readouterr().err
    model.initial_state().joint_position(model.joint_names[0])
    assert "sarrus: compiling the kernels that read joints" in capsys.readouterr().err
