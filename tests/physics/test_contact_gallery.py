"""Scenes of the gallery in which bodies touch: what stands stays, what is held is held, what falls rests."""

import numpy as np
import pytest

import sarrus
from sarrus.cli.models import start_at
from sarrus.mechanism.rotations import rotation

STILL = 1e-5  # [m]: the gaps of the start, 1e-6 m each, close; nothing else moves
DEEPEST = -1e-6  # [m]: shapes may overlap by so much
GAINED = 0.01  # of the kinetic energy: what a step may gain
CREEP = 2e-4  # [m] per second of what friction holds between servos that still settle


def run(name, duration, dt, keyframe=None, turning=None, **parameters):
    """A run of a mechanism of the gallery; `turning`: input of the wrist."""
    model = sarrus.build(sarrus.gallery.make(name, **parameters))
    start = start_at(model, keyframe)
    if turning is not None:
        start["inputs"]["wrist"] = turning
    return sarrus.simulate(model, duration=duration, dt=dt, **start)


def gains_nothing(traj):
    """Whether no step of a passive scene gains energy beyond what rounding of a step explains."""
    energy, mass = traj.energy(), sum(body.mass for body in traj.model.mechanism.bodies.values())
    kinetic = np.maximum(energy.kinetic[:-1], energy.kinetic[1:])
    return np.all(np.diff(energy.total) <= GAINED * kinetic + mass * 9.81**2 * traj.dt**2)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("brick_wall", {"speed": 0.0}), ("card_house", {}), ("card_house", {"levels": 3})],
)
def test_walls_and_houses_of_cards_stand(name, parameters):
    traj = run(name, 1.0, 0.01, **parameters)
    assert np.abs(traj.position - traj.position[0]).max() < STILL
    assert traj.gap().min() >= DEEPEST
    assert traj.stats.iterations.mean() < 2.0


def test_a_house_of_cards_falls_without_friction():
    traj = run("card_house", 0.5, 0.005, friction=0.05)
    assert traj.position[-1, :, 2].max() < 0.5 * traj.position[0, :, 2].max()
    assert gains_nothing(traj)


def test_a_ball_breaks_the_wall():
    traj = run("brick_wall", 0.6, 0.01)
    moved = np.linalg.norm(traj.position[-1] - traj.position[0], axis=1)
    assert moved[:-1].max() > 0.2
    assert gains_nothing(traj)
    assert traj.gap().min() >= DEEPEST


def test_a_heap_comes_down_and_loses_energy():
    traj = run("heap", 1.5, 0.01, n=12, seed=1)
    assert traj.energy().kinetic[-1] < 0.1 * traj.energy().kinetic.max()
    assert gains_nothing(traj)
    assert traj.gap().min() >= DEEPEST


def test_the_rings_of_a_swinging_chain_stay_together():
    traj = run("ring_chain", 1.0, 0.005)
    apart = np.linalg.norm(np.diff(traj.position, axis=1), axis=2)
    assert apart.max() < 0.08 - 0.016  # the inner width of a ring less the wire of the next, and a hair
    assert np.abs(traj.position[:, :, 0]).max() > 0.1
    assert gains_nothing(traj)


@pytest.mark.parametrize(("thing", "size"), [("ball", 0.06), ("box", 0.05)])
def test_a_hand_holds_its_object_upside_down(thing, size):
    traj = run(
        "hand", 1.2, 0.002, "closed", lambda t: np.pi * np.clip((t - 0.2) / 0.5, 0.0, 1.0),
        object=thing, size=size,
    )  # fmt: skip
    held = traj.body(thing).position
    assert held[0, 2] > 0 > held[-1, 2]
    palm = traj.body("palm")  # its wrist still turns a little
    own = [rotation(palm.orientation[k]).T @ (held[k] - palm.position[k]) for k in (-51, -1)]
    assert np.linalg.norm(own[1] - own[0]) < 0.1 * CREEP  # in a tenth of a second
    weight = 500 * 9.81 * (np.pi / 6 if thing == "ball" else 1.0) * size**3
    assert traj.contact_force(thing)[-1, 2] == pytest.approx(weight, rel=0.02)
    assert traj.gap().min() >= DEEPEST


@pytest.mark.parametrize(("squeeze", "lifted"), [(40.0, True), (7.0, False)])
def test_a_gripper_lifts_a_box_where_friction_exceeds_its_weight(squeeze, lifted):
    """1 kg, friction 0.6: the limit is 8.2 N."""
    traj = run("gripper", 1.5, 0.005, "lift", squeeze=squeeze)
    box, jaw = traj.body("box").position, traj.body("left").position
    if lifted:
        assert box[-1, 2] > 0.15
        slip = (box - jaw)[:, 2]
        assert np.ptp(slip[20:]) < CREEP
    else:
        # The jaws strike it with more than they hold it with: it jumps, and lies as before.
        assert np.abs(box[-1] - box[0]).max() < STILL


def test_a_humanoid_stands_and_falls_without_its_servos():
    standing = run("humanoid", 0.5, 0.002)
    assert np.abs(standing.position - standing.position[0]).max() < 0.01
    force = sum(standing.contact_force(f"{side}_foot") for side in ("left", "right"))[-1]
    np.testing.assert_allclose(force, [0.0, 0.0, 9.81 * 51], atol=0.5)
    fallen = run("humanoid", 1.5, 0.005, strength=0.0)
    head = fallen.model.body_names.index("torso")
    assert fallen.position[-1, head, 2] < 0.6 * fallen.position[0, head, 2]
    assert fallen.gap().min() >= DEEPEST
