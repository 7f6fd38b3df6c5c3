"""Open chains and trees: pendulums, free-flying chains, branching trees."""

from __future__ import annotations

import numpy as np

from sarrus.errors import MechanismError
from sarrus.gallery.rods import add_rod, to_body, to_world
from sarrus.mechanism import Mechanism, Sphere
from sarrus.mechanism import validation as check
from sarrus.mechanism.rotations import multiply, turn

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
LINK_JOINTS = {"revolute": (X, None), "universal": (X, Y), "spherical": (None, None)}
"""Joints between links, with their axes in the frame of the lower link."""
EARTH = 9.81


def pendulum(links: int = 10, joint: str = "revolute", angle: float = np.pi / 2) -> Mechanism:
    """A chain of rods that hangs from the world and swings about x.

    links: number of boxes of 0.1 x 0.1 x 1 m and 1 kg.  joint: "revolute" (about x), "universal" or
    "spherical". angle [rad]: of the straight chain from the downward vertical, in the y-z plane; pi/2 is
    horizontal.
    Degrees of freedom: 1, 2 or 3 per link.  Loops: none.  Redundant rows: none.
    Reference: [MC23] Figs. 7b and 8a."""
    where = "gallery pendulum"
    count = check.whole(where, "links", links, 1)
    kind = check.choice(where, "joint", joint, LINK_JOINTS)
    a = check.number(where, "angle", angle)
    mech = Mechanism(name="pendulum")
    step = np.array([0.0, np.sin(a), -np.cos(a)])
    axis, axis2 = link_axes(kind, turn(X, a))
    above = "world"
    for i in range(1, count + 1):
        add_rod(mech, f"link {i}", (i - 1) * step, i * step)
        mech.add_joint(f"joint {i}", kind, above, f"link {i}", at=(i - 1) * step, axis=axis, axis2=axis2)
        above = f"link {i}"
    return mech


def link_axes(kind: str, q: np.ndarray) -> list[np.ndarray | None]:
    """The two axes of a joint of this kind in the world, for a lower link of orientation `q`."""
    return [None if axis is None else to_world(q, axis) for axis in LINK_JOINTS[kind]]


def spherical_pendulum(
    length: float = 1.0, angle: float = np.pi / 4, speed: float | None = None
) -> Mechanism:
    """A ball on a rod without mass, free to swing in all directions.

    length [m]: from the pivot to the centre of the ball (radius length/10, 1 kg).  angle [rad]: from the
    downward vertical.  speed [rad/s]: at which the ball goes round the vertical; None: that of the steady
    cone.
    Degrees of freedom: 3.  Loops: none.  Redundant rows: none.
    Reference: the steady cone of a body that does not turn about its rod, speed^2 = m g length / (J
    cos(angle)), J = m length^2 (1 + 0.4/100) about the pivot."""
    where = "gallery spherical_pendulum"
    l = check.number(where, "length", length, positive=True)
    a = check.number(where, "angle", angle)
    radius = l / 10
    if speed is None:
        if np.cos(a) < 1e-6:
            raise MechanismError(
                f"{where}: there is no steady cone at angle {a:.6g}; give speed, or angle < pi/2"
            )
        speed = float(np.sqrt(EARTH * l / ((l**2 + 0.4 * radius**2) * np.cos(a))))
    rate = check.number(where, "speed", speed)
    mech = Mechanism(gravity=(0.0, 0.0, -EARTH), name="spherical pendulum")
    out, up = np.array([0.0, np.sin(a), -np.cos(a)]), np.array(Z)
    turning = rate * (up - (up @ out) * out)  # without the part along the rod
    q = turn(X, a)
    mech.add_body(
        "ball",
        mass=1.0,
        position=l * out,
        orientation=q,
        velocity=np.cross(turning, l * out),
        angular_velocity=to_body(q, turning),
        shapes=[Sphere(radius)],
    )
    mech.add_joint("pivot", "spherical", parent="world", child="ball", at=(0, 0, 0))
    return mech


def free_chain(
    links: int = 5, joint: str = "spherical", bend: float = np.pi / 6, spin: float = 1.0
) -> Mechanism:
    """A zigzag chain of rods that flies freely, without gravity, turning and drifting as one body at first.

    links: number of boxes of 0.1 x 0.1 x 1 m and 1 kg.  joint: "revolute" (about x), "universal" or
    "spherical". bend [rad]: of the rods from the chain's line, to alternate sides.  spin [rad/s]: initial
    rate about the line (3, 2, 1), with a drift of (0.1, 0.2, 0.3) m/s.
    Degrees of freedom: 6 and 1, 2 or 3 per joint.  Loops: none.  Redundant rows: none.
    Reference: linear and angular momentum stay constant."""
    where = "gallery free_chain"
    count = check.whole(where, "links", links, 1)
    kind = check.choice(where, "joint", joint, LINK_JOINTS)
    b = check.number(where, "bend", bend)
    rate = check.number(where, "spin", spin)
    mech = Mechanism(gravity=(0.0, 0.0, 0.0), name="free chain")
    turning = rate * np.array([3.0, 2.0, 1.0]) / np.sqrt(14.0)
    drift = np.array([0.1, 0.2, 0.3])
    start = np.zeros(3)
    for i in range(1, count + 1):
        side = b if i % 2 else -b
        end = start + np.array([0.0, np.cos(side), np.sin(side)])
        add_rod(mech, f"link {i}", start, end, pivot=(0, 0, 0), velocity=drift, turning=turning)
        if i > 1:
            axis, axis2 = link_axes(kind, mech.bodies[f"link {i}"].orientation)
            mech.add_joint(f"joint {i}", kind, f"link {i - 1}", f"link {i}", at=start, axis=axis, axis2=axis2)
        start = end
    return mech


def tree(depth: int = 4, branching: int = 2, joint: str = "revolute", angle: float = np.pi / 4) -> Mechanism:
    """A tree of rods: every rod carries `branching` shorter ones at its end, `depth` generations in all.

    Rods of 1, 0.8, 0.64 ... m, 1 kg per metre, in a fan of pi/6 between neighbours.  joint: "revolute"
    (about x and y in turn), "universal" or "spherical".  angle [rad]: of the trunk from the downward
    vertical, about x.
    Degrees of freedom: 1, 2 or 3 per rod; rods: 1 + branching + branching^2 + ..., `depth` terms.
    Loops: none.  Redundant rows: none.
    Reference: cost without fill, [MC23] section 4.1, [LT20] section 4.2."""
    where = "gallery tree"
    generations = check.whole(where, "depth", depth, 1)
    fan = check.whole(where, "branching", branching, 1)
    kind = check.choice(where, "joint", joint, LINK_JOINTS)
    a = check.number(where, "angle", angle)
    mech = Mechanism(name="tree")
    growing: list[tuple[str, str, np.ndarray, np.ndarray]] = [("1", "world", np.zeros(3), turn(X, a))]
    for level in range(generations):
        length, hinge, across = 0.8**level, (X, Y)[level % 2], (Y, X)[level % 2]
        shoots = []
        for label, above, start, q in growing:
            end = start + to_world(q, (0, 0, -length))
            name = f"rod {label}"
            add_rod(mech, name, start, end, mass=length, width=0.1 * length)
            axis, axis2 = link_axes(kind, q)
            if kind == "revolute":
                axis = to_world(q, hinge)
            mech.add_joint(f"joint {label}", kind, above, name, at=start, axis=axis, axis2=axis2)
            for k in range(fan):
                side = np.pi / 6 * (k - (fan - 1) / 2)
                shoots.append((f"{label}.{k + 1}", name, end, multiply(q, turn(across, side))))
        growing = shoots
    return mech
