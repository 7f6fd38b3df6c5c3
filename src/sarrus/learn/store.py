"""The progress of a search on disk: one JSON file in a folder, whole after every episode."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from math import isfinite
from pathlib import Path
from typing import Any

from sarrus.errors import FileError
from sarrus.output import replacing

FORMAT = "sarrus learning progress"
VERSION = 1
FILE = "progress.json"


@dataclass(frozen=True, slots=True)
class Episode:
    """One try: its parameters, the distance [m] (None: failed), how it ended, whether it was the best so far,
    and its CPU time [s]."""

    number: int
    parameters: tuple[float, ...]
    distance: float | None
    outcome: str
    improved: bool
    cpu_seconds: float


class Store:
    """Episodes of one search in a folder; `settings` are what must be equal for the search to go on."""

    def __init__(self, folder: str | os.PathLike[str], settings: Mapping[str, Any]):
        self.path = Path(folder) / FILE
        self.settings = json.loads(json.dumps(dict(settings), allow_nan=False))
        self.episodes: list[Episode] = []

    @property
    def exists(self) -> bool:
        """Whether the folder holds progress."""
        return self.path.exists()

    def load(self) -> list[Episode]:
        """The episodes in the file, once it is whole and its settings are the ones of this search."""
        content = read(self.path, FORMAT, VERSION)
        saved = content.get("settings")
        if not isinstance(saved, dict):
            raise FileError(f"{self.path}: has no settings; --fresh starts anew")
        for key in sorted(saved.keys() | self.settings.keys()):
            before, now = saved.get(key), self.settings.get(key)
            if before != now:
                raise FileError(
                    f"{self.path}: was made with {key} {before!r}, now it is {now!r}; "
                    "resume with the same settings, choose another folder, or start anew with --fresh"
                )
        listed = content.get("episodes")
        if not isinstance(listed, list):
            raise FileError(f"{self.path}: has no list of episodes; --fresh starts anew")
        self.episodes = [self._episode(k + 1, fields) for k, fields in enumerate(listed)]
        return self.episodes

    def add(self, episode: Episode) -> None:
        """Appends an episode; the file then holds it, or is as before."""
        episodes = [*self.episodes, episode]
        content = {"settings": self.settings, "episodes": [asdict(each) for each in episodes]}
        write(self.path, FORMAT, VERSION, content)
        self.episodes = episodes

    def _episode(self, number: int, given: Any) -> Episode:
        names = {field.name for field in fields(Episode)}
        if not isinstance(given, dict) or given.keys() != names or given["number"] != number:
            raise FileError(f"{self.path}: episode {number} is missing or not one; --fresh starts anew")
        distance, parameters = given["distance"], given["parameters"]
        numbers = [*parameters, given["cpu_seconds"]] if isinstance(parameters, list) else [None]
        if distance is not None:
            numbers.append(distance)
        if not all(isinstance(value, int | float) and isfinite(value) for value in numbers):
            raise FileError(f"{self.path}: a number of episode {number} is not finite; --fresh starts anew")
        return Episode(**(given | {"parameters": tuple(parameters)}))


def checksum(content: Mapping[str, Any]) -> str:
    """SHA-256 of the content, whatever the order and spacing of its text."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def write(path: Path, kind: str, version: int, content: Mapping[str, Any]) -> None:
    """Writes a JSON file of this kind to a temporary name and moves it: complete, or untouched."""
    body = {"format": kind, "version": version, **content}
    text = json.dumps(body | {"checksum": checksum(body)}, indent=1, allow_nan=False)
    with replacing(path) as partial:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(text + "\n", encoding="utf-8")


def read(path: Path, kind: str, version: int) -> dict[str, Any]:
    """What a file of this kind holds, once its checksum shows that it is whole."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise FileError(f"{path}: cannot be read ({getattr(fault, 'strerror', None) or fault})") from fault
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as fault:
        raise FileError(f"{path}: is damaged or no JSON ({fault}); expected a {kind} file") from fault
    if not isinstance(content, dict) or content.get("format") != kind:
        raise FileError(f"{path}: is not a {kind} file")
    if content.get("version") != version:
        raise FileError(f"{path}: has version {content.get('version')!r}, this Sarrus reads {version}")
    found = content.pop("checksum", None)
    try:
        whole = found == checksum(content)
    except ValueError:
        whole = False
    if not whole:
        raise FileError(f"{path}: is damaged or was edited: its checksum does not fit its content")
    return content
