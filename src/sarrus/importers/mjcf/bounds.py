"""What an MJCF file may not ask of the compiler of MuJoCo: numbers that are nan, names that crash it, and
models so large that they fill the memory."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from sarrus.errors import FileError

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from sarrus.importers.files import XmlFile
    from sarrus.importers.references import MjcfFiles

COPIES = ("replicate", "composite", "flexcomp")
"""Elements that stand for many: copies by their attribute count."""
MAX_COPIES = 20_000
"""Most elements that copies and attached models add to those that are written out."""
MOST = {
    ("size", "nkey"): 10_000,
    ("size", "nuserdata"): 1_000_000,
    ("mesh", "params"): 500,
}
"""The largest values of attributes by which MuJoCo allocates memory.  The parameters of a built-in mesh are
resolutions, whose product is its number of vertices; 1e9 of them end the process."""
MAX_USER = 1000
"""Most numbers that a user may keep with each body, joint, ... (<size nuser_body=...>)."""
MAX_PIXELS = 2**26
"""Most pixels of a texture, and points of a height field, that a file asks for by their number."""
TEXTS = ("name", "class", "childclass", "prefix", "suffix", "file", "model")
"""Attributes that may be any word."""


def check_files(found: MjcfFiles) -> None:
    """Refuses, with file and line, what MuJoCo cannot be given, in a model and in those that it attaches."""
    for model in found.every():
        for document in model.documents:
            for element in document.root.iter():
                check_attributes(document, element)
                check_sizes(document, element)
    count(found, found.main, found.main.root)


def check_attributes(document: XmlFile, element: Element) -> None:
    """Refuses names with a %, which MuJoCo takes for formats when it complains, and crashes; and numbers that
    are nan, some of which it takes for numbers left out."""
    for attribute, value in element.attrib.items():
        where = f"{document.where(element)}: {attribute}={value!r} of <{element.tag}>"
        if "%" in value and attribute not in ("file", "data"):
            raise FileError(f"{where} contains a %, which MuJoCo cannot handle; choose another name")
        if "nan" in value.lower() and attribute not in TEXTS and any(map(math.isnan, numbers(value))):
            raise FileError(f"{where} must be a number")


def check_sizes(document: XmlFile, element: Element) -> None:
    """Refuses sizes without bound: of what a user keeps, of textures, height fields and built-in meshes."""
    where = document.where(element)
    for attribute, value in element.attrib.items():
        most = MOST.get((element.tag, attribute))
        if element.tag == "size" and attribute.startswith("nuser_"):
            most = MAX_USER
        if most is not None and max(numbers(value), default=0.0) > most:
            raise FileError(
                f"{where}: {attribute}={value!r} of <{element.tag}> is too large; at most {most:,}"
            )
    first, second = {"hfield": ("nrow", "ncol"), "texture": ("width", "height")}.get(element.tag, ("", ""))
    edges = [max(numbers(element.get(edge, "1")), default=1.0) for edge in (first, second)]
    if first and edges[0] * edges[1] > MAX_PIXELS:
        raise FileError(
            f"{where}: <{element.tag}> of {edges[0]:,.0f} by {edges[1]:,.0f} is too large; at most "
            f"{MAX_PIXELS:,} points are read"
        )


def numbers(text: str) -> list[float]:
    """The numbers in a list; none where something else stands there, which MuJoCo refuses."""
    try:
        return [float(part) for part in text.split()]
    except ValueError:
        return []


def count(found: MjcfFiles, document: XmlFile, element: Element) -> tuple[int, int]:
    """(elements written out, elements that they stand for) of an element, with copies, includes and attached
    models.  Copies of more than `MAX_COPIES` elements are refused."""
    part, inside = document, list(element)
    written = size = 1
    if element in found.included:
        part = found.included[element]
        inside = list(part.root)
    for child in inside:
        more = count(found, part, child)
        written, size = written + more[0], size + more[1]
    if element.tag in COPIES:
        copies = [n if np.isfinite(n) else MAX_COPIES for n in numbers(element.get("count", "1"))]
        size *= math.prod(max(int(n), 0) for n in copies)
    elif element.tag == "attach":
        model = found.models.get(element.get("model", ""))
        if model is not None:
            body = attached(model, element.get("body"))
            size += count(model, *body)[1] if body is not None else 0
    if size - written > MAX_COPIES:
        remedy = "lower its count" if element.tag in COPIES else "copy or attach less"
        raise FileError(
            f"{document.where(element)}: <{element.tag}> stands for {size:,} elements; at most "
            f"{MAX_COPIES:,} are copied: {remedy}"
        )
    return written, size


def attached(model: MjcfFiles, name: str | None) -> tuple[XmlFile, Element] | None:
    """The body of this name in a model that is attached, or all of the model where none is named."""
    if name is None:
        return model.main, model.main.root
    bodies = (place for place in model.elements("body") if place[1].get("name") == name)
    return next(bodies, None)
