"""Model files of strangers, read safely: what is too large, too deep, or asks for entities is refused first.

XML is read with expat into ElementTree elements.  A document type is refused before anything is expanded;
elements and depth are counted while they are read, so that no file can fill the memory."""

from __future__ import annotations

import difflib
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.parsers import expat

from sarrus.errors import FileError

MAX_XML_BYTES = 64 * 2**20
"""Largest model file [bytes]; the largest robot descriptions in use have a few MB."""
MAX_ELEMENTS = 500_000
"""Most elements of one model file; each takes about half a kB of memory."""
MAX_DEPTH = 500
"""Deepest nesting of elements: a chain of bodies in MJCF nests once per body."""
MAX_MESH_BYTES = 256 * 2**20
"""Largest mesh, texture or height field [bytes]."""
MAX_TOTAL_BYTES = 2 * 2**30
"""All files of one model together [bytes]."""
MAX_LISTED = 20
"""Missing files that a message names; the rest is counted."""


@dataclass(frozen=True, slots=True, eq=False)
class XmlFile:
    """A parsed model file: its root element, and the line on which each element begins."""

    path: Path
    shown: str  # the path as the user gave it, for messages
    root: ElementTree.Element
    lines: dict[ElementTree.Element, int]
    size: int  # [bytes]

    def where(self, element: ElementTree.Element | None = None) -> str:
        """The file, and the line where the element begins, for messages."""
        line = None if element is None else self.lines.get(element)
        return self.shown if line is None else f"{self.shown}, line {line}"


def megabytes(size: int) -> str:
    """A size [bytes] in words, such as 12.5 MB."""
    return f"{size / 2**20:,.4g} MB" if size >= 2**20 else f"{size:,} bytes"


def a(what: str) -> str:
    """The noun with its article."""
    return f"{'an' if what.startswith(('archive', 'MJCF', 'hfield')) else 'a'} {what}"


def file_size(path: str | os.PathLike[str], limit: int, *, what: str, shown: str | None = None) -> int:
    """The size [bytes] of an ordinary, readable, non-empty file of at most `limit` bytes; nothing is read."""
    name = shown if shown is not None else os.fspath(path)
    try:
        status = os.stat(path)
    except FileNotFoundError:
        raise FileError(f"{name}: there is no such file{similar(path)}") from None
    except (OSError, ValueError) as fault:
        reason = getattr(fault, "strerror", None) or str(fault)
        raise FileError(f"{name}: cannot be read ({reason})") from None
    if stat.S_ISDIR(status.st_mode):
        raise FileError(f"{name}: is a folder; give the path of the {what} in it")
    if not stat.S_ISREG(status.st_mode):
        raise FileError(f"{name}: is not a regular file")
    if status.st_size == 0:
        raise FileError(f"{name}: is empty")
    if status.st_size > limit:
        raise FileError(
            f"{name}: is too large for {a(what)}, {megabytes(status.st_size)}; at most {megabytes(limit)} "
            "are read"
        )
    return status.st_size


def similar(path: str | os.PathLike[str]) -> str:
    """A hint that names the files of the same folder with a similar name, or nothing."""
    folder = Path(path).parent
    try:
        if not folder.is_dir():
            return f"; the folder {os.fspath(folder)} does not exist either"
        names = [entry.name for entry in os.scandir(folder)]
    except OSError:
        return ""
    close = difflib.get_close_matches(Path(path).name, names, n=3)
    return f"; similar in its folder: {', '.join(repr(name) for name in close)}" if close else ""


def read_bytes(
    path: str | os.PathLike[str], limit: int = MAX_XML_BYTES, *, what: str, shown: str | None = None
) -> bytes:
    """The content of a file of at most `limit` bytes, also when it grows while it is read."""
    file_size(path, limit, what=what, shown=shown)
    name = shown if shown is not None else os.fspath(path)
    try:
        with open(path, "rb") as file:
            data = file.read(limit + 1)
    except OSError as fault:
        raise FileError(f"{name}: cannot be read ({fault.strerror})") from None
    if len(data) > limit:
        raise FileError(f"{name}: is too large for {a(what)}; at most {megabytes(limit)} are read")
    return data


def read_text(
    path: str | os.PathLike[str], limit: int = MAX_XML_BYTES, *, what: str, shown: str | None = None
) -> str:
    """The content of a UTF-8 text file, a byte-order mark at its start removed."""
    return decoded(read_bytes(path, limit, what=what, shown=shown), shown or os.fspath(path))


def decoded(data: bytes, shown: str) -> str:
    """The text of UTF-8 bytes; the message names the line of the first byte that is none."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise FileError(f"{shown}: is UTF-16 text; it must be UTF-8: save it again with that encoding")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line = data.count(b"\n", 0, fault.start) + 1
        raise FileError(
            f"{shown}, line {line}: is not UTF-8 text (byte 0x{data[fault.start]:02x} at {fault.start}); "
            "save it again with that encoding"
        ) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise FileError(f"{shown}, line {line}: contains a zero byte; a model file must be text")
    return text


def read_xml(
    path: str | os.PathLike[str],
    *,
    root: str | None = None,
    what: str = "model file",
    shown: str | None = None,
) -> XmlFile:
    """The elements of an XML file, read without expanding any entity; `root` names the root it must have."""
    name = shown if shown is not None else os.fspath(path)
    data = read_bytes(path, what=what, shown=name)
    parsed = parse_xml(decoded(data, name), name)
    if root is not None and parsed[0].tag != root:
        raise FileError(f"{name}: the outermost element is <{parsed[0].tag}>; it must be <{root}>")
    return XmlFile(Path(path), name, parsed[0], parsed[1], len(data))


def parse_xml(text: str, shown: str) -> tuple[ElementTree.Element, dict[ElementTree.Element, int]]:
    """The root element of XML text and the line of every element; names keep their prefix as written."""
    reader = _Reader(shown)
    if not text.strip():
        raise FileError(f"{shown}: is empty")
    try:
        # Numbers of lines count from the text as given; the text is UTF-8 whatever its declaration says.
        reader.parser.Parse(without_late_declaration(text).encode("utf-8"), True)
    except expat.ExpatError as fault:
        raise reader.fault(fault, text) from None
    return reader.builder.close(), reader.lines


def without_late_declaration(text: str) -> str:
    """The text without a declaration <?xml ...?> that blank lines precede, which only strict readers refuse;
    lines keep their numbers."""
    blank = len(text) - len(text.lstrip())
    if blank and text.startswith("<?xml", blank) and "?>" in text:
        end = text.index("?>") + 2
        return text[:blank] + "\n" * text.count("\n", blank, end) + text[end:]
    return text


class _Reader:
    """Expat with its callbacks: elements are counted and placed, document types refused."""

    def __init__(self, shown: str):
        self.shown = shown
        self.builder = ElementTree.TreeBuilder()
        self.lines: dict[ElementTree.Element, int] = {}
        self.open: list[str] = []
        self.parser = expat.ParserCreate("utf-8")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.builder.data
        self.parser.StartDoctypeDeclHandler = self.refuse
        self.parser.EntityDeclHandler = self.refuse

    def here(self) -> str:
        return f"{self.shown}, line {self.parser.CurrentLineNumber}"

    def refuse(self, *_: Any) -> None:
        raise FileError(
            f"{self.here()}: has a document type (<!DOCTYPE>, entities), which is refused, since it can "
            "expand without bound or read other files; delete it and write out the entities"
        )

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if len(self.open) >= MAX_DEPTH or len(self.lines) >= MAX_ELEMENTS:
            bound = (
                f"nests elements deeper than {MAX_DEPTH}"
                if len(self.open) >= MAX_DEPTH
                else f"has more than {MAX_ELEMENTS:,} elements"
            )
            raise FileError(f"{self.here()}: {bound}, which is refused; split the model")
        self.open.append(tag)
        self.lines[self.builder.start(tag, attributes)] = self.parser.CurrentLineNumber

    def end(self, tag: str) -> None:
        self.open.pop()
        self.builder.end(tag)

    def fault(self, fault: expat.ExpatError, text: str) -> FileError:
        """The error for text that is not well-formed: a truncated file says which elements stay open."""
        message = expat.ErrorString(fault.code)
        where = f"{self.shown}, line {fault.lineno}"
        ends = fault.lineno >= text.count("\n") + 1 and self.open
        if ends and message in ("no element found", "unclosed token", "unclosed CDATA section"):
            return FileError(
                f"{where}: the file ends inside <{self.open[-1]}>: it is truncated; </{self.open[0]}> must "
                "close it"
            )
        if not self.open and not self.lines:
            return FileError(f"{where}: is not an XML file ({message})")
        inside = f" inside <{self.open[-1]}>" if self.open else ""
        return FileError(f"{where}: is not well-formed XML ({message}{inside})")


def missing_files(shown: str, missing: list[str]) -> FileError:
    """The error that lists every file that a model names and that is not there."""
    listed = "".join(f"\n  {line}" for line in missing[:MAX_LISTED])
    more = f"\n  and {len(missing) - MAX_LISTED} more" if len(missing) > MAX_LISTED else ""
    count = f"{len(missing)} files that it names are" if len(missing) > 1 else "a file that it names is"
    return FileError(f"{shown}: {count} missing:{listed}{more}")
