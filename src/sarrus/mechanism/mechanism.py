"""The mechanism: what a user says about bodies, joints, forces and contacts, checked and named."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

from numpy.typing import ArrayLike

from sarrus.errors import MechanismError
from sarrus.mechanism import validation as check
from sarrus.mechanism.bodies import Body, Frame, bar_place, make_body
from sarrus.mechanism.constraint_table import ConstraintTable
from sarrus.mechanism.constraints import (
    Constraint,
    Tendon,
)
from sarrus.mechanism.contact_table import ContactTable
from sarrus.mechanism.contacts import (
    Contact,
    Obstacle,
    Pair,
)
from sarrus.mechanism.forces import (
    CustomForce,
    CustomPotential,
    Force,
    JointSpring,
    Motor,
    Spring,
    make_custom_force,
    make_force,
    make_joint_spring,
    make_motor,
    make_potential,
    make_spring,
)
from sarrus.mechanism.joints import JOINT_KINDS, TENDON_KIND, Joint, JointKind, make_joint
from sarrus.mechanism.keyframes import Keyframe, make_keyframe
from sarrus.mechanism.limits import JointFriction, Limit, Rope, make_joint_friction, make_limit, make_rope
from sarrus.mechanism.sensors import Sensor, make_sensor
from sarrus.mechanism.shapes import Cylinder, Shape

IDENTITY = (1.0, 0.0, 0.0, 0.0)
ZERO = (0.0, 0.0, 0.0)
UP = (0.0, 0.0, 1.0)


class Mechanism(ConstraintTable, ContactTable):
    """Rigid bodies, joints, forces and contacts by name.  Lengths [m], masses [kg], angles [rad], time [s].

    Everything is placed in the world frame of the reference configuration, where all joint coordinates are 0.
    Each `add_...` checks all its arguments first: an invalid one raises `MechanismError` and changes nothing.
    The body name "world" stands for the fixed ground."""

    def __init__(self, gravity: ArrayLike = (0.0, 0.0, -9.81), name: str = "mechanism"):
        self.name = check.new_name("mechanism", name, ())
        self.gravity = check.vector(f"mechanism {name!r}", "gravity", gravity)
        self.bodies: dict[str, Body] = {}
        self.joints: dict[str, Constraint] = {}
        self.springs: dict[str, Spring] = {}
        self.joint_springs: dict[str, JointSpring] = {}
        self.forces: dict[str, Force] = {}
        self.motors: dict[str, Motor] = {}
        self.custom_forces: dict[str, CustomForce] = {}
        self.potentials: dict[str, CustomPotential] = {}
        self.frames: dict[str, Frame] = {}
        self.obstacles: dict[str, Obstacle] = {}
        self.contacts: dict[Pair, Contact] = {}  # by the two names in alphabetical order
        self.exclusions: set[frozenset[str]] = set()
        self.limits: dict[str, Limit] = {}
        self.joint_frictions: dict[str, JointFriction] = {}  # by joint
        self.ropes: dict[str, Rope] = {}
        self.keyframes: dict[str, Keyframe] = {}
        self.sensors: dict[str, Sensor] = {}
        self.import_report: Any = None  # of the file that the mechanism was read from

    def add_body(
        self,
        name: str,
        mass: float | None = None,
        inertia: ArrayLike | None = None,
        *,
        density: float | None = None,
        position: ArrayLike = ZERO,
        orientation: ArrayLike = IDENTITY,
        velocity: ArrayLike = ZERO,
        angular_velocity: ArrayLike = ZERO,
        shapes: Iterable[Shape] = (),
        color: Any = None,
    ) -> None:
        """Adds a rigid body.

        `mass` [kg]; `inertia` about the centre of mass in the body frame [kg m^2]: three moments, a 3x3
        matrix, or 0 for a point mass (mass 0 with inertia 0: a massless frame; only the methods in joint
        coordinates support these); by default that of the `shapes`, scaled to the mass.  Or give `density`
        [kg/m^3] instead of both.  `position` [m] of the centre of mass and `orientation` (w, x, y, z) of the
        body frame, in the world; `velocity` [m/s] in the world frame, `angular_velocity` [rad/s] in the BODY
        frame."""
        if name == check.WORLD:
            raise MechanismError(f"body {name!r}: this name is reserved for the fixed ground; choose another")
        check.new_name("body", name, self.bodies)
        check.new_name("body or obstacle", name, self.obstacles)
        self.bodies[name] = make_body(
            name, mass, inertia, density, position, orientation, velocity, angular_velocity, shapes, color
        )

    def add_bar(
        self,
        name: str,
        a: ArrayLike,
        b: ArrayLike,
        radius: float = 0.01,
        *,
        mass: float | None = None,
        density: float | None = None,
        velocity: ArrayLike = ZERO,
        angular_velocity: ArrayLike = ZERO,
        collide: bool = True,
        color: Any = None,
    ) -> None:
        """Adds a round bar of `radius` [m] from the point `a` to the point `b` [m], world frame: a body whose
        z axis points from a to b.

        `mass` [kg] or `density` [kg/m^3]; velocities as in `add_body`.  collide=False: only drawn."""
        centre, turned, length = bar_place(f"bar {name!r}", a, b)
        if mass is None and density is None:
            raise MechanismError(f"bar {name!r}: give mass [kg] or density [kg/m^3]")
        self.add_body(
            name, mass, density=density, position=centre, orientation=turned, color=color,
            velocity=velocity, angular_velocity=angular_velocity,
            shapes=[Cylinder(radius, length, collide=collide)],
        )  # fmt: skip

    def attach(self, other: Mechanism, *, frame: str | None = None, prefix: str = "") -> None:
        """Adds all of another mechanism, with `prefix` before its names: a gripper on an arm, a second robot.

        `frame`: the frame of this mechanism at which the world origin of `other` is placed; None: the world
        origin.  Joints to the world of `other` become joints to the body that carries the frame, free joints
        become fixed, and obstacles become shapes of that body; on a frame of the world they do not change.
        Gravity is that of this mechanism."""
        from sarrus.mechanism.attachment import attach

        if not isinstance(other, Mechanism):
            raise MechanismError(f"attach takes a Mechanism, not {type(other).__name__}")
        attach(self, other, frame, prefix)

    def add_joint(
        self,
        name: str,
        kind: str,
        parent: str,
        child: str,
        at: ArrayLike | None = None,
        axis: ArrayLike | None = None,
        axis2: ArrayLike | None = None,
        pitch: float | None = None,
        armature: ArrayLike = 0.0,
        rates: str = "coordinates",
    ) -> None:
        """Adds a joint of one of `JOINT_KINDS`.

        `at` [m]: required for every kind whose constraint depends on a point.

        `axis`, `axis2` (by default the world axis least aligned with `axis`, made perpendicular to it) and
        `pitch` [m/rad]: as the kind requires; `armature` I adds the kinetic energy I qdot^2/2, one number or
        one per coordinate.

        `rates`, for joints with three free rotations: "coordinates", where armature and dampers act on the
        rates of the rotation vector; "angular", where they act on the angular velocity of the child relative
        to the parent, as in MuJoCo's ball joints: one number each for the three rotations, springs at rest
        in the reference configuration."""
        check.new_name("joint", name, self.joints)
        self.joints[name] = make_joint(
            name, kind, parent, child, at, axis, axis2, pitch, armature, rates, self.bodies
        )

    def add_spring(
        self,
        name: str,
        a: str,
        b: str,
        at_a: ArrayLike,
        at_b: ArrayLike,
        stiffness: float,
        rest_length: float | None = None,
        damping: float = 0.0,
    ) -> None:
        """Adds a spring [N/m] and damper [N s/m] between two points; `rest_length` None: the current one."""
        check.new_name("spring", name, self.springs)
        self.springs[name] = make_spring(name, a, b, at_a, at_b, stiffness, rest_length, damping, self.bodies)

    def add_joint_spring(
        self, name: str, joint: str, stiffness: ArrayLike, rest: ArrayLike = 0.0, damping: ArrayLike = 0.0
    ) -> None:
        """Adds a spring and damper on the coordinates of a joint; one number for all, or one each."""
        check.new_name("joint spring", name, self.joint_springs)
        self.joint_springs[name] = make_joint_spring(name, joint, stiffness, rest, damping, self.joints)

    def add_force(
        self,
        name: str,
        body: str,
        force: ArrayLike = ZERO,
        torque: ArrayLike = ZERO,
        at: ArrayLike | None = None,
        frame: str = "world",
        scaled: bool = False,
        limits: ArrayLike | None = None,
    ) -> None:
        """Adds a force [N] in `frame` "world" or "body", and a torque [N m] in the body frame; an input.

        `at` is a body-fixed point given in the reference configuration, by default the centre of mass.  The
        input has six numbers that are added to force and torque; or, with scaled=True, one number that
        multiplies them (a rotor, a thruster), clipped to `limits` (lower, upper)."""
        check.new_name("force or motor", name, self.input_names)
        self.forces[name] = make_force(name, body, force, torque, at, frame, scaled, limits, self.bodies)

    def add_motor(
        self, name: str, joint: str, mode: str = "force", component: int | str | None = None,
        stiffness: float | None = None, damping: float | None = None, limit: float | None = None,
    ) -> None:  # fmt: skip
        """Adds a motor; its input is the effort ("force"), the target of a spring and damper ("servo"), or
        the coordinate or its rate itself, whatever effort that takes ("position", "velocity").

        `component` selects one coordinate of the joint; None drives all.  Three rotations are prescribed
        together, as a rotation vector: component="rotation".  The effort on each coordinate is clipped to
        -`limit` and `limit` [N or N m]; None: no limit."""
        check.new_name("force or motor", name, self.input_names)
        self.motors[name] = make_motor(
            name, joint, mode, component, stiffness, damping, limit, self.joints, self.motors
        )

    def add_motion(self, name: str, body: str) -> None:
        """Prescribes the pose of a body, by a free joint `name`: the input `name` is the position x, y, z [m]
        of its centre of mass and its orientation w, x, y, z in the world."""
        check.new_name("force or motor", name, self.input_names)
        check.body_name(f"motion {name!r}", body, self.bodies, world=False)
        self.add_joint(name, "free", parent="world", child=body, at=self.bodies[body].position)
        self.add_motor(name, joint=name, mode="pose")

    def add_limit(
        self, name: str, joint: str, lower: ArrayLike | None = None, upper: ArrayLike | None = None,
        component: int | None = None,
    ) -> None:  # fmt: skip
        """Bounds joint coordinates, lower <= q <= upper [m or rad]; None or infinite: no bound.

        One number for all coordinates, or one each; `component` selects one coordinate."""
        check.new_name("limit", name, self.limits)
        self.limits[name] = make_limit(name, joint, lower, upper, component, self.joints, self.limits)

    def add_joint_friction(self, joint: str, effort: ArrayLike) -> None:
        """Adds Coulomb friction of at most `effort` [N or N m] to a joint; one number, or one each."""
        friction = make_joint_friction(joint, effort, self.joints, self.joint_frictions)
        self.joint_frictions[joint] = friction

    def add_rope(
        self, name: str, a: str, b: str, at_a: ArrayLike, at_b: ArrayLike, length: float | None = None
    ) -> None:
        """Adds a rope that keeps two points within `length` [m], by default their current distance."""
        check.new_name("rope", name, self.ropes)
        self.ropes[name] = make_rope(name, a, b, at_a, at_b, length, self.bodies)

    def add_custom_force(
        self, name: str, bodies: Iterable[str], force: Callable[..., Any], parameters: ArrayLike = ()
    ) -> None:
        """Adds your own force(t, x, q, v, w, p, out) on m bodies.

        Time t [s], positions x (m, 3), orientations q (m, 4), velocities v (m, 3), angular velocities
        w (m, 3), parameters p; out (m, 6): force and torque about the centre of mass; all world frame."""
        check.new_name("custom force", name, self.custom_forces)
        self.custom_forces[name] = make_custom_force(name, bodies, force, parameters, self.bodies)

    def add_potential(
        self,
        name: str,
        bodies: Iterable[str],
        energy: Callable[..., Any],
        parameters: ArrayLike = (),
        gradient: Callable[..., Any] | None = None,
    ) -> None:
        """Adds your own potential energy(x, q, p) [J] of m bodies.

        gradient(x, q, p, out) writes out (m, 6), per world translation and world rotation; without it, finite
        differences are used."""
        check.new_name("potential", name, self.potentials)
        self.potentials[name] = make_potential(name, bodies, energy, parameters, gradient, self.bodies)

    def joint_kind(self, name: str) -> JointKind:
        """What kind of joint `name` is; constraints beyond the table of joints and tendons have none."""
        joint = self.joints[name]
        if isinstance(joint, Tendon):
            return TENDON_KIND
        if not isinstance(joint, Joint):
            raise MechanismError(f"{name!r} is not a joint of add_joint but a {type(joint).__name__}")
        return JOINT_KINDS[joint.kind]

    def add_frame(
        self, name: str, body: str, at: ArrayLike | None = None, orientation: ArrayLike | None = None
    ) -> None:
        """Adds a named frame fixed to a body; by default the body's own frame."""
        check.new_name("frame", name, self.frames)
        where = f"frame {name!r}"
        check.body_name(where, body, self.bodies)
        own = self.bodies.get(body)
        at = at if at is not None else ZERO if own is None else own.position
        orientation = orientation if orientation is not None else IDENTITY if own is None else own.orientation
        self.frames[name] = Frame(
            name, body, check.vector(where, "at", at), check.orientation(where, "orientation", orientation)
        )

    def add_sensor(
        self,
        name: str,
        kind: str,
        joint: str | None = None,
        motor: str | None = None,
        body: str | None = None,
        frame: str | None = None,
    ) -> None:
        """Adds a sensor of one of `SENSOR_KINDS`, read by `traj.sensor(name)` and `sim.sensor(name)`.

        "joint_position", "joint_velocity" of a `joint`; "motor_effort" of a `motor`; "accelerometer"
        (acceleration minus gravity), "gyroscope" in the axes of a `frame`; "force_torque" that a `joint`
        exerts on its child, about the origin of a `frame` and in its axes; "touch": magnitude of the force of
        all contacts on a `body`; "frame_position", "frame_orientation", "frame_velocity",
        "frame_angular_velocity" of a `frame`, in the world."""
        check.new_name("sensor", name, self.sensors)
        on = {"joint": joint, "motor": motor, "body": body, "frame": frame}
        self.sensors[name] = make_sensor(self, name, kind, on)

    def add_keyframe(self, name: str, joints: Any = None, velocities: Any = None, inputs: Any = None) -> None:
        """Adds a named configuration to start from, `model.state(keyframe=name)`.

        `joints` and `velocities`: dicts of one number per coordinate, by joint; `inputs`: by force or motor.
        `model.state` closes loops that these coordinates do not close exactly."""
        check.new_name("keyframe", name, self.keyframes)
        self.keyframes[name] = make_keyframe(name, joints, velocities, inputs, self.joints, self.input_names)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the mechanism to a file: .yaml (complete and exact), .xml (MJCF, as far as possible) or
        .trep (s-expressions: frames, masses, point constraints).

        `sarrus.load` reads them all.  Your own functions are written by name."""
        from sarrus.importers.saving import save

        save(self, path)

    @property
    def input_names(self) -> tuple[str, ...]:
        """Names of the inputs: forces, then motors."""
        return (*self.forces, *self.motors)

    def _repr_html_(self) -> str:
        """Tables of bodies, joints and what else there is, for notebooks."""
        from sarrus.viewers.notebook import mechanism_html

        return mechanism_html(self)

    def __repr__(self) -> str:
        tables = (
            ("body", "bodies", self.bodies),
            ("joint", "joints", self.joints),
            ("spring", "springs", self.springs),
            ("joint spring", "joint springs", self.joint_springs),
            ("force", "forces", self.forces),
            ("motor", "motors", self.motors),
            ("custom force", "custom forces", self.custom_forces),
            ("potential", "potentials", self.potentials),
            ("frame", "frames", self.frames),
            ("limit", "limits", self.limits),
            ("joint with friction", "joints with friction", self.joint_frictions),
            ("rope", "ropes", self.ropes),
            ("obstacle", "obstacles", self.obstacles),
            ("contact", "contacts", self.contacts),
            ("exclusion", "exclusions", self.exclusions),
            ("keyframe", "keyframes", self.keyframes),
            ("sensor", "sensors", self.sensors),
        )
        parts = [f"{len(t)} {one if len(t) == 1 else many}" for one, many, t in tables if t]
        return f"<Mechanism {self.name!r}: {', '.join(parts) or 'empty'}>"
