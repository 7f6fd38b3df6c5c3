"""`work`, contacts: what the stages of a step need of each contact."""

from __future__ import annotations

from sarrus.layout.declare import Table
from sarrus.layout.limits import LAG_MEMORY

contacts = Table("work", "contacts", "a contact")
NODE_B = contacts.column(
    "NODE_B", 18, "1, m", "row vectors (normal, two tangents) on B at the node",
    "integrators", "kinematics, integrators",
)  # fmt: skip
NODE_A = contacts.column(
    "NODE_A", 18, "1, m", "row vectors on A at the node", "integrators", "kinematics, integrators"
)
TRIAL_B = contacts.column(
    "TRIAL_B", 18, "1, m", "row vectors on B at the trial configuration",
    "integrators", "integrators",
)  # fmt: skip
TRIAL_A = contacts.column(
    "TRIAL_A", 18, "1, m", "row vectors on A at the trial configuration",
    "integrators", "integrators",
)  # fmt: skip
VARIABLES = contacts.column(
    "VARIABLES", 7, "m, N", "s, gamma, b, psi, l; see `solvers/interior_point/cone.py`",
    "solvers, integrators", "solvers, integrators",
)  # fmt: skip
DIRECTIONS = contacts.column(
    "DIRECTIONS", 7, "m, N", "their directions", "solvers, integrators", "solvers, integrators"
)
RESIDUALS = contacts.column(
    "RESIDUALS", 7, "m, N m", "their residuals", "solvers, integrators", "solvers, integrators"
)
TRIAL = contacts.column(
    "TRIAL", 3, "m, rad", "gap and slip at the trial configuration", "integrators", "solvers, integrators"
)
SLOPE = contacts.column(
    "SLOPE", 9, "N/m", "derivative of the forces by gap and slip", "integrators", "integrators"
)
FRAME = contacts.column("FRAME", 9, "1", "normal and tangents", "integrators", "integrators")
ARM_B = contacts.column(
    "ARM_B", 3, "m", "from B to the contact point, at the node", "integrators", "integrators"
)
ARM_A = contacts.column(
    "ARM_A", 3, "m", "from A to the contact point, at the node", "integrators", "integrators"
)
LOCAL_B = contacts.column("LOCAL_B", 3, "m", "contact point in B's frame", "integrators", "integrators")
LOCAL_A = contacts.column("LOCAL_A", 3, "m", "contact point in A's frame", "integrators", "integrators")
SCALE_F = contacts.column("SCALE_F", 1, "N", "scale of its force", "integrators", "solvers, integrators")
SCALE_L = contacts.column("SCALE_L", 1, "m", "scale of its length", "integrators", "solvers, integrators")
BEFORE = contacts.column(
    "BEFORE", 3, "m/s, rad/s", "velocities at the start of a stage", "integrators", "integrators"
)
ROUND = contacts.column("ROUND", 1, "flag", "whether it is round", "integrators", "integrators")
GAP = contacts.column("GAP", 1, "m, rad", "gap at the node", "integrators", "integrators")
EXPECTED = contacts.column(
    "EXPECTED", 1, "m, rad", "gap expected at the end of the step, without contact", "integrators",
    "integrators",
)  # fmt: skip
HELD = contacts.column(
    "HELD", 3, "N, N m", "force of the position stage, world frame; of a bound its effort, 0, 0",
    "integrators", "integrators",
)  # fmt: skip
POINT = contacts.column("POINT", 3, "m", "contact point at the node", "integrators", "integrators")
CONE_PART = contacts.column(
    "CONE_PART", 1, "1", "barrier of its friction as a part of that of the stage", "solvers, integrators",
    "solvers, integrators",
)  # fmt: skip
CONVEX = contacts.column(
    "CONVEX", 1, "flag", "whether its law is convex; see `solvers/interior_point/convex.py`",
    "solvers", "solvers",
)  # fmt: skip
LAG = contacts.column("LAG", 1, "m", "slip that the convex law takes as known", "solvers", "solvers")
LAST_LAG = contacts.column("LAST_LAG", 1, "m", "the slip that it took before", "solvers", "solvers")
LAST_MISS = contacts.column(
    "LAST_MISS", 1, "m", "what the slip that was found with that was longer", "solvers", "solvers"
)
MISSES = contacts.column(
    "MISSES", LAG_MEMORY, "1", "orthonormal changes of LAST_MISS; see `solvers/interior_point/lags.py`",
    "solvers", "solvers",
)  # fmt: skip
LAGS = contacts.column("LAGS", LAG_MEMORY, "1", "the changes of LAG that made them", "solvers", "solvers")
