"""What a step, or the course of a run, comes back with; the first are those of `sarrus.Status`."""

CONVERGED, ITERATION_LIMIT, NOT_FINITE, OUT_OF_DOMAIN, REDUNDANT_ROWS = 0, 1, 2, 3, 4
SUBSTEPPED, PENETRATION = 5, 6
# A part of a step whose energy does not balance, or that turns a body too far: halved, never an end.
UNBALANCED, TOO_FAST = 7, 8
# Not an end: the caller chooses the active rows of the loops anew, makes room for records or does what it
# wants between parts, chooses a branch of motion, makes a plan for other pairs of shapes, and goes on.
CHOOSE_ROWS, PAUSED, SINGULAR_NODE, NEW_PLAN = 9, 10, 11, 12
# A part in which something bounces: it is to end there.
REBOUND = 13
