"""Planar pendulums in minimal coordinates, for references by scipy's DOP853.

n uniform rods of 1 m and 1 kg with the inertia of a box 0.1 x 0.1 x 1 m, hinged in a row about the world x
axis; the angles are those of the rods from the hanging position, absolute, right-handed about x."""

import numpy as np

LENGTH, MASS, GRAVITY = 1.0, 1.0, 9.81
INERTIA = MASS * (0.1**2 + LENGTH**2) / 12.0  # about the centre, across the rod [kg m^2]


def arms(n):
    """(n, n) metres: rod j carries the centre of rod i this far along its own direction."""
    return LENGTH * np.tril(np.ones((n, n)), -1) + 0.5 * LENGTH * np.eye(n)


def accelerations(angles, rates):
    """Angular accelerations (n,) [rad/s^2] of the rods: M a = -C rates^2 - gravity."""
    n = len(angles)
    weight = MASS * arms(n).T @ arms(n)
    gap = angles[:, None] - angles[None]
    matrix = weight * np.cos(gap) + INERTIA * np.eye(n)
    moments = -MASS * GRAVITY * arms(n).sum(0) * np.sin(angles)
    return np.linalg.solve(matrix, moments - (weight * np.sin(gap)) @ rates**2)


def centres(angles):
    """World positions (n, 3) [m] of the rods' centres; the first hinge is the origin, z points up."""
    angles = np.asarray(angles)
    reach = arms(len(angles))
    return np.column_stack([np.zeros(len(angles)), reach @ np.sin(angles), -reach @ np.cos(angles)])


def energy(angles, rates):
    """Energy [J], gravity's zero at the first hinge."""
    n = len(angles)
    weight = MASS * arms(n).T @ arms(n)
    matrix = weight * np.cos(angles[:, None] - angles[None]) + INERTIA * np.eye(n)
    return 0.5 * rates @ matrix @ rates + MASS * GRAVITY * centres(angles)[:, 2].sum()


def swing(angles, rates, times):
    """(angles, rates), each (T, n), at `times`, converged to about 1e-12 for short motions."""
    from scipy.integrate import solve_ivp

    n = len(angles)

    def slope(_, state):
        return np.concatenate([state[n:], accelerations(state[:n], state[n:])])

    start = np.concatenate([angles, rates])
    found = solve_ivp(slope, (0.0, times[-1]), start, method="DOP853", t_eval=times, rtol=1e-13, atol=1e-14)
    return found.y[:n].T, found.y[n:].T
