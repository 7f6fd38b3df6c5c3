"""Constants of the mass matrix of a tree: how fast it changes with the configuration, and how small it can
get.

m1 <= the eigenvalues of M; l0 bounds u' (dM along w) v, l2 bounds u' (d2M along w, z) v, for unit vectors.
Guaranteed ones follow from the lengths, masses and axes of the tree alone; sampled ones from random
configurations, and are no bounds.

rho_bi: how far the centre of body b can be from axis i, d_ij: how far joint i from joint j (lengths of the
path); s_ij: 0 where axes i and j stay parallel, else 1.  M does not change when joint i moves unless i lies
below j or k; seen from link i column j changes by S_i x S_j, whose velocity at the centre of b is at most
C1_ij = s_ij rho_bi + d_ij.

Implements: [Kob14] eqs. (26)-(29), whose constants the paper leaves open."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from weakref import WeakKeyDictionary

import numpy as np

from sarrus.dynamics import articulated as kinds
from sarrus.model import Model

# Axes whose sine is below this are parallel.
PARALLEL = 1e-12
# More coordinates than this have no guaranteed constants: the tensors grow with the fourth power.
MOST = 12
# Cells after which the search for the least eigenvalue is given up, and how near to it it stops.
CELLS, NEAR = 2000, 0.9

_guaranteed: WeakKeyDictionary[Model, list[Constants] | str] = WeakKeyDictionary()


@dataclass(frozen=True)
class Constants:
    """m1, l0 (= l1 of the paper), l2 in coordinates scaled by `scale` (q' = scale q, in the order of the
    velocities); guaranteed: whether they are bounds, `how` they were found."""

    m1: float
    l0: float
    l2: float
    scale: np.ndarray
    guaranteed: bool
    how: str


@dataclass(frozen=True)
class Primitive:
    """A turn about an axis: place in the frame of the one below it, counted from the root."""

    parent: int
    velocity: int
    axis: np.ndarray
    offset: np.ndarray


@dataclass(frozen=True)
class Mass:
    """A body on a primitive: mass, centre in its frame, inertia about the centre."""

    primitive: int
    mass: float
    centre: np.ndarray
    inertia: np.ndarray


class Geometry:
    """The tree as turns and masses; `reason` says why it has no guaranteed constants, empty where it has."""

    def __init__(self, model: Model):
        self.model, self.reason = model, why_none(model)
        self.primitives: list[Primitive] = []
        self.masses: list[Mass] = []
        if self.reason:
            return
        tree = model.joint_dynamics.tree
        place: dict[int, tuple[int, np.ndarray]] = {-1: (-1, np.zeros(3))}
        for i, (parent, kind, v, _, _) in enumerate(tree.links):
            on, shift = place[int(parent)]
            row = tree.geometry[i]
            offset = shift + row[kinds.OFFSET : kinds.OFFSET + 3]
            if kind == kinds.TURN:
                axis = row[kinds.AXIS : kinds.AXIS + 3]
                self.primitives.append(Primitive(on, int(v), axis, offset))
                place[i] = len(self.primitives) - 1, np.zeros(3)
            else:
                place[i] = on, offset
                if row[kinds.MASS] > 0.0 and on >= 0:
                    inertia = row[kinds.INERTIA : kinds.INERTIA + 9].reshape(3, 3)
                    self.masses.append(Mass(on, float(row[kinds.MASS]), offset, inertia))
        self.order = np.array([p.velocity for p in self.primitives], int)
        self._measure()

    def path(self, i: int) -> list[int]:
        """Primitives from the root to i."""
        out = []
        while i >= 0:
            out.append(i)
            i = self.primitives[i].parent
        return out[::-1]

    def _measure(self) -> None:
        n = len(self.primitives)
        self.d, self.s = np.zeros((n, n)), np.ones((n, n))
        self.below = np.zeros((n, n), bool)
        for i in range(n):
            path = self.path(i)
            for a, j in enumerate(path):
                self.below[i, j] = True
                self.d[i, j] = sum(np.linalg.norm(self.primitives[k].offset) for k in path[a + 1 :])
                # All turns between keep the direction of axis j: frames are parallel in the reference.
                axes = [self.primitives[k].axis for k in path[a + 1 :]]
                same = all(np.linalg.norm(np.cross(self.primitives[j].axis, x)) < PARALLEL for x in axes)
                self.s[i, j] = 0.0 if same else 1.0
        self.rho = [
            np.array(
                [
                    np.linalg.norm(m.centre) + self.d[m.primitive, j] if self.below[m.primitive, j] else 0.0
                    for j in range(n)
                ]
            )
            for m in self.masses
        ]

    @property
    def planar(self) -> bool:
        """Whether all axes that lie on one path stay parallel."""
        return not self.s[self.below].any()


def why_none(model: Model) -> str:
    """Why a model has no guaranteed constants; empty where it has."""
    m = model.mechanism
    if model.contacts.any:
        return (
            f"contacts, ropes, limits and joint friction are not covered (here {model.contacts.name_of(0)!r})"
        )
    if model.description.tree.closures:
        names = [model.joint_names[j] for j in model.description.tree.closures]
        return f"closed loops and further constraints are not covered (here {names[0]!r})"
    for table, what in (
        (m.springs, "spring"), (m.potentials, "potential"), (m.custom_forces, "custom force"),
        (m.forces, "force"), (m.motors, "motor"),
    ):  # fmt: skip
        if table:
            return f"gravity, joint springs and dampers are covered, not the {what} {next(iter(table))!r}"
    tree = model.joint_dynamics.tree
    other = {
        kinds.SLIDE: "slides without bound",
        kinds.SCREW: "is a screw",
        kinds.BALL: "turns about a point",
    }
    for _, kind, v, _, _ in tree.links:
        if int(kind) in other:
            name = next(n for n, where in tree.velocity_slices.items() if where.start <= v < where.stop)
            return f"turns about axes are covered, and {name!r} {other[int(kind)]}"
    if tree.nv == 0:
        return "nothing moves"
    if tree.nv > MOST:
        return f"it has {tree.nv} coordinates, and constants are found for up to {MOST}"
    return ""


def mass_bounds(g: Geometry, scale: np.ndarray) -> tuple[float, float]:
    """Guaranteed (l0, l2) in scaled coordinates, scale (n,) in the order of the primitives."""
    n = len(g.primitives)
    T, F = np.zeros((n, n, n)), np.zeros((n, n, n, n))
    for m, rho in zip(g.masses, g.rho, strict=True):
        path = g.path(m.primitive)
        add_mass(g, m, rho, path, T, F)
    T = T / (scale[:, None, None] * scale[None, :, None] * scale)
    F = F / (scale[:, None, None, None] * scale[None, :, None, None] * scale[:, None] * scale)
    # Norms of nonnegative tensors by nested spectral norms.
    l0 = np.linalg.norm([np.linalg.norm(T[:, :, i], 2) for i in range(n)])
    inner = [[np.linalg.norm(F[:, :, i, h], 2) for h in range(n)] for i in range(n)]
    return float(l0), float(np.linalg.norm(np.array(inner), 2))


def add_mass(g: Geometry, m: Mass, rho: np.ndarray, path: list[int], T: np.ndarray, F: np.ndarray) -> None:
    """Adds what one body adds to the bounds of dM_jk/dq_i and d2M_jk/dq_i dq_h."""
    inertia = float(np.linalg.norm(m.inertia, 2))
    depth = {j: a for a, j in enumerate(path)}
    planar = not any(g.s[i, j] for i in path for j in path if g.below[i, j])

    def lies_below(i: int, j: int) -> bool:
        return depth[i] > depth[j]

    def c1(i: int, j: int) -> float:
        return g.s[i, j] * rho[i] + g.d[i, j] if lies_below(i, j) else 0.0

    def turns(i: int, j: int) -> float:
        return float(g.s[i, j]) if lies_below(i, j) else 0.0

    def c2(i: int, h: int, j: int) -> float:
        upper, lower = (i, h) if depth[i] <= depth[h] else (h, i)
        return c1(upper, j) + turns(upper, j) * rho[lower] if lies_below(upper, j) else 0.0

    def flat(i: int, j: int, k: int, h: int) -> float:
        """Parallel axes: x_b - o_j = (o_i - o_j) + (x_b - o_i), and only the second part turns with q_i"""
        upper, lower = (i, h) if depth[i] <= depth[h] else (h, i)
        deep = [lower]
        deep += [j] if depth[upper] <= depth[j] else []
        deep += [k] if depth[upper] <= depth[k] else []
        far = (g.d[upper, j] if lies_below(upper, j) else 0.0) + (
            g.d[upper, k] if lies_below(upper, k) else 0.0
        )
        return float(far * rho[max(deep, key=lambda x: depth[x])])

    for j in path:
        for k in path:
            for i in path:
                if planar:
                    T[j, k, i] += m.mass * flat(i, j, k, i)
                else:
                    T[j, k, i] += m.mass * (c1(i, j) * rho[k] + c1(i, k) * rho[j])
                    T[j, k, i] += inertia * (turns(i, j) + turns(i, k))
                for h in path:
                    if planar:
                        F[j, k, i, h] += m.mass * flat(i, j, k, h)
                        continue
                    F[j, k, i, h] += m.mass * (
                        c2(i, h, j) * rho[k]
                        + c2(i, h, k) * rho[j]
                        + c1(i, j) * c1(h, k)
                        + c1(h, j) * c1(i, k)
                    )
                    both = turns(i, j) * turns(h, k) + turns(h, j) * turns(i, k)
                    single = max(turns(i, j), turns(h, j)) + max(turns(i, k), turns(h, k))
                    F[j, k, i, h] += inertia * (single + both)


def least_inertia(g: Geometry, scale: np.ndarray) -> float:
    """m1 from the inertia of the links: |dq_j| <= |w_b| + |w_parent|; 0 where a link has none."""
    n = len(g.primitives)
    B, J = np.eye(n), np.zeros(n)
    for i, p in enumerate(g.primitives):
        if p.parent >= 0:
            B[i, p.parent] = 1.0
    for m in g.masses:
        axis = g.primitives[m.primitive].axis
        if g.planar or g.primitives[m.primitive].parent < 0:
            J[m.primitive] += axis @ m.inertia @ axis
        else:
            J[m.primitive] += np.linalg.eigvalsh(m.inertia)[0]
    if not n or J.min() <= 0.0:
        return 0.0
    return float(1.0 / np.linalg.norm(scale[:, None] * B / np.sqrt(J), 2) ** 2)


def covered_inertia(g: Geometry, scale: np.ndarray, l0: float) -> float:
    """m1 by branch and bound over up to two coordinates of the shape: the least eigenvalue in a cell is at
    least that of its centre less l0 times its radius; 0 where there are more, or after too many cells."""
    shape = [i for i, p in enumerate(g.primitives) if p.parent >= 0]
    roots = len(g.primitives) - len(shape)
    if len(shape) > 2 or roots != 1:
        return 0.0
    dynamics = g.model.joint_dynamics
    q0 = dynamics.tree.motion(g.model.initial_state())[0]

    def least(angles: np.ndarray) -> float:
        q = q0.copy()
        q[g.order[shape]] = angles
        M = dynamics.mass_matrix(dynamics.instant(q, np.zeros(len(scale))))[np.ix_(g.order, g.order)]
        return float(np.linalg.eigvalsh(M / np.outer(scale, scale))[0])

    corners = [np.array(signs) for signs in product((-1.0, 1.0), repeat=len(shape))]
    todo = [(np.zeros(len(shape)), np.pi)]
    best = lower = np.inf
    for _ in range(CELLS):
        if not todo:
            return max(lower, 0.0)
        centre, half = todo.pop()
        value = least(centre)
        best = min(best, value)
        bound = value - l0 * half * float(np.linalg.norm(scale[shape]))
        if bound >= NEAR * best or not shape:
            lower = min(lower, bound if shape else value)
        else:
            todo += [(centre + corner * half / 2, half / 2) for corner in corners]
    return 0.0


def scalings(g: Geometry) -> list[np.ndarray]:
    """Scales of the coordinates to try: 1, and the roots of the diagonal of the mass matrix."""
    dynamics = g.model.joint_dynamics
    now = dynamics.instant(*dynamics.tree.motion(g.model.initial_state()))
    diagonal = np.diag(dynamics.mass_matrix(now))[g.order]
    return [np.ones(len(diagonal)), np.sqrt(diagonal)]


def guaranteed_constants(model: Model) -> list[Constants] | str:
    """Guaranteed constants, one set for each scaling of the coordinates; or why there are none.  Found once
    per model."""
    if model not in _guaranteed:
        _guaranteed[model] = _guaranteed_constants(model)
    return _guaranteed[model]


def _guaranteed_constants(model: Model) -> list[Constants] | str:
    g = Geometry(model)
    if g.reason:
        return g.reason
    out = []
    for scale in scalings(g):
        l0, l2 = mass_bounds(g, scale)
        inertia, covered = least_inertia(g, scale), covered_inertia(g, scale, l0)
        m1 = max(inertia, covered)
        if m1 > 0.0:
            how = "branch and bound" if covered > inertia else "inertia of the links"
            back = np.empty(len(scale))
            back[g.order] = scale
            out.append(Constants(m1, l0, l2, back, True, how))
    if out:
        return out
    return "no bound of its mass matrix from below was found: a link without inertia, or too many coordinates"


def sampled_constants(model: Model, samples: int = 200, seed: int = 0) -> Constants:
    """Constants from random configurations: larger l and smaller m1 may exist, they promise nothing."""
    dynamics, random = model.joint_dynamics, np.random.default_rng(seed)
    tree = dynamics.tree
    start = tree.motion(model.initial_state())[0]
    m1, l0, l2 = np.inf, 0.0, 0.0
    for _ in range(samples):
        q = tree.moved(start, random.uniform(-np.pi, np.pi, tree.nv))
        m1 = min(
            m1, float(np.linalg.eigvalsh(dynamics.mass_matrix(dynamics.instant(q, np.zeros(tree.nv))))[0])
        )
        u, v, w = (x / np.linalg.norm(x) for x in random.normal(size=(3, tree.nv)))
        first = second = 0.0
        for _ in range(4):
            # Alternating: the largest of a multilinear form in one of its vectors is known.
            S, D = slopes(model, q, w)
            first = float(np.abs(np.linalg.eigvalsh(S)).max())
            second = float(np.abs(np.linalg.eigvalsh(D)).max())
            values, vectors = np.linalg.eigh(S)
            u = v = vectors[:, int(np.argmax(np.abs(values)))]
            gradient = np.array([u @ slopes(model, q, e)[0] @ v for e in np.eye(tree.nv)])
            size = float(np.linalg.norm(gradient))
            if size == 0.0:
                break
            w = gradient / size
        l0, l2 = max(l0, first), max(l2, second)
    return Constants(m1, l0, l2, np.ones(tree.nv), False, f"{samples} random configurations")


def slopes(model: Model, q: np.ndarray, w: np.ndarray, step: float = 1e-3) -> tuple[np.ndarray, np.ndarray]:
    """First and second derivative of the mass matrix along w, by differences."""
    dynamics, tree = model.joint_dynamics, model.joint_dynamics.tree
    still = np.zeros(tree.nv)
    before, here, after = (
        dynamics.mass_matrix(dynamics.instant(tree.moved(q, w, h), still)) for h in (-step, 0.0, step)
    )
    return (after - before) / (2 * step), (after - 2 * here + before) / step**2
