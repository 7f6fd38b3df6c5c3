"""s-expressions of [JM09]: what they become, and the way back."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import sarrus
from sarrus.importers.trep.reader import parse_trep
from sarrus.importers.trep.writer import trep_document

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
ROUNDING = 1e-12
# The start of the device: its chains closed near the guess that the authors of [JM09] published later.
DEVICE = {
    "J": -0.648113362728, "H": 1.382569951220, "K": 0.096856926543, "M": -1.372393703594,
    "A": 0.028131239389, "C": 1.317964998406, "E": 0.902267934448,
}  # fmt: skip
DEVICE_ENERGY = -98.146126  # [J]


def mass_matrix(mech, joints=None):
    """(mass matrix, names of its rows) at joint coordinates."""
    model = sarrus.build(mech)
    dynamics = model.joint_dynamics
    now = dynamics.instant(*dynamics.motion(sarrus.assemble(model, joints)))
    return dynamics.mass_matrix(now), list(dynamics.tree.velocity_slices)


def test_a_double_pendulum_has_the_mass_matrix_of_the_textbook():
    mech = parse_trep('(system (ry "a" (tz -2 (mass 3) (ry "b" (tz -1 (mass 5))))))')
    M, names = mass_matrix(mech, {"a": 0.4, "b": 0.7})
    assert names == ["a", "b"]
    c = np.cos(0.7)
    expected = [[3 * 4 + 5 * (4 + 1 + 4 * c), 5 * (1 + 2 * c)], [5 * (1 + 2 * c), 5]]
    assert pytest.approx(np.array(expected), abs=ROUNDING) == M
    assert mech.gravity == pytest.approx((0.0, 0.0, -9.81))


def test_keywords_have_any_case_and_chained_moves_nest():
    plain = parse_trep('(system (tx 1 (ry "a" (tz -1 (name "end") (mass 2 0.1 0.2 0.15)))))')
    other = parse_trep(
        '(MECHANICAL-SYSTEM ; a comment\n (TX 1 Ry (D "a") tz -1 (Mass 2 0.1 0.2 0.15) (NAME "end")))'
    )
    assert mass_matrix(plain)[0] == pytest.approx(mass_matrix(other)[0], abs=ROUNDING)
    assert list(plain.frames) == list(other.frames) == ["end"]


def test_masses_join_the_nearest_moving_frame_and_masses_of_the_world_do_not_count():
    mech = parse_trep('(system (tz 5 (mass 9)) (tx "x" (mass 1) (ty 1 (mass 3 1 1 1))))')
    (body,) = mech.bodies.values()
    assert body.mass == 4.0
    assert body.position == pytest.approx((0.0, 0.75, 0.0))


def test_frames_without_mass_are_bodies_without_mass_that_move_what_hangs_on_them():
    mech = parse_trep('(system (tx "x" (tz "z" (ry "turn" (mass 2 0.1 0.1 0.1)))))')
    assert [body.mass for body in mech.bodies.values()] == [0.0, 0.0, 2.0]
    M, _ = mass_matrix(mech, {"x": 0.3, "z": -0.1, "turn": 1.0})
    assert pytest.approx(np.diag([2.0, 2.0, 0.1]), abs=ROUNDING) == M
    with pytest.raises(sarrus.MechanismError, match=r"has no mass.*joint coordinates"):
        sarrus.simulate(sarrus.build(mech), 0.1, 0.01)


def test_point_masses_on_a_line_are_kept_apart():
    mech = parse_trep('(system (rx "a" (tz -1 (mass 1)) (tz -2 (mass 3))))')
    assert [body.mass for body in mech.bodies.values()] == [1.0, 3.0]
    assert mass_matrix(mech)[0] == pytest.approx(np.array([[13.0]]), abs=ROUNDING)


def test_kinematic_variables_are_position_drives():
    mech = parse_trep('(system (tx (K "drive") (ry "swing" (tz -1 (mass 1)))))')
    assert mech.motors["drive"].mode == "position"
    assert mech.motors["drive"].joint == "drive"


def test_damping_and_strings_are_read():
    mech = parse_trep(
        '(system (damping 0.1) (tz 1 (name "top")) (tx "x" (tz -1 (name "bob") (mass 1 1 1 1))) '
        '(string-constraint "top" "bob" 2.5 (name "wire")))'
    )
    assert mech.joints["wire"].length == 2.5
    assert next(iter(mech.joint_springs.values())).damping == pytest.approx([0.1])


def test_the_device_of_listing_1_has_the_counts_and_the_energy_of_the_study():
    model = sarrus.build(sarrus.load(EXAMPLES / "closed_chain_device.trep"))
    assert (len(model.body_names), model.dof, model.redundant_constraints) == (7, 3, 0)
    assert "open by" in model.report()
    start = sarrus.assemble(model, near=DEVICE)
    for name, angle in DEVICE.items():
        assert start.joint_position(name) == pytest.approx(angle, abs=1e-10)
    dynamics = model.joint_dynamics
    rows = dynamics.instant(*dynamics.motion(start)).rows
    singular = np.linalg.svd(rows, compute_uv=False)
    assert singular[0] == pytest.approx(4.0, abs=0.05)
    assert singular[-1] == pytest.approx(1.5, abs=0.05)
    energy = model.potential_energy(start.position[None], start.orientation[None])[0]
    assert energy == pytest.approx(DEVICE_ENERGY, abs=1e-6)
    with pytest.raises(sarrus.MechanismError, match=r"misses joint .* sarrus\.assemble"):
        sarrus.simulate(model, 0.1, 0.01, method="rk4")


# Positions (x, z) [m] of frames at 1 s and 2 s, of an independent program: midpoint rule, dt 0.01 s, from
# rest; they change by 1e-8 with its tolerance.
STUDY = {
    1.0: {"H": (-0.61230812, -0.79061923), "G": (-0.56201391, -1.78935368), "C": (0.65820939, -1.81421844)},
    2.0: {"O": (-0.63767381, -2.69233814), "M": (-1.35409576, -1.99467089), "E": (0.74144797, -2.26544343)},
}
AGREEMENT = 1e-7


def test_the_device_moves_as_in_the_study():
    model = sarrus.build(sarrus.load(EXAMPLES / "closed_chain_device.trep"))
    start = sarrus.assemble(model, near=DEVICE)
    traj = sarrus.simulate(model, 2.0, 0.01, method=sarrus.TreeMidpoint(tolerance=1e-12), state=start)
    for time, frames in STUDY.items():
        for name, at in frames.items():
            position = traj.frame(name).position[round(time / 0.01)]
            assert position[[0, 2]] == pytest.approx(at, abs=AGREEMENT)
            assert position[1] == pytest.approx(0.0, abs=AGREEMENT)
    assert traj.violation().max() < 1e-10


def test_the_planar_human_has_a_variable_per_joint_and_falls():
    model = sarrus.build(sarrus.load(EXAMPLES / "planar_human.trep"))
    assert model.dof == 15
    assert model.masses.sum() == pytest.approx(71.5)
    traj = sarrus.simulate(model, 0.1, 0.05, method="rk4")
    assert traj.joint_position("z")[-1] == pytest.approx(-0.5 * 9.81 * 0.01, abs=1e-9)


def test_systems_without_shapes_are_drawn_from_their_frames():
    from sarrus.viewers.scene import scene_of

    parts = scene_of(sarrus.load(EXAMPLES / "closed_chain_device.trep")).parts
    sticks = [part for part in parts if part.layer == "shapes"]
    assert len(sticks) > 7
    reach = max(float(np.abs(part.vertices).max()) for part in sticks)
    assert reach > 0.9  # a stick leads to the far frame O2


@pytest.mark.parametrize("name", ["four_bar", "tree", "bennett", "pendulum", "slider_crank"])
def test_what_is_written_moves_as_what_was_written(name, tmp_path):
    mech = getattr(sarrus.gallery, name)()
    path = tmp_path / "system.trep"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sarrus.LossySave)
        mech.save(path)
    back = sarrus.load(path)
    models = sarrus.build(mech), sarrus.build(back)
    assert models[0].dof == models[1].dof
    states = []
    for model in models:
        dynamics = model.joint_dynamics
        start = model.initial_state()
        now = dynamics.instant(*dynamics.motion(start))
        a, _ = dynamics.accelerations(now, np.zeros(dynamics.tree.nv))
        frames, _ = dynamics.tree.place(now.q, np.zeros_like(a), a)
        states.append(
            {
                n: frames[dynamics.tree.body_frames[model.description.number[k]], 22:28]
                for k, n in enumerate(model.body_names)
            }
        )
    for body in mech.bodies:
        assert states[1][body] == pytest.approx(states[0][body], abs=1e-9)


def test_the_device_is_written_with_its_names(tmp_path):
    mech = sarrus.load(EXAMPLES / "closed_chain_device.trep")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mech.save(tmp_path / "again.trep")
    back = sarrus.load(tmp_path / "again.trep")
    assert list(back.bodies) == list(mech.bodies)
    assert list(back.joints) == list(mech.joints)
    for name, frame in mech.frames.items():
        assert back.frames[name].at == pytest.approx(frame.at, abs=ROUNDING)


def test_what_s_expressions_cannot_say_is_listed(tmp_path):
    mech = sarrus.gallery.four_bar()
    mech.add_motor("drive", joint=next(iter(mech.joints)))
    document = trep_document(mech)
    assert any("motors 'drive'" in what for what in document.unsaid)
    assert document.text.startswith("; not said here")
    with pytest.warns(sarrus.LossySave, match="motors 'drive'"):
        mech.save(tmp_path / "four_bar.trep")


def test_a_string_that_nothing_can_make_so_short_is_refused_before_the_first_step():
    # The pendulums stand 5 m apart and are 1 m long: their ends come as near as 3 m.
    ends = '(rx "a" (tz -1 (name "A") (mass 1))) (ty 5 (rx "b" (tz -1 (name "B") (mass 1))))'
    model = sarrus.build(parse_trep(f'(system {ends} (string-constraint "A" "B" 0.5))'))
    with pytest.raises(sarrus.MechanismError, match=r"misses joint 'A to B' by 4.5 .* sarrus\.assemble"):
        sarrus.simulate(model, 0.1, 0.01, "tree-midpoint")
    with pytest.raises(sarrus.AssemblyError, match="A to B"):
        sarrus.assemble(model)


def test_frames_may_stand_in_each_other_as_deep_as_they_like():
    depth = 1500
    inner = "".join(f'(rx "q{i}" (tz -1 (mass 1 1 1 1)) (tz -1 ' for i in range(depth))
    mechanism = parse_trep("(system " + inner + "))" * depth + ")")
    assert len(mechanism.joints) == depth
    assert mechanism.joints[f"q{depth - 1}"].parent != "world"
    long = trep_document(sarrus.gallery.pendulum(links=500))
    assert len(parse_trep(long.text).joints) == 500
