"""Shapes as MuJoCo geoms: what is drawn, what touches, with which friction.

Shapes of bodies meet obstacles by their bits (contype 1 against conaffinity 1), each other by explicit pairs.
MuJoCo takes the larger friction of two geoms of the same priority: geoms of bodies have friction 0, and a
shape with friction of its own has priority 1."""

from __future__ import annotations

from xml.etree import ElementTree as xml

import numpy as np

from sarrus.importers.mjcf_writer.document import Document, text
from sarrus.mechanism import (
    Body,
    Box,
    Capsule,
    Cone,
    ConvexMesh,
    Cylinder,
    HalfSpace,
    HeightField,
    Mesh,
    Shape,
    Sphere,
)
from sarrus.mechanism.rotations import rotation

ROLLING = (0.005, 0.0001)
"""MuJoCo's torsional and rolling friction, which contacts of three directions do not use."""
DRAWN, TOUCHING = "2", "3"
"""Groups of drawn-only and colliding geoms, as robot descriptions for MuJoCo use them."""


def add_geoms(document: Document, here: xml.Element, body: Body) -> None:
    """A geom for every shape of a body."""
    both = any(shape.collide for shape in body.shapes) and not all(shape.collide for shape in body.shapes)
    excluded = excluded_obstacles(document, body.name)
    for k, shape in enumerate(body.shapes):
        if isinstance(shape, HalfSpace):
            document.cannot(
                f"drawn half space of body {body.name!r}", "MuJoCo draws planes in the world only"
            )
            continue
        made = geom(document, here, f"{body.name} {k}", shape, body.color)
        if made is None:
            continue
        if both:
            made.set("group", TOUCHING if shape.collide else DRAWN)
        meets = shape.collide and not excluded
        bits(made, "1" if meets else "0", "0")
        if shape.collide:
            document.geoms.setdefault(body.name, []).append((made.get("name", ""), shape.friction))
            set_friction(made, shape.friction, 0.0)


def add_obstacles(document: Document) -> None:
    """The shapes fixed in the world."""
    for name, obstacle in document.mech.obstacles.items():
        made = geom(document, document.bodies["world"], name, obstacle.shape, None)
        if made is not None:
            bits(made, "0", "1")
            document.geoms[name] = [(made.get("name", ""), obstacle.shape.friction)]
            set_friction(made, obstacle.shape.friction, obstacle.friction)
        if obstacle.restitution:
            document.cannot(
                f"restitution of {name!r}", "MuJoCo's contacts have no coefficient of restitution"
            )


def bits(made: xml.Element, contype: str, conaffinity: str) -> None:
    """Sets with what the geom may collide."""
    made.set("contype", contype)
    made.set("conaffinity", conaffinity)


def set_friction(made: xml.Element, own: float | None, otherwise: float) -> None:
    """Sets the friction of a geom; its own decides by priority."""
    made.set("friction", text((otherwise if own is None else own, *ROLLING)))
    if own is not None:
        made.set("priority", "1")


def geom(
    document: Document, here: xml.Element, name: str, shape: Shape, color: tuple[float, ...] | None
) -> xml.Element | None:
    """A geom element for a shape; None, and a note, where MuJoCo has none."""
    if isinstance(shape, HeightField):
        document.cannot(f"height field {name!r}", "only its convex cells could be written, one by one")
        return None
    if isinstance(shape, Box) and shape.rounding:
        document.cannot(f"rounding of {name!r}", "MuJoCo's boxes have sharp edges")
    if isinstance(shape, Cone):
        document.cannot(f"cone {name!r}", "MuJoCo has none; it becomes a pyramid of 32 sides")
        shape = shape.pyramid()
    made = xml.Element("geom", name=document.unique("geom", name))
    if isinstance(shape, HalfSpace):
        made.set("type", "plane")
        made.set("size", "0 0 1")
        made.set("pos", text(shape.at))
        made.set("zaxis", text(rotation(shape.orientation) @ shape.normal))
    else:
        if isinstance(shape, (ConvexMesh, Mesh)):
            asset = mesh(document, shape)
            if asset is None:
                document.cannot(f"shape {name!r}", "MuJoCo's meshes need 4 vertices")
                return None
            made.set("type", "mesh")
            made.set("mesh", asset)
        else:
            kind, size = primitive(shape)
            made.set("type", kind)
            made.set("size", text(size))
        made.set("pos", text(shape.at))
        made.set("quat", text(shape.orientation))
    shown = shape.color if shape.color is not None else color
    if shown is not None:
        made.set("rgba", text((*shown, 1.0)[:4]))
    here.append(made)
    return made


def primitive(shape: Shape) -> tuple[str, tuple[float, ...]]:
    """MuJoCo's name and half sizes of a shape."""
    match shape:
        case Sphere():
            return "sphere", (shape.radius,)
        case Box():
            return "box", tuple(shape.size / 2)
        case Capsule():
            return "capsule", (shape.radius, shape.length / 2)
        case Cylinder():
            return "cylinder", (shape.radius, shape.length / 2)
    raise TypeError(f"{type(shape).__name__} is no primitive")


def mesh(document: Document, shape: ConvexMesh | Mesh) -> str | None:
    """The name of the asset with the vertices of a shape, the same for equal meshes; None: too few."""
    points = shape.points if isinstance(shape, ConvexMesh) else shape.vertices
    faces = None if isinstance(shape, ConvexMesh) else shape.faces
    if len(points) < 4:
        return None
    vertex = text(points)
    corner = None if faces is None else " ".join(str(int(k)) for k in np.ravel(faces))
    for asset in document.section("asset"):
        if asset.get("vertex") == vertex and asset.get("face") == corner:
            return asset.get("name")
    name = document.unique("mesh", f"mesh {len(document.section('asset'))}")
    made = xml.SubElement(document.section("asset"), "mesh", name=name, vertex=vertex)
    if corner is None:
        made.set("inertia", "convex")
    else:
        made.set("face", corner)
        # A surface that is only drawn need not be closed.
        made.set("inertia", "shell")
    return name


def excluded_obstacles(document: Document, body: str) -> list[str]:
    """The obstacles that a body never meets."""
    mech = document.mech
    return [name for name in mech.obstacles if frozenset((body, name)) in mech.exclusions]


def add_contacts(document: Document) -> None:
    """Pairs of geoms that meet, and pairs of bodies that never do."""
    mech = document.mech
    for contact in mech.contacts.values():
        add_pairs(document, contact.a, contact.b, contact.friction)
        if contact.restitution:
            what = f"restitution of {contact.a!r} and {contact.b!r}"
            document.cannot(what, "MuJoCo's contacts have no coefficient of restitution")
    for name in mech.bodies:
        never = excluded_obstacles(document, name)
        for obstacle in mech.obstacles.values() if never else ():
            if obstacle.name not in never:
                add_pairs(document, name, obstacle.name, obstacle.friction)
    for a, b in sorted(sorted(pair) for pair in mech.exclusions):
        if a in mech.bodies and b in mech.bodies:
            xml.SubElement(document.section("contact"), "exclude", body1=a, body2=b)


def add_pairs(document: Document, first: str, second: str, friction: float) -> None:
    """All pairs of geoms of two bodies, or of a body and an obstacle.

    Their friction is their own, the larger where both have, else that of the pair."""
    for a, mu_a in document.geoms.get(first, ()):
        for b, mu_b in document.geoms.get(second, ()):
            mu = max((own for own in (mu_a, mu_b) if own is not None), default=friction)
            slide = text((mu, mu, ROLLING[0], ROLLING[1], ROLLING[1]))
            xml.SubElement(document.section("contact"), "pair", geom1=a, geom2=b, friction=slide)
