"""Closed loops in the y-z plane, hinged about x."""

from __future__ import annotations

from typing import Any

import numpy as np

from sarrus.errors import MechanismError
from sarrus.gallery.rods import add_rod
from sarrus.mechanism import Box, Mechanism
from sarrus.mechanism import validation as check

X, Y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)


def in_plane(angle: float) -> np.ndarray:
    """The unit vector (3,) at `angle` [rad] from y towards z."""
    return np.array([0.0, np.cos(angle), np.sin(angle)])


def meeting_point(where: str, p: np.ndarray, r: float, q: np.ndarray, s: float) -> np.ndarray:
    """The point (3,) at distance `r` from `p` and `s` from `q`, to the left of the way from `p` to `q`."""
    d = float(np.linalg.norm(q - p))
    if not abs(r - s) < d < r + s:
        raise MechanismError(
            f"{where}: the loop cannot close: rods of {r:.6g} m and {s:.6g} m do not span {d:.6g} m; "
            "change a length or the angle"
        )
    u = (q - p) / d
    a = (d * d + r * r - s * s) / (2 * d)
    return p + a * u + np.sqrt(r * r - a * a) * np.array([0.0, -u[2], u[1]])


def turning_rates(
    crank: np.ndarray, rate: float, coupler: np.ndarray, rocker: np.ndarray
) -> tuple[float, float]:
    """Rates [rad/s] about x of coupler and rocker when the crank turns at `rate`; vectors along the rods."""
    sides = np.array([[-coupler[2], rocker[2]], [coupler[1], -rocker[1]]])
    coupler_rate, rocker_rate = np.linalg.solve(sides, -rate * np.array([-crank[2], crank[1]]))
    return float(coupler_rate), float(rocker_rate)


def four_bar(
    ground: float = 1.0,
    crank: float = 0.4,
    coupler: float = 1.1,
    rocker: float = 0.8,
    angle: float = np.pi / 4,
    speed: float = 0.0,
) -> Mechanism:
    """A four-bar linkage of unequal rods: crank and rocker on the ground, a coupler between them.

    ground, crank, coupler, rocker [m]: distance of the ground pivots and rods of 1 kg per metre.  angle
    [rad]: of the crank from the horizontal y.  speed [rad/s]: initial rate of the crank.
    Degrees of freedom: 1.  Loops: 1.  Redundant rows: 3 (a planar loop of revolutes in space).
    Reference: Grashof's condition: as given, the crank goes round and the loop is never singular."""
    where = "gallery four_bar"
    lengths = {"ground": ground, "crank": crank, "coupler": coupler, "rocker": rocker}
    l = {name: check.number(where, name, value, positive=True) for name, value in lengths.items()}
    a, rate = check.number(where, "angle", angle), check.number(where, "speed", speed)
    mech = Mechanism(name="four-bar")
    add_four_bar(mech, where, l["ground"], (l["crank"], l["coupler"], l["rocker"]), a, rate)
    return mech


def add_four_bar(
    mech: Mechanism, where: str, ground: float, rods: tuple[float, float, float], angle: float, rate: float
) -> None:
    """Adds crank, coupler and rocker, of 1 kg per metre, on ground pivots at the origin and at y = ground."""
    a0, b0 = np.zeros(3), np.array([0.0, ground, 0.0])
    a1 = rods[0] * in_plane(angle)
    b1 = meeting_point(where, a1, rods[1], b0, rods[2])
    coupler_rate, rocker_rate = turning_rates(a1 - a0, rate, b1 - a1, b1 - b0)
    x, at_a1 = np.array(X), np.cross((rate, 0, 0), a1)
    width = 0.05
    add_rod(mech, "crank", a0, a1, mass=rods[0], width=width, pivot=a0, turning=rate * x)
    add_rod(
        mech, "coupler", a1, b1, mass=rods[1], width=width, pivot=a1, velocity=at_a1, turning=coupler_rate * x
    )
    add_rod(mech, "rocker", b1, b0, mass=rods[2], width=width, pivot=b0, turning=rocker_rate * x)
    mech.add_joint("crank pivot", "revolute", parent="world", child="crank", at=a0, axis=X)
    mech.add_joint("crank pin", "revolute", parent="crank", child="coupler", at=a1, axis=X)
    mech.add_joint("rocker pin", "revolute", parent="coupler", child="rocker", at=b1, axis=X)
    mech.add_joint("rocker pivot", "revolute", parent="world", child="rocker", at=b0, axis=X)


def three_link_loop(ground: float = 1.0, angle: float = np.pi / 2) -> Mechanism:
    """A loop of three rods of 1, sqrt(2)/2 and 1 m, and as many kg; the outer ones are hinged to the world.

    ground [m]: distance of the two ground pivots along y (the source gives none).  angle [rad]: of the
    first rod from the horizontal y.
    Degrees of freedom: 1.  Loops: 1.  Redundant rows: 3.
    Reference: [MC23] Fig. 7a."""
    where = "gallery three_link_loop"
    d = check.number(where, "ground", ground, positive=True)
    a = check.number(where, "angle", angle)
    mech = Mechanism(name="three-link loop")
    add_four_bar(mech, where, d, (1.0, np.sqrt(0.5), 1.0), a, 0.0)
    return mech


def double_four_bar(speed: float = 1.0) -> Mechanism:
    """Three upright bars on the ground and two couplers across their tops: five slender rods of 1 m and 1 kg.

    speed [m/s]: initial velocity of the tops along y.  Ground pivots A0, A1, A2 at y = 0, 1, 2; tops B0,
    B1, B2.
    Degrees of freedom: 1.  Loops: 2.  Redundant rows: 6.  Singular whenever all bars lie flat.
    Reference: [MC23] Fig. 12; IFToMM benchmark library, A02: B0 is at (y, z) = (0.32845811145,
    0.94451853821) m after 10 s."""
    rate = -check.number("gallery double_four_bar", "speed", speed)  # about x: the top goes towards +y
    mech = Mechanism(name="double four-bar")
    up = np.array([0.0, 0.0, 1.0])
    feet = [np.array([0.0, float(i), 0.0]) for i in range(3)]
    tops = [foot + up for foot in feet]

    def rod(name: str, start: Any, end: Any, **motion: Any) -> None:
        add_rod(mech, name, start, end, width=0.05, slender=True, **motion)

    rod("bar 0", tops[0], feet[0], pivot=feet[0], turning=(rate, 0, 0))
    for i in (1, 2):
        rod(f"coupler {i}", tops[i - 1], tops[i], velocity=(0, -rate, 0))
        rod(f"bar {i}", tops[i], feet[i], pivot=feet[i], turning=(rate, 0, 0))
    mech.add_joint("A0", "revolute", parent="world", child="bar 0", at=feet[0], axis=X)
    mech.add_joint("B0", "revolute", parent="bar 0", child="coupler 1", at=tops[0], axis=X)
    mech.add_joint("B1", "revolute", parent="coupler 1", child="bar 1", at=tops[1], axis=X)
    mech.add_joint("A1", "revolute", parent="world", child="bar 1", at=feet[1], axis=X)
    mech.add_joint("C1", "revolute", parent="bar 1", child="coupler 2", at=tops[1], axis=X)
    mech.add_joint("B2", "revolute", parent="coupler 2", child="bar 2", at=tops[2], axis=X)
    mech.add_joint("A2", "revolute", parent="world", child="bar 2", at=feet[2], axis=X)
    mech.add_frame("B0", "bar 0", at=tops[0])
    return mech


def slider_crank(
    crank: float = 0.3, rod: float = 0.9, angle: float = np.pi / 3, speed: float = 0.0
) -> Mechanism:
    """A crank, a connecting rod and a slider on a horizontal guide along y.

    crank, rod [m]: lengths, of 1 kg per metre; the slider has 1 kg.  angle [rad]: of the crank from the
    horizontal y.  speed [rad/s]: initial rate of the crank.
    Degrees of freedom: 1.  Loops: 1.  Redundant rows: 3.
    Reference: y of the slider = crank cos(q) + sqrt(rod^2 - crank^2 sin(q)^2), q the angle of the crank."""
    where = "gallery slider_crank"
    r, l = check.number(where, "crank", crank, positive=True), check.number(where, "rod", rod, positive=True)
    a, rate = check.number(where, "angle", angle), check.number(where, "speed", speed)
    if l <= r:
        raise MechanismError(f"{where}: rod must be longer than crank, but {l:.6g} m <= {r:.6g} m")
    mech = Mechanism(name="slider-crank")
    pin = r * in_plane(a)
    end = np.array([0.0, pin[1] + np.sqrt(l * l - pin[2] ** 2), 0.0])
    rod_rate = -rate * r * np.cos(a) / (end[1] - pin[1])
    at_pin = np.cross((rate, 0, 0), pin)
    slide = at_pin + np.cross((rod_rate, 0, 0), end - pin)
    add_rod(mech, "crank", (0, 0, 0), pin, mass=r, width=0.05, pivot=(0, 0, 0), turning=(rate, 0, 0))
    add_rod(mech, "rod", pin, end, mass=l, width=0.05, pivot=pin, velocity=at_pin, turning=(rod_rate, 0, 0))
    mech.add_body(
        "slider", mass=1.0, position=end, velocity=(0.0, slide[1], 0.0), shapes=[Box(size=(0.1, 0.2, 0.1))]
    )
    mech.add_joint("crank pivot", "revolute", parent="world", child="crank", at=(0, 0, 0), axis=X)
    mech.add_joint("crank pin", "revolute", parent="crank", child="rod", at=pin, axis=X)
    mech.add_joint("wrist pin", "revolute", parent="rod", child="slider", at=end, axis=X)
    mech.add_joint("guide", "prismatic", parent="world", child="slider", at=end, axis=Y)
    return mech


def rhombus_chain(segments: int = 1, half: float = np.pi / 8, tilt: float = np.pi / 4) -> Mechanism:
    """Rhombi of four rods each, tip to tip, hanging from the world in a straight tilted chain.

    segments: number of rhombi; boxes of 0.1 x 0.1 x 1 m and 1 kg, hinged about x.  half [rad]: half the
    opening angle.  tilt [rad]: of the chain from the downward vertical, towards y.
    Degrees of freedom: 2 per segment.  Loops: 1 per segment.  Redundant rows: 3 per segment.  Singular
    whenever a rhombus is flat.
    Reference: [MC23] Fig. 9a; one rhombus is flat at 0.365 s, 0.893 s, ..."""
    where = "gallery rhombus_chain"
    count = check.whole(where, "segments", segments, 1)
    h, t = check.number(where, "half", half), check.number(where, "tilt", tilt)
    mech = Mechanism(name="rhombus chain")
    down, side = np.array([0.0, np.sin(t), -np.cos(t)]), np.array([0.0, np.cos(t), np.sin(t)])
    top = np.zeros(3)
    above = {"left": "world", "right": "world"}
    for k in range(1, count + 1):
        tip = top + 2 * np.cos(h) * down
        for hand, sign in (("right", 1.0), ("left", -1.0)):
            elbow = top + np.cos(h) * down + sign * np.sin(h) * side
            upper, lower = f"{hand} upper {k}", f"{hand} lower {k}"
            add_rod(mech, upper, top, elbow)
            add_rod(mech, lower, elbow, tip)
            mech.add_joint(f"{hand} top {k}", "revolute", parent=above[hand], child=upper, at=top, axis=X)
            mech.add_joint(f"{hand} elbow {k}", "revolute", parent=upper, child=lower, at=elbow, axis=X)
            above[hand] = lower
        mech.add_joint(f"tip {k}", "revolute", parent=above["right"], child=above["left"], at=tip, axis=X)
        top = tip
    return mech
