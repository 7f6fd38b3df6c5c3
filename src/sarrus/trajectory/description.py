"""A mechanism as plain JSON data and back, every number exact; nothing in the data can name code to run.

Records are stored field by field and restored without the checks of `add_...`: a run stays readable when the
checks change.  The YAML form of `importers` is for people: it leaves out defaults and checks what it reads.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from sarrus.mechanism import (
    Body,
    Box,
    Capsule,
    Cone,
    Contact,
    ConvexMesh,
    Coupling,
    Cylinder,
    Distance,
    Force,
    Frame,
    Gear,
    HalfSpace,
    HeightField,
    Joint,
    JointFriction,
    JointSpring,
    Keyframe,
    Limit,
    Mechanism,
    Mesh,
    Motor,
    Obstacle,
    PointOnCurve,
    Pulley,
    Rolling,
    Rope,
    Sensor,
    Sphere,
    Spring,
    Tendon,
    Term,
    Via,
    Wrap,
)
from sarrus.mechanism.contacts import pair_of

SHAPES = (Sphere, Box, Capsule, Cylinder, Cone, HalfSpace, HeightField, ConvexMesh, Mesh)
# Which records each table of a mechanism may hold; the user's functions are not data and have no entry.
TABLES: dict[str, tuple[type, ...]] = {
    "bodies": (Body,),
    "joints": (Joint, Distance, Gear, Coupling, Tendon, PointOnCurve, Rolling),
    "springs": (Spring,),
    "joint_springs": (JointSpring,),
    "forces": (Force,),
    "motors": (Motor,),
    "frames": (Frame,),
    "limits": (Limit,),
    "joint_frictions": (JointFriction,),
    "ropes": (Rope,),
    "obstacles": (Obstacle,),
    "contacts": (Contact,),
    "keyframes": (Keyframe,),
    "sensors": (Sensor,),
}
# The file that a mesh was read from is not needed again: its points are stored.
LEFT_OUT = {(ConvexMesh, "file")}


def custom_terms(mechanism: Mechanism) -> list[str]:
    """What in the mechanism is code, not data: each custom constraint, force and potential in words."""
    joints = [name for name, record in mechanism.joints.items() if not isinstance(record, TABLES["joints"])]
    named = (
        ("constraint", joints),
        ("custom force", mechanism.custom_forces),
        ("potential", mechanism.potentials),
    )
    return [f"{kind} {name!r}" for kind, names in named for name in names]


def describe(mechanism: Mechanism) -> dict[str, Any]:
    """The mechanism as JSON data; it must have no custom terms."""
    tables = {table: [_encode(record) for record in getattr(mechanism, table).values()] for table in TABLES}
    never = sorted(sorted(pair) for pair in mechanism.exclusions)
    return {"name": mechanism.name, "gravity": mechanism.gravity.tolist(), **tables, "exclusions": never}


def _encode(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        fields = [f.name for f in dataclasses.fields(value) if (type(value), f.name) not in LEFT_OUT]
        return {"type": type(value).__name__, **{name: _encode(getattr(value, name)) for name in fields}}
    if isinstance(value, np.ndarray):
        whole = {"whole": True} if value.dtype.kind == "i" else {}
        return {"shape": list(value.shape), "values": value.ravel().tolist(), **whole}
    if isinstance(value, dict):
        return {"entries": {name: _encode(item) for name, item in value.items()}}
    if isinstance(value, tuple):
        return [_encode(item) for item in value]
    return value.item() if isinstance(value, np.generic) else value


def restore(data: Any) -> Mechanism:
    """The mechanism that `describe` was given, bit by bit; ValueError where the data describe none."""
    _expect(isinstance(data, dict), "the mechanism is not a table")
    mechanism = Mechanism(gravity=data.get("gravity"), name=data.get("name"))
    for table, kinds in TABLES.items():
        records = data.get(table, [])
        _expect(isinstance(records, list), f"{table} is not a list")
        for entry in records:
            record = _decode(entry, kinds)
            _expect(isinstance(record, kinds), f"{table} holds something else")
            getattr(mechanism, table)[_key(record)] = record
    for pair in data.get("exclusions", []):
        two = isinstance(pair, list) and len(pair) == 2 and all(isinstance(name, str) for name in pair)
        _expect(two, "exclusions holds something else")
        mechanism.exclusions.add(frozenset(pair))
    return mechanism


def _key(record: Any) -> Any:
    """Under what its table keeps the record: the two bodies of a contact, the joint of a friction, a name."""
    if isinstance(record, Contact):
        return pair_of(record.a, record.b)
    return record.joint if isinstance(record, JointFriction) else record.name


def _decode(value: Any, kinds: tuple[type, ...] = (*SHAPES, Term, Via, Wrap, Pulley)) -> Any:
    if isinstance(value, list):
        return tuple(_decode(item) for item in value)
    if not isinstance(value, dict):
        return value
    if "entries" in value:
        _expect(isinstance(value["entries"], dict), "a table is torn")
        return {name: _decode(item) for name, item in value["entries"].items()}
    return _decode_array(value) if "values" in value else _decode_record(value, kinds)


def _decode_array(value: Mapping[str, Any]) -> np.ndarray:
    shape = tuple(value.get("shape", ()))
    values = np.array(value["values"], dtype=np.int64 if value.get("whole") is True else np.float64)
    _expect(
        values.ndim == 1 and math.prod(shape) == values.size and min(shape, default=0) >= 0,
        "an array is torn",
    )
    array = values.reshape(shape)
    array.flags.writeable = False
    return array


def _decode_record(value: Mapping[str, Any], kinds: tuple[type, ...]) -> Any:
    """A record with exactly the stored fields; its constructor would normalise again and lose bits."""
    kind = {cls.__name__: cls for cls in kinds}.get(str(value.get("type")))
    if kind is None:
        raise ValueError(f"{value.get('type')!r} is not known here")
    known = {f.name: f for f in dataclasses.fields(kind)}
    given = {name: _decode(item) for name, item in value.items() if name != "type"}
    _expect(given.keys() <= known.keys(), f"{kind.__name__} has no {', '.join(given.keys() - known.keys())}")
    record: Any = object.__new__(kind)
    for name, field in known.items():
        _expect(name in given or field.default is not dataclasses.MISSING, f"a {kind.__name__} lacks {name}")
        object.__setattr__(record, name, given.get(name, field.default))
    return record


def _expect(condition: bool, fault: str) -> None:
    if not condition:
        raise ValueError(fault)
