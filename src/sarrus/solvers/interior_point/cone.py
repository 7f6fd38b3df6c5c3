"""One contact as an interior point sees it: normal s gamma = kappa and the friction cone (m, b) o (psi, l) =
kappa (1, 0, 0), m = mu gamma the largest friction force.

s: gap [m], gamma: normal force [N], b: friction force, l: slip [m], psi: the multiplier of maximum
dissipation, |l| when sliding.  `o` is the Jordan product: m psi + b.l = kappa and m l + psi b = 0.  Products
of force and displacement are energies, so one barrier kappa [J] serves both.

Implements: the exact form of [MC23] eqs. (29c)-(29f).  Differs: second-order cone instead of a pyramid,
displacements instead of velocities.

In the convex problem of `convex.py` the cone is (W (m, b)) o (W^-1 (psi, l)) = kappa (1, 0, 0), with the same
central path."""

from math import sqrt

from sarrus._jit import helper

# Rounding of a force at the boundary of its cone, as a part of it.
ROUNDING = 1e-15
# Accuracy of a root on the path, as a part of it, and the most steps to it.
ROOT, ROOT_STEPS = 1e-12, 60


@helper
def path_gap(phi, kappa, stiffness):
    """(s, gamma) on the central path of a contact whose force is a spring: s - gamma / stiffness = phi and
    s gamma = kappa"""
    root = sqrt(phi * phi + 4.0 * kappa / stiffness)
    s = 0.5 * (phi + root) if phi >= 0.0 else 2.0 * kappa / stiffness / (root - phi)
    return s, kappa / s


@helper
def path_slip(m, l1, l2, kappa):
    """(b1, b2, psi) on the central path for the slip (l1, l2)"""
    a = kappa / m
    psi = 0.5 * (a + sqrt(a * a + 4.0 * (l1 * l1 + l2 * l2)))
    return -m / psi * l1, -m / psi * l2, psi


@helper
def path_cone(z0, z1, z2, kappa, stiffness):
    """(m, b1, b2, psi, l1, l2) on the central path of a cone whose forces are springs: stiffness (psi, l) -
    (m, b) = z, (m, b) o (psi, l) = kappa (1, 0, 0)"""
    size = sqrt(z1 * z1 + z2 * z2)
    near, pull = path_gap((z0 - size) / stiffness, kappa, stiffness)
    far, push = path_gap((z0 + size) / stiffness, kappa, stiffness)
    d1, d2 = (0.5 * z1 / size, 0.5 * z2 / size) if size > 0.0 else (0.0, 0.0)
    force, slip = push - pull, far - near
    return 0.5 * (push + pull), force * d1, force * d2, 0.5 * (far + near), slip * d1, slip * d2


@helper
def path_friction(m, z1, z2, kappa, stiffness):
    """(b1, b2, psi, l1, l2) on the central path of a contact whose friction is a spring: stiffness l - b = z.

    With p = stiffness psi: m p (1 - |z|^2 / (p + m)^2) = stiffness kappa, one root beyond |z| - m; sticking
    and sliding come out by themselves"""
    size, product = sqrt(z1 * z1 + z2 * z2), stiffness * kappa
    over, under = max(size - m, 0.0), max(m - size, 0.0)
    low, high, d = 0.0, 1e300, product / m + sqrt(product)
    for _ in range(ROOT_STEPS):
        p = over + d
        q = (d + under) / (p + m) * (1.0 + size / (p + m))
        value = m * p * q - product
        if value < 0.0:
            low = d
        else:
            high = d
        last, d = d, d - value / (m * q + 2.0 * m * p * (1.0 - q) / (p + m))
        if not (low < d < high):
            d = 2.0 * low if high == 1e300 else 0.5 * (low + high)
        if abs(d - last) <= ROOT * d:
            break
    p = over + d
    force, slip = -m / (p + m), p / (p + m) / stiffness
    return force * z1, force * z2, p / stiffness, slip * z1, slip * z2


@helper
def normal_direction(s, gamma, r0, r1, dphi):
    """(ds, dgamma) of the linearised s = phi (residual r0) and s gamma = kappa (r1)"""
    ds = dphi - r0
    return ds, -(r1 + gamma * ds) / s


@helper
def friction_direction(m, dm, b, psi, l, r, d):
    """(db, dpsi, dl) of the linearised l = slip (residuals r[0:2]) and cone (r[2:5]), for a change d of the
    slip"""
    dl1, dl2 = d[0] - r[0], d[1] - r[1]
    q1, q2 = r[3] + m * dl1 + dm * l[0], r[4] + m * dl2 + dm * l[1]
    top = -r[2] - psi * dm - b[0] * dl1 - b[1] * dl2 + (l[0] * q1 + l[1] * q2) / psi
    dpsi = top / (m - (l[0] * b[0] + l[1] * b[1]) / psi)
    return -(q1 + b[0] * dpsi) / psi, -(q2 + b[1] * dpsi) / psi, dpsi, dl1, dl2


@helper
def jordan(x, y):
    """x o y"""
    return (
        x[0] * y[0] + x[1] * y[1] + x[2] * y[2],
        x[0] * y[1] + y[0] * x[1],
        x[0] * y[2] + y[0] * x[2],
    )


@helper
def boundary_product(x):
    """x0^2 - |x1|^2, above 0 inside the cone"""
    size = sqrt(x[1] * x[1] + x[2] * x[2])
    return max((x[0] - size) * (x[0] + size), ROUNDING * x[0] * x[0])


@helper
def jordan_divide(x, r):
    """y with x o y = r"""
    y0 = (x[0] * r[0] - x[1] * r[1] - x[2] * r[2]) / boundary_product(x)
    return y0, (r[1] - y0 * x[1]) / x[0], (r[2] - y0 * x[2]) / x[0]


@helper
def scaling(force, slip):
    """Nesterov and Todd's scaling W of a cone, as (size, three components): W force = W^-1 slip.

    With it the linear system of a convex problem is definite everywhere inside the cones, not only near the
    central path"""
    f, s = sqrt(boundary_product(force)), sqrt(boundary_product(slip))
    z, y = scaled3(1.0 / f, force), scaled3(1.0 / s, slip)
    half = sqrt(0.5 * (1.0 + z[0] * y[0] + z[1] * y[1] + z[2] * y[2]))
    w1, w2 = 0.5 * (y[1] - z[1]) / half, 0.5 * (y[2] - z[2]) / half
    return sqrt(s / f), sqrt(1.0 + w1 * w1 + w2 * w2), w1, w2


@helper
def scaled3(a, x):
    return a * x[0], a * x[1], a * x[2]


@helper
def times_scaling(W, x):
    """W x"""
    size, w0, w1, w2 = W
    along = w1 * x[1] + w2 * x[2]
    a = x[0] + along / (1.0 + w0)
    return size * (w0 * x[0] + along), size * (x[1] + a * w1), size * (x[2] + a * w2)


@helper
def inverse_of(W):
    """W^-1, of the same form"""
    size, w0, w1, w2 = W
    return 1.0 / size, w0, -w1, -w2


@helper
def scaled_residual(force, slip, kappa, dforce, dslip):
    """Residual of (W force) o (W^-1 slip) = kappa (1, 0, 0), with the product of two directions"""
    W = scaling(force, slip)
    middle = times_scaling(W, force)
    r = jordan(middle, middle)
    d = jordan(times_scaling(W, dforce), times_scaling(inverse_of(W), dslip))
    return r[0] - kappa + d[0], r[1] + d[1], r[2] + d[2]


@helper
def cone_force(force, slip, r, dslip):
    """(dm, db) of the linearised cone with the residual r of `scaled_residual`, for a change (dpsi, dl)"""
    W = scaling(force, slip)
    other = inverse_of(W)
    x, y = jordan_divide(times_scaling(W, force), r), times_scaling(other, dslip)
    return times_scaling(other, (-x[0] - y[0], -x[1] - y[1], -x[2] - y[2]))


@helper
def cone_slip(force, slip, r, dforce):
    """(dpsi, dl) for a change (dm, db): the inverse of `cone_force`"""
    return cone_force(slip, force, r, dforce)


@helper
def friction_multiplier(m, dm, b, psi, l, r, db):
    """dpsi for a given change of the friction force"""
    q1, q2 = r[3] + dm * l[0] + psi * db[0], r[4] + dm * l[1] + psi * db[1]
    top = -r[2] - psi * dm - l[0] * db[0] - l[1] * db[1] + (b[0] * q1 + b[1] * q2) / m
    size = sqrt(b[0] * b[0] + b[1] * b[1])
    return top / max((m - size) * (m + size) / m, ROUNDING * m)


@helper
def friction_slip(m, dm, b, psi, l, r, db):
    """Change of the slip for a given change of the friction force: the inverse of `friction_direction`"""
    dpsi = friction_multiplier(m, dm, b, psi, l, r, db)
    dl1 = -(r[3] + dm * l[0] + psi * db[0] + b[0] * dpsi) / m
    dl2 = -(r[4] + dm * l[1] + psi * db[1] + b[1] * dpsi) / m
    return dl1 + r[0], dl2 + r[1]


@helper
def longest_step(x, dx):
    """The largest a with x + a dx >= 0"""
    return -x / dx if dx < 0.0 else 1e300


@helper
def longest_cone_step(t, dt, v1, v2, d1, d2):
    """The largest a with t + a dt >= |v + a d|"""
    a = dt * dt - d1 * d1 - d2 * d2
    b = t * dt - v1 * d1 - v2 * d2
    size = sqrt(v1 * v1 + v2 * v2)
    c = (t - size) * (t + size)
    root = b * b - a * c
    step = 1e300
    if root >= 0.0:
        if b < 0.0:
            step = c / (sqrt(root) - b)
        elif a < 0.0:
            step = -(b + sqrt(root)) / a
    if step < 0.0:
        step = 0.0
    return min(step, longest_step(t, dt))
