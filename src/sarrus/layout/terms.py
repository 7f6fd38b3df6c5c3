"""`topo`, integers: joints, elements and contacts."""

from __future__ import annotations

from sarrus.layout.declare import Table, Values
from sarrus.layout.limits import MAX_CUSTOM_BODIES

joints = Table("topo", "joints", "a joint or a constraint")
JOINT_KIND = joints.column(
    "JOINT_KIND", 1, "kind", "see the kinds of joints", "model", "kinematics, dynamics, model, integrators"
)
JOINT_A = joints.column("JOINT_A", 1, "body", "parent", "model", "kinematics, model, integrators")
JOINT_B = joints.column("JOINT_B", 1, "body", "child", "model", "kinematics, dynamics, model, integrators")
JOINT_PAR = joints.column(
    "JOINT_PAR", 1, "line of par", "its constants; for a joint of the tree those of the link",
    "model", "kinematics, model, integrators",
)  # fmt: skip
JOINT_KR = joints.column("JOINT_KR", 1, "count", "free rotations", "model", "kinematics, integrators")
JOINT_KT = joints.column(
    "JOINT_KT", 1, "count", "free translations", "model", "kinematics, dynamics, integrators"
)
JOINT_DRIVE = joints.column(
    "JOINT_DRIVE", 1, "line of par", "its drive; -1: none", "model", "dynamics, integrators"
)
JOINT_TURNING = joints.column(
    "JOINT_TURNING", 1, "line of par", "its drive on the angular velocity; -1: none",
    "model", "dynamics, integrators",
)  # fmt: skip
JOINT_COORDINATE = joints.column(
    "JOINT_COORDINATE", 1, "index", "its first coordinate in the record", "model", "dynamics, integrators"
)
JOINT_COORDINATES = joints.column(
    "JOINT_COORDINATES", 1, "count", "its coordinates", "model", "kinematics, dynamics, integrators"
)
JOINT_SCRATCH = joints.column(
    "JOINT_SCRATCH", 1, "line of work", "scratch of a user's constraint", "model", "kinematics"
)

joint_kinds = Values("kinds of joints", "Values of JOINT_KIND.")
LOWER_PAIR = joint_kinds.value(
    "LOWER_PAIR", 0, "free directions are fixed axes: revolute, prismatic, universal, spherical, free, ..."
)
DISTANCE = joint_kinds.value("DISTANCE", 1, "two points at a fixed distance")
COUPLING = joint_kinds.value("COUPLING", 2, "a sum of joint coordinates that keeps its value, as in a gear")
CURVE = joint_kinds.value("CURVE", 3, "a point of the child on a curve of the parent")
ROLLING = joint_kinds.value("ROLLING", 4, "a ball or a disc rolls on the plane z = 0")
CUSTOM = joint_kinds.value("CUSTOM", 5, "a user's constraint")
SCREW_PAIR = joint_kinds.value("SCREW_PAIR", 6, "a screw")
TENDON = joint_kinds.value("TENDON", 7, "a sum of joint coordinates that motors and springs act on")
PATH = joint_kinds.value("PATH", 8, "the length of a path through points and around round bodies, likewise")

sums = Table("topo", "joints, sums", "a joint of kind COUPLING, TENDON or PATH")
sums.shares(joints)
TERMS = sums.column(
    "TERMS", 1, "count", "coordinates in the sum, or segments of the path, in the lines of par after its own",
    "model", "kinematics, model, integrators",
)  # fmt: skip

curves = Table("topo", "joints, curves", "a joint of kind CURVE")
curves.shares(joints)
CURVE_SEGMENTS = curves.column(
    "CURVE_SEGMENTS", 1, "count", "cubic segments, in the lines of par after its own", "model", "kinematics"
)
CURVE_CLOSED = curves.column(
    "CURVE_CLOSED", 1, "flag", "whether the last meets the first", "model", "kinematics"
)

constraints = Table("topo", "joints, constraints", "a joint of kind CUSTOM")
constraints.shares(joints)
CUSTOM_ADDRESS = constraints.column(
    "CUSTOM_ADDRESS", 1, "address", "the user's residual", "model", "kinematics, model"
)
CUSTOM_JACOBIAN = constraints.column(
    "CUSTOM_JACOBIAN", 1, "address", "the user's Jacobian; 0: by differences", "model", "kinematics, model"
)
CUSTOM_ROWS = constraints.column("CUSTOM_ROWS", 1, "count", "its equations", "model", "kinematics")
CUSTOM_COUNT = constraints.column("CUSTOM_COUNT", 1, "count", "its bodies", "model", "kinematics")
CUSTOM_BODY = constraints.column(
    "CUSTOM_BODY", MAX_CUSTOM_BODIES, "body", "its bodies", "model", "kinematics"
)

elements = Table("topo", "elements", "a spring, motor, applied force, or a user's force or potential")
ELEMENT_KIND = elements.column(
    "ELEMENT_KIND", 1, "kind", "see the kinds of elements", "model", "model, dynamics, integrators"
)
ELEMENT_A = elements.column(
    "ELEMENT_A", 1, "index", "first body, or joint", "model", "kinematics, dynamics, integrators"
)
ELEMENT_B = elements.column(
    "ELEMENT_B", 1, "index", "second body, or coordinate of the joint",
    "model", "kinematics, dynamics, integrators",
)  # fmt: skip
ELEMENT_PAR = elements.column(
    "ELEMENT_PAR", 1, "line of par", "its constants", "model", "kinematics, dynamics, integrators"
)
ELEMENT_INPUT = elements.column(
    "ELEMENT_INPUT", 1, "index", "its first number of the input; -1: none", "model", "dynamics, integrators"
)
ELEMENT_FRAME = elements.column(
    "ELEMENT_FRAME", 1, "flags", "of an applied force: see the flags of forces", "model", "dynamics"
)
ELEMENT_SCRATCH = elements.column(
    "ELEMENT_SCRATCH", 1, "line of work", "scratch of a user's function", "model", "dynamics, integrators"
)
ELEMENT_RULE = elements.column(
    "ELEMENT_RULE", 1, "kind", "see the rules of springs", "model", "dynamics, integrators"
)

force_flags = Values("flags of forces", "Bits of ELEMENT_FRAME.")
TURNING = force_flags.value("TURNING", 1, "the force turns with the body")
SCALED = force_flags.value("SCALED", 2, "its one input multiplies it")

element_kinds = Values("kinds of elements", "Values of ELEMENT_KIND.")
SPRING = element_kinds.value("SPRING", 0, "between two points")
EFFORT = element_kinds.value(
    "EFFORT", 1, "of a joint's coordinate: a spring, or a motor that gives an effort"
)
SERVO = element_kinds.value("SERVO", 2, "a motor that holds a coordinate at a target")
WRENCH = element_kinds.value("WRENCH", 3, "force and torque on a body")
CUSTOM_FORCE = element_kinds.value("CUSTOM_FORCE", 4, "a user's force, which depends on velocities")
CUSTOM_POTENTIAL = element_kinds.value("CUSTOM_POTENTIAL", 5, "a user's potential")
PRESCRIBED = element_kinds.value("PRESCRIBED", 6, "a motor that prescribes a coordinate")

spring_rules = Values("rules of springs", "Values of ELEMENT_RULE.")
TRAPEZOIDAL = spring_rules.value("TRAPEZOIDAL", 0, "half the force at each node of a step")
MEAN = spring_rules.value("MEAN", 1, "by the mean of a coordinate (a joint's, or the length) over the step")
MEAN_COMPONENTS = spring_rules.value(
    "MEAN_COMPONENTS", 2, "by the mean of the way between the points, where the rest length is 0"
)

custom_elements = Table("topo", "elements, a user's", "an element of kind CUSTOM_FORCE or CUSTOM_POTENTIAL")
custom_elements.shares(elements)
ELEMENT_ADDRESS = custom_elements.column(
    "ELEMENT_ADDRESS", 1, "address", "the user's force or energy", "model", "dynamics"
)
ELEMENT_GRADIENT = custom_elements.column(
    "ELEMENT_GRADIENT", 1, "address", "the user's gradient of the energy; 0: by differences",
    "model", "dynamics",
)  # fmt: skip
ELEMENT_COUNT = custom_elements.column(
    "ELEMENT_COUNT", 1, "count", "its bodies", "model", "dynamics, integrators"
)
ELEMENT_BODY = custom_elements.column(
    "ELEMENT_BODY", MAX_CUSTOM_BODIES, "body", "its bodies", "model", "dynamics, integrators"
)

contacts = Table("topo", "contacts", "something that an inequality bounds")
CONTACT_KIND = contacts.column(
    "CONTACT_KIND", 1, "kind", "see the kinds of contacts",
    "model", "solvers, kinematics, dynamics, integrators",
)  # fmt: skip
CONTACT_A = contacts.column(
    "CONTACT_A", 1, "body", "the first; one that is fixed to the world", "model", "kinematics"
)
CONTACT_B = contacts.column("CONTACT_B", 1, "body", "the second", "model", "kinematics")
CONTACT_ROWS = contacts.column(
    "CONTACT_ROWS", 1, "border row", "of a bound on a coordinate that no freedom carries; -1: none",
    "model", "kinematics, integrators",
)  # fmt: skip
CONTACT_FREEDOM = contacts.column(
    "CONTACT_FREEDOM", 1, "line of work", "freedom that carries a coordinate; -1: none",
    "model", "integrators",
)  # fmt: skip
CONTACT_JOINT = contacts.column(
    "CONTACT_JOINT", 1, "joint", "of a bound or a friction", "model", "kinematics, integrators"
)
CONTACT_COORDINATE = contacts.column(
    "CONTACT_COORDINATE", 1, "index", "coordinate of that joint", "model", "kinematics, integrators"
)

contact_kinds = Values("kinds of contacts", "Values of CONTACT_KIND.")
TOUCH = contact_kinds.value("TOUCH", 0, "two bodies touch")
LIMIT = contact_kinds.value("LIMIT", 1, "a coordinate has a bound")
DRAG = contact_kinds.value("DRAG", 2, "a coordinate has dry friction")
