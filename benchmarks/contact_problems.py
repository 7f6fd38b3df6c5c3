"""The problems with contact: what falls, stands, lies or walks, and what is aimed at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import pi

import sarrus
from sarrus.learn import Gait
from sarrus.learn.gait import STANDING

# A gait that the search of [MC23] Algorithm 7 found; a trot of 2.8 Hz.
TROT = Gait(0.284, -0.178, 1.075, 0.484, -1.423)
CHAINS = (10, 20, 40, 100, 200)


@dataclass(frozen=True)
class ContactProblem:
    """A scene, its time [s] and step [s]; `gait` where servos follow one, `keyframe` whose inputs are held.

    `limit`: our CPU time per step over MuJoCo's; `real_time`: least simulated time over CPU time; `rounds`:
    most rounds of measuring, fewer where a run takes seconds; `implicit`: where servos are so stiff that
    MuJoCo's default integrator blows up, and its "implicitfast" is taken."""

    name: str
    make: Callable[[], sarrus.Mechanism]
    duration: float
    dt: float = 0.01
    gait: Gait | None = None
    keyframe: str | None = None
    limit: float | None = None
    real_time: float | None = None
    rounds: int = 9
    implicit: bool = False

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
        ContactProblem("box at rest", lambda: gallery.box_stack(n=1), second, limit=3.0),
        ContactProblem("stack of 10", lambda: gallery.box_stack(n=10), long, limit=5.0),
        ContactProblem("stack of 10, 1:1000 upwards", lambda: gallery.box_stack(n=10, ratio=1000.0), long),
    ]
    for rows in (3,) if quick else (6, 10):
        boxes, limit = rows * (rows + 1) // 2, None if quick else 6.0
        make = lambda rows=rows: gallery.pyramid(rows=rows)  # noqa: E731
        problems.append(ContactProblem(f"pyramid of {boxes}", make, second, limit=limit))
    problems += [*walls_and_heaps(quick), *machines(quick)]
    for n in CHAINS[:2] if quick else CHAINS:
        problems.append(chain(n, limit=1.0 if n == 40 else None))
    if not quick:
        problems.append(chain(40, tilt=pi / 6, duration=5.0))
    return problems


def walls_and_heaps(quick: bool) -> list[ContactProblem]:
    """Free bodies: at rest in walls and card houses, hit, falling on a heap, hanging in each other."""
    gallery = sarrus.gallery
    if quick:
        return [
            ContactProblem(
                "wall of 4 at rest", lambda: gallery.brick_wall(rows=2, columns=2, speed=0.0), 0.5
            ),
            ContactProblem("heap of 5", lambda: gallery.heap(n=5), 1.0),
        ]
    problems = [
        ContactProblem("wall of 16 at rest", lambda: gallery.brick_wall(speed=0.0), 1.0, limit=8.0, rounds=5),
        ContactProblem("wall of 16, hit", lambda: gallery.brick_wall(), 1.0, rounds=2),
        ContactProblem("card house of 7", lambda: gallery.card_house(), 2.0),
        ContactProblem("chain of 6 rings, dt 0.005", lambda: gallery.ring_chain(), 1.0, dt=0.005),
    ]
    for n, limit, rounds in ((20, 10.0, 5), (50, 10.0, 2), (100, 12.0, 1)):
        make = lambda n=n: gallery.heap(n=n)  # noqa: E731
        problems.append(ContactProblem(f"heap of {n}", make, 2.0, limit=limit, rounds=rounds))
    return problems


def machines(quick: bool) -> list[ContactProblem]:
    """What servos drive: a quadruped, a humanoid, a hand, a gripper."""
    gallery = sarrus.gallery
    walker = lambda: gallery.quadruped(limits=True)  # noqa: E731
    limp = lambda: gallery.quadruped(limits=True, effort=0.01)  # noqa: E731
    stands = ContactProblem("quadruped, standing", walker, 1.0, dt=0.002, gait=STANDING, limit=4.0)
    trots = ContactProblem(
        "quadruped, trot", walker, 1.0 if quick else 10.0, dt=0.001, gait=TROT, limit=3.0, real_time=4.0
    )
    if quick:
        return [stands, trots]
    hand = lambda thing: lambda: gallery.hand(object=thing)  # noqa: E731
    return [
        stands,
        ContactProblem("quadruped, falling", limp, 2.0, dt=0.002, gait=STANDING, limit=6.0),
        trots,
        ContactProblem(
            "humanoid, standing", lambda: gallery.humanoid(), 2.0, dt=0.002, limit=8.0, implicit=True
        ),
        ContactProblem("humanoid, falling", lambda: gallery.humanoid(strength=0.0), 2.0, dt=0.002),
        ContactProblem(
            "hand, closing", hand("none"), 1.0, dt=0.002, keyframe="fist", limit=8.0, implicit=True
        ),
        ContactProblem(
            "hand, closing on a ball", hand("ball"), 1.0, dt=0.002, keyframe="closed", implicit=True
        ),
        ContactProblem(
            "hand, closing on a box", hand("box"), 1.0, dt=0.002, keyframe="closed", implicit=True
        ),
        ContactProblem(
            "gripper with a box", lambda: gallery.gripper(), 2.0, dt=0.002, keyframe="lift", implicit=True
        ),
    ]
