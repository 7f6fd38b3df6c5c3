"""Random boxes tossed on the ground: no step fails, none gains energy, none sinks in."""

import numpy as np
import pytest
from tests.physics.contact_scenes import random_toss
from tests.reference.rotation import matrix

import sarrus

DTS = (0.005, 0.01, 0.02, 0.05, 0.1)
# Energy above the start, of the energy of the toss: the smooth rotation at these steps, |w| dt up to 1.
GAIN = 1e-2


def one_toss(seed):
    """(iterations, substeps, lowest gap [m], energy gained over the start, of the start) of one toss of
    0.6 s or 12 steps."""
    rng = np.random.default_rng(seed)
    dt = DTS[seed % len(DTS)]
    mass, friction = 10.0 ** rng.uniform(-2, 2), rng.uniform(0.0, 2.0)
    size = 10.0 ** rng.uniform(-0.7, 0.0, size=3)
    spin = min(4.0, 0.5 / dt)
    mechanism = random_toss(rng, mass, friction if seed % 7 else 0.0, size, spin=spin)
    steps = max(12, round(0.6 / dt))
    run = sarrus.simulate(sarrus.build(mechanism), duration=steps * dt, dt=dt)
    energy = run.energy().total
    reach = 0.5 * np.abs(matrix(run.orientation[:, 0])[:, 2]) @ size
    gap = (run.position[:, 0, 2] - reach).min()
    return run.stats.iterations, run.stats.substeps, gap, (energy.max() - energy[0]) / energy[0]


def tosses(seeds):
    """Mean and largest iterations, number of tosses with divided steps, lowest gap, largest gain."""
    count, total, most, divided, low, gain = 0, 0, 0, 0, np.inf, -np.inf
    for seed in seeds:
        iterations, substeps, gap, gained = one_toss(seed)
        count, total, most = count + len(iterations), total + iterations.sum(), max(most, iterations.max())
        divided, low, gain = divided + (substeps > 1).any(), min(low, gap), max(gain, gained)
    return total / count, most, divided, low, gain


def test_random_tosses_end_without_failure():
    mean, _, divided, low, gain = tosses(range(60))
    assert mean < 6.0
    assert divided <= 6  # fast spins at dt 0.05 and 0.1: from there on such a toss is done in parts
    assert low > 0.0
    assert gain < GAIN


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_10000_random_tosses_end_without_failure(part):
    mean, _, _, low, gain = tosses(range(1000 * part, 1000 * (part + 1)))
    assert mean < 6.0
    assert low > 0.0
    assert gain < GAIN
