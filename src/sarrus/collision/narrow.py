"""Contact lines and distances of near pairs: one compiled call for all of them.

A pair is looked at where it will be at the end of the step.  When it moves further than it is thick, poses on
the way are looked at too, so that nothing passes through unseen; when it overlaps, the lines are those of the
last pose at which it was apart (balls and capsules), or of the axis that ceased last to separate it
(polytopes)."""

from math import inf

from sarrus._jit import entry, helper, kernel
from sarrus.collision.cores import BODY, KIND, POLYTOPE, RADIUS, WIDTH
from sarrus.collision.lines import INSIDE, clear_lines, gap
from sarrus.collision.polytopes import polytope_distance, polytope_lines
from sarrus.collision.poses import between, relative, travel
from sarrus.collision.rounded import nearest
from sarrus.collision.rounded_lines import put_rounded
from sarrus.layout import FEATURE_FLIP, FEATURE_RB, FEATURE_TYPE, NO_FEATURE
from sarrus.maths.access import get1, put1
from sarrus.maths.vectors import mv, sum3

# Poses looked at on the way of a fast pair
MOST_SAMPLES = 64
# Halvings of the way to the last pose at which a pair was apart
HALVINGS = 5


@kernel
def pair_distance(geo, a, b, pose, last, work):
    """Signed distance [m] of two shapes"""
    if geo[0][b, KIND] == POLYTOPE:
        return polytope_distance(geo, a, b, pose, last, work)
    return nearest(geo, a, b, pose)[0] - geo[1][a, RADIUS] - geo[1][b, RADIUS]


@kernel
def first_overlap(geo, a, b, pose0, pose1, last, work):
    """(t0, t1): the first sampled fraction of the way at which the pair overlaps and the one before; (0, 1)
    where it overlaps at the end alone, or not at all"""
    way = travel(geo, b, pose0, pose1)
    thick = 0.5 * (geo[1][a, WIDTH] + geo[1][b, WIDTH])
    if not way > thick:
        return 0.0, 1.0
    step = thick / way
    step = step if step > 1.0 / MOST_SAMPLES else 1.0 / MOST_SAMPLES
    t0 = 0.0
    d = pair_distance(geo, a, b, pose0, last, work)
    for _ in range(MOST_SAMPLES):
        skip = d / way
        t = t0 + (skip if skip > step else step)
        if not t < 1.0:
            break
        d = pair_distance(geo, a, b, between(pose0, pose1, t), last, work)
        if d < 0.0:
            return t0, t
        t0 = t
    return 0.0, 1.0


@kernel
def pose_at(pose0, pose1, t):
    return pose0 if t <= 0.0 else (pose1 if t >= 1.0 else between(pose0, pose1, t))


@helper
def from_outside(out, line, capacity, pose0):
    """Whether no line is inside at the start of the step"""
    for k in range(line, line + capacity):
        if get1(out, k, FEATURE_TYPE) != NO_FEATURE and not gap(out, k, pose0) >= -INSIDE:
            return False
    return True


@kernel
def rounded_lines(geo, a, b, pose0, pose1, t0, t1, capacity, out, line):
    """Writes the lines of a pair with a ball or a capsule"""
    r = geo[1][a, RADIUS] + geo[1][b, RADIUS]
    pose = pose_at(pose0, pose1, t1)
    found = nearest(geo, a, b, pose)
    for attempt in range(2):
        if attempt == 1 or not (found[0] > 0.0 and (t1 == 1.0 or found[0] >= r)):
            attempt = 1
            for _ in range(HALVINGS):
                t = 0.5 * (t0 + t1)
                if nearest(geo, a, b, between(pose0, pose1, t))[0] >= r:
                    t0 = t
                else:
                    t1 = t
            pose = pose_at(pose0, pose1, t0)
            found = nearest(geo, a, b, pose)
        clear_lines(out, line, capacity)
        put_rounded(geo, a, b, found, r, attempt == 1, pose, out, line)
        if attempt == 1 or found[0] >= r or from_outside(out, line, capacity, pose0):
            return


@entry
def write_lines(geo, pairs, cores, capacity, x0, R0, x1, R1, reach, last, none, work, out, line):
    """Fills `out` from row `line` with the contact lines of the pairs, `capacity` rows for each; returns the
    row after them.

    Lines whose gap is larger than `reach` [m] at both poses are left out"""
    tab = geo[0]
    for q in range(pairs.shape[0]):
        p = pairs[q]
        a, b = cores[p, 0], cores[p, 1]
        swap = tab[a, KIND] < tab[b, KIND]
        if swap:
            a, b = b, a
        room = capacity[p]
        clear_lines(out, line, room)
        pose0 = relative(x0, R0, tab[a, BODY], tab[b, BODY])
        pose1 = relative(x1, R1, tab[a, BODY], tab[b, BODY])
        t0, t1 = first_overlap(geo, a, b, pose0, pose1, none, work)
        if tab[b, KIND] == POLYTOPE:
            before, pose = pose_at(pose0, pose1, t0), pose_at(pose0, pose1, t1)
            polytope_lines(geo, a, b, before, pose, last, p, work, out, line)
        else:
            rounded_lines(geo, a, b, pose0, pose1, t0, t1, room, out, line)
        for k in range(line, line + room):
            if get1(out, k, FEATURE_TYPE) == NO_FEATURE:
                continue
            if reach < inf and gap(out, k, pose1) > reach and gap(out, k, pose0) > reach:
                put1(out, k, FEATURE_TYPE, NO_FEATURE)
            flip = get1(out, k, FEATURE_FLIP)
            put1(out, k, FEATURE_RB, geo[1][a if flip > 0.5 else b, RADIUS])
            if swap:
                put1(out, k, FEATURE_FLIP, 1.0 - flip)
        line += room
    return line


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
