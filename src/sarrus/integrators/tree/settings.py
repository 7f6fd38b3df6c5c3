"""Columns of the small arrays that steer the compiled loop in joint coordinates, and its constants."""

# Columns of `settings`: length of a step, place of the stage, tolerances of increments and of rows, error
# allowed in redundant rows, lengths of the last two parts, time, whether rows have become a poor choice, how
# many parts before had the length of the last one; gravity.
DT, ALPHA, TOLERANCE, ROW_TOLERANCE, LIMIT = 0, 1, 2, 3, 4
LAST, EARLIER, TIME, FALLEN, EVEN, GRAVITY = 5, 6, 7, 8, 9, 10
SETTINGS = 13
# Columns of `counts`: steps to do, steps done before (for `every`), record every so many, iterations at most,
# smallest parts of a step, whether rows were chosen anew for the step to come.
STEPS, BEFORE, EVERY, MOST, PARTS, CHOSEN = 0, 1, 2, 3, 4, 5
COUNTS = 6
# Columns of `stats`, one line per step: factorisations, corrections, status, parts.
FACTORISATIONS, ITERATIONS, STATUS, SUBSTEPS = 0, 1, 2, 3
STATS = 4
# What the loop returns besides a `Status`: rows of loops are to be chosen anew.
CHOOSE_ROWS = 100
