"""Learning curves."""

from __future__ import annotations

import pytest

from sarrus.errors import MechanismError
from sarrus.learn import Episode
from sarrus.plots.learning import best_so_far, learning


def episodes(distances) -> list[Episode]:
    """Episodes with these distances."""
    return [Episode(k + 1, (0.0,), d, "walked", False, 0.0) for k, d in enumerate(distances)]


def test_the_best_so_far_starts_at_zero_and_skips_failures():
    assert best_so_far(episodes([None, -1.0, 2.0, 1.0, None, 3.0])).tolist() == [0, 0, 0, 2, 2, 2, 3]


def test_a_figure_has_a_line_per_run_and_the_mark(tmp_path):
    runs = {"seed 0": episodes([0.5, None, 1.0]), "seed 1": episodes([None])}
    figure = learning(runs, ("paper", 12.0))
    labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert labels == ["seed 0", "seed 1", "paper"]
    figure.savefig(tmp_path / "progress.png")


def test_nothing_to_plot_is_said():
    with pytest.raises(MechanismError, match="no episode"):
        learning({"seed 0": []})
