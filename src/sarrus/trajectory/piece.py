"""Pieces of a run on their way to its file, which are parted where the disk has no room for a whole one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sarrus.trajectory.touches import node_of


@dataclass
class Piece:
    """What goes into the file at once, a row per node; records of steps and of contacts have the nodes at
    their ends.  reactions may lack the last nodes, and hold some before the first."""

    times: np.ndarray
    nodes: np.ndarray
    inputs: dict[str, np.ndarray]
    records: np.ndarray
    divided: np.ndarray
    reactions: np.ndarray | None
    touches: np.ndarray | None
    winding: np.ndarray | None

    def parted(self, count: int, first: int, every: int) -> tuple[Piece, Piece]:
        """(the first `count` nodes, the others); first: nodes of the run before them."""
        # The node at the start of the run has no record.
        records = count - (first == 0)
        done = every * (first + count - 1)
        known = None if self.reactions is None else max(0, len(self.reactions) - len(self.times) + count)
        early = self.divided[:, 0] < done
        near = None if self.touches is None else node_of(self.touches) <= done

        def part(where: slice, split: slice, sooner: bool) -> Piece:
            chosen = slice(None, known) if sooner else slice(known, None)
            return Piece(
                self.times[where], self.nodes[where],
                {name: values[where] for name, values in self.inputs.items()}, self.records[split],
                self.divided[early == sooner], None if self.reactions is None else self.reactions[chosen],
                None if self.touches is None else self.touches[near == sooner],
                None if self.winding is None else self.winding[where],
            )  # fmt: skip

        return (
            part(slice(None, count), slice(None, records), True),
            part(slice(count, None), slice(records, None), False),
        )
