"""Columns of the small arrays that steer the compiled loop in joint coordinates, and its constants."""

# Columns of `settings`: length of a step, place of the stage, tolerances of increments and of rows, error
# allowed in redundant rows, lengths of the last two parts, time, whether rows have become a poor choice, how
# many parts before had the length of the last one, the ratio of the first two corrections beyond which a step
# is not tried any longer; gravity; imbalance allowed; of the node, whether its velocities are known, its
# kinetic energy, the work of its weight and its smallest pivot; work of efforts in the part; how far a method
# with two stages is from judging its parts (see `rollout.is_judged`), turn of a joint in a part beyond which
# it soon does.
DT, ALPHA, TOLERANCE, ROW_TOLERANCE, LIMIT = 0, 1, 2, 3, 4
LAST, EARLIER, TIME, FALLEN, EVEN, HOPELESS, GRAVITY = 5, 6, 7, 8, 9, 10, 11
BALANCE, KNOWN, KINETIC, LIFTED, PIVOT, EFFORTS = 14, 15, 16, 17, 18, 19
JUDGES, WILD = 20, 21
SETTINGS = 22
# Columns of `counts`: steps to do, steps done before (for `every`), record every so many, iterations at most,
# smallest parts of a step, whether rows were chosen anew for the step to come.
STEPS, BEFORE, EVERY, MOST, PARTS, CHOSEN = 0, 1, 2, 3, 4, 5
COUNTS = 6
# Columns of `stats`, one line per step: factorisations, corrections, status, parts, largest ratio of two
# corrections through one factor, parts of the smallest length that do not balance.
FACTORISATIONS, ITERATIONS, STATUS, SUBSTEPS, THETA, UNBALANCED = 0, 1, 2, 3, 4, 5
STATS = 6
# What the loop returns besides a `Status`: rows of loops are to be chosen anew.
CHOOSE_ROWS = 100
