"""Runs for which there is no room, and steps that are absurd: told before anything is computed."""

import warnings

import pytest

import sarrus
from sarrus import capacity


@pytest.fixture(scope="module")
def model():
    return sarrus.build(sarrus.gallery.pendulum(links=2))


def test_a_run_that_cannot_fit_into_memory_is_refused_with_the_figure_and_the_remedy(model):
    with pytest.raises(sarrus.MechanismError, match=r"1e\+14 nodes, .* of memory.*record_every=.*out="):
        sarrus.simulate(model, duration=1e12, dt=0.01)


def test_a_run_that_cannot_fit_onto_the_disk_is_refused_and_leaves_nothing(model, tmp_path):
    with pytest.raises(sarrus.MechanismError, match=r"of disk, and .* are free: record_every="):
        sarrus.simulate(model, duration=1e12, dt=0.01, out=tmp_path / "run.npz")
    assert not list(tmp_path.iterdir())


def test_the_remedy_fits(model, monkeypatch):
    monkeypatch.setattr(capacity, "free_memory", lambda: 100_000)
    monkeypatch.setattr(capacity, "LITTLE", 0)
    with pytest.raises(sarrus.MechanismError, match="record_every") as refused:
        capacity.check_room(model, 10_000, 1, False, None)
    every = int(str(refused.value).split("record_every=")[1].split()[0])
    capacity.check_room(model, 10_000, every, False, None)
    assert capacity.IN_MEMORY * (1 + 10_000 // every) * capacity.bytes_per_record(model, False) < 100_000


def test_sizes_are_told_with_their_unit():
    assert capacity.in_words(999) == "999 bytes"
    assert capacity.in_words(57.6e15) == "57.6 PB"
    assert capacity.free_memory() > 0


def test_an_absurd_step_warns_with_the_recommended_one(model):
    with pytest.warns(UserWarning, match=r"dt = 1 s is 100 times the recommended.*try dt=0\.01"):
        sarrus.simulate(model, duration=1.0, dt=1.0)
    stiff = sarrus.gallery.pendulum(links=2)
    stiff.add_motor("hold", "joint 1", mode="servo", stiffness=1e6, damping=1e3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sarrus.simulate(model, duration=0.5, dt=0.05)
        # Servos are implicit: what they hold stiffly a long step does not have to follow.
        sarrus.simulate(sarrus.build(stiff), duration=0.05, dt=0.01)
