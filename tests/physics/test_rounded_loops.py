"""Loops that are redundant but for rounded numbers run, say so, and deviate by no more than they must."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import sarrus

# Euler angles rounded to five digits, as files have them.
FOUR_BAR = """
<mujoco>
  <compiler angle="radian"/>
  <default><geom contype="0" conaffinity="0"/></default>
  <worldbody>
    <body name="crank" pos="0 0 0">
      <joint name="a" type="hinge" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0 0 0.4" size="0.02"/>
      <body name="coupler" pos="0 0 0.4" euler="0 0 1.5708">
        <joint name="b" type="hinge" axis="1 0 0"/>
        <geom type="capsule" fromto="0 0 0 0 -1 0.2" size="0.02"/>
        <body name="rocker" pos="0 -1 0.2" euler="0 0 -1.5708">
          <joint name="c" type="hinge" axis="0 1 0"/>
          <geom type="capsule" fromto="0 0 0 0.1 0 -0.6" size="0.02"/>
        </body>
      </body>
    </body>
    <body name="pin" pos="1.1 0 0">
      <joint name="d" type="hinge" axis="0 1 0"/>
      <geom type="sphere" size="0.03"/>
    </body>
  </worldbody>
  <equality><weld body1="pin" body2="rocker"/></equality>
</mujoco>
"""
# Held rows [m, 2 sin(angle/2)].
HELD = 1e-10
# What the closing joint alone takes of a tilt, where it turns far: measured 3.2.
TAKES = 10.0


def four_bar(tilt: float = 0.0) -> sarrus.Mechanism:
    """A planar four-bar with the axis of one hinge tilted by so many radians."""
    points = np.array([(0, 0, 0), (0.3, 0, 0.8), (1.4, 0, 1.1), (1.2, 0, 0)], float)
    mech = sarrus.Mechanism(name="four-bar")
    names = ["world", "crank", "coupler", "rocker", "world"]
    for name, start, end in zip(names[1:4], points[:-1], points[1:], strict=True):
        mech.add_body(name, 1.0, (0.1, 0.1, 0.1), position=(start + end) / 2)
    for k, point in enumerate(points):
        axis = (np.sin(tilt), np.cos(tilt), 0.0) if k == 1 else (0.0, 1.0, 0.0)
        mech.add_joint(f"hinge {k}", "revolute", names[k], names[k + 1], at=point, axis=axis)
    return mech


def rounded(mech: sarrus.Mechanism, by: float, seed: int = 0) -> sarrus.Mechanism:
    """Every number of every joint off by up to `by`."""
    random = np.random.default_rng(seed)
    for name, joint in mech.joints.items():
        axis = joint.axis + by * random.uniform(-1, 1, 3)
        place = joint.at + by * random.uniform(-1, 1, 3)
        mech.joints[name] = replace(joint, at=place, axis=axis / np.linalg.norm(axis))
    return mech


def spread(traj: sarrus.Trajectory) -> float:
    """Range of the energy error over that of the kinetic energy."""
    energy = traj.energy()
    return float(np.ptp(energy.total) / np.ptp(energy.kinetic))


def test_a_four_bar_with_rounded_euler_angles_runs_from_a_file(tmp_path):
    pytest.importorskip("mujoco")
    path = tmp_path / "four_bar.xml"
    path.write_text(FOUR_BAR)
    model = sarrus.build(sarrus.load(path))
    assert model.dof == 1
    assert 0.0 < model.ranks.misfit < 1e-4
    traj = sarrus.simulate(model, duration=1.0, dt=0.01)
    assert traj.violation().max() < 1e-3
    assert np.ptp(traj.joint_position("a")) > 0.5


@pytest.mark.parametrize("tilt", [1e-9, 1e-8, 1e-6, 1e-5, 1e-4, 3e-4])
def test_a_four_bar_with_a_tilted_axis_moves_like_the_exact_one(tilt):
    exact = sarrus.simulate(sarrus.build(four_bar()), duration=1.0, dt=0.01)
    model = sarrus.build(four_bar(tilt))
    assert (model.dof, model.redundant_constraints) == (1, 3)
    traj = sarrus.simulate(model, duration=1.0, dt=0.01)
    assert traj.violation().max() < TAKES * tilt
    assert np.abs(traj.position - exact.position).max() < TAKES * tilt
    assert spread(traj) < 1.1 * spread(exact)


def test_all_joints_but_the_closing_one_hold_exactly_in_a_rounded_loop():
    model = sarrus.build(four_bar(1e-4))
    traj = sarrus.simulate(model, duration=1.0, dt=0.01)
    off = {name: path.max() for name, path in traj.violation(by_joint=True).items()}
    assert {name for name, size in off.items() if size > HELD} == {"hinge 3"}
    assert "fit but for rounding" in traj.report()


def test_the_report_names_the_joints_that_are_off_and_by_how_much():
    model = sarrus.build(four_bar(1e-4))
    text = model.report()
    assert "fit each other but for rounding" in text
    assert "'hinge 1' 3.4e-05" in text
    assert "rounding" not in sarrus.build(four_bar()).report()


@pytest.mark.parametrize("linkage", ["bennett", "bricard", "sarrus"])
@pytest.mark.parametrize("by", [1e-8, 1e-4])
def test_spatial_linkages_with_rounded_numbers_keep_their_energy(linkage, by):
    make = getattr(sarrus.gallery, linkage)
    # The Sarrus linkage starts at 45 degrees and falls through flat, where rounded ones turn back, at 0.5 s.
    duration = 0.4 if linkage == "sarrus" else 1.0
    exact = sarrus.build(make())
    model = sarrus.build(rounded(make(), by))
    assert (model.dof, model.redundant_constraints) == (exact.dof, exact.redundant_constraints)
    traj = sarrus.simulate(model, duration=duration, dt=0.005)
    assert traj.violation().max() < TAKES * by
    assert spread(traj) < spread(sarrus.simulate(exact, duration=duration, dt=0.005)) + by


def test_a_ring_of_scissors_with_rounded_numbers_moves():
    model = sarrus.build(rounded(sarrus.gallery.hoberman_ring(), 1e-8))
    assert model.dof == 1
    # Seven loops in a row: the last ones take what all others leave.
    assert sarrus.simulate(model, duration=0.3, dt=0.005).violation().max() < 1e-5


def test_a_run_of_a_rounded_loop_that_is_continued_equals_an_unbroken_one():
    model = sarrus.build(four_bar(1e-4))
    whole = sarrus.simulate(model, duration=0.4, dt=0.01)
    half = sarrus.simulate(model, duration=0.2, dt=0.01)
    rest = sarrus.simulate(model, duration=0.2, dt=0.01, state=half.final_state)
    assert np.array_equal(rest.position[-1], whole.position[-1])


def test_a_rounded_loop_is_assembled_at_a_given_angle():
    model = sarrus.build(four_bar(1e-4))
    state = sarrus.assemble(model, {"hinge 0": 0.5})
    assert state.joint_position("hinge 0") == pytest.approx(0.5, abs=1e-9)
    moving = model.state(joints={"hinge 0": 0.5}, velocities={"hinge 0": 1.0})
    assert moving.joint_velocity("hinge 0") == pytest.approx(1.0, abs=1e-6)
    assert sarrus.simulate(model, duration=0.1, dt=0.01, state=moving).violation().max() < 1e-3


@pytest.mark.parametrize("tilt", [0.01, 0.1])
def test_a_four_bar_that_cannot_move_is_told_at_build(tilt):
    with pytest.warns(UserWarning, match="no degree of freedom is left"):
        model = sarrus.build(four_bar(tilt))
    assert model.dof == 0
    assert "0 degrees of freedom: it cannot move" in model.report()
    still = sarrus.simulate(model, duration=0.1, dt=0.01)
    assert np.abs(still.position - still.position[0]).max() < HELD


def test_the_tolerance_of_redundancy_decides_what_counts_as_rounding():
    with pytest.warns(UserWarning, match="no degree of freedom is left"):
        assert sarrus.build(four_bar(3e-3), redundancy_tolerance=3e-4).dof == 0
    assert sarrus.build(four_bar(1e-2), redundancy_tolerance=1e-2).dof == 1
    with pytest.raises(sarrus.MechanismError, match="redundancy_tolerance"):
        sarrus.build(four_bar(), redundancy_tolerance=-1.0)


# Misfits below this [rad, parts of the size] are none: redundant rows agree to 1e-8 in a run.
FITS = 1e-10


@pytest.mark.parametrize("make", [four_bar, lambda by: rounded(sarrus.gallery.door(), by)])
def test_align_makes_rounded_joints_fit(make):
    mech = make(1e-4)
    aligned = sarrus.align(mech)
    model = sarrus.build(aligned)
    assert (model.dof, model.ranks.misfit) == (1, 0.0)
    for name, joint in mech.joints.items():
        moved = aligned.joints[name]
        assert np.abs(np.append(moved.at - joint.at, moved.axis - joint.axis)).max() < 2e-4
    assert sarrus.simulate(model, duration=0.5, dt=0.01).violation().max() < HELD
    # The mechanism that was given stays as it is.
    assert sarrus.build(mech).ranks.misfit > FITS


@pytest.mark.slow
@pytest.mark.parametrize("linkage", ["bennett", "sarrus", "bricard"])
@pytest.mark.parametrize("by", [1e-6, 1e-4])
def test_align_makes_spatial_linkages_fit(linkage, by):
    model = sarrus.build(sarrus.align(rounded(getattr(sarrus.gallery, linkage)(), by)))
    assert model.dof == 1
    assert model.ranks.misfit < FITS


def test_align_returns_a_copy_of_what_fits():
    mech = sarrus.gallery.double_four_bar()
    aligned = sarrus.align(mech)
    assert aligned is not mech
    assert all(np.array_equal(aligned.joints[n].at, joint.at) for n, joint in mech.joints.items())


def test_a_run_whose_energy_is_off_says_so_and_names_the_joint():
    # A rhombus with rounded points whips where the exact one passes through flat.  Without the rule on the
    # balance of steps, which divides them there, 22 % are lost.
    model = sarrus.build(rounded(sarrus.gallery.rhombus_chain(segments=1), 3e-4))
    with pytest.warns(UserWarning, match=r"off by -0\.\d+ times .* rounding, by .* at joint '"):
        traj = sarrus.simulate(model, duration=1.0, dt=0.01, method=sarrus.Variational(balance=np.inf))
    assert abs(traj.energy_balance()[-1]) > 0.02 * traj.energy().kinetic.max()


# A part may lose 1e-3 of the kinetic energy, 1e-2 before the first whip; the exact lift moves by 7e-3.
KEPT = 0.02


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("rhombus_chain", {"segments": 1}),
        ("rhombus_chain", {"segments": 5}),
        ("double_four_bar", {}),
        ("scissor_lift", {}),
    ],
)
@pytest.mark.parametrize("by", [1e-6, 1e-4, 3e-4])
def test_rounded_loops_that_pass_flat_keep_their_freedoms_and_their_energy(name, options, by):
    make = getattr(sarrus.gallery, name)
    exact, model = sarrus.build(make(**options)), sarrus.build(rounded(make(**options), by))
    assert (model.dof, model.redundant_constraints) == (exact.dof, exact.redundant_constraints)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of steps above the recommended ones, and of whips
        traj = sarrus.simulate(model, duration=2.0, dt=0.01)
    assert spread(traj) < KEPT
    assert traj.violation().max() < TAKES * by


def test_a_nearly_equal_four_bar_that_turns_slowly_keeps_its_energy():
    # Bars that differ by 1e-6 of their length whip at flat within 1e-4 s: joints turn by 0.01 rad per step.
    model = sarrus.build(rounded(sarrus.gallery.rhombus_chain(segments=1), 1e-6))
    traj = sarrus.simulate(model, duration=1.0, dt=0.001)
    # Measured below 0.004; without a look at slow steps 0.087.
    assert spread(traj) < 0.01


def cranks(radius: float) -> sarrus.Mechanism:
    """Two cranks that carry a rod of 1 m."""
    mech, pin = sarrus.Mechanism(name="cranks"), radius * np.array([0.0, np.cos(0.7), np.sin(0.7)])
    mech.add_body("rod", 1.0, (0.1, 0.1, 0.1), position=pin + [0.0, 0.5, 0.0])
    for k in range(2):
        place = np.array([0.0, float(k), 0.0])
        mech.add_body(f"crank {k}", 0.5, (0.01, 0.01, 0.01), position=place)
        mech.add_joint(f"main {k}", "revolute", "world", f"crank {k}", at=place, axis=(1, 0, 0))
        mech.add_joint(f"pin {k}", "revolute", f"crank {k}", "rod", at=place + pin, axis=(1, 0, 0))
    return mech


@pytest.mark.parametrize("radius", [3.5e-3, 1e-2, 0.1])
def test_short_cranks_are_no_rounding(radius):
    model = sarrus.build(cranks(radius))
    assert (model.dof, model.ranks.misfit) == (1, 0.0)


def test_a_chain_between_two_walls_keeps_its_freedoms_where_axes_are_rounded():
    # Nine hinges: a loop in space would have 3 freedoms, in the plane there are 6.
    mech, before, n = sarrus.Mechanism(name="bridge"), "world", 8
    y = np.linspace(0.0, 1.0, n + 1)
    points = np.stack([np.zeros(n + 1), y, -0.5 * np.sin(np.pi * y)], axis=1)
    for k in range(n):
        mech.add_body(f"link {k}", 1 / n, (1e-3, 1e-3, 1e-3), position=(points[k] + points[k + 1]) / 2)
        mech.add_joint(f"hinge {k}", "revolute", before, f"link {k}", at=points[k], axis=(1, 0, 0))
        before = f"link {k}"
    mech.add_joint(f"hinge {n}", "revolute", before, "world", at=points[n], axis=(1, 0, 0))
    assert sarrus.build(rounded(mech, 3e-4)).dof == 6


def slider(tilt: float) -> sarrus.Mechanism:
    """A carriage on a plane carries a slide, tilted out of the plane by `tilt` [rad], whose slider hangs on a
    ball joint above the plane: with no tilt the height of the ball is one condition too many."""
    mech, direction = sarrus.Mechanism(name="slider"), np.array([np.cos(tilt), 0.0, np.sin(tilt)])
    mech.add_body("base", 2.0, (1.0, 1.0, 1.0))
    mech.add_body("carriage", 1.0, (0.2, 0.2, 0.2), position=(1.0, 0.0, 0.0))
    mech.add_body("slider", 1.0, (0.2, 0.2, 0.2), position=(0.5, 0.5, 0.5))
    mech.add_joint("plane", "planar", "base", "carriage", at=(1.0, 0.0, 0.0), axis=(0, 0, 1))
    mech.add_joint("slide", "prismatic", "carriage", "slider", at=(0.5, 0.5, 0.5), axis=direction)
    mech.add_joint("ball", "spherical", "base", "slider", at=(0.3, 0.4, 0.6))
    return mech


def test_a_small_tilt_that_may_be_meant_is_warned_of():
    # As written the slide has one freedom less, and moves: nothing but its user knows which is meant.
    with pytest.warns(sarrus.NearlyRedundant, match=r"8 degrees of freedom, and 7 as written"):
        taken = sarrus.build(slider(1e-3))
    assert taken.dof == 8
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        meant = sarrus.build(slider(1e-3), redundancy_tolerance=1e-6)
        assert sarrus.build(slider(1e-6)).dof == 8
    assert meant.dof == 7
    assert sarrus.simulate(meant, duration=1.0, dt=0.01).violation().max() < HELD


def test_a_rounded_sarrus_linkage_that_cannot_pass_flat_passes_it_when_aligned():
    mech = rounded(sarrus.gallery.sarrus(), 1e-4, seed=1)
    with pytest.raises(sarrus.StepFailed, match=r"sarrus\.align"):
        sarrus.simulate(sarrus.build(mech), duration=2.0, dt=0.01)
    traj = sarrus.simulate(sarrus.build(sarrus.align(mech)), duration=2.0, dt=0.01)
    assert spread(traj) < KEPT


@pytest.mark.parametrize("by", [1e-6, 3e-4])
def test_an_aligned_ring_of_scissors_moves_as_the_exact_one(by):
    # It passes configurations where links are in line: only equal lengths pass there.  Where joints are moved
    # by as little as makes the loops fit, but lengths stay unequal, it stops at 1.8 s.
    exact = sarrus.build(sarrus.gallery.hoberman_ring())
    model = sarrus.build(sarrus.align(rounded(sarrus.gallery.hoberman_ring(), by, seed=2)))
    assert (model.dof, model.ranks.misfit) == (exact.dof, 0.0)
    traj = sarrus.simulate(model, duration=2.0, dt=0.01)
    assert traj.violation().max() < HELD
    moved = np.abs(traj.position - sarrus.simulate(exact, duration=2.0, dt=0.01).position).max()
    assert moved < TAKES * by


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("hoberman_ring", {}),
        ("rhombus_chain", {"segments": 5}),
        ("scissor_lift", {}),
        ("double_four_bar", {}),
        ("sarrus", {}),
        ("bricard", {}),
        ("bennett", {}),
    ],
)
@pytest.mark.parametrize("by", [1e-6, 1e-4, 1e-3])
def test_aligned_linkages_move_as_the_exact_ones(name, options, by):
    make = getattr(sarrus.gallery, name)
    exact = sarrus.build(make(**options))
    spread_of_exact = spread(sarrus.simulate(exact, duration=2.0, dt=0.01))
    for seed in range(6):
        model = sarrus.build(sarrus.align(rounded(make(**options), by, seed)))
        assert (model.dof, model.redundant_constraints) == (exact.dof, exact.redundant_constraints)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of whips: unequal legs of a Sarrus linkage whip at flat
            traj = sarrus.simulate(model, duration=2.0, dt=0.01)
        assert spread(traj) < KEPT + spread_of_exact


@pytest.mark.parametrize("dt", [0.01, 0.002])
def test_a_run_whose_energy_is_kept_says_nothing(dt):
    model = sarrus.build(sarrus.gallery.rhombus_chain(segments=5))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sarrus.simulate(model, duration=10.0, dt=dt)


def test_what_rests_says_nothing_though_its_energy_is_rounding():
    # A cantilever that closes a loop and carries a load: its kinetic energy is about 1e-34 J.
    mech = sarrus.Mechanism()
    mech.add_body("beam", 2.0, (0.1, 0.2, 0.25), position=(0, 0.5, 0))
    mech.add_joint("loose", "free", "world", "beam", at=(0, 0, 0))
    mech.add_joint("wall", "fixed", "world", "beam", at=(0, 0, 0))
    mech.add_force("load", "beam", force=(1.0, 2.0, -3.0), torque=(0.4, 0.5, 0.6), at=(0, 1.0, 0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sarrus.RigidMechanism)
        model = sarrus.build(mech)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sarrus.simulate(model, duration=0.2, dt=0.01, reactions=True)
