"""Tables of `topo` with their lines of `par`: links, joints, elements."""

from __future__ import annotations

import numpy as np

from sarrus import layout as at
from sarrus.mechanism import (
    Coupling,
    Custom,
    CustomForce,
    CustomPotential,
    Gear,
    PointOnCurve,
    Rolling,
    Tendon,
)
from sarrus.model.curves import nearest_parameter
from sarrus.model.description import (
    Description,
    Drives,
    body_number,
    in_tree,
    is_dual,
    motor_components,
    terms_of,
)
from sarrus.model.geometry import JointGeometry, centres_of
from sarrus.model.plan import Plan


class Lines:
    """Lines of `par` as they are added."""

    def __init__(self, links: int):
        self.lines = [np.zeros(at.PAR_COLS) for _ in range(links)]

    def add(self) -> tuple[int, np.ndarray]:
        """(number, line) of a new line of zeros."""
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
        """`par`"""
        return np.ascontiguousarray(np.array(self.lines).reshape(-1, at.PAR_COLS))


def joint_table(d: Description, drives: Drives, lines: Lines) -> np.ndarray:
    """The table of joints; their constants go to `lines`, as do those of the bodies."""
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
        put_geometry(line, joint)
        row[[at.JOINT_KIND, at.JOINT_PAR]] = joint.kind, p
        row[[at.JOINT_A, at.JOINT_B]] = d.number[joint.a], d.number[joint.b]
        row[[at.JOINT_KR, at.JOINT_KT]] = joint.rotations, joint.translations
        row[[at.JOINT_COORDINATE, at.JOINT_COORDINATES]] = coordinate, joint.coordinates
        coordinate += joint.coordinates
        row[[at.JOINT_DRIVE, at.JOINT_TURNING]] = -1
        c = joint.source
        if isinstance(c, Tendon) and c.path:
            _put_path(d, c, row, lines)
        elif isinstance(c, Gear | Coupling | Tendon):
            row[at.TERMS] = len(c.terms)
            for other, component, factor in terms_of(d, j):
                term = lines.add()[1]
                term[[at.TERM_JOINT, at.TERM_COORDINATE, at.TERM_FACTOR]] = other, component, factor
        elif isinstance(c, PointOnCurve):
            _put_curve(d, joint, c, row, lines)
        elif isinstance(c, Rolling):
            line[at.IS_DISC] = c.axis is not None
        elif isinstance(c, Custom):
            lines.add_numbers(c.parameters)
            row[at.CUSTOM_ADDRESS] = d.addresses[c.name, "residual"]
            row[at.CUSTOM_JACOBIAN] = d.addresses.get((c.name, "jacobian"), 0)
            row[[at.CUSTOM_ROWS, at.CUSTOM_COUNT]] = c.rows, len(c.bodies)
            row[at.CUSTOM_BODY : at.CUSTOM_BODY + len(c.bodies)] = [
                d.number[body_number(d, x)] for x in c.bodies
            ]
    for j in map(int, np.flatnonzero(drives.any)):
        table[j, at.JOINT_DRIVE], line = lines.add()
        springs = lines.add()[1]
        springs[at.DRIVE_SPRING : at.DRIVE_SPRING + 6] = drives.spring[j]
        springs[at.DRIVE_PULL : at.DRIVE_PULL + 6] = drives.pull[j]
        line[at.DRIVE_C : at.DRIVE_C + 6] = drives.c[j]
        line[at.DRIVE_I : at.DRIVE_I + 6] = drives.inertia[j]
        line[at.DRIVE_K : at.DRIVE_K + 6] = drives.k[j]
        line[at.DRIVE_M : at.DRIVE_M + 6] = drives.m[j]
        line[at.DRIVE_LIMIT : at.DRIVE_LIMIT + 6] = drives.limit[j]
    for j in map(int, np.flatnonzero(drives.turning)):
        table[j, at.JOINT_TURNING], line = lines.add()
        lines.add()  # its springs: none
        rotations = slice(d.joints[j].translations, d.joints[j].coordinates)
        line[at.DRIVE_C : at.DRIVE_C + 6][rotations] = drives.turning_c[j]
        line[at.DRIVE_I : at.DRIVE_I + 6][rotations] = drives.turning_inertia[j]
        line[at.DRIVE_LIMIT : at.DRIVE_LIMIT + 6] = np.inf
    return table


def put_geometry(line: np.ndarray, joint: JointGeometry) -> None:
    """Points and bases of a joint into its line of `par`."""
    line[at.PA : at.PA + 3], line[at.PB : at.PB + 3] = joint.pa, joint.pb
    line[at.TB : at.TB + 9], line[at.RB : at.RB + 9] = joint.basis_t.ravel(), joint.basis_r.ravel()
    line[at.PITCH] = joint.number


def _put_path(d: Description, tendon: Tendon, row: np.ndarray, lines: Lines) -> None:
    """The segments of the path of a tendon, one line each."""
    centres = centres_of(d.mechanism)
    segments = tendon.segments
    row[at.TERMS] = len(segments)
    for segment in segments:
        line = lines.add()[1]
        a, b = body_number(d, segment.a.body), body_number(d, segment.b.body)
        line[[at.SEGMENT_A, at.SEGMENT_B]] = d.number[a], d.number[b]
        line[at.SEGMENT_FACTOR] = segment.factor
        line[at.SEGMENT_PA : at.SEGMENT_PA + 3] = segment.a.at - centres[a]
        line[at.SEGMENT_PB : at.SEGMENT_PB + 3] = segment.b.at - centres[b]
        wrap = segment.wrap
        if wrap is None:
            line[[at.SEGMENT_KIND, at.SEGMENT_W]] = at.STRAIGHT, d.number[a]
            continue
        on = body_number(d, wrap.body)
        line[[at.SEGMENT_W, at.SEGMENT_RADIUS]] = d.number[on], wrap.radius
        line[at.SEGMENT_KIND] = at.AROUND_SPHERE if wrap.axis is None else at.AROUND_CYLINDER
        line[at.SEGMENT_CENTRE : at.SEGMENT_CENTRE + 3] = wrap.at - centres[on]
        if wrap.axis is not None:
            line[at.SEGMENT_AXIS : at.SEGMENT_AXIS + 3] = wrap.axis
        if wrap.side is not None:
            line[at.SEGMENT_SIDE] = at.THROUGH if wrap.passes_through else at.ONE_SIDE
            line[at.SEGMENT_TOWARDS : at.SEGMENT_TOWARDS + 3] = np.asarray(wrap.side) - wrap.at


def _put_curve(
    d: Description, joint: JointGeometry, curve: PointOnCurve, row: np.ndarray, lines: Lines
) -> None:
    """Cubic segments over the chord length, in the frame of the parent."""
    from scipy.interpolate import CubicSpline

    centres = centres_of(d.mechanism)
    points = curve.points - centres[joint.a]
    s = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    if len(points) == 2:
        slope = (points[1] - points[0]) / s[1]
        coefficients = np.array([np.zeros(3), np.zeros(3), slope, points[0]])[:, None, :]
    else:
        spline = CubicSpline(s, points, bc_type="periodic" if curve.closed else "natural")
        coefficients = spline.c
    # The parameter is 0 where the child's point is in the reference configuration.
    s = s - nearest_parameter(s, coefficients, curve.at - centres[joint.a])
    row[at.CURVE_SEGMENTS], row[at.CURVE_CLOSED] = len(s) - 1, curve.closed
    for k in range(len(s) - 1):
        line = lines.add()[1]
        line[at.CURVE_S0], line[at.CURVE_S1] = s[k], s[k + 1]
        line[at.CURVE_COEFFICIENTS : at.CURVE_COEFFICIENTS + 12] = coefficients[::-1, k].ravel()


def element_table(d: Description, drives: Drives, lines: Lines, world: int) -> tuple[np.ndarray, int]:
    """(elements, lines of scratch work); springs first, in the order of the mechanism."""
    m = d.mechanism
    index = {joint.name: j for j, joint in enumerate(d.joints) if joint.name}
    centres = centres_of(m)
    table: list[np.ndarray] = []

    def add(kind: int, a: int, b: int, port: int = -1) -> tuple[np.ndarray, np.ndarray]:
        row = np.zeros(at.TOPO_COLS, np.int64)
        p, line = lines.add()
        row[[at.ELEMENT_KIND, at.ELEMENT_A, at.ELEMENT_B]] = kind, a, b
        row[[at.ELEMENT_PAR, at.ELEMENT_INPUT]] = p, port
        table.append(row)
        return row, line

    for e, spring in enumerate(m.springs.values()):
        a, b = body_number(d, spring.a), body_number(d, spring.b)
        row, line = add(at.SPRING, d.number[a], d.number[b])
        row[at.ELEMENT_RULE] = drives.rules[e]
        line[at.SPRING_PA : at.SPRING_PA + 3] = spring.at_a - centres[a]
        line[at.SPRING_PB : at.SPRING_PB + 3] = spring.at_b - centres[b]
        line[[at.SPRING_K, at.SPRING_L, at.SPRING_C]] = spring.stiffness, spring.rest_length, spring.damping
    for turning in m.joint_springs.values():
        for i in map(int, np.flatnonzero(turning.stiffness)):
            row, line = add(at.EFFORT, index[turning.joint], i)
            row[at.ELEMENT_RULE] = at.MEAN if drives.by_mean[index[turning.joint], i] else at.TRAPEZOIDAL
            line[[at.EFFORT_K, at.EFFORT_REST, at.EFFORT_LIMIT]] = (
                turning.stiffness[i],
                turning.rest[i],
                np.inf,
            )
    for motor in m.motors.values():
        j, port = index[motor.joint], d.inputs[motor.name].start
        if motor.name in d.targets:
            for k, i in enumerate(motor_components(motor, d.joints[j])):
                add(at.PRESCRIBED, j, i, d.targets[motor.name].start + 3 * k)
            continue
        for k, i in enumerate(motor_components(motor, d.joints[j])):
            line = add(at.SERVO if motor.mode == "servo" else at.EFFORT, j, i, port + k)[1]
            if motor.mode == "servo":
                line[at.SERVO_K] = motor.stiffness
            else:
                line[at.EFFORT_LIMIT] = np.inf if motor.limit is None else motor.limit
    for force in m.forces.values():
        b = body_number(d, force.body)
        row, line = add(at.WRENCH, d.number[b], 0, d.inputs[force.name].start)
        row[at.ELEMENT_FRAME] = at.TURNING * (force.frame == "body") + at.SCALED * force.scaled
        line[[at.WRENCH_LOWER, at.WRENCH_UPPER]] = force.limits or (-np.inf, np.inf)
        line[at.WRENCH_F : at.WRENCH_F + 3], line[at.WRENCH_T : at.WRENCH_T + 3] = force.force, force.torque
        line[at.WRENCH_P : at.WRENCH_P + 3] = np.zeros(3) if force.at is None else force.at - centres[b]
    terms: list[CustomForce | CustomPotential] = [*m.custom_forces.values(), *m.potentials.values()]
    for term in terms:
        forced = term.name in m.custom_forces
        row, _ = add(at.CUSTOM_FORCE if forced else at.CUSTOM_POTENTIAL, world, world)
        row[at.ELEMENT_PAR] = lines.add_numbers(term.parameters)
        row[at.ELEMENT_ADDRESS] = d.addresses[term.name, "force" if forced else "energy"]
        row[at.ELEMENT_GRADIENT] = 0 if forced else d.addresses.get((term.name, "gradient"), 0)
        row[at.ELEMENT_COUNT] = len(term.bodies)
        row[at.ELEMENT_BODY : at.ELEMENT_BODY + len(term.bodies)] = [
            d.number[body_number(d, x)] for x in term.bodies
        ]
    out = np.array(table, np.int64).reshape(-1, at.TOPO_COLS)
    users = sum(j.kind == at.CUSTOM for j in d.joints) + len(m.custom_forces) + len(m.potentials)
    return out, at.SCRATCH_LINES * users


def link_table(d: Description, drives: Drives, plan: Plan) -> tuple[np.ndarray, int]:
    """(links, number of freedoms)"""
    n = len(d.tree.order)
    table = np.zeros((n, at.TOPO_COLS), np.int64)
    freedoms = 0
    seeded: set[int] = set()
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
    return table, freedoms


def seed_sums(links: np.ndarray, n: int) -> None:
    """Counts what adds to the sums of every body: its children and a seed; the first child to come writes."""
    links[:, at.CHILDREN] = (links[:, at.FLAGS] & at.SEEDED) != 0
    for b in range(n - 1, -1, -1):
        a = links[b, at.PARENT]
        if a < n:
            links[b, at.FIRST] = links[a, at.CHILDREN] == 0
            links[a, at.CHILDREN] += 1


def assign_scratch(topo: np.ndarray, first: int) -> None:
    """Every user function gets scratch lines of its own."""
    for j in range(topo[0, at.T_JOINTS], topo[0, at.T_JOINTS] + topo[0, at.JOINTS]):
        if topo[j, at.JOINT_KIND] == at.CUSTOM:
            topo[j, at.JOINT_SCRATCH] = first
            first += at.SCRATCH_LINES
    for e in range(topo[0, at.T_ELEMENTS], topo[0, at.T_ELEMENTS] + topo[0, at.ELEMENTS]):
        if topo[e, at.ELEMENT_KIND] in (at.CUSTOM_FORCE, at.CUSTOM_POTENTIAL):
            topo[e, at.ELEMENT_SCRATCH] = first
            first += at.SCRATCH_LINES


def readdress(topo: np.ndarray, moved: dict[int, int]) -> None:
    """Puts the new addresses of users' functions in the place of the old ones."""
    h = topo[0]
    joints = topo[h[at.T_JOINTS] :][: h[at.JOINTS]]
    elements = topo[h[at.T_ELEMENTS] :][: h[at.ELEMENTS]]
    users = np.isin(elements[:, at.ELEMENT_KIND], (at.CUSTOM_FORCE, at.CUSTOM_POTENTIAL))
    for table, which, columns in (
        (joints, joints[:, at.JOINT_KIND] == at.CUSTOM, (at.CUSTOM_ADDRESS, at.CUSTOM_JACOBIAN)),
        (elements, users, (at.ELEMENT_ADDRESS, at.ELEMENT_GRADIENT)),
    ):
        for row in np.flatnonzero(which):
            table[row, columns] = [moved.get(int(old), 0) for old in table[row, columns]]
