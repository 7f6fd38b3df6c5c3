"""The joint table, the defaults of a joint, and the message for each fault."""

import numpy as np
import pytest

from sarrus.errors import MechanismError, UnknownName
from sarrus.mechanism import JOINT_KINDS, Mechanism

ROUNDING = 1e-15
O = (0.0, 0.0, 0.0)
X = (1.0, 0.0, 0.0)
Y = (0.0, 1.0, 0.0)
# kind: translations, rotations, coordinates, as listed in the public contract
CONTRACT = {
    "fixed": (0, 0, ""),
    "revolute": (0, 1, "angle"),
    "prismatic": (1, 0, "distance"),
    "cylindrical": (1, 1, "distance angle"),
    "screw": (0, 1, "angle"),
    "universal": (0, 2, "angle angle2"),
    "spherical": (0, 3, "rotation_x rotation_y rotation_z"),
    "planar": (2, 1, "x y angle"),
    "rectangular": (2, 0, "x y"),
    "cartesian": (3, 0, "x y z"),
    "slot": (1, 3, "distance rotation_x rotation_y rotation_z"),
    "pin_in_slot": (1, 1, "distance angle"),
    "point_on_plane": (2, 3, "x y rotation_x rotation_y rotation_z"),
    "parallel_axis": (3, 1, "x y z angle"),
    "free": (3, 3, "x y z rotation_x rotation_y rotation_z"),
}


@pytest.fixture
def mech():
    mech = Mechanism()
    mech.add_body("rod", 1.0, (1, 1, 1), position=(1, 2, 3))
    mech.add_body("arm", 1.0, (1, 1, 1))
    return mech


def needed(kind):
    """The arguments that a joint of this kind must have."""
    takes = JOINT_KINDS[kind].takes
    return {name: value for name, value in (("axis", X), ("pitch", 0.1)) if name in takes}


def test_the_table_holds_exactly_the_kinds_of_the_contract():
    assert list(JOINT_KINDS) == list(CONTRACT)


@pytest.mark.parametrize("kind", CONTRACT)
def test_each_kind_has_the_coordinates_of_the_contract(mech, kind):
    table = JOINT_KINDS[kind]
    translations, rotations, coordinates = CONTRACT[kind]
    assert (table.translations, table.rotations) == (translations, rotations)
    assert table.coordinates == tuple(coordinates.split())
    assert table.angular == (False,) * translations + (True,) * rotations
    armature = 0.5 if table.coordinates else 0.0
    mech.add_joint("j", kind, parent="world", child="rod", at=O, armature=armature, **needed(kind))
    assert mech.joints["j"].armature == (0.5,) * len(coordinates.split())


@pytest.mark.parametrize("kind", CONTRACT)
@pytest.mark.parametrize("argument", ["axis", "axis2", "pitch"])
def test_an_argument_that_a_kind_does_not_take_is_an_error(mech, kind, argument):
    given = {**needed(kind), argument: {"axis": X, "axis2": Y, "pitch": 0.1}[argument]}
    if argument in JOINT_KINDS[kind].takes:
        mech.add_joint("j", kind, "world", "rod", at=O, **given)
        assert mech.joints["j"].kind == kind
        return
    with pytest.raises(MechanismError, match=f"joint 'j': a {kind} joint does not take {argument}"):
        mech.add_joint("j", kind, "world", "rod", at=O, **given)
    assert not mech.joints


@pytest.mark.parametrize(
    "kind", [kind for kind in CONTRACT if kind not in ("cartesian", "parallel_axis", "free")]
)
def test_the_point_of_a_joint_must_be_given_where_it_matters(mech, kind):
    with pytest.raises(MechanismError, match=f"a {kind} joint needs at"):
        mech.add_joint("j", kind, "world", "rod", **needed(kind))


@pytest.mark.parametrize("kind", ["cartesian", "parallel_axis", "free"])
def test_the_point_of_a_joint_with_free_translations_is_the_childs_centre_by_default(mech, kind):
    mech.add_joint("j", kind, "world", "rod", **needed(kind))
    np.testing.assert_array_equal(mech.joints["j"].at, [1, 2, 3])


@pytest.mark.parametrize("kind", ["universal", "planar", "rectangular", "pin_in_slot", "point_on_plane"])
def test_axis2_is_by_default_the_least_aligned_world_axis_made_perpendicular(mech, kind):
    mech.add_joint("j", kind, "world", "rod", at=O, axis=(3, 2, 1))
    joint = mech.joints["j"]
    expected = np.array([0, 0, 1]) - np.array([3, 2, 1]) / 14
    np.testing.assert_allclose(joint.axis2, expected / np.linalg.norm(expected), atol=2 * ROUNDING)
    assert abs(joint.axis @ joint.axis2) < ROUNDING


def test_axes_are_normalised_and_a_slightly_oblique_axis2_is_straightened(mech):
    mech.add_joint("j", "universal", "world", "rod", at=O, axis=(5, 0, 0), axis2=(5e-7, 1, 0))
    joint = mech.joints["j"]
    np.testing.assert_allclose(joint.axis, X, atol=ROUNDING)
    np.testing.assert_allclose(joint.axis2, Y, atol=ROUNDING)


def test_armature_may_be_one_number_per_coordinate(mech):
    mech.add_joint("j", "cylindrical", "world", "rod", at=O, axis=X, armature=(0.0, 0.2))
    assert mech.joints["j"].armature == (0.0, 0.2)


FAULTS = {
    "unknown kind": ({"kind": "hinge"}, "kind must be one of 'fixed', 'revolute', 'prismatic'"),
    "unknown child": ({"child": "rodd"}, "no body named 'rodd'; known: 'rod', 'arm', 'world'"),
    "unknown parent": ({"parent": "floor"}, "no body named 'floor'; known: "),
    "itself": ({"parent": "rod"}, "parent and child are the same body, 'rod'; they must be two"),
    "world to world": ({"child": "world"}, "parent and child are the same body, 'world'"),
    "no axis": ({"axis": None}, "a revolute joint needs axis"),
    "no pitch": ({"kind": "screw"}, "a screw joint needs pitch"),
    "zero axis": ({"axis": O}, "axis must not be zero, but is (0.0, 0.0, 0.0)"),
    "NaN axis": ({"axis": (np.nan, 0, 1)}, "axis must be 3 finite numbers"),
    "NaN point": ({"at": (np.nan, 0, 0)}, "at must be 3 finite numbers"),
    "NaN pitch": ({"kind": "screw", "pitch": np.nan}, "pitch must be finite, not nan"),
    "oblique axis2": (
        {"kind": "universal", "axis2": (1, 1, 0)},
        "axis2 must be perpendicular to axis, but their angle is 45 degrees",
    ),
    "zero axis2": ({"kind": "universal", "axis2": O}, "axis2 must not be zero"),
    "negative armature": ({"armature": -1.0}, "armature must be zero or positive, and finite, not -1.0"),
    "NaN armature": ({"armature": np.nan}, "armature must be zero or positive, and finite, not nan"),
    "two armatures": ({"armature": (1, 2)}, "armature must be one finite number, not"),
    "armature of fixed": (
        {"kind": "fixed", "axis": None, "armature": 1.0},
        "has no coordinate that could have an armature",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_joint_is_refused_with_a_clear_message_and_not_stored(mech, fault):
    arguments, message = FAULTS[fault]
    given = {"kind": "revolute", "parent": "world", "child": "rod", "at": O, "axis": X, **arguments}
    with pytest.raises(MechanismError) as caught:
        mech.add_joint("j", **given)
    assert message in str(caught.value)
    assert str(caught.value).startswith("joint 'j': ")
    assert not mech.joints


def test_an_unknown_body_is_an_unknown_name_error(mech):
    with pytest.raises(UnknownName):
        mech.add_joint("j", "spherical", "world", "nobody", at=O)


def test_joints_and_further_constraints_share_their_names(mech):
    mech.add_joint("j", "spherical", "world", "rod", at=O)
    with pytest.raises(MechanismError, match="joint 'j': there is already a joint of this name"):
        mech.add_distance("j", "rod", "arm", O, X)
    with pytest.raises(MechanismError, match="joint 'j': there is already a joint of this name"):
        mech.add_joint("j", "spherical", "world", "arm", at=O)
