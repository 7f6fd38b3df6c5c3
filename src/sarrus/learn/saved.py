"""A trained gait as a file that can be replayed."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sarrus.errors import FileError, MechanismError
from sarrus.learn.gait import NUMBERS, Gait
from sarrus.learn.store import read, write

FORMAT = "sarrus gait"
VERSION = 1


@dataclass(frozen=True)
class SavedGait:
    """A gait with the settings of its search, the distance [m] it reached, seed and episode."""

    gait: Gait
    settings: dict[str, Any]
    distance: float
    episode: int

    def save(self, path: Path) -> None:
        """Writes the file, all or nothing."""
        write(
            path,
            FORMAT,
            VERSION,
            {
                "gait": asdict(self.gait),
                "settings": self.settings,
                "distance": self.distance,
                "episode": self.episode,
            },
        )

    @classmethod
    def load(cls, path: Path) -> SavedGait:
        """The gait in a file; every part is looked at before it is used."""
        content = read(path, FORMAT, VERSION)
        numbers, settings = content.get("gait"), content.get("settings")
        if not isinstance(numbers, dict) or set(numbers) != set(NUMBERS):
            raise FileError(f"{path}: a gait has the numbers {', '.join(NUMBERS)}")
        if not isinstance(settings, dict) or not isinstance(content.get("distance"), int | float):
            raise FileError(f"{path}: has no settings or no distance")
        try:
            gait = Gait(**numbers)
        except MechanismError as fault:
            raise FileError(f"{path}: {fault}") from fault
        return cls(gait, settings, float(content["distance"]), int(content.get("episode", 0)))
