"""A mechanism as JSON data and back."""

import dataclasses
import json

import numpy as np
import pytest
from tests.reference.records import assert_same

import sarrus.mechanism as m
from sarrus.trajectory.description import TABLES, custom_terms, describe, restore


def everything() -> m.Mechanism:
    """A mechanism with one of each record that is data, and numbers that no decimal fraction hits."""
    rng = np.random.default_rng(7)
    mech = m.Mechanism(gravity=rng.normal(size=3), name="every 'thing' é")
    shapes = [
        m.Sphere(radius=0.1, at=rng.normal(size=3), friction=0.3, color=(0.1, 0.2, 0.3)),
        m.Box(size=(0.1, 0.2, 1 / 3)),
        m.Capsule(radius=0.1, length=0.7),
        m.Cylinder(radius=0.1, length=0.7, collide=False),
        m.HalfSpace(normal=(1.0, 2.0, 3.0), collide=False),
        m.ConvexMesh(points=rng.normal(size=(9, 3))),
        m.Mesh(rng.normal(size=(4, 3)), [[0, 1, 2], [0, 3, 1]], color=(1, 0, 0)),
    ]
    for k, name in enumerate("abcde"):
        q = rng.normal(size=4)
        inertia = np.eye(3) + 0.1 * np.ones((3, 3))
        mech.add_body(
            name,
            mass=1 / 3 + k,
            inertia=inertia,
            position=rng.normal(size=3),
            orientation=q / np.linalg.norm(q),
            velocity=rng.normal(size=3),
            shapes=shapes if k == 0 else (),
            color=(1, 0, 0, 0.5) if k == 1 else None,
        )
    mech.add_joint("hinge", "revolute", "world", "a", at=(0, 0, 0), axis=rng.normal(size=3), armature=0.2)
    mech.add_joint("screw", "screw", "a", "b", at=(0, 0, 0), axis=rng.normal(size=3), pitch=0.1)
    mech.add_joint("ball", "spherical", "b", "c", at=rng.normal(size=3), armature=(0.1, 0.2, 0.3))
    mech.add_distance("wire", "c", "d", at_a=(0, 0, 0), at_b=(1, 1, 1))
    mech.add_gear("gear", "hinge", "screw", ratio=-2 / 3)
    mech.add_coupling("set", {"hinge": 1 / 3, "screw": 2.0, ("ball", 1): -1 / 7}, offset=0.1)
    mech.add_tendon("rope over joints", {"hinge": 0.5, "screw": 1 / 3}, offset=-0.1)
    mech.add_point_on_curve("curve", "world", "d", at=(0, 0, 0), curve=rng.normal(size=(6, 3)))
    mech.add_rolling("ball on ground", "e", radius=0.3)
    mech.add_spring("s", "a", "c", at_a=(0, 0, 0), at_b=(1, 0, 0), stiffness=1 / 7, damping=0.1)
    mech.add_joint_spring("js", "ball", stiffness=(1.0, 2.0, 1 / 3), rest=0.1)
    mech.add_force("push", "a", force=(1, 2, 3), at=rng.normal(size=3), frame="body")
    mech.add_motor("drive", "hinge")
    mech.add_motor("servo", "ball", mode="servo", component=1, stiffness=3.0, limit=1 / 3)
    mech.add_frame("tip", "a", at=rng.normal(size=3))
    mech.add_sensor("felt", "force_torque", joint="hinge", frame="tip")
    mech.add_body("f", mass=1.0, shapes=[m.Sphere(0.1)])
    mech.add_limit("stop", "ball", lower=-1 / 3, upper=(1 / 3, None, 0.1))
    mech.add_joint_friction("hinge", 1 / 7)
    mech.add_rope("rope", "a", "world", at_a=(0, 0, 0), at_b=rng.normal(size=3))
    mech.add_ground(1 / 3, normal=rng.normal(size=3))
    mech.add_obstacle("step", m.Box(size=(1, 1, 1 / 3), at=rng.normal(size=3)), restitution=1 / 3)
    mech.add_contact("f", "a", friction=1 / 7)
    mech.exclude("f", "step")
    mech.add_keyframe("home", {"hinge": 1 / 3}, {"ball": (1, 2, 1 / 3)}, {"drive": 1 / 7})
    return mech


def test_every_record_comes_back_bit_by_bit_through_json_text():
    mech = everything()
    back = restore(json.loads(json.dumps(describe(mech))))
    assert back.name == mech.name
    assert_same(back.gravity, mech.gravity)
    for table in TABLES:
        original, copy = getattr(mech, table), getattr(back, table)
        assert original, f"the test mechanism has no {table}"
        assert list(original) == list(copy)
        for name in original:
            assert_same(original[name], copy[name])
    assert mech.exclusions
    assert back.exclusions == mech.exclusions


def test_every_record_of_the_mechanism_room_is_data_or_code():
    records = {cls for cls in vars(m).values() if isinstance(cls, type) and dataclasses.is_dataclass(cls)}
    data = {cls for kinds in TABLES.values() for cls in kinds}
    code, neither = (
        {m.Custom, m.CustomForce, m.CustomPotential},
        {m.JointKind, m.Shape, m.Term, m.Via, m.Wrap, m.Pulley},
    )
    assert {cls for cls in records if not issubclass(cls, m.Shape)} - neither == data | code


def test_functions_of_the_user_are_named():
    mech = everything()
    assert custom_terms(mech) == []
    mech.add_constraint("own", ["a"], lambda x, q, p, out: None)
    mech.add_custom_force("wind", ["a"], lambda t, x, q, v, w, p, out: None)
    mech.add_potential("field", ["a"], lambda x, q, p: 0.0)
    assert custom_terms(mech) == ["constraint 'own'", "custom force 'wind'", "potential 'field'"]


def test_a_description_from_before_keyframes_is_read():
    data = json.loads(json.dumps(describe(everything())))
    del data["keyframes"]
    assert restore(data).keyframes == {}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: [], "not a table"),
        (lambda d: d | {"bodies": 3}, "bodies is not a list"),
        (lambda d: d | {"bodies": [3]}, "bodies holds something else"),
        (lambda d: d | {"bodies": d["joints"]}, "'Joint' is not known here"),
        (lambda d: d | {"bodies": [{"type": "Body", "name": "a"}]}, "a Body lacks mass"),
        (lambda d: d | {"frames": [d["frames"][0] | {"evil": 1}]}, "Frame has no evil"),
        (lambda d: d | {"frames": [{"type": "Popen", "args": ["ls"]}]}, "'Popen' is not known here"),
        (
            lambda d: d | {"frames": [d["frames"][0] | {"at": {"shape": [10**9], "values": [1]}}]},
            "an array is torn",
        ),
        (lambda d: d | {"gravity": [1, 2]}, "gravity"),
        (lambda d: d | {"exclusions": [["a", 3]]}, "exclusions holds something else"),
    ],
)
def test_data_that_describe_no_mechanism_are_refused(change, words):
    with pytest.raises(ValueError, match=words):
        restore(change(json.loads(json.dumps(describe(everything())))))
