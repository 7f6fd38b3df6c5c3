"""`work`, what a step needs in between: bodies, freedoms, the border, scratch of user functions.

Nothing in it outlives a call except what `enter` writes for the node.  Units are those of the stage of
positions, whose unknowns are displacements."""

from __future__ import annotations

from sarrus.layout.declare import Table
from sarrus.layout.limits import MAX_CUSTOM_BODIES

bodies = Table("work", "bodies", "a body")
D = bodies.column(
    "D", 36, "kg/s, kg m/s, kg m^2/s", "sum over children of the factorisation, four 3x3 blocks",
    "solvers, integrators", "solvers, integrators",
)  # fmt: skip
RHS = bodies.column(
    "RHS", 6, "N s, N m s", "sum over children of the right-hand side",
    "solvers, integrators", "solvers, integrators",
)  # fmt: skip
F = bodies.column("F", 6, "N s, N m s", "residual", "integrators", "solvers, integrators")
X1 = bodies.column(
    "X1", 3, "m", "trial position", "kinematics, dynamics, integrators", "kinematics, dynamics, integrators"
)
Q1 = bodies.column(
    "Q1", 4, "1", "trial orientation",
    "kinematics, dynamics, integrators", "kinematics, dynamics, model, integrators",
)  # fmt: skip
R1 = bodies.column(
    "R1", 9, "1", "its rotation matrix",
    "kinematics, dynamics, integrators", "kinematics, dynamics, model, integrators, trajectory",
)  # fmt: skip
DZ = bodies.column("DZ", 6, "m, rad", "direction of Newton's method", "integrators", "solvers, integrators")
JW = bodies.column(
    "JW", 9, "kg m^2", "inertia at the node, world frame",
    "dynamics, integrators", "dynamics, integrators",
)  # fmt: skip
ARM0 = bodies.column(
    "ARM0", 3, "m", "from the parent's centre of mass, at the node",
    "kinematics, dynamics", "solvers, dynamics, integrators",
)  # fmt: skip
ARM1 = bodies.column("ARM1", 3, "m", "the same at the trial configuration", "integrators", "integrators")
D_RATES = bodies.column(
    "D_RATES", 6, "m/s, rad/s", "last change of the rates of its joint", "integrators", "integrators"
)
PIVOT_A = bodies.column(
    "PIVOT_A", 3, "m", "from the parent to the joint point, at the node", "integrators", "integrators"
)
PIVOT_B = bodies.column(
    "PIVOT_B", 3, "m", "from the body to the joint point, at the node", "integrators", "integrators"
)
TURN = bodies.column("TURN", 4, "1", "turn of the trial step", "integrators", "integrators")
V_HELD = bodies.column(
    "V_HELD", 6, "m/s, rad/s", "velocity of the step, aside during the stage of momenta",
    "integrators", "integrators",
)  # fmt: skip
U_BEFORE = bodies.column(
    "U_BEFORE", 6, "m/s, rad/s", "velocity before the stage of momenta", "integrators", "integrators"
)
U_PLASTIC = bodies.column(
    "U_PLASTIC", 6, "m/s, rad/s", "velocity without restitution", "integrators", "integrators"
)
P_BEFORE = bodies.column(
    "P_BEFORE", 6, "N s, N m s", "momentum before the stage of momenta", "integrators", "integrators"
)
COMPONENT = bodies.column(
    "COMPONENT", 1, "", "a body that it is connected to by joints and closed contacts", "integrators",
    "integrators",
)  # fmt: skip
STRUCK = bodies.column("STRUCK", 1, "flag", "whether an impact reaches it", "integrators", "integrators")
MOTOR_FORCE = bodies.column(
    "MOTOR_FORCE", 6, "N, N m", "force of motors at the node", "dynamics", "dynamics, integrators"
)
INPUT_FORCE = bodies.column(
    "INPUT_FORCE", 6, "N, N m", "force at the node that is neither motor nor potential",
    "dynamics", "dynamics, integrators",
)  # fmt: skip

world = Table("work", "world", "a body at rest, line n; numbers of the step where bodies have factors")
world.shares(bodies, "F", "X1", "Q1", "R1", "DZ", "TURN", "MOTOR_FORCE", "INPUT_FORCE")
WORST = world.column(
    "WORST", 1, "m, 2 sin(angle/2)", "largest error of all border rows, redundant ones included",
    "integrators", "integrators",
)  # fmt: skip
THETA = world.column(
    "THETA", 1, "", "ratio of the first two corrections of a step, through one factor", "integrators",
    "integrators",
)  # fmt: skip
START_ENERGY = world.column(
    "START_ENERGY", 1, "J", "energy at the first node of a step with contacts", "integrators", "integrators"
)
IMPACTS = world.column(
    "IMPACTS", 1, "count", "contacts that close with an impact in the step", "integrators", "integrators"
)
LAGS_KNOWN = world.column(
    "LAGS_KNOWN", 1, "", "changes of slips that are remembered; -1: no slips have been found yet", "solvers",
    "solvers",
)  # fmt: skip

freedoms = Table("work", "freedoms", "a freedom of the spanning tree")
S0 = freedoms.column(
    "S0", 6, "1, m", "motion at the node", "kinematics, dynamics", "solvers, dynamics, integrators"
)
S1 = freedoms.column(
    "S1", 6, "1, m", "motion at the trial configuration", "solvers, integrators", "integrators"
)
DS = freedoms.column("DS", 6, "kg/s, kg m/s", "D s", "solvers", "solvers")
SD = freedoms.column("SD", 6, "1, m", "s' D over the pivot", "solvers", "solvers")
PIVOT = freedoms.column("PIVOT", 1, "s/kg, s/(kg m^2)", "1 over the pivot", "solvers", "solvers")
T = freedoms.column("T", 1, "m, rad", "scaled residual", "solvers, integrators", "solvers, integrators")
EFFORT_LEFT = freedoms.column(
    "EFFORT_LEFT", 1, "N s, N m s", "implicit effort of a driven joint at the first node",
    "integrators", "solvers, integrators",
)  # fmt: skip
STIFFNESS = freedoms.column(
    "STIFFNESS", 1, "kg/s, kg m^2/s", "its derivative by the coordinate",
    "integrators", "solvers, integrators",
)  # fmt: skip
EFFORT_RIGHT = freedoms.column(
    "EFFORT_RIGHT", 1, "N s, N m s", "effort at the last node; stage of momenta: impulse of the armature",
    "integrators", "integrators",
)  # fmt: skip
RATE = freedoms.column(
    "RATE", 1, "m, rad", "its part of the direction of Newton's method", "solvers", "dynamics, integrators"
)
W0 = freedoms.column(
    "W0", 6, "1, m", "its row vector at the node", "kinematics, dynamics", "dynamics, integrators"
)
EFFORT_BASE = freedoms.column(
    "EFFORT_BASE", 1, "N s, N m s", "EFFORT_LEFT before contacts are added",
    "integrators", "integrators",
)  # fmt: skip
STIFFNESS_BASE = freedoms.column(
    "STIFFNESS_BASE", 1, "kg/s, kg m^2/s", "STIFFNESS before contacts are added", "integrators", "integrators"
)
MOVED = freedoms.column(
    "MOVED", 1, "m, rad", "how far its coordinate moves in the step", "integrators", "integrators"
)
AXIS = freedoms.column("AXIS", 3, "1", "axis or direction at the node", "integrators", "integrators")

edges = Table("work", "edges", "a body that a border row is carried through")
H = edges.column("H", 6, "1, m", "force on the body", "solvers", "solvers")
CR = edges.column("CR", 6, "1, m", "row vector on the body", "solvers", "solvers")
TH = edges.column("TH", 6, "s/kg, s/(kg m)", "s0' h over the pivot, per freedom", "solvers", "solvers")
TC = edges.column("TC", 6, "1, m", "c s1, per freedom", "solvers", "solvers")

rows = Table("work", "border rows", "a border row")
HU = rows.column("HU", 6, "1, m", "force at the upper body", "solvers", "solvers")
CU = rows.column("CU", 6, "1, m", "row vector at the upper body", "solvers", "solvers")
R = rows.column("R", 1, "m, rad", "right-hand side", "solvers", "solvers")
IS = rows.column("IS", 1, "kg/s, kg m^2/s", "1 over the pivot", "solvers", "solvers")
DLAM = rows.column("DLAM", 1, "N s, N m s", "direction of the multiplier", "solvers", "solvers, integrators")
DIAG = rows.column("DIAG", 1, "s/kg, s/(kg m^2)", "diagonal before elimination", "solvers", "integrators")
ERR = rows.column(
    "ERR", 1, "m, rad", "error", "kinematics, dynamics, integrators", "solvers, dynamics, integrators"
)
COMPLIANCE = rows.column(
    "COMPLIANCE", 1, "s/kg, s/(kg m^2)", "of the row: gain c dz + compliance dlam = -error",
    "dynamics, integrators", "solvers, integrators",
)  # fmt: skip
ROW_RATE = rows.column(
    "ROW_RATE", 1, "m/s, rad/s", "rate of a prescribed coordinate over the step", "integrators", "integrators"
)
ROW_IMPULSE = rows.variant(
    "ROW_IMPULSE", "ROW_RATE", "N s, N m s", "impulse of a row with a compliance at a node, without armature",
    "integrators", "integrators",
)  # fmt: skip
GAIN = rows.column(
    "GAIN", 1, "1", "0: the multiplier does not depend on the motion",
    "dynamics, integrators", "solvers, integrators",
)  # fmt: skip
SLOTS = rows.rest(
    "SLOTS", "s/kg, s/(kg m^2)", "couplings with the rows it meets", "solvers", "model, solvers"
)

ties = Table("work", "ties", "two bodies that touch: the body, and the other one")
TIE_HERE = ties.column(
    "TIE_HERE", 36, "kg/s, kg m/s, kg m^2/s", "force on the body for motions of the other",
    "solvers", "solvers",
)  # fmt: skip
TIE_THERE = ties.column(
    "TIE_THERE", 36, "kg/s, kg m/s, kg m^2/s", "force on the other for motions of the body",
    "solvers", "solvers",
)  # fmt: skip

tied = Table("work", "freedoms of ties", "a freedom of the body of a tie")
TIE_DS = tied.column("TIE_DS", 6, "kg/s, kg m/s", "force on the other for its motion", "solvers", "solvers")
TIE_SD = tied.column(
    "TIE_SD", 6, "1, m", "force along it for motions of the other, over its pivot", "solvers", "solvers"
)

ends = Table("work", "ends", "a body that a border row acts on")
G0 = ends.column(
    "G0", 6, "1, m", "row vector at the node",
    "dynamics, integrators", "solvers, kinematics, dynamics, model, integrators",
)  # fmt: skip
G1 = ends.column(
    "G1", 6, "1, m", "row vector at the trial configuration", "integrators", "kinematics, integrators"
)

scratch = Table("work", "scratch of user functions", "the first of SCRATCH_LINES lines of a user's function")
SCRATCH_X = scratch.column(
    "SCRATCH_X", 3 * MAX_CUSTOM_BODIES, "m", "positions in the user's world",
    "kinematics, dynamics", "kinematics, dynamics",
)  # fmt: skip
SCRATCH_Q = scratch.column(
    "SCRATCH_Q", 4 * MAX_CUSTOM_BODIES, "1", "orientations of the user's frames",
    "kinematics, dynamics", "kinematics, dynamics",
)  # fmt: skip
SCRATCH_V = scratch.column(
    "SCRATCH_V", 3 * MAX_CUSTOM_BODIES, "m/s", "velocities", "dynamics", "dynamics, integrators"
)
SCRATCH_W = scratch.column(
    "SCRATCH_W", 3 * MAX_CUSTOM_BODIES, "rad/s", "angular velocities", "dynamics", "dynamics, integrators"
)
SCRATCH_OUT = scratch.column(
    "SCRATCH_OUT", 6 * MAX_CUSTOM_BODIES, "the user's", "what the function returns",
    "dynamics", "kinematics, dynamics, integrators",
)  # fmt: skip
