"""`sarrus warmup`: compile ahead of the first run."""

from __future__ import annotations

import sys
import time

from rich.console import Console

from sarrus.cli.answer import JsonFlag, answering

WARMUP_DT = 0.01
WARMUP_STEPS = 3


def warmup(as_json: JsonFlag = False) -> None:
    """Compile all kernels now and keep them on disk, so that the first simulation starts at once.

    [bold]Example[/bold]

    sarrus warmup
    """
    with answering(as_json) as answer:
        import sarrus

        stages = {
            "trees": lambda: rehearse(sarrus.gallery.pendulum(links=2), "variational"),
            "closed loops": lambda: rehearse(sarrus.gallery.four_bar(), "variational"),
            "first order": lambda: rehearse(sarrus.gallery.four_bar(), "variational1"),
            "fourth order": lambda: rehearse(sarrus.gallery.four_bar(), "variational4"),
        }
        seconds = {}
        for number, (what, stage) in enumerate(stages.items(), start=1):
            start = time.perf_counter()
            if as_json or not sys.stderr.isatty():
                stage()
            else:
                with Console(stderr=True).status(f"compiling {what} ({number} of {len(stages)})"):
                    stage()
            seconds[what] = time.perf_counter() - start
            answer.console.print(f"{what}: ready after {seconds[what]:.1f} s")
        answer.give({"seconds": seconds, "seconds_total": sum(seconds.values())})


def rehearse(mechanism: object, method: str) -> None:
    """Run a few steps, read-outs included, so that everything on the way is compiled."""
    import sarrus

    model = sarrus.build(mechanism)
    duration = WARMUP_STEPS * WARMUP_DT
    trajectory = sarrus.simulate(model, duration=duration, dt=WARMUP_DT, method=method, reactions=True)
    trajectory.energy()
    trajectory.violation()
    trajectory.momentum()
