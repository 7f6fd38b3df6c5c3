"""A rod on a hinge that swings as prescribed: every read-out of its trajectory is known in closed form.

`SwingModel` has the methods of a model that a trajectory uses, written out for this rod without kernels."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from sarrus.mechanism import Mechanism
from sarrus.trajectory import Stats, Trajectory

MASS, ARM, GRAVITY = 2.0, 0.5, 9.81
INERTIA = np.diag([0.3, 0.25, 0.1])
DT = 0.01


def mechanism() -> Mechanism:
    """A rod that hangs from a hinge along x at the origin, two motors on the hinge, a frame at the tip."""
    mech = Mechanism(gravity=(0.0, 0.0, -GRAVITY), name="swing")
    mech.add_body("rod", mass=MASS, inertia=INERTIA, position=(0.0, 0.0, -ARM))
    mech.add_joint("hinge", "revolute", parent="world", child="rod", at=(0, 0, 0), axis=(1, 0, 0))
    mech.add_motor("servo", joint="hinge", mode="servo", stiffness=3.0, damping=0.5)
    mech.add_motor("drive", joint="hinge")
    half = np.sqrt(0.5)
    mech.add_frame("tip", "rod", at=(0.0, 0.0, -1.0), orientation=(half, half, 0.0, 0.0))
    mech.add_frame("ground", "world", at=(1.0, 2.0, 3.0))
    return mech


class SwingModel:
    """The part of a model that a trajectory uses, for the mechanism above."""

    def __init__(self) -> None:
        self.mechanism = mechanism()
        self.body_names, self.joint_names = ("rod",), ("hinge",)
        self.masses, self.inertias = np.array([MASS]), INERTIA[None]
        self.joint_slices, self.row_slices = {"hinge": slice(0, 1)}, {"hinge": slice(0, 3)}
        self.contacts = SimpleNamespace(any=False, fixed=[], pairs=[])
        self.ranks = SimpleNamespace(misfit={})
        self.calls = 0

    def coordinates_of(self, position, orientation, velocity, angular_velocity, winding=None):
        self.calls += 1
        angle = np.unwrap(2.0 * np.arctan2(orientation[:, 0, 1], orientation[:, 0, 0]))
        if winding is not None:
            angle = angle + 2.0 * np.pi * np.round((winding[0] - angle[0]) / (2.0 * np.pi))
        return angle[:, None], angular_velocity[:, 0, :1].copy()

    def residuals(self, position, orientation, winding=None):
        angle = 2.0 * np.arctan2(orientation[:, 0, 1], orientation[:, 0, 0])
        return position[:, 0] - place(angle)

    def potential_energy(self, position, orientation, winding=None):
        return MASS * GRAVITY * position[:, 0, 2]

    def kinetic_energy(self, position, orientation, velocity, angular_velocity, winding=None):
        v, w = velocity[:, 0], angular_velocity[:, 0]
        return 0.5 * MASS * np.sum(v * v, axis=1) + 0.5 * np.sum(w * (w @ INERTIA), axis=1)

    def rolling_slip(self, position, orientation, velocity, angular_velocity):
        return np.zeros(len(position))


def place(angle: np.ndarray) -> np.ndarray:
    """The rod's centre of mass (T+1, 3) at the hinge angles (T+1,)."""
    return np.stack([0.0 * angle, ARM * np.sin(angle), -ARM * np.cos(angle)], axis=1)


def swing(nodes: int = 101, model: SwingModel | None = None, **options: object) -> Trajectory:
    """The prescribed swing angle(t) = 4 sin t, more than half a turn to each side."""
    time = DT * np.arange(nodes)
    angle, rate = 4.0 * np.sin(time), 4.0 * np.cos(time)
    zero = np.zeros(nodes)
    orientation = np.stack([np.cos(angle / 2), np.sin(angle / 2), zero, zero], axis=1)
    velocity = rate[:, None] * np.stack([zero, ARM * np.cos(angle), ARM * np.sin(angle)], axis=1)
    spin = np.stack([rate, zero, zero], axis=1)
    steps = np.arange(nodes - 1)
    stats = Stats(
        2 + steps % 2,
        1 + 0 * steps,
        np.where(steps == 7, 4, 0),
        np.where(steps == 7, 5, 0),
        0.5,
        0.4,
        3,
        1e-3,
    )
    options = {"inputs": {"servo": 0.1 * time, "drive": time**2}} | options
    motion = (place(angle)[:, None], orientation[:, None], velocity[:, None], spin[:, None])
    return Trajectory(
        model or SwingModel(), "variational", DT, time, *motion, options.pop("stats", stats), **options
    )


def arrays(traj: Trajectory) -> dict[str, np.ndarray]:
    """All arrays of a trajectory by name."""
    names = ("time", "position", "orientation", "velocity", "angular_velocity")
    counts = ("iterations", "factorisations", "substeps", "status", "momentum_iterations")
    found = {name: getattr(traj, name) for name in names} | {
        name: getattr(traj.stats, name) for name in counts
    }
    found |= {f"input {name}": used for name, used in traj.inputs.items()}
    return found | ({} if traj.reactions is None else {"reactions": traj.reactions})
