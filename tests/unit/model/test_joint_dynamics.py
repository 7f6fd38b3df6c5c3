"""Dynamics in joint coordinates: states and coordinates, energies, power, loops."""

from __future__ import annotations

import numpy as np
import pytest

import sarrus
from sarrus.model.joint_dynamics import least_norm

# Ways there and back, energies computed twice: rounding.
ROUNDING = 1e-12
# Central differences of energies over 1e-5 s: their truncation and rounding, relative to the energy.
DIFFERENCES = 1e-6
MECHANISMS = (
    "pendulum",
    "free_chain",
    "tree",
    "four_bar",
    "double_four_bar",
    "bennett",
    "scissor_lift",
    "gyroscope",
)


def energy(model, state):
    where = state.position[None], state.orientation[None]
    kinetic = model.kinetic_energy(*where, state.velocity[None], state.angular_velocity[None], state.winding)[
        0
    ]
    return float(kinetic), float(model.potential_energy(*where, state.winding)[0])


def moving(name, seed=0):
    """(model, its dynamics, q, v) at a random configuration near the reference."""
    model = sarrus.build(getattr(sarrus.gallery, name)())
    dynamics, rng = model.joint_dynamics, np.random.default_rng(seed)
    q, _ = dynamics.motion(model.initial_state())
    q = dynamics.tree.moved(q, 0.1 * rng.normal(size=dynamics.tree.nv))
    return model, dynamics, *dynamics.closed(q, rng.normal(size=dynamics.tree.nv))


@pytest.mark.parametrize("name", MECHANISMS)
def test_states_and_coordinates_lead_to_each_other(name):
    _, dynamics, q, v = moving(name)
    back = dynamics.motion(dynamics.state(q, v))
    assert back[0] == pytest.approx(q, abs=ROUNDING)
    assert back[1] == pytest.approx(v, abs=10 * ROUNDING)


@pytest.mark.parametrize("name", MECHANISMS)
def test_the_mass_matrix_gives_the_kinetic_energy(name):
    model, dynamics, q, v = moving(name)
    now = dynamics.instant(q, v)
    kinetic, _ = energy(model, dynamics.state(q, v))
    assert 0.5 * v @ dynamics.mass_matrix(now) @ v == pytest.approx(kinetic, rel=ROUNDING)


@pytest.mark.parametrize("name", MECHANISMS)
def test_accelerations_keep_the_energy_of_what_has_no_dampers(name):
    model, dynamics, q, v = moving(name)
    now = dynamics.instant(q, v)
    a, _ = dynamics.accelerations(now, dynamics.efforts(now, 0.0, np.zeros(model.input_width)))
    total = []
    for h in (-1e-5, 1e-5):
        there = dynamics.state(dynamics.tree.moved(q, v + 0.5 * h * a, h), v + h * a)
        total.append(sum(energy(model, there)))
    scale = sum(map(abs, energy(model, dynamics.state(q, v)))) * (1 + np.abs(v).max())
    assert (total[1] - total[0]) / 2e-5 == pytest.approx(0.0, abs=DIFFERENCES * scale)


@pytest.mark.parametrize("name", ["four_bar", "double_four_bar", "bennett", "scissor_lift"])
def test_accelerations_keep_loops_closed_to_second_order(name):
    _, dynamics, q, v = moving(name)
    now = dynamics.instant(q, v)
    a, _ = dynamics.accelerations(now, np.zeros(dynamics.tree.nv))
    residuals = []
    for h in (1e-3, 5e-4):
        there = dynamics.instant(dynamics.tree.moved(q, v + 0.5 * h * a, h), v + h * a)
        residuals.append(np.abs(there.residual).max())
    # what is left is of third order in h
    assert residuals[0] < 1e-7 * (1 + np.abs(v).max()) ** 3
    assert residuals[1] < 0.2 * residuals[0] + 1e-13


def test_springs_dampers_motors_and_wrenches_act_as_the_mechanism_says():
    mech = sarrus.Mechanism(gravity=(0.0, 0.0, 0.0))
    mech.add_body("cart", mass=2.0, inertia=(0.1, 0.1, 0.1), position=(0.3, 0.0, 0.0))
    mech.add_joint("rail", "prismatic", parent="world", child="cart", at=(0, 0, 0), axis=(1.0, 0.0, 0.0))
    mech.add_spring(
        "spring", "world", "cart", (-1.0, 0, 0), (0.3, 0, 0), stiffness=50.0, rest_length=1.0, damping=3.0
    )
    mech.add_joint_spring("soft", "rail", stiffness=7.0, rest=0.5, damping=0.4)
    mech.add_motor("m", joint="rail", limit=4.0)
    mech.add_motor("servo", joint="rail", mode="servo", stiffness=11.0, damping=0.7)
    mech.add_force("push", "cart", force=(1.5, 0.0, 0.0))
    model = sarrus.build(mech)
    state = model.state({"rail": 0.2}, {"rail": -0.6})
    a, loops = sarrus.continuous(model).acceleration(state, {"m": 9.0, "servo": 0.1})
    expected = -50.0 * 0.5 + 3.0 * 0.6 + 7.0 * 0.3 + 0.4 * 0.6 + 4.0 + 11.0 * (0.1 - 0.2) + 0.7 * 0.6 + 1.5
    assert a == pytest.approx([expected / 2.0], rel=ROUNDING)
    assert loops == {}


def test_joint_springs_on_a_spherical_joint_pull_along_the_rotation_vector():
    mech = sarrus.Mechanism(gravity=(0.0, 0.0, 0.0))
    mech.add_body("ball", mass=1.0, inertia=(0.2, 0.3, 0.4))
    mech.add_joint("centre", "spherical", parent="world", child="ball", at=(0.0, 0.0, 0.0))
    mech.add_joint_spring("pull", "centre", stiffness=(2.0, 3.0, 4.0))
    model = sarrus.build(mech)
    dynamics = model.joint_dynamics
    state = model.state({"centre": (0.4, -0.7, 0.3)})
    now = dynamics.instant(*dynamics.motion(state))
    efforts = dynamics.efforts(now, 0.0, np.zeros(0))
    slopes = []
    for k in range(3):
        ends = [
            energy(model, dynamics.state(dynamics.tree.moved(now.q, np.eye(3)[k], h), now.v))[1]
            for h in (-1e-4, 1e-4)
        ]
        slopes.append((ends[1] - ends[0]) / 2e-4)
    assert efforts == pytest.approx(-np.array(slopes), abs=1e-7)


def test_users_forces_and_potentials_are_counted():
    def drag(t, x, q, v, w, p, out):
        for i in range(3):
            out[0, i] = -p[0] * v[0, i]

    def well(x, q, p):
        return 0.5 * p[0] * (x[0, 0] ** 2 + x[0, 1] ** 2 + x[0, 2] ** 2)

    mech = sarrus.Mechanism(gravity=(0.0, 0.0, 0.0))
    mech.add_body(
        "ball", mass=2.0, inertia=(0.1, 0.1, 0.1), position=(1.0, 2.0, 3.0), velocity=(4.0, 5.0, 6.0)
    )
    mech.add_custom_force("drag", ["ball"], drag, [0.5])
    mech.add_potential("well", ["ball"], well, [3.0])
    model = sarrus.build(mech)
    a, _ = sarrus.continuous(model).acceleration(model.initial_state())
    expected = -(3.0 * np.array([1.0, 2.0, 3.0]) + 0.5 * np.array([4.0, 5.0, 6.0])) / 2.0
    assert a[:3] == pytest.approx(expected, rel=1e-10)
    assert a[3:] == pytest.approx(np.zeros(3), abs=1e-10)


def test_redundant_rows_get_multipliers_of_least_norm():
    S = np.array([[2.0, 2.0], [2.0, 2.0]])
    assert least_norm(S, np.array([4.0, 4.0])) == pytest.approx([1.0, 1.0])


def test_what_continuous_dynamics_do_not_have_is_refused_by_name():
    with pytest.raises(sarrus.MechanismError, match="continuous dynamics have no contacts"):
        sarrus.continuous(sarrus.build(sarrus.gallery.box_drop()))
    with pytest.raises(sarrus.MechanismError, match="rolling constraint"):
        sarrus.continuous(sarrus.build(sarrus.gallery.rolling_disc()))
    mech = sarrus.Mechanism()
    mech.add_body("point", mass=1.0, inertia=0)
    mech.add_joint("spin", "revolute", parent="world", child="point", at=(0, 0, 0), axis=(0, 0, 1))
    with pytest.raises(sarrus.MechanismError, match="'spin' moves without moving any mass"):
        sarrus.continuous(sarrus.build(mech))
    with pytest.raises(sarrus.MechanismError, match="scheme must be one of"):
        sarrus.Continuous("rk5")
