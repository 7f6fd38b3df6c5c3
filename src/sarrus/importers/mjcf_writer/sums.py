"""Couplings of joints and tendons over them in MJCF: fixed tendons."""

from __future__ import annotations

from xml.etree import ElementTree as xml

from sarrus.importers.mjcf_writer.document import Document, text
from sarrus.mechanism import Coupling, Tendon


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
    made = xml.SubElement(document.section("tendon"), "fixed", name=document.unique("tendon", name))
    for term in joint.terms:
        hinge = document.scalars[term.joint, term.component]
        xml.SubElement(made, "joint", joint=hinge, coef=repr(term.factor))
    if isinstance(joint, Coupling):
        tie = xml.SubElement(document.section("equality"), "tendon", name=document.unique("equality", name))
        tie.set("tendon1", made.get("name", ""))
        tie.set("polycoef", text((joint.offset, 0.0, 0.0, 0.0, 0.0)))
        return
    document.tendons[name] = made.get("name", "")
    if joint.offset:
        document.cannot(what, "a fixed tendon has no offset: lengths and targets count without it")
    springs = [spring for spring in document.mech.joint_springs.values() if spring.joint == name]
    stiffness = sum(float(spring.stiffness[0]) for spring in springs)
    damping = sum(float(spring.damping[0]) for spring in springs)
    if stiffness:
        rest = sum(float(spring.stiffness[0] * spring.rest[0]) for spring in springs) / stiffness
        made.set("stiffness", repr(stiffness))
        made.set("springlength", repr(rest - joint.offset))
    if damping:
        made.set("damping", repr(damping))
