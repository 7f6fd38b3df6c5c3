"""Mechanisms written to files: the suffix chooses the form, and a file is written whole or not at all."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

from sarrus.errors import FileError, LossySave
from sarrus.importers.yaml.form import SUFFIXES
from sarrus.mechanism import Mechanism
from sarrus.output import replacing

MJCF_SUFFIXES = (".xml", ".mjcf")
TREP_SUFFIX = ".trep"


def save(mechanism: Mechanism, path: str | os.PathLike[str]) -> None:
    """Writes the mechanism as YAML (.yaml, .yml: complete, exact), MJCF (.xml, .mjcf) or s-expressions
    (.trep).

    Features that the last two do not support are listed in one warning and at the top of the file."""
    target = Path(path)
    suffix = target.suffix.lower()
    if suffix in SUFFIXES:
        from sarrus.importers.yaml.writer import yaml_text

        write_whole(target, yaml_text(mechanism))
    elif suffix in MJCF_SUFFIXES:
        from sarrus.importers.mjcf_writer.writer import mjcf_document

        document = mjcf_document(mechanism)
        write_whole(target, document.text)
        if document.unsaid:
            warnings.warn(f"{target.name}: {document.summary()}", LossySave, stacklevel=3)
    elif suffix == TREP_SUFFIX:
        from sarrus.importers.trep.writer import trep_document

        system = trep_document(mechanism)
        write_whole(target, system.text)
        if system.unsaid:
            warnings.warn(f"{target.name}: {system.summary()}", LossySave, stacklevel=3)
    else:
        valid = ", ".join((*SUFFIXES, *MJCF_SUFFIXES, TREP_SUFFIX))
        raise FileError(f"{target}: the name of a mechanism file must end in {valid}")


def write_whole(target: Path, text: str) -> None:
    """Writes the text as UTF-8: the file is complete, or untouched."""
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as fault:
        raise FileError(
            f"{target.name}: a name contains a character that no text file can hold ({fault.reason})"
        ) from None
    with replacing(target) as partial:
        partial.write_bytes(data)
