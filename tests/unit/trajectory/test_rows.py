"""Tables that are filled in place."""

import numpy as np

from sarrus.trajectory.rows import Rows


def test_rows_come_back_in_order_whether_there_was_room_or_not():
    for room in (0, 3, 50):
        rows = Rows((2,), room)
        pieces = [np.full((count, 2), float(count)) for count in (1, 0, 4, 9)]
        for piece in pieces:
            rows.add(piece)
        rows.add(np.array([7.0, 8.0]), 2)
        expected = np.concatenate([*pieces, [[7.0, 8.0]] * 2])
        np.testing.assert_array_equal(rows.all, expected)
        assert len(rows) == len(expected)


def test_with_room_for_all_nothing_is_copied():
    rows = Rows((), 10)
    first = rows.all.base
    for k in range(10):
        rows.add(np.array([float(k)]))
    assert rows.all.base is first


def test_rows_that_are_dropped_leave_the_others():
    rows = Rows((), 4)
    rows.add(np.arange(4.0))
    before = rows.all
    rows.drop(3)
    rows.add(np.array([9.0]))
    np.testing.assert_array_equal(rows.all, [3.0, 9.0])
    np.testing.assert_array_equal(before, np.arange(4.0))
    rows.drop()
    assert len(rows) == 0
