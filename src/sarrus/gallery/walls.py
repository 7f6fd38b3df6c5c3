"""Walls that are hit or leaned together: bricks with a ball thrown at them, a house of cards."""

from __future__ import annotations

import numpy as np

from sarrus.errors import MechanismError
from sarrus.gallery.contacts import TOUCH
from sarrus.mechanism import Box, Mechanism, Sphere
from sarrus.mechanism import validation as check
from sarrus.mechanism.rotations import turn

BRICK = (0.24, 0.12, 0.08)
"""Length, depth and height of a brick [m]; of 2000 kg/m^3."""
JOINT = 0.001
"""Gap between neighbours in a course [m]."""
Y = (0.0, 1.0, 0.0)


def brick_wall(
    rows: int = 4, columns: int = 4, speed: float = 8.0, ball: float = 5.0, friction: float = 0.6
) -> Mechanism:
    """A wall of loose bricks with a ball thrown at it.

    rows: number of courses; every second one is shifted by a quarter of a brick.  columns: bricks in a
    course, 0.24 x 0.12 x 0.08 m, 2000 kg/m^3.  speed [m/s]: of the ball, which flies along y towards the
    middle of the wall; 0: there is no ball and the wall stands still.  ball [kg]: its mass; 0.1 m in radius.
    friction: of all contacts.
    Degrees of freedom: 6 rows columns, and 6 of the ball.  Loops: none.  Redundant rows: none.
    Reference: without a ball the ground carries the weight of all, and nothing moves."""
    where = "gallery brick_wall"
    courses = check.whole(where, "rows", rows, 1)
    count = check.whole(where, "columns", columns, 1)
    v = check.number(where, "speed", speed, negative=False)
    mass = check.number(where, "ball", ball, positive=True)
    mu = check.number(where, "friction", friction, negative=False)
    length, depth, height = BRICK
    pitch, radius = length + JOINT, 0.1
    mech = Mechanism(name="brick wall")
    for row in range(courses):
        aside = length / 8 * (1 if row % 2 else -1)
        for k in range(count):
            mech.add_body(
                f"brick {row + 1}.{k + 1}",
                density=2000.0,
                position=(
                    aside + pitch * (k - (count - 1) / 2),
                    0.0,
                    (row + 0.5) * height + (row + 1) * TOUCH,
                ),
                shapes=[Box(BRICK)],
            )
    if v > 0.0:
        middle = max(radius + 0.05, courses * height / 2)
        mech.add_body(
            "ball", mass=mass, position=(0.0, -depth / 2 - radius - 0.5, middle), velocity=(0.0, v, 0.0),
            shapes=[Sphere(radius)],
        )  # fmt: skip
    mech.add_ground(mu)
    if len(mech.bodies) > 1:
        mech.add_contact_group(friction=mu)
    return mech


def card_house(
    levels: int = 2,
    lean: float = 0.35,
    length: float = 0.088,
    thickness: float = 0.002,
    friction: float = 0.6,
) -> Mechanism:
    """A house of cards: pairs that lean on each other, with a floor of cards between the levels.

    levels: of leaning pairs; the lowest has as many pairs.  lean [rad]: of the cards from the vertical, 0.1
    to 0.5.  length [m]: of a card, which is 0.063 m wide and has 700 kg/m^3.  thickness [m]: of the cards.
    friction: of all contacts.
    Degrees of freedom: 6 for each card; levels (3 levels + 1)/2 cards.  Loops: none.  Redundant rows: none.
    Reference: feet hold where friction exceeds tan(lean); then nothing moves."""
    where = "gallery card_house"
    count = check.whole(where, "levels", levels, 1)
    a = check.number(where, "lean", lean)
    if not 0.1 <= a <= 0.5:
        raise MechanismError(f"{where}: lean must lie between 0.1 and 0.5 rad, not {a:.6g}")
    l = check.number(where, "length", length, positive=True)
    t = check.number(where, "thickness", thickness, positive=True)
    if not t <= l / 20:
        raise MechanismError(
            f"{where}: thickness must be at most a twentieth of the length, {l / 20:.6g} m, not {t:.6g}"
        )
    mu = check.number(where, "friction", friction, negative=False)
    width, gap = 0.063, 20 * TOUCH
    half = l / 2 * np.sin(a) + t / 2 * np.cos(a)  # from the middle of a leaning card to its ends, along x
    rise = l / 2 * np.cos(a) + t / 2 * np.sin(a)  # and upwards
    pitch = 4 * half + TOUCH + gap
    mech = Mechanism(name="card house")
    floor = TOUCH
    for level in range(count):
        pairs = count - level
        middles = pitch * (np.arange(pairs) - (pairs - 1) / 2)
        for k, middle in enumerate(middles):
            for side, sign in (("left", -1), ("right", 1)):
                mech.add_body(
                    f"{side} {level + 1}.{k + 1}", density=700.0, orientation=turn(Y, -sign * a),
                    position=(middle + sign * (half + TOUCH / 2), 0.0, floor + rise),
                    shapes=[Box((t, width, l))],
                )  # fmt: skip
        floor += 2 * rise + TOUCH
        for k, middle in enumerate((middles[1:] + middles[:-1]) / 2):
            mech.add_body(
                f"floor {level + 1}.{k + 1}", density=700.0, position=(middle, 0.0, floor + t / 2),
                shapes=[Box((pitch - gap, width, t))],
            )  # fmt: skip
        floor += t + TOUCH
    mech.add_ground(mu)
    mech.add_contact_group(friction=mu)
    return mech
