"""Checked values of XML attributes: names, numbers, vectors, poses; errors name the file and the line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from xml.etree.ElementTree import Element

import numpy as np

from sarrus.errors import FileError, MechanismError
from sarrus.importers.files import XmlFile
from sarrus.mechanism.rotations import rotation, turn


class Values:
    """Reads values from the elements of one file."""

    def __init__(self, file: XmlFile):
        self.file = file

    def fail(self, element: Element | None, message: str) -> FileError:
        """The error with the place of the element in front."""
        return FileError(f"{self.file.where(element)}: {message}")

    @contextmanager
    def located(self, element: Element | None) -> Iterator[None]:
        """Turns a refusal of the mechanism into an error that names the place in the file."""
        try:
            yield
        except MechanismError as fault:
            raise self.fail(element, str(fault)) from None

    def text(self, element: Element, attribute: str) -> str:
        """An attribute that must be there and not be empty."""
        value = (element.get(attribute) or "").strip()
        if not value:
            raise self.fail(element, f"<{element.tag}> needs the attribute {attribute}")
        return value

    def name(self, element: Element, taken: Iterable[str]) -> str:
        """The name of an element, which no other of its kind may have."""
        value = self.text(element, "name")
        if value in taken:
            raise self.fail(element, f"there are two <{element.tag}> named {value!r}; names must be unique")
        return value

    def child(self, element: Element, tag: str) -> Element:
        """The child element of this tag, which must be there."""
        found = element.find(tag)
        if found is None:
            raise self.fail(element, f"{label(element)} needs <{tag}>")
        return found

    def numbers(self, element: Element, what: str, text: str | None, count: int) -> np.ndarray:
        """So many finite numbers (count,), separated by blanks."""
        words = (text or "").replace(",", " ").split()
        try:
            values = np.array([float(word) for word in words])
        except ValueError:
            values = np.full(0, np.nan)
        if len(values) != count or not np.all(np.isfinite(values)):
            wanted = "a finite number" if count == 1 else f"{count} finite numbers"
            xacro = "; expand the expressions of xacro first: xacro FILE > robot.urdf"
            hint = xacro if text and ("${" in text or "$(" in text) else ""
            raise self.fail(element, f"{what} of {label(element)} must be {wanted}, not {text!r}{hint}")
        return values

    def vector(self, element: Element, attribute: str, default: Iterable[float]) -> np.ndarray:
        """A vector attribute, or its default."""
        usual = np.array([float(x) for x in default])
        text = element.get(attribute)
        return usual if text is None else self.numbers(element, attribute, text, len(usual))

    def number(
        self, element: Element, attribute: str, default: float | None = None, *, negative: bool = True
    ) -> float:
        """A number attribute, or its default; without one it must be there."""
        text = element.get(attribute)
        if text is None and default is not None:
            return default
        value = float(self.numbers(element, attribute, self.text(element, attribute), 1)[0])
        if value < 0.0 and not negative:
            raise self.fail(element, f"{attribute} of {label(element)} must not be negative, not {text!r}")
        return value

    def pose(self, element: Element | None) -> np.ndarray:
        """The place (4, 4) that the attributes xyz [m] and rpy [rad] give; none: no displacement."""
        if element is None:
            return np.eye(4)
        return pose(self.vector(element, "xyz", (0, 0, 0)), self.vector(element, "rpy", (0, 0, 0)))

    def origin(self, element: Element) -> np.ndarray:
        """The place (4, 4) of the child <origin>."""
        return self.pose(element.find("origin"))

    def axis(self, element: Element) -> np.ndarray:
        """The unit vector (3,) of the child <axis xyz>, by default x."""
        found = element.find("axis")
        return X if found is None else self.unit(found, self.vector(found, "xyz", X))

    def unit(self, element: Element, given: np.ndarray) -> np.ndarray:
        """The direction of an axis, which must not be zero."""
        length = float(np.linalg.norm(given))
        if length == 0.0:
            raise self.fail(element, "an axis must not be zero, but is 0 0 0")
        return given / length


def label(element: Element) -> str:
    """The element for messages, with its name where it has one."""
    name = element.get("name")
    return f"<{element.tag}> {name!r}" if name else f"<{element.tag}>"


def pose(xyz: np.ndarray, rpy: np.ndarray) -> np.ndarray:
    """The place (4, 4) of a translation [m] after turns about the fixed axes x, y, z [rad]."""
    out = np.eye(4)
    out[:3, 3] = xyz
    roll, pitch, yaw = rpy
    out[:3, :3] = rotation(turn(Z, yaw)) @ rotation(turn(Y, pitch)) @ rotation(turn(X, roll))
    return out


X, Y, Z = np.eye(3)
