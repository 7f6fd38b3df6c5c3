"""Mesh files that a URDF file names: found by their URI, read once, scaled."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote
from xml.etree.ElementTree import Element

import numpy as np

from sarrus.errors import FileError
from sarrus.importers.files import missing_files
from sarrus.importers.references import asset_size
from sarrus.importers.urdf.values import Values
from sarrus.mechanism.meshes import read_mesh

PACKAGES = ("package://", "model://")
ENDINGS = (".obj", ".stl", ".dae", ".glb")
"""Mesh files that can be read."""
FIND = re.compile(r"^\$\(find ([^)]+)\)")
"""The folder of a package, where an expression of xacro is left in an address."""


class Meshes:
    """The meshes of one URDF file."""

    def __init__(self, values: Values, within: Path | None):
        self.values = values
        self.within = within
        self.folder = values.file.path.resolve().parent
        compiler = values.file.root.find("mujoco/compiler")
        self.meshdir = "" if compiler is None else compiler.get("meshdir", "")
        self.cache: dict[Path, tuple[np.ndarray, np.ndarray]] = {}

    def check(self) -> None:
        """Nothing, when every mesh that a link names is there; else one error lists those that are not."""
        missing: dict[str, str] = {}
        for element in self.values.file.root.iter("mesh"):
            if (name := self.name(element)) is not None and self.find(name) is None:
                missing.setdefault(name, f"mesh {name} ({self.values.file.where(element)})")
        if missing:
            fault = missing_files(self.values.file.shown, list(missing.values()))
            raise FileError(
                f"{fault}\na package:// address is looked for in the folder of the file and those above it; "
                "load(..., meshes=False), on the command line --no-meshes, reads the robot without them"
            )

    def name(self, element: Element) -> str | None:
        """The file that a <mesh> of a link names; None for another <mesh>."""
        return None if element.get("filename") is None else self.values.text(element, "filename")

    def find(self, name: str) -> Path | None:
        """The file of a URI, or None where there is none."""
        for path in self.candidates(unquote(name) if "://" in name else name):
            if os.path.isfile(path):
                return path
        return None

    def candidates(self, name: str) -> list[Path]:
        """Where a file may lie, the likeliest first."""
        name = FIND.sub(r"package://\1", name.replace("\\", "/"))
        top = None if self.within is None else self.within.resolve()
        above = [f for f in (self.folder, *self.folder.parents) if top is None or f.is_relative_to(top)]
        for prefix in PACKAGES:
            if name.startswith(prefix):
                package, _, inner = name.removeprefix(prefix).partition("/")
                named = [folder / inner for folder in above if folder.name == package]
                return [*named, *(folder / package / inner for folder in above), *(f / inner for f in above)]
        if name.startswith("file://"):
            return [Path(name.removeprefix("file://"))]
        base = name.rsplit("/", 1)[-1]  # MuJoCo looks for the bare name of the file only
        return [self.folder / name, self.folder / self.meshdir / base, self.folder / base]

    def readable(self, element: Element) -> bool:
        """Whether a <mesh> names a file of a form that can be read."""
        return Path(self.values.text(element, "filename")).suffix.lower() in ENDINGS

    def read(self, element: Element) -> tuple[np.ndarray, np.ndarray]:
        """Vertices (V, 3) [m], scaled, and triangles (F, 3) of a <mesh>."""
        name = self.values.text(element, "filename")
        scale = self.values.vector(element, "scale", (1.0, 1.0, 1.0))
        if np.any(scale == 0.0):
            raise self.values.fail(element, f"scale of <mesh> must not be 0, not {element.get('scale')!r}")
        path = self.find(name)
        if path is None:
            raise self.values.fail(element, f"the mesh {name} is missing")
        if self.within is not None and not path.resolve().is_relative_to(self.within.resolve()):
            raise self.values.fail(element, f"the mesh {name} lies outside the archive, which is refused")
        if path not in self.cache:
            asset_size(path, "mesh", name, self.values.file.where(element))
            try:
                self.cache[path] = reader_of(path)(path)
            except FileError as fault:
                raise self.values.fail(element, f"mesh {name}: {fault}") from None
        points, faces = self.cache[path]
        if not np.all(np.isfinite(points)) or faces.min() < 0 or faces.max() >= len(points):
            raise self.values.fail(element, f"mesh {name}: holds numbers that are not finite, or bad faces")
        return points * scale, faces[:, ::-1] if np.prod(scale) < 0.0 else faces


def reader_of(path: Path) -> Callable[[Path], tuple[np.ndarray, np.ndarray]]:
    """The reader of a mesh file by its ending."""
    if path.suffix.lower() == ".dae":
        from sarrus.importers.urdf.collada import read_collada

        return read_collada
    if path.suffix.lower() == ".glb":
        from sarrus.importers.urdf.gltf import read_glb

        return read_glb
    return read_mesh
