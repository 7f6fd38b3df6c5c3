"""The files that an MJCF model names (includes, meshes, textures, ...): all found, none too large."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path, PureWindowsPath
from xml.etree.ElementTree import Element

from sarrus.errors import FileError
from sarrus.importers.files import (
    MAX_MESH_BYTES,
    MAX_TOTAL_BYTES,
    XmlFile,
    file_size,
    megabytes,
    missing_files,
    read_xml,
)

MAX_FILES = 10_000
"""Most files of one model."""
TEXTURE_SIDES = ("file", "fileright", "fileleft", "fileup", "filedown", "filefront", "fileback")


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """A file that an element names, and where it was found."""

    kind: str  # "mesh", "texture", "hfield", "skin", "flexcomp", "model"
    file: str  # as written
    path: Path
    size: int  # [bytes]
    where: str


@dataclass(slots=True, eq=False)
class MjcfFiles:
    """An MJCF file with all that it includes, each parsed, and the other files that they name."""

    main: XmlFile
    documents: list[XmlFile] = field(default_factory=list)  # the main file first
    assets: list[Reference] = field(default_factory=list)
    included: dict[Element, XmlFile] = field(default_factory=dict)  # by <include>
    models: dict[str, MjcfFiles] = field(default_factory=dict)  # attached ones, by name

    def every(self) -> list[MjcfFiles]:
        """This model and all that it attaches, each once."""
        found = {id(self): self}
        ahead = [self]
        while ahead:
            parts = ahead.pop().models.values()
            ahead += [part for part in parts if id(part) not in found]
            found |= {id(part): part for part in parts}
        return list(found.values())

    def compilers(self, document: XmlFile | None = None) -> list[Element]:
        """Every <compiler> in the order in which MuJoCo reads them: an include stands where it is named."""
        out: list[Element] = []
        for element in (document or self.main).root.iter():
            if element.tag == "compiler":
                out.append(element)
            elif element in self.included:
                out += self.compilers(self.included[element])
        return out

    def elements(self, tag: str) -> list[tuple[XmlFile, Element]]:
        """Every element with this tag in the main file and its includes, with its file."""
        return [(document, element) for document in self.documents for element in document.root.iter(tag)]


def mjcf_files(
    path: str | os.PathLike[str], *, within: Path | None = None, shown: str | None = None
) -> MjcfFiles:
    """The MJCF file at `path` with its includes, checked: nothing is missing, circular or too large.

    All missing files are listed in one error.  `within` is the folder that no file may lie outside of, for
    archives of strangers."""
    missing: list[str] = []
    name = shown if shown is not None else os.fspath(path)
    found = _collect(Path(path), name, [], missing, within, {})
    if missing:
        raise missing_files(found.main.shown, missing)
    return found


def _collect(
    path: Path,
    shown: str,
    chain: list[Path],
    missing: list[str],
    within: Path | None,
    known: dict[Path, MjcfFiles],
) -> MjcfFiles:
    """A model and what it names; `chain` are the models that attach it; `missing` and `known`, the models by
    their path, are added to."""
    place = path.resolve()
    if place not in known:
        found = MjcfFiles(read_xml(path, root="mujoco", what="MJCF file", shown=shown))
        _include(found, found.main, [*chain, path], missing, within)
        _assets(found, [*chain, path], missing, within, known)
        known[place] = found
    return known[place]


def _include(
    found: MjcfFiles, document: XmlFile, chain: list[Path], missing: list[str], within: Path | None
) -> None:
    """Adds a document and, depth first, what it includes.  A file may be included once, as MuJoCo has it."""
    found.documents.append(document)
    if len(found.documents) > MAX_FILES:
        raise FileError(f"{found.main.shown}: includes more than {MAX_FILES:,} files, which is refused")
    for element in document.root.iter("include"):
        where, file = document.where(element), element.get("file")
        if not file:
            raise FileError(f"{where}: <include> needs the attribute file, the MJCF file to include")
        folders = (found.main.path.parent, document.path.parent)
        candidates = [folder / _native(file) for folder in folders]
        target = next((path for path in candidates if os.path.isfile(path)), None)
        if target is None:
            missing.append(f"include {file} ({where})")
            continue
        _inside(target, where, within)
        _not_in(chain, target, where)
        if any(_same(target, other.path) for other in found.documents):
            raise FileError(f"{where}: {file} is included twice; MJCF allows each file once")
        shown = os.path.join(os.path.dirname(found.main.shown), file)
        part = read_xml(target, what="MJCF file", shown=shown)
        total = sum(other.size for other in found.documents) + part.size
        if total > MAX_TOTAL_BYTES:
            raise FileError(f"{where}: the includes exceed {megabytes(MAX_TOTAL_BYTES)} together")
        found.included[element] = part
        _include(found, part, [*chain, target], missing, within)


def _assets(
    found: MjcfFiles,
    chain: list[Path],
    missing: list[str],
    within: Path | None,
    known: dict[Path, MjcfFiles],
) -> None:
    """Adds what the documents name besides includes, found by the rules of meshdir, texturedir, strippath."""
    meshdir, texturedir, strip = "", "", False
    for compiler in found.compilers():  # the last one that sets an attribute counts
        both = compiler.get("assetdir")
        meshdir = compiler.get("meshdir", meshdir if both is None else both)
        texturedir = compiler.get("texturedir", texturedir if both is None else both)
        strip = compiler.get("strippath", str(strip).lower()) == "true"
    kinds = (
        ("mesh", ("file",), meshdir),
        ("hfield", ("file",), meshdir),
        ("skin", ("file",), meshdir),
        ("flexcomp", ("file",), meshdir),
        ("texture", TEXTURE_SIDES, texturedir),
        ("model", ("file",), ""),
    )
    total = 0
    for kind, attributes, folder in kinds:
        for document, element in found.elements(kind):
            for file in filter(None, map(element.get, attributes)):
                where = document.where(element)
                name = PureWindowsPath(file).name if strip and kind != "model" else file
                parts = (_native(folder), _native(name))
                bases = (found.main.path.parent, document.path.parent)
                target = next(
                    (p for p in (base.joinpath(*parts) for base in bases) if os.path.isfile(p)), None
                )
                if target is None:
                    looked = os.path.join(*filter(None, map(str, parts)))
                    missing.append(f"{kind} {file} ({where}; looked for {looked})")
                    continue
                _inside(target, where, within)
                size = asset_size(target, kind, file, where)
                found.assets.append(Reference(kind, file, target, size, where))
                total += size
                if kind == "model" and is_mjcf(target, element):
                    _not_in(chain, target, where)
                    inner = os.path.join(os.path.dirname(found.main.shown), file)
                    part = _collect(target, inner, chain, missing, within, known)
                    found.models[element.get("name", "") or part.main.root.get("model", "")] = part
                    found.assets += part.assets
                    total += sum(asset.size for asset in part.assets)
                if total > MAX_TOTAL_BYTES or len(found.assets) > MAX_FILES:
                    raise FileError(
                        f"{where}: the model names more than {megabytes(MAX_TOTAL_BYTES)} or {MAX_FILES:,} "
                        "files, which is refused"
                    )


def is_mjcf(path: Path, element: Element) -> bool:
    """Whether the file of a <model> is MJCF: by what the element says of it, else by its ending."""
    return element.get("content_type", "").endswith("xml") or path.suffix.lower() in (".xml", ".mjcf")


def asset_size(path: Path, kind: str, file: str, where: str) -> int:
    """The size [bytes] of a mesh or picture, found without reading it; refused when too large."""
    try:
        return file_size(path, MAX_MESH_BYTES, what=f"{kind} file", shown=file)
    except FileError as fault:
        raise FileError(f"{where}: {kind} {fault}") from None


def _native(file: str) -> Path:
    """A path as written in a model file, where \\ separates folders too."""
    return Path(file.replace("\\", "/"))


def _not_in(chain: list[Path], target: Path, where: str) -> None:
    """Nothing, when `target` is none of the files that lead to it."""
    if any(_same(target, other) for other in chain):
        names = " includes ".join(other.name for other in [*chain, target])
        raise FileError(f"{where}: the includes form a circle: {names}")


def _same(a: Path, b: Path) -> bool:
    return a.resolve() == b.resolve()


def _inside(path: Path, where: str, within: Path | None) -> None:
    """Nothing, when the file lies in the folder `within`, or no folder is asked for."""
    if within is not None and not path.resolve().is_relative_to(within.resolve()):
        raise FileError(f"{where}: names {path.name!r} outside the archive, which is refused")
