"""`topo`, integers: a header (line 0), then the tables, one after the other.

A link is a body with the joint to its parent in the spanning tree.  A border row is one scalar equation that
the tree does not carry: a row of a joint that closes a loop, or a damper or a stiff spring, or a contact.  It
opens at the bodies it acts on (its ends), is carried up through the bodies in between (its edges) and is
eliminated at its upper body."""

from __future__ import annotations

from sarrus.layout.declare import Table, Values

links = Table("topo", "links", "a body with the joint to its parent, lines 1 to n, parents first")
PARENT = links.column(
    "PARENT", 1, "body", "parent in the spanning tree; n is the world",
    "model", "model, dynamics, solvers, integrators, analysis",
)  # fmt: skip
ROTATIONS = links.column(
    "ROTATIONS", 1, "count", "free rotations of its joint",
    "model", "solvers, kinematics, dynamics, model, analysis, integrators",
)  # fmt: skip
TRANSLATIONS = links.column(
    "TRANSLATIONS", 1, "count", "free translations of its joint",
    "model", "solvers, kinematics, dynamics, model, analysis, integrators",
)  # fmt: skip
FREEDOM = links.column(
    "FREEDOM", 1, "index", "its first freedom", "model", "solvers, kinematics, dynamics, model, integrators"
)
CHILDREN = links.column(
    "CHILDREN", 1, "count", "what adds to the sums of the body: children, and a seed",
    "model", "solvers, model, integrators",
)  # fmt: skip
FIRST = links.column(
    "FIRST", 1, "flag", "whether it is the first child to add to its parent's sums",
    "model", "solvers, integrators",
)  # fmt: skip
EDGE0 = links.column("EDGE0", 1, "index", "first edge at the body", "model", "solvers")
EDGE1 = links.column("EDGE1", 1, "index", "the edge after its last", "model", "solvers")
GROUP0 = links.column(
    "GROUP0", 1, "index", "first group of border rows that end at the body", "model", "solvers"
)
GROUP1 = links.column("GROUP1", 1, "index", "the group after its last", "model", "solvers")
TIE0 = links.column("TIE0", 1, "index", "first tie of the body", "model", "solvers")
TIE1 = links.column("TIE1", 1, "index", "the tie after its last", "model", "solvers")
FLAGS = links.column(
    "FLAGS", 1, "bits", "see the flags of links",
    "model", "solvers, kinematics, dynamics, model, analysis, integrators",
)  # fmt: skip
USER = links.column(
    "USER", 1, "index", "the body in the user's order", "model", "dynamics, integrators, analysis"
)
LINK_JOINT = links.column(
    "LINK_JOINT", 1, "joint", "joint to the parent", "model", "kinematics, dynamics, analysis, integrators"
)
ROOT = links.column(
    "ROOT", 1, "body", "root of its tree where that flies freely, else -1", "model", "model, integrators"
)

link_flags = Values("flags of links", "Bits of FLAGS.")
REVERSED = link_flags.value("REVERSED", 1, "the joint's parent is the link's child")
SCREW = link_flags.value("SCREW", 2, "the joint is a screw")
DRIVEN = link_flags.value("DRIVEN", 4, "the tree carries a drive of the joint")
SEEDED = link_flags.value(
    "SEEDED", 8, "the sums over children start from a user's force or a contact instead of 0"
)

header = Table("topo", "header", "the mechanism, line 0")
header.shares(links, "GROUP0", "GROUP1")
BODIES = header.column(
    "BODIES", 1, "count", "bodies, without the world; body n is the world",
    "model", "solvers, kinematics, dynamics, model, analysis, integrators",
)  # fmt: skip
FREEDOMS = header.column("FREEDOMS", 1, "count", "freedoms of the spanning tree", "model", "model")
EDGES = header.column("EDGES", 1, "count", "edges", "model", "solvers")
ROWS = header.column(
    "ROWS", 1, "count", "border rows",
    "model", "solvers, kinematics, dynamics, model, analysis, integrators",
)  # fmt: skip
ENDS = header.column("ENDS", 1, "count", "ends of border rows", "model", "model, solvers, analysis")
JOINTS = header.column(
    "JOINTS", 1, "count", "joints", "model", "solvers, kinematics, dynamics, model, integrators"
)
ELEMENTS = header.column("ELEMENTS", 1, "count", "elements", "model", "model, dynamics, integrators")
CONTACTS = header.column("CONTACTS", 1, "count", "contacts", "model", "solvers, dynamics, integrators")
TIES = header.column("TIES", 1, "count", "ties", "model", "solvers")
SLOT_COUNT = header.column(
    "SLOT_COUNT", 1, "count", "couplings that a border row has room for", "model", "solvers"
)
INPUTS = header.column("INPUTS", 1, "count", "numbers in the input", "model", "integrators")
CUSTOM_FORCES = header.column(
    "CUSTOM_FORCES", 1, "count", "elements that the user wrote and that depend on velocities",
    "model", "integrators",
)  # fmt: skip
ORIGIN = header.column(
    "ORIGIN",
    1,
    "line of par",
    "the kernels' origin in the user's world",
    "model",
    "kinematics, dynamics, integrators",
)
T_EDGES = header.column("T_EDGES", 1, "line of topo", "first edge", "model", "solvers")
T_ROWS = header.column(
    "T_ROWS", 1, "line of topo", "first border row",
    "model", "solvers, kinematics, dynamics, model, analysis, integrators",
)  # fmt: skip
T_GROUPS = header.column("T_GROUPS", 1, "line of topo", "first group", "model", "solvers")
T_ENDS = header.column(
    "T_ENDS", 1, "line of topo", "first end",
    "model", "solvers, kinematics, dynamics, model, analysis, integrators",
)  # fmt: skip
T_JOINTS = header.column(
    "T_JOINTS", 1, "line of topo", "first joint", "model", "kinematics, dynamics, model, integrators"
)
T_ELEMENTS = header.column(
    "T_ELEMENTS", 1, "line of topo", "first element", "model", "kinematics, dynamics, model, integrators"
)
T_CONTACTS = header.column(
    "T_CONTACTS", 1, "line of topo", "first contact", "model", "solvers, kinematics, dynamics, integrators"
)
T_TIES = header.column("T_TIES", 1, "line of topo", "first tie", "model", "solvers")
S_ROWS = header.column(
    "S_ROWS", 1, "line of state", "first border row",
    "model", "solvers, kinematics, dynamics, model, integrators",
)  # fmt: skip
S_JOINTS = header.column(
    "S_JOINTS", 1, "line of state", "first joint",
    "model", "kinematics, dynamics, model, integrators",
)  # fmt: skip
S_CONTACTS = header.column(
    "S_CONTACTS", 1, "line of state", "first contact", "model", "solvers, kinematics, integrators"
)
W_FREEDOMS = header.column(
    "W_FREEDOMS", 1, "line of work", "first freedom",
    "model", "solvers, kinematics, dynamics, model, integrators",
)  # fmt: skip
W_EDGES = header.column("W_EDGES", 1, "line of work", "first edge", "model", "solvers")
W_ROWS = header.column(
    "W_ROWS", 1, "line of work", "first border row",
    "model", "solvers, kinematics, dynamics, model, integrators",
)  # fmt: skip
W_ENDS = header.column(
    "W_ENDS", 1, "line of work", "first end", "model", "solvers, kinematics, dynamics, model, integrators"
)
W_SCRATCH = header.column(
    "W_SCRATCH", 1, "line of work", "first scratch line of user functions", "model", "model"
)
W_CONTACTS = header.column(
    "W_CONTACTS", 1, "line of work", "first contact", "model", "solvers, kinematics, model, integrators"
)
W_TIES = header.column("W_TIES", 1, "line of work", "first tie", "model", "solvers")
W_TIED = header.column("W_TIED", 1, "line of work", "first freedom of a tie", "model", "solvers")

ties = Table("topo", "ties", "two bodies that touch, or that do once bodies between them are eliminated")
TIE_BODY = ties.column("TIE_BODY", 1, "body", "the other one, eliminated later", "model", "solvers")
TIE_FIRST = ties.column(
    "TIE_FIRST", 1, "index", "its line among the freedoms of ties, for the first freedom of its body",
    "model", "solvers",
)  # fmt: skip

edges = Table("topo", "edges", "a body that a border row is carried through")
EDGE_ROW = edges.column("EDGE_ROW", 1, "border row", "the row that is carried", "model", "solvers")
EDGE_NEXT = edges.column(
    "EDGE_NEXT", 1, "edge", "of the same row at the parent; -1: that is the row's upper body or the world",
    "model", "solvers",
)  # fmt: skip

rows = Table("topo", "border rows", "a scalar equation that the tree does not carry")
ROW_OF = rows.column(
    "ROW_OF", 1, "index", "joint, element or contact that it belongs to",
    "model", "solvers, kinematics, dynamics, model, analysis, integrators",
)  # fmt: skip
ROW_KIND = rows.column(
    "ROW_KIND", 1, "kind", "see the kinds of border rows",
    "model", "solvers, kinematics, dynamics, model, analysis, integrators",
)  # fmt: skip
ROW_COORDINATE = rows.column(
    "ROW_COORDINATE", 1, "index", "coordinate of a drive or a spring (0 the length)",
    "model", "kinematics, dynamics, integrators",
)  # fmt: skip
UPPER = rows.column("UPPER", 1, "body", "where it is eliminated", "model", "integrators, analysis")
SLOT = rows.column(
    "SLOT", 1, "index", "its place among the couplings of the rows it meets", "model", "solvers"
)
END0 = rows.column(
    "END0", 1, "index", "its first end", "model", "kinematics, dynamics, analysis, integrators"
)
END1 = rows.column(
    "END1", 1, "index", "the end after its last", "model", "kinematics, dynamics, analysis, integrators"
)

row_kinds = Values("kinds of border rows", "Values of ROW_KIND.")
CONSTRAINT_ROW = row_kinds.value("CONSTRAINT_ROW", 0, "a joint that closes a loop, or a user's constraint")
DRIVE_ROW = row_kinds.value("DRIVE_ROW", 1, "a coordinate of a drive that the tree cannot carry")
SPRING_ROW = row_kinds.value("SPRING_ROW", 2, "a damper or a stiff spring between two points")
CONTACT_ROW = row_kinds.value("CONTACT_ROW", 3, "a bound on a coordinate that no freedom carries")
MOTION_ROW = row_kinds.value("MOTION_ROW", 4, "a coordinate that a motor prescribes")
TURNING_ROW = row_kinds.value(
    "TURNING_ROW", 5, "a component of the angular velocity of a joint that a damper or armature acts on"
)

groups = Table("topo", "groups", "border rows that end at one body and meet below it")
CLOSE0 = groups.column("CLOSE0", 1, "border row", "first of the group", "model", "solvers")
CLOSE1 = groups.column("CLOSE1", 1, "border row", "the one after its last", "model", "solvers")

ends = Table("topo", "ends", "a body that a border row acts on")
END_BODY = ends.column(
    "END_BODY", 1, "body", "the body", "model", "kinematics, dynamics, model, analysis, integrators"
)
END_EDGE = ends.column(
    "END_EDGE", 1, "edge", "where the end enters; -1: the body is the upper one", "model", "solvers"
)
END_ROW = ends.column("END_ROW", 1, "border row", "the row", "model", "model, solvers")
END_ROLE = ends.column(
    "END_ROLE", 1, "number", "0 child, 1 parent, 2 and 3 of a sum's second term, ...; 4 k to 4 k + 2 "
    "of segment k of a path; a custom body's number",
    "model", "kinematics, integrators",
)  # fmt: skip
