"""Sizes of the arrays: what the widest of their tables needs."""

from __future__ import annotations

# Imported for their tables, which `widest` goes through.
from sarrus.layout import contacts, parameters, state, terms, topology, work  # noqa: F401
from sarrus.layout.declare import Values, widest
from sarrus.layout.features import features
from sarrus.layout.limits import MAX_CUSTOM_BODIES, MAX_CUSTOM_ROWS

sizes = Values("sizes", "Columns of the arrays, and lines of scratch.")
TOPO_COLS = sizes.value("TOPO_COLS", widest("topo"), "columns of topo")
PAR_COLS = sizes.value("PAR_COLS", widest("par"), "columns of par")
STATE_COLS = sizes.value("STATE_COLS", widest("state"), "columns of state")
WORK_COLS = sizes.value("WORK_COLS", widest("work"), "columns of work, at least: couplings may need more")
FEATURE_COLS = sizes.value("FEATURE_COLS", features.width, "columns of contact features")
# A user's Jacobian, six numbers for every row and body, fills the lines after the first.
SCRATCH_LINES = sizes.value(
    "SCRATCH_LINES", 1 - (-6 * MAX_CUSTOM_ROWS * MAX_CUSTOM_BODIES // WORK_COLS),
    "lines of work of a user's function",
)  # fmt: skip
