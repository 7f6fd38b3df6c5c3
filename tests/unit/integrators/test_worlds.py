"""Many worlds in one compiled loop: each as if it ran alone."""

import numpy as np
import pytest

import sarrus
from sarrus.integrators.maximal.worlds import Worlds
from sarrus.model.nodes import join

DT, STEPS, COUNT = 0.01, 60, 6


def falling_boxes() -> sarrus.Mechanism:
    mech = sarrus.Mechanism()
    box = sarrus.Box(size=(0.4, 0.6, 0.5))
    mech.add_body("box", 1.0, (0.1, 0.1, 0.1), position=(0, 0, 0.6), shapes=[box])
    mech.add_ground(friction=0.5)
    return mech


MECHANISMS = {
    "tree": lambda: sarrus.gallery.pendulum(links=3),
    "loops": lambda: sarrus.gallery.bricard(),
    "contact": falling_boxes,
}


def starts(model: sarrus.Model) -> list[sarrus.State]:
    random = np.random.default_rng(0)
    out = []
    for _ in range(COUNT):
        state = model.initial_state()
        state.velocity = state.velocity + random.normal(size=state.velocity.shape)
        state.angular_velocity = state.angular_velocity + random.normal(size=state.velocity.shape)
        out.append(state)
    return out


def alone(model: sarrus.Model, state: sarrus.State, **settings: float) -> np.ndarray:
    """The nodes (steps, 13 nb) of a run by itself."""
    stepper = sarrus.Variational(**settings).stepper(model, state, DT)
    return stepper.advance(STEPS, None, 1).nodes


@pytest.mark.parametrize("kind", MECHANISMS)
@pytest.mark.parametrize("threads", [1, 3])
def test_every_world_has_the_bits_of_a_run_by_itself(kind, threads):
    model = sarrus.build(MECHANISMS[kind]())
    states = starts(model)
    worlds = Worlds(sarrus.Variational(), model, states, DT, threads=threads)
    halves = [worlds.advance(STEPS // 2), worlds.advance(STEPS // 2)]
    assert worlds.failures == [None] * COUNT
    for w, state in enumerate(states):
        expected = alone(model, state)
        assert (np.concatenate([half[w] for half in halves]) == expected).all()
        end = worlds.states()[w]
        assert end.time == pytest.approx(STEPS * DT)
        node = join(end.position, end.orientation, end.velocity, end.angular_velocity)
        assert (node.ravel() == expected[-1]).all()


def test_a_world_that_fails_stops_alone_and_says_where():
    model = sarrus.build(sarrus.gallery.pendulum(links=3))
    states = starts(model)
    # Half a turn per step: beyond the domain of the discrete rotation.
    states[2].angular_velocity[:, 0] = 400.0
    worlds = Worlds(sarrus.Variational(max_substeps=1), model, states, DT, threads=2)
    nodes = worlds.advance(STEPS)
    failure = worlds.failures[2]
    assert failure is not None
    assert failure.time == 0.0
    assert failure.joint in model.joint_names
    assert len(nodes[2]) == 0
    for w in set(range(COUNT)) - {2}:
        assert worlds.failures[w] is None
        assert (nodes[w] == alone(model, states[w], max_substeps=1)).all()
    assert len(worlds.advance(5)[2]) == 0
    assert len(worlds.advance(5)[3]) == 5


def test_inputs_may_be_those_of_each_world():
    mech = sarrus.gallery.pendulum(links=2)
    mech.add_motor("motor", joint=next(iter(mech.joints)))
    model = sarrus.build(mech)
    states = [model.initial_state() for _ in range(3)]
    u = np.linspace(0.0, 2.0, 3)[:, None, None, None] * np.ones((3, 1, 2, 1))
    nodes = Worlds(sarrus.Variational(), model, states, DT).advance(20, u)
    for w in range(3):
        stepper = sarrus.Variational().stepper(model, states[w], DT)
        assert (nodes[w] == stepper.advance(20, u[w], 1).nodes).all()
    assert (nodes[0] != nodes[2]).any()


def test_shapes_that_meet_each_other_are_refused_by_name():
    model = sarrus.build(sarrus.gallery.box_stack(n=2))
    with pytest.raises(sarrus.MechanismError, match="shapes that meet each other"):
        Worlds(sarrus.Variational(), model, [model.initial_state()], DT)
    with pytest.raises(sarrus.MechanismError, match="one state at least"):
        Worlds(sarrus.Variational(), sarrus.build(sarrus.gallery.pendulum()), [], DT)
