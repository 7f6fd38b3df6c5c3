"""A `Mechanism` as YAML text in which every number is exact and what has its default is left out."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from sarrus.errors import FileError
from sarrus.importers.yaml import form
from sarrus.importers.yaml.nodes import MAX_YAML_BYTES
from sarrus.importers.yaml.text import entry, item
from sarrus.mechanism import (
    JOINT_KINDS,
    Body,
    Coupling,
    Custom,
    Distance,
    Gear,
    HalfSpace,
    Joint,
    JointSpring,
    Keyframe,
    Limit,
    Mechanism,
    Motor,
    PointOnCurve,
    Rolling,
    Shape,
    Tendon,
)

KIND_OF = {
    Distance: "distance",
    Gear: "gear",
    Coupling: "coupling",
    Tendon: "tendon",
    PointOnCurve: "point_on_curve",
    Rolling: "rolling",
    Custom: "custom",
}
Record = dict[str, Any]


def yaml_text(mechanism: Mechanism) -> str:
    """The mechanism as YAML; functions of the user by name."""
    lines = [f"sarrus: {form.VERSION}", *entry("name", mechanism.name, 0)]
    lines += entry("gravity", mechanism.gravity, 0)
    ground = ground_of(mechanism)
    if ground:
        lines += ["", *entry("ground", ground, 0)]
    for table, records in tables(mechanism).items():
        if records:
            lines += ["", f"{table}:"]
            for name, record in records.items():
                lines += entry(name, record, 1)
    for key, entries in lists(mechanism).items():
        if entries:
            lines += ["", f"{key}:"]
            for given in entries:
                lines += item(given, 1)
    text = "\n".join(lines) + "\n"
    size = len(text.encode("utf-8"))
    if size > MAX_YAML_BYTES:
        raise FileError(
            f"mechanism {mechanism.name!r}: its YAML has {size:,} bytes, more than the "
            f"{MAX_YAML_BYTES:,} that are read back; use smaller meshes"
        )
    return text


def tables(mech: Mechanism) -> dict[str, dict[str, Record]]:
    """The entries of every table by name, in the order of addition."""
    functions = FunctionNames()
    ground = bool(ground_of(mech))
    out: dict[str, dict[str, Record]] = {
        "bodies": {name: body_record(body) for name, body in mech.bodies.items()},
        "joints": {name: joint_record(joint, mech, functions) for name, joint in mech.joints.items()},
    }
    for table in ("springs", "forces", "ropes", "frames", "sensors"):
        out[table] = {name: fields_of(form.TABLES[table], r) for name, r in getattr(mech, table).items()}
    out["joint_springs"] = {name: joint_spring_record(spring) for name, spring in mech.joint_springs.items()}
    out["keyframes"] = {name: keyframe_record(keyframe) for name, keyframe in mech.keyframes.items()}
    out["motors"] = {name: motor_record(motor) for name, motor in mech.motors.items()}
    out["limits"] = {name: limit_record(limit) for name, limit in mech.limits.items()}
    out["joint_frictions"] = {name: shorter(f.effort) for name, f in mech.joint_frictions.items()}
    obstacles = list(mech.obstacles.values())[int(ground) :]
    out["obstacles"] = {
        o.name: {**fields_of(Mechanism.add_obstacle, o), "shape": shape_record(o.shape)} for o in obstacles
    }
    for table, keys in (("custom_forces", ("force",)), ("potentials", ("energy", "gradient"))):
        out[table] = {
            name: {**fields_of(form.TABLES[table], r), **functions.of(r, keys)}
            for name, r in getattr(mech, table).items()
        }
    return {table: out[table] for table in form.TABLES}


def lists(mech: Mechanism) -> dict[str, list[Any]]:
    """The entries without names; groups of contacts are written as their pairs."""
    return {
        "exclusions": sorted(sorted(pair) for pair in mech.exclusions),
        "contacts": [fields_of(Mechanism.add_contact, contact) for contact in mech.contacts.values()],
    }


def ground_of(mech: Mechanism) -> Record:
    """The first obstacle as arguments of `add_ground`, where it could have come from there."""
    first = next(iter(mech.obstacles.values()), None)
    if first is None:
        return {}
    shape = first.shape
    if not isinstance(shape, HalfSpace) or not same(shape.orientation, (1.0, 0.0, 0.0, 0.0)):
        return {}
    if shape.friction is not None or shape.color is not None:
        return {}
    given = {"name": first.name, "friction": first.friction, "restitution": first.restitution}
    record = without_defaults(Mechanism.add_ground, {**given, "normal": shape.normal, "at": shape.at})
    return record or {"friction": first.friction}


def body_record(body: Body) -> Record:
    """What `add_body` was told, the inertia as moments where its matrix is diagonal."""
    record = fields_of(Mechanism.add_body, body)
    record["inertia"] = inertia_of(body.inertia)
    if body.shapes:
        record["shapes"] = [shape_record(shape) for shape in body.shapes]
    else:
        record.pop("shapes", None)
    return record


def inertia_of(matrix: np.ndarray) -> Any:
    """0, three moments, or the rows of the matrix: whichever gives the same bits."""
    if same(matrix, np.zeros((3, 3))):
        return 0
    moments = np.diagonal(matrix)
    return moments if same(matrix, np.diag(moments)) else matrix


def shape_record(shape: Shape) -> Record:
    """A shape by its kind and what differs from the defaults."""
    cls = type(shape)
    return {"kind": form.SHAPE_NAMES[cls], **fields_of(cls, shape)}


def joint_record(joint: Any, mech: Mechanism, functions: FunctionNames) -> Record:
    """A joint or another constraint by its kind."""
    if isinstance(joint, Joint):
        record = fields_of(Mechanism.add_joint, joint)
        if "armature" in record:
            record["armature"] = shorter(record["armature"])
        if not JOINT_KINDS[joint.kind].coordinates or not any(joint.armature):
            record.pop("armature", None)
        if "axis2" not in JOINT_KINDS[joint.kind].takes:
            record.pop("axis2", None)
        return record
    kind = KIND_OF[type(joint)]
    record = fields_of(form.OTHER_JOINTS[kind], joint)
    if isinstance(joint, Gear):
        for key, name in (("component_a", joint.joint_a), ("component_b", joint.joint_b)):
            if len(mech.joint_kind(name).coordinates) == 1:
                record.pop(key, None)
    if isinstance(joint, Tendon) and joint.path:
        record["path"] = [fields_of(type(item), item) for item in joint.path]
    elif isinstance(joint, Coupling | Tendon):
        record.pop("path", None)
        single = all(len(mech.joint_kind(t.joint).coordinates) == 1 for t in joint.terms)
        record["joints"] = (
            {t.joint: t.factor for t in joint.terms}
            if single
            else [[t.joint, t.component, t.factor] for t in joint.terms]
        )
    if isinstance(joint, Coupling | Tendon) and same(joint.offset, 0.0):
        record.pop("offset", None)
    if isinstance(joint, PointOnCurve):
        record["curve"] = joint.points
    if isinstance(joint, Custom):
        record.update(functions.of(joint, ("residual", "jacobian")))
    return {"kind": kind, **record}


def motor_record(motor: Motor) -> Record:
    """A motor; only one of mode "servo" takes stiffness and damping."""
    record = fields_of(Mechanism.add_motor, motor)
    for key in ("stiffness", "damping"):
        if motor.mode != "servo" or (key == "damping" and same(motor.damping, 0.0)):
            record.pop(key, None)
    return record


def joint_spring_record(spring: JointSpring) -> Record:
    """A joint spring, with one number where it is the same for all coordinates."""
    values = {key: shorter(getattr(spring, key)) for key in ("stiffness", "rest", "damping")}
    return without_defaults(Mechanism.add_joint_spring, {"joint": spring.joint, **values})


def keyframe_record(keyframe: Keyframe) -> Record:
    """A keyframe, with a number for a joint or input of one coordinate."""
    tables = {"joints": keyframe.joints, "velocities": keyframe.velocities, "inputs": keyframe.inputs}
    return {
        key: {name: float(v[0]) if v.size == 1 else v for name, v in table.items()}
        for key, table in tables.items()
        if table
    }


def limit_record(limit: Limit) -> Record:
    """A limit, with null for a bound that is not there."""
    record: Record = {"joint": limit.joint}
    for key, bounds in (("lower", limit.lower), ("upper", limit.upper)):
        if np.any(np.isfinite(bounds)):
            given = [float(x) if np.isfinite(x) else None for x in bounds]
            record[key] = given if len(given) > 1 else given[0]
    return record


def fields_of(method: Callable[..., Any], record: Any) -> Record:
    """The record's fields that are arguments of `method` and differ from their defaults."""
    names = (key for key in form.arguments_of(method).all if key != "name" and hasattr(record, key))
    return without_defaults(method, {key: getattr(record, key) for key in names})


def without_defaults(method: Callable[..., Any], values: Record) -> Record:
    """The arguments whose bits differ from the defaults of the method."""
    defaults = {p.name: p.default for p in inspect.signature(method).parameters.values()}
    return {key: value for key, value in values.items() if not same(value, defaults.get(key))}


def same(value: Any, other: Any) -> bool:
    """Whether two values are the same, numbers bit for bit."""
    if value is None or other is None or isinstance(value, (str, bool)) or isinstance(other, (str, bool)):
        return value is other or (type(value) is type(other) and value == other)
    if not all(isinstance(x, (int, float, tuple, list, np.ndarray)) for x in (value, other)):
        return False
    a, b = np.asarray(value), np.asarray(other)
    numbers = a.dtype.kind in "iuf" and b.dtype.kind in "iuf"
    return numbers and a.shape == b.shape and a.astype(float).tobytes() == b.astype(float).tobytes()


def shorter(values: Any) -> Any:
    """One number where all are the same bit for bit, else all of them."""
    array = np.asarray(values, float)
    return float(array[0]) if array.size and same(array, np.full(array.shape, array[0])) else array


class FunctionNames:
    """Names for the functions of the user: their own where that tells them apart."""

    def __init__(self) -> None:
        self.names: dict[str, Callable[..., Any]] = {}

    def of(self, record: Any, keys: tuple[str, ...]) -> Record:
        """The names of the functions under `keys`; None is left out."""
        given = ((key, getattr(record, key)) for key in keys)
        return {key: self.name(f, f"{record.name} {key}") for key, f in given if f is not None}

    def name(self, function: Callable[..., Any], otherwise: str) -> str:
        """The function's own name; `otherwise` for a lambda, and a number behind a name that is taken."""
        own = getattr(function, "__name__", "<")
        for name in self._choices(otherwise if own.startswith("<") else own):
            if self.names.setdefault(name, function) is function:
                return name
        raise AssertionError("choices of names never end")

    @staticmethod
    def _choices(name: str) -> Iterator[str]:
        yield name
        count = 2
        while True:
            yield f"{name} {count}"
            count += 1


def functions_of(mechanism: Mechanism) -> dict[str, Callable[..., Any]]:
    """The user's functions by the names under which `yaml_text` writes them."""
    names = FunctionNames()
    for joint in mechanism.joints.values():
        joint_record(joint, mechanism, names)
    for force in mechanism.custom_forces.values():
        names.of(force, ("force",))
    for potential in mechanism.potentials.values():
        names.of(potential, ("energy", "gradient"))
    return names.names
