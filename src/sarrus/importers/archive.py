"""Robots in an archive: a .zip with a model file and its meshes, unpacked safely into a temporary folder."""

from __future__ import annotations

import os
import re
import stat
import tempfile
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import Any

from sarrus.errors import FileError, MechanismError
from sarrus.importers.files import MAX_MESH_BYTES, MAX_TOTAL_BYTES, file_size, megabytes, read_xml
from sarrus.importers.names import listed
from sarrus.mechanism import Mechanism

MAX_MEMBERS = 10_000
"""Most files of an archive."""
MAX_RATIO = 200
"""Largest ratio of unpacked to packed size of a member above a MB; text packs to at most about a hundredth of
its size, a bomb to a thousandth."""
SMALL = 2**20
"""Members up to this size [bytes] may be packed at any ratio."""
MAX_PATH, MAX_NAME = 1000, 240
"""Longest path of a member, and longest name of a folder or file in it."""
DEPTH = 3
"""Folders above a model file that is found without being named."""
MODELS = (".xml", ".mjcf", ".urdf", ".yaml", ".yml")
SIGNS = {".xml": rb"<\s*(mujoco|robot)[\s/>]", ".yaml": rb"(?m)^sarrus\s*:", ".yml": rb"(?m)^sarrus\s*:"}
"""What a file of this ending must hold to be a model: many others are packed with one."""
CHUNK = 2**20
DEFAULTS = {"fixed_base": False, "self_contact": True, "meshes": True, "decompose": False}


def read_zip(
    path: str | os.PathLike[str],
    *,
    member: str | None = None,
    fixed_base: bool = False,
    self_contact: bool = True,
    meshes: bool = True,
    decompose: bool | float = False,
) -> Mechanism:
    """The mechanism of the only model file in an archive, or of the one that `member` names.

    Nothing is written outside a temporary folder, which is removed; members with paths that leave it, links,
    encrypted members and archives that unpack to too much are refused by name."""
    shown = os.fspath(path)
    file_size(path, MAX_TOTAL_BYTES, what="archive")
    with tempfile.TemporaryDirectory(prefix="sarrus-") as folder:
        inside = Path(folder).resolve()
        names = unpack(path, shown, inside)
        chosen = choose(shown, inside, names, member)
        options: dict[str, Any] = {
            "fixed_base": fixed_base, "self_contact": self_contact, "meshes": meshes, "decompose": decompose,
        }  # fmt: skip
        try:
            return read_member(inside, chosen, f"{shown}/{chosen}", options)
        except FileError as fault:  # the temporary folder means nothing to the user
            raise FileError(str(fault).replace(f"{inside}{os.sep}", f"{shown}/")) from None


def read_member(inside: Path, chosen: str, shown: str, options: dict[str, Any]) -> Mechanism:
    """The mechanism of an unpacked model file; messages name it by the archive and its path there."""
    path = inside / chosen
    if path.suffix.lower() in (".yaml", ".yml"):
        from sarrus.importers.yaml.reader import read_yaml

        for what, value in options.items():
            if value != DEFAULTS[what]:
                raise MechanismError(f"{shown}: {what} is for robot files; a YAML file describes this itself")
        return read_yaml(path)
    if path.suffix.lower() == ".urdf" or read_xml(path, shown=shown).root.tag == "robot":
        from sarrus.importers.urdf.reader import read_urdf

        return read_urdf(path, shown=shown, within=inside, **options)
    from sarrus.importers.mjcf.reader import read_mjcf
    from sarrus.importers.references import mjcf_files

    if not options.pop("meshes"):
        raise MechanismError(f"{shown}: meshes=False is for URDF files; this is MJCF")
    mjcf_files(path, within=inside, shown=shown)
    return read_mjcf(path, shown=shown, **options)


def unpack(path: str | os.PathLike[str], shown: str, folder: Path) -> list[str]:
    """The members of an archive by name, written below `folder` after all of them are checked."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = [info for info in archive.infolist() if not info.is_dir()]
            check_members(shown, members)
            for info in members:
                write_member(archive, info, shown, folder)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError) as fault:
        if isinstance(fault, FileError):
            raise
        raise FileError(f"{shown}: is not a .zip archive that can be read ({fault})") from None
    return [clean(info.filename) for info in members]


def check_members(shown: str, members: list[zipfile.ZipInfo]) -> None:
    """Nothing, when all members may be unpacked by what the archive says of them."""
    if not members:
        raise FileError(f"{shown}: the archive is empty; it must hold a model file ({', '.join(MODELS)})")
    if len(members) > MAX_MEMBERS:
        raise FileError(f"{shown}: holds {len(members):,} files; at most {MAX_MEMBERS:,} are unpacked")
    total, seen = 0, set()
    for info in members:
        where = f"{shown}: member {info.filename!r}"
        name = clean(info.filename)
        refuse_path(where, info.filename)
        kind = stat.S_IFMT(info.external_attr >> 16)
        if kind not in (0, stat.S_IFREG):
            raise FileError(
                f"{where} is a link or device, which is refused; an archive may hold regular files only"
            )
        if info.flag_bits & 1:
            raise FileError(f"{where} is encrypted; pack the archive without a password")
        if info.file_size > MAX_MESH_BYTES:
            raise FileError(
                f"{where} is too large, {megabytes(info.file_size)}; at most {megabytes(MAX_MESH_BYTES)} are "
                "unpacked"
            )
        if info.file_size > SMALL and info.file_size > MAX_RATIO * max(info.compress_size, 1):
            raise FileError(
                f"{where} unpacks {megabytes(info.compress_size)} to {megabytes(info.file_size)}, which no "
                "model does; it is refused"
            )
        if name.casefold() in seen:
            raise FileError(f"{where} appears twice; every path must be unique")
        seen.add(name.casefold())
        total += info.file_size
    if total > MAX_TOTAL_BYTES:
        raise FileError(
            f"{shown}: unpacks to {megabytes(total)} in all; at most {megabytes(MAX_TOTAL_BYTES)} are allowed"
        )


def clean(name: str) -> str:
    """The path of a member with / between folders."""
    return str(PurePosixPath(name.replace("\\", "/")))


def refuse_path(where: str, name: str) -> None:
    """Nothing, when a path stays inside the folder that it is written to."""
    parts = PurePosixPath(name.replace("\\", "/")).parts
    if not parts or ".." in parts:
        raise FileError(f"{where} leads out of the archive's folder, which is refused")
    if parts[0] == "/" or ":" in name:
        raise FileError(f"{where} is an absolute path, which is refused; paths must be relative")
    if any(ord(letter) < 32 for letter in name):
        raise FileError(f"{where} has control characters in its name, which is refused")
    if len(name) > MAX_PATH or max(map(len, parts)) > MAX_NAME:
        raise FileError(f"{where[:MAX_NAME]}...: its path is too long to be unpacked")


def write_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, shown: str, folder: Path) -> None:
    """Writes a member, and stops where it holds more than the archive says."""
    target = folder / clean(info.filename)
    where = f"{shown}: member {info.filename!r}"
    if not target.resolve().is_relative_to(folder):
        raise FileError(f"{where} leads out of the archive's folder, which is refused")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise FileError(f"{where} lies in a folder whose name another member has as a file") from None
    left = info.file_size
    try:
        with archive.open(info) as source, open(target, "xb") as out:
            while data := source.read(min(CHUNK, left + 1)):
                left -= len(data)
                if left < 0:
                    raise FileError(f"{where} holds more than the archive says, which is refused")
                out.write(data)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as fault:
        raise FileError(f"{where} is damaged ({fault})") from None


def choose(shown: str, folder: Path, names: list[str], member: str | None) -> str:
    """The model file to read: the one that is named, or the only one that can be meant."""
    if member is not None:
        if clean(member) in names:
            return clean(member)
        raise FileError(
            f"{shown}: has no member {member!r}; it holds {listed(models(folder, names) or names)}"
        )
    found = models(folder, names)
    if not found:
        raise FileError(
            f"{shown}: holds no model file ({', '.join(MODELS)}) in its first {DEPTH} levels; it holds "
            f"{listed(names)}"
        )
    if len(found) > 1:
        raise FileError(
            f"{shown}: holds {len(found)} model files, {listed(found)}; choose one, such as "
            f"load(..., member={found[0]!r})"
        )
    return found[0]


def models(folder: Path, names: list[str]) -> list[str]:
    """The members that are model files, by their ending and what they hold.

    Files that another one includes are parts, not models."""
    found = []
    parts: set[str] = set()
    for name in names:
        path = PurePosixPath(name)
        hidden = any(part.startswith((".", "__MACOSX")) for part in path.parts)
        if path.suffix.lower() not in MODELS or hidden or len(path.parts) > DEPTH:
            continue
        data = (folder / name).read_bytes()[:CHUNK]
        if not re.search(SIGNS.get(path.suffix.lower(), b""), data):
            continue
        found.append(name)
        for include in re.findall(rb"<\s*(?:include|model)\b[^>]*?file\s*=\s*[\"']([^\"']+)[\"']", data):
            part = include.decode("utf-8", "replace").replace("\\", "/")
            for base in {path.parent, PurePosixPath(names[0]).parent}:
                parts.add(os.path.normpath(str(base / part)))
    return [name for name in found if os.path.normpath(name) not in parts]
