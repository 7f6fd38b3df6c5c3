"""A mechanism as the four arrays of `layout`: what the kernels read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sarrus import layout as at
from sarrus.mechanism import Mechanism
from sarrus.model.custom import constraint_callback, energy_callback, force_callback
from sarrus.model.geometry import JointGeometry, free_root
from sarrus.model.graph import SpanningTree
from sarrus.model.plan import BorderRow, Plan


@dataclass
class Arrays:
    """`topo` and `par` are never written after they are made; `state` and `work` are templates to copy."""

    topo: np.ndarray
    par: np.ndarray
    state: np.ndarray
    work_shape: tuple[int, int]
    elements: bool
    loops: bool

    @property
    def flag(self) -> bool | None:
        """`elements` as the kernels take it: None where they are not needed."""
        return True if self.elements else None

    def new_work(self) -> np.ndarray:
        """Work of one world: zeros, and the world as a body at rest."""
        n = self.topo[0, at.BODIES]
        work = np.zeros(self.work_shape)
        work[n, at.Q1] = 1.0
        work[n, [at.R1, at.R1 + 4, at.R1 + 8]] = 1.0
        return work

    @property
    def nbytes(self) -> int:
        """Bytes of all four arrays."""
        return self.topo.nbytes + self.par.nbytes + self.state.nbytes + 8 * self.work_shape[0] * self.work_shape[1]


@dataclass
class Description:
    """What does not depend on the choice of border rows: bodies, joints, elements, inputs."""

    mechanism: Mechanism
    tree: SpanningTree
    joints: list[JointGeometry]
    number: np.ndarray  # kernel number of the user's body; the world maps to itself
    rotation: np.ndarray  # (nb, 3, 3) reference orientations
    inputs: dict[str, slice] = field(default_factory=dict)
    callbacks: list[Any] = field(default_factory=list)  # keeps compiled user functions alive
    addresses: dict[tuple[str, str], int] = field(default_factory=dict)


def describe(mechanism: Mechanism, tree: SpanningTree, joints: list[JointGeometry]) -> Description:
    """Bodies, joints (free roots added) and inputs of `mechanism`, user functions compiled."""
    world = len(mechanism.bodies)
    number = np.empty(world + 1, np.int64)
    number[tree.order] = np.arange(world)
    number[world] = world
    bodies = list(mechanism.bodies.values())
    joints = joints + [free_root(tree.order[b], world, bodies[tree.order[b]].position) for b in tree.roots]
    rotation = np.array([matrix(body.orientation) for body in bodies]).reshape(world, 3, 3)
    out = Description(mechanism, tree, joints, number, rotation)
    width = 0
    for name, force in mechanism.forces.items():
        out.inputs[name] = slice(width, width + 6)
        width += 6
    by_name = {joint.name: joint for joint in joints if joint.name}
    for name, motor in mechanism.motors.items():
        count = 1 if motor.component is not None else by_name[motor.joint].coordinates
        out.inputs[name] = slice(width, width + count)
        width += count
    _compile_callbacks(out)
    return out


def _compile_callbacks(d: Description) -> None:
    def keep(name: str, what: str, callback: Any) -> None:
        d.callbacks.append(callback)
        d.addresses[name, what] = callback.address

    for joint in d.joints:
        if joint.kind == at.CUSTOM:
            c = joint.source
            m, p, where = len(c.bodies), len(c.parameters), f"constraint {c.name!r}"
            keep(c.name, "residual", constraint_callback(f"{where}: residual", c.residual, m, p, (c.rows,)))
            if c.jacobian is not None:
                keep(c.name, "jacobian", constraint_callback(f"{where}: jacobian", c.jacobian, m, p, (c.rows, m, 6)))
    for f in d.mechanism.custom_forces.values():
        keep(f.name, "force", force_callback(f"force {f.name!r}", f.force, len(f.bodies), len(f.parameters)))
    for v in d.mechanism.potentials.values():
        m, p = len(v.bodies), len(v.parameters)
        keep(v.name, "energy", energy_callback(f"potential {v.name!r}: energy", v.energy, m, p))
        if v.gradient is not None:
            where = f"potential {v.name!r}: gradient"
            keep(v.name, "gradient", constraint_callback(where, v.gradient, m, p, (m, 6)))


def matrix(q: np.ndarray) -> np.ndarray:
    """Rotation matrix (3, 3) of a unit quaternion w, x, y, z."""
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


class Drives:
    """Damping, armature and servo stiffness per joint, added up over joint springs, motors and armatures."""

    def __init__(self, d: Description):
        self.c = np.zeros((len(d.joints), 6))
        self.inertia = np.zeros((len(d.joints), 6))
        self.k = np.zeros((len(d.joints), 6))
        index = {joint.name: j for j, joint in enumerate(d.joints) if joint.name}
        for j, joint in enumerate(d.joints):
            self.inertia[j, : len(joint.armature)] = joint.armature
        for spring in d.mechanism.joint_springs.values():
            self.c[index[spring.joint], : len(spring.damping)] += spring.damping
        for motor in d.mechanism.motors.values():
            if motor.mode == "servo":
                j = index[motor.joint]
                for i in motor_components(motor, d.joints[j]):
                    self.c[j, i] += motor.damping
                    self.k[j, i] += motor.stiffness
        self.any = (self.c + self.inertia + self.k).any(axis=1)


def motor_components(motor: Any, joint: JointGeometry) -> range:
    """Coordinates that a motor acts on."""
    return range(joint.coordinates) if motor.component is None else range(motor.component, motor.component + 1)


def in_tree(d: Description) -> dict[int, int]:
    """Body of every tree joint."""
    return {j: b for b, j in enumerate(d.tree.joint)}


def is_dual(joint: JointGeometry) -> bool:
    """Whether the coordinates of a tree joint are dual to its freedoms, so that the tree can carry its drives."""
    return joint.rotations < 3


def ends_of_pair(d: Description, a: int, b: int, first_role: int = 0) -> tuple[tuple[int, int], ...]:
    """Ends of a row between the user's bodies a (parent) and b (child)."""
    world = len(d.tree.order)
    ends = ((d.number[b], first_role), (d.number[a], first_role + 1))
    return tuple((int(body), role) for body, role in ends if body < world)


def constraint_rows(d: Description, j: int, places: tuple[int, ...]) -> list[BorderRow]:
    """Border rows of joint j at the given places."""
    joint, world = d.joints[j], len(d.tree.order)
    if joint.kind == at.GEAR:
        first, second = gear_joints(d, j)
        pairs = [(d.joints[first], 0), (d.joints[second], 2)]
        ends = sum((ends_of_pair(d, g.a, g.b, role) for g, role in pairs), ())
        touches = any(world in (d.number[g.a], d.number[g.b]) for g, _ in pairs)
    elif joint.kind == at.CUSTOM:
        bodies = [d.number[body_number(d, name)] for name in joint.source.bodies]
        ends = tuple((int(b), role) for role, b in enumerate(bodies) if b < world)
        touches = True
    else:
        ends = ends_of_pair(d, joint.a, joint.b)
        touches = world in (d.number[joint.a], d.number[joint.b])
    return [BorderRow(j, at.CONSTRAINT_ROW, 0, ends, touches, place) for place in places]


def body_number(d: Description, name: str) -> int:
    """The user's index of a body, the number of bodies for the world."""
    return len(d.mechanism.bodies) if name == "world" else list(d.mechanism.bodies).index(name)


def gear_joints(d: Description, j: int) -> tuple[int, int]:
    names = [joint.name for joint in d.joints]
    return names.index(d.joints[j].source.joint_a), names.index(d.joints[j].source.joint_b)


def compliant_rows(d: Description, drives: Drives) -> list[BorderRow]:
    """Rows of the drives that the tree does not carry, and of point-to-point dampers."""
    tree = in_tree(d)
    rows = []
    for j in np.flatnonzero(drives.any):
        joint = d.joints[j]
        if j in tree and is_dual(joint):
            continue
        ends = ends_of_pair(d, joint.a, joint.b)
        for i in np.flatnonzero(drives.c[j] + drives.inertia[j] + drives.k[j]):
            rows.append(BorderRow(int(j), at.DRIVE_ROW, int(i), ends, len(ends) < 2, -1))
    for e, spring in enumerate(d.mechanism.springs.values()):
        if spring.damping > 0.0:
            ends = ends_of_pair(d, body_number(d, spring.a), body_number(d, spring.b))
            rows.append(BorderRow(e, at.DAMPER_ROW, 0, ends, len(ends) < 2, -1))
    return rows


def make_arrays(d: Description, plan: Plan, drives: Drives) -> Arrays:
    """The four arrays for the border rows of `plan`."""
    n, nj = len(d.tree.order), len(d.joints)
    lines = Lines(n)
    joints = _joint_table(d, drives, lines)
    elements, scratch = _element_table(d, lines, n)
    par = lines.array()
    links, freedoms = _link_table(d, drives, plan)
    header = np.zeros((1, at.TOPO_COLS), np.int64)
    tables = [header, links, plan.edges, plan.rows, plan.groups, plan.ends, joints, elements]
    topo = np.ascontiguousarray(np.vstack(tables))
    starts = np.cumsum([0] + [len(t) for t in tables])
    h = topo[0]
    h[[at.BODIES, at.FREEDOMS, at.EDGES, at.ROWS, at.ENDS, at.JOINTS]] = (
        n, freedoms, len(plan.edges), len(plan.rows), len(plan.ends), nj,
    )  # fmt: skip
    h[[at.GROUP0, at.GROUP1]] = plan.group_range[n]
    h[[at.ELEMENTS, at.SLOT_COUNT]] = len(elements), plan.slots
    h[at.INPUTS] = max((s.stop for s in d.inputs.values()), default=0)
    h[at.FREE_ROOTS] = int((links[:, at.ROOT] >= 0).any())
    h[at.CUSTOM_FORCES] = int((elements[:, at.ELEMENT_KIND] == at.CUSTOM_FORCE).sum())
    h[[at.T_EDGES, at.T_ROWS, at.T_GROUPS, at.T_ENDS, at.T_JOINTS, at.T_ELEMENTS]] = starts[2:8]
    h[[at.S_ROWS, at.S_JOINTS]] = n + 1, n + 1 + len(plan.rows)
    first = n + 1
    for column, count in (
        (at.W_FREEDOMS, freedoms), (at.W_EDGES, len(plan.edges)), (at.W_ROWS, len(plan.rows)), (at.W_ENDS, len(plan.ends)),
        (at.W_SCRATCH, scratch),
    ):  # fmt: skip
        h[column] = first
        first += count
    _scratch_lines(topo, h[at.W_SCRATCH])
    state = np.zeros((n + 1 + len(plan.rows) + nj, at.STATE_COLS))
    state[: n + 1, at.Q] = 1.0
    state[n + 1 : n + 1 + len(plan.rows), at.ACTIVE] = plan.places
    positions = np.array([body.position for body in d.mechanism.bodies.values()]).reshape(n, 3)
    state[:n, at.X : at.X + 3] = positions[d.tree.order]
    special = joints[:, at.JOINT_KIND] != at.LOWER_PAIR
    return Arrays(
        topo=topo,
        par=par,
        state=state,
        work_shape=(first, max(at.WORK_COLS, at.SLOTS + plan.slots)),
        elements=bool(len(elements) or drives.any.any() or special.any()),
        loops=len(plan.rows) > 0,
    )


class Lines:
    """Lines of `par` as they are added."""

    def __init__(self, links: int):
        self.lines = [np.zeros(at.PAR_COLS) for _ in range(links)]

    def add(self) -> tuple[int, np.ndarray]:
        self.lines.append(np.zeros(at.PAR_COLS))
        return len(self.lines) - 1, self.lines[-1]

    def add_numbers(self, values: np.ndarray) -> int:
        """Line of the first of `values`, which fill as many lines as they need, one at least."""
        first = len(self.lines)
        for k in range(max(1, -(-len(values) // at.PAR_COLS))):
            part = values[k * at.PAR_COLS : (k + 1) * at.PAR_COLS]
            self.add()[1][: len(part)] = part
        return first

    def array(self) -> np.ndarray:
        return np.ascontiguousarray(np.array(self.lines).reshape(-1, at.PAR_COLS))


def _put_geometry(line: np.ndarray, joint: JointGeometry) -> None:
    line[at.PA : at.PA + 3], line[at.PB : at.PB + 3] = joint.pa, joint.pb
    line[at.TB : at.TB + 9], line[at.RB : at.RB + 9] = joint.basis_t.ravel(), joint.basis_r.ravel()
    line[at.PITCH] = joint.number


def _joint_table(d: Description, drives: Drives, lines: Lines) -> np.ndarray:
    tree = in_tree(d)
    table = np.zeros((len(d.joints), at.TOPO_COLS), np.int64)
    bodies = list(d.mechanism.bodies.values())
    coordinate = 0
    for b, user in enumerate(d.tree.order):
        line = lines.lines[b]
        R = d.rotation[user]
        line[at.MASS] = bodies[user].mass
        line[at.INERTIA : at.INERTIA + 9] = (R @ bodies[user].inertia @ R.T).ravel()
        line[at.QREF : at.QREF + 4] = bodies[user].orientation
    for j, joint in enumerate(d.joints):
        row = table[j]
        p, line = (tree[j], lines.lines[tree[j]]) if j in tree else lines.add()
        _put_geometry(line, joint)
        row[[at.JOINT_KIND, at.JOINT_A, at.JOINT_B, at.JOINT_PAR]] = joint.kind, d.number[joint.a], d.number[joint.b], p
        row[[at.JOINT_KR, at.JOINT_KT]] = joint.rotations, joint.translations
        row[at.JOINT_TREE] = tree.get(j, -1)
        row[[at.JOINT_COORDINATE, at.JOINT_COORDINATES]] = coordinate, joint.coordinates
        coordinate += joint.coordinates
        row[at.JOINT_DRIVE] = -1
        if joint.kind == at.GEAR:
            row[[at.GEAR_A, at.GEAR_B]] = gear_joints(d, j)
            row[[at.GEAR_CA, at.GEAR_CB]] = joint.source.component_a, joint.source.component_b
        elif joint.kind == at.CURVE:
            _put_curve(d, joint, row, lines)
        elif joint.kind == at.ROLLING:
            line[at.IS_DISC] = joint.source.axis is not None
        elif joint.kind == at.CUSTOM:
            c = joint.source
            lines.add_numbers(c.parameters)
            row[at.CUSTOM_ADDRESS] = d.addresses[c.name, "residual"]
            row[at.CUSTOM_JACOBIAN] = d.addresses.get((c.name, "jacobian"), 0)
            row[[at.CUSTOM_ROWS, at.CUSTOM_COUNT]] = c.rows, len(c.bodies)
            row[at.CUSTOM_BODY : at.CUSTOM_BODY + len(c.bodies)] = [d.number[body_number(d, x)] for x in c.bodies]
    for j in np.flatnonzero(drives.any):
        table[j, at.JOINT_DRIVE], line = lines.add()
        line[at.DRIVE_C : at.DRIVE_C + 6] = drives.c[j]
        line[at.DRIVE_I : at.DRIVE_I + 6] = drives.inertia[j]
        line[at.DRIVE_K : at.DRIVE_K + 6] = drives.k[j]
    return table


def _put_curve(d: Description, joint: JointGeometry, row: np.ndarray, lines: Lines) -> None:
    """Cubic segments over the chord length, in the frame of the parent."""
    from scipy.interpolate import CubicSpline

    curve = joint.source
    centres = [body.position for body in d.mechanism.bodies.values()] + [np.zeros(3)]
    points = curve.points - centres[joint.a]
    s = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    if len(points) == 2:
        coefficients = np.array([np.zeros(3), np.zeros(3), (points[1] - points[0]) / s[1], points[0]])[:, None, :]
    else:
        spline = CubicSpline(s, points, bc_type="periodic" if curve.closed else "natural")
        coefficients = spline.c
    row[at.CURVE_SEGMENTS], row[at.CURVE_CLOSED] = len(s) - 1, curve.closed
    for k in range(len(s) - 1):
        line = lines.add()[1]
        line[at.CURVE_S0], line[at.CURVE_S1] = s[k], s[k + 1]
        line[at.CURVE_COEFFICIENTS : at.CURVE_COEFFICIENTS + 12] = coefficients[::-1, k].ravel()


def _element_table(d: Description, lines: Lines, world: int) -> tuple[np.ndarray, int]:
    """(elements, lines of scratch work); springs first, in the order of the mechanism."""
    m = d.mechanism
    index = {joint.name: j for j, joint in enumerate(d.joints) if joint.name}
    centres = [body.position for body in m.bodies.values()] + [np.zeros(3)]
    table: list[np.ndarray] = []

    def add(kind: int, a: int, b: int, port: int = -1) -> tuple[np.ndarray, np.ndarray]:
        row = np.zeros(at.TOPO_COLS, np.int64)
        p, line = lines.add()
        row[[at.ELEMENT_KIND, at.ELEMENT_A, at.ELEMENT_B, at.ELEMENT_PAR, at.ELEMENT_INPUT]] = kind, a, b, p, port
        table.append(row)
        return row, line

    for spring in m.springs.values():
        a, b = body_number(d, spring.a), body_number(d, spring.b)
        line = add(at.SPRING, d.number[a], d.number[b])[1]
        line[at.SPRING_PA : at.SPRING_PA + 3], line[at.SPRING_PB : at.SPRING_PB + 3] = (
            spring.at_a - centres[a],
            spring.at_b - centres[b],
        )
        line[[at.SPRING_K, at.SPRING_L, at.SPRING_C]] = spring.stiffness, spring.rest_length, spring.damping
    for spring in m.joint_springs.values():
        for i in np.flatnonzero(spring.stiffness):
            line = add(at.EFFORT, index[spring.joint], int(i))[1]
            line[[at.EFFORT_K, at.EFFORT_REST]] = spring.stiffness[i], spring.rest[i]
    for motor in m.motors.values():
        j, port = index[motor.joint], d.inputs[motor.name].start
        for k, i in enumerate(motor_components(motor, d.joints[j])):
            line = add(at.SERVO if motor.mode == "servo" else at.EFFORT, j, i, port + k)[1]
            if motor.mode == "servo":
                line[0] = motor.stiffness
    for force in m.forces.values():
        b = body_number(d, force.body)
        row, line = add(at.WRENCH, d.number[b], 0, d.inputs[force.name].start)
        row[at.ELEMENT_FRAME] = force.frame == "body"
        line[at.WRENCH_F : at.WRENCH_F + 3], line[at.WRENCH_T : at.WRENCH_T + 3] = force.force, force.torque
        line[at.WRENCH_P : at.WRENCH_P + 3] = np.zeros(3) if force.at is None else force.at - centres[b]
    for term in [*m.custom_forces.values(), *m.potentials.values()]:
        forced = term.name in m.custom_forces
        row, _ = add(at.CUSTOM_FORCE if forced else at.CUSTOM_POTENTIAL, world, world)
        row[at.ELEMENT_PAR] = lines.add_numbers(term.parameters)
        row[at.ELEMENT_ADDRESS] = d.addresses[term.name, "force" if forced else "energy"]
        row[at.ELEMENT_GRADIENT] = 0 if forced else d.addresses.get((term.name, "gradient"), 0)
        row[at.ELEMENT_COUNT] = len(term.bodies)
        row[at.ELEMENT_BODY : at.ELEMENT_BODY + len(term.bodies)] = [d.number[body_number(d, x)] for x in term.bodies]
    out = np.array(table, np.int64).reshape(-1, at.TOPO_COLS)
    users = sum(j.kind == at.CUSTOM for j in d.joints) + len(m.custom_forces) + len(m.potentials)
    return out, at.SCRATCH_LINES * users


def _scratch_lines(topo: np.ndarray, first: int) -> None:
    """Every user function gets scratch lines of its own."""
    for j in range(topo[0, at.T_JOINTS], topo[0, at.T_JOINTS] + topo[0, at.JOINTS]):
        if topo[j, at.JOINT_KIND] == at.CUSTOM:
            topo[j, at.JOINT_SCRATCH] = first
            first += at.SCRATCH_LINES
    for e in range(topo[0, at.T_ELEMENTS], topo[0, at.T_ELEMENTS] + topo[0, at.ELEMENTS]):
        if topo[e, at.ELEMENT_KIND] in (at.CUSTOM_FORCE, at.CUSTOM_POTENTIAL):
            topo[e, at.ELEMENT_SCRATCH] = first
            first += at.SCRATCH_LINES


def _link_table(d: Description, drives: Drives, plan: Plan) -> tuple[np.ndarray, int]:
    """(links, number of freedoms)"""
    n = len(d.tree.order)
    table = np.zeros((n, at.TOPO_COLS), np.int64)
    freedoms = 0
    seeded = set()
    for f in d.mechanism.custom_forces.values():
        seeded.update(int(d.number[body_number(d, name)]) for name in f.bodies)
    for b in range(n):
        j = d.tree.joint[b]
        joint, row = d.joints[j], table[b]
        row[[at.PARENT, at.ROTATIONS, at.TRANSLATIONS, at.FREEDOM]] = (
            d.tree.parent[b], joint.rotations, joint.translations, freedoms,
        )  # fmt: skip
        freedoms += joint.rotations + joint.translations
        row[[at.EDGE0, at.EDGE1]], row[[at.GROUP0, at.GROUP1]] = plan.edge_range[b], plan.group_range[b]
        driven = bool(drives.any[j]) and is_dual(joint)
        row[at.FLAGS] = (
            at.REVERSED * d.tree.is_reversed[b]
            + at.SCREW * (joint.kind == at.SCREW_PAIR)
            + at.DRIVEN * driven
            + at.SEEDED * (b in seeded)
        )
        row[[at.USER, at.LINK_JOINT]] = d.tree.order[b], j
        if d.tree.parent[b] == n:
            flies = joint.rotations == 3 and joint.translations == 3 and not drives.any[j]
            row[at.ROOT] = b if flies else -1
        else:
            row[at.ROOT] = table[d.tree.parent[b], at.ROOT]
        row[at.CHILDREN] = b in seeded
    for b in range(n - 1, -1, -1):
        a = d.tree.parent[b]
        if a < n:
            table[b, at.FIRST] = table[a, at.CHILDREN] == 0
            table[a, at.CHILDREN] += 1
    return table, freedoms
