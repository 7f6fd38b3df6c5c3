"""A run that goes on from the final state of another, or from its file, has the bits of an unbroken one."""

import numpy as np
import pytest

import sarrus
from sarrus.gallery import bennett, four_bar, pendulum
from sarrus.gallery import sarrus as sarrus_linkage

DT, STEPS = 0.01, 37
METHODS = {
    name: name
    for name in (
        "variational", "variational1", "variational4", "variational6", "bdf1", "bdf2", "sdirk",
        "semi-implicit", "tree-midpoint", "tree-trapezoid", "lie-trapezoid",
    )
}  # fmt: skip
METHODS["pareschi-russo"] = sarrus.Sdirk(tableau="pareschi-russo")
# Motors that prescribe coordinates are not for joint coordinates; a baseline that drifts is refused where its
# drift misses what they prescribe.
PRESCRIBING = ["variational", "variational1", "variational4", "bdf1", "bdf2", "sdirk"]


def driven(mode: str, **settings) -> sarrus.Mechanism:
    mech = four_bar()
    mech.add_motor("motor", joint=next(iter(mech.joints)), mode=mode, **settings)
    return mech


def sprung_chain() -> sarrus.Mechanism:
    mech = pendulum(links=3)
    for joint in list(mech.joints):
        mech.add_joint_spring(f"spring of {joint}", joint=joint, stiffness=1.0, damping=0.2)
    mech.add_motor("motor", joint=next(iter(mech.joints)))
    return mech


def swing(t: float) -> float:
    return 0.3 * np.sin(5.0 * t)


SCENES = {
    "chain": (lambda: pendulum(links=3), None),
    "sprung chain": (sprung_chain, swing),
    "loop": (four_bar, None),
    "redundant loop": (bennett, None),
    "overconstrained": (sarrus_linkage, None),
    "servo": (lambda: driven("servo", stiffness=20.0, damping=1.0), swing),
}
DRIVES = {"position": lambda t: 0.1 * t * t, "velocity": swing, "constant velocity": 0.7}


def assert_goes_on(mech, method, inputs, path, start=0.0):
    model = sarrus.build(mech)
    first = model.initial_state()
    first.time = start
    settings = {"dt": DT, "method": method, "inputs": inputs}
    state = None if start == 0.0 else first
    whole = sarrus.simulate(model, 2 * STEPS * DT, state=state, **settings)
    half = sarrus.simulate(model, STEPS * DT, state=state, **settings)
    half.save(path)
    stored = sarrus.load_trajectory(path).final_state
    for state in (half.final_state, stored):
        rest = sarrus.simulate(model, STEPS * DT, state=state, **settings)
        assert np.array_equal(rest.time, whole.time[STEPS:])
        assert np.array_equal(rest.position, whole.position[STEPS:])
        assert np.array_equal(rest.velocity, whole.velocity[STEPS:])
        assert np.array_equal(rest.angular_velocity, whole.angular_velocity[STEPS:])
        assert np.array_equal(rest.orientation[1:], whole.orientation[STEPS + 1 :])
        assert np.array_equal(rest.final_state.memory, whole.final_state.memory)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scene", SCENES)
def test_a_run_in_two_halves_has_the_bits_of_a_whole_one(scene, method, tmp_path):
    make, motor = SCENES[scene]
    inputs = None if motor is None else {"motor": motor}
    assert_goes_on(make(), METHODS[method], inputs, tmp_path / "half.npz")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", PRESCRIBING)
@pytest.mark.parametrize("drive", DRIVES)
def test_a_driven_run_in_two_halves_has_the_bits_of_a_whole_one(drive, method, tmp_path):
    mech = driven("position" if drive == "position" else "velocity")
    assert_goes_on(mech, method, {"motor": DRIVES[drive]}, tmp_path / "half.npz")


def test_halves_fit_where_the_run_does_not_begin_at_a_multiple_of_its_step(tmp_path):
    mech = driven("servo", stiffness=20.0, damping=1.0)
    assert_goes_on(mech, "variational", {"motor": swing}, tmp_path / "half.npz", start=0.123456)


@pytest.mark.parametrize("method", ["variational", "bdf2"])
def test_a_controlled_drive_goes_on_where_the_run_before_has_left_it(method):
    model = sarrus.build(driven("position"))
    settings = {"dt": DT, "method": method, "controller": lambda t, now: {"motor": 0.1 * t * t}}
    whole = sarrus.simulate(model, 2 * STEPS * DT, **settings)
    half = sarrus.simulate(model, STEPS * DT, **settings)
    rest = sarrus.simulate(model, STEPS * DT, state=half.final_state, **settings)
    assert np.array_equal(rest.position, whole.position[STEPS:])


def test_a_drive_goes_on_from_a_state_that_was_changed_where_that_is():
    model = sarrus.build(driven("velocity"))
    half = sarrus.simulate(model, STEPS * DT, DT, inputs={"motor": 0.7})
    joint = model.joint_names[0]
    moved = sarrus.assemble(model, {joint: 0.5})
    moved.prescribed = half.final_state.prescribed
    rest = sarrus.simulate(model, DT, DT, state=moved, inputs={"motor": 0.7})
    assert rest.joint_position(joint)[-1] == pytest.approx(0.5 + 0.7 * DT, abs=1e-9)


def test_the_times_of_long_runs_are_multiples_of_the_step_in_whatever_pieces_they_are_computed():
    model = sarrus.build(pendulum(links=1))
    unbroken = sarrus.simulate(model, 50.0, DT)
    assert unbroken.final_state.time == unbroken.time[-1] == DT * 5000
    state = None
    for _ in range(10):
        state = sarrus.simulate(model, 5.0, DT, state=state).final_state
    assert state.time == unbroken.time[-1]
    assert np.array_equal(state.position, unbroken.position[-1])


def test_the_final_state_of_pareschi_and_russos_method_is_its_last_node():
    model = sarrus.build(four_bar())
    traj = sarrus.simulate(model, STEPS * DT, DT, method=METHODS["pareschi-russo"])
    assert np.array_equal(traj.final_state.position, traj.position[-1])
    assert traj.final_state.orientation == pytest.approx(traj.orientation[-1], abs=1e-15)


def test_a_state_whose_joints_have_drifted_is_told_to_other_methods():
    model = sarrus.build(four_bar())
    drifted = sarrus.simulate(model, STEPS * DT, DT, method="semi-implicit").final_state
    with pytest.raises(sarrus.MechanismError, match="the start misses joint"):
        sarrus.simulate(model, DT, DT, state=drifted)
