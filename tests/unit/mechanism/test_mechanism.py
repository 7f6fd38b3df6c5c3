"""The mechanism as a whole: gravity, frames, its one-line picture, and a light import."""

import subprocess
import sys

import numpy as np
import pytest

from sarrus.errors import MechanismError
from sarrus.mechanism import Mechanism, Sphere


def test_an_empty_mechanism_has_earths_gravity_and_says_that_it_is_empty():
    mech = Mechanism()
    np.testing.assert_array_equal(mech.gravity, [0, 0, -9.81])
    assert repr(mech) == "<Mechanism 'mechanism': empty>"


def test_the_picture_counts_what_there_is():
    mech = Mechanism(name="arm")
    mech.add_body("a", 1.0, (1, 1, 1))
    mech.add_body("b", 1.0, (1, 1, 1))
    mech.add_joint("j", "free", "world", "a")
    mech.add_motor("m", "j")
    assert repr(mech) == "<Mechanism 'arm': 2 bodies, 1 joint, 1 motor>"
    mech.add_body("c", 1.0, shapes=[Sphere(0.1)])
    mech.add_body("d", 1.0, shapes=[Sphere(0.1)])
    mech.add_ground()
    mech.add_contact("c", "d")
    mech.exclude("c", "ground")
    mech.add_limit("stop", "j", lower=0)
    mech.add_joint_friction("j", 1.0)
    mech.add_rope("rope", "c", "d", (0, 0, 0), (1, 0, 0))
    assert repr(mech) == (
        "<Mechanism 'arm': 4 bodies, 1 joint, 1 motor, 1 limit, 1 joint with friction, 1 rope, 1 obstacle, "
        "1 contact, 1 exclusion>"
    )


def test_a_frame_is_the_bodys_own_by_default_and_may_be_fixed_to_the_world():
    mech = Mechanism()
    half = np.sqrt(0.5)
    mech.add_body("a", 1.0, (1, 1, 1), position=(1, 2, 3), orientation=(half, half, 0, 0))
    mech.add_frame("own", "a")
    mech.add_frame("tool", "a", at=(0, 0, 1), orientation=(1, 0, 0, 0))
    mech.add_frame("base", "world")
    np.testing.assert_array_equal(mech.frames["own"].at, [1, 2, 3])
    np.testing.assert_allclose(mech.frames["own"].orientation, [half, half, 0, 0])
    np.testing.assert_array_equal(mech.frames["tool"].orientation, [1, 0, 0, 0])
    np.testing.assert_array_equal(mech.frames["base"].at, [0, 0, 0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"gravity": 9.81}, "mechanism 'mechanism': gravity must be 3 finite numbers, not 9.81"),
        ({"gravity": (0, 0, np.nan)}, "gravity must be 3 finite numbers"),
        ({"name": ""}, "the name of a mechanism must be a non-empty str"),
    ],
)
def test_a_faulty_mechanism_is_refused_with_a_clear_message(arguments, message):
    with pytest.raises(MechanismError) as caught:
        Mechanism(**arguments)
    assert message in str(caught.value)


def test_describing_a_mechanism_loads_no_heavy_package():
    script = (
        "import sys; from sarrus.mechanism import Mechanism, Box; m = Mechanism(); "
        "m.add_body('a', density=1.0, shapes=[Box((1, 1, 1))]); "
        "print([n for n in ('numba', 'scipy', 'matplotlib') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
