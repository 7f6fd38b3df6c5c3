"""npz archives of plain arrays: written all or nothing, read without trusting a single number in the file.

Members are stored uncompressed and start at multiples of 64 bytes, so that they can be mapped into memory.
numpy.load reads these files too.  Nothing is ever unpickled."""

from __future__ import annotations

import io
import math
import os
import struct
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from sarrus.errors import FileError
from sarrus.output import replacing

ALIGNMENT = 64
PIECE = 1 << 20
# Above this a member's local header uses 64-bit sizes; zipfile needs to know before it sees the data.
LARGE = 1 << 30
# The extra field that pads a member to its alignment; Android's zipalign uses the same number for this.
PADDING_ID = 0xD935
DTYPES = ("<f8", "<i8", "<i4", "|u1")
DAMAGED = "the file is truncated or damaged"
# What zipfile and numpy raise on bytes that make no sense to them.
NONSENSE = (
    zipfile.BadZipFile,
    EOFError,
    ValueError,
    struct.error,
    RuntimeError,
    OverflowError,
)


@dataclass(frozen=True, slots=True)
class Member:
    """One array to be written: its name, type and shape, and its bytes in pieces."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    pieces: Iterable[bytes | memoryview]

    @classmethod
    def of(cls, name: str, array: np.ndarray, dtype: str) -> Member:
        """A member that holds `array`."""
        return cls(name, dtype, array.shape, _pieces(array, dtype))


def _pieces(array: np.ndarray, dtype: str) -> Iterator[bytes]:
    rows = max(1, PIECE // max(1, array[:1].nbytes))
    for start in range(0, len(array), rows):
        yield np.ascontiguousarray(array[start : start + rows], dtype=dtype).tobytes()


def write(path: str | os.PathLike[str], members: Iterable[Member]) -> None:
    """Writes the members to a temporary file and moves it to `path`: the file is complete, or untouched."""
    with (
        replacing(path) as partial,
        partial.open("xb") as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive,
    ):
        for member in members:
            _write_member(archive, file, member)


def _write_member(archive: zipfile.ZipFile, file: BinaryIO, member: Member) -> None:
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": member.dtype, "fortran_order": False, "shape": member.shape}
    )
    large = math.prod(member.shape) * np.dtype(member.dtype).itemsize >= LARGE
    info = zipfile.ZipInfo(f"{member.name}.npy")
    before = file.tell() + 30 + len(info.filename) + 4 + (20 if large else 0)
    padding = -before % ALIGNMENT
    info.extra = struct.pack("<HH", PADDING_ID, padding) + bytes(padding)
    with archive.open(info, "w", force_zip64=large) as out:
        out.write(header.getvalue())
        for piece in member.pieces:
            out.write(piece)


def read(path: str | os.PathLike[str], required: str, mapped: bool = False) -> dict[str, np.ndarray]:
    """All arrays of an archive by name; `required` makes it ours; `mapped`: left on disk."""
    source = Path(path)
    try:
        with source.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            start = file.read(4)
            if not start.startswith(b"PK"):
                raise FileError(
                    f"{source}: not a Sarrus trajectory; it is no npz file" + (", it is empty" * (not size))
                )
            with zipfile.ZipFile(file) as archive:
                infos = _checked(source, archive.infolist(), required, size)
                return {
                    name: _read_member(source, archive, file, info, mapped) for name, info in infos.items()
                }
    except FileError:
        raise
    except OSError as fault:
        raise FileError(f"{source}: cannot be read ({fault.strerror or fault})") from fault
    except NONSENSE as fault:
        raise FileError(f"{source}: {DAMAGED} ({fault})") from fault


def _checked(
    source: Path, infos: list[zipfile.ZipInfo], required: str, size: int
) -> dict[str, zipfile.ZipInfo]:
    """The members by name, once their sizes fit into the file and none is compressed or encrypted."""
    names = [info.filename.removesuffix(".npy") for info in infos]
    if required not in names:
        held = ", ".join(repr(name) for name in names[:5]) + (", ..." if len(names) > 5 else "")
        raise FileError(f"{source}: an archive, but not a Sarrus trajectory; it holds {held or 'nothing'}")
    for info in infos:
        if (
            info.compress_type != zipfile.ZIP_STORED
            or info.file_size != info.compress_size
            or info.flag_bits & 1
        ):
            raise FileError(
                f"{source}: member {info.filename!r} is compressed or encrypted; Sarrus writes plain members"
            )
    if len(set(names)) != len(names) or sum(info.file_size for info in infos) > size:
        raise FileError(f"{source}: {DAMAGED}: its members overlap")
    return dict(zip(names, infos, strict=True))


def _read_member(
    source: Path, archive: zipfile.ZipFile, file: BinaryIO, info: zipfile.ZipInfo, mapped: bool
) -> np.ndarray:
    with archive.open(info) as member:
        if np.lib.format.read_magic(member) != (1, 0):
            raise FileError(f"{source}: member {info.filename!r} is not an array of npy version 1.0")
        shape, fortran, dtype = np.lib.format.read_array_header_1_0(member)
        if dtype.str not in DTYPES or fortran:
            raise FileError(
                f"{source}: member {info.filename!r} holds {dtype.str}; Sarrus writes {', '.join(DTYPES)}"
            )
        offset = member.tell()
        if min(shape, default=0) < 0 or math.prod(shape) * dtype.itemsize != info.file_size - offset:
            raise FileError(
                f"{source}: {DAMAGED}: {info.filename!r} claims shape {shape}, its data are of another size"
            )
        if mapped and 0 not in shape:
            return np.memmap(source, dtype, "r", _data_offset(file, info) + offset, shape)
        array = np.empty(shape, dtype)
        target = array.reshape(-1).view(np.uint8).data
        filled = 0
        while piece := member.read(PIECE):
            target[filled : filled + len(piece)] = piece
            filled += len(piece)
        if filled != array.nbytes:
            raise FileError(f"{source}: {DAMAGED}: {info.filename!r} ends early")
    return array


def _data_offset(file: BinaryIO, info: zipfile.ZipInfo) -> int:
    """Where the data of a member begin in the file: behind its local header, name and extra field."""
    place = file.tell()
    file.seek(info.header_offset + 26)
    name, extra = struct.unpack("<HH", file.read(4))
    file.seek(place)
    return info.header_offset + 30 + name + extra
