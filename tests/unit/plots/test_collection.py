"""All figures of a run: what is written, under which names, and what is left out for which reason."""

from __future__ import annotations

import numpy as np
import pytest
from tests.unit.plots.test_figures import entries, labels, touched

import sarrus
from sarrus import plots
from sarrus.errors import FileError, MechanismError
from sarrus.plots.collection import KINDS

STARTS = {"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<?xml"}


@pytest.fixture(scope="module")
def double_pendulum():
    """60 s of a double pendulum that swings regularly, reactions recorded."""
    model = sarrus.build(sarrus.gallery.pendulum(links=2, angle=0.8))
    return sarrus.simulate(model, duration=60.0, dt=0.01, reactions=True)


def test_every_figure_that_a_run_has_data_for_is_written(double_pendulum, tmp_path):
    drawn = plots.write_all(double_pendulum, tmp_path / "new" / "plots", format="svg")
    assert [each.name for each in drawn] == [kind.name for kind in KINDS]
    assert [each.name for each in drawn if each.path is None] == ["contacts"]
    files = sorted(path.name for path in (tmp_path / "new" / "plots").iterdir())
    assert files == sorted(f"{each.name}.svg" for each in drawn if each.path)
    assert all(each.path.read_bytes().startswith(STARTS["svg"]) for each in drawn if each.path)


def test_what_is_left_out_has_a_reason():
    why = {kind.name: kind.missing(touched(joint=False)) for kind in KINDS}
    assert why["contacts"] is why["energy"] is why["sparsity"] is None
    assert why["reactions"] == why["violation"] == why["graph"] == "the mechanism has no joints"
    assert why["poincare"] == "a section needs two joint coordinates"
    why = {kind.name: kind.missing(touched(joint=True)) for kind in KINDS}
    assert why["reactions"] == "reactions were not recorded; simulate with reactions=True, or --reactions"
    assert why["phase-portraits"] is why["graph"] is None


def test_what_has_no_reason_to_be_left_out_can_be_drawn():
    for joint in (False, True):
        traj = touched(joint)
        for kind in KINDS:
            if kind.missing(traj) is None:
                assert kind.draw(traj).axes, kind.name


def test_formats_and_folders_that_cannot_be_written_are_named(double_pendulum, tmp_path):
    with pytest.raises(FileError, match="no format 'gif' of figures; known: png, pdf, svg"):
        plots.write_all(double_pendulum, tmp_path, format="gif")
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="file: cannot be made a folder"):
        plots.write_all(double_pendulum, tmp_path / "file")


def test_letters_in_a_pdf_stay_letters(double_pendulum, tmp_path):
    from sarrus.plots.style import save

    save(plots.iterations(double_pendulum), tmp_path / "run.pdf")
    text = (tmp_path / "run.pdf").read_bytes()
    assert text.startswith(STARTS["pdf"])
    assert b"/Type3" not in text


def test_reactions_show_sizes_of_all_joints_and_components_of_one(double_pendulum):
    both = plots.reactions(double_pendulum)
    assert labels(both) == ["reaction force [N]", "reaction torque [N m]"]
    assert set(entries(both.axes[0])) == {"joint 1", "joint 2"}
    assert both.axes[1].get_title("left").endswith("zero to rounding")
    one = plots.reactions(double_pendulum, "joint 1").axes[0]
    assert set(entries(one)) == {"size", "x", "y", "z"}
    size = np.linalg.norm(double_pendulum.reaction("joint 1").force, axis=1)
    assert one.lines[0].get_ydata().max() == size.max()
    with pytest.raises(MechanismError, match="were not recorded"):
        plots.reactions(touched(joint=True))


def test_the_room_is_an_attribute_of_the_package():
    assert sarrus.plots is plots
