"""Which pairs come near in a step: bounding boxes of the motion, sorted along one axis and swept."""

from math import sqrt

from sarrus._jit import entry, kernel
from sarrus.collision.closest import corner
from sarrus.collision.cores import BODY, CENTRE, EXTENT, HALF, NV, RADIUS
from sarrus.maths.access import get3, get9
from sarrus.maths.vectors import add3, dot, mv

# Above this number of vertices a core is bounded by its box in the body frame
MANY = 64


@kernel
def grow(box, c, p, h):
    for k in range(3):
        box[c, k] = min(box[c, k], p[k] - h[k])
        box[c, 3 + k] = max(box[c, 3 + k], p[k] + h[k])


@kernel
def bound(geo, c, x, R, box):
    """Grows box[c] (lower, upper corner) by core c at a pose"""
    tab, dims = geo[0], geo[1]
    place, turn, r = get3(x, tab[c, BODY], 0), get9(R, tab[c, BODY], 0), dims[c, RADIUS]
    if tab[c, NV] <= MANY:
        for v in range(tab[c, NV]):
            grow(box, c, add3(mv(turn, corner(geo, c, v)), place), (r, r, r))
        return
    h = get3(dims, c, HALF)
    size = (abs(turn[0]), abs(turn[1]), abs(turn[2]), abs(turn[3]), abs(turn[4]), abs(turn[5]), abs(turn[6]),
            abs(turn[7]), abs(turn[8]))  # fmt: skip
    half = mv(size, h)
    grow(box, c, add3(mv(turn, get3(dims, c, CENTRE)), place), (half[0] + r, half[1] + r, half[2] + r))


@kernel
def bulge(geo, c, R0, R1):
    """How far a point of core c may leave the box of both poses while its body turns [m]: the height of its
    arc over the chord"""
    tab, dims = geo[0], geo[1]
    A, B = get9(R0, tab[c, BODY], 0), get9(R1, tab[c, BODY], 0)
    trace = A[0] * B[0] + A[1] * B[1] + A[2] * B[2] + A[3] * B[3] + A[4] * B[4] + A[5] * B[5]
    trace += A[6] * B[6] + A[7] * B[7] + A[8] * B[8]
    centre = get3(dims, c, CENTRE)
    # 1 + trace = 4 cos(angle / 2)^2
    return max(0.0, 1.0 - 0.5 * sqrt(max(0.0, 1.0 + trace))) * (sqrt(dot(centre, centre)) + dims[c, EXTENT])


@entry
def write_boxes(geo, x0, R0, x1, R1, box):
    """Fills `box` (cores, 6) with the lower and upper corners [m] of all cores over the motion"""
    for c in range(geo[0].shape[0]):
        for k in range(3):
            box[c, k] = 1e300
            box[c, 3 + k] = -1e300
        bound(geo, c, x0, R0, box)
        bound(geo, c, x1, R1, box)
        more = bulge(geo, c, R0, R1)
        for k in range(3):
            box[c, k] -= more
            box[c, 3 + k] += more


@kernel
def find(codes, code):
    """Place of `code` in the sorted `codes`, or -1"""
    low, high = 0, codes.shape[0]
    while low < high:
        middle = (low + high) // 2
        if codes[middle] < code:
            low = middle + 1
        else:
            high = middle
    return low if low < codes.shape[0] and codes[low] == code else -1


@entry
def write_near(box, order, axis, margin, codes, number, out):
    """Number of candidates whose boxes are nearer than `margin`; their numbers go into `out` as far as it
    reaches.

    order: the cores sorted by the lower corner along `axis`; codes: i n + j (i < j) of the candidates,
    sorted, `number` their places in the list of candidates"""
    n, found = order.shape[0], 0
    for s in range(n):
        c = order[s]
        end = box[c, 3 + axis] + margin
        for t in range(s + 1, n):
            d = order[t]
            if not box[d, axis] <= end:
                break
            near = True
            for k in range(3):
                if not (box[d, k] <= box[c, 3 + k] + margin and box[c, k] <= box[d, 3 + k] + margin):
                    near = False
            if near:
                k = find(codes, min(c, d) * n + max(c, d))
                if k >= 0:
                    if found < out.shape[0]:
                        out[found] = number[k]
                    found += 1
    return found


@entry
def sort_along(box, axis, order):
    """Sorts `order` by the lower corner along `axis`; by insertion, since it hardly changes between steps"""
    for s in range(1, order.shape[0]):
        c = order[s]
        value = box[c, axis]
        t = s - 1
        while t >= 0 and box[order[t], axis] > value:
            order[t + 1] = order[t]
            t -= 1
        order[t + 1] = c


# Looks between two choices of the axis that spreads the cores most
SAME_AXIS = 100


@kernel
def widest_axis(box):
    """The axis along which the lower corners vary most"""
    n, widest, axis = box.shape[0], -1.0, 0
    for k in range(3):
        mean, square = 0.0, 0.0
        for c in range(n):
            mean += box[c, k] / n
        for c in range(n):
            square += (box[c, k] - mean) ** 2
        if square > widest:
            widest, axis = square, k
    return axis


@kernel
def sort_numbers(numbers, count):
    """Sorts the first `count` numbers, ascending (Shell's method)"""
    gap = 1
    while gap < count // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, count):
            value, j = numbers[i], i
            while j >= gap and numbers[j - gap] > value:
                numbers[j] = numbers[j - gap]
                j -= gap
            numbers[j] = value
        gap //= 3


@entry
def find_near(geo, x0, R0, x1, R1, margin, codes, number, box, order, sweep, out):
    """Number of candidates whose boxes over the motion are at most `margin` apart; their numbers go into
    `out`, ascending, as far as it reaches.  sweep: the axis of the order, calls so far"""
    write_boxes(geo, x0, R0, x1, R1, box)
    if sweep[1] % SAME_AXIS == 0:
        sweep[0] = widest_axis(box)
    sweep[1] += 1
    sort_along(box, sweep[0], order)
    found = write_near(box, order, sweep[0], margin, codes, number, out)
    sort_numbers(out, min(found, out.shape[0]))
    return found
