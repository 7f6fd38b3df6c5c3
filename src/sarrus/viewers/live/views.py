"""From where a page looks first at a mechanism."""

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
    """Azimuth and elevation [rad] for a mechanism that has not moved: nearly along the axes of a planar one,
    from a corner of others."""
    axes = [
        joint.axis
        for joint in mechanism.joints.values()
        if isinstance(joint, Joint) and joint.axis is not None and joint.kind == "revolute"
    ]
    if not axes or not all(abs(axis @ axes[0]) > PARALLEL for axis in axes) or abs(axes[0][2]) > 0.7:
        return CORNER
    return front(axes[0]) + ASIDE, ABOVE


def front(normal: np.ndarray) -> float:
    """Azimuth [rad] of the side of a plane, given by its normal (3,), that is looked at."""
    x, y = normal[:2] if (normal[0], -normal[1]) > (0.0, 0.0) else -normal[:2]
    return float(np.arctan2(y, x))
