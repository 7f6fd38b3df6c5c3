"""Pages and pictures that the site makes of the repository's own results while it is built."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def on_files(files: Any, config: Any) -> Any:
    """Adds the generated pages and pictures to those of the folder."""
    # MkDocs takes back what a hook adds to the path while it is loaded.
    sys.path[:0] = [str(HERE), str(ROOT)]
    from benchmark_pages import benchmark_files
    from experiment_pages import experiment_files
    from gallery_pages import gallery_files
    from layout_pages import layout_files
    from mkdocs.structure.files import File

    made = {**gallery_files(), **experiment_files(ROOT), **benchmark_files(ROOT), **layout_files()}
    made["changelog.md"] = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    for name, content in made.items():
        files.append(File.generated(config, name, content=content))
    return files
