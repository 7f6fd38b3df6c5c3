"""From where to look first at a mechanism that has not moved yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sarrus.mechanism import Joint

if TYPE_CHECKING:
    from sarrus.mechanism import Mechanism

PARALLEL = 0.999
"""Cosine of the angle within which axes count as parallel."""
ASIDE, ABOVE = -0.4, 0.22
"""Angles [rad] by which a planar mechanism is seen from the side and from above."""
CORNER = (-0.95, 0.35)
"""Azimuth and elevation [rad] from which a spatial mechanism is seen."""


def first_view(mechanism: Mechanism) -> tuple[float, float]:
    """Azimuth and elevation [rad]: nearly along the axes of a planar mechanism, from a corner of others."""
    axes = [
        joint.axis
        for joint in mechanism.joints.values()
        if isinstance(joint, Joint) and joint.axis is not None and joint.kind == "revolute"
    ]
    if not axes or not all(abs(axis @ axes[0]) > PARALLEL for axis in axes) or abs(axes[0][2]) > 0.7:
        return CORNER
    x, y = axes[0][:2] if (axes[0][0], -axes[0][1]) > (0.0, 0.0) else -axes[0][:2]
    return float(np.arctan2(y, x)) + ASIDE, ABOVE
