"""The quadruped on flat ground: how far a gait carries it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from sarrus.errors import MechanismError, SarrusError, StepFailed
from sarrus.learn.gait import DAMPING, JOINTS, LEGS, STANDING, STIFFNESS, Gait
from sarrus.learn.training import Tried
from sarrus.mechanism import Sphere

if TYPE_CHECKING:
    from sarrus.mechanism import Mechanism
    from sarrus.model import Model, State
    from sarrus.trajectory import Trajectory

DURATION, DT = 10.0, 0.001  # [s], [MC23] section 5.4 and Algorithm 7
LOOK = 0.01  # [s] between two records, which show whether the robot has fallen
CLEARANCE = 1e-6  # [m] of the lowest foot above the ground at the start
FALLEN = 0.06  # [m] height of the trunk's centre at which its underside lies on the ground
TRUNK, ROBOT = "trunk", "quadruped"
REHEARSAL = 3  # steps


class Walk:
    """A rollout: `walk(numbers)` tells how far the robot gets along x with the gait of these numbers."""

    def __init__(self, model: Model, duration: float = DURATION, dt: float = DT):
        from sarrus.schedule import number_of_steps

        self.model, self.duration, self.dt = model, float(duration), float(dt)
        self.steps = number_of_steps(duration, dt)
        self.every = max(1, min(self.steps, round(LOOK / self.dt)))
        self.motors = servos(model.mechanism)
        self.trunk = trunk(model)
        self.parameters: dict[str, Any] = {}

    def start(self, gait: Gait) -> State:
        """The robot at rest in the mean posture of the gait, its lowest foot just above the ground."""
        mean = {"hip": 0.0, "thigh": gait.thigh_mean, "calf": gait.calf_mean}
        mech = self.model.mechanism
        angles = {mech.motors[name].joint: mean[kind] for (_, kind), name in self.motors.items()}
        for limit in mech.limits.values():
            q = angles.get(limit.joint)
            if q is not None and not limit.lower[0] < q < limit.upper[0]:
                raise MechanismError(
                    f"joint {limit.joint!r} starts at {q:.6g} rad, outside its limits "
                    f"{limit.lower[0]:.6g} to {limit.upper[0]:.6g}"
                )
        state = self.model.state(angles)
        state.position[:, 2] += CLEARANCE - lowest_foot(self.model, state)
        return state

    def inputs(self, gait: Gait) -> dict[str, np.ndarray]:
        """What the servos aim at, (steps + 1,) [rad] by name of the motor."""
        time = self.dt * np.arange(self.steps + 1)
        targets = {leg: gait.targets(leg, time) for leg in LEGS}
        return {name: targets[leg][joint] for (leg, joint), name in self.motors.items()}

    def run(self, gait: Gait, progress: Callable[[int, int], None] | None = None) -> Trajectory:
        """The motion with this gait, recorded every 0.01 s.

        Always the same records: reading a node out moves what follows by rounding, and steps on feet make
        more of it, so that a replay would not be the walk that was learned."""
        from sarrus.simulation import simulate

        return simulate(
            self.model,
            duration=self.duration,
            dt=self.dt,
            state=self.start(gait),
            inputs=self.inputs(gait),
            record_every=self.every,
            progress=progress,
        )

    def rehearse(self) -> None:
        """Compiles or loads what the rollouts need, by a few steps of standing."""
        steps = min(REHEARSAL, self.steps)
        Walk(self.model, steps * self.dt, self.dt).run(STANDING)

    def __call__(self, numbers: np.ndarray) -> Tried:
        """How far the trunk gets [m] along x; a fall, a start out of reach or a failed step is a failure."""
        try:
            traj = self.run(Gait.of(numbers))
        except StepFailed as stop:
            return Tried(None, f"step failed at {stop.time:.3f} s: {stop.status}")
        except SarrusError as fault:
            return Tried(None, f"no start: {fault}")
        fell = self.falls(traj)
        if fell is not None:
            return Tried(None, f"fell at {fell:.2f} s")
        return Tried(self.distance(traj), "walked")

    def distance(self, traj: Trajectory) -> float:
        """Way of the trunk along x from first to last node [m]."""
        path = traj.position[:, self.trunk, 0]
        return float(path[-1] - path[0])

    def falls(self, traj: Trajectory) -> float | None:
        """When the trunk first lies on the ground or is upside down [s]; None: never."""
        w, x, y, z = np.moveaxis(traj.orientation[:, self.trunk], -1, 0)
        upright = w * w - x * x - y * y + z * z
        stands = (traj.position[:, self.trunk, 2] > FALLEN) & (upright > 0.0)
        return None if stands.all() else float(traj.time[np.argmin(stands)])

    @property
    def settings(self) -> dict[str, Any]:
        """What the distance depends on besides the gait."""
        return {"robot": ROBOT, "duration": self.duration, "dt": self.dt, **self.parameters}


def quadruped_walk(duration: float = DURATION, dt: float = DT, **parameters: Any) -> Walk:
    """The rollout of the gallery's quadruped with its joint ranges; `parameters` of the robot, such as
    friction and foot_radius."""
    from sarrus import gallery
    from sarrus.model import build

    parameters = {"limits": True} | parameters
    walk = Walk(build(gallery.make(ROBOT, **parameters)), duration, dt)
    walk.parameters = gallery.describe(ROBOT).parameters | parameters
    return walk


def servos(mech: Mechanism) -> dict[tuple[str, str], str]:
    """Names of the motors by leg and joint, found by the words in the names of their joints."""
    found: dict[tuple[str, str], str] = {}
    for motor in mech.motors.values():
        words = set(re.split(r"[\s_-]+", motor.joint))
        for leg in LEGS:
            for joint in JOINTS:
                if {leg, joint} <= words:
                    found[leg, joint] = motor.name
    missing = [f"{leg} {joint}" for leg in LEGS for joint in JOINTS if (leg, joint) not in found]
    if missing:
        raise MechanismError(f"a gait needs a servo motor on each of 12 joints; {missing[0]!r} has none")
    for (_, joint), name in found.items():
        motor = mech.motors[name]
        if motor.mode != "servo" or (motor.stiffness, motor.damping) != (STIFFNESS[joint], DAMPING[joint]):
            raise MechanismError(
                f"motor {name!r}: a gait needs a servo of stiffness {STIFFNESS[joint]:g} and damping "
                f"{DAMPING[joint]:g}, not mode {motor.mode!r}, {motor.stiffness:g} and {motor.damping:g}"
            )
    return found


def trunk(model: Model) -> int:
    """Row of the body that carries the legs."""
    if TRUNK not in model.body_index:
        raise MechanismError(f"a quadruped needs a body {TRUNK!r}; there are {', '.join(model.body_names)}")
    return model.body_index[TRUNK]


def feet(mech: Mechanism) -> list[tuple[Sphere, str]]:
    """The spheres that meet the ground, with the names of their bodies."""
    found = [
        (shape, body.name)
        for body in mech.bodies.values()
        for shape in body.shapes
        if isinstance(shape, Sphere) and shape.collide
    ]
    if not found:
        raise MechanismError("a quadruped needs feet: spheres on the calves that collide")
    return found


def lowest_foot(model: Model, state: State) -> float:
    """Height of the lowest point of the feet over z = 0 [m]."""
    heights = []
    for shape, body in feet(model.mechanism):
        row = model.body_index[body]
        w, x, y, z = state.orientation[row]
        down = np.array([2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z])
        heights.append(state.position[row, 2] + down @ np.asarray(shape.at) - shape.radius)
    return float(min(heights))
