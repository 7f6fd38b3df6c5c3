"""Every example runs as it stands, and what it finds is what mechanics says."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
HOLDS = 1e-9  # constraint rows of a run; the solver stops at 1e-10
DEEPEST = 1e-6  # [m] that two bodies may overlap; docs/contact.md
PERCENT = 0.01


@pytest.fixture
def outcome(tmp_path, monkeypatch) -> Callable[[str], Any]:
    """What `main` of an example returns, after a run in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")

    def run(name: str) -> Any:
        found = runpy.run_path(str(ROOT / "examples" / f"{name}.py"))["main"](tmp_path)
        written = [path for path in tmp_path.iterdir() if path.stat().st_size > 0]
        assert len(written) == len(list(tmp_path.iterdir()))
        return found

    return run


def test_the_energy_error_of_the_double_pendulum_falls_with_the_square_of_the_step(outcome):
    found = outcome("01_double_pendulum")
    assert found["ratio"] == pytest.approx(4.0, rel=0.1)
    assert found["error"] < 0.1
    assert 5.0 < found["parted"] < 20.0


def test_the_rocker_of_the_four_bar_follows_the_law_of_cosines(outcome):
    found = outcome("02_four_bar")
    assert found["turns"] > 5.0
    assert found["error"] < HOLDS
    assert found["violation"] < HOLDS


def test_the_door_has_five_redundant_rows_and_swings_as_with_one_hinge(outcome):
    found = outcome("03_door")
    assert found["redundant"] == 5
    assert found["period"] == pytest.approx(
        found["formula"], rel=0.001
    )  # swings of 0.05 rad are not quite small
    assert found["load"] == pytest.approx(
        20.0 * 9.81, rel=0.001
    )  # it starts from rest and hardly accelerates
    assert found["same"] < HOLDS


def test_overconstrained_loops_move_with_one_degree_of_freedom(outcome):
    found = outcome("04_overconstrained")
    assert len(found) > 1
    for counted, dof, redundant, worst in found.values():
        assert dof == 1
        assert redundant == dof - counted
        assert worst < HOLDS


def test_the_t_handle_flips_as_often_as_the_elliptic_integral_says(outcome):
    found = outcome("05_t_handle")
    assert found["period"] == pytest.approx(found["formula"], rel=0.001)
    assert found["momentum"] < 1e-12  # kept to rounding
    assert found["energy"] < 1e-6


def test_a_flywheel_calms_the_slider_crank(outcome):
    found = outcome("06_slider_crank")
    (light, rough), (heavy, smooth) = found[0.05], found[0.5]
    assert light == pytest.approx(20.0, rel=PERCENT)
    assert heavy == pytest.approx(20.0, rel=PERCENT)
    assert smooth < rough / 3


def test_terms_of_the_user_do_what_their_formulas_say(outcome):
    found = outcome("07_own_terms")
    assert found["period"] == pytest.approx(found["formula"], rel=1e-4)
    assert found["low"] == pytest.approx(0.3, abs=1e-4)
    assert found["high"] == pytest.approx(0.3, abs=1e-4)
    assert found["violation"] < HOLDS


def test_the_absorber_answers_as_the_textbook_says(outcome):
    found = outcome("08_vibration_absorber")
    assert found["worst"] < 2 * PERCENT
    assert found["with"] < np.sqrt(2.05 / 0.05) < found["without"]


def test_nothing_sinks_into_the_ground_and_friction_is_coulombs(outcome):
    found = outcome("09_box_and_friction")
    assert found["gap"] > 0.0
    assert found["lost"] > 0.0
    for way in (found["shortest"], found["longest"]):
        assert way == pytest.approx(found["formula"], rel=0.001)
    assert found["holds"] < 1e-4
    assert found["slides"] > 0.02


def test_all_dominoes_fall_and_the_cradle_passes_on_what_it_gets(outcome):
    found = outcome("10_dominoes_and_cradle")
    assert found["fell"] == 8
    assert 0.5 < found["speed"] < 3.0
    assert found["one"] == pytest.approx(0.3, rel=0.001)  # as high as the first was let go
    assert found["next"] < 0.01
    assert found["two"] == pytest.approx(0.3, rel=0.001)


def test_a_hand_holds_a_ball_upside_down_and_a_gripper_lifts_what_it_presses_hard_enough(outcome):
    found = outcome("19_hand_and_gripper")
    assert found["way"] < 1e-3
    assert found["lifted"] > 0.15
    assert abs(found["left"]) < 1e-5  # the gap of the start


def test_the_robot_of_a_file_keeps_its_loop_closed(outcome):
    found = outcome("11_robot_from_a_file")
    assert found["loops"] == 1
    assert found["dof"] == 1
    assert found["violation"] < HOLDS


def test_the_quadruped_trots_and_its_feet_carry_its_weight(outcome):
    found = outcome("12_quadruped_trot")
    assert found["stands"] < 0.01
    assert found["trots"] > 2.0
    assert found["gap"] > 0.0
    assert found["load"] == pytest.approx(1.0, abs=0.1)  # the trunk goes up and down
    assert found["effort"] <= 33.5


def test_feedforward_brings_the_crank_closer_to_its_plan_and_the_exact_torque_onto_it(outcome):
    found = outcome("13_inverse_dynamics")
    assert found["once"] < found["servo"] / 5
    assert found["last"] < found["once"] / 5
    assert found["exact"] < HOLDS


def test_the_optimiser_swings_the_pole_up(outcome):
    found = outcome("14_swing_up")
    assert found["miss"] < 1e-3
    assert found["height"] == pytest.approx(0.25, abs=1e-6)
    assert found["effort"] < 60.0


def test_the_rope_goes_slack_where_it_must_and_the_stop_holds(outcome):
    found = outcome("15_rope_and_stop")
    assert found["angle"] == pytest.approx(found["formula"], abs=0.01)  # one step is 0.004 rad
    assert found["longest"] < 1.0 + HOLDS
    assert found["lowest"] > -0.7


def test_the_variants_of_the_method_have_the_orders_in_their_names(outcome):
    found = outcome("16_work_precision")
    assert found["variational1"] == pytest.approx(1.0, abs=0.1)
    assert found["variational"] == pytest.approx(2.0, abs=0.1)
    assert found["variational4"] == pytest.approx(4.0, abs=0.2)
    assert found["variational6"] == pytest.approx(6.0, abs=0.3)


def test_a_cart_pole_and_a_pendubot_stay_upright(outcome):
    found = outcome("17_balance")
    assert found["cart-pole"] < 1e-3
    assert found["pendubot"] < 1e-3


def test_a_falling_human_keeps_its_angular_momentum_and_its_parabola(outcome):
    found = outcome("18_planar_human")
    # both are of second order in dt: 0.005 s, limbs at 6 rad/s
    assert found["spin"] < 1e-3
    assert found["fall"] < 1e-5
    assert abs(found["turn"]) > 10.0


def test_every_example_is_run_here_and_listed_in_the_table():
    here = Path(__file__).read_text(encoding="utf-8")
    table = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    assert len(EXAMPLES) >= 12
    for path in EXAMPLES:
        assert f'outcome("{path.stem}")' in here, path.name
        assert f"({path.name})" in table, path.name
    assert set(re.findall(r"\((\d\d_\w+\.py)\)", table)) == {path.name for path in EXAMPLES}


def test_an_example_runs_as_a_script_and_makes_its_folder(tmp_path):
    env = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    script = ROOT / "examples" / "05_t_handle.py"
    answer = subprocess.run(
        [sys.executable, str(script), "pictures"], cwd=tmp_path, env=env, capture_output=True, text=True
    )
    assert answer.returncode == 0, answer.stderr
    assert "flips in 60 s" in answer.stdout
    assert list((tmp_path / "pictures").iterdir())
