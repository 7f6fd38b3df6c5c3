"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sarrus.errors import FileError


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A name beside `path` with the same ending, to be written to; at the end that file takes its place.

    After an error `path` is as it was and nothing else is left; what the system refuses is a `FileError`."""
    target = Path(path)
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
