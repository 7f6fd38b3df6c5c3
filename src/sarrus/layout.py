"""Columns of the four arrays that carry a mechanism through the kernels, shared by the model (which fills
them) and the kernels.

topo   integers: a header (row 0), then the tables links, edges, rows, groups, ends, joints, elements,
       contacts
par    constants: one line per link (mass, inertia, joint to its parent), then further joints, drives,
       elements, curves
state  what a step maps: bodies (node configuration, momentum, velocities), border rows (multiplier),
       joints (coordinates at the node), contacts (features of the step, forces of the last one)
work   what a step needs in between; nothing in it outlives a call except what `enter` writes for the node

A link is a body with the joint to its parent in the spanning tree; bodies come parents first, and body n is
the world.  Positions count from an origin near the mechanism (`ORIGIN`), so that they keep their digits far
from the user's.  Frames of bodies are parallel to the world in the reference configuration (`QREF` turns them
into the user's).  A border row is one scalar equation that the tree does not carry: a row of a joint that
closes a loop, or a damper or a stiff spring.  It opens at the bodies it acts on (its ends), is carried up
through the bodies in between (its edges) and is eliminated at its upper body."""

# topo, header: counts
BODIES, FREEDOMS, EDGES, ROWS, ENDS, JOINTS = 0, 1, 2, 3, 4, 5
# topo, header: line in par of the kernels' origin in the user's world
ORIGIN = 6
# GROUP0, GROUP1 (8, 9) of the header: groups of border rows that end at the world
ELEMENTS, SLOT_COUNT, INPUTS = 10, 11, 12
# elements that the user wrote and that depend on velocities; table of groups
CUSTOM_FORCES, T_GROUPS = 26, 27
# topo, header: first line of each table in topo, state and work
T_EDGES, T_ROWS, T_ENDS, T_JOINTS, T_ELEMENTS = 14, 15, 16, 17, 18
S_ROWS, S_JOINTS = 19, 20
W_FREEDOMS, W_EDGES, W_ROWS, W_ENDS, W_SCRATCH = 21, 22, 23, 24, 25
CONTACTS, T_CONTACTS, S_CONTACTS, W_CONTACTS = 28, 29, 30, 31
TOPO_COLS = 32

# topo, links (lines 1..n): parent, free rotations and translations, first freedom, number of children,
# whether it is the first child to be added to its parent; the edges of the body; the groups of border rows
# that end at it; flags; the user's index; joint; root of a free tree (-1: none)
PARENT, ROTATIONS, TRANSLATIONS, FREEDOM, CHILDREN, FIRST = 0, 1, 2, 3, 4, 5
EDGE0, EDGE1, GROUP0, GROUP1, FLAGS, USER, LINK_JOINT, ROOT = 6, 7, 8, 9, 10, 11, 12, 13
REVERSED, SCREW, DRIVEN, SEEDED = 1, 2, 4, 8

# topo, edges: border row, edge of the same row at the parent (-1: the parent is the row's upper body or the
# world)
EDGE_ROW, EDGE_NEXT = 0, 1
# topo, border rows: what they belong to (joint, element, contact), kind, coordinate of a drive (of a spring:
# 0 its length, 1 to 3 a component of the way between its points; of a contact: number of its rows), upper
# body, slot, ends, first row of the same contact
ROW_OF, ROW_KIND, ROW_COORDINATE, UPPER, SLOT, END0, END1, ROW_FIRST = 0, 1, 2, 3, 4, 5, 6, 7
CONSTRAINT_ROW, DRIVE_ROW, SPRING_ROW, CONTACT_ROW = 0, 1, 2, 3
# topo, groups: border rows [first, last) that end at one body and meet below it
CLOSE0, CLOSE1 = 0, 1
# topo, ends: body, edge where the end enters (-1: the body is the upper one), border row, role (0 child, 1
# parent, 2 and 3 of a gear's second joint; number of the body of a custom constraint)
END_BODY, END_EDGE, END_ROW, END_ROLE = 0, 1, 2, 3

# topo, joints: kind, parent and child, line in par, free rotations and translations, drive line in par (-1:
# none), tree body (-1: the joint closes a loop), first coordinate and number of coordinates, line of scratch
# work, then what the kind needs
JOINT_KIND, JOINT_A, JOINT_B, JOINT_PAR, JOINT_KR, JOINT_KT, JOINT_DRIVE, JOINT_TREE = 0, 1, 2, 3, 4, 5, 6, 7
JOINT_COORDINATE, JOINT_COORDINATES, JOINT_SCRATCH, JOINT_FLAGS = 8, 9, 10, 11
LOWER_PAIR, DISTANCE, GEAR, CURVE, ROLLING, CUSTOM, SCREW_PAIR = 0, 1, 2, 3, 4, 5, 6
GEAR_A, GEAR_B, GEAR_CA, GEAR_CB = 12, 13, 14, 15
CURVE_SEGMENTS, CURVE_CLOSED = 12, 13
CUSTOM_ADDRESS, CUSTOM_JACOBIAN, CUSTOM_ROWS, CUSTOM_COUNT, CUSTOM_BODY = 12, 13, 14, 15, 16
MAX_CUSTOM_BODIES, MAX_CUSTOM_ROWS = 8, 6

# topo, elements: kind, bodies or joint and coordinate, line in par, first input (-1: none), then what the
# kind needs
ELEMENT_KIND, ELEMENT_A, ELEMENT_B, ELEMENT_PAR, ELEMENT_INPUT = 0, 1, 2, 3, 4
ELEMENT_FRAME, ELEMENT_SCRATCH, ELEMENT_RULE = 5, 6, 7
# Springs: trapezoidal, half at each node; by the mean of a coordinate (a joint's, or the length); by the mean
# of the three components of the way between the points, where the rest length is 0
TRAPEZOIDAL, MEAN, MEAN_COMPONENTS = 0, 1, 2
SPRING, EFFORT, SERVO, WRENCH, CUSTOM_FORCE, CUSTOM_POTENTIAL = 0, 1, 2, 3, 4, 5
ELEMENT_ADDRESS, ELEMENT_GRADIENT, ELEMENT_COUNT, ELEMENT_BODY = 12, 13, 15, 16

# topo, contacts (all that an inequality bounds): kind, the two bodies (a world-fixed one first), first border
# row (-1: a leaf), line in work of the freedom that carries a coordinate (-1: none), joint and coordinate
CONTACT_KIND, CONTACT_A, CONTACT_B, CONTACT_ROWS, CONTACT_FREEDOM = 0, 1, 2, 3, 4
CONTACT_JOINT, CONTACT_COORDINATE = 5, 6
# two bodies touch; a coordinate has a bound; a coordinate has dry friction
TOUCH, LIMIT, DRAG = 0, 1, 2

# Contact features, one line per contact (also the first columns of the contacts in `state`): type, whether
# the pair's first body plays B, points on A and B, normal or direction fixed in A, direction fixed in B,
# radius, a number that names the pair of features, B's part of the radius.  See `dynamics/features.py`
FEATURE_TYPE, FEATURE_FLIP, FEATURE_PA, FEATURE_PB, FEATURE_N, FEATURE_E, FEATURE_R, FEATURE_KEY = (
    0, 1, 2, 5, 8, 11, 14, 15,
)  # fmt: skip
FEATURE_RB = 16
FEATURE_COLS = 17
NO_FEATURE, PLANE, POINTS, LINE, EDGES_FEATURE, ROPE, RIM = 0, 1, 2, 3, 4, 5, 6
# state, contacts, after the feature: whether the step looks at it, friction coefficient, restitution, forces
# of the last step (normal and tangential) of both stages, bound and its side (+1 lower, -1 upper), whether
# the position stage found it closed, normal velocity at the start of the step
ON, MU, RESTITUTION, FORCE1, FORCE2, BOUND, SIDE, CLOSED, APPROACH = 17, 18, 19, 20, 23, 26, 27, 28, 29

# par, links and joints.  Joint points on parent and child; bases of translations and rotations in the parent
# frame, free directions first; inertia about the centre of mass, world axes of the reference configuration
MASS, INERTIA, PA, PB, TB, RB, PITCH, QREF = 0, 1, 10, 13, 16, 25, 34, 35
LENGTH, RADIUS, RATIO, IS_DISC = 34, 34, 34, 35
PAR_COLS = 40
# par, drives: damping, armature, servo stiffness, damping and limit of a servo with a limit, per coordinate
DRIVE_C, DRIVE_I, DRIVE_K, DRIVE_M, DRIVE_LIMIT = 0, 6, 12, 18, 24
# the line after: stiffness of springs by the mean rule, the same times their rest, per coordinate
DRIVE_SPRING, DRIVE_PULL = 0, 6
# par, elements: spring (points, stiffness, rest length, damping); effort (stiffness, rest,
# limit of the input); servo
# (stiffness); wrench (force, torque, point)
SPRING_PA, SPRING_PB, SPRING_K, SPRING_L, SPRING_C = 0, 3, 6, 7, 8
EFFORT_K, EFFORT_REST, EFFORT_LIMIT = 0, 1, 2
WRENCH_F, WRENCH_T, WRENCH_P = 0, 3, 6
# par, curve segments: parameter [m] at both ends, four cubic coefficients (vectors)
CURVE_S0, CURVE_S1, CURVE_COEFFICIENTS = 0, 1, 2

# state, bodies: node configuration, momentum (world frame), velocity read out at the node, velocities of the
# last step, rates of the joint's freedoms in the step before it, force
X, Q, P, U, V, RATES2, FORCE = 0, 3, 7, 13, 19, 25, 31
# state, border rows: multiplier (impulse), place of the row in its joint; where that is COMBINED, the row is
# a combination of all places of the joint, with these weights, and its pivot is compared with this scale
LAM, ACTIVE, WEIGHTS, WEIGHT_SCALE = 0, 1, 2, 8
COMBINED = -1
# state, border rows: how far the row depends on the others at the node (0, WEAK, LOST; see `mark_weak_rows`)
WEAKNESS = 9
WEAK, LOST = 1.0, 2.0
# state, joints: coordinates at the node (angles continuous), offset of the servos, curve parameter and its
# frame, best pivot seen, the coordinates of the next node until all are known, smallest pivot at the node;
# cosine and sine of up to two angles at the node (see `dynamics/turns.py`)
COORD, SERVO_OFFSET, CURVE_S, CURVE_AXIS, WATCH, COORD_NEXT, NODE_PIVOT = 0, 6, 12, 13, 14, 15, 21
NODE_ANGLE = 22
# state, world: lengths of the last two steps, and whether U is that of the node (in the place of RATES2,
# which the world does not need)
LAST_DT, LAST_DT2, READ_OUT = 25, 26, 27
# state, world: sides of the friction pyramid, 0 for the exact cone (also in the place of RATES2)
FRICTION_SIDES = 28
# state, bodies: rates that the last step was predicted with (world: whether the next may learn from it);
# rates of the joint's freedoms in the last step (see `dynamics/increments.py`)
PREDICTED, RATES = 37, 43
# state, world: largest kinetic energy so far, how often steps are halved because bodies spin fast, and for
# how many steps they have been calm; base length over that of the last step where steps follow the motion;
# steps since joints were restored; whether a step was a whip
PEAK, LEVEL, CALM_STEPS, RHO, UNRESTORED, WHIPS = 38, 39, 40, 41, 42, 43
STATE_COLS = 49

# work, bodies: sum over children (6x6, 6), residual, trial configuration, direction, world inertia at the
# node, arms to the parent at the node and at the trial configuration, last change of rates, arms from the
# parent and from the body to the joint point at the node, turn of the trial step; of the momentum stage:
# velocities of the step, those before the stage, those without restitution, momenta before it
D, RHS, F, X1, Q1, R1, DZ = 0, 36, 42, 48, 51, 55, 64
JW, ARM0, ARM1, D_RATES, PIVOT_A, PIVOT_B, TURN = 70, 79, 82, 85, 91, 94, 97
V_HELD, U_BEFORE, U_PLASTIC, P_BEFORE = 101, 107, 113, 119
# work, bodies: forces of motors and of all else that is neither motor nor potential, at the node
MOTOR_FORCE, INPUT_FORCE = 125, 131
# work, freedoms: motion at the node and at the trial configuration, D s, s' D / pivot, 1 / pivot, scaled
# residual; of a driven joint the implicit effort at the first node, its derivative, the one at the last node,
# the rate and the row vector at the node; in the momentum stage EFFORT_RIGHT is the impulse of its armature
S0, S1, DS, SD, PIVOT, T = 0, 6, 12, 18, 24, 25
EFFORT_LEFT, STIFFNESS, EFFORT_RIGHT, RATE, W0 = 26, 27, 28, 29, 30
# the same before contacts are added
EFFORT_BASE, STIFFNESS_BASE = 36, 37
# how far its coordinate moves in the step; axis or direction at the node
MOVED, AXIS = 38, 39
# work, edges: force and row vector on the body reached; per freedom: s0' h / pivot and c s1
H, CR, TH, TC = 0, 6, 12, 18
# work, border rows: force and row vector at the upper body, right-hand side, 1 / pivot, direction, diagonal,
# error, compliance, compliance to the three rows of its contact, gain (the row is gain c dz + compliance dlam
# = -error; 0: the multiplier does not depend on the motion), couplings
HU, CU, R, IS, DLAM, DIAG, ERR, COMPLIANCE, CROSS, GAIN, SLOTS = 0, 6, 12, 13, 14, 15, 16, 17, 18, 21, 22
# work, ends: row vector at the node and at the trial configuration
G0, G1 = 0, 6
# work, scratch of user functions: positions, orientations; velocities, angular velocities; results
SCRATCH_X, SCRATCH_Q, SCRATCH_V, SCRATCH_W, SCRATCH_OUT = 0, 24, 56, 80, 104
SCRATCH_LINES = 3
# work, contacts: row vectors (normal, two tangents) on B and A at the node and at the trial configuration;
# variables s, gamma, b, psi, l (see `solvers/cone.py`), their directions, residuals; gap and slip at the
# trial configuration; derivative of the forces, constant part of their change; normal and tangents; arms and
# local places of the contact point; scales of force and length; velocities at the start of a stage; whether
# it is round; gap and contact point at the node; whether its law is convex, with which slip (`convex.py`)
NODE_B, NODE_A, TRIAL_B, TRIAL_A = 0, 18, 36, 54
VARIABLES, DIRECTIONS, RESIDUALS, TRIAL = 72, 79, 86, 93
SLOPE, CHANGE, FRAME, ARM_B, ARM_A, LOCAL_B, LOCAL_A = 96, 105, 108, 117, 120, 123, 126
SCALE_F, SCALE_L, BEFORE, ROUND, GAP, POINT, CONVEX, LAG = 129, 130, 131, 134, 135, 136, 139, 140
WORK_COLS = 164
