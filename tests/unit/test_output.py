"""Files that are written whole or not at all."""

from __future__ import annotations

import os

import pytest

from sarrus.errors import FileError
from sarrus.output import replacing


def test_a_file_takes_the_place_of_the_old_one_and_keeps_its_ending_meanwhile(tmp_path):
    target = tmp_path / "run.gif"
    target.write_text("old")
    with replacing(target) as partial:
        assert (partial.parent, partial.suffix) == (tmp_path, ".gif")
        partial.write_text("new")
        assert target.read_text() == "old"
    assert target.read_text() == "new"
    assert os.listdir(tmp_path) == ["run.gif"]


@pytest.mark.parametrize("fault", [ValueError("no"), KeyboardInterrupt()])
def test_after_an_error_or_an_interrupt_the_old_file_is_all_that_is_left(tmp_path, fault):
    target = tmp_path / "run.gif"
    target.write_text("old")

    def write() -> None:
        with replacing(target) as partial:
            partial.write_text("half")
            raise fault

    with pytest.raises(type(fault)):
        write()
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["run.gif"]


def test_what_the_system_refuses_is_told_by_path(tmp_path):
    with (
        pytest.raises(FileError, match=r"missing.run\.gif: cannot be written \(No such file"),
        replacing(tmp_path / "missing" / "run.gif") as partial,
    ):
        partial.write_text("new")


def test_the_rights_of_a_new_file_are_the_usual_ones(tmp_path):
    (tmp_path / "usual").write_text("")
    with replacing(tmp_path / "made") as partial:
        partial.write_text("")
    assert (tmp_path / "made").stat().st_mode == (tmp_path / "usual").stat().st_mode
