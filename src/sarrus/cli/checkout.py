"""Where the repository is: benchmarks and experiments live in it, not in the installed package."""

from __future__ import annotations

from pathlib import Path

from sarrus.errors import FileError


def checkout(folder: str) -> Path:
    """The repository root that holds `folder`: here, above here, or where the package is installed from."""
    here = Path.cwd()
    installed_from = Path(__file__).resolve().parents[3]
    for root in (here, *here.parents, installed_from):
        if (root / folder).is_dir() and (root / "src" / "sarrus").is_dir():
            return root
    raise FileError(
        f"found no folder {folder!r}: this verb runs in a checkout of the Sarrus repository, "
        "an installed package alone is not enough; clone the repository and run the command there"
    )
