"""build, report, states and assembly."""

import numpy as np
import pytest

import sarrus

CLOSED = 1e-10  # [m]: assembly promises 1e-11 of the size of the mechanism
ANGLE = 1e-9  # [rad]


@pytest.fixture(scope="module")
def four_bar():
    return sarrus.build(sarrus.gallery.four_bar())


def test_the_report_tells_bodies_joints_loops_freedom_and_redundancy_by_name(four_bar):
    text = four_bar.report()
    for words in ("3 bodies", "4 joints", "1 loop", "1 degree of freedom", "3 redundant constraints"):
        assert words in text
    assert any(repr(name) in text for name, _ in four_bar.redundant)


def test_a_closed_form_angle_is_met_and_the_loop_closed(four_bar):
    name = four_bar.joint_names[0]
    state = sarrus.assemble(four_bar, {name: 0.3})
    assert state.joint_position(name) == pytest.approx(0.3, abs=ANGLE)
    assert np.abs(four_bar.residuals(state.position[None], state.orientation[None])).max() < CLOSED


def test_what_cannot_be_met_is_named(four_bar):
    first, second = four_bar.joint_names[:2]
    with pytest.raises(sarrus.AssemblyError, match="cannot be assembled") as error:
        sarrus.assemble(four_bar, {first: 0.3, second: 2.5})
    assert any(repr(name) in str(error.value) for name in four_bar.joint_names)


def test_unknown_joints_and_wrong_numbers_of_coordinates_are_refused(four_bar):
    with pytest.raises(sarrus.UnknownName, match="no joint named 'knee'"):
        sarrus.assemble(four_bar, {"knee": 0.0})
    with pytest.raises(sarrus.MechanismError, match="1 coordinates, not 2"):
        sarrus.assemble(four_bar, {four_bar.joint_names[0]: (0.0, 1.0)})
    with pytest.raises(sarrus.MechanismError, match="not finite"):
        sarrus.assemble(four_bar, {four_bar.joint_names[0]: np.nan})


def test_joint_velocities_move_the_loop_without_breaking_it(four_bar):
    name = four_bar.joint_names[0]
    state = four_bar.state(joints={name: 0.2}, velocities={name: 1.5})
    assert state.joint_velocity(name) == pytest.approx(1.5, abs=1e-8)
    simulation = sarrus.Simulation(four_bar, dt=0.001, state=state)
    assert simulation.stepper.projection < 1e-8


def test_velocities_that_are_not_given_stay_zero_in_a_tree():
    model = sarrus.build(sarrus.gallery.pendulum(links=3))
    first, second, third = model.joint_names
    state = model.state(joints={first: 0.5, third: -1.0}, velocities={second: 2.0})
    assert [state.joint_position(n) for n in model.joint_names] == pytest.approx([0.5, 0.0, -1.0], abs=ANGLE)
    assert [state.joint_velocity(n) for n in model.joint_names] == pytest.approx([0.0, 2.0, 0.0], abs=1e-9)


@pytest.mark.parametrize("kind", [k for k in sarrus.JOINT_KINDS if k != "fixed"])
@pytest.mark.parametrize("turned", [False, True], ids=["forward", "reversed"])
def test_forward_kinematics_gives_back_the_coordinates_of_every_kind(kind, turned):
    table = sarrus.JOINT_KINDS[kind]
    mech = sarrus.Mechanism()
    mech.add_body("a", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.2, 0.1, 0.3))
    mech.add_body(
        "b", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, -0.2, 0.4), orientation=(0.6, 0.8, 0, 0)
    )
    mech.add_joint("base", "fixed", parent="world", child="a", at=(0, 0, 0))
    takes = {"axis": (0.6, 0.0, 0.8), "axis2": (0.0, 1.0, 0.0), "pitch": 0.1}
    given = {what: takes[what] for what in table.takes}
    parent, child = ("b", "a") if turned else ("a", "b")
    mech.add_joint("j", kind, parent=parent, child=child, at=(0.3, 0.0, 0.1), **given)
    model = sarrus.build(mech)
    wanted = np.linspace(0.3, 0.7, len(table.coordinates))
    state = model.state(joints={"j": wanted}, velocities={"j": 2.0 * wanted})
    assert np.atleast_1d(state.joint_position("j")) == pytest.approx(wanted, abs=ANGLE)
    assert np.atleast_1d(state.joint_velocity("j")) == pytest.approx(2.0 * wanted, abs=1e-8)
    assert (
        np.abs(model.residuals(state.position[None], state.orientation[None], state.winding)).max() < CLOSED
    )


def test_a_wire_of_another_length_is_pulled_to_it():
    mech = sarrus.Mechanism()
    mech.add_body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, -1))
    mech.add_distance("wire", "world", "ball", at_a=(0, 0, 0), at_b=(0, 0, -1), length=1.5)
    model = sarrus.build(mech)
    with pytest.raises(sarrus.MechanismError, match=r"misses joint 'wire' by 0.5.*assemble"):
        sarrus.simulate(model, duration=0.1)
    state = sarrus.assemble(model)
    assert np.linalg.norm(state.position[0]) == pytest.approx(1.5, abs=CLOSED)
    assert sarrus.simulate(model, duration=0.1, state=state).violation().max() < 1e-9


def test_the_users_order_of_parents_does_not_decide_the_cost_of_a_loop():
    """A chain of rhombi given in any order of joints has loops of its own length."""
    mech = sarrus.gallery.rhombus_chain(segments=6)
    turned = sarrus.Mechanism(gravity=mech.gravity)
    for body in mech.bodies.values():
        turned.add_body(body.name, mass=body.mass, inertia=body.inertia, position=body.position,
                        orientation=body.orientation)  # fmt: skip
    for joint in reversed(list(mech.joints.values())):
        turned.add_joint(
            joint.name, joint.kind, parent=joint.child, child=joint.parent, at=joint.at, axis=joint.axis
        )
    model, other = sarrus.build(mech), sarrus.build(turned)
    assert (model.dof, model.redundant_constraints) == (other.dof, other.redundant_constraints) == (12, 18)
    here, there = (sarrus.simulate(m, duration=0.3, dt=0.01) for m in (model, other))
    order = [other.body_names.index(name) for name in model.body_names]
    # Both solve the same equations to 1e-10 per step; thirty steps of a motion that is not yet chaotic.
    assert np.abs(here.position - there.position[:, order]).max() < 1e-7
    assert other.arrays.topo[0, 2] < 20 * len(mech.bodies)  # edges: fill stays inside the loops


def test_an_empty_mechanism_and_a_foreign_object_are_refused():
    with pytest.raises(sarrus.MechanismError, match="no bodies"):
        sarrus.build(sarrus.Mechanism())
    with pytest.raises(sarrus.MechanismError, match=r"sarrus\.Mechanism"):
        sarrus.build("pendulum")


def test_memory_per_body_stays_below_twenty_kilobytes():
    for mech in (
        sarrus.gallery.pendulum(links=200, joint="spherical"),
        sarrus.gallery.rhombus_chain(segments=20),
    ):
        model = sarrus.build(mech)
        assert model.nbytes / len(model.body_names) < 20_000


@pytest.mark.parametrize(
    "shape", [sarrus.Sphere(2e-5), sarrus.Box((1.0, 1.0, 5e-5)), sarrus.Capsule(3e-5, 1.0)]
)
def test_shapes_that_contact_cannot_resolve_are_warned_of_by_name(shape):
    mechanism = sarrus.Mechanism()
    mechanism.add_body("speck", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(0, 0, 1), shapes=[shape])
    sarrus.build(mechanism)  # nothing to touch
    mechanism.add_ground()
    with pytest.warns(UserWarning, match="body 'speck' has a shape of .* larger units"):
        sarrus.build(mechanism)
