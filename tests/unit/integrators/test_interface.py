"""Methods of one's own: what `simulate` asks of them and what it does with their failures."""

from __future__ import annotations

import numpy as np
import pytest

import sarrus
from sarrus.errors import MechanismError, Status, StepFailed
from sarrus.integrators.interface import Chunk, Failure, Method, Stepper
from sarrus.model.nodes import join


class Drift(Method):
    """Bodies that go straight on; fails at the step of the number `fails`."""

    name = "drift"

    def __init__(self, fails: int = -1):
        self.fails = fails

    def check(self, model):
        if model.joint_names:
            raise MechanismError("drift knows no joints")

    def stepper(self, model, state, dt, *, reactions=False):
        return DriftStepper(state.copy(), dt, self.fails)


class DriftStepper(Stepper):
    def __init__(self, state, dt, fails):
        self.now, self.dt, self.fails, self.done = state, dt, fails, 0

    @property
    def time(self):
        return self.now.time

    def state(self):
        return self.now.copy()

    def advance(self, steps, u, every):
        nodes, failure = [], None
        for k in range(steps):
            if self.done == self.fails:
                failure, steps = Failure(self.time, Status.ITERATION_LIMIT, None, 1.0), k
                break
            self.now.position += self.dt * self.now.velocity
            self.now.time += self.dt
            self.done += 1
            if self.done % every == 0:
                s = self.now
                nodes.append(join(s.position, s.orientation, s.velocity, s.angular_velocity))
        return Chunk(np.concatenate([np.zeros((0, 13)), *nodes]), steps, failure=failure)


@pytest.fixture(scope="module")
def model():
    """One body on its way."""
    mech = sarrus.Mechanism()
    mech.add_body("stone", mass=1.0, inertia=(1.0, 1.0, 1.0), velocity=(1.0, 2.0, 3.0))
    return sarrus.build(mech)


def test_the_methods_of_the_package_have_the_interface():
    assert isinstance(sarrus.Variational(), Method)


@pytest.mark.parametrize("every", [1, 3])
def test_a_method_of_ones_own_is_recorded_like_any_other(model, every, tmp_path):
    traj = sarrus.simulate(model, duration=0.9, dt=0.1, method=Drift(), record_every=every)
    assert traj.method == "drift"
    assert np.allclose(traj.position[:, 0], np.outer(traj.time, [1.0, 2.0, 3.0]))
    assert len(traj.time) == 9 // every + 1
    traj.save(tmp_path / "run.npz")
    assert sarrus.load_trajectory(tmp_path / "run.npz").method == "drift"


def test_a_step_that_fails_is_told_and_what_came_before_is_kept(model):
    with pytest.raises(StepFailed, match=r"t = 0\.4 s") as stop:
        sarrus.simulate(model, duration=1.0, dt=0.1, method=Drift(fails=4))
    assert stop.value.trajectory.time[-1] == pytest.approx(0.4)


def test_a_model_that_the_method_refuses_is_not_run():
    with pytest.raises(MechanismError, match="drift knows no joints"):
        sarrus.simulate(sarrus.build(sarrus.gallery.pendulum(links=1)), method=Drift())


@pytest.mark.parametrize("method", [Drift, 3, "verlet", None])
def test_what_is_no_method_is_refused(model, method):
    with pytest.raises((MechanismError, sarrus.UnknownName), match="method"):
        sarrus.simulate(model, duration=0.1, dt=0.1, method=method)
