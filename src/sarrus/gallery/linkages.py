"""Joints that a motor turns through a four-bar linkage: the pieces of the animated figures."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sarrus.gallery.rods import add_rod
from sarrus.mechanism import Mechanism


def add_four_bar(
    mech: Mechanism,
    name: str,
    parent: str,
    child: str,
    at: ArrayLike,
    axis: ArrayLike,
    shift: ArrayLike,
    lever: ArrayLike,
    *,
    mass: float = 0.1,
    kind: str = "spherical",
) -> str:
    """Adds a crank on `parent` and a rod from it to `child`, parallel to the lever that turns about `axis` at
    the point `at`; returns the joint of the crank, which turns by the same angle.

    shift (3,) [m]: from the turning point to the crank's; lever (3,) [m]: of crank and child, across `shift`.
    kind: of the joint between rod and child; with a ball joint the linkage has one redundant row."""
    point, s, r = (np.asarray(v, dtype=float) for v in (at, shift, lever))
    width = 0.1 * float(np.linalg.norm(r))
    add_rod(mech, f"{name} crank", point + s, point + s + r, mass=mass, width=width)
    add_rod(mech, f"{name} rod", point + s + r, point + r, mass=mass, width=width)
    mech.add_joint(f"{name} crank", "revolute", parent, f"{name} crank", at=point + s, axis=axis)
    mech.add_joint(f"{name} pin", "revolute", f"{name} crank", f"{name} rod", at=point + s + r, axis=axis)
    turning = None if kind == "spherical" else axis
    mech.add_joint(f"{name} end", kind, f"{name} rod", child, at=point + r, axis=turning)
    return f"{name} crank"
