"""Features and distances of near pairs: one compiled call for all of them.

A pair is looked at where it will be at the end of the step.  When it moves further than it is thick, poses on
the way are looked at too, so that nothing passes through unseen; when it overlaps, the features are those of
the last pose at which it was apart (balls and capsules), or of the axis that ceased last to separate it
(polytopes)."""

from math import inf

from sarrus import layout as at
from sarrus._jit import entry, helper, kernel
from sarrus.collision.cores import BODY, KIND, POLYTOPE, RADIUS, WIDTH
from sarrus.collision.features import INSIDE, clear_features, gap
from sarrus.collision.polytopes import polytope_distance, polytope_features
from sarrus.collision.poses import between, into_a, into_b, relative, speed_on, travel, way_of
from sarrus.collision.rounded import nearest
from sarrus.collision.rounded_features import put_rounded
from sarrus.maths.access import get1, put1
from sarrus.maths.vectors import dot, mv, sub3, sum3

# Poses looked at on the way of a fast pair; of what lies beyond nothing is known
MOST_SAMPLES = 4096
# A pair that overlaps on its way by more than this part of its thickness has passed through itself: in
# between two nodes that are apart, corners that turn or graze overlap by less.
PASSED = 0.25
# Halvings of the way to the last pose at which a pair was apart
HALVINGS = 5


@kernel
def pair_distance(geo, a, b, pose, last, work):
    """Signed distance [m] of two shapes"""
    r = geo[1][a, RADIUS] + geo[1][b, RADIUS]
    if geo[0][b, KIND] == POLYTOPE:
        return polytope_distance(geo, a, b, pose, last, work) - r
    return nearest(geo, a, b, pose)[0] - r


@helper
def thickness(geo, a, b):
    """Half of what the two are thick together: a pair that passes through itself overlaps over four times
    this way"""
    return 0.5 * (geo[1][a, WIDTH] + geo[1][b, WIDTH])


@kernel
def first_overlap(geo, a, b, way, poses, depth, last, work):
    """(t0, t1, whether all of the way was seen): the first sampled fraction of the way at which the pair
    overlaps by more than `depth` and the one before; (0, 1) where it does at the end alone, or not at all"""
    pose0, pose1 = poses
    thick = thickness(geo, a, b)
    if not min(travel(geo, a, b, pose0, pose1)) > thick:
        return 0.0, 1.0, True
    speed = speed_on(geo, a, b, way, pose0, pose1)
    step, t0, t = thick / speed, 0.0, 0.0
    d = pair_distance(geo, a, b, pose0, last, work)
    for _ in range(MOST_SAMPLES):
        t = t0 + max(d / speed, step)
        if not t < 1.0:
            break
        d = pair_distance(geo, a, b, between(way, t), last, work)
        if d < -depth:
            return t0, t, True
        t0 = t
    return 0.0, 1.0, not t < 1.0


@kernel
def pose_at(way, pose0, pose1, t):
    return pose0 if t <= 0.0 else (pose1 if t >= 1.0 else between(way, t))


@helper
def from_outside(out, line, capacity, pose0):
    """Whether no feature is inside at the start of the step"""
    for k in range(line, line + capacity):
        if get1(out, k, at.FEATURE_TYPE) != at.NO_FEATURE and not gap(out, k, pose0) >= -INSIDE:
            return False
    return True


@helper
def is_shallow(found, r, pose0, pose):
    """Whether a pair overlaps little: the nearest points are half the radius apart, and were so, on the same
    side, at the start"""
    pa, pb = found[5], found[6]
    start = sub3(into_a(pose0, into_b(pose, pb)), pa)
    return 0.5 * r <= found[0] < r and dot(start, sub3(pb, pa)) >= 0.5 * r * found[0]


@kernel
def rounded_features(geo, a, b, way, poses, times, capacity, slot):
    """Writes the features of a pair with a ball or a capsule"""
    pose0, pose1 = poses
    t0, t1 = times
    out, line = slot
    r = geo[1][a, RADIUS] + geo[1][b, RADIUS]
    pose, found = pose1, nearest(geo, a, b, pose1)
    for attempt in range(2):
        trusted = (found[0] >= r and t1 == 1.0) or is_shallow(found, r, pose0, pose1)
        if attempt == 1 or not (trusted or (found[0] > 0.0 and t1 == 1.0)):
            attempt = 1
            for _ in range(HALVINGS):
                t = 0.5 * (t0 + t1)
                if nearest(geo, a, b, between(way, t))[0] >= r:
                    t0 = t
                else:
                    t1 = t
            pose = pose_at(way, pose0, pose1, t0)
            found = nearest(geo, a, b, pose)
        clear_features(out, line, capacity)
        put_rounded(geo, a, b, found, r, attempt == 1, pose, (out, line))
        if attempt == 1 or trusted or from_outside(out, line, capacity, pose0):
            return


@kernel
def finish(geo, a, b, swap, room, reach, poses, fresh):
    """Puts the features of a pair into its own order, with the radii of both and of the body that carries the
    point; leaves out those beyond reach"""
    pose0, pose1 = poses
    for k in range(room):
        if get1(fresh, k, at.FEATURE_TYPE) == at.NO_FEATURE:
            continue
        put1(fresh, k, at.FEATURE_R, geo[1][a, RADIUS] + geo[1][b, RADIUS])
        if reach < inf and gap(fresh, k, pose1) > reach and gap(fresh, k, pose0) > reach:
            put1(fresh, k, at.FEATURE_TYPE, at.NO_FEATURE)
        flip = get1(fresh, k, at.FEATURE_FLIP)
        put1(fresh, k, at.FEATURE_RB, geo[1][a if flip > 0.5 else b, RADIUS])
        if swap:
            put1(fresh, k, at.FEATURE_FLIP, 1.0 - flip)


@kernel
def row_for(out, line, room, number):
    """The row with this key, else the first without feature, else -1"""
    free = -1
    for k in range(line, line + room):
        if get1(out, k, at.FEATURE_TYPE) == at.NO_FEATURE:
            free = k if free < 0 else free
        elif get1(out, k, at.FEATURE_KEY) == number:
            return k
    return free


@kernel
def add_features(out, line, room, fresh):
    """Adds fresh features to those that the pair has; where no row is left, the fresh ones take the first"""
    taken = line
    for k in range(room):
        if get1(fresh, k, at.FEATURE_TYPE) == at.NO_FEATURE:
            continue
        row = row_for(out, line, room, get1(fresh, k, at.FEATURE_KEY))
        if row < 0:
            row = taken
            taken += 1
        for c in range(at.FEATURE_COLS):
            out[row, c] = fresh[k, c]


@entry
def write_features(
    geo, pairs, cores, capacity, x0, R0, x1, R1, reach, add, last, none, work, fresh, out, first
):  # fmt: skip
    """Fills `out` with the features of the pairs, `capacity` rows for each; add: to those there.

    Features whose gap is larger than `reach` [m] at both poses are left out.  first: the first row of
    `fresh`, 0"""
    tab = geo[0]
    line = 0
    for q in range(pairs.shape[0]):
        p = pairs[q]
        a, b = cores[p, 0], cores[p, 1]
        swap = tab[a, KIND] < tab[b, KIND]
        if swap:
            a, b = b, a
        room = capacity[p]
        clear_features(fresh, first, room)
        pose0 = relative(x0, R0, tab[a, BODY], tab[b, BODY])
        pose1 = relative(x1, R1, tab[a, BODY], tab[b, BODY])
        way = way_of(x0, R0, x1, R1, tab[a, BODY], tab[b, BODY])
        t0, t1, seen = first_overlap(geo, a, b, way, (pose0, pose1), 0.0, none, work)
        if tab[b, KIND] == POLYTOPE:
            # A pair that overlaps little at the end is looked at there, so that a repeated call comes closer.
            depth = -pair_distance(geo, a, b, pose1, none, work) if t1 < 1.0 else 0.0
            if 0.0 < depth < 0.25 * (geo[1][a, WIDTH] + geo[1][b, WIDTH]):
                t0, t1 = 0.0, 1.0
            before, pose = pose_at(way, pose0, pose1, t0), pose_at(way, pose0, pose1, t1)
            polytope_features(geo, a, b, (before, pose), (last, p), work, fresh, first)
        else:
            rounded_features(geo, a, b, way, (pose0, pose1), (t0, t1), room, (fresh, first))
        finish(geo, a, b, swap, room, reach, (pose0, pose1), fresh)
        if not add:
            clear_features(out, line, room)
        add_features(out, line, room, fresh)
        line += room


@entry
def write_distances(geo, pairs, cores, x, R, none, work, out):
    """Fills `out` with the signed distances [m] of the pairs"""
    tab = geo[0]
    for q in range(pairs.shape[0]):
        a, b = cores[pairs[q], 0], cores[pairs[q], 1]
        if tab[a, KIND] < tab[b, KIND]:
            a, b = b, a
        pose = relative(x, R, tab[a, BODY], tab[b, BODY])
        # Comparisons drop NaN: it comes back with the sum.
        number = 0.0 * (sum3(pose[1]) + sum3(mv(pose[0], (1.0, 1.0, 1.0))))
        out[q] = pair_distance(geo, a, b, pose, none, work) + number


@kernel
def depth_after(geo, a, b, poses, none, work):
    """Signed distance [m] of two cores at the second pose; where they have passed through each other on the
    way there, one on that way; minus their thickness where that way is too long to be seen"""
    x0, R0, x1, R1 = poses
    tab = geo[0]
    if tab[a, KIND] < tab[b, KIND]:
        a, b = b, a
    pose0 = relative(x0, R0, tab[a, BODY], tab[b, BODY])
    pose1 = relative(x1, R1, tab[a, BODY], tab[b, BODY])
    d = pair_distance(geo, a, b, pose1, none, work)
    way = way_of(x0, R0, x1, R1, tab[a, BODY], tab[b, BODY])
    t0, t1, seen = first_overlap(geo, a, b, way, (pose0, pose1), PASSED * thickness(geo, a, b), none, work)
    if not seen:
        return min(d, -thickness(geo, a, b))
    if t1 < 1.0:
        d = min(d, pair_distance(geo, a, b, between(way, t1), none, work))
    return d
