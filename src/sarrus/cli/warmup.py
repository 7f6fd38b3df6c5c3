"""`sarrus warmup`: compile ahead of the first run."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from sarrus.cli.answer import JsonFlag, answering

if TYPE_CHECKING:
    from sarrus.mechanism import Mechanism

WARMUP_DT = 0.01  # [s]
WARMUP_STEPS = 3
# One method of each family, and the mechanisms that the others than the first are rehearsed on.
METHODS = ("variational", "bdf2")
SMOOTH = ("trees", "closed loops")


def warmup(as_json: JsonFlag = False) -> None:
    """Compile the kernels now and keep them on disk, so that the first simulation starts at once.

    [bold]Example[/bold]

    sarrus warmup
    """
    with answering(as_json) as answer:
        seconds = {}
        for what, mechanism in rehearsals().items():
            for method in METHODS if what in SMOOTH else METHODS[:1]:
                named = what if method == METHODS[0] else f"{what}, {method}"
                start = time.perf_counter()
                rehearse(mechanism, method)
                seconds[named] = time.perf_counter() - start
                answer.console.print(f"{named}: ready after {seconds[named]:.1f} s")
        answer.give({"seconds": seconds, "seconds_total": sum(seconds.values())})


def rehearsals() -> dict[str, Mechanism]:
    """One small mechanism for each set of kernels: with and without loops, springs and motors; contacts."""
    from sarrus import gallery

    mechanisms = {}
    for what, name in (("trees", "pendulum"), ("closed loops", "four_bar")):
        mechanisms[what] = gallery.make(name)
        sprung = gallery.make(name)
        joint = next(iter(sprung.joints))
        sprung.add_joint_spring("spring", joint=joint, stiffness=1.0, damping=0.1)
        sprung.add_motor("motor", joint=joint, mode="force")
        mechanisms[f"{what} with springs and motors"] = sprung
    mechanisms["contact with the world"] = gallery.make("box_drop")
    mechanisms["contact between bodies"] = gallery.make("box_stack", n=2)
    return mechanisms


def rehearse(mechanism: Mechanism, method: str) -> None:
    """Run a few steps with all read-outs, so that everything on the way is compiled."""
    import sarrus

    model = sarrus.build(mechanism)
    sarrus.assemble(model)
    duration = WARMUP_STEPS * WARMUP_DT
    trajectory = sarrus.simulate(model, duration, WARMUP_DT, method, reactions=True)
    trajectory.energy()
    trajectory.violation()
    if model.joint_names:
        trajectory.joint_position(model.joint_names[0])
    if model.contacts.any:
        trajectory.gap()
