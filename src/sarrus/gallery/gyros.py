"""Spinning and rolling bodies: the top, the T-handle, the gyroscope in gimbals, the rolling disc."""

from __future__ import annotations

import numpy as np

from sarrus.errors import MechanismError
from sarrus.gallery.rods import add_rod, to_body, to_world
from sarrus.mechanism import Box, Cylinder, Mechanism, Sphere
from sarrus.mechanism import validation as check
from sarrus.mechanism.rotations import turn

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
ALONG_X = (np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0)  # a cylinder's z turned onto x
ALONG_Y = (np.sqrt(0.5), -np.sqrt(0.5), 0.0, 0.0)  # a cylinder's z turned onto y


def spinning_top(spin: float = 60.0, tilt: float = 0.3, height: float = 0.2) -> Mechanism:
    """A heavy symmetric top whose tip stays on one point.

    spin [rad/s]: initial rate about its own axis.  tilt [rad]: of the axis from the vertical, about
    x.  height [m]: of the disc (radius 0.15 m, thickness 0.03 m, 1 kg) above the tip.
    Degrees of freedom: 3.  Loops: none.  Redundant rows: none.
    Reference: the energy, the vertical angular momentum and the one along the axis are constant; it
    precesses at about m g height / (J3 spin)."""
    where = "gallery spinning_top"
    rate, a = check.number(where, "spin", spin), check.number(where, "tilt", tilt)
    h = check.number(where, "height", height, positive=True)
    mech = Mechanism(name="spinning top")
    q = turn(X, a)
    mech.add_body(
        "top",
        mass=1.0,
        position=to_world(q, (0, 0, h)),
        orientation=q,
        angular_velocity=(0.0, 0.0, rate),
        shapes=[Cylinder(radius=0.15, length=0.03)],
    )
    mech.add_joint("tip", "spherical", parent="world", child="top", at=(0, 0, 0))
    return mech


def t_handle(spin: float = 5.0, disturbance: float = 0.01) -> Mechanism:
    """A T-handle in free flight, without gravity: it flips over again and again.

    spin [rad/s]: initial rate about the stem, the axis of the middle moment of inertia.  disturbance:
    initial rate about the bar, as a part of `spin`.
    Degrees of freedom: 6 (a free body).  Loops: none.  Redundant rows: none.
    Reference: Euler's equations; energy and angular momentum are constant (the tennis-racket or Dzhanibekov
    effect)."""
    where = "gallery t_handle"
    rate, part = check.number(where, "spin", spin), check.number(where, "disturbance", disturbance)
    mech = Mechanism(gravity=(0.0, 0.0, 0.0), name="T-handle")
    radius, bar, stem = 0.02, 0.3, 0.12
    reach = radius + stem / 2  # from the middle of the bar to that of the stem
    centre = reach * stem / (bar + stem)
    mech.add_body(
        "handle",
        density=2700.0,
        angular_velocity=(0.0, part * rate, rate),
        shapes=[
            Cylinder(radius, bar, at=(0, 0, -centre), orientation=ALONG_Y),
            Cylinder(radius, stem, at=(0, 0, reach - centre)),
        ],
    )
    return mech


def gyroscope(spin: float = 80.0, weight: float = 0.1) -> Mechanism:
    """A rotor in two gimbals, with a weight on the inner one that makes it precess.

    spin [rad/s]: initial rate of the rotor (radius 0.1 m, 1 kg) about y.  weight [kg]: on the end of the
    rotor's axle, 0.15 m from the centre; the outer gimbal turns about z, the inner one about x.
    Degrees of freedom: 3.  Loops: none.  Redundant rows: none.
    Reference: the steady precession of a fast rotor, about z at weight g 0.15 m / (J spin)."""
    where = "gallery gyroscope"
    rate = check.number(where, "spin", spin)
    extra = check.number(where, "weight", weight, positive=True)
    mech = Mechanism(name="gyroscope")
    mech.add_body("outer gimbal", mass=0.1, shapes=frame_of_bars(0.2, X, Z))
    mech.add_body("inner gimbal", mass=0.1, shapes=frame_of_bars(0.15, Y, X))
    mech.add_body(
        "rotor",
        mass=1.0,
        angular_velocity=(0.0, rate, 0.0),
        shapes=[Cylinder(radius=0.1, length=0.03, orientation=ALONG_Y)],
    )
    mech.add_body("weight", mass=extra, position=(0.0, 0.15, 0.0), shapes=[Sphere(0.02)])
    mech.add_joint("outer bearing", "revolute", parent="world", child="outer gimbal", at=(0, 0, 0), axis=Z)
    mech.add_joint(
        "inner bearing", "revolute", parent="outer gimbal", child="inner gimbal", at=(0, 0, 0), axis=X
    )
    mech.add_joint("axle", "revolute", parent="inner gimbal", child="rotor", at=(0, 0, 0), axis=Y)
    mech.add_joint("clamp", "fixed", parent="inner gimbal", child="weight", at=(0, 0.15, 0))
    return mech


def frame_of_bars(reach: float, u: tuple[float, ...], v: tuple[float, ...]) -> list[Box]:
    """Four bars of a square frame in the plane of the axes `u` and `v`, at `reach` [m] from its middle."""
    bars = []
    for out, run in ((np.array(u), np.array(v)), (np.array(v), np.array(u))):
        size = 0.01 + 2 * reach * run
        bars += [Box(size=size, at=sign * reach * out) for sign in (1.0, -1.0)]
    return bars


def rolling_disc(
    radius: float = 0.5, lean: float = 0.2, speed: float = 4.0, turning: float = 0.5
) -> Mechanism:
    """A thin disc that rolls on the ground plane z = 0 without slipping.

    radius [m]: of the disc, 1 kg, 0.02 m thick.  lean [rad]: of its plane from the vertical, towards
    -y.  speed [rad/s]: initial rate about its axis.  turning [rad/s]: initial rate about the vertical.
    Degrees of freedom: 3 velocities (5 coordinates: one row for the height, two for rolling).  Loops: none.
    Redundant rows: none.
    Reference: the energy is constant; E. J. Routh, Advanced rigid dynamics (1905), chapter 5."""
    where = "gallery rolling_disc"
    r = check.number(where, "radius", radius, positive=True)
    a = check.number(where, "lean", lean)
    if not abs(a) < np.pi / 2 - 1e-3:
        raise MechanismError(
            f"{where}: lean must lie between -pi/2 and pi/2, or the disc lies flat, not {a:.6g}"
        )
    w = check.number(where, "speed", speed) * np.array(Y) + check.number(
        where, "turning", turning
    ) * np.array(Z)
    mech = Mechanism(name="rolling disc")
    q = turn(X, a)
    axis, spoke = to_world(q, Y), to_world(q, Z)
    turn_rate = w[1] * axis + w[2] * np.array(Z)
    mech.add_body(
        "disc",
        mass=1.0,
        position=r * spoke * np.array([0.0, 0.0, 1.0]),
        orientation=q,
        velocity=np.cross(turn_rate, r * spoke),
        angular_velocity=to_body(q, turn_rate),
        shapes=[Cylinder(radius=r, length=0.02, orientation=ALONG_Y)],
    )
    mech.add_rolling("ground", "disc", radius=r, axis=axis)
    return mech


def fast_pendulum(speed: float = 50.0, length: float = 1.0) -> Mechanism:
    """A rod that spins about a hinge at its end, without gravity.

    speed [rad/s]: its initial and lasting rate about x; length [m] of the rod (1 kg).
    Degrees of freedom: 1.  Loops: none.  Redundant rows: none.
    Reference: the angle is speed times t; [Mal25] Fig. 6."""
    where = "gallery fast_pendulum"
    rate, l = check.number(where, "speed", speed), check.number(where, "length", length, positive=True)
    mech = Mechanism(gravity=(0.0, 0.0, 0.0), name="fast pendulum")
    add_rod(mech, "rod", (0.0, 0.0, 0.0), (0.0, 0.0, -l), pivot=(0.0, 0.0, 0.0), turning=(rate, 0.0, 0.0))
    mech.add_joint("hinge", "revolute", parent="world", child="rod", at=(0.0, 0.0, 0.0), axis=X)
    return mech
