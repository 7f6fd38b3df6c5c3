"""The problems with contact: what falls, stands, lies or walks, and what is aimed at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import pi

import sarrus
from sarrus.learn import Gait

# A gait that the search of [MC23] Algorithm 7 found; a trot of 2.8 Hz.
TROT = Gait(0.284, -0.178, 1.075, 0.484, -1.423)
CHAINS = (10, 20, 40, 100, 200)


@dataclass(frozen=True)
class ContactProblem:
    """A mechanism on the ground, its time [s] and step [s]; `gait` where servos follow one.

    `limit`: our CPU time per step over MuJoCo's; `real_time`: least simulated time over CPU time."""

    name: str
    make: Callable[[], sarrus.Mechanism]
    duration: float
    dt: float = 0.01
    gait: Gait | None = None
    limit: float | None = None
    real_time: float | None = None

    @property
    def steps(self) -> int:
        """Number of steps."""
        return round(self.duration / self.dt)


def chain(n: int, tilt: float = 0.0, duration: float = 2.0, limit: float | None = None) -> ContactProblem:
    """A chain of spheres that falls flat, or tilted by 30 degrees, on the ground ([MC23] Fig. 8b)."""
    name = f"chain of {n} spheres" + (", 30 degrees" if tilt else "")
    return ContactProblem(name, lambda: sarrus.gallery.sphere_chain(n=n, tilt=tilt), duration, limit=limit)


def all_contact_problems(quick: bool = False) -> list[ContactProblem]:
    """The problems in the order of the tables; quick: the small ones, shorter."""
    gallery = sarrus.gallery
    second = 1.0 if quick else 2.0
    long = 1.0 if quick else 10.0
    problems = [
        ContactProblem("box drop", lambda: gallery.box_drop(), second),
        ContactProblem("box drop, dt 0.001", lambda: gallery.box_drop(), second, dt=0.001),
        ContactProblem("stack of 10", lambda: gallery.box_stack(n=10), long),
        ContactProblem("stack of 10, 1:1000 upwards", lambda: gallery.box_stack(n=10, ratio=1000.0), long),
    ]
    for rows in (3,) if quick else (6, 10):
        boxes = rows * (rows + 1) // 2
        problems.append(
            ContactProblem(f"pyramid of {boxes}", lambda rows=rows: gallery.pyramid(rows=rows), second)
        )
    for n in CHAINS[:2] if quick else CHAINS:
        problems.append(chain(n, limit=1.0 if n == 40 else None))
    if not quick:
        problems.append(chain(40, tilt=pi / 6, duration=5.0))
    walk = ContactProblem(
        "quadruped, trot", lambda: gallery.quadruped(limits=True), long, dt=0.001, gait=TROT, real_time=4.0
    )
    return [*problems, walk]
