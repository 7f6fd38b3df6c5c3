"""Starts in a singular configuration, where branches of motion meet: the velocities choose one, the same for
every method, or the start is refused with the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sarrus.errors import MechanismError
from sarrus.mechanism.rotations import rotation
from sarrus.model.assembly import kernel_state
from sarrus.model.linear import Linearisation, least_change
from sarrus.model.redundancy import carried, choose_rows, extent, settle

if TYPE_CHECKING:
    from sarrus.model.model import Model
    from sarrus.model.state import State

# A loop is singular where its smallest pivot is below this part of its scale.
SINGULAR = 1e-9
# A start is at rest below this way per step, over the size; its velocities lie between two branches of motion
# where keeping to one would change them by more than this part.
STANDING, BETWEEN = 1e-9, 0.05
# The branch is looked at so far from the start [rad, parts of the size]: rows that depend on others but for
# the way there have pivots of its square, and the branch bends by as much.
AWAY = 1e-3


def check_branch(model: Model, state: State, dt: float) -> None:
    """Refuses a start of steps of `dt` [s] in a singular configuration whose velocities choose no branch."""
    if not model.ranks.ranks:
        return
    kernel = kernel_state(model, state)
    joint = singular_loop(model, kernel)
    if joint is not None:
        order = model.description.tree.order
        turning = np.einsum("bij,bj->bi", rotation(state.orientation), state.angular_velocity)
        given = np.concatenate([state.velocity, turning], axis=1)[order]
        chosen_velocities(model, kernel, given, dt, joint)


def singular_loop(model: Model, kernel: np.ndarray) -> str | None:
    """Name of the joint that closes the most singular loop at the configuration in `kernel` (of
    `model.every`); None where no loop is singular."""
    ranks, candidates = model.ranks, model.candidates
    if candidates is None:
        return None
    found = choose_rows(candidates, carried(candidates, kernel), ranks.scales, ranks.ranks)
    # A row that finds no pivot at all is left out.
    pivots = {
        j: found.smallest[j] if found.ranks[j] == rank else 0.0 for j, rank in ranks.ranks.items() if rank
    }
    least = min(pivots, key=lambda j: pivots[j], default=None)
    return None if least is None or pivots[least] >= SINGULAR else model.description.joints[least].name


def chosen_velocities(
    model: Model, kernel: np.ndarray, given: np.ndarray, dt: float, joint: str
) -> np.ndarray:
    """Velocities `given` (n, 6) at the singular configuration in `kernel`, both in the order of
    `model.every`, projected onto all rows there, where they choose a branch of motion; refuses those that
    choose none.  joint: closes the singular loop"""
    if model.ranks.shaky:
        raise MechanismError(
            f"the mechanism is shaky at joint {model.ranks.shaky[0]!r}: it can move by infinitely "
            "little, no branch of motion leaves its reference configuration, and forces across it have "
            "no answer; change a length, or leave the joint out"
        )
    here = Linearisation(model.every, kernel.copy())
    along = projected(here, given.ravel())
    speed = float(np.abs(along).max(initial=0.0))
    if not speed * dt > STANDING * max(1e-3, model.size):
        raise unchosen(joint, "at rest none is chosen")
    here.move(AWAY / extent(along, max(1e-3, model.size)) * along)
    # The redundant rows agree with the others only where these hold.
    settle(here, 0.0)
    if not np.abs(projected(here, along) - along).max() < BETWEEN * speed:
        raise unchosen(joint, "its velocities are those of none")
    return along.reshape(-1, 6)


def projected(here: Linearisation, velocities: np.ndarray) -> np.ndarray:
    """`velocities` (6 n,) projected onto all rows of all joints in the metric of the masses; rows that repeat
    others are forgiven."""
    G, W = here.matrix, here.inverse_mass()
    for _ in range(2):
        velocities = velocities + least_change(G, G @ velocities, W)
    return velocities


def unchosen(joint: str, why: str) -> MechanismError:
    """What is said of a singular start that chooses no branch of motion."""
    return MechanismError(
        f"the mechanism starts in a singular configuration of the loop that joint {joint!r} closes, where "
        f"branches of motion meet, and {why}; start from another configuration, for example "
        "sarrus.assemble(model, {joint: small angle})"
    )
