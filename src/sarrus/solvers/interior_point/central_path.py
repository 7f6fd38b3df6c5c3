"""Where the variables of the contacts stand on the central path of the interior point: start, products,
residuals, the longest step inside the cones."""

from math import sqrt

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.maths.access import get1, get3, put1, put3
from sarrus.solvers.interior_point.cone import (
    longest_cone_step,
    longest_step,
    path_gap,
    path_slip,
    scaled_residual,
)
from sarrus.solvers.interior_point.contact import (
    cone_level,
    cone_size,
    energy_scale,
    has_friction,
    has_normal,
    is_convex,
    is_on,
    is_pyramid,
    variables_of,
)
from sarrus.solvers.interior_point.pyramid import (
    longest_pyramid_step,
    move_pyramid,
    put_pyramid_residuals,
    pyramid_error,
    pyramid_products,
    sides_of,
    start_pyramid,
)

# Starts that remember no forces (see `start_contacts`).
COLD_START, STUCK = -1, -2
# Gaps of a converged stage are not smaller [m]: their rounding is below 1e-15 m for positions of some metres.
SMALLEST_GAP = 1e-14


@helper
def convex_error(state, work, k, w):
    """psi - s / mu - LAG of a contact with the convex law [m]"""
    s, psi = get1(work, w, at.VARIABLES), get1(work, w, at.VARIABLES + 4)
    return psi - s / get1(state, k, at.MU) - get1(work, w, at.LAG)


@kernel
def loaded_level(topo, state, work, memory):
    """Barrier of a start under the load of the forces in `memory`, natural units: light feet may carry many
    times what their own inertia tells"""
    top = 0.0
    for i in range(topo[0, at.CONTACTS]):
        if is_on(topo, state, i) and has_normal(topo, i):
            load = get1(state, topo[0, at.S_CONTACTS] + i, memory)
            top = max(top, load / get1(work, topo[0, at.W_CONTACTS] + i, at.SCALE_F))
    return 0.3 * top * top


@kernel
def start_level(topo, state, work):
    """(barrier of a cold start, largest penetration), in natural units: from the energy of impact and slip"""
    level, worst, total = 0.1, 0.0, 0.0
    for i in range(topo[0, at.CONTACTS]):
        if is_on(topo, state, i) and has_normal(topo, i):
            k, w = topo[0, at.S_CONTACTS] + i, topo[0, at.W_CONTACTS] + i
            length = get1(work, w, at.SCALE_L)
            p = -get1(work, w, at.TRIAL) / length
            g = 1.0 + p if p > 0.0 else 1.0 / (1.0 - p)
            slip = 0.0
            if has_friction(topo, state, i):
                l1, l2 = get1(work, w, at.TRIAL + 1), get1(work, w, at.TRIAL + 2)
                slip = get1(state, k, at.MU) * sqrt(l1 * l1 + l2 * l2) / length
            # Strong friction bends the path: start further up.
            steep = max(1.0, get1(state, k, at.MU)) ** 4
            level, worst = max(level, 0.3 * steep * g * max(g, slip)), max(worst, p)
            total += p + slip
    return level + 0.0 * total, worst + 0.0 * total


@kernel
def start_contacts(topo, state, work, level, memory):
    """Variables on the decoupled central path of barrier `level` (natural units), for gap and slip at the
    trial configuration.

    memory: COLD_START, or STUCK: as if nothing slipped, another way into the cone"""
    for i in range(topo[0, at.CONTACTS]):
        if not is_on(topo, state, i):
            continue
        w = topo[0, at.W_CONTACTS] + i
        kappa = level * energy_scale(work, w)
        if has_normal(topo, i):
            stiffness = get1(work, w, at.SCALE_F) / get1(work, w, at.SCALE_L)
            s, gamma = path_gap(get1(work, w, at.TRIAL), kappa, stiffness)
            put1(work, w, at.VARIABLES, s)
            put1(work, w, at.VARIABLES + 1, gamma)
        if has_friction(topo, state, i):
            l1, l2 = get1(work, w, at.TRIAL + 1), get1(work, w, at.TRIAL + 2)
            if memory == STUCK:
                l1, l2 = 0.0, 0.0
            m = cone_size(topo, state, work, i)
            b1, b2, psi = path_slip(m, l1, l2, cone_level(work, w, level))
            put1(work, w, at.VARIABLES + 2, b1)
            put1(work, w, at.VARIABLES + 3, b2)
            put1(work, w, at.VARIABLES + 4, psi)
            put1(work, w, at.VARIABLES + 5, l1)
            put1(work, w, at.VARIABLES + 6, l2)
            if is_pyramid(topo, state, i):
                start_pyramid(work, w, sides_of(topo, state), m, kappa)
        else:
            for j in range(2, 7):
                put1(work, w, at.VARIABLES + j, 0.0)
        for j in range(7):
            put1(work, w, at.DIRECTIONS + j, 0.0)


@helper
def products(topo, state, work, i, w, alpha):
    """(s gamma, m psi + b.l) of contact i after a part alpha of the direction"""
    first, second = 0.0, 0.0
    if has_normal(topo, i) and not is_convex(work, w):
        s = get1(work, w, at.VARIABLES) + alpha * get1(work, w, at.DIRECTIONS)
        gamma = get1(work, w, at.VARIABLES + 1) + alpha * get1(work, w, at.DIRECTIONS + 1)
        first = s * gamma
    if has_friction(topo, state, i):
        m = cone_size(topo, state, work, i)
        if has_normal(topo, i):
            m += alpha * get1(state, topo[0, at.S_CONTACTS] + i, at.MU) * get1(work, w, at.DIRECTIONS + 1)
        psi = get1(work, w, at.VARIABLES + 4) + alpha * get1(work, w, at.DIRECTIONS + 4)
        second = m * psi
        for j in range(2):
            b = get1(work, w, at.VARIABLES + 2 + j) + alpha * get1(work, w, at.DIRECTIONS + 2 + j)
            second += b * (get1(work, w, at.VARIABLES + 5 + j) + alpha * get1(work, w, at.DIRECTIONS + 5 + j))
    return first, second


@kernel
def mean_product(topo, state, work, alpha):
    """(mean, largest) product in natural units after a part alpha of the direction; those of friction over
    the part of the barrier that its cone has"""
    total, top, count = 0.0, 0.0, 0
    for i in range(topo[0, at.CONTACTS]):
        if is_on(topo, state, i):
            w = topo[0, at.W_CONTACTS] + i
            first, second = products(topo, state, work, i, w, alpha)
            scale = 1.0 / energy_scale(work, w)
            count += 1 if has_normal(topo, i) and not is_convex(work, w) else 0
            count += 1 if has_friction(topo, state, i) else 0
            largest = second
            if has_friction(topo, state, i):
                if is_pyramid(topo, state, i):
                    second, largest = pyramid_products(work, w, sides_of(topo, state), alpha)
                    count += sides_of(topo, state)
                else:
                    second /= get1(work, w, at.CONE_PART)
                    largest = second
            total += scale * (first + second)
            top = max(top, scale * max(first, largest))
    return total / max(count, 1), top + 0.0 * total


@kernel
def barrier_work(topo, state, work):
    """Sum of all products [J]: the most work that the contacts of a stage can seem to do"""
    total = 0.0
    for i in range(topo[0, at.CONTACTS]):
        if is_on(topo, state, i):
            w = topo[0, at.W_CONTACTS] + i
            first, second = products(topo, state, work, i, w, 0.0)
            if has_friction(topo, state, i) and is_pyramid(topo, state, i):
                second = pyramid_products(work, w, sides_of(topo, state), 0.0)[0]
            total += first + second
    return total


@kernel
def off_centre(topo, state, work, level):
    """Largest deviation of a product from the barrier `level`, as a part of it"""
    top, total = 0.0, 0.0
    for i in range(topo[0, at.CONTACTS]):
        if not is_on(topo, state, i):
            continue
        w = topo[0, at.W_CONTACTS] + i
        first, second = products(topo, state, work, i, w, 0.0)
        scale = 1.0 / (level * energy_scale(work, w))
        if has_normal(topo, i):
            e = abs(scale * first - 1.0)
            top, total = max(top, e), total + e
        if has_friction(topo, state, i):
            if is_pyramid(topo, state, i):
                second = pyramid_products(work, w, sides_of(topo, state), 0.0)[1]
            else:
                scale = 1.0 / cone_level(work, w, level)
            e = abs(scale * second - 1.0)
            top, total = max(top, e), total + e
            if not is_pyramid(topo, state, i):
                m = cone_size(topo, state, work, i)
                b, psi, l = variables_of(work, w)
                for j in range(2):
                    e = abs(scale * (m * l[j] + psi * b[j]))
                    top, total = max(top, e), total + e
    return top + 0.0 * total


@helper
def put_convex_residuals(work, w, force, slip, kappa, second, dm):
    """`put_residuals` for slip and cone of a contact with the convex law"""
    dforce = (
        second * dm,
        second * get1(work, w, at.DIRECTIONS + 2),
        second * get1(work, w, at.DIRECTIONS + 3),
    )
    dslip = get3(work, w, at.DIRECTIONS + 4)
    r = scaled_residual(force, slip, kappa, dforce, dslip)
    for j in range(2):
        put1(work, w, at.RESIDUALS + 2 + j, slip[1 + j] - get1(work, w, at.TRIAL + 1 + j))
    put3(work, w, at.RESIDUALS + 4, r)


@kernel
def put_residuals(topo, state, work, level, second):
    """Residuals of the contacts for the barrier `level`, plus `second` times the products of the last
    direction"""
    for i in range(topo[0, at.CONTACTS]):
        if not is_on(topo, state, i):
            continue
        w = topo[0, at.W_CONTACTS] + i
        kappa = level * energy_scale(work, w)
        dgamma = get1(work, w, at.DIRECTIONS + 1)
        if has_normal(topo, i):
            s, gamma = get1(work, w, at.VARIABLES), get1(work, w, at.VARIABLES + 1)
            put1(work, w, at.RESIDUALS, s - get1(work, w, at.TRIAL))
            put1(
                work, w, at.RESIDUALS + 1,
                s * gamma - kappa + second * get1(work, w, at.DIRECTIONS) * dgamma,
            )  # fmt: skip
            if is_convex(work, w):
                put1(work, w, at.RESIDUALS + 1, convex_error(state, work, topo[0, at.S_CONTACTS] + i, w))
        if has_friction(topo, state, i):
            m, dm = cone_size(topo, state, work, i), 0.0
            if is_pyramid(topo, state, i):
                put_pyramid_residuals(work, w, sides_of(topo, state), m, kappa, second)
                continue
            if has_normal(topo, i):
                dm = get1(state, topo[0, at.S_CONTACTS] + i, at.MU) * dgamma
            b, psi, l = variables_of(work, w)
            dpsi = get1(work, w, at.DIRECTIONS + 4)
            if is_convex(work, w):
                put_convex_residuals(work, w, (m, b[0], b[1]), (psi, l[0], l[1]), kappa, second, dm)
                continue
            total = m * psi - cone_level(work, w, level) + second * dm * dpsi
            for j in range(2):
                db, dl = get1(work, w, at.DIRECTIONS + 2 + j), get1(work, w, at.DIRECTIONS + 5 + j)
                put1(work, w, at.RESIDUALS + 2 + j, l[j] - get1(work, w, at.TRIAL + 1 + j))
                total += b[j] * l[j] + second * db * dl
                put1(work, w, at.RESIDUALS + 5 + j, m * l[j] + psi * b[j] + second * (dm * dl + dpsi * db))
            put1(work, w, at.RESIDUALS + 4, total)


@kernel
def longest_contact_step(topo, state, work):
    """The longest part of the direction that stays in all cones"""
    step, total = 1e300, 0.0
    for i in range(topo[0, at.CONTACTS]):
        if not is_on(topo, state, i):
            continue
        w = topo[0, at.W_CONTACTS] + i
        if has_normal(topo, i) and not is_convex(work, w):
            for j in range(2):
                d = get1(work, w, at.DIRECTIONS + j)
                step, total = min(step, longest_step(get1(work, w, at.VARIABLES + j), d)), total + d
        if has_friction(topo, state, i):
            m, dm = cone_size(topo, state, work, i), 0.0
            if is_pyramid(topo, state, i):
                step = min(step, longest_pyramid_step(work, w, sides_of(topo, state)))
                continue
            if has_normal(topo, i):
                dm = get1(state, topo[0, at.S_CONTACTS] + i, at.MU) * get1(work, w, at.DIRECTIONS + 1)
            b, psi, l = variables_of(work, w)
            db1, db2 = get1(work, w, at.DIRECTIONS + 2), get1(work, w, at.DIRECTIONS + 3)
            dpsi = get1(work, w, at.DIRECTIONS + 4)
            dl1, dl2 = get1(work, w, at.DIRECTIONS + 5), get1(work, w, at.DIRECTIONS + 6)
            step = min(step, longest_cone_step(m, dm, b[0], b[1], db1, db2))
            step = min(step, longest_cone_step(psi, dpsi, l[0], l[1], dl1, dl2))
            total += dpsi + db1 + db2 + dl1 + dl2
    return step + 0.0 * total


@kernel
def contact_errors(topo, state, work):
    """(largest error of gap and slip, whether every gap is positive for certain, the barrier in natural units
    below which the forces of an impact would make a gap smaller than rounding can tell)"""
    top, total, sure, least = 0.0, 0.0, True, 0.0
    for i in range(topo[0, at.CONTACTS]):
        if not is_on(topo, state, i):
            continue
        w = topo[0, at.W_CONTACTS] + i
        if has_normal(topo, i):
            s = get1(work, w, at.VARIABLES)
            e = s - get1(work, w, at.TRIAL)
            top, total = max(top, abs(e)), total + e
            if is_convex(work, w):
                # Its gaps may be negative.
                e = convex_error(state, work, topo[0, at.S_CONTACTS] + i, w)
                top, total, s = max(top, abs(e)), total + e, 2.0 * abs(e)
            sure = sure and abs(e) <= 0.5 * s
            least = max(least, SMALLEST_GAP * get1(work, w, at.VARIABLES + 1) / energy_scale(work, w))
        if has_friction(topo, state, i):
            if is_pyramid(topo, state, i):
                e = pyramid_error(work, w, sides_of(topo, state))
                top, total = max(top, e), total + e
                continue
            for j in range(2):
                e = get1(work, w, at.VARIABLES + 5 + j) - get1(work, w, at.TRIAL + 1 + j)
                top, total = max(top, abs(e)), total + e
    return top + 0.0 * total, sure, least


@kernel
def move_contacts(topo, state, work, alpha):
    """Variables moved by a part alpha of their direction"""
    for i in range(topo[0, at.CONTACTS]):
        if is_on(topo, state, i):
            w = topo[0, at.W_CONTACTS] + i
            for j in range(7):
                put1(
                    work, w, at.VARIABLES + j,
                    get1(work, w, at.VARIABLES + j) + alpha * get1(work, w, at.DIRECTIONS + j),
                )  # fmt: skip
            if has_friction(topo, state, i) and is_pyramid(topo, state, i):
                move_pyramid(work, w, sides_of(topo, state), alpha)
