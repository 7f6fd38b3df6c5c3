"""The course of a run in which bodies may meet each other: every part of a step with the pairs that come
near, and again with what was met on the way."""

from sarrus import layout as at
from sarrus._jit import call_for_integer, entry, kernel
from sarrus.integrators.maximal.columns import (
    AS_IT_IS,
    BASE,
    BLOCK,
    DONE,
    DT,
    FAILED,
    FULL,
    LOOKED,
    PLACE,
    REPLANNED,
    STAGE,
    STEPS,
    TAU,
    TOUCHES,
)
from sarrus.integrators.maximal.course import choose_and_restart, is_at_end, restart, start_afresh
from sarrus.integrators.maximal.division import copy_all, largest_part
from sarrus.integrators.maximal.pair_looks import (
    FITS,
    NEEDS_PLAN,
    check,
    look,
    look_again,
    put_contacts,
)
from sarrus.integrators.maximal.statuses import CHOOSE_ROWS, CONVERGED, NEW_PLAN, PAUSED, PENETRATION

# How often a part looks for contacts before it is halved.
LOOKS = 4
# counts[STAGE]: what the part begins with, a look, a second look, or the contacts that were found.
LOOK, LOOK_AGAIN, READY = 0, 1, 2


@kernel
def hold(source, target, columns):
    """Keeps the first columns of a line, or puts them back"""
    for j in range(columns):
        target[j] = source[j]


@kernel
def hold_part(counts, stats, sums, held):
    """What the part adds to, as it begins"""
    k = counts[DONE]
    hold(counts, held[0], STAGE)
    hold(stats[k], held[1], stats.shape[1])
    hold(sums[k], held[2], sums.shape[1])


@kernel
def undo_part(counts, stats, sums, held):
    hold(held[0], counts, STAGE)
    k = counts[DONE]
    hold(held[1], stats[k], stats.shape[1])
    hold(held[2], sums[k], sums.shape[1])


@kernel
def begin_part(topo, state, begun, settings, counts, looks):
    """Looks where the next part will lead; at the start of a step the node is kept in `begun`"""
    if counts[PLACE] == 0:
        copy_all(state, begun)
        counts[REPLANNED] = 0
    block = counts[BLOCK]
    if block == 0:
        block = largest_part(state, topo[0, at.BODIES], counts[FULL], 0)
    dt = settings[BASE] if settings[TAU] > 0.0 else settings[DT]
    return look(topo, state, block / counts[FULL] * dt, settings, counts, looks)


@entry
def proceed_with_pairs(run, arrays, template, rows, looks, begun, held):
    """`proceed` for models whose shapes meet each other; NEW_PLAN where the plan has no room for the pairs
    that are near.

    looks: see `pair_looks`; begun: the node at the start of the step; held: of `counts`, `stats` and `sums`,
    what the part began with"""
    topo, state, saved, settings, counts = arrays[0], arrays[2], arrays[4], arrays[10], arrays[11]
    total, stats, sums, touches = arrays[14], arrays[15], arrays[16], arrays[20]
    third = total.shape[0] // 3
    while counts[DONE] < counts[STEPS]:
        if counts[STAGE] != READY:
            if counts[TOUCHES] + 2 * topo[0, at.CONTACTS] > touches.shape[0]:
                return PAUSED
            if counts[STAGE] == LOOK:
                found = begin_part(topo, state, begun, settings, counts, looks)
                hold_part(counts, stats, sums, held)
            else:
                found = look_again(settings, counts, looks)
            if found != FITS:
                counts[STAGE] = READY if found == NEEDS_PLAN else counts[STAGE]
                return NEW_PLAN
        put_contacts(state, counts, looks)
        counts[STAGE] = LOOK
        if counts[LOOKED] == LOOKS:
            counts[LOOKED] = 0
            block = counts[BLOCK]
            if block == 0:
                block = largest_part(state, topo[0, at.BODIES], counts[FULL], 0)
            status = PENETRATION if block == 1 else PAUSED
            counts[BLOCK] = block if block == 1 else block // 2
        else:
            done, place = counts[DONE], counts[PLACE]
            status = call_for_integer(run, arrays)
            if counts[DONE] > done or counts[PLACE] != place:
                if not check(topo, state, settings, counts, looks):
                    undo_part(counts, stats, sums, held)
                    copy_all(saved, state)
                    copy_all(total[third : 2 * third], total[:third])
                    restart(run, arrays, AS_IT_IS)
                    counts[LOOKED] += 1
                    counts[STAGE] = LOOK_AGAIN
                    continue
            counts[LOOKED] = 0
        if is_at_end(settings):
            return CONVERGED
        if status == CHOOSE_ROWS:
            choose_and_restart(run, arrays, rows, AS_IT_IS)
        elif status not in (CONVERGED, PAUSED):
            counts[FAILED] = status
            afresh = start_afresh(run, arrays, template, rows)
            if afresh != CONVERGED:
                return status if afresh == PAUSED else afresh
    return CONVERGED
