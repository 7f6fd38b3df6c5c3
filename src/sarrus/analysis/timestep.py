"""A time step to start with: one that resolves the motion of the start, and one that a long run without
friction needs, where all energy may gather in one link.

What motors prescribe does not count: its motion is that of the inputs, which are not known here."""

from __future__ import annotations

from math import floor, log10, sqrt
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike

from sarrus import layout as at
from sarrus.analysis.held import held
from sarrus.mechanism import JointSpring, Mechanism, Spring
from sarrus.model import Model, State
from sarrus.model.geometry import JointGeometry

# Energy oscillates by about (w dt)^2 / 24 of its range in a symmetric method of order 2: 4e-4 for w dt = 0.1.
PHASE = 0.1
# Readers of robot files put bodies of 1e-9 of their neighbours' mass between several joints of one link.
LIGHT = 1e-6
# Springs that are faster than this many times gravity's swings and the spins of the start are stiff.
STIFF = 10.0
# A whip that turns a joint by so much [rad] per step changes the energy of a chain by about 2e-4; over ten
# minutes that adds up to about 1 %.
WHIP = 0.15
# Rounding down to 1, 2 or 5 times a power of 10 leaves at least this part.
ROUNDED_DOWN = 0.4
_swing_rates: WeakKeyDictionary[Model, float] = WeakKeyDictionary()
_recommended: WeakKeyDictionary[Model, float | None] = WeakKeyDictionary()


def recommended_dt(model: Model, state: State | None = None) -> float | None:
    """dt [s] to start with: `resolving_dt`, or `long_run_dt` where that is smaller and nothing takes energy
    away (no dampers, friction or contacts); None where nothing moves.  Found once per model for its own
    start."""
    if state is not None:
        return _recommended_from(model, state)
    if model not in _recommended:
        _recommended[model] = _recommended_from(model, model.initial_state())
    return _recommended[model]


def _recommended_from(model: Model, state: State) -> float | None:
    steps = [resolving_dt(model, state)]
    if not loses_energy(model):
        steps.append(long_run_dt(model, state))
    return min((dt for dt in steps if dt is not None), default=None)


def resolving_dt(model: Model, state: State | None = None) -> float | None:
    """dt [s] that resolves swinging under gravity, springs and spins of the start; None where nothing moves.

    Springs and servos that are much faster than all else do not count: they hold their bodies like joints,
    and steps that do not resolve them are stable.  An estimate from each body by itself, not a bound; rounded
    down to 1, 2 or 5 times a power of 10."""
    state = model.initial_state() if state is None else state
    fastest = max(swing_rate(model), fastest_spin(state))
    springs = [rate for rate in spring_rates(model) if fastest == 0.0 or rate <= STIFF * fastest]
    fastest = max([fastest, *springs])
    return rounded_down(PHASE / fastest) if fastest > 0.0 else None


def motion_dt(model: Model, state: State | None = None) -> float | None:
    """As `recommended_dt`, from swinging and spins alone: a stiff spring or servo does not limit the step, a
    longer one only does not resolve it."""
    spin = fastest_spin(model.initial_state() if state is None else state)
    fastest = max(swing_rate(model), spin)
    return rounded_down(PHASE / fastest) if fastest > 0.0 else None


def is_resolved(model: Model, state: State, dt: float, times: float) -> bool:
    """Whether dt [s] is not above `times` times `motion_dt`, which is mostly clear without rounding that."""
    if dt * max(swing_rate(model), spin_bound(state)) < ROUNDED_DOWN * times * PHASE:
        return True
    longest = motion_dt(model, state)
    return longest is None or dt <= times * longest


def long_run_dt(model: Model, state: State | None = None) -> float | None:
    """dt [s] that resolves the fastest whip that the energy of the start allows; None where there is none.

    In a chaotic run all of it may gather in one link: w = sqrt(2 E / J), J the inertia of the link about its
    joint.  Rounded down to 1, 2 or 5 times a power of 10."""
    state = model.initial_state() if state is None else state
    energy, fastest = tree_energies(model, state), 0.0
    for b in range(len(model.body_names)):
        inertia = link_inertia(model, b)
        if inertia > 0.0:
            fastest = max(fastest, float(np.sqrt(2.0 * energy[b] / inertia)))
    return rounded_down(WHIP / fastest) if fastest > 0.0 else None


def loses_energy(model: Model) -> bool:
    """Whether dampers, friction or contacts take energy away."""
    mechanism = model.mechanism
    damped: list[ArrayLike] = [s.damping for s in mechanism.springs.values()]
    damped += [s.damping for s in mechanism.joint_springs.values()]
    damped += [motor.damping for motor in mechanism.motors.values() if motor.damping is not None]
    return model.contacts.any or any(np.any(np.asarray(c) > 0.0) for c in damped)


def keeps_energy(mechanism: Mechanism, touches: bool) -> bool:
    """Whether nothing in a mechanism adds or takes energy; touches: whether it has contacts or limits."""
    springs: list[Spring | JointSpring] = [*mechanism.springs.values(), *mechanism.joint_springs.values()]
    damped = any(np.any(np.asarray(spring.damping) > 0.0) for spring in springs)
    return not (damped or touches or mechanism.motors or mechanism.forces or mechanism.custom_forces)


def tree_energies(model: Model, state: State) -> np.ndarray:
    """(bodies,) [J], in the order of the spanning tree: energy that the tree of each body can turn into
    motion, that of its start and that of falling to where all of it hangs straight down.

    A tree that flies freely has the energy of its motion about its centre of mass."""
    d, n = model.description, len(model.body_names)
    g = np.asarray(model.gravity, float)
    weight = float(np.linalg.norm(g))
    up = -g / weight if weight > 0.0 else np.zeros(3)
    bodies = list(model.mechanism.bodies.values())
    root, path, joint_point = np.zeros(n, int), np.zeros(n), np.zeros((n, 3))
    energy, mass, momentum = np.zeros(n), np.zeros(n), np.zeros((n, 3))
    still = held(model)
    for b in range(n):
        user, parent = d.tree.order[b], d.tree.parent[b]
        joint, body = d.joints[d.tree.joint[b]], bodies[d.tree.order[b]]
        arm = joint.pa if d.tree.is_reversed[b] else joint.pb
        joint_point[b] = body.position + arm
        root[b] = b if parent >= n else root[parent]
        path[b] = 0.0 if parent >= n else path[parent] + np.linalg.norm(joint_point[b] - joint_point[parent])
        if still.body(user):
            continue
        hangs = not is_free_root(model, root[b])
        if hangs:
            height = float(up @ (body.position - joint_point[root[b]]))
            energy[root[b]] += model.masses[user] * weight * (height + path[b] + np.linalg.norm(arm))
        v, w = state.velocity[user], state.angular_velocity[user]
        energy[root[b]] += 0.5 * model.masses[user] * float(v @ v) + 0.5 * float(w @ body.inertia @ w)
        if not hangs:
            mass[root[b]] += model.masses[user]
            momentum[root[b]] += model.masses[user] * v
    flies = mass > 0.0
    energy[flies] -= 0.5 * (momentum[flies] ** 2).sum(axis=1) / mass[flies]
    return np.maximum(energy[root], 0.0)


def is_free_root(model: Model, b: int) -> bool:
    """Whether body b, in the order of the spanning tree, flies freely."""
    joint = model.description.joints[model.description.tree.joint[b]]
    return joint.rotations == 3 and joint.translations == 3


def link_inertia(model: Model, b: int) -> float:
    """Smallest inertia [kg m^2] of body b of the spanning tree about its joint, armature included; 0 where it
    does not turn there, or has no mass worth the name."""
    d = model.description
    user, joint = d.tree.order[b], d.joints[d.tree.joint[b]]
    mass = float(model.masses[user])
    turns = joint.rotations and joint.kind in (at.LOWER_PAIR, at.SCREW_PAIR) and not turns_held(model, b)
    if not turns or is_free_root(model, b) or mass < LIGHT * sum(model.masses):
        return 0.0
    arm = joint.pa if d.tree.is_reversed[b] else joint.pb
    smallest = turning_inertia(model, b, mass * (float(arm @ arm) * np.eye(3) - np.outer(arm, arm)))
    rotating = [a for a, angular in zip(joint.armature, joint.angular, strict=False) if angular]
    return smallest + min(rotating, default=0.0)


def turning_inertia(model: Model, b: int, more: ArrayLike = 0.0) -> float:
    """Smallest inertia [kg m^2] of body b of the spanning tree, about its centre of mass, for the rotations
    that its joint allows; `more` is added to the inertia (3, 3), world axes."""
    d = model.description
    user, joint = d.tree.order[b], d.joints[d.tree.joint[b]]
    turned, axes = d.rotation[user], joint.basis_r[: joint.rotations]
    about_centre = turned @ list(model.mechanism.bodies.values())[user].inertia @ turned.T
    return float(np.linalg.eigvalsh(axes @ (about_centre + more) @ axes.T)[0])


def turns_held(model: Model, b: int) -> bool:
    """Whether motors hold all rotations of the joint of body b of the spanning tree."""
    j = model.description.tree.joint[b]
    joint = model.description.joints[j]
    turning = [i for i, angular in enumerate(joint.angular) if angular]
    return held(model).joint(j, turning) if turning else False


def swing_rate(model: Model) -> float:
    """The fastest rate [rad/s] of a link that swings about its joint, under the weight of all that hangs on
    it; found once per model."""
    if model not in _swing_rates:
        _swing_rates[model] = max(gravity_rates(model), default=0.0)
    return _swing_rates[model]


def gravity_rates(model: Model) -> list[float]:
    """Rates [rad/s] of links that swing about their joint."""
    d, n = model.description, len(model.body_names)
    g = float(np.linalg.norm(model.gravity))
    below = np.array([model.masses[user] for user in d.tree.order])
    for b in range(n - 1, -1, -1):
        if d.tree.parent[b] < n:
            below[d.tree.parent[b]] += below[b]
    out, light = [], LIGHT * sum(model.masses)
    for b in range(n):
        joint = d.joints[d.tree.joint[b]]
        arm = float(np.linalg.norm(joint.pa if d.tree.is_reversed[b] else joint.pb))
        heavy = model.masses[d.tree.order[b]] > light
        if (
            g > 0.0
            and heavy
            and joint.rotations
            and arm > 0.0
            and joint.kind in (at.LOWER_PAIR, at.SCREW_PAIR)
            and not turns_held(model, b)
        ):
            mass = model.masses[d.tree.order[b]]
            # A pendulum of this length; where the centre lies on the axis but for rounding, nothing swings.
            length = max(arm, turning_inertia(model, b) / (mass * arm))
            out.append(float(np.sqrt(g / length * below[b] / mass)))
    return out


def spring_rates(model: Model) -> list[float]:
    """Rates [rad/s] of bodies on their springs, the rest held still."""
    mechanism = model.mechanism
    # A frame without mass moves with its neighbours, whatever holds it.
    mass = {name: body.mass or np.inf for name, body in mechanism.bodies.items()} | {"world": np.inf}
    still = held(model)
    mass |= {name: np.inf for b, name in enumerate(model.body_names) if still.body(b)}
    out = [0.0]
    for spring in mechanism.springs.values():
        out.append(float(np.sqrt(spring.stiffness * (1.0 / mass[spring.a] + 1.0 / mass[spring.b]))))
    drives = [(s.joint, s.stiffness) for s in mechanism.joint_springs.values()]
    drives += [(m.joint, np.atleast_1d(m.stiffness)) for m in mechanism.motors.values() if m.mode == "servo"]
    for name, stiffness in drives:
        j = model.joint_index[name]
        joint = model.description.joints[j]
        for i, k in enumerate(np.resize(stiffness, joint.coordinates)):
            inertia = joint_inertia(model, joint, i)
            if k > 0.0 and inertia > 0.0 and not still.joint(j, [i]):
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


def fastest_spin(state: State) -> float:
    """The largest angular speed [rad/s] of a body."""
    return float(np.linalg.norm(state.angular_velocity, axis=1).max(initial=0.0))


def spin_bound(state: State) -> float:
    """No angular speed [rad/s] of a body is above this: quick to tell, where most starts are far from any
    limit."""
    return sqrt(np.vdot(state.angular_velocity, state.angular_velocity))


def rounded_down(dt: float) -> float:
    """The largest of 1, 2, 5 times a power of 10 that is not above `dt`."""
    power = 10.0 ** floor(log10(dt))
    return float(max(step * power for step in (1.0, 2.0, 5.0) if step * power <= dt * (1.0 + 1e-12)))
