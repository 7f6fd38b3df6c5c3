"""A small independent model of the joints that the gallery uses: residuals, Jacobian, random motion, rank.

Rows are dot products of directions and points, unlike those of the package, so that neither can hide a
fault of the other."""

import numpy as np

from sarrus.mechanism import JOINT_KINDS, Joint, Rolling

RANK_TOLERANCE = (
    1e-7  # singular values: rounding leaves 1e-14, generic configurations of the gallery keep > 1e-4
)


def rotation(q):
    """The rotation matrix (3, 3) of a quaternion (w, x, y, z)."""
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def rodrigues(v):
    """The rotation matrix of the rotation vector `v`."""
    angle = np.linalg.norm(v)
    if angle == 0:
        return np.eye(3)
    k = v / angle
    K = np.array([[0, -k[2], k[1]], [k[2], 0, -k[0]], [-k[1], k[0], 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def basis(axis):
    """Two unit vectors across `axis`."""
    u = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    u /= np.linalg.norm(u)
    return u, np.cross(axis, u)


class Joints:
    """The joint rows of a mechanism at a configuration R (nb+1, 3, 3), x (nb+1, 3); the last is the world."""

    def __init__(self, mech):
        self.mech = mech
        self.names = [*mech.bodies, "world"]
        self.x = np.array([b.position for b in mech.bodies.values()] + [np.zeros(3)])
        self.R = np.array([rotation(b.orientation) for b in mech.bodies.values()] + [np.eye(3)])
        self.points, self.dots = [], []
        for joint in mech.joints.values():
            if isinstance(joint, Joint):
                self._add(joint)
            else:
                assert isinstance(joint, Rolling)

    def _add(self, joint):
        a, b = self.names.index(joint.parent), self.names.index(joint.child)
        kind = JOINT_KINDS[joint.kind]

        def local(body, v):
            return self.R[body].T @ v

        held = np.eye(3) if kind.translations == 0 else basis(joint.axis)
        if joint.kind == "planar":
            held = [joint.axis]
        assert joint.kind in (
            "fixed", "revolute", "prismatic", "universal", "spherical", "pin_in_slot", "planar",
        )  # fmt: skip
        for n in held:
            at = (local(a, joint.at - self.x[a]), local(b, joint.at - self.x[b]))
            self.points.append((a, b, local(a, n), *at))
        pairs = {
            "revolute": lambda: [(joint.axis, u) for u in basis(joint.axis)],
            "planar": lambda: [(joint.axis, u) for u in basis(joint.axis)],
            "pin_in_slot": lambda: [(joint.axis2, u) for u in basis(joint.axis2)],
            "universal": lambda: [(joint.axis, joint.axis2)],
            "spherical": list,
        }.get(joint.kind, lambda: [(np.eye(3)[i], np.eye(3)[(i + 1) % 3]) for i in range(3)])()
        for u, v in pairs:
            self.dots.append((a, b, local(a, u), local(b, v)))

    @property
    def rows(self):
        return len(self.points) + len(self.dots)

    def residual(self):
        """All rows (rows,)."""
        rows = []
        for a, b, n, p, r in self.points:
            gap = self.x[b] + self.R[b] @ r - self.x[a] - self.R[a] @ p
            rows.append((self.R[a] @ n) @ gap)
        rows += [(self.R[a] @ u) @ (self.R[b] @ v) for a, b, u, v in self.dots]
        return np.array(rows)

    def jacobian(self):
        """Derivative (rows, 6 nb) per world translation and world rotation of every body but the world."""
        G = np.zeros((self.rows, 6 * len(self.names)))
        for i, (a, b, n, p, r) in enumerate(self.points):
            m, P, Q = self.R[a] @ n, self.R[a] @ p, self.R[b] @ r
            gap = self.x[b] + Q - self.x[a] - P
            G[i, 6 * b : 6 * b + 6] = [*m, *np.cross(Q, m)]
            G[i, 6 * a : 6 * a + 6] = [*-m, *(np.cross(m, gap) - np.cross(P, m))]
        for i, (a, b, u, v) in enumerate(self.dots, start=len(self.points)):
            s, t = self.R[a] @ u, self.R[b] @ v
            G[i, 6 * b + 3 : 6 * b + 6] = np.cross(t, s)
            G[i, 6 * a + 3 : 6 * a + 6] = np.cross(s, t)
        return G[:, :-6]

    def move(self, step):
        """Moves every body by `step` (6 nb,): world translation and rotation vector."""
        for i, s in enumerate(step.reshape(-1, 6)):
            self.x[i] = self.x[i] + s[:3]
            self.R[i] = rodrigues(s[3:]) @ self.R[i]

    def assemble(self):
        """Gauss-Newton onto the constraints; the largest residual left."""
        for _ in range(20):
            g = self.residual()
            if np.max(np.abs(g), initial=0.0) < 1e-13:
                break
            self.move(-np.linalg.lstsq(self.jacobian(), g, rcond=1e-9)[0])
        return np.max(np.abs(self.residual()), initial=0.0)

    def wander(self, seed, steps=10, size=0.03):
        """A random feasible motion away from the present configuration."""
        rng = np.random.default_rng(seed)
        last = None
        for _ in range(steps):
            null = self.null_space()
            step = null @ (null.T @ rng.normal(size=null.shape[0]))
            step /= np.linalg.norm(step)
            if last is not None:
                step = 0.7 * (null @ (null.T @ last)) + 0.3 * step
                step /= np.linalg.norm(step)
            self.move(size * step)
            assert self.assemble() < 1e-12
            last = step

    def rank(self):
        """The rank of all rows here."""
        if not self.rows:
            return 0
        return int(np.sum(np.linalg.svd(self.jacobian(), compute_uv=False) > RANK_TOLERANCE))

    def null_space(self):
        """An orthonormal basis (6 nb, dof) of the motions that all rows allow."""
        if not self.rows:
            return np.eye(6 * (len(self.names) - 1))
        _, s, vt = np.linalg.svd(self.jacobian())
        return vt[np.sum(s > RANK_TOLERANCE) :].T


def mobility(mech, seeds=(0, 1), steps=10):
    """Degrees of freedom and redundant rows at a generic configuration: the largest rank over motions."""
    rank, rows = 0, 0
    for seed in seeds:
        joints = Joints(mech)
        joints.wander(seed, steps)
        rank, rows = max(rank, joints.rank()), joints.rows
    return 6 * len(mech.bodies) - rank, rows - rank
