"""The pivots of the active rows of loops: which loops are singular, which rows depend on others, and when to
choose anew."""

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.maths.access import get1, put1

# A loop is singular at a node where its smallest pivot is below this part of its scale; the row vectors are
# then those of a neighbour on the same branch, this part of a step away.
SINGULAR, ASIDE = 1e-9, 0.02
# Pivots over their scale below which a row depends on the others: nearly, and but for rounding.  A row that
# is lost at 1e-12 is 1e-6 rad from the singular configuration: left out, it errs by the square of that.
WEAK_PIVOT, LOST_PIVOT = 1e-6, 1e-12
# Rows are chosen anew when the smallest pivot of a loop falls below this part of the largest since the last
# choice, and below this part of its scale.
FALLEN, POOR = 0.1, 1e-2
# Above all pivots.
HUGE = 1e300


@helper
def row_scale(topo, state, scales, k, of):
    """What the pivot of border row k of joint `of` is compared with"""
    line = topo[0, at.S_ROWS] + k
    i = int(get1(state, line, at.ACTIVE))
    return get1(state, line, at.WEIGHT_SCALE) if i == at.COMBINED else scales[of, i]


@kernel
def mark_weak_rows(topo, state, work, scales):
    """Marks the rows of loops that depend on the others at this node: WEAK where the pivot of the projection
    just made is below 1e-6 of its scale, LOST where it is rounding; returns whether any is lost"""
    lost = False
    for k in range(topo[0, at.ROWS]):
        it, line = topo[0, at.T_ROWS] + k, topo[0, at.S_ROWS] + k
        if topo[it, at.ROW_KIND] == at.CONSTRAINT_ROW:
            scale = row_scale(topo, state, scales, k, topo[it, at.ROW_OF])
            pivot = get1(work, topo[0, at.W_ROWS] + k, at.DIAG) / scale
            # Not a number: lost.
            weak = 0.0 if pivot >= WEAK_PIVOT else at.WEAK if pivot >= LOST_PIVOT else at.LOST
            put1(state, line, at.WEAKNESS, weak)
            lost = lost or weak == at.LOST
    return lost


@kernel
def clear_weak_rows(topo, state):
    for k in range(topo[0, at.ROWS]):
        put1(state, topo[0, at.S_ROWS] + k, at.WEAKNESS, 0.0)


@kernel
def node_pivot(topo, state):
    """Smallest pivot of a loop over its scale, as `smallest_pivot` found it at the node"""
    least = HUGE
    for k in range(topo[0, at.ROWS]):
        it = topo[0, at.T_ROWS] + k
        if topo[it, at.ROW_KIND] == at.CONSTRAINT_ROW:
            least = min(least, get1(state, topo[0, at.S_JOINTS] + topo[it, at.ROW_OF], at.NODE_PIVOT))
    return least


@kernel
def drives_have_fallen(topo, state, work):
    """Whether the smallest pivot of the enforced ones among tied drives is far below its best since they were
    chosen.  Their lines in `state` have a scale; the best stands in the first of them"""
    first, low = -1, HUGE
    for k in range(topo[0, at.ROWS]):
        line = topo[0, at.S_ROWS] + k
        if topo[topo[0, at.T_ROWS] + k, at.ROW_KIND] != at.MOTION_ROW:
            continue
        scale = get1(state, line, at.WEIGHT_SCALE)
        if scale > 0.0:
            first = line if first < 0 else first
            if int(get1(state, line, at.ACTIVE)) != at.WATCHED:
                pivot = get1(work, topo[0, at.W_ROWS] + k, at.DIAG) / scale
                low = min(low, pivot if pivot > 0.0 else 0.0)
    if first < 0:
        return False
    best = max(get1(state, first, at.WEIGHTS), low)
    put1(state, first, at.WEIGHTS, best)
    return low < min(FALLEN * best, POOR)


@kernel
def smallest_pivot(topo, state, work, scales):
    """(smallest pivot of a loop over its scale, whether one has fallen far below its best since the last
    choice of rows, or holds combinations of rows, which turn with the motion).

    scales: of every place of every joint; the last column tells joints whose rows leave no choice.  Reads the
    pivots of the projection just made"""
    least = HUGE
    k, rows = 0, topo[0, at.ROWS]
    fallen = drives_have_fallen(topo, state, work)
    while k < rows:
        it = topo[0, at.T_ROWS] + k
        if topo[it, at.ROW_KIND] != at.CONSTRAINT_ROW:
            k += 1
            continue
        of, low = topo[it, at.ROW_OF], HUGE
        fallen = fallen or int(get1(state, topo[0, at.S_ROWS] + k, at.ACTIVE)) == at.COMBINED
        while (
            k < rows
            and topo[topo[0, at.T_ROWS] + k, at.ROW_OF] == of
            and topo[topo[0, at.T_ROWS] + k, at.ROW_KIND] == at.CONSTRAINT_ROW
        ):
            pivot = get1(work, topo[0, at.W_ROWS] + k, at.DIAG) / row_scale(topo, state, scales, k, of)
            # A pivot that is not a positive number (NaN included) counts as 0.
            low = min(low, pivot if pivot > 0.0 else 0.0)
            k += 1
        least = min(least, low)
        best = max(get1(state, topo[0, at.S_JOINTS] + of, at.WATCH), low)
        put1(state, topo[0, at.S_JOINTS] + of, at.WATCH, best)
        put1(state, topo[0, at.S_JOINTS] + of, at.NODE_PIVOT, low)
        fallen = fallen or (low < min(FALLEN * best, POOR) and scales[of, 6] == 0.0)
    return least, fallen
