"""Friction by a pyramid of any even number of sides instead of the cone: b = sum_j beta_j d_j over unit
directions d_j of the tangent plane.

sigma = m - sum beta_j >= 0 with psi >= 0, and eta_j = psi + d_j.slip >= 0 with beta_j >= 0, products kappa.

Implements: [MC23] eqs. (29d)-(29f).  Differs: slip by displacements.  Weaker between its edges than the cone:
with four sides a block slides up to 41 % further; for comparison with the paper."""

from math import cos, pi, sin

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.maths.access import get1, put1
from sarrus.solvers.interior_point.cone import longest_step

# Columns of a contact beyond those of `layout`: sigma, its direction, residuals of sigma and of sigma psi;
# then per side beta, eta, their directions, residuals of eta and of beta eta.
SIGMA, D_SIGMA, R_SIGMA, R_PSI, SIDES = (
    at.WORK_COLS,
    at.WORK_COLS + 1,
    at.WORK_COLS + 2,
    at.WORK_COLS + 3,
    at.WORK_COLS + 4,
)
BETA, ETA, D_BETA, D_ETA, R_ETA, R_BETA, PER_SIDE = 0, 1, 2, 3, 4, 5, 6
# Halvings of the interval of psi at the start: double precision needs no more.
HALVINGS = 80


def columns(sides):
    """Columns of `work` that contacts with so many sides need."""
    return SIDES + PER_SIDE * sides


@helper
def sides_of(topo, state):
    """Sides of the friction pyramid; 0 for the cone"""
    return int(get1(state, topo[0, at.BODIES], at.FRICTION_SIDES))


@helper
def side(j):
    return SIDES + PER_SIDE * j


@helper
def along(j, sides, x, y):
    """d_j.(x, y)"""
    angle = 2.0 * pi * j / sides
    return cos(angle) * x + sin(angle) * y


@kernel
def start_pyramid(work, w, sides, m, kappa):
    """Variables on the central path for the slip at the trial configuration: psi such that kappa / psi + sum
    kappa / (psi + d_j.slip) = m"""
    x, y = get1(work, w, at.TRIAL + 1), get1(work, w, at.TRIAL + 2)
    low = 0.0
    for j in range(sides):
        low = max(low, -along(j, sides, x, y))
    a, b = 0.0, (sides + 1.0) * kappa / m
    for _ in range(HALVINGS):
        psi = low + 0.5 * (a + b)
        total = kappa / psi
        for j in range(sides):
            total += kappa / (psi + along(j, sides, x, y))
        if total > m:
            a = 0.5 * (a + b)
        else:
            b = 0.5 * (a + b)
    psi = low + b
    put1(work, w, at.VARIABLES + 4, psi)
    put1(work, w, SIGMA, kappa / psi)
    put1(work, w, D_SIGMA, 0.0)
    for j in range(sides):
        eta = psi + along(j, sides, x, y)
        put1(work, w, side(j) + ETA, eta)
        put1(work, w, side(j) + BETA, kappa / eta)
        put1(work, w, side(j) + D_BETA, 0.0)
        put1(work, w, side(j) + D_ETA, 0.0)
    put_friction(work, w, sides)


@kernel
def put_friction(work, w, sides):
    """Friction force of the variables, and the slip that belongs to it"""
    b1, b2 = 0.0, 0.0
    for j in range(sides):
        beta = get1(work, w, side(j) + BETA)
        b1, b2 = b1 + beta * along(j, sides, 1.0, 0.0), b2 + beta * along(j, sides, 0.0, 1.0)
    put1(work, w, at.VARIABLES + 2, b1)
    put1(work, w, at.VARIABLES + 3, b2)


@kernel
def pyramid_products(work, w, sides, alpha):
    """(sum, largest) of the products after a part alpha of the direction"""
    sigma = get1(work, w, SIGMA) + alpha * get1(work, w, D_SIGMA)
    psi = get1(work, w, at.VARIABLES + 4) + alpha * get1(work, w, at.DIRECTIONS + 4)
    total = top = sigma * psi
    for j in range(sides):
        beta = get1(work, w, side(j) + BETA) + alpha * get1(work, w, side(j) + D_BETA)
        eta = get1(work, w, side(j) + ETA) + alpha * get1(work, w, side(j) + D_ETA)
        total, top = total + beta * eta, max(top, beta * eta)
    return total, top


@kernel
def put_pyramid_residuals(work, w, sides, m, kappa, second):
    """Residuals for the barrier kappa, plus `second` times the products of the last direction"""
    x, y = get1(work, w, at.TRIAL + 1), get1(work, w, at.TRIAL + 2)
    sigma, psi, total = get1(work, w, SIGMA), get1(work, w, at.VARIABLES + 4), 0.0
    for j in range(sides):
        beta, eta = get1(work, w, side(j) + BETA), get1(work, w, side(j) + ETA)
        more = second * get1(work, w, side(j) + D_BETA) * get1(work, w, side(j) + D_ETA)
        put1(work, w, side(j) + R_ETA, eta - psi - along(j, sides, x, y))
        put1(work, w, side(j) + R_BETA, beta * eta - kappa + more)
        total += beta
    put1(work, w, R_SIGMA, sigma - m + total)
    more = second * get1(work, w, D_SIGMA) * get1(work, w, at.DIRECTIONS + 4)
    put1(work, w, R_PSI, sigma * psi - kappa + more)


@kernel
def pyramid_change(work, w, sides, dm, d1, d2, homogeneous, keep):
    """(db1, db2) for a change dm of the largest friction force and (d1, d2) of the slip; keep: stores the
    directions of all variables"""
    sigma, psi = get1(work, w, SIGMA), get1(work, w, at.VARIABLES + 4)
    live = 0.0 if homogeneous else 1.0
    a, b = 0.0, 0.0
    for j in range(sides):
        beta, eta = get1(work, w, side(j) + BETA), get1(work, w, side(j) + ETA)
        d = along(j, sides, d1, d2) - live * get1(work, w, side(j) + R_ETA)
        a += (live * get1(work, w, side(j) + R_BETA) + beta * d) / eta
        b += beta / eta
    r_sigma, r_psi = live * get1(work, w, R_SIGMA), live * get1(work, w, R_PSI)
    dpsi = (-r_psi - psi * (dm + a - r_sigma)) / (sigma + psi * b)
    b1, b2, total = 0.0, 0.0, 0.0
    for j in range(sides):
        beta, eta = get1(work, w, side(j) + BETA), get1(work, w, side(j) + ETA)
        d_eta = dpsi + along(j, sides, d1, d2) - live * get1(work, w, side(j) + R_ETA)
        d_beta = -(live * get1(work, w, side(j) + R_BETA) + beta * d_eta) / eta
        total += d_beta
        b1, b2 = b1 + d_beta * along(j, sides, 1.0, 0.0), b2 + d_beta * along(j, sides, 0.0, 1.0)
        if keep:
            put1(work, w, side(j) + D_BETA, d_beta)
            put1(work, w, side(j) + D_ETA, d_eta)
    if keep:
        put1(work, w, D_SIGMA, dm - total - r_sigma)
        put1(work, w, at.DIRECTIONS + 4, dpsi)
    return b1, b2


@kernel
def pyramid_slip(work, w, sides, dm, b1, b2, homogeneous):
    """Change of the slip for a given change of the friction force: the inverse of `pyramid_change`"""
    c1, c2 = pyramid_change(work, w, sides, dm, 0.0, 0.0, homogeneous, False)
    a11, a21 = pyramid_change(work, w, sides, 0.0, 1.0, 0.0, True, False)
    a12, a22 = pyramid_change(work, w, sides, 0.0, 0.0, 1.0, True, False)
    x, y, det = b1 - c1, b2 - c2, a11 * a22 - a12 * a21
    return (a22 * x - a12 * y) / det, (a11 * y - a21 * x) / det


@kernel
def longest_pyramid_step(work, w, sides):
    """The longest part of the direction that keeps all variables positive"""
    step = longest_step(get1(work, w, SIGMA), get1(work, w, D_SIGMA))
    step = min(step, longest_step(get1(work, w, at.VARIABLES + 4), get1(work, w, at.DIRECTIONS + 4)))
    for j in range(sides):
        step = min(step, longest_step(get1(work, w, side(j) + BETA), get1(work, w, side(j) + D_BETA)))
        step = min(step, longest_step(get1(work, w, side(j) + ETA), get1(work, w, side(j) + D_ETA)))
    return step


@kernel
def pyramid_error(work, w, sides):
    """Largest error of the slips [m]"""
    x, y = get1(work, w, at.TRIAL + 1), get1(work, w, at.TRIAL + 2)
    psi, top, total = get1(work, w, at.VARIABLES + 4), 0.0, 0.0
    for j in range(sides):
        e = get1(work, w, side(j) + ETA) - psi - along(j, sides, x, y)
        top, total = max(top, abs(e)), total + e
    return top + 0.0 * total


@kernel
def move_pyramid(work, w, sides, alpha):
    """Variables moved by a part alpha of their direction (psi, gamma apart)"""
    put1(work, w, SIGMA, get1(work, w, SIGMA) + alpha * get1(work, w, D_SIGMA))
    for j in range(sides):
        put1(work, w, side(j) + BETA, get1(work, w, side(j) + BETA) + alpha * get1(work, w, side(j) + D_BETA))
        put1(work, w, side(j) + ETA, get1(work, w, side(j) + ETA) + alpha * get1(work, w, side(j) + D_ETA))
    put_friction(work, w, sides)
