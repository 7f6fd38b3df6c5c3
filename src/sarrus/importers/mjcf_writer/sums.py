"""Couplings of joints and tendons over them in MJCF: fixed tendons; tendons along paths: spatial ones."""

from __future__ import annotations

from xml.etree import ElementTree as xml

import numpy as np

from sarrus.importers.mjcf_writer.document import Document, text
from sarrus.importers.mjcf_writer.drives import FAR
from sarrus.importers.mjcf_writer.tree import pose
from sarrus.mechanism import Coupling, Pulley, Tendon, Via
from sarrus.mechanism.paths import PathItem


def add_sums(document: Document) -> None:
    """Adds a fixed tendon for each coupling, held by an equality, and for each tendon, with its spring."""
    for name, joint in document.mech.joints.items():
        if isinstance(joint, Coupling | Tendon):
            add_sum(document, name, joint)


def add_sum(document: Document, name: str, joint: Coupling | Tendon) -> None:
    """Adds one of them, unless it lies over a component of a rotation vector."""
    what = f"{type(joint).__name__.lower()} {name!r}"
    if any((term.joint, term.component) not in document.scalars for term in joint.terms):
        document.cannot(what, "MJCF has no tendon over a component of a rotation vector")
        return
    is_path = isinstance(joint, Tendon) and joint.path
    made = xml.SubElement(
        document.section("tendon"), "spatial" if is_path else "fixed", name=document.unique("tendon", name)
    )
    for term in joint.terms:
        hinge = document.scalars[term.joint, term.component]
        xml.SubElement(made, "joint", joint=hinge, coef=repr(term.factor))
    if isinstance(joint, Coupling):
        tie = xml.SubElement(document.section("equality"), "tendon", name=document.unique("equality", name))
        tie.set("tendon1", made.get("name", ""))
        tie.set("polycoef", text((joint.offset, 0.0, 0.0, 0.0, 0.0)))
        return
    for item in joint.path:
        add_item(document, made, name, item)
    document.tendons[name] = made.get("name", "")
    if joint.offset:
        document.cannot(what, "a tendon of MuJoCo has no offset: lengths and targets count without it")
    springs = [spring for spring in document.mech.joint_springs.values() if spring.joint == name]
    stiffness = sum(float(spring.stiffness[0]) for spring in springs)
    damping = sum(float(spring.damping[0]) for spring in springs)
    if stiffness:
        rest = sum(float(spring.stiffness[0] * spring.rest[0]) for spring in springs) / stiffness
        made.set("stiffness", repr(stiffness))
        made.set("springlength", repr(rest - joint.offset))
    if damping:
        made.set("damping", repr(damping))
    if name in document.mech.joint_frictions:
        made.set("frictionloss", repr(float(document.mech.joint_frictions[name].effort[0])))
    for limit in document.mech.limits.values():
        if limit.joint == name:
            bounds = np.clip([limit.lower[0], limit.upper[0]], -FAR, FAR) - joint.offset
            made.set("range", text(bounds))


def add_item(document: Document, made: xml.Element, name: str, item: PathItem) -> None:
    """A site, a geom that is not seen and touches nothing, or a pulley of a path."""
    if isinstance(item, Pulley):
        xml.SubElement(made, "pulley", divisor=repr(item.divisor))
        return
    place = np.asarray(item.at)
    if isinstance(item, Via):
        xml.SubElement(made, "site", site=document.site(f"{name} point", item.body, place))
        return
    x, R = pose(document.mech, item.body)
    geom = xml.SubElement(
        document.bodies[item.body], "geom", name=document.unique("geom", f"{name} around"),
        type="sphere" if item.axis is None else "cylinder", pos=text(R.T @ (place - x)),
        size=text((item.radius,) if item.axis is None else (item.radius, item.radius)),
        rgba="0 0 0 0", contype="0", conaffinity="0", mass="0",
    )  # fmt: skip
    if item.axis is not None:
        geom.set("zaxis", text(R.T @ np.asarray(item.axis)))
    piece = xml.SubElement(made, "geom", geom=geom.get("name", ""))
    if item.side is not None:
        piece.set("sidesite", document.site(f"{name} side", item.body, np.asarray(item.side)))
