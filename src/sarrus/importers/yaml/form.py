"""The form of a mechanism in YAML: which table holds what, and which `add_...` method reads an entry of it.

An entry takes the arguments of its method by their names: its signature is the list of valid keys."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from sarrus.mechanism import (
    JOINT_KINDS,
    Box,
    Capsule,
    Cone,
    ConvexMesh,
    Cylinder,
    HalfSpace,
    HeightField,
    Mechanism,
    Mesh,
    Pulley,
    Shape,
    Sphere,
    Via,
    Wrap,
)
from sarrus.mechanism.paths import PathItem

VERSION = 1
SUFFIXES = (".yaml", ".yml")
INLINE = 100
"""Arrays of more numbers than this are stored as base64."""
ARRAY_TYPES = {"float64": "<f8", "int64": "<i8"}

SHAPES: dict[str, type[Shape]] = {
    "sphere": Sphere,
    "box": Box,
    "capsule": Capsule,
    "cylinder": Cylinder,
    "cone": Cone,
    "half_space": HalfSpace,
    "height_field": HeightField,
    "convex_mesh": ConvexMesh,
    "mesh": Mesh,
}
PATH_ITEMS: tuple[type[PathItem], ...] = (Via, Wrap, Pulley)
"""What an entry of a path may be; its keys tell which."""
SHAPE_NAMES = {cls: name for name, cls in SHAPES.items()}

TABLES: dict[str, Callable[..., None]] = {
    "bodies": Mechanism.add_body,
    "joints": Mechanism.add_joint,
    "springs": Mechanism.add_spring,
    "joint_springs": Mechanism.add_joint_spring,
    "forces": Mechanism.add_force,
    "motors": Mechanism.add_motor,
    "custom_forces": Mechanism.add_custom_force,
    "potentials": Mechanism.add_potential,
    "limits": Mechanism.add_limit,
    "joint_frictions": Mechanism.add_joint_friction,
    "ropes": Mechanism.add_rope,
    "frames": Mechanism.add_frame,
    "obstacles": Mechanism.add_obstacle,
    "keyframes": Mechanism.add_keyframe,
    "sensors": Mechanism.add_sensor,
}
"""Tables of named entries, in the order in which they are read: what is named comes before what names it."""

OTHER_JOINTS: dict[str, Callable[..., None]] = {
    "distance": Mechanism.add_distance,
    "gear": Mechanism.add_gear,
    "coupling": Mechanism.add_coupling,
    "tendon": Mechanism.add_tendon,
    "point_on_curve": Mechanism.add_point_on_curve,
    "rolling": Mechanism.add_rolling,
    "custom": Mechanism.add_constraint,
}
"""Kinds in the table of joints beyond `JOINT_KINDS`."""

LISTS: dict[str, Callable[..., None]] = {
    "exclusions": Mechanism.exclude,
    "contacts": Mechanism.add_contact,
    "contact_groups": Mechanism.add_contact_group,
}
"""Lists of entries without names; an excluded pair is known before a group of contacts leaves it out."""

HEAD = ("sarrus", "name", "gravity", "ground")
KEYS = (*HEAD, *TABLES, *LISTS)

NAMES = frozenset(
    {
        "name", "kind", "parent", "child", "a", "b", "body", "joint", "joint_a", "joint_b", "mode", "frame",
        "motor",
    }
)  # fmt: skip
"""Arguments that are words, whatever they look like: a body may be called `on` or `12`."""
FUNCTIONS = {
    Mechanism.add_constraint: {"residual", "jacobian"},
    Mechanism.add_custom_force: {"force"},
    Mechanism.add_potential: {"energy", "gradient"},
}
"""Arguments that name a function of the user."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of a method: all that are given by name, and those that must be."""

    all: tuple[str, ...]
    needed: tuple[str, ...]


@cache
def arguments_of(method: Callable[..., Any]) -> Arguments:
    """What an entry that `method` reads takes."""
    given = [p for p in inspect.signature(method).parameters.values() if p.name != "self"]
    needed = (p.name for p in given if p.default is inspect.Parameter.empty)
    return Arguments(tuple(p.name for p in given), tuple(needed))


def joint_kinds() -> tuple[str, ...]:
    """Every `kind` that an entry of the table of joints may have."""
    return (*JOINT_KINDS, *OTHER_JOINTS)
