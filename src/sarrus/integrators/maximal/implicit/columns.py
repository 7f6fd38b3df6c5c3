"""Columns of the arrays that steer the compiled loop of the implicit family, and of the values that its
methods combine.

`values`: lines of several levels, each with one line per body, joint and border row.  All of it is combined
linearly: y_p = sum of alpha y, slopes (y - y_p) / h."""

# A body: position, orientation (not unit in y_p), momentum, rate of the orientation, velocity as integrated,
# rates of the joint's freedoms at the node.
X, Q, P, W, V, RATES = 0, 3, 7, 13, 17, 23
# A joint: coordinates and their rates.  A border row: coordinate of a spring; multiplier [N, N m].
COORDINATE, SPEED = 0, 6
LENGTH, MULTIPLIER = 0, 1
COLUMNS = 35
# Columns that methods combine: those of a body, a joint, a border row.
OF_BODIES, OF_JOINTS, OF_ROWS = 29, 12, 2
# Levels: the node, the node one step before, y_p, what a stage found, slope of the first stage, the node at
# the start of a part; a configuration that is put aside, with the multipliers of the last stage; what the
# last predictions of steps missed.
NOW, OLD, PAST, FOUND, SLOPE, BEGUN, ASIDE, MISSES, LEVELS = 0, 1, 2, 3, 4, 5, 6, 7, 8
# Level MISSES, a body: misses of the rates of its freedoms in the last four steps, rates as predicted without
# learning.  The first body also: how many misses the next prediction of the rates, and of the multipliers, is
# made of; of Newton's method, the second correction over the square of the first, and what a correction
# through a factor of its own left, over itself, both as last seen; how many stages may still rely on that.
# A border row: misses of its multiplier in the last four steps.
MISS, PLAIN, RATES_LEARN, ROWS_LEARN, CURVATURE, CONTRACTION, TRUST = 0, 24, 30, 31, 32, 33, 34

# Columns of `settings`: time and length of a step, tolerance, error allowed in redundant rows, gravity, part
# of the drift that a semi-implicit step removes.
TIME, DT, TOLERANCE, LIMIT, GRAVITY, BAUMGARTE, SETTINGS = 0, 1, 2, 3, 4, 7, 8
# Columns of `counts`: steps to do, steps done before (for `every`), record every so many, iterations at most,
# whether reactions are wanted, line of the first record, address of a compiled controller, what to start,
# smallest parts in a step, whether rows were chosen anew for this step, the method, its form, whether there
# is a node before.
STEPS, BEFORE, EVERY, MOST, REACTIONS, LINE, CONTROLLER, START = 0, 1, 2, 3, 4, 5, 6, 7
FULL, CHOSEN, METHOD, FORM, KNOWN, COUNTS = 8, 9, 10, 11, 12, 13
# counts[START]: steps, or only the start of a node from given velocities, or its velocities.
NO_START, FROM_VELOCITIES, READ = 0, 1, 2
# counts[METHOD], and counts[FORM].
BDF1, BDF2, ALEXANDER, PARESCHI_RUSSO = 0, 1, 2, 3
# ROWS: the momentum form where joints and drives alone say how everything moves.
MOMENTUM, PRINTED, ROWS = 0, 1, 2
# Columns of `stats`, one line per step: factorisations, corrections, status, parts, largest ratio of two
# corrections through one factor.
STATS = 5
