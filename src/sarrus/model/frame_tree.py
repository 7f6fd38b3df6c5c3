"""The spanning tree of a model as a tree of frames in joint coordinates: what the kernels of
`dynamics.articulated` read, and the way between states and coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sarrus import layout as at
from sarrus.dynamics import articulated as frame
from sarrus.mechanism.rotations import multiply, rotation
from sarrus.model.geometry import JointGeometry
from sarrus.model.state import State

if TYPE_CHECKING:
    from sarrus.model.model import Model

CONJUGATE = np.array([1.0, -1.0, -1.0, -1.0])


@dataclass(frozen=True)
class TreeJoint:
    """A joint of the spanning tree: its places among coordinates and velocities, and between which bodies
    (kernel numbers; the world comes last) it leads.

    name: of the joint, or of the body where it flies freely ("name (free)" where a joint has that name)."""

    name: str
    index: int
    geometry: JointGeometry
    a: int
    b: int
    coordinates: slice
    velocities: slice

    @property
    def ball(self) -> bool:
        """Whether it turns about a point: its last three velocities are the angular velocity of the child
        relative to the parent, in the frame of the child, its last four coordinates a quaternion."""
        return self.geometry.rotations == 3

    @property
    def scalars(self) -> int:
        """Coordinates that are numbers: all, or those before the quaternion."""
        return self.velocities.stop - self.velocities.start - (3 if self.ball else 0)


class FrameTree:
    """Joint coordinates of the spanning tree of a model.

    coordinates q (nq,): those of the joints of the tree in the order of the model, then of bodies that fly
    freely; joints with three rotations have a unit quaternion (child relative to parent) in the place of a
    rotation vector.  velocities v (nv,): rates of the coordinates; for quaternions the angular velocity of
    the child relative to the parent in the frame of the child.  `velocity_slices`: by name of joint, or of
    body.  links, geometry: tables of `dynamics.articulated`; body_frames: frame of every body (kernel
    numbers)."""

    def __init__(self, model: Model):
        self.model = model
        d = model.description
        bodies = len(d.tree.order)
        order = sorted(range(bodies), key=lambda b: d.tree.joint[b])
        self.joints: list[TreeJoint] = []
        self.joint_of: dict[int, TreeJoint] = {}
        q = v = 0
        for b in order:
            j = d.tree.joint[b]
            joint = d.joints[j]
            width = 1 if joint.kind == at.SCREW_PAIR else joint.translations + joint.rotations
            more = width + (joint.rotations == 3)
            name = joint.name or model.body_names[d.tree.order[b]]
            if not joint.name and name in model.joint_index:
                name = f"{name} (free)"
            ends = int(d.number[joint.a]), int(d.number[joint.b])
            entry = TreeJoint(name, j, joint, *ends, slice(q, q + more), slice(v, v + width))
            self.joints.append(entry)
            self.joint_of[b] = entry
            q, v = q + more, v + width
        self.nq, self.nv = q, v
        self.velocity_slices = {joint.name: joint.velocities for joint in self.joints}
        self._make_tables()

    def _make_tables(self) -> None:
        d = self.model.description
        bodies = list(self.model.mechanism.bodies.values())
        links: list[list[int]] = []
        geometry: list[np.ndarray] = []
        self.body_frames = np.zeros(len(d.tree.order), np.int64)

        def add(parent: int, kind: int, offset: np.ndarray, axis: np.ndarray, **more: float) -> int:
            row = np.zeros(frame.GEOMETRY_COLUMNS)
            row[frame.OFFSET : frame.OFFSET + 3], row[frame.AXIS : frame.AXIS + 3] = offset, axis
            row[frame.SIGN], row[frame.PITCH] = more.get("sign", 1.0), more.get("pitch", 0.0)
            width = {frame.FIXED: 0, frame.BALL: 3}.get(kind, 1)
            place = int(more.get("v", -1)), int(more.get("q", -1))
            links.append([parent, kind, *place, width])
            geometry.append(row)
            return len(links) - 1

        for b, parent in enumerate(d.tree.parent):
            joint = self.joint_of[b]
            last = -1 if parent >= len(d.tree.order) or parent < 0 else int(self.body_frames[parent])
            backwards = d.tree.is_reversed[b]
            g = joint.geometry
            offset = g.pb if backwards else g.pa
            moves = primitives(joint)
            for kind, axis, v, q in reversed(moves) if backwards else moves:
                sign, pitch = -1.0 if backwards else 1.0, g.number if kind == frame.SCREW else 0.0
                last = add(last, kind, offset, axis, sign=sign, pitch=pitch, v=v, q=q)
                offset = np.zeros(3)
            last = add(last, frame.FIXED, offset - (g.pa if backwards else g.pb), np.zeros(3))
            user = d.tree.order[b]
            turned = d.rotation[user]
            geometry[last][frame.MASS] = bodies[user].mass
            inertia = turned @ bodies[user].inertia @ turned.T
            geometry[last][frame.INERTIA : frame.INERTIA + 9] = inertia.ravel()
            self.body_frames[b] = last
        self.links = np.array(links, np.int64).reshape(-1, frame.LINK_COLUMNS)
        self.geometry = np.array(geometry).reshape(-1, frame.GEOMETRY_COLUMNS)
        # Which velocities move which frame.
        self.moves = np.zeros((len(links), self.nv), bool)
        for i, (parent, _, v, _, width) in enumerate(links):
            if parent >= 0:
                self.moves[i] = self.moves[parent]
            self.moves[i, v : v + width] = True

    def __len__(self) -> int:
        """Number of frames."""
        return len(self.links)

    def new_frames(self) -> tuple[np.ndarray, np.ndarray]:
        """(frames, columns) for `place`."""
        shape = len(self.links), frame.FRAME_COLUMNS
        return np.zeros(shape), np.zeros((self.nv, frame.COLUMN_COLUMNS))

    def place(
        self, q: np.ndarray, v: np.ndarray | None = None, a: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """(frames, columns) of `dynamics.articulated` at coordinates q, velocities v and accelerations a
        (zero where left out)."""
        frames, columns = self.new_frames()
        still = np.zeros(self.nv)
        frame.move_frames(
            self.links, self.geometry, q, still if v is None else v, still if a is None else a,
            frames, columns,
        )  # fmt: skip
        return frames, columns

    def coordinates(self, state: State) -> np.ndarray:
        """q (nq,) of a state; its loops may be open, tree joints are taken as they are nearest."""
        return self.motion(state)[0]

    def motion(self, state: State) -> tuple[np.ndarray, np.ndarray]:
        """(q, v) of a state."""
        model, d = self.model, self.model.description
        nb = len(d.tree.order)
        given = state._all_joints()
        x, v, w = np.zeros((3, nb + 1, 3))
        e = np.zeros((nb + 1, 4))
        e[nb, 0] = 1.0
        bodies = model.mechanism.bodies.values()
        back = np.array([b.orientation for b in bodies]).reshape(nb, 4) * CONJUGATE
        x[:nb] = state.position[d.tree.order] - d.origin
        e[:nb] = multiply(state.orientation, back)[d.tree.order]
        v[:nb] = state.velocity[d.tree.order]
        turned = rotation(np.asarray(state.orientation))
        w[:nb] = np.einsum("bij,bj->bi", turned, state.angular_velocity)[d.tree.order]
        Rk = rotation(e)
        q_out, v_out = np.zeros(self.nq), np.zeros(self.nv)
        for joint in self.joints:
            g, a, b, s = joint.geometry, joint.a, joint.b, joint.scalars
            first, rate = joint.coordinates.start, joint.velocities.start
            if g.name:
                where = model.joint_slices[g.name]
                q_out[first : first + s] = given[0][0, where][:s]
                v_out[rate : rate + s] = given[1][0, where][:s]
            else:
                arm = x[b] + Rk[b] @ g.pb - x[a]
                moving = v[b] + np.cross(w[b], Rk[b] @ g.pb) - v[a] - np.cross(w[a], arm)
                q_out[first : first + s] = (g.basis_t @ (Rk[a].T @ arm - g.pa))[:s]
                v_out[rate : rate + s] = (g.basis_t @ (Rk[a].T @ moving))[:s]
            if joint.ball:
                q_out[first + s : first + s + 4] = multiply(e[a] * CONJUGATE, e[b])
                v_out[rate + s : rate + s + 3] = Rk[b].T @ (w[b] - w[a])
        return q_out, v_out

    def moved(self, q: np.ndarray, v: np.ndarray, dt: float = 1.0) -> np.ndarray:
        """q after the motion v, held over dt: exact for every joint by itself."""
        out = np.empty(self.nq)
        for joint in self.joints:
            at_q, at_v, s = joint.coordinates.start, joint.velocities.start, joint.scalars
            out[at_q : at_q + s] = q[at_q : at_q + s] + dt * v[at_v : at_v + s]
            if joint.ball:
                e = multiply(q[at_q + s : at_q + s + 4], exponential(dt * v[at_v + s : at_v + s + 3]))
                out[at_q + s : at_q + s + 4] = e / np.linalg.norm(e)
        return out

    def rates(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """dq/dt (nq,) of the velocities v."""
        out = np.empty(self.nq)
        for joint in self.joints:
            at_q, at_v, s = joint.coordinates.start, joint.velocities.start, joint.scalars
            out[at_q : at_q + s] = v[at_v : at_v + s]
            if joint.ball:
                w = np.concatenate([[0.0], v[at_v + s : at_v + s + 3]])
                out[at_q + s : at_q + s + 4] = 0.5 * multiply(q[at_q + s : at_q + s + 4], w)
        return out

    def state(
        self, frames: np.ndarray, q: np.ndarray, time: float = 0.0, near: np.ndarray | None = None
    ) -> State:
        """The state of frames placed at q; near: coordinates of all joints on their turns, where they are
        known."""
        model, d = self.model, self.model.description
        nb = len(d.tree.order)
        rows = frames[self.body_frames]
        x, R = rows[:, frame.X : frame.X + 3], rows[:, frame.R : frame.R + 9].reshape(nb, 3, 3)
        w = rows[:, frame.V + 3 : frame.V + 6]
        v = rows[:, frame.V : frame.V + 3] + np.cross(w, x)
        position, orientation, velocity, spin = (np.zeros((nb, k)) for k in (3, 4, 3, 3))
        user = np.array(d.tree.order, int)
        position[user] = x + d.origin
        orientation[user] = rows[:, frame.Q : frame.Q + 4]
        velocity[user] = v
        reference = np.array([b.orientation for b in model.mechanism.bodies.values()]).reshape(nb, 4)
        orientation = multiply(orientation, reference)
        spin[user] = np.einsum("bji,bj->bi", R, w)
        spin = np.einsum("bji,bj->bi", d.rotation, spin)
        return State(time, position, orientation, velocity, spin, model, self.winding(q, near))

    def winding(self, q: np.ndarray, near: np.ndarray | None = None) -> np.ndarray:
        """Coordinates of all joints of the model: those of the tree from q, the others as in `near`, 0
        without."""
        out = np.zeros(self.model.coordinates) if near is None else np.array(near)
        for joint in self.joints:
            if joint.geometry.name:
                first = self.model.joint_slices[joint.geometry.name].start
                out[first : first + joint.scalars] = q[joint.coordinates][: joint.scalars]
        return out


def primitives(joint: TreeJoint) -> list[tuple[int, np.ndarray, int, int]]:
    """(kind, axis, velocity, coordinate) of the moves that a joint is made of: translations along the axes of
    the parent, then rotations.

    Implements: [JM09] III-A.  Differs: a screw is one move, and turns about a point are no Euler angles."""
    g, q, v = joint.geometry, joint.coordinates.start, joint.velocities.start
    if g.kind == at.SCREW_PAIR:
        return [(frame.SCREW, g.basis_r[0], v, q)]
    kt = g.translations
    out = [(frame.SLIDE, g.basis_t[i], v + i, q + i) for i in range(kt)]
    if joint.ball:
        return [*out, (frame.BALL, np.zeros(3), v + kt, q + kt)]
    return out + [(frame.TURN, g.basis_r[i], v + kt + i, q + kt + i) for i in range(g.rotations)]


def exponential(r: np.ndarray) -> np.ndarray:
    """Unit quaternion of the rotation vector r."""
    angle = float(np.linalg.norm(r))
    scale = 0.5 - angle * angle / 48.0 if angle < 1e-4 else np.sin(0.5 * angle) / angle
    return np.concatenate([[np.cos(0.5 * angle)], scale * np.asarray(r)])
