"""Triangles of a COLLADA file (.dae), the form of most drawn meshes in URDF: geometry alone, no pictures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from sarrus.errors import FileError
from sarrus.importers.files import read_xml
from sarrus.mechanism.rotations import rotation, turn

UP = {
    "Z_UP": np.eye(3),
    "Y_UP": np.array([[1.0, 0, 0], [0, 0, -1.0], [0, 1.0, 0]]),
    "X_UP": np.array([[0, -1.0, 0], [0, 0, 1.0], [-1.0, 0, 0]]),
}
"""What turns the up axis of a file to z."""
MAX_INSTANCES = 10_000


def read_collada(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (V, 3) [m] and triangles (F, 3) of all geometry in the scene, or of all there is."""
    root = read_xml(path, what="COLLADA file", shown=path.name).root
    for element in root.iter():  # prefixes and the namespace carry nothing here
        element.tag = element.tag.rpartition(":")[2]
    by_id = {f"#{e.get('id')}": e for e in root.iter() if e.get("id")}
    parts: list[tuple[np.ndarray, np.ndarray]] = []
    try:
        frame = scene_frame(root)
        for geometry, place in instances(root, by_id, frame):
            if len(parts) >= MAX_INSTANCES:
                raise FileError(f"{path.name}: places geometry more than {MAX_INSTANCES:,} times")
            parts += [
                (points @ place[:3, :3].T + place[:3, 3], faces)
                for points, faces in triangles(geometry, by_id)
            ]
    except (ValueError, IndexError, KeyError, AttributeError, RecursionError) as fault:
        raise FileError(f"{path.name}: not a COLLADA file that can be read ({fault})") from None
    if not parts:
        raise FileError(f"{path.name}: holds no triangles")
    starts = np.cumsum([0, *(len(points) for points, _ in parts)])
    return (
        np.concatenate([points for points, _ in parts]),
        np.concatenate([faces + start for (_, faces), start in zip(parts, starts, strict=False)]),
    )


def scene_frame(root: Element) -> np.ndarray:
    """The frame (4, 4) that turns the file's up axis to z and its unit to metres."""
    unit, up = root.find("asset/unit"), (root.findtext("asset/up_axis") or "Y_UP").strip()
    frame = np.eye(4)
    frame[:3, :3] = UP[up] * (1.0 if unit is None else float(unit.get("meter", "1")))
    return frame


def instances(
    root: Element, by_id: dict[str, Element], frame: np.ndarray
) -> Iterator[tuple[Element, np.ndarray]]:
    """Every geometry of the visual scenes with its place (4, 4); all geometry where there is no scene."""
    scenes = root.findall("library_visual_scenes/visual_scene")
    if not scenes:
        for geometry in root.iter("geometry"):
            yield geometry, frame
    ahead = [(node, frame, 0) for scene in scenes for node in scene.findall("node")]
    while ahead:
        node, outer, depth = ahead.pop(0)
        place = outer @ transform(node)
        for instance in node.findall("instance_geometry"):
            yield by_id[instance.get("url", "")], place
        if depth < 50:
            inner = [*node.findall("node"), *(by_id[i.get("url", "")] for i in node.findall("instance_node"))]
            ahead += [(child, place, depth + 1) for child in inner]
        if len(ahead) > MAX_INSTANCES:
            raise ValueError("too many nodes")


def transform(node: Element) -> np.ndarray:
    """The product (4, 4) of the transformations of a node, in the order of the file."""
    out = np.eye(4)
    for child in node:
        if child.tag not in ("matrix", "translate", "rotate", "scale"):
            continue
        numbers = np.array([float(word) for word in (child.text or "").split()])
        step = np.eye(4)
        if child.tag == "matrix":
            step = numbers.reshape(4, 4)
        elif child.tag == "translate":
            step[:3, 3] = numbers[:3]
        elif child.tag == "scale":
            step[:3, :3] = np.diag(numbers[:3])
        else:
            step[:3, :3] = rotation(turn(numbers[:3] / np.linalg.norm(numbers[:3]), np.radians(numbers[3])))
        out = out @ step
    return out


def triangles(geometry: Element, by_id: dict[str, Element]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Points (V, 3) and triangles (F, 3) of each group of faces; polygons are cut into fans."""
    for group in geometry.iterfind("mesh/*"):
        if group.tag not in ("triangles", "polylist", "polygons"):
            continue
        inputs = {
            i.get("semantic"): (int(i.get("offset", "0")), i.get("source", ""))
            for i in group.findall("input")
        }
        stride = max(offset for offset, _ in inputs.values()) + 1
        offset, source = inputs["VERTEX"]
        points = positions(by_id[source], by_id)
        lists = [np.array([int(word) for word in (p.text or "").split()]) for p in group.findall("p")]
        if not lists:
            continue
        corners = [numbers.reshape(-1, stride)[:, offset] for numbers in lists]
        if group.tag == "triangles":
            faces = np.concatenate(corners).reshape(-1, 3)
        else:
            counts = (
                [int(word) for word in (group.findtext("vcount") or "").split()]
                if group.tag == "polylist"
                else [len(c) for c in corners]
            )
            every, start, fans = np.concatenate(corners), 0, []
            for count in counts:
                c = every[start : start + count]
                fans += [(c[0], c[k], c[k + 1]) for k in range(1, count - 1)]
                start += count
            faces = np.array(fans, np.int64).reshape(-1, 3)
        if len(faces):
            yield points, faces


def positions(vertices: Element, by_id: dict[str, Element]) -> np.ndarray:
    """The points (V, 3) that a <vertices> element names."""
    named = [i.get("source", "") for i in vertices.findall("input") if i.get("semantic") == "POSITION"]
    source = named[0]
    accessor = by_id[source].find("technique_common/accessor")
    numbers = np.array([float(word) for word in (by_id[source].findtext("float_array") or "").split()])
    stride = 3 if accessor is None else int(accessor.get("stride", "3"))
    return numbers.reshape(-1, stride)[:, :3]
