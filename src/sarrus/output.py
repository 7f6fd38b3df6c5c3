"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sarrus.errors import FileError


def file_path(path: Any, use: str = "written") -> Path:
    """`path` as a name of a file that may exist or not and is to be written or read; what is there and no
    plain file, such as a device, is refused."""
    try:
        target = Path(path)
        named = target.name and "\0" not in str(target)
    except TypeError:
        raise FileError(f"the name of a file must be text or a path, not {path!r}") from None
    if not named:
        raise FileError(f"{path!r} is not the name of a file")
    if target.exists() and not target.is_file():
        raise FileError(f"{target}: cannot be {use} (it is no plain file)")
    return target


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A name beside `path` with the same ending, to be written to; at the end that file takes its place.

    After an error `path` is as it was and nothing else is left; what the system refuses is a `FileError`."""
    target = file_path(path)
    partial = target.with_name(f".{target.stem}.{secrets.token_hex(4)}.partial{target.suffix}")
    try:
        yield partial
        with partial.open("r+b") as file:
            os.fsync(file.fileno())
        partial.replace(target)
    except OSError as fault:
        raise FileError(f"{target}: cannot be written ({fault.strerror or fault})") from fault
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
