"""Residual rows and coordinates of every joint kind, placed in the reference configuration, world frame.

A configuration is a pair (x, r) of arrays (..., bodies + 1, 3) and (..., bodies + 1, 4), real or complex:
positions and rotations since the reference configuration, world frame; the last body is the world.  Rows are
in metres and radians (rotational rows: twice the vector part of the quaternion)."""

import numpy as np
from tests.reference.rotation import arctan2, conjugate, multiply, nearest_turn, rotate, rotation_vector

ALONG_AXIS = {"prismatic", "cylindrical", "slot", "pin_in_slot"}
IN_PLANE = {"planar", "rectangular", "point_on_plane"}
ANYWHERE = {"cartesian", "parallel_axis", "free"}
ABOUT_AXIS = {"revolute", "cylindrical", "screw", "planar", "parallel_axis"}
ANY_ROTATION = {"spherical", "slot", "point_on_plane", "free"}


def perpendicular(directions):
    """Orthonormal rows that span what the rows of `directions` leave out."""
    directions = np.reshape(directions, (-1, 3))
    _, values, vectors = np.linalg.svd(directions)
    return vectors[(values > 1e-9).sum() :]


class Places:
    """The reference positions of a mechanism and the numbers of its bodies."""

    def __init__(self, mechanism):
        bodies = list(mechanism.bodies.values())
        self.number = {body.name: k for k, body in enumerate(bodies)} | {"world": len(bodies)}
        self.x = np.array([body.position for body in bodies] + [np.zeros(3)])

    def turn(self, z, body):
        """Rotation of a body since the reference configuration."""
        return z[1][..., self.number[body], :]

    def point(self, z, body, at):
        """Where the point `at` of the reference configuration, fixed to the body, is now."""
        k = self.number[body]
        return z[0][..., k, :] + rotate(z[1][..., k, :], at - self.x[k])


class JointRows:
    """A joint of the table of kinds: g_T and g_R with row selections.

    Implements: [MC23] (B.1), (B.3), (B.7a).  Differs: rotational rows are doubled; universal has the dot
    product of [Mal25] (19), screw an axial row."""

    def __init__(self, joint, places):
        self.joint, self.places = joint, places
        kind, axis, axis2 = joint.kind, joint.axis, joint.axis2
        none = np.zeros((0, 3))
        if kind in ALONG_AXIS:
            self.slides = axis[None]
        elif kind in IN_PLANE:
            self.slides = np.array([axis2, np.cross(axis, axis2)])
        else:
            self.slides = np.eye(3) if kind in ANYWHERE else none
        self.hinge = axis if kind in ABOUT_AXIS else axis2 if kind == "pin_in_slot" else None
        self.translation_rows = perpendicular(axis[None] if kind == "screw" else self.slides)
        if kind == "universal" or kind in ANY_ROTATION:
            self.rotation_rows = none
        else:
            self.rotation_rows = perpendicular(none if self.hinge is None else self.hinge)

    def relative(self, z):
        """(displacement of the joint point, rotation) of the child in the parent's frame."""
        joint, places = self.joint, self.places
        parent, child = places.turn(z, joint.parent), places.turn(z, joint.child)
        gap = places.point(z, joint.child, joint.at) - places.point(z, joint.parent, joint.at)
        return rotate(conjugate(parent), gap), multiply(conjugate(parent), child)

    def angle(self, turn, previous):
        """Angle about the hinge axis, on the branch nearest to `previous`."""
        return nearest_turn(2.0 * arctan2(turn[..., 1:] @ self.hinge, turn[..., 0]), previous)

    def coordinates(self, z, previous):
        """Joint coordinates (..., k), 0 at the reference; angles on the branch nearest to `previous`."""
        joint = self.joint
        gap, turn = self.relative(z)
        found = [gap @ self.slides.T]
        first = len(self.slides)
        if joint.kind == "universal":
            third = np.cross(joint.axis, joint.axis2)
            spider, back = rotate(turn, joint.axis2), rotate(conjugate(turn), joint.axis)
            angles = [arctan2(spider @ third, spider @ joint.axis2), arctan2(back @ third, back @ joint.axis)]
            found.append(nearest_turn(np.stack(angles, -1), previous))
        elif joint.kind in ANY_ROTATION:
            found.append(rotation_vector(turn, previous[first:]))
        elif self.hinge is not None:
            found.append(self.angle(turn, previous[first])[..., None])
        return np.concatenate(found, -1)

    def residual(self, z, previous):
        """Rows (..., r) that the joint holds at zero."""
        gap, turn = self.relative(z)
        rows = [gap @ self.translation_rows.T, 2.0 * turn[..., 1:] @ self.rotation_rows.T]
        if self.joint.kind == "universal":
            rows.append((rotate(turn, self.joint.axis2) @ self.joint.axis)[..., None])
        if self.joint.kind == "screw":
            advance = gap @ self.joint.axis - self.joint.pitch * self.angle(turn, previous[0])
            rows.append(advance[..., None])
        return np.concatenate(rows, -1)


def length(places, z, a, b, at_a, at_b):
    """Distance (..., 1) of two body-fixed points."""
    gap = places.point(z, b, at_b) - places.point(z, a, at_a)
    return np.sqrt((gap**2).sum(-1, keepdims=True))
