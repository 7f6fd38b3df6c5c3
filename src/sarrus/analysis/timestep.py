"""A time step to start with, from the fastest motion that a model shows at its start."""

from __future__ import annotations

import numpy as np

from sarrus import layout as at
from sarrus.model import Model, State

# Energy oscillates by about (w dt)^2 / 24 of its range in a symmetric method of order 2: 4e-4 for w dt = 0.1.
PHASE = 0.1


def recommended_dt(model: Model, state: State | None = None) -> float | None:
    """dt [s] that resolves swinging under gravity, springs and the spins of the start; None where nothing
    moves.

    An estimate from each body by itself, not a bound; rounded down to 1, 2 or 5 times a power of 10."""
    state = model.initial_state() if state is None else state
    fastest = max(*gravity_rates(model), *spring_rates(model), *spin_rates(state))
    return rounded_down(PHASE / fastest) if fastest > 0.0 else None


def gravity_rates(model: Model) -> list[float]:
    """Rates [rad/s] of links that swing about their joint, under the weight of all that hangs on them."""
    d, n = model.description, len(model.body_names)
    g = float(np.linalg.norm(model.gravity))
    below = np.array([model.masses[user] for user in d.tree.order])
    for b in range(n - 1, -1, -1):
        if d.tree.parent[b] < n:
            below[d.tree.parent[b]] += below[b]
    out = [0.0, 0.0]
    for b in range(n):
        joint = d.joints[d.tree.joint[b]]
        arm = float(np.linalg.norm(joint.pa if d.tree.is_reversed[b] else joint.pb))
        if g > 0.0 and joint.rotations and arm > 0.0 and joint.kind in (at.LOWER_PAIR, at.SCREW_PAIR):
            out.append(float(np.sqrt(g / arm * below[b] / model.masses[d.tree.order[b]])))
    return out


def spring_rates(model: Model) -> list[float]:
    """Rates [rad/s] of bodies on their springs, the rest held still."""
    mechanism = model.mechanism
    bodies = mechanism.bodies.items()
    mass = {name: body.mass for name, body in bodies} | {"world": np.inf}
    spin = {name: max(float(np.linalg.eigvalsh(body.inertia)[0]), 1e-300) for name, body in bodies}
    spin["world"] = np.inf
    out = [0.0]
    for spring in mechanism.springs.values():
        out.append(float(np.sqrt(spring.stiffness * (1.0 / mass[spring.a] + 1.0 / mass[spring.b]))))
    drives = [(s.joint, s.stiffness) for s in mechanism.joint_springs.values()]
    drives += [(m.joint, np.atleast_1d(m.stiffness)) for m in mechanism.motors.values() if m.mode == "servo"]
    for name, stiffness in drives:
        joint = model.description.joints[model.joint_index[name]]
        ends = mechanism.joints[name]
        for i, k in enumerate(np.resize(stiffness, joint.coordinates)):
            inertia = spin if joint.angular[i] else mass
            out.append(float(np.sqrt(k * (1.0 / inertia[ends.parent] + 1.0 / inertia[ends.child]))))
    return out


def spin_rates(state: State) -> list[float]:
    """Angular speeds [rad/s] of the bodies."""
    return [0.0, *(float(w) for w in np.linalg.norm(state.angular_velocity, axis=1))]


def rounded_down(dt: float) -> float:
    """The largest of 1, 2, 5 times a power of 10 that is not above `dt`."""
    power = 10.0 ** np.floor(np.log10(dt))
    return float(max(step * power for step in (1.0, 2.0, 5.0) if step * power <= dt * (1.0 + 1e-12)))
