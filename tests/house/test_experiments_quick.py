"""Every experiment runs in its quick form and passes its own checks."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2] / "experiments"
FILES = [*ROOT.glob("*/fig*.py"), *ROOT.glob("*/table*.py")]
NAMES = sorted(f"{path.parent.name}.{path.stem}" for path in FILES)


@pytest.mark.parametrize("name", NAMES)
def test_the_experiment_passes_its_own_checks_in_its_quick_form(name, tmp_path):
    module = importlib.import_module(f"experiments.{name}")
    result = module.run(tmp_path, quick=True)
    failed = [f"{c['what']}: {c['value']}" for c in result["checks"] if not c["passed"]]
    assert not failed
    assert result["checks"]
    for figure in result["figures"]:
        assert Path(figure).stat().st_size > 1000
    written = json.loads((tmp_path / f"{name.split('.')[1]}.json").read_text(encoding="utf-8"))
    assert {"name", "paper", "checks", "figures", "seconds"} <= written.keys()


def test_there_is_an_experiment_for_every_figure_and_table_that_is_reproduced():
    assert len(NAMES) == 39
