"""Columns of the small arrays that steer the compiled loop."""

# Columns of `settings`: time and length of a step, weights of the forces at its two nodes, tolerance, error
# allowed in redundant rows, gravity, largest |w| h of a body so far, imbalance allowed in a part.
TIME, DT, LEFT, RIGHT, TOLERANCE, LIMIT, GRAVITY, SPUN, BALANCE = 0, 1, 2, 3, 4, 5, 6, 9, 14
# Steps that follow the motion: turn per step that they aim at (0: steps of one length), length of a step
# where nothing turns, end of the run, length of the next step.
TAU, BASE, END, NEXT = 10, 11, 12, 13
# Where shapes meet each other: how far apart pairs count as near in this part, and the least distance of one
# at its end [m].
MARGIN, DEPTH = 15, 16
SETTINGS = 17
# Columns of `counts`: steps to do, steps done before the call (for `every`), record every so many, iterations
# at most, whether to add up reactions, line of the next record, address of a compiled controller, what to
# start, lines of `touches` written.
STEPS, BEFORE, EVERY, MOST, REACTIONS, LINE, CONTROLLER, START, TOUCHES = 0, 1, 2, 3, 4, 5, 6, 7, 8
# Smallest parts in a step, how many of them are done, length of the next part (0: the step begins), whether
# rows were chosen anew for it, whether to return after every part; the body that turned furthest.
FULL, PLACE, BLOCK, CHOSEN, PAUSES, FASTEST = 9, 10, 11, 12, 13, 14
# Steps of the call that are done; where a part was last started afresh (steps done before, parts of the
# step); status of the part that failed last.
DONE, AFRESH_STEP, AFRESH_PLACE, FAILED = 15, 16, 17, 18
# Where shapes meet each other: what the next part begins with (see `pair_steps`), how often it has looked for
# contacts, pairs that are near, rows of their features, pairs found inside each other, the deepest of
# them, steps since all pairs of the plan were near, whether the plan changed within the step.
STAGE, LOOKED, NEAR, FEATURES, INSIDE, DEEPEST, QUIET, REPLANNED = 19, 20, 21, 22, 23, 24, 25, 26
# Steps of the run, counted from 1: the last one of which a part that converged was refused, and the last one
# whose parts are accepted wherever they converge (0: none).
REFUSED, TRUSTED = 27, 28
# The last step that was divided where something bounced, counted from 1 (0: none).
BOUNCED = 29
COUNTS = 30
# counts[START]: steps, or only the start of a node, where velocities are left as they are; made momenta and
# projected; projected.  Or only the length of the next step, into settings[NEXT].
NO_START, AS_IT_IS, FROM_VELOCITIES, FROM_MOMENTA, PLAN = 0, 1, 2, 3, 4
# Columns of `stats`, one line per step: factorisations, corrections, status, nodes taken aside, iterations of
# the momentum stage, parts, parts of the smallest length that were accepted though they do not balance.
STATS = 7
