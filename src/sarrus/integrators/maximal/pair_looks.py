"""Compiled: the search for the pairs of shapes that come near in the next part of a step, and the look at all
of them over what happened.

`looks` is what `NearPairs` hands over: (tables, memory, poses, lists, lines, addresses), with
tables   geometry, candidates, capacities, codes and numbers of the detector,
memory   what its looks remember and write,
poses    x and R of all bodies now, at the end of the part, and spare ones,
lists    pairs that are near, that were swept, their depths, that are inside; slot of each pair or -1,
lines    slots of the plan, features of the near pairs, scratch,
addresses of `find_near`, `write_features` and `write_swept`."""

from math import inf

from sarrus import layout as at
from sarrus._jit import call_for_integer, call_for_nothing, call_for_two_integers, kernel
from sarrus.integrators.maximal.columns import (
    DEEPEST,
    DEPTH,
    FEATURES,
    INSIDE,
    MARGIN,
    NEAR,
    QUIET,
)
from sarrus.integrators.maximal.pair_contacts import (
    SLOT_ROOM,
    SLOT_ROW,
    SLOT_ROWS,
    write_pairs,
    write_poses,
)
from sarrus.maths.access import get1, put1

# Pairs are near within this many natural lengths 9.81 dt^2 plus this part of the fastest body's way [m].
LENGTHS, PART = 10.0, 0.25
# Steps after which pairs that have gone away are dropped from the plan.
STALE = 50
# A pair may end a step this deep in each other [m].
ALLOWED = 1e-6
# What a look says: the plan has room for all contacts, it has not, `features` has not.
FITS, NEEDS_PLAN, NEEDS_ROOM = 0, 1, 2


@kernel
def look(topo, state, dt, settings, counts, looks):
    """Pairs that come near over dt at the velocities of the node, and their contacts"""
    tables, memory, poses, lists, lines, addresses = looks
    x0, R0, x1, R1, xs, Rs = poses
    way = write_poses(topo, state, dt, x0, R0, x1, R1)
    settings[MARGIN] = LENGTHS * 9.81 * dt * dt + PART * way
    counts[NEAR] = call_for_integer(
        addresses[0],
        (
            tables[0], x0, R0, x1, R1, settings[MARGIN], tables[3], tables[4], memory[4], memory[5],
            memory[6], lists[0],
        ),
    )  # fmt: skip
    return find_features(settings, counts, looks, False)


@kernel
def look_again(settings, counts, looks):
    """As `look`, after `check` found pairs inside each other: what they met is added to the contacts"""
    if not include(counts, looks):
        return NEEDS_ROOM
    return find_features(settings, counts, looks, True)


@kernel
def find_features(settings, counts, looks, add):
    """Contacts of the near pairs into `features`; add: to those there.  Returns whether there is room"""
    tables, memory, poses, lists, lines, addresses = looks
    x0, R0, x1, R1, xs, Rs = poses
    geo, cores, capacity = tables[0], tables[1], tables[2]
    near, features = lists[0], lines[1]
    counts[FEATURES] = 0
    for q in range(counts[NEAR]):
        counts[FEATURES] += capacity[near[q]]
    if counts[FEATURES] > features.shape[0]:
        return NEEDS_ROOM
    call_for_nothing(
        addresses[1],
        (
            geo, near[: counts[NEAR]], cores, capacity, x0, R0, x1, R1, settings[MARGIN], add, memory[0],
            memory[1], memory[2], memory[3], features, 0,
        ),
    )  # fmt: skip
    return plan_fits(counts, looks)


@kernel
def plan_fits(counts, looks):
    """FITS where the plan has room for the contacts of all near pairs, and those are its pairs or were
    lately"""
    tables, memory, poses, lists, lines, addresses = looks
    capacity, near, slot, slots, features = tables[2], lists[0], lists[4], lines[0], lines[1]
    fits, row = True, 0
    for q in range(counts[NEAR]):
        p, used = near[q], 0
        for r in range(row, row + capacity[p]):
            used += 1 if get1(features, r, at.FEATURE_TYPE) != at.NO_FEATURE else 0
        row += capacity[p]
        fits = fits and used <= (slots[slot[p], SLOT_ROOM] if slot[p] >= 0 else 0)
    counts[QUIET] = 0 if counts[NEAR] == slots.shape[0] else counts[QUIET] + 1
    if fits and counts[QUIET] <= STALE:
        return FITS
    counts[QUIET] = 0
    return NEEDS_PLAN


@kernel
def put_contacts(state, counts, looks):
    """Contacts of the near pairs into the node, with the forces that the same features had"""
    tables, memory, poses, lists, lines, addresses = looks
    capacity, near, slot = tables[2], lists[0], lists[4]
    slots, features, scratch = lines
    for s in range(slots.shape[0]):
        slots[s, SLOT_ROW], slots[s, SLOT_ROWS] = 0, 0
    row = 0
    for q in range(counts[NEAR]):
        p = near[q]
        if slot[p] >= 0:
            slots[slot[p], SLOT_ROW], slots[slot[p], SLOT_ROWS] = row, capacity[p]
        row += capacity[p]
    write_pairs(state, slots, features, scratch)


@kernel
def check(topo, state, settings, counts, looks):
    """Whether no pair is inside another after the part that ended at the node, or has passed through it.

    Looks at all pairs over what really happened, also at those that were not expected to come near; the least
    distance goes into settings[DEPTH], of a pair that passed through itself one on its way"""
    tables, memory, poses, lists, lines, addresses = looks
    x0, R0, x1, R1, xs, Rs = poses
    swept, depths, inside = lists[1], lists[2], lists[3]
    write_poses(topo, state, 0.0, x1, R1, xs, Rs)
    found, place = call_for_two_integers(
        addresses[2],
        (
            tables[0], x0, R0, x1, R1, memory[4], memory[5], memory[6], tables[3], tables[4], tables[1],
            memory[1], memory[2], swept, depths,
        ),
    )  # fmt: skip
    counts[INSIDE] = 0
    settings[DEPTH] = inf if place < 0 else depths[place]
    if settings[DEPTH] >= -ALLOWED:
        return True
    counts[DEEPEST] = swept[place]
    for q in range(found):
        if not depths[q] >= -ALLOWED:
            inside[counts[INSIDE]] = swept[q]
            counts[INSIDE] += 1
    return False


@kernel
def include(counts, looks):
    """Adds the pairs that are inside each other to the near ones, without contacts yet; False where
    `features` has no room for them, with the rows that it needs in counts[FEATURES]"""
    tables, memory, poses, lists, lines, addresses = looks
    capacity, near, inside, features = tables[2], lists[0], lists[3], lines[1]
    fresh, rows = 0, 0
    for q in range(counts[NEAR]):
        rows += capacity[near[q]]
    for i in range(counts[INSIDE]):
        known = False
        for q in range(counts[NEAR]):
            known = known or near[q] == inside[i]
        if not known:
            inside[fresh] = inside[i]
            fresh += 1
    for i in range(1, fresh):
        value, j = inside[i], i
        while j > 0 and inside[j - 1] > value:
            inside[j] = inside[j - 1]
            j -= 1
        inside[j] = value
    counts[INSIDE] = fresh
    end = rows
    for i in range(fresh):
        end += capacity[inside[i]]
    if end > features.shape[0]:
        counts[FEATURES] = end
        return False
    q = counts[NEAR] - 1
    counts[NEAR] += fresh
    counts[INSIDE] = 0
    # Merged from the end, in place.
    i, to = fresh - 1, counts[NEAR] - 1
    while i >= 0:
        if q >= 0 and near[q] > inside[i]:
            p = near[q]
            for _ in range(capacity[p]):
                rows -= 1
                end -= 1
                for c in range(at.FEATURE_COLS):
                    put1(features, end, c, get1(features, rows, c))
            q -= 1
        else:
            p = inside[i]
            for _ in range(capacity[p]):
                end -= 1
                for c in range(at.FEATURE_COLS):
                    put1(features, end, c, 0.0)
            i -= 1
        near[to] = p
        to -= 1
    return True
