"""What a stage starts from: rates and multipliers expected at its end, from those of the steps before and
from what earlier predictions missed; the rates at a node."""

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.integrators.maximal.implicit import columns as of
from sarrus.integrators.maximal.variational.increments import rate_of
from sarrus.maths.access import get1, put1


@kernel
def predict(topo, state, values, part, loops):
    """Rates of the next stage, `part` of a step away: v + part (v - v_old) / 2, from the velocities as
    integrated at the node and one step before; multipliers of the last one"""
    items = values.shape[0] // of.LEVELS
    now, old = of.NOW * items, of.OLD * items
    for b in range(topo[0, at.BODIES]):
        for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
            rate = get1(values, now + b, of.RATES + i)
            rate += 0.5 * part * (rate - get1(values, old + b, of.RATES + i))
            put1(state, b, at.RATES + i, rate)


@helper
def expected_miss(values, line, column, stride, count):
    """The next of a sequence of misses whose last ones are in `line` from `column` on, each `stride` columns
    after the one that came after it: by the polynomial through the last `count` (0 to 4)"""
    if count == 0:
        return 0.0
    first = get1(values, line, column)
    if count == 1:
        return first
    second = get1(values, line, column + stride)
    if count == 2:
        return 2.0 * first - second
    third = get1(values, line, column + 2 * stride)
    if count == 3:
        return 3.0 * (first - second) + third
    return 4.0 * (first + third) - 6.0 * second - get1(values, line, column + 3 * stride)


@helper
def keep_miss(values, line, column, stride, off):
    """`off` becomes the last miss of the sequence; returns what each prediction would have missed it by"""
    missed = (
        abs(off),
        abs(off - expected_miss(values, line, column, stride, 1)),
        abs(off - expected_miss(values, line, column, stride, 2)),
        abs(off - expected_miss(values, line, column, stride, 3)),
        abs(off - expected_miss(values, line, column, stride, 4)),
    )
    put1(values, line, column + 3 * stride, get1(values, line, column + 2 * stride))
    put1(values, line, column + 2 * stride, get1(values, line, column + stride))
    put1(values, line, column + stride, get1(values, line, column))
    put1(values, line, column, off)
    return missed


@helper
def larger5(a, b):
    return max(a[0], b[0]), max(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3]), max(a[4], b[4])


@helper
def best_of(missed):
    """The number of misses that predicted best"""
    best, least = 0.0, missed[0]
    if missed[1] < least:
        best, least = 1.0, missed[1]
    if missed[2] < least:
        best, least = 2.0, missed[2]
    if missed[3] < least:
        best, least = 3.0, missed[3]
    if missed[4] < least:
        best = 4.0
    return best


@kernel
def predict_and_learn(topo, state, values, ratio, h, loops):
    """`predict` for a step of BDF, and its multipliers, with what is expected that this misses; as many of
    the last misses count as would have served best in the last step"""
    predict(topo, state, values, ratio, loops)
    put_multipliers(topo, state, values, h, loops)
    items, n = values.shape[0] // of.LEVELS, topo[0, at.BODIES]
    first, rows = of.MISSES * items, of.MISSES * items + n + topo[0, at.JOINTS]
    learns, rows_learn = int(get1(values, first, of.RATES_LEARN)), int(get1(values, first, of.ROWS_LEARN))
    for b in range(n):
        for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
            rate = get1(state, b, at.RATES + i)
            put1(values, first + b, of.PLAIN + i, rate)
            rate += expected_miss(values, first + b, of.MISS + i, 6, learns)
            put1(state, b, at.RATES + i, rate)
    if loops is not None:
        for k in range(topo[0, at.ROWS]):
            line = topo[0, at.S_ROWS] + k
            miss = h * expected_miss(values, rows + k, of.MISS, 1, rows_learn)
            put1(state, line, at.LAM, get1(state, line, at.LAM) + miss)


@kernel
def learn(topo, state, values, h, loops):
    """What the prediction of the step just solved missed, and how the next one is to be made"""
    items, n = values.shape[0] // of.LEVELS, topo[0, at.BODIES]
    first, rows = of.MISSES * items, n + topo[0, at.JOINTS]
    none = (0.0, 0.0, 0.0, 0.0, 0.0)
    missed = none
    for b in range(n):
        for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
            off = get1(state, b, at.RATES + i) - get1(values, first + b, of.PLAIN + i)
            missed = larger5(missed, keep_miss(values, first + b, of.MISS + i, 6, off))
    put1(values, first, of.RATES_LEARN, best_of(missed))
    if loops is not None:
        missed = none
        for k in range(topo[0, at.ROWS]):
            last = get1(values, of.ASIDE * items + rows + k, of.MULTIPLIER)
            off = get1(state, topo[0, at.S_ROWS] + k, at.LAM) / h - last
            missed = larger5(missed, keep_miss(values, first + rows + k, of.MISS, 1, off))
        put1(values, first, of.ROWS_LEARN, best_of(missed))


@kernel
def put_multipliers(topo, state, values, h, loops):
    """Multipliers of the rows start where those of the last stage were"""
    if loops is not None:
        rows = of.ASIDE * (values.shape[0] // of.LEVELS) + topo[0, at.BODIES] + topo[0, at.JOINTS]
        for k in range(topo[0, at.ROWS]):
            put1(state, topo[0, at.S_ROWS] + k, at.LAM, h * get1(values, rows + k, of.MULTIPLIER))


@kernel
def node_rates(topo, state, work, values, level):
    """Rates of the freedoms for the velocities V at the node, into the values of `level`"""
    first = level * (values.shape[0] // of.LEVELS)
    for b in range(topo[0, at.BODIES]):
        for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
            put1(values, first + b, of.RATES + i, rate_of(topo, state, work, b, i, at.V))
