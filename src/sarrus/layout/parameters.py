"""`par`, constants: one line per link (mass, inertia, joint to its parent), then further joints, drives,
elements and curves.  Lines of plain numbers, a user's parameters and the origin, have no columns.

Positions count from an origin near the mechanism (`ORIGIN`), so that they keep their digits far from the
user's.  Frames of bodies are parallel to the world in the reference configuration (`QREF` turns them into the
user's)."""

from __future__ import annotations

from sarrus.layout.declare import Table, Values

links = Table("par", "links", "a body and the joint to its parent")
MASS = links.column("MASS", 1, "kg", "mass", "model", "dynamics, model, integrators")
INERTIA = links.column(
    "INERTIA", 9, "kg m^2", "about the centre of mass, world axes of the reference configuration",
    "model", "dynamics, model, integrators",
)  # fmt: skip
PA = links.column("PA", 3, "m", "joint point, from the parent's centre of mass", "model", "kinematics")
PB = links.column(
    "PB", 3, "m", "joint point, from the child's centre of mass", "model", "kinematics, integrators"
)
TB = links.column(
    "TB", 9, "1", "basis of translations in the parent's frame, free directions first", "model", "kinematics"
)
RB = links.column(
    "RB", 9, "1", "basis of rotations in the parent's frame, free directions first",
    "model", "kinematics, integrators",
)  # fmt: skip
PITCH = links.column("PITCH", 1, "m/rad", "pitch of a screw", "model", "kinematics, integrators")
QREF = links.column(
    "QREF", 4, "1", "orientation of the user's frame in the reference configuration",
    "model", "kinematics, dynamics, integrators",
)  # fmt: skip

joints = Table("par", "further joints", "a joint that is not of the spanning tree")
joints.shares(links, "PA", "PB", "TB", "RB", "PITCH")
IS_DISC = joints.column("IS_DISC", 1, "flag", "whether what rolls is a disc", "model", "kinematics")
LENGTH = joints.variant("LENGTH", "PITCH", "m", "of a distance", "model", "kinematics")
RADIUS = joints.variant("RADIUS", "PITCH", "m", "of what rolls", "model", "kinematics")
OFFSET = joints.variant(
    "OFFSET", "PITCH", "m, rad", "added to the sum of a coupling or tendon", "model", "kinematics, model"
)

sum_terms = Table("par", "terms of sums", "a coordinate in the sum of a coupling or tendon")
TERM_JOINT = sum_terms.column("TERM_JOINT", 1, "joint", "whose coordinate", "model", "kinematics, model")
TERM_COORDINATE = sum_terms.column("TERM_COORDINATE", 1, "index", "which one", "model", "kinematics, model")
TERM_FACTOR = sum_terms.column("TERM_FACTOR", 1, "1", "what it counts with", "model", "kinematics, model")

path_segments = Table("par", "path segments", "a piece of a path between two points")
SEGMENT_A = path_segments.column("SEGMENT_A", 1, "body", "of its first point", "model", "kinematics, model")
SEGMENT_B = path_segments.column("SEGMENT_B", 1, "body", "of its second point", "model", "kinematics, model")
SEGMENT_W = path_segments.column(
    "SEGMENT_W", 1, "body", "of what it winds around", "model", "kinematics, model"
)
SEGMENT_KIND = path_segments.column(
    "SEGMENT_KIND", 1, "kind", "see the kinds of segments", "model", "kinematics"
)
SEGMENT_SIDE = path_segments.column(
    "SEGMENT_SIDE", 1, "kind", "see the sides of segments", "model", "kinematics"
)
SEGMENT_FACTOR = path_segments.column(
    "SEGMENT_FACTOR", 1, "1", "what its length counts with", "model", "kinematics"
)
SEGMENT_RADIUS = path_segments.column(
    "SEGMENT_RADIUS", 1, "m", "of what it winds around", "model", "kinematics"
)
SEGMENT_PA = path_segments.column("SEGMENT_PA", 3, "m", "first point on its body", "model", "kinematics")
SEGMENT_PB = path_segments.column("SEGMENT_PB", 3, "m", "second point on its body", "model", "kinematics")
SEGMENT_CENTRE = path_segments.column(
    "SEGMENT_CENTRE", 3, "m", "centre of what it winds around, or a point on its axis", "model", "kinematics"
)
SEGMENT_AXIS = path_segments.column(
    "SEGMENT_AXIS", 3, "1", "axis of a cylinder, in its body", "model", "kinematics"
)
SEGMENT_TOWARDS = path_segments.column(
    "SEGMENT_TOWARDS", 3, "m", "from the centre to the point that tells the side", "model", "kinematics"
)

segment_kinds = Values("kinds of segments", "Values of SEGMENT_KIND.")
STRAIGHT = segment_kinds.value("STRAIGHT", 0, "from point to point")
AROUND_SPHERE = segment_kinds.value("AROUND_SPHERE", 1, "around a sphere, where it is in the way")
AROUND_CYLINDER = segment_kinds.value("AROUND_CYLINDER", 2, "around a cylinder without ends")

segment_sides = Values("sides of segments", "Values of SEGMENT_SIDE.")
ANY_SIDE = segment_sides.value("ANY_SIDE", 0, "the shorter way")
ONE_SIDE = segment_sides.value("ONE_SIDE", 1, "on the side of SEGMENT_TOWARDS")
THROUGH = segment_sides.value("THROUGH", 2, "through the sphere or cylinder, as through a ring")

drives = Table("par", "drives", "a driven joint, one number for each of its coordinates")
DRIVE_C = drives.column("DRIVE_C", 6, "N s/m, N m s/rad", "damping", "model", "integrators")
DRIVE_I = drives.column("DRIVE_I", 6, "kg, kg m^2", "armature", "model", "dynamics, integrators")
DRIVE_K = drives.column("DRIVE_K", 6, "N/m, N m/rad", "stiffness of servos", "model", "integrators")
DRIVE_M = drives.column(
    "DRIVE_M", 6, "N s/m, N m s/rad", "damping of a servo with a limit", "model", "integrators"
)
DRIVE_LIMIT = drives.column(
    "DRIVE_LIMIT", 6, "N, N m", "largest effort of such a servo", "model", "integrators"
)

drive_springs = Table("par", "drives, springs", "the line after a drive: its springs by the mean rule")
DRIVE_SPRING = drive_springs.column("DRIVE_SPRING", 6, "N/m, N m/rad", "stiffness", "model", "integrators")
DRIVE_PULL = drive_springs.column("DRIVE_PULL", 6, "N, N m", "stiffness times rest", "model", "integrators")

springs = Table("par", "springs", "an element of kind SPRING")
SPRING_PA = springs.column("SPRING_PA", 3, "m", "point on the first body", "model", "kinematics")
SPRING_PB = springs.column("SPRING_PB", 3, "m", "point on the second body", "model", "kinematics")
SPRING_K = springs.column("SPRING_K", 1, "N/m", "stiffness", "model", "dynamics, integrators")
SPRING_L = springs.column("SPRING_L", 1, "m", "rest length", "model", "dynamics, integrators")
SPRING_C = springs.column("SPRING_C", 1, "N s/m", "damping", "model", "integrators")

efforts = Table("par", "efforts", "an element of kind EFFORT")
EFFORT_K = efforts.column(
    "EFFORT_K", 1, "N/m, N m/rad", "stiffness of a spring", "model", "dynamics, integrators"
)
EFFORT_REST = efforts.column("EFFORT_REST", 1, "m, rad", "its rest", "model", "dynamics, integrators")
EFFORT_LIMIT = efforts.column(
    "EFFORT_LIMIT", 1, "N, N m", "limit of the input", "model", "dynamics, integrators"
)

servos = Table("par", "servos", "an element of kind SERVO")
SERVO_K = servos.column("SERVO_K", 1, "N/m, N m/rad", "stiffness", "model", "integrators")

wrenches = Table("par", "wrenches", "an element of kind WRENCH")
WRENCH_F = wrenches.column("WRENCH_F", 3, "N", "force", "model", "dynamics")
WRENCH_T = wrenches.column("WRENCH_T", 3, "N m", "torque", "model", "dynamics")
WRENCH_P = wrenches.column("WRENCH_P", 3, "m", "point of the body where the force acts", "model", "dynamics")
WRENCH_LOWER = wrenches.column("WRENCH_LOWER", 1, "1", "least input of a scaled one", "model", "dynamics")
WRENCH_UPPER = wrenches.column("WRENCH_UPPER", 1, "1", "largest input of a scaled one", "model", "dynamics")

segments = Table("par", "curve segments", "a cubic piece of a curve")
CURVE_S0 = segments.column("CURVE_S0", 1, "m", "parameter at its start", "model", "kinematics")
CURVE_S1 = segments.column("CURVE_S1", 1, "m", "parameter at its end", "model", "kinematics")
CURVE_COEFFICIENTS = segments.column(
    "CURVE_COEFFICIENTS", 12, "m, 1, 1/m, 1/m^2", "four vectors, of the powers 0 to 3", "model", "kinematics"
)
