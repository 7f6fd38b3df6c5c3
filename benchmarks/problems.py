"""The problems of the benchmarks: the mechanism, the form that suits the peers, and what is aimed at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import sarrus

GRAVITY = 9.81


@dataclass(frozen=True)
class Problem:
    """One problem: 10 s at dt 0.01 s unless said otherwise.

    energy_range [J]: energy of the start above that of the lowest rest; `limit` and `aim`: our CPU time per
    step over MuJoCo's with its default integrator; `make_for_peers`: where another tree suits them better."""

    name: str
    make: Callable[[], sarrus.Mechanism]
    energy_range: float
    limit: float | None = None
    aim: float | None = None
    make_for_peers: Callable[[], sarrus.Mechanism] | None = None
    duration: float = 10.0
    dt: float = 0.01

    def for_peers(self) -> sarrus.Mechanism:
        """The mechanism that the peers are given."""
        return (self.make_for_peers or self.make)()

    @property
    def steps(self) -> int:
        """Number of steps."""
        return round(self.duration / self.dt)


def pendulum(links: int, joint: str, limit: float | None, aim: float | None) -> Problem:
    """A chain of boxes of 1 m and 1 kg from horizontal: its range is that of hanging straight, g n^2 / 2."""
    return Problem(
        name=f"{links} {joint} links",
        make=lambda: sarrus.gallery.pendulum(links=links, joint=joint),
        energy_range=GRAVITY * links**2 / 2,
        limit=limit,
        aim=aim,
    )


def rhombi(segments: int, limit: float | None = None, aim: float | None = None) -> Problem:
    """Rhombi hanging in a tilted chain; the range is that of hanging flat and straight, 13.6 J for one."""
    mech = sarrus.gallery.rhombus_chain(segments=segments)
    start = sum(GRAVITY * body.mass * body.position[2] for body in mech.bodies.values())
    lowest = -sum(GRAVITY * 4.0 * (2 * k + 1.0) for k in range(segments))
    return Problem(
        name=f"{segments} {'rhombus' if segments == 1 else 'rhombi'}",
        make=lambda: sarrus.gallery.rhombus_chain(segments=segments),
        energy_range=start - lowest,
        limit=limit,
        aim=aim,
        make_for_peers=lambda: spine(mech),
    )


def spine(mech: sarrus.Mechanism) -> sarrus.Mechanism:
    """The rhombus chain with both rods of a segment hung on the same rod above.

    The same motions, since all rods meet at one pin; the loops of a simulator in joint coordinates then share
    few joints, and MuJoCo takes half the time that the gallery's own tree costs it at 40 segments."""
    copy = sarrus.Mechanism(gravity=mech.gravity, name=mech.name)
    for body in mech.bodies.values():
        copy.add_body(
            body.name, body.mass, body.inertia, position=body.position, orientation=body.orientation
        )
    for joint in mech.joints.values():
        parent = joint.parent.replace("left", "right") if joint.name.startswith("left top") else joint.parent
        copy.add_joint(joint.name, joint.kind, parent=parent, child=joint.child, at=joint.at, axis=joint.axis)
    return copy


def double_four_bar() -> Problem:
    """Two four-bar loops from upright, tops at 1 m/s; the range is that above hanging still."""
    return Problem(
        name="double four-bar",
        make=lambda: sarrus.gallery.double_four_bar(),
        energy_range=2 * 3.5 * GRAVITY + 1.5,
    )


def all_problems() -> list[Problem]:
    """The problems in the order of the tables."""
    return [
        pendulum(2, "revolute", 1.5, 1.0),
        pendulum(10, "revolute", 1.6, 1.0),
        pendulum(100, "revolute", 0.8, 0.55),
        pendulum(100, "spherical", 0.06, 0.04),
        rhombi(1),
        rhombi(5),
        rhombi(20, 1.0, 0.6),
        rhombi(40),
        double_four_bar(),
    ]
