"""`state`, what a step maps: bodies, the world, border rows, joints, contacts."""

from __future__ import annotations

from sarrus.layout.declare import Table, Values
from sarrus.layout.features import features

bodies = Table("state", "bodies", "a body at the node; lines 0 to n - 1")
X = bodies.column(
    "X", 3, "m", "position of the centre of mass",
    "dynamics, model, integrators", "kinematics, dynamics, model, integrators, trajectory",
)  # fmt: skip
Q = bodies.column(
    "Q", 4, "1", "orientation, relative to the reference configuration",
    "dynamics, model, integrators", "kinematics, dynamics, model, integrators",
)  # fmt: skip
P = bodies.column(
    "P", 6, "N s, N m s", "momentum, world frame",
    "dynamics, integrators", "dynamics, integrators",
)  # fmt: skip
U = bodies.column(
    "U", 6, "m/s, rad/s", "velocity read out at the node; what comes before V is the node",
    "dynamics, integrators", "kinematics, dynamics, integrators",
)  # fmt: skip
V = bodies.column(
    "V", 6, "m/s, rad/s", "velocity of the last step",
    "dynamics, integrators", "dynamics, integrators",
)  # fmt: skip
RATES2 = bodies.column(
    "RATES2", 6, "m/s, rad/s", "rates of the joint's freedoms in the step before the last",
    "integrators", "integrators",
)  # fmt: skip
FORCE = bodies.column("FORCE", 6, "N, N m", "force at the node", "dynamics", "dynamics, integrators")
PREDICTED = bodies.column(
    "PREDICTED", 6, "m/s, rad/s", "rates that the last step was predicted with", "integrators", "integrators"
)
RATES = bodies.column(
    "RATES", 6, "m/s, rad/s", "rates of the joint's freedoms in the last step",
    "integrators", "integrators",
)  # fmt: skip

world = Table(
    "state", "world", "a body at rest, line n; numbers of the run where bodies have rates of joints"
)
world.shares(bodies, "X", "Q", "P", "U", "V", "FORCE")
LAST_DT = world.column("LAST_DT", 1, "s", "length of the last step", "integrators", "integrators")
LAST_DT2 = world.column("LAST_DT2", 1, "s", "length of the step before", "integrators", "integrators")
READ_OUT = world.column("READ_OUT", 1, "flag", "whether U is that of the node", "integrators", "integrators")
FRICTION_SIDES = world.column(
    "FRICTION_SIDES", 1, "count", "sides of the friction pyramid; 0: the exact cone",
    "integrators", "solvers",
)  # fmt: skip
LEARNS = world.column(
    "LEARNS", 1, "flag", "whether the next step may learn from the last one's prediction",
    "integrators", "integrators",
)  # fmt: skip
PEAK = world.column("PEAK", 1, "J", "largest kinetic energy so far", "integrators", "integrators")
LEVEL = world.column(
    "LEVEL", 1, "count", "how often steps are halved because bodies spin fast", "integrators", "integrators"
)
CALM_STEPS = world.column(
    "CALM_STEPS", 1, "count", "for how many steps they have been calm", "integrators", "integrators"
)
RHO = world.column(
    "RHO", 1, "1", "base length over that of the last step, where steps follow the motion",
    "integrators", "integrators",
)  # fmt: skip
UNRESTORED = world.column(
    "UNRESTORED", 1, "count", "steps since joints were restored", "integrators", "integrators"
)
WHIPS = world.column("WHIPS", 1, "flag", "whether a step was a whip", "integrators", "integrators")

rows = Table("state", "border rows", "a border row")
LAM = rows.column(
    "LAM", 1, "N s, N m s", "multiplier (impulse)",
    "solvers, kinematics, dynamics, integrators", "solvers, dynamics, integrators",
)  # fmt: skip
ACTIVE = rows.column(
    "ACTIVE", 1, "index", "place of the row in its joint, or COMBINED; WATCHED for drives",
    "model, integrators", "kinematics, dynamics, integrators",
)  # fmt: skip
WEIGHTS = rows.column(
    "WEIGHTS", 6, "1", "of the places of the joint, for a row that combines them; best pivot of tied drives",
    "integrators", "kinematics, integrators",
)  # fmt: skip
WEIGHT_SCALE = rows.column(
    "WEIGHT_SCALE", 1, "1/kg, 1/(kg m^2)", "what the pivot of such a row, or tied drive, is compared with",
    "model, integrators", "model, integrators",
)  # fmt: skip
WEAKNESS = rows.column(
    "WEAKNESS", 1, "kind", "how far it depends on the others at the node: 0, WEAK, LOST",
    "integrators", "dynamics, integrators",
)  # fmt: skip

row_places = Values("places of border rows", "Values of ACTIVE besides the places 0 to 5.")
COMBINED = row_places.value("COMBINED", -1, "the row is a combination of all places of the joint")
WATCHED = row_places.value(
    "WATCHED", -2, "a prescribed coordinate that depends on others: it is compared with them, not enforced"
)

weaknesses = Values("weakness of border rows", "Values of WEAKNESS; see `mark_weak_rows`.")
WEAK = weaknesses.real("WEAK", 1.0, "nearly depends on the others")
LOST = weaknesses.real("LOST", 2.0, "depends on the others")

joints = Table("state", "joints", "a joint at the node")
COORD = joints.column(
    "COORD", 6, "m, rad", "coordinates; angles are continuous",
    "kinematics, dynamics, model", "kinematics, dynamics, model, integrators",
)  # fmt: skip
SERVO_OFFSET = joints.column(
    "SERVO_OFFSET", 6, "N, N m", "stiffness times target of its servos", "integrators", "integrators"
)
CURVE_S = joints.column(
    "CURVE_S", 1, "m", "parameter on a curve", "kinematics, dynamics, model, integrators", "kinematics"
)
CURVE_AXIS = joints.column(
    "CURVE_AXIS", 1, "index", "which axis its frame is made from", "kinematics", "kinematics"
)
WATCH = joints.column("WATCH", 1, "1", "best pivot seen", "integrators", "integrators")
COORD_NEXT = joints.column(
    "COORD_NEXT", 6, "m, rad", "coordinates of the next node, until all are known", "kinematics", "kinematics"
)
NODE_PIVOT = joints.column("NODE_PIVOT", 1, "1", "smallest pivot at the node", "integrators", "integrators")
NODE_ANGLE = joints.column(
    "NODE_ANGLE", 4, "1", "cosine and sine of up to two angles; see `kinematics/turns.py`",
    "kinematics", "kinematics, integrators",
)  # fmt: skip

TARGET = joints.column(
    "TARGET", 6, "m, rad", "coordinates that motors prescribe at the end of the stage",
    "integrators", "integrators",
)  # fmt: skip
TARGET_RATE = joints.column(
    "TARGET_RATE", 6, "m/s, rad/s", "their rates", "integrators", "dynamics, integrators"
)
TARGET_RATE2 = joints.column(
    "TARGET_RATE2", 6, "m/s^2, rad/s^2", "their second rates", "integrators", "integrators"
)

contacts = Table("state", "contacts", "a contact: its feature, then this")
contacts.shares(features)
ON = contacts.column("ON", 1, "flag", "whether the step looks at it", "integrators", "solvers, integrators")
MU = contacts.column("MU", 1, "1", "friction coefficient", "model", "solvers, kinematics, integrators")
RESTITUTION = contacts.column("RESTITUTION", 1, "1", "coefficient of restitution", "model", "integrators")
FORCE1 = contacts.column(
    "FORCE1", 3, "N, N m", "of the last step, normal and tangential, from the stage of positions",
    "integrators", "integrators",
)  # fmt: skip
FORCE2 = contacts.column(
    "FORCE2", 3, "N, N m", "the same, from the stage of momenta", "integrators", "integrators"
)
FINE1 = contacts.column(
    "FINE1", 1, "flag", "whether its friction is nearly spent, in the stage of positions: a finer barrier",
    "integrators", "integrators",
)  # fmt: skip
FINE2 = contacts.column("FINE2", 1, "flag", "the same, in the stage of momenta", "integrators", "integrators")
BOUND = contacts.column(
    "BOUND", 1, "m, rad", "bound of a coordinate; of dry friction its largest effort",
    "model, integrators", "solvers, kinematics, integrators",
)  # fmt: skip
SIDE = contacts.column(
    "SIDE", 1, "1", "+1: a lower bound, -1: an upper one", "model", "kinematics, integrators"
)
CLOSED = contacts.column(
    "CLOSED", 1, "flag", "whether the stage of positions found it closed", "integrators", "integrators"
)
APPROACH = contacts.column(
    "APPROACH", 1, "m/s, rad/s", "normal velocity at the start of the step", "integrators", "integrators"
)
