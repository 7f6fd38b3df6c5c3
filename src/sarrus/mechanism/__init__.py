"""What a user says: bodies, shapes, joints, constraints, forces and motors; plain, validated, named."""

from sarrus.mechanism.bodies import Body, Frame
from sarrus.mechanism.constraints import Custom, Distance, Gear, PointOnCurve, Rolling
from sarrus.mechanism.forces import CustomForce, CustomPotential, Force, JointSpring, Motor, Spring
from sarrus.mechanism.joints import JOINT_KINDS, Joint, JointKind
from sarrus.mechanism.mechanism import Mechanism
from sarrus.mechanism.shapes import Box, Capsule, ConvexMesh, Cylinder, HalfSpace, Shape, Sphere

__all__ = [
    "JOINT_KINDS",
    "Body",
    "Box",
    "Capsule",
    "ConvexMesh",
    "Custom",
    "CustomForce",
    "CustomPotential",
    "Cylinder",
    "Distance",
    "Force",
    "Frame",
    "Gear",
    "HalfSpace",
    "Joint",
    "JointKind",
    "JointSpring",
    "Mechanism",
    "Motor",
    "PointOnCurve",
    "Rolling",
    "Shape",
    "Sphere",
    "Spring",
]
