"""The double pendulum in minimal coordinates, with plain numbers: fast enough for an hour."""

from __future__ import annotations

from math import cos, sin

import numpy as np

from .planar import planar


class DoublePendulum:
    """Two rods hinged in the plane, by their angles from the hanging position; read from a mechanism."""

    def __init__(self, mech):
        p = planar(mech)
        if len(p.tree) != 2 or p.loops:
            raise ValueError(f"mechanism {mech.name!r} is no double pendulum")
        first, second = p.tree
        c1 = np.linalg.norm(first.rb)
        l1 = np.linalg.norm(first.rb - second.ra)
        c2 = np.linalg.norm(second.rb)
        m1, m2 = p.mass
        g = float(np.linalg.norm(p.gravity))
        self.a = float(p.inertia[0] + m1 * c1**2 + m2 * l1**2)
        self.b = float(p.inertia[1] + m2 * c2**2)
        self.c = float(m2 * l1 * c2)
        self.d = float((m1 * c1 + m2 * l1) * g)
        self.e = float(m2 * c2 * g)
        down = p.gravity / g
        self.start = tuple(_angle(down, -pin.rb) for pin in p.tree) + tuple(float(w) for w in p.v0[:, 2])

    def rate(self, y) -> tuple[float, float, float, float]:
        """Time derivative of (angle 1, angle 2, rate 1, rate 2)."""
        t1, t2, w1, w2 = y
        co, si = self.c * cos(t1 - t2), self.c * sin(t1 - t2)
        f1 = -si * w2 * w2 - self.d * sin(t1)
        f2 = si * w1 * w1 - self.e * sin(t2)
        det = self.a * self.b - co * co
        return w1, w2, (self.b * f1 - co * f2) / det, (self.a * f2 - co * f1) / det

    def energy(self, y) -> float:
        """Total energy [J], zero potential with both rods level with the hinge."""
        t1, t2, w1, w2 = y
        kinetic = 0.5 * (self.a * w1 * w1 + self.b * w2 * w2) + self.c * cos(t1 - t2) * w1 * w2
        return kinetic - self.d * cos(t1) - self.e * cos(t2)

    @property
    def energy_range(self) -> float:
        """Energy [J] of the start above that of hanging still."""
        return self.energy(self.start) + self.d + self.e

    def heun_energy(self, dt: float, steps: int, every: int = 1, progress=None) -> np.ndarray:
        """Total energy [J] at every `every`-th node of Heun's method; ends early where the state is lost."""
        y, rate, energies = self.start, self.rate, []
        energies.append(self.energy(y))
        for k in range(1, steps + 1):
            k1 = rate(y)
            k2 = rate(tuple(u + dt * v for u, v in zip(y, k1, strict=True)))
            y = tuple(u + 0.5 * dt * (v + w) for u, v, w in zip(y, k1, k2, strict=True))
            if k % every == 0:
                if not abs(y[2]) + abs(y[3]) < 1e6:
                    break
                energies.append(self.energy(y))
                if progress is not None:
                    progress(k, steps)
        return np.array(energies)


def _angle(down, along) -> float:
    """Angle [rad] from `down` to `along`, both (2,)."""
    return float(np.arctan2(down[0] * along[1] - down[1] * along[0], down @ along))
