"""Bodies: what is stored, what follows from shapes, and the message for each fault."""

import numpy as np
import pytest

from sarrus.errors import MechanismError
from sarrus.mechanism import Box, Capsule, HalfSpace, Mechanism, Sphere

ROUNDING = 1e-14  # a few operations on numbers of order one
ROD = (1.0, 1.0, 0.1)


def test_a_body_is_stored_as_read_only_arrays_in_the_order_of_addition():
    mech = Mechanism()
    mech.add_body("b", 2, ROD, position=(1, 2, 3), velocity=(0, 1, 0), angular_velocity=(0, 0, 1))
    mech.add_body("a", mass=1.0, inertia=np.diag(ROD))
    body = mech.bodies["b"]
    assert list(mech.bodies) == ["b", "a"]
    assert body.mass == 2.0
    np.testing.assert_array_equal(body.inertia, np.diag(ROD))
    for value in (body.inertia, body.position, body.orientation, body.velocity, body.angular_velocity):
        assert value.dtype == np.float64
        assert not value.flags.writeable


def test_arrays_given_by_the_user_are_copied():
    mech = Mechanism()
    place = np.zeros(3)
    mech.add_body("rod", 1.0, ROD, position=place)
    place[0] = 7.0
    assert mech.bodies["rod"].position[0] == 0.0


def test_a_density_fills_the_shapes():
    mech = Mechanism()
    mech.add_body("box", density=100.0, shapes=[Box(size=(0.1, 0.1, 1.0))])
    assert mech.bodies["box"].mass == pytest.approx(1.0, rel=ROUNDING)
    np.testing.assert_allclose(
        np.diag(mech.bodies["box"].inertia), [1.01 / 12, 1.01 / 12, 0.02 / 12], rtol=10 * ROUNDING
    )


def test_a_mass_without_inertia_is_spread_over_the_shapes():
    mech = Mechanism()
    mech.add_body("dumbbell", mass=4.0, shapes=[Sphere(0.1, at=(0, 0, 1)), Sphere(0.1, at=(0, 0, -1))])
    own = 0.4 * 0.1**2
    np.testing.assert_allclose(
        np.diag(mech.bodies["dumbbell"].inertia), 4.0 * np.array([own + 1, own + 1, own]), rtol=10 * ROUNDING
    )


def test_a_half_space_does_not_count_for_the_mass():
    mech = Mechanism()
    mech.add_body("plate", density=1.0, shapes=[HalfSpace((0, 0, 1), collide=False), Box((1, 1, 1))])
    assert mech.bodies["plate"].mass == pytest.approx(1.0, rel=ROUNDING)


def test_inertia_zero_is_a_point_mass():
    mech = Mechanism()
    mech.add_body("scalar", mass=1.0, inertia=0)
    mech.add_body("moments", mass=1.0, inertia=(0, 0, 0))
    assert not mech.bodies["scalar"].inertia.any()
    assert not mech.bodies["moments"].inertia.any()


def test_a_nearly_unit_quaternion_is_normalised():
    mech = Mechanism()
    mech.add_body("rod", 1.0, ROD, orientation=(1.0 + 9e-7, 0, 0, 0))
    np.testing.assert_array_equal(mech.bodies["rod"].orientation, [1, 0, 0, 0])


def test_a_flat_plate_passes_the_triangle_inequality_with_equality():
    mech = Mechanism()
    mech.add_body("plate", 1.0, (1.0, 2.0, 3.0))
    assert mech.bodies["plate"].inertia[2, 2] == 3.0


FAULTS = {
    "zero mass": ({"mass": 0.0, "inertia": ROD}, "body 'x': mass must be positive and finite, not 0.0"),
    "negative mass": ({"mass": -1.0, "inertia": ROD}, "mass must be positive and finite, not -1.0"),
    "NaN mass": ({"mass": np.nan, "inertia": ROD}, "mass must be positive and finite, not nan"),
    "infinite mass": ({"mass": np.inf, "inertia": ROD}, "mass must be positive and finite, not inf"),
    "text mass": ({"mass": "1", "inertia": ROD}, "mass must be a number, not '1'"),
    "no mass": ({}, "give mass, or density and shapes"),
    "inertia alone": ({"inertia": ROD}, "an inertia alone is not enough"),
    "mass and density": ({"mass": 1.0, "density": 1.0}, "give density or mass, not both"),
    "inertia and density": ({"inertia": ROD, "density": 1.0}, "give density or inertia, not both"),
    "density alone": ({"density": 1.0}, "density needs at least one shape with a volume"),
    "zero density": ({"density": 0, "shapes": [Sphere(1)]}, "density must be positive and finite, not 0"),
    "no inertia": ({"mass": 1.0}, "inertia=0 makes a point mass"),
    "only a half space": (
        {"mass": 1.0, "shapes": [HalfSpace((0, 0, 1), collide=False)]},
        "give inertia, or shapes",
    ),
    "half space": ({"mass": 1.0, "shapes": [HalfSpace((0, 0, 1))]}, "use add_ground or add_obstacle"),
    "tiny shape": ({"mass": 1.0, "shapes": [Sphere(1e-120)]}, "too small or too large to have a mass"),
    "huge shape": ({"density": 1.0, "shapes": [Box((1e120, 1, 1))]}, "too small or too large to have a mass"),
    "flat inertia": ({"mass": 1.0, "inertia": (1, 1, 0)}, "must be positive definite"),
    "negative inertia": ({"mass": 1.0, "inertia": (1, 1, -1)}, "its principal moments are -1, 1, 1"),
    "triangle": ({"mass": 1.0, "inertia": (1, 1, 2.1)}, "the largest exceeds the sum of the other two"),
    "skew inertia": (
        {"mass": 1.0, "inertia": [[1, 1, 0], [0, 1, 0], [0, 0, 1]]},
        "inertia must be symmetric",
    ),
    "one inertia": (
        {"mass": 1.0, "inertia": 1.0},
        "3 moments, a 3 x 3 matrix, or 0 for a point mass, not 1.0",
    ),
    "two moments": ({"mass": 1.0, "inertia": (1, 1)}, "inertia must be 3 finite numbers"),
    "NaN inertia": ({"mass": 1.0, "inertia": (1, np.nan, 1)}, "inertia must be 3 finite numbers"),
    "NaN position": ({"position": (0, 0, np.nan)}, "position must be 3 finite numbers"),
    "short position": ({"position": (0, 0)}, "position must be 3 finite numbers, not (0, 0)"),
    "ragged position": ({"position": ((0, 0), 0, 0)}, "position must be 3 finite numbers"),
    "text position": ({"position": ("0", "0", "1")}, "position must be 3 finite numbers"),
    "NaN velocity": ({"velocity": (0, 0, np.nan)}, "velocity must be 3 finite numbers"),
    "infinite turn": ({"angular_velocity": (0, 0, np.inf)}, "angular_velocity must be 3 finite numbers"),
    "long quaternion": (
        {"orientation": (1, 1, 0, 0)},
        "unit quaternion (w, x, y, z), but its length is 1.41",
    ),
    "zero quaternion": ({"orientation": (0, 0, 0, 0)}, "but its length is 0"),
    "shape class": ({"shapes": [Sphere]}, "shapes must be Sphere, Box, Capsule, ... objects"),
    "color": ({"color": (0, 0, 2)}, "color must be 3 or 4 numbers from 0 to 1"),
    "off centre": (
        {"mass": 1.0, "shapes": [Capsule(0.1, 1.0, at=(0, 0, 0.5))]},
        "the centre of mass of the shapes lies at (0, 0, 0.5) m in the body frame",
    ),
}
PLACEMENT = {"position", "velocity", "angular_velocity", "orientation", "shapes", "color"}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_body_is_refused_with_a_clear_message_and_not_stored(fault):
    arguments, message = FAULTS[fault]
    if arguments and set(arguments) <= PLACEMENT:
        arguments = {"mass": 1.0, "inertia": ROD, **arguments}
    mech = Mechanism()
    with pytest.raises(MechanismError) as caught:
        mech.add_body("x", **arguments)
    assert message in str(caught.value)
    assert str(caught.value).startswith("body 'x': ")
    assert not mech.bodies


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("rod", "body 'rod': there is already a body of this name; names must be unique"),
        ("world", "body 'world': this name is reserved for the fixed ground"),
        ("", "the name of a body must be a non-empty str, not ''"),
        (3, "the name of a body must be a non-empty str, not 3"),
    ],
)
def test_a_body_name_is_new_and_not_empty(name, message):
    mech = Mechanism()
    mech.add_body("rod", 1.0, ROD)
    with pytest.raises(MechanismError) as caught:
        mech.add_body(name, 1.0, ROD)
    assert message in str(caught.value)
    assert list(mech.bodies) == ["rod"]
