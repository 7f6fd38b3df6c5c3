"""Shapes of links: what is drawn and what touches, with the colours of their materials."""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from sarrus.errors import MechanismError
from sarrus.importers.decomposition import colliding
from sarrus.importers.report import Findings
from sarrus.importers.urdf.meshes import ENDINGS, Meshes
from sarrus.importers.urdf.robot import Link
from sarrus.importers.urdf.values import Values, label
from sarrus.mechanism import Box, Capsule, ConvexMesh, Cylinder, Mesh, Sphere
from sarrus.mechanism.rotations import quaternion
from sarrus.mechanism.shapes import Shape

FORMS = ("box", "cylinder", "sphere", "capsule", "drake:capsule", "mesh")


class Geometry:
    """Makes the shapes of links, in the frame that each call asks for."""

    def __init__(
        self, values: Values, findings: Findings, meshes: Meshes | None, decompose: bool | float = False
    ):
        self.values = values
        self.findings = findings
        self.meshes = meshes  # None: mesh files are left out
        self.decompose = decompose
        if meshes is not None:
            meshes.check()
        self.colors: dict[str, tuple[float, ...]] = {}
        for material in values.file.root.iter("material"):
            color = material.find("color")
            if color is not None and material.get("name"):
                self.colors.setdefault(material.get("name", ""), self.rgba(color))

    def rgba(self, color: Element) -> tuple[float, ...]:
        """Red, green, blue, opacity of a <color>, from 0 to 1."""
        numbers = self.values.numbers(color, "rgba", color.get("rgba"), 4)
        return tuple(float(x) for x in np.clip(numbers, 0.0, 1.0))

    def shapes(self, link: Link, place: np.ndarray, friction: float | None) -> list[Shape]:
        """The shapes of a link whose frame lies at `place` (4, 4) in the body frame; the drawn ones first."""
        found = []
        for element in link.element:
            if element.tag in ("visual", "collision"):
                at = place @ self.values.origin(element)
                found += self.of_element(link, element, at, friction)
        return sorted(found, key=lambda shape: shape.collide)

    def of_element(self, link: Link, element: Element, at: np.ndarray, friction: float | None) -> list[Shape]:
        """The shapes of a <visual> or <collision>; none where it cannot be."""
        geometry = self.values.child(element, "geometry")
        forms = [child for child in geometry if child.tag in FORMS]
        if len(forms) != 1:
            held = ", ".join(f"<{child.tag}>" for child in geometry) or "nothing"
            raise self.values.fail(
                geometry, f"<geometry> of link {link.name!r} must hold one of {', '.join(FORMS)}, not {held}"
            )
        common: dict[str, Any] = {"at": at[:3, 3], "orientation": quaternion(at[:3, :3])}
        if element.tag == "collision":
            common |= {"friction": friction}
        else:
            common |= {"collide": False, "color": self.color(link, element)}
        try:
            if forms[0].tag.rpartition(":")[2] == "mesh":
                return self.mesh(link, forms[0], common, drawn=element.tag == "visual")
            shape = self.solid(link, forms[0], common)
            return [] if shape is None else [shape]
        except MechanismError as fault:
            raise self.values.fail(forms[0], f"link {link.name!r}: {fault}") from None

    def solid(self, link: Link, form: Element, common: dict[str, Any]) -> Shape | None:
        """The shape of a <box>, <sphere>, <cylinder> or <capsule> element."""
        number, tag = self.values.number, form.tag.rpartition(":")[2]
        if tag == "box":
            size = self.values.numbers(form, "size", form.get("size"), 3)
            return Box(size, **common) if self.extends(link, tag, *size) else None
        if tag == "sphere":
            radius = number(form, "radius")
            return Sphere(radius, **common) if self.extends(link, tag, radius) else None
        kind, radius, length = (
            Cylinder if tag == "cylinder" else Capsule,
            number(form, "radius"),
            number(form, "length"),
        )
        return kind(radius, length, **common) if self.extends(link, tag, radius, length) else None

    def mesh(self, link: Link, form: Element, common: dict[str, Any], *, drawn: bool) -> list[Shape]:
        """What a <mesh> element shows, or the convex shapes as which it collides."""
        if self.meshes is None:
            self.findings.lose("mesh", link.name, "meshes=False leaves out mesh files")
            return []
        if not self.meshes.readable(form):
            named, forms = self.values.text(form, "filename"), ", ".join(ENDINGS)
            if not drawn:
                raise self.values.fail(form, f"mesh {named}: the file must end in {forms}")
            self.findings.lose("mesh", link.name, f"only files that end in {forms} are drawn")
            return []
        points, faces = self.meshes.read(form)
        if drawn:
            return [Mesh(points, faces, **common)]
        try:
            parts, words = colliding(points, faces, self.decompose)
        except MechanismError as fault:
            self.findings.lose("collision mesh", link.name, str(fault))
            return []
        self.findings.change("collision mesh", link.name, words or "collides as its convex hull")
        return [ConvexMesh(corners, **common) for corners in parts]

    def extends(self, link: Link, form: str, *sizes: float) -> bool:
        """Whether a shape has an extent; one of size 0 is listed."""
        if 0.0 not in sizes:
            return True
        self.findings.lose(form, link.name, "it has the size 0")
        return False

    def color(self, link: Link, visual: Element) -> tuple[float, ...] | None:
        """The colour of a <visual>: its own, or that of the material it names."""
        material = visual.find("material")
        if material is None:
            return None
        if material.find("texture") is not None:
            self.findings.lose("texture", link.name, "surfaces have one colour each")
        color = material.find("color")
        if color is not None:
            return self.rgba(color)
        name = material.get("name", "")
        if name and name not in self.colors and material.find("texture") is None:
            self.findings.lose("material", name, f"no {label(material)} has a colour")
        return self.colors.get(name)
