"""What a user says: bodies, shapes, joints, forces, motors, contacts, limits; plain, validated, named."""

from sarrus.mechanism.bodies import Body, Frame
from sarrus.mechanism.constraints import (
    Coupling,
    Custom,
    Distance,
    Gear,
    PointOnCurve,
    Rolling,
    Tendon,
    Term,
)
from sarrus.mechanism.contacts import Contact, Obstacle
from sarrus.mechanism.forces import CustomForce, CustomPotential, Force, JointSpring, Motor, Spring
from sarrus.mechanism.joints import JOINT_KINDS, Joint, JointKind
from sarrus.mechanism.keyframes import Keyframe
from sarrus.mechanism.limits import JointFriction, Limit, Rope
from sarrus.mechanism.mechanism import Mechanism
from sarrus.mechanism.paths import Pulley, Via, Wrap
from sarrus.mechanism.sensors import SENSOR_KINDS, Sensor
from sarrus.mechanism.shapes import (
    Box,
    Capsule,
    Cone,
    ConvexMesh,
    Cylinder,
    HalfSpace,
    HeightField,
    Mesh,
    Shape,
    Sphere,
)

__all__ = [
    "JOINT_KINDS",
    "SENSOR_KINDS",
    "Body",
    "Box",
    "Capsule",
    "Cone",
    "Contact",
    "ConvexMesh",
    "Coupling",
    "Custom",
    "CustomForce",
    "CustomPotential",
    "Cylinder",
    "Distance",
    "Force",
    "Frame",
    "Gear",
    "HalfSpace",
    "HeightField",
    "Joint",
    "JointFriction",
    "JointKind",
    "JointSpring",
    "Keyframe",
    "Limit",
    "Mechanism",
    "Mesh",
    "Motor",
    "Obstacle",
    "PointOnCurve",
    "Pulley",
    "Rolling",
    "Rope",
    "Sensor",
    "Shape",
    "Sphere",
    "Spring",
    "Tendon",
    "Term",
    "Via",
    "Wrap",
]
