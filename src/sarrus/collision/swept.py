"""All pairs over a motion that has happened, in one compiled call: which came together, and how deep."""

from math import inf

from sarrus._jit import entry
from sarrus.collision.broad import sort_along, write_boxes, write_near
from sarrus.collision.narrow import depth_after


@entry
def write_swept(
    geo, x0, R0, x1, R1, box, order, sweep, codes, number, cores, none, work, near, depths
):  # fmt: skip
    """(number of candidates whose boxes over the motion meet, place among them of the least distance or -1).

    Fills `near` with their numbers and `depths` with their signed distances [m] as `depth_after` has them,
    where there is room for all of them; the other arguments are those of the broad and the narrow phase"""
    write_boxes(geo, x0, R0, x1, R1, box)
    sort_along(box, sweep[0], order)
    found = write_near(box, order, sweep[0], 0.0, codes, number, near)
    least, place = inf, -1
    if found <= near.shape[0]:
        for q in range(found):
            p = near[q]
            depths[q] = depth_after(geo, cores[p, 0], cores[p, 1], (x0, R0, x1, R1), none, work)
            if not depths[q] >= least:
                least, place = depths[q], q
    return found, place
