"""MODEL as a file on the command line: options, keyframes, and what could not be carried over."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from sarrus.cli.app import app

BAD_INPUT = 2
SHORT = ["--duration", "0.02", "--dt", "0.01"]
ROBOT = """
<mujoco model="hopper">
  <worldbody>
    <light name="lamp" pos="0 0 3"/>
    <body name="trunk" pos="0 0 1">
      <freejoint name="root"/>
      <geom name="trunk" type="box" size="0.1 0.1 0.1" mass="2"/>
      <body name="leg" pos="0 0 -0.1">
        <joint name="hip" type="hinge" axis="0 1 0"/>
        <geom name="leg" type="capsule" fromto="0 0 -0.1 0 0 -0.4" size="0.03" mass="0.5"/>
      </body>
    </body>
  </worldbody>
  <actuator><position name="hip servo" joint="hip" kp="20"/></actuator>
  <keyframe><key name="bent" qpos="0 0 1.5 1 0 0 0 0.7" ctrl="0.7"/></keyframe>
</mujoco>
"""
PENDULUM = """sarrus: 1
bodies:
  rod:
    mass: 1.0
    inertia: [0.1, 0.1, 0.01]
    position: [0.0, 0.0, -0.5]
joints:
  hinge:
    kind: revolute
    parent: world
    child: rod
    at: [0.0, 0.0, 0.0]
    axis: [1.0, 0.0, 0.0]
keyframes:
  aside:
    joints: {hinge: 0.5}
"""


def sarrus(*arguments: object):
    """What the command leaves: exit_code, stdout, stderr."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def json_of(*arguments: object) -> dict:
    """The object that the command prints with --json."""
    result = sarrus(*arguments, "--json")
    assert result.exit_code == 0, result.stderr
    assert len(result.stdout.splitlines()) == 1
    return json.loads(result.stdout)


@pytest.fixture
def robot(tmp_path):
    """An MJCF file with a light, which Sarrus has no use for."""
    path = tmp_path / "hopper.xml"
    path.write_text(ROBOT)
    return path


@pytest.fixture
def pendulum(tmp_path):
    """A YAML file."""
    path = tmp_path / "swing.yaml"
    path.write_text(PENDULUM)
    return path


def test_check_reports_what_became_of_a_file(robot):
    answer = json_of("check", robot)
    assert (answer["bodies"], answer["dof"]) == (2, 7)
    assert answer["keyframes"] == ["bent"]
    assert any("lamp" in item for item in answer["not_carried_over"])
    words = sarrus("check", robot)
    assert "lamp" in words.stdout
    assert "keyframes: bent" in words.stdout


def test_simulate_says_once_on_stderr_what_was_not_carried_over(robot):
    result = sarrus("simulate", robot, *SHORT)
    assert result.exit_code == 0, result.stderr
    assert result.stderr.count("not carried over") == 1
    assert "lamp" in result.stderr
    assert "Warning" not in result.stderr
    assert any("lamp" in item for item in json_of("simulate", robot, *SHORT)["not_carried_over"])


def test_a_floating_robot_can_be_held_and_a_ground_added(robot):
    assert json_of("check", robot, "--fixed-base")["dof"] == 1
    assert json_of("check", robot, "--ground")["contacts"]["obstacles"] == ["ground"]
    assert json_of("check", robot)["contacts"]["obstacles"] == []


def test_a_run_starts_at_a_keyframe_and_holds_its_inputs(robot, tmp_path):
    import sarrus as package

    out = tmp_path / "run.npz"
    answer = json_of("simulate", robot, "--keyframe", "bent", *SHORT, "--out", out)
    assert answer["keyframe"] == "bent"
    run = package.load_trajectory(out)
    assert run.joint_position("hip")[0] == pytest.approx(0.7)
    assert run.body("trunk").position[0] == pytest.approx([0.0, 0.0, 1.5])
    (used,) = run.inputs.values()
    assert used[0] == pytest.approx(0.7)


def test_a_yaml_file_is_simulated_and_its_plot_is_named_after_it(pendulum, tmp_path):
    answer = json_of("simulate", pendulum, "--keyframe", "aside", *SHORT, "--plot", tmp_path / "plots")
    assert answer["not_carried_over"] == []
    assert (answer["bodies"], answer["dof"]) == (1, 1)
    assert (tmp_path / "plots" / "swing.png").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["hopper.xml", "--set", "links=3"], "is a file"),
        (["hopper.xml", "--keyframe", "bend"], "'bent'"),
        (["pendulum", "--ground"], "is for files"),
        (["pendulum", "--fixed-base"], "is for files"),
        (["pendulum", "--no-self-contact"], "is for files"),
        (["pendulum", "--no-meshes"], "is for files"),
        (["hopper.xml", "--no-meshes"], "is for URDF files"),
        (["pendulum", "--keyframe", "up"], "up"),
        (["missing.xml"], "no such file"),
        (["."], "is a folder; name a file in it: broken.xml, hopper.xml, still.xml"),
        (["empty/"], "holds no file of a mechanism"),
        (["run.npz"], "saved run"),
        (["broken.xml"], "broken.xml"),
        (["still.xml"], "still.xml: holds no body that can move"),
        (["notes.txt"], ".urdf"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input_ends_with_status_2_and_one_error(robot, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    for name in ("run.npz", "notes.txt"):
        (tmp_path / name).write_text("")
    (tmp_path / "broken.xml").write_text("<mujoco><worldbody>")
    (tmp_path / "still.xml").write_text('<mujoco><worldbody><geom size="1"/></worldbody></mujoco>')
    (tmp_path / "empty").mkdir()
    result = sarrus("simulate", *arguments, *SHORT, "--json")
    assert result.exit_code == BAD_INPUT, result.stderr
    assert json.loads(result.stdout)["exit_status"] == BAD_INPUT
    assert words in result.stderr
    assert "Traceback" not in result.stderr


def test_output_that_is_not_a_terminal_has_neither_colours_nor_bars(robot):
    for arguments in (["gallery"], ["gallery", "pendulum"], ["check", robot], ["simulate", robot, *SHORT]):
        result = sarrus(*arguments)
        assert result.exit_code == 0, result.stderr
        assert "\x1b" not in result.stdout + result.stderr
        assert "\r" not in result.stdout + result.stderr


def test_the_gallery_shows_one_mechanism_with_its_parameters():
    answer = json_of("gallery", "scissor-lift")
    assert answer["topic"] == "Scissors"
    assert "segments" in answer["parameters"]
    assert "--set segments=3" in sarrus("gallery", "scissor_lift").stdout
    assert sarrus("gallery", "scisor_lift").exit_code == BAD_INPUT


def test_a_urdf_file_without_its_meshes_is_read_when_asked(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(
        '<robot name="arm"><link name="arm"><inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
        '<visual><geometry><mesh filename="arm.stl"/></geometry></visual></link></robot>'
    )
    result = sarrus("check", path)
    assert result.exit_code == BAD_INPUT
    assert "--no-meshes" in result.stderr
    assert json_of("check", path, "--no-meshes")["bodies"] == 1


def test_a_start_that_overlaps_is_refused_or_pushed_apart(tmp_path):
    path = tmp_path / "sunk.xml"
    path.write_text(ROBOT.replace('pos="0 0 1"', 'pos="0 0 0.5"'))
    result = sarrus("simulate", path, "--ground", *SHORT)
    assert result.exit_code == BAD_INPUT
    assert "--allow-overlap" in result.stderr
    assert json_of("simulate", path, "--ground", "--allow-overlap", *SHORT)["min_gap"] > 0.0
