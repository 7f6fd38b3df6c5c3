"""Springs, forces, motors and the user's own terms: what is stored, and the message for each fault."""

import numpy as np
import pytest

from sarrus.errors import MechanismError
from sarrus.mechanism import Mechanism

O = (0.0, 0.0, 0.0)
X = (1.0, 0.0, 0.0)


def drag(t, x, q, v, w, p, out):
    out[0, :3] = -p[0] * v[0]


def energy(x, q, p):
    return p[0] * x[0, 2]


@pytest.fixture
def mech():
    mech = Mechanism()
    for name in ("a", "b"):
        mech.add_body(name, 1.0, (1, 1, 1))
    mech.add_joint("hinge", "revolute", "world", "a", at=O, axis=X)
    mech.add_joint("ball", "spherical", "a", "b", at=O)
    mech.add_joint("weld", "fixed", "a", "b", at=O)
    return mech


def test_a_spring_is_at_rest_as_placed_unless_told_otherwise(mech):
    mech.add_spring("s", "a", "world", at_a=O, at_b=(0, 3, 4), stiffness=10.0)
    mech.add_spring("t", "a", "b", at_a=O, at_b=X, stiffness=10.0, rest_length=0.0, damping=1.0)
    assert mech.springs["s"].rest_length == 5.0
    assert (mech.springs["t"].rest_length, mech.springs["t"].damping) == (0.0, 1.0)


def test_a_joint_spring_takes_one_number_for_all_coordinates_or_one_each(mech):
    mech.add_joint_spring("s", joint="ball", stiffness=(1, 2, 3), rest=-0.1, damping=0.5)
    spring = mech.joint_springs["s"]
    np.testing.assert_array_equal(spring.stiffness, [1, 2, 3])
    np.testing.assert_array_equal(spring.rest, [-0.1] * 3)
    np.testing.assert_array_equal(spring.damping, [0.5] * 3)


def test_a_force_acts_at_the_centre_of_mass_in_the_world_frame_by_default(mech):
    mech.add_force("push", "a", force=(1, 2, 3))
    force = mech.forces["push"]
    assert force.at is None
    assert force.frame == "world"
    np.testing.assert_array_equal(force.torque, O)


def test_motors_drive_all_coordinates_or_one_component(mech):
    mech.add_motor("m", joint="hinge")
    mech.add_motor("n", joint="ball", mode="servo", component=2, stiffness=5.0)
    assert (mech.motors["m"].mode, mech.motors["m"].component) == ("force", None)
    motor = mech.motors["n"]
    assert (motor.mode, motor.component, motor.stiffness, motor.damping) == ("servo", 2, 5.0, 0.0)
    assert mech.input_names == ("m", "n")


def test_a_motor_may_have_an_effort_limit_in_both_modes(mech):
    mech.add_motor("m", joint="hinge", limit=3)
    mech.add_motor("n", joint="ball", mode="servo", stiffness=5.0, limit=0.5)
    mech.add_motor("o", joint="ball")
    assert [mech.motors[name].limit for name in "mno"] == [3.0, 0.5, None]


def test_custom_terms_keep_their_functions(mech):
    mech.add_custom_force("drag", "a", drag, parameters=[0.1])
    mech.add_potential("height", ["a", "b"], energy, parameters=[2.0])
    assert mech.custom_forces["drag"].bodies == ("a",)
    assert mech.custom_forces["drag"].force is drag
    assert mech.potentials["height"].energy is energy
    assert mech.potentials["height"].gradient is None


FAULTS = {
    "spring itself": (lambda m: m.add_spring("f", "a", "a", O, X, 1.0), "a and b are the same body, 'a'"),
    "spring unknown": (lambda m: m.add_spring("f", "a", "c", O, X, 1.0), "no body named 'c'; known: "),
    "spring soft": (lambda m: m.add_spring("f", "a", "b", O, X, -1.0), "stiffness must be zero or positive"),
    "spring NaN": (lambda m: m.add_spring("f", "a", "b", O, X, np.nan), "stiffness must be zero or positive"),
    "spring damping": (
        lambda m: m.add_spring("f", "a", "b", O, X, 1.0, damping=-1.0),
        "damping must be zero or positive, and finite, not -1.0",
    ),
    "spring rest": (
        lambda m: m.add_spring("f", "a", "b", O, X, 1.0, -1.0),
        "rest_length must be zero or positive",
    ),
    "joint spring unknown": (
        lambda m: m.add_joint_spring("f", "knee", 1.0),
        "no joint named 'knee'; known: ",
    ),
    "joint spring fixed": (
        lambda m: m.add_joint_spring("f", "weld", 1.0),
        "'weld' (fixed) has no joint coordinate; kinds that have: revolute, prismatic",
    ),
    "joint spring count": (
        lambda m: m.add_joint_spring("f", "ball", (1.0, 2.0)),
        "stiffness must be 3 finite numbers, not (1.0, 2.0)",
    ),
    "joint spring soft": (lambda m: m.add_joint_spring("f", "ball", (1, 1, -1)), "stiffness must be zero or"),
    "joint spring NaN": (lambda m: m.add_joint_spring("f", "ball", 1.0, rest=np.nan), "rest must be finite"),
    "force world": (lambda m: m.add_force("f", "world"), "force 'f': no body named 'world'"),
    "force frame": (
        lambda m: m.add_force("f", "a", frame="local"),
        "frame must be one of 'world', 'body', not 'local'",
    ),
    "force NaN": (lambda m: m.add_force("f", "a", torque=(0, 0, np.nan)), "torque must be 3 finite numbers"),
    "motor mode": (
        lambda m: m.add_motor("f", "hinge", mode="magic"),
        "motor 'f': mode must be one of 'force', 'servo', 'position', 'velocity', 'pose', not 'magic'",
    ),
    "motor joint": (lambda m: m.add_motor("f", "hing"), "no joint named 'hing'; known: 'hinge'"),
    "motor stiffness": (
        lambda m: m.add_motor("f", "hinge", stiffness=1.0),
        "mode 'force' does not take stiffness",
    ),
    "motor damping": (lambda m: m.add_motor("f", "hinge", damping=1.0), "mode 'force' does not take damping"),
    "servo without": (lambda m: m.add_motor("f", "hinge", mode="servo"), "mode 'servo' needs stiffness"),
    "servo soft": (
        lambda m: m.add_motor("f", "hinge", mode="servo", stiffness=-1.0),
        "stiffness must be zero or positive, and finite, not -1.0",
    ),
    "motor component": (
        lambda m: m.add_motor("f", "ball", component=3),
        "joint 'ball' has no coordinate 3; component may be 0 (rotation_x)",
    ),
    "motor limit": (
        lambda m: m.add_motor("f", "hinge", limit=0.0),
        "motor 'f': limit must be positive and finite, not 0.0",
    ),
    "motor limit NaN": (
        lambda m: m.add_motor("f", "hinge", mode="servo", stiffness=1.0, limit=np.nan),
        "limit must be positive and finite, not nan",
    ),
    "custom force": (
        lambda m: m.add_custom_force("f", "a", energy),
        "force must be a function force(t, x, q, v, w, p, out)",
    ),
    "potential": (
        lambda m: m.add_potential("f", "a", drag),
        "energy must be a function energy(x, q, p): missing",
    ),
    "gradient": (
        lambda m: m.add_potential("f", "a", energy, gradient=1),
        "gradient must be a function gradient(x, q, p, out)",
    ),
    "frame body": (lambda m: m.add_frame("f", "c"), "frame 'f': no body named 'c'"),
    "frame orientation": (
        lambda m: m.add_frame("f", "a", orientation=(2, 0, 0, 0)),
        "orientation must be a unit quaternion",
    ),
}
TABLES = ("springs", "joint_springs", "forces", "motors", "custom_forces", "potentials", "frames")


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_force_is_refused_with_a_clear_message_and_not_stored(mech, fault):
    add, message = FAULTS[fault]
    with pytest.raises(MechanismError) as caught:
        add(mech)
    assert message in str(caught.value)
    assert "'f': " in str(caught.value)
    assert not any(getattr(mech, table) for table in TABLES)


def test_names_are_unique_among_all_that_takes_an_input(mech):
    mech.add_force("drive", "a")
    with pytest.raises(MechanismError, match="force or motor 'drive': there is already a force or motor"):
        mech.add_motor("drive", "hinge")
    mech.add_spring("drive", "a", "b", O, X, 1.0)  # a spring takes no input
    with pytest.raises(MechanismError, match="spring 'drive': there is already a spring"):
        mech.add_spring("drive", "a", "b", O, X, 1.0)
