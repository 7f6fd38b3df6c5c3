"""What a step takes explicitly and may be too fast for it: the users' potentials and forces, and the pull of
springs across their line.

Steps are stable while w dt < 2 for these.  Springs along their own coordinate are not among them: stiff ones
are implicit."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sarrus.analysis.differences import central_differences, moved
from sarrus.analysis.timestep import rounded_down
from sarrus.mechanism.forces import CustomForce, CustomPotential, Spring
from sarrus.mechanism.rotations import rotation
from sarrus.model import Model, State
from sarrus.model.description import body_number
from sarrus.model.springs import Mobilities, largest

# Moves of the differences [m, rad]: second differences of energies err by about 1e-16 / STEP^2 of them.
STEP = 1e-4
# w dt above which a run is warned of; gain of energy over the largest kinetic energy that is no oscillation.
FAST, GROWN = 1.0, 0.5


@dataclass(frozen=True)
class Explicit:
    """One term that steps take explicitly: what it is, by name, and its w dt, an estimate from above."""

    what: str
    phase: float


def has_explicit(model: Model) -> bool:
    """Whether there is a term that steps may take explicitly, gravity and motors apart."""
    m = model.mechanism
    return bool(m.springs or m.potentials or m.custom_forces)


def explicit_terms(model: Model, dt: float, state: State | None = None) -> list[Explicit]:
    """The terms of the model that steps of `dt` [s] take explicitly, the fastest at `state` (None: the
    reference configuration) first.

    Rates are those of the bodies of a term by themselves, moving as their joints let them."""
    m = model.mechanism
    state = model.initial_state() if state is None else state
    if not has_explicit(model):
        return []
    turns = _turns(model, state)
    ways = [(spring, *_pull(model, spring, state, turns)) for spring in m.springs.values()]
    ways = [way for way in ways if way[1] > 0.0]
    if not (ways or m.potentials or m.custom_forces):
        return []
    bodies = Mobilities(model.description, state.position, turns)
    found = [
        Explicit(
            f"the pull of spring {spring.name!r} across its line", _across(bodies, pull, way, ends, arms)
        )
        for spring, pull, way, ends, arms in ways
    ]
    for term in m.potentials.values():
        found.append(Explicit(f"potential {term.name!r}", _rate(model, term, _stiffness, state, bodies)))
    for force in m.custom_forces.values():
        found.append(Explicit(f"force {force.name!r}", _rate(model, force, _force_stiffness, state, bodies)))
    fast = [Explicit(term.what, dt * term.phase) for term in found if term.phase > 0.0]
    return sorted(fast, key=lambda term: -term.phase)


def warn_of_explicit(model: Model, dt: float, state: State) -> None:
    """Warns by name of the fastest term that steps of `dt` from `state` do not resolve, if there is one."""
    terms = explicit_terms(model, dt, state)
    if terms and terms[0].phase > FAST:
        warnings.warn(
            f"{terms[0].what} has w dt = {terms[0].phase:.2g} at the start and is taken explicitly: its "
            f"energy is not kept, and grows above 2; {_advice(terms[0], dt)}",
            stacklevel=3,
        )


def warn_of_growth(model: Model, dt: float, state: State, gain: float) -> bool:
    """Warns of energy that a run to `state` gained without a source, `gain` times its largest kinetic energy,
    and names the term that is to be suspected; False where there is none."""
    terms = explicit_terms(model, dt, state) if gain > GROWN else []
    if terms:
        warnings.warn(
            f"the run has gained {gain:.2g} times its largest kinetic energy without a source; "
            f"{terms[0].what}, which is taken explicitly, has w dt = {terms[0].phase:.2g} at the end: "
            f"{_advice(terms[0], dt)}",
            stacklevel=3,
        )
    return bool(terms)


def _advice(term: Explicit, dt: float) -> str:
    return f"dt = {rounded_down(FAST * dt / max(term.phase, FAST)):.3g} s resolves it"


def _turns(model: Model, state: State) -> np.ndarray:
    """(bodies, 3, 3) rotations of all bodies since the reference configuration."""
    return rotation(state.orientation) @ np.swapaxes(model.description.rotation, 1, 2)


def _pull(
    model: Model, spring: Spring, state: State, turns: np.ndarray
) -> tuple[float, np.ndarray, list[int], list[np.ndarray]]:
    """(tension over length [N/m], way between its points, bodies, arms of the points) of a stretched spring;
    0 where it is not stretched, or of no length: that has no line, its components are implicit where they are
    stiff."""
    ends, arms, places = [], [], []
    for name, point in ((spring.a, spring.at_a), (spring.b, spring.at_b)):
        b = model.body_index.get(name, len(model.body_names))
        arm, place = np.asarray(point, float), np.zeros(3)
        if name != "world":
            arm, place = turns[b] @ (point - model.mechanism.bodies[name].position), state.position[b]
        ends.append(b)
        arms.append(arm)
        places.append(place + arm)
    way = places[1] - places[0]
    length = float(np.linalg.norm(way))
    if length == 0.0 or spring.rest_length == 0.0:
        return 0.0, way, ends, arms
    return spring.stiffness * (1.0 - spring.rest_length / length), way, ends, arms


def _across(bodies: Mobilities, pull: float, way: np.ndarray, ends: list, arms: list) -> float:
    """Rate [rad/s] of bodies that a spring holds by its tension, across its line."""
    across = np.eye(3) - np.outer(way, way) / float(way @ way)
    yielding = sum(bodies.at(b, arm) for b, arm in zip(ends, arms, strict=True))
    return float(np.sqrt(pull * largest(across @ yielding @ across)))


def _rate(
    model: Model,
    term: CustomForce | CustomPotential,
    stiffness: Callable[..., np.ndarray],
    state: State,
    bodies: Mobilities,
) -> float:
    """Rate [rad/s] of the bodies of a user's term: the root of the largest eigenvalue of mobility times
    stiffness; 0 where the function cannot be evaluated here."""
    index = [body_number(model.description, name) for name in term.bodies]
    x = np.vstack([state.position, np.zeros(3)])[index]
    q = np.vstack([state.orientation, [1.0, 0.0, 0.0, 0.0]])[index]
    try:
        with np.errstate(all="ignore"):
            matrix = stiffness(term, x, q, state, index)
    except (ArithmeticError, ValueError):
        return 0.0
    if not np.isfinite(matrix).all():
        return 0.0
    mobility = np.zeros_like(matrix)
    for k, body in enumerate(index):
        mobility[6 * k : 6 * k + 6, 6 * k : 6 * k + 6] = bodies.matrices[body]
    return float(np.sqrt(max(0.0, np.linalg.eigvals(mobility @ matrix).real.max())))


def _stiffness(
    term: CustomPotential, x: np.ndarray, q: np.ndarray, state: State, index: list[int]
) -> np.ndarray:
    """Second derivatives (6 m, 6 m) of a potential by world translations and rotations of its bodies."""
    size = 6 * len(x)
    if term.gradient is not None:
        gradient = getattr(term.gradient, "py_func", term.gradient)

        def slope(moved_x: np.ndarray, moved_q: np.ndarray) -> np.ndarray:
            out = np.zeros((len(x), 6))
            gradient(moved_x, moved_q, term.parameters, out)
            return out.ravel()

        return central_differences(slope, x, q, STEP)
    energy = getattr(term.energy, "py_func", term.energy)
    out = np.zeros((size, size))
    for i in range(size):
        for j in range(i, size):
            ends = [
                a * b * energy(*moved(*moved(x, q, i, a * STEP), j, b * STEP), term.parameters)
                for a in (1, -1)
                for b in (1, -1)
            ]
            out[i, j] = out[j, i] = sum(ends) / (4.0 * STEP**2)
    return out


def _force_stiffness(
    term: CustomForce, x: np.ndarray, q: np.ndarray, state: State, index: list[int]
) -> np.ndarray:
    """Minus the derivative (6 m, 6 m) of a force by world translations and rotations of its bodies."""
    force = getattr(term.force, "py_func", term.force)
    v = np.vstack([state.velocity, np.zeros(3)])[index]
    spins = np.einsum("bij,bj->bi", rotation(state.orientation), state.angular_velocity)
    w = np.vstack([spins, np.zeros(3)])[index]

    def push(moved_x: np.ndarray, moved_q: np.ndarray) -> np.ndarray:
        out = np.zeros((len(x), 6))
        force(state.time, moved_x, moved_q, v, w, term.parameters, out)
        return -out.ravel()

    return central_differences(push, x, q, STEP)
