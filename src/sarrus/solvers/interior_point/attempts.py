"""The starts of an interior point, one after the other until one leads to a solution, and where it ends."""

from sarrus._jit import helper
from sarrus.solvers.interior_point.central_path import COLD_START, STUCK

# Iterations from a start; for a convex problem, whose path leads to its end, however slowly; and in the last
# resort: short steps along the path.  There the barrier is lowered by this factor once no product is further
# from it than this part.
COLD, CONVEX, LAST_RESORT = 35, 400, 60
LOWER, CENTRED = 0.2, 0.5
# Least lowering of the barrier of an attempt that keeps to the centre of the cones.
CENTRAL = 0.1
# Kinds of starts and how many there are of each: from remembered forces; cold; from the solution of a convex
# problem (`convex.py`), EARLY of them right after the first; convex problems alone, to the end of the stage.
FROM_FORCES, FROM_COLD, FROM_CONVEX, CONVEX_ALONE = 0, 1, 2, 3
REMEMBERED, EARLY, CONVEX_TRIES, ALONE_TRIES, COLD_TRIES = 3, 2, 10, 20, 10
STARTS = REMEMBERED + CONVEX_TRIES + ALONE_TRIES + COLD_TRIES
# Starts, up to the first cold one, after which a part of a step is rather divided, if it is longer than this
# part of the step, and a rebound follows another law: what they do not find takes hundreds of iterations.
SOME_STARTS, PATIENT = REMEMBERED + EARLY + 1, 0.0625
# Where the first try from remembered forces fails and sweeps do not apply, the second has this many times its
# barrier, or the least, natural units.
RAISED, LEAST = 100.0, 1e-4


@helper
def start_of(k):
    """(kind, number among its kind) of start k"""
    if k < 1:
        return FROM_FORCES, k
    if k < 1 + EARLY:
        return FROM_CONVEX, k - 1
    if k < REMEMBERED + EARLY:
        return FROM_FORCES, k - EARLY
    if k < REMEMBERED + EARLY + 1:
        return FROM_COLD, 0
    if k < REMEMBERED + CONVEX_TRIES + 1:
        return FROM_CONVEX, k - REMEMBERED - 1
    if k < STARTS - ALONE_TRIES:
        return FROM_COLD, k - REMEMBERED - CONVEX_TRIES
    return CONVEX_ALONE, k - (STARTS - ALONE_TRIES)


@helper
def cold_start(attempt, level, loaded):
    """(barrier, memory of the start, least lowering of the barrier, whether by short steps) of the attempts
    from cold, for the barrier that the energy of the step suggests, and that of the load.

    Keeping to the centre helps where an iterate would stick to the boundary of a cone.  Where friction is
    strong the path from one start may turn back before its end; another then leads on.  Bodies that carry
    others of a hundred or a thousand times their mass need barriers with the square of that"""
    if attempt == 1:
        return max(loaded, level), COLD_START, 0.0, False
    if attempt < 3:
        return level, COLD_START, (0.0 if attempt < 1 else CENTRAL), False
    if attempt == 4:
        return 1e-3 * level, STUCK, 0.0, False
    if attempt < 6:
        return (level if attempt == 3 else 3.0 * level), STUCK, CENTRAL, False
    if attempt == 6:
        return 10.0 * level, COLD_START, 0.0, False
    if attempt < 9:
        return (1e4 if attempt == 7 else 1e6) * level, COLD_START, CENTRAL, False
    return 100.0 * level, COLD_START, 0.0, True


@helper
def final_level(dt):
    """Barrier of a converged stage, natural units: gaps at rest near 1e-9 m, above rounding"""
    length = 9.81 * dt * dt
    return max(min(1e-6, 1e-9 / length), 1e-13 / length)
