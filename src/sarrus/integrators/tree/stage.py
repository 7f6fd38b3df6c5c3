"""One stage of a step: the frames at a place of the step, the Lagrangian's derivatives there, and the
generators of the Newton matrix.

With S the motion of a freedom, Sd = V_parent x S, Ic, H, W inertia, momentum and weight of all that hangs on
its frame:
    m = dL/dv = S.H                           g = dL/dq = Sd.H + S.W
    a = Ic S,  b = S x* H + Ic Sd,  and for j above i or i itself
    M_ij = a_i.S_j   dm_i/dq_j = a_i.Sd_j   dm_j/dq_i = b_i.S_j (j != i)   dg_i/dq_j = b_i.Sd_j + w_i.S_j
so that the Newton matrix is J_ij = Y_i.S+_j for j above i and J_ji = S-_j.Z_i.

Implements: the derivatives that [JM09] eqs. (2)-(10), (20)-(22) form frame by frame, and [Kob14] (61)-(64).
Differs: no derivative of a frame's velocity is formed; the mixed terms of (22) are transposes of each other,
which its print loses."""

from math import cos, sin

from sarrus._jit import helper, kernel
from sarrus.integrators.tree import columns as col
from sarrus.integrators.tree.groups import (
    IDENTITY,
    collect,
    increment,
    motion_maps,
    motion_slopes,
    rotation_maps,
    rotation_slopes,
    stage_group,
)
from sarrus.maths.access import get1, get3, get4, get6, get9, put3, put4, put6, put9
from sarrus.maths.quaternion import qmul, rotation
from sarrus.maths.spatial import ZERO6, add6, axpy6, dot6, scale6
from sarrus.maths.vectors import ZERO3, add3, axpy3, cross, dot, mm, mv, scale3

NO_TURN = (1.0, 0.0, 0.0, 0.0)


@helper
def motion_cross(a, b):
    """a x b of two motions (rotation, translation)"""
    return cross(a[0], b[0]), add3(cross(a[0], b[1]), cross(a[1], b[0]))


@helper
def force_cross(a, f):
    """a x* f of a motion and a force (torque, force)"""
    return add3(cross(a[0], f[0]), cross(a[1], f[1])), cross(a[0], f[1])


@helper
def inertia_times(wf, i, s):
    """Momentum of all that hangs on frame i, when it moves by s"""
    m, c = get1(wf, i, col.IC), get3(wf, i, col.IC + 1)
    w = s[0]
    xx, yy, zz = wf[i, col.IC + 4], wf[i, col.IC + 5], wf[i, col.IC + 6]
    xy, xz, yz = wf[i, col.IC + 7], wf[i, col.IC + 8], wf[i, col.IC + 9]
    turned = (
        xx * w[0] + xy * w[1] + xz * w[2],
        xy * w[0] + yy * w[1] + yz * w[2],
        xz * w[0] + yz * w[1] + zz * w[2],
    )
    return add3(turned, cross(c, s[1])), axpy3(m, s[1], cross(w, c))


@helper
def put_inertia(tree, con, wf, i, R, o):
    """Inertia of the body of frame i alone, about the origin"""
    m = get1(con, i, col.MASS)
    c = add3(o, mv(R, get3(con, i, col.CENTRE)))
    k = col.INERTIA
    J = (
        con[i, k], con[i, k + 3], con[i, k + 4],
        con[i, k + 3], con[i, k + 1], con[i, k + 5],
        con[i, k + 4], con[i, k + 5], con[i, k + 2],
    )  # fmt: skip
    # Most bodies have their principal axes along those of the frame.
    if tree[i + 1, col.HEAVY] == 2:
        T = (
            R[0] * J[0], R[1] * J[4], R[2] * J[8], R[3] * J[0], R[4] * J[4], R[5] * J[8],
            R[6] * J[0], R[7] * J[4], R[8] * J[8],
        )  # fmt: skip
    else:
        T = mm(R, J)
    wf[i, col.IC] = m
    put3(wf, i, col.IC + 1, scale3(m, c))
    x, y, z = c
    wf[i, col.IC + 4] = T[0] * R[0] + T[1] * R[1] + T[2] * R[2] + m * (y * y + z * z)
    wf[i, col.IC + 5] = T[3] * R[3] + T[4] * R[4] + T[5] * R[5] + m * (x * x + z * z)
    wf[i, col.IC + 6] = T[6] * R[6] + T[7] * R[7] + T[8] * R[8] + m * (x * x + y * y)
    wf[i, col.IC + 7] = T[0] * R[3] + T[1] * R[4] + T[2] * R[5] - m * x * y
    wf[i, col.IC + 8] = T[0] * R[6] + T[1] * R[7] + T[2] * R[8] - m * x * z
    wf[i, col.IC + 9] = T[3] * R[6] + T[4] * R[7] + T[5] * R[8] - m * y * z


@helper
def put_group_motions(wf, wd, i, d, count, q, o, Vp):
    """Motions of group joint i; returns the velocity of its frame"""
    R = rotation(q)
    V = Vp
    for e in range(count):
        a = (R[e % 3], R[3 + e % 3], R[6 + e % 3])
        s = (a, cross(o, a)) if e < 3 else (ZERO3, a)
        put6(wd, d + e, col.S, s)
        put6(wd, d + e, col.SD, motion_cross(Vp, s))
        V = axpy6(wd[d + e, col.VT], s, V)
    return V


@kernel
def put_references(tree, con, node, wf):
    """REF of all frames, for the steps from this node: the place that the slides at the root of their tree,
    or the free body there, lead to"""
    frames = tree[0, col.FRAMES]
    for i in range(frames):
        p, last, o = tree[i + 1, col.PARENT], i, ZERO3
        if p >= 0:
            put3(wf, i, col.REF, get3(wf, p, col.REF))
            continue
        while True:
            kind = tree[last + 1, col.KIND]
            o = add3(o, get3(con, last, col.OFFSET))
            if kind == col.SLIDE:
                o = axpy3(node[last, col.VALUE], get3(con, last, col.AXIS), o)
            elif kind == col.MOTION:
                o = add3(o, get3(node, last, col.PLACE))
            if kind != col.SLIDE or last + 1 == frames or tree[last + 2, col.PARENT] != last:
                break
            last += 1
        put3(wf, i, col.REF, o)


@kernel
def place_frames(tree, con, node, wf, wd, c, moves):
    """Turn, place and velocity of all frames at the stage c of the step, their motions, and inertia and
    momentum of what each carries itself; REF is known.  moves: False where turns, places and motions are
    enough"""
    q, R, o, V = NO_TURN, IDENTITY, ZERO3, ZERO6
    for i in range(tree[0, col.FRAMES]):
        p, kind, d = tree[i + 1, col.PARENT], tree[i + 1, col.KIND], tree[i + 1, col.FIRST]
        # The frame above is the last one, as in a chain, or it is fetched.
        if p < 0:
            q, R, o, V = NO_TURN, IDENTITY, scale3(-1.0, get3(wf, i, col.REF)), ZERO6
        elif p != i - 1:
            q, R, V = get4(wf, p, col.QF), get9(wf, p, col.RF), get6(wf, p, col.VF)
            o = get3(wf, p, col.OF)
        o = add3(o, mv(R, get3(con, i, col.OFFSET)))
        if kind <= col.SCREW:
            axis = get3(con, i, col.AXIS)
            a, value = mv(R, axis), node[i, col.VALUE] + c * wd[d, col.XT]
            if kind == col.TURN:
                half = sin(0.5 * value)
                q = qmul(q, (cos(0.5 * value), half * axis[0], half * axis[1], half * axis[2]))
                R = rotation(q)
                s = (a, cross(o, a))
            elif kind == col.SLIDE:
                o = axpy3(value, a, o)
                s = (ZERO3, a)
            else:
                half, pitch = sin(0.5 * value), con[i, col.PITCH]
                q = qmul(q, (cos(0.5 * value), half * axis[0], half * axis[1], half * axis[2]))
                R = rotation(q)
                o = axpy3(pitch * value, a, o)
                s = (a, axpy3(pitch, a, cross(o, a)))
            put6(wd, d, col.S, s)
            if moves:
                put6(wd, d, col.SD, motion_cross(V, s))
                V = axpy6(wd[d, col.VT], s, V)
        else:
            stage_group(node, wf, wd, i, d, kind == col.ROTATION, c)
            o = add3(o, mv(R, get3(wf, i, col.STAGED + 4)))
            q = qmul(q, get4(wf, i, col.STAGED))
            R = rotation(q)
            V = put_group_motions(wf, wd, i, d, tree[i + 1, col.COUNT], q, o, V)
        put4(wf, i, col.QF, q)
        put9(wf, i, col.RF, R)
        put3(wf, i, col.OF, o)
        if not moves:
            continue
        put6(wf, i, col.VF, V)
        if tree[i + 1, col.HEAVY]:
            put_inertia(tree, con, wf, i, R, o)
            put6(wf, i, col.HC, inertia_times(wf, i, V))
        else:
            for k in range(10):
                wf[i, col.IC + k] = 0.0
            put6(wf, i, col.HC, ZERO6)


@helper
def pass_on(tree, wf, i):
    """Adds inertia and momentum of frame i to those of its parent"""
    p = tree[i + 1, col.PARENT]
    if p >= 0:
        for k in range(16):
            wf[p, col.IC + k] += wf[i, col.IC + k]


@kernel
def gather(tree, wf):
    """Inertia and momentum of all that hangs on each frame"""
    for i in range(tree[0, col.FRAMES] - 1, -1, -1):
        pass_on(tree, wf, i)


@helper
def weight_of(wf, i, gravity):
    """Wrench of gravity on all that hangs on frame i"""
    return cross(get3(wf, i, col.IC + 1), gravity), scale3(wf[i, col.IC], gravity)


@helper
def put_vectors(wf, wd, i, d, gravity):
    """a, b and gravity's term of freedom d of frame i"""
    s = get6(wd, d, col.S)
    put6(wd, d, col.AI, inertia_times(wf, i, s))
    b = add6(inertia_times(wf, i, get6(wd, d, col.SD)), force_cross(s, get6(wf, i, col.HC)))
    put6(wd, d, col.BI, b)
    lever = axpy3(wf[i, col.IC], s[1], cross(s[0], get3(wf, i, col.IC + 1)))
    put3(wd, d, col.WG, cross(lever, gravity))


@kernel
def residuals(tree, wf, wd, c, dt, weight, gravity):
    """Inertia and momentum of all that hangs on each frame; adds what the stage c gives to the residual R and
    to the momentum P2 at the end of the step"""
    left, right = weight * (1.0 - c) * dt, weight * c * dt
    for i in range(tree[0, col.FRAMES] - 1, -1, -1):
        d, H, W = tree[i + 1, col.FIRST], get6(wf, i, col.HC), weight_of(wf, i, gravity)
        pass_on(tree, wf, i)
        if tree[i + 1, col.KIND] <= col.SCREW:
            s = get6(wd, d, col.S)
            m, g = dot6(s, H), dot6(get6(wd, d, col.SD), H) + dot6(s, W)
            wd[d, col.R] += left * g - weight * m
            wd[d, col.P2] += right * g + weight * m
        else:
            group_residual(tree, wf, wd, i, c, dt, weight, H, W)


@kernel
def put_maps(tree, wf, wd, i, c):
    """Maps of group joint i at the stage c"""
    d = tree[i + 1, col.FIRST]
    if tree[i + 1, col.COUNT] == 3:
        rotation_maps(wf, i, increment(wd, d), c)
    else:
        motion_maps(wf, i, increment(wd, d), increment(wd, d + 3), c)


@kernel
def group_residual(tree, wf, wd, i, c, dt, weight, H, W):
    """`residuals` of group joint i: D1 = dt A'g - B'm, D2 = dt C'g + E'm; its maps, m and g are
    left for `own_block`"""
    d, count = tree[i + 1, col.FIRST], tree[i + 1, col.COUNT]
    put_maps(tree, wf, wd, i, c)
    for e in range(count):
        s = get6(wd, d + e, col.S)
        wd[d + e, col.RHS] = dot6(s, H)
        wd[d + e, col.G] = dot6(get6(wd, d + e, col.SD), H) + dot6(s, W)
    for e in range(count):
        r = 0.0
        p = 0.0
        for k in range(count):
            g, m, at = dt * wd[d + k, col.G], wd[d + k, col.RHS], count * k + e
            r += wf[i, col.MAP_A + at] * g - wf[i, col.MAP_B + at] * m
            p += wf[i, col.MAP_C + at] * g + wf[i, col.MAP_E + at] * m
        wd[d + e, col.R] += weight * r
        wd[d + e, col.P2] += weight * p
    if count == 6:
        if c == 0.0:
            put3(wf, i, col.GIVEN, ZERO3)
            put3(wf, i, col.GIVEN + 3, ZERO3)
        collect(wf, wd, i, d, c, weight * dt, col.G)


@helper
def put_port(wd, d, column, first, s):
    put3(wd, d, column + first, s[0])
    put3(wd, d, column + first + 3, s[1])


@kernel
def generators(tree, wf, wd, c, dt, weight, gravity, first, weighs):
    """Generators of the Newton matrix at the stage c, from column `first` of the ports, and own blocks.

    weighs: whether the port has gravity's three columns.  Of the trapezoid the own blocks of the two stages
    add up, those of scalar freedoms follow from the ports"""
    before = 1.0 - c
    for i in range(tree[0, col.FRAMES]):
        d = tree[i + 1, col.FIRST]
        if tree[i + 1, col.KIND] > col.SCREW:
            group_generators(tree, wf, wd, i, c, dt, weight, gravity, first, weighs)
            continue
        put_vectors(wf, wd, i, d, gravity)
        s, sd = get6(wd, d, col.S), get6(wd, d, col.SD)
        a, b = scale6(weight / dt, get6(wd, d, col.AI)), scale6(weight, get6(wd, d, col.BI))
        put_port(wd, d, col.SP, first, axpy6(c * dt, sd, s))
        put_port(wd, d, col.SM, first, axpy6(-1.0, s, scale6(before * dt, sd)))
        put_port(wd, d, col.Y, first, axpy6(-1.0, a, scale6(before, b)))
        put_port(wd, d, col.Z, first, axpy6(c, b, a))
        if weighs:
            w = scale3(weight * dt, get3(wd, d, col.WG))
            put3(wd, d, col.SP + 6, scale3(c, s[0]))
            put3(wd, d, col.SM + 6, scale3(before, s[0]))
            put3(wd, d, col.Y + 6, scale3(before, w))
            put3(wd, d, col.Z + 6, scale3(c, w))


@kernel
def group_generators(tree, wf, wd, i, c, dt, weight, gravity, first, weighs):
    """`generators` of group joint i, whose maps are known"""
    d, count = tree[i + 1, col.FIRST], tree[i + 1, col.COUNT]
    for e in range(count):
        put_vectors(wf, wd, i, d + e, gravity)
        if first == 0:
            for k in range(count):
                wd[d + e, col.OWN + k] = 0.0
    for e in range(count):
        sp, sm, y, z = get6(wd, d + e, col.S), ZERO6, ZERO6, scale6(1.0 / dt, get6(wd, d + e, col.AI))
        sx, sa, wa, wx = ZERO3, ZERO3, ZERO3, ZERO3
        for k in range(count):
            at = count * k + e
            A, B, X = wf[i, col.MAP_A + at], wf[i, col.MAP_B + at], wf[i, col.MAP_X + at]
            s, sd = get6(wd, d + k, col.S), get6(wd, d + k, col.SD)
            a, b, w = get6(wd, d + k, col.AI), get6(wd, d + k, col.BI), get3(wd, d + k, col.WG)
            sp = axpy6(dt * X, sd, sp)
            sm = axpy6(-B, s, axpy6(dt * A, sd, sm))
            y = axpy6(A, b, axpy6(-B / dt, a, y))
            z = axpy6(X, b, z)
            sx, sa = axpy3(X, s[0], sx), axpy3(A, s[0], sa)
            wa, wx = axpy3(A, w, wa), axpy3(X, w, wx)
        put_port(wd, d + e, col.SP, first, sp)
        put_port(wd, d + e, col.SM, first, sm)
        put_port(wd, d + e, col.Y, first, scale6(weight, y))
        put_port(wd, d + e, col.Z, first, scale6(weight, z))
        if weighs:
            put3(wd, d + e, col.SP + 6, sx)
            put3(wd, d + e, col.SM + 6, sa)
            put3(wd, d + e, col.Y + 6, scale3(weight * dt, wa))
            put3(wd, d + e, col.Z + 6, scale3(weight * dt, wx))
    own_block(tree, wf, wd, i, c, dt, weight, gravity)


@kernel
def own_block(tree, wf, wd, i, c, dt, weight, gravity):
    """Adds the own block of group joint i: weight (dt A'(Q X + P'/dt) - B'(P X + M/dt)), and what the change
    of the maps gives.

    Its motions do not commute: column k of Q has (Vp x (S_k x S)).H + (S_k x S).W added"""
    d, count, p = tree[i + 1, col.FIRST], tree[i + 1, col.COUNT], tree[i + 1, col.PARENT]
    H, W, Vp = get6(wf, i, col.HC), weight_of(wf, i, gravity), ZERO6
    if p >= 0:
        Vp = get6(wf, p, col.VF)
    for u in range(count):
        su, sdu, au = get6(wd, d + u, col.S), get6(wd, d + u, col.SD), get6(wd, d + u, col.AI)
        for e in range(count):
            # Row u of (Q X + P'/dt) and (P X + M/dt), column e.
            g = dot6(get6(wd, d + e, col.AI), sdu) / dt
            m = dot6(au, get6(wd, d + e, col.S)) / dt
            for k in range(count):
                X = wf[i, col.MAP_X + count * k + e]
                if X != 0.0:
                    cross_s = motion_cross(get6(wd, d + k, col.S), su)
                    q = dot6(sdu, get6(wd, d + k, col.BI)) + dot(su[0], get3(wd, d + k, col.WG))
                    q += dot6(motion_cross(Vp, cross_s), H) + dot6(cross_s, W)
                    g += q * X
                    m += dot6(au, get6(wd, d + k, col.SD)) * X
            for r in range(count):
                A, B = wf[i, col.MAP_A + count * u + r], wf[i, col.MAP_B + count * u + r]
                wd[d + r, col.OWN + e] += weight * (dt * A * g - B * m)
    if count == 3:
        g = (wd[d, col.G], wd[d + 1, col.G], wd[d + 2, col.G])
        m = (wd[d, col.RHS], wd[d + 1, col.RHS], wd[d + 2, col.RHS])
        rotation_slopes(wf, wd, i, d, c, dt, weight, g, m)
    else:
        m = (wd[d, col.RHS], wd[d + 1, col.RHS], wd[d + 2, col.RHS])
        motion_slopes(wd, d, weight, m, (wd[d + 3, col.RHS], wd[d + 4, col.RHS], wd[d + 5, col.RHS]))


@kernel
def mass_generators(tree, wf, wd):
    """Generators of the mass matrix, and own blocks of group joints"""
    for i in range(tree[0, col.FRAMES]):
        for d in range(tree[i + 1, col.FIRST], tree[i + 1, col.FIRST] + tree[i + 1, col.COUNT]):
            s = get6(wd, d, col.S)
            a = inertia_times(wf, i, s)
            put_port(wd, d, col.SP, 0, s)
            put_port(wd, d, col.SM, 0, s)
            put_port(wd, d, col.Y, 0, a)
            put_port(wd, d, col.Z, 0, a)
        if tree[i + 1, col.KIND] > col.SCREW:
            first, count = tree[i + 1, col.FIRST], tree[i + 1, col.COUNT]
            for u in range(count):
                for e in range(count):
                    wd[first + u, col.OWN + e] = dot6(get6(wd, first + u, col.Y), get6(wd, first + e, col.S))
