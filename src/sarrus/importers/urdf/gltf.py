"""Triangles of a binary glTF file (.glb): geometry alone, no pictures, no animation."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from sarrus.errors import FileError
from sarrus.mechanism.rotations import rotation

MAGIC, JSON, BINARY = b"glTF", 0x4E4F534A, 0x004E4942
NUMBERS = {5121: "<u1", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
"""Component types: unsigned integers of 1, 2 and 4 bytes, and floats."""
TRIANGLES, STRIP, FAN = 4, 5, 6
"""Modes of primitives; others are points and lines."""
DEPTH = 50
MAX_INSTANCES = 10_000
MAX_NUMBERS = 20_000_000
"""Most vertices and triangles of all instances."""


def read_glb(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (V, 3) and triangles (F, 3) of all meshes in the scene, in its units and axes."""
    try:
        document, binary = chunks(path.read_bytes())
        parts: list[tuple[np.ndarray, np.ndarray]] = []
        held = 0
        for mesh, place in instances(document):
            for points, faces in triangles(document, binary, mesh):
                held += len(points) + len(faces)
                if held > MAX_NUMBERS:
                    raise ValueError(f"more than {MAX_NUMBERS:,} vertices and triangles")
                parts.append((points @ place[:3, :3].T + place[:3, 3], faces))
    except OSError as fault:
        raise FileError(f"{path.name}: cannot be read ({fault.strerror})") from None
    except (
        ValueError,
        IndexError,
        KeyError,
        TypeError,
        AttributeError,
        RecursionError,
        struct.error,
    ) as fault:
        raise FileError(f"{path.name}: not a binary glTF file that can be read ({fault})") from None
    if not parts:
        raise FileError(f"{path.name}: holds no triangles")
    starts = np.cumsum([0, *(len(points) for points, _ in parts)])
    return (
        np.concatenate([points for points, _ in parts]),
        np.concatenate([faces + start for (_, faces), start in zip(parts, starts, strict=False)]),
    )


def chunks(data: bytes) -> tuple[dict[str, Any], bytes]:
    """The description and the numbers of a file."""
    magic, version, _ = struct.unpack_from("<4sII", data)
    if magic != MAGIC or version != 2:
        raise ValueError("it does not begin as one of version 2 does")
    found: dict[int, bytes] = {}
    start = 12
    while start + 8 <= len(data):
        length, kind = struct.unpack_from("<II", data, start)
        found.setdefault(kind, data[start + 8 : start + 8 + length])
        start += 8 + length
    return json.loads(found[JSON]), found.get(BINARY, b"")


def instances(document: dict[str, Any]) -> Iterator[tuple[dict[str, Any], np.ndarray]]:
    """Every mesh of the scene with its place (4, 4)."""
    nodes = document.get("nodes", [])
    scenes = document.get("scenes", [])
    roots = scenes[document.get("scene", 0)].get("nodes", []) if scenes else range(len(nodes))
    ahead = [(root, np.eye(4), 0) for root in roots]
    count = 0
    while ahead:
        k, outer, depth = ahead.pop(0)
        node = nodes[k]
        place = outer @ transform(node)
        count += 1
        if count > MAX_INSTANCES or depth > DEPTH:
            raise ValueError(f"more than {MAX_INSTANCES:,} nodes, or {DEPTH} inside each other")
        if "mesh" in node:
            yield document["meshes"][node["mesh"]], place
        ahead += [(child, place, depth + 1) for child in node.get("children", [])]


def transform(node: dict[str, Any]) -> np.ndarray:
    """The place (4, 4) of a node in the one above it."""
    if "matrix" in node:
        return np.array(node["matrix"], float).reshape(4, 4).T
    out = np.eye(4)
    x, y, z, w = node.get("rotation", (0.0, 0.0, 0.0, 1.0))
    quaternion = np.array([w, x, y, z], float)
    out[:3, :3] = rotation(quaternion / np.linalg.norm(quaternion)) * np.array(node.get("scale", (1.0,) * 3))
    out[:3, 3] = node.get("translation", (0.0,) * 3)
    return out


def triangles(
    document: dict[str, Any], binary: bytes, mesh: dict[str, Any]
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Points (V, 3) and triangles (F, 3) of each part of a mesh."""
    for part in mesh["primitives"]:
        mode = part.get("mode", TRIANGLES)
        if mode < TRIANGLES:
            continue
        if "KHR_draco_mesh_compression" in part.get("extensions", {}):
            raise ValueError("its meshes are compressed by Draco")
        points = numbers(document, binary, part["attributes"]["POSITION"]).reshape(-1, 3).astype(float)
        order = numbers(document, binary, part["indices"]) if "indices" in part else np.arange(len(points))
        order = order.astype(np.int64).reshape(-1)
        if mode == TRIANGLES:
            faces = order.reshape(-1, 3)
        elif mode == STRIP:
            faces = np.stack([order[:-2], order[1:-1], order[2:]], axis=1)
            faces[1::2] = faces[1::2, ::-1]
        else:
            faces = np.stack([np.full(len(order) - 2, order[0]), order[1:-1], order[2:]], axis=1)
        if len(faces):
            yield points, faces


def numbers(document: dict[str, Any], binary: bytes, index: int) -> np.ndarray:
    """The numbers (count, width) of an accessor."""
    accessor = document["accessors"][index]
    view = document["bufferViews"][accessor["bufferView"]]
    if "sparse" in accessor or "uri" in document["buffers"][view["buffer"]]:
        raise ValueError("its numbers are sparse or in another file")
    kind = np.dtype(NUMBERS[accessor["componentType"]])
    width = {"SCALAR": 1, "VEC3": 3}[accessor["type"]]
    stride = view.get("byteStride") or kind.itemsize * width
    start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
    count = accessor["count"]
    if count < 1 or start < 0 or start + (count - 1) * stride + kind.itemsize * width > len(binary):
        raise ValueError("it names numbers that it does not hold")
    return np.ndarray((count, width), kind, binary, start, (stride, kind.itemsize))
