"""Loops and mimic joints in URDF: every way of writing them gives the same closed mechanism."""

from __future__ import annotations

import numpy as np
import pytest
from tests.unit.importers.test_urdf import loaded, notes
from tests.unit.importers.urdf_texts import QUARTER, four_bar, joint, link, loop_joint, robot

import sarrus
from sarrus.errors import FileError

EXACT = 1e-9
"""What every constraint holds to at every step, as promised for all mechanisms."""
SWING = 5e-3
"""Bounded error of the energy at this step, as a part of the kinetic energy; 2.5e-3 measured."""
GROUND = '<link name="ground"/>' + joint("G", "base", "ground", "1 0 0", kind="fixed")
SDF = (
    '<gazebo><joint name="D" type="revolute"><parent>base</parent><child>rocker</child>'
    "<pose>0.4 0 0 0 0 0</pose><axis><xyz>0 1 0</xyz></axis></joint></gazebo>"
)
CLOSINGS = {
    "loop_joint": loop_joint(),
    "constraint": loop_joint("constraint"),
    "loop with predecessor and successor": (
        '<loop name="D" type="continuous"><predecessor link="rocker"><origin xyz="0.4 0 0"/></predecessor>'
        f'<successor link="base"><origin xyz="1 0 0" rpy="0 {QUARTER} 0"/></successor>'
        '<axis xyz="0 1 0"/></loop>'
    ),
    "joint inside gazebo": SDF,
    "joint inside gazebo, axis of the model": SDF.replace(
        "</xyz>", "</xyz><use_parent_model_frame>1</use_parent_model_frame>"
    ),
    "second joint of a link": GROUND + joint("D", "rocker", "ground", "0.4 0 0", f"0 {-QUARTER} 0"),
}


@pytest.mark.parametrize("form", list(CLOSINGS))
def test_a_four_bar_is_closed_whatever_the_form(tmp_path, form):
    mech = loaded(tmp_path, four_bar(CLOSINGS[form]))
    closure = mech.joints["D"]
    assert closure.kind == "revolute"
    assert {closure.parent, closure.child} == {"rocker", "world"}
    np.testing.assert_allclose(closure.at, (1, 0, 0), atol=EXACT)
    np.testing.assert_allclose(np.abs(closure.axis), (0, 1, 0), atol=EXACT)
    model = sarrus.build(mech)
    assert (model.dof, model.redundant_constraints) == (1, 3)


def test_a_four_bar_runs_with_its_loop_exact_and_its_energy_kept(tmp_path):
    mech = loaded(tmp_path, four_bar(loop_joint(at=1.1), width=0.9))
    model = sarrus.build(mech)
    run = sarrus.simulate(model, duration=1.0, dt=0.005)
    assert run.violation().max() <= EXACT
    assert np.ptp(run.joint_position("A")) > 0.5  # it moves
    energy = run.energy().total
    assert np.ptp(energy) < SWING * np.ptp(run.energy().kinetic)


@pytest.mark.parametrize("light", ["crank", "coupler", "rocker", "base"])
def test_a_link_without_mass_in_a_loop_leaves_the_freedom_as_it_is(tmp_path, light):
    """A push rod without mass, or a base that is only drawn, has no redundant rows of its own."""
    text = four_bar(loop_joint(at=1.1))
    if light == "base":
        ball = '<visual><geometry><sphere radius="0.1"/></geometry></visual>'
        text = text.replace('<link name="base"/>', f'<link name="base">{ball}</link>')
    else:
        text = text.replace(link(light, 1.0 if light == "coupler" else 0.4), f'<link name="{light}"/>')
    mech = loaded(tmp_path, text)
    assert light in mech.bodies
    model = sarrus.build(mech)
    assert (model.dof, model.redundant_constraints) == (1, 3)
    run = sarrus.simulate(model, duration=0.3, dt=0.005)
    assert run.violation().max() <= EXACT


def test_a_ball_loop_leaves_three_rows_of_the_closure(tmp_path):
    ball = (
        '<drake:ball_constraint><drake:ball_constraint_body_A name="rocker"/>'
        '<drake:ball_constraint_body_B name="base"/><drake:ball_constraint_p_AP value="0.4 0 0"/>'
        '<drake:ball_constraint_p_BQ value="1 0 0"/></drake:ball_constraint>'
    )
    for closing, name in ((ball, "ball constraint of rocker and base"), (loop_joint(kind="spherical"), "D")):
        mech = loaded(tmp_path, four_bar(closing))
        assert mech.joints[name].kind == "spherical"
        model = sarrus.build(mech)
        assert (model.dof, model.redundant_constraints) == (1, 1)


@pytest.mark.parametrize(("kind", "dof"), [("fixed", 0), ("prismatic", 0), ("cylindrical", 1)])
def test_other_kinds_of_loops_are_read(tmp_path, kind, dof):
    """Along y nothing can slide, so that a cylindrical closure moves like a revolute one."""
    closing = loop_joint(kind=kind)
    mech = loaded(tmp_path, four_bar(closing))
    assert mech.joints["D"].kind == kind
    assert sarrus.build(mech).dof == dof


def test_a_loop_that_is_open_at_zero_is_closed_by_moving_the_joints_and_the_offsets_are_listed(tmp_path):
    mech = loaded(tmp_path, four_bar(loop_joint(at=1.1)))
    offsets = mech.import_report.offsets
    assert set(offsets) == {"A", "B", "C", "D"}
    # The frames of the file at those angles: crank, coupler and rocker end at (1.1, 0, 0).
    angles = np.cumsum([-QUARTER + offsets["A"], QUARTER + offsets["B"], QUARTER + offsets["C"]])
    lengths = np.array([0.4, 1.0, 0.4])
    end = lengths @ np.column_stack([np.cos(angles), -np.sin(angles)])
    np.testing.assert_allclose(end, (1.1, 0.0), atol=EXACT)
    np.testing.assert_allclose(mech.joints["D"].at, (1.1, 0, 0), atol=EXACT)
    assert "A: " in str(mech.import_report)


def test_a_loop_that_nothing_closes_is_refused_with_the_gap_and_the_joints(tmp_path):
    with pytest.raises(FileError) as refusal:
        loaded(tmp_path, four_bar(loop_joint(at=5.0)))
    text = str(refusal.value)
    assert "line 9: the loop 'D' is open" in text
    assert "4 m (or rad) apart when all joints are at 0, and moving 'A', 'B', 'C' leaves" in text


def test_digits_that_were_rounded_away_are_made_good_and_listed_when_many(tmp_path):
    """Out of its plane no joint can move the linkage: the frame on link 2 takes up the difference."""
    shifted = loop_joint().replace('xyz="1.0 0 0"', 'xyz="1.0 0.0002 0"')
    mech = loaded(tmp_path, four_bar(shifted))
    assert sarrus.build(mech).dof == 1
    assert notes(mech)["loop", "D"] == "a gap of 0.0002 m or rad in the file was closed"


def test_a_closing_joint_keeps_its_limits_damping_and_zero(tmp_path):
    inner = '<limit lower="-1" upper="2" effort="3" velocity="0"/><dynamics damping="0.1"/>'
    closing = GROUND + joint("D", "rocker", "ground", "0.4 0 0", f"0 {-QUARTER + 0.25} 0", "revolute", inner)
    mech = loaded(tmp_path, four_bar(closing))
    offset = mech.import_report.offsets["D"]
    assert offset == pytest.approx(-0.25, abs=EXACT)
    np.testing.assert_allclose(
        [mech.limits["D"].lower[0], mech.limits["D"].upper[0]], (-0.75, 2.25), atol=EXACT
    )
    assert mech.joint_springs["D"].damping.tolist() == [0.1]
    assert mech.motors["D"].limit == 3.0


def test_a_ring_of_joints_is_opened_once(tmp_path):
    text = robot(
        *(link(n) for n in "abc"),
        joint("ab", "a", "b", "1 0 0", f"0 {4 / 3 * QUARTER} 0"),
        joint("bc", "b", "c", "1 0 0", f"0 {4 / 3 * QUARTER} 0"),
        joint("ca", "c", "a", "1 0 0", f"0 {4 / 3 * QUARTER} 0"),
    )
    mech = loaded(tmp_path, text)
    model = sarrus.build(mech)
    assert (model.dof, model.redundant_constraints) == (6, 3)


def test_mimic_joints_follow_exactly_with_their_offsets(tmp_path):
    follows = '<mimic joint="B" multiplier="0.5" offset="0.1"/>'
    text = robot(
        '<link name="base"/>', link("a"), link("b"), link("c", 0.3),
        joint("A", "base", "a"),
        joint("B", "base", "b", "0 1 0", inner='<mimic joint="A" multiplier="-2" offset="0.3"/>'),
        joint("C", "b", "c", "1 0 0", "0 0 0", "prismatic", follows),
    )  # fmt: skip
    mech = loaded(tmp_path, text)
    offsets = mech.import_report.offsets
    assert offsets == pytest.approx({"B": 0.3, "C": 0.25})
    model = sarrus.build(mech)
    assert model.dof == 1
    run = sarrus.simulate(model, duration=0.5, dt=0.005)
    a, b, c = (run.joint_position(name) + offsets.get(name, 0.0) for name in "ABC")
    assert np.ptp(a) > 0.1
    assert np.max(np.abs(b - (-2 * a + 0.3))) <= EXACT
    assert np.max(np.abs(c - (0.5 * b + 0.1))) <= EXACT
    # In the reference configuration b hangs 0.3 rad below the horizontal, about y.
    np.testing.assert_allclose(
        mech.bodies["b"].position, (0.5 * np.cos(0.3), 1, -0.5 * np.sin(0.3)), atol=EXACT
    )


def test_a_mimic_of_multiplier_zero_is_a_fixed_joint_where_its_offset_puts_it(tmp_path):
    inner = '<mimic joint="A" multiplier="0" offset="0.4"/>'
    text = robot(
        '<link name="base"/>',
        link("a"),
        link("b"),
        joint("A", "base", "a"),
        joint("B", "a", "b", inner=inner),
    )
    mech = loaded(tmp_path, text)
    assert mech.joints["B"].kind == "fixed"
    np.testing.assert_allclose(
        mech.bodies["b"].position, (0.5 * np.cos(0.4), 0, -0.5 * np.sin(0.4)), atol=EXACT
    )
    assert notes(mech)["joint", "B"] == "mimics with the multiplier 0, so it is fixed"


def leg(name: str, x: float, y: float) -> str:
    """Two hips at one point of the trunk, a knee each, one foot: five bars, rounded to four digits."""
    parts = []
    for side, sign in (("left", 1.0), ("right", -1.0)):
        ball = '<collision><origin xyz="0.2 0 0"/><geometry><sphere radius="0.02"/></geometry></collision>'
        upper, lower = f"upper {name} {side}", f"lower {name} {side}"
        reach = 0.1 * np.sin(0.9)
        bend = 0.9 + np.arctan2(reach, np.sqrt(0.2**2 - reach**2))
        parts += [
            link(upper, 0.1, 0.1),
            link(lower, 0.2, 0.1, ball if side == "left" else ""),
            joint(f"hip {name} {side}", "trunk", upper, f"{x} {y} 0", f"0 {QUARTER - sign * 0.9:.4f} 0"),
            joint(f"knee {name} {side}", upper, lower, "0.1 0 0", f"0 {sign * bend:.4f} 0"),
        ]
    ends = "".join(
        f'<link{k} link="lower {name} {side}" xyz="0.2 0 0"/>' for k, side in ((1, "left"), (2, "right"))
    )
    return "".join(parts) + f'<loop_joint name="foot {name}" type="spherical">{ends}</loop_joint>\n'


def test_a_floating_robot_with_four_closed_legs_lands_on_its_feet(tmp_path):
    trunk = (
        '<link name="trunk"><inertial><mass value="3"/>'
        '<inertia ixx="0.01" iyy="0.03" izz="0.03" ixy="0" ixz="0" iyz="0"/></inertial></link>\n'
    )
    places = {"1": (0.2, 0.1), "2": (0.2, -0.1), "3": (-0.2, 0.1), "4": (-0.2, -0.1)}
    mech = loaded(tmp_path, robot(trunk, *(leg(name, *at) for name, at in places.items())), ground=0.8)
    assert max(map(abs, mech.import_report.offsets.values())) < 1e-4  # what four digits leave open
    model = sarrus.build(mech)
    assert (model.dof, model.redundant_constraints) == (6 + 4 * 2, 4)
    start = model.state(joints={"trunk free": (0, 0, 0.3, 0, 0, 0)})
    run = sarrus.simulate(model, duration=0.3, dt=0.005, state=start)
    assert run.violation().max() <= EXACT
    assert run.gap().min() >= 0.0
    assert run.gap()[-1] < 1e-6  # it has landed
