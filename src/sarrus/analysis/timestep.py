"""A time step to start with, from the fastest motion that a model shows at its start."""

from __future__ import annotations

import numpy as np

from sarrus import layout as at
from sarrus.model import Model, State
from sarrus.model.geometry import JointGeometry

# Energy oscillates by about (w dt)^2 / 24 of its range in a symmetric method of order 2: 4e-4 for w dt = 0.1.
PHASE = 0.1
# Readers of robot files put bodies of 1e-9 of their neighbours' mass between several joints of one link.
LIGHT = 1e-6


def recommended_dt(model: Model, state: State | None = None) -> float | None:
    """dt [s] that resolves swinging under gravity, springs and spins of the start; None where nothing moves.

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
    mass = {name: body.mass for name, body in mechanism.bodies.items()} | {"world": np.inf}
    out = [0.0]
    for spring in mechanism.springs.values():
        out.append(float(np.sqrt(spring.stiffness * (1.0 / mass[spring.a] + 1.0 / mass[spring.b]))))
    drives = [(s.joint, s.stiffness) for s in mechanism.joint_springs.values()]
    drives += [(m.joint, np.atleast_1d(m.stiffness)) for m in mechanism.motors.values() if m.mode == "servo"]
    for name, stiffness in drives:
        joint = model.description.joints[model.joint_index[name]]
        for i, k in enumerate(np.resize(stiffness, joint.coordinates)):
            inertia = joint_inertia(model, joint, i)
            if k > 0.0 and inertia > 0.0:
                out.append(float(np.sqrt(k / inertia)))
    return out


def joint_inertia(model: Model, joint: JointGeometry, component: int) -> float:
    """Inertia [kg or kg m^2] that a force along a coordinate of the reference moves, the two bodies alone.

    0 where nothing resists: between bodies without mass worth the name, whose neighbours would move too."""
    light = LIGHT * sum(model.masses)
    yielding = 0.0
    for body, arm in ((joint.a, joint.pa), (joint.b, joint.pb)):
        if body == len(model.body_names) or model.masses[body] < light:
            continue
        inertia = float(model.masses[body])
        if joint.angular[component]:
            # The coordinates of a joint are its translations, then its rotations.
            axis = joint.basis_r[component - joint.angular.index(True)]
            turned = model.description.rotation[body]
            about_centre = turned @ list(model.mechanism.bodies.values())[body].inertia @ turned.T
            inertia = float(axis @ about_centre @ axis + inertia * np.sum(np.cross(axis, arm) ** 2))
        yielding += 1.0 / inertia if inertia > 0.0 else 0.0
    if yielding == 0.0:
        return 0.0
    return 1.0 / yielding + (joint.armature[component] if joint.armature else 0.0)


def spin_rates(state: State) -> list[float]:
    """Angular speeds [rad/s] of the bodies."""
    return [0.0, *(float(w) for w in np.linalg.norm(state.angular_velocity, axis=1))]


def rounded_down(dt: float) -> float:
    """The largest of 1, 2, 5 times a power of 10 that is not above `dt`."""
    power = 10.0 ** np.floor(np.log10(dt))
    return float(max(step * power for step in (1.0, 2.0, 5.0) if step * power <= dt * (1.0 + 1e-12)))
