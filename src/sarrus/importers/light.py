"""How light the bodies may be that readers put between joints, where a file has no mass there."""

from __future__ import annotations

NEGLIGIBLE = 1e-9
"""Mass of such a body, as a part of the mass that moves with it: measured on a chain of three hinges, the
motion changes by 1e-12."""
ROBUST = 1e-4
"""Inertia of such a body, as a part of that of the body that it carries and from which it is taken, where
something may touch or stop the robot: with less than 3e-5, steps of a humanoid fail at its limits.  Measured
on humanoids with all joints moving fast, positions change by 1e-7 to 1e-6 of the size after 0.3 s; what is at
rest stays as it is."""
