"""Signals of a run: names, units, values, choice, and the table that other programs read."""

from __future__ import annotations

import sys

import numpy as np
import pandas
import pyarrow.parquet
import pytest

import sarrus
from sarrus.plots.style import look_of
from sarrus.trajectory import QUANTITIES

SUM = 1e-12
"""Rounding of a sum of energies of about 10 J."""


def mechanism() -> sarrus.Mechanism:
    """An arm on a universal joint with a driven hinge, sensors and a ball that falls on the ground."""
    m = sarrus.Mechanism(name="arm")
    m.add_body("upper", mass=1.0, inertia=[0.1, 0.1, 0.1], position=[0.0, 0.0, 2.0])
    m.add_body("lower", mass=0.5, inertia=[0.05, 0.05, 0.05], position=[0.5, 0.0, 2.0])
    m.add_body("ball", shapes=[sarrus.Sphere(0.1)], density=100.0, position=[3.0, 0.0, 0.15])
    m.add_ground()
    m.add_joint(
        "shoulder",
        "universal",
        "world",
        "upper",
        at=[0.0, 0.0, 2.2],
        axis=[1.0, 0.0, 0.0],
        axis2=[0.0, 1.0, 0.0],
    )
    m.add_joint("elbow", "revolute", "upper", "lower", at=[0.25, 0.0, 2.0], axis=[0.0, 1.0, 0.0])
    m.add_motor("drive", "elbow")
    m.add_frame("tool", "lower")
    m.add_sensor("wrist", "force_torque", joint="elbow", frame="tool")
    m.add_sensor("angle", "joint_position", joint="elbow")
    m.add_sensor("imu", "accelerometer", frame="tool")
    m.add_sensor("feel", "touch", body="ball")
    return m


@pytest.fixture(scope="module")
def traj() -> sarrus.Trajectory:
    """Half a second of it, with reactions."""
    model = sarrus.build(mechanism())
    return sarrus.simulate(model, duration=0.5, dt=0.01, inputs={"drive": 0.4}, reactions=True)


def test_every_quantity_has_signals_with_names_and_units(traj):
    units = traj.to_table(list(QUANTITIES)).units
    assert {name.partition("/")[0] for name in units} == {"time", *QUANTITIES}
    expected = {
        "position/shoulder/angle": "rad",
        "position/shoulder/angle2": "rad",
        "velocity/elbow": "rad/s",
        "effort/drive": "N m",
        "reaction/elbow/force/z": "N",
        "reaction/elbow/torque/y": "N m",
        "contact/ball/z": "N",
        "sensor/wrist/torque/x": "N m",
        "sensor/angle": "rad",
        "sensor/imu/z": "m/s^2",
        "sensor/feel": "N",
        "energy/total": "J",
        "momentum/angular/x": "kg m^2/s",
        "violation": "m, rad",
        "gap": "m",
        "body/lower/orientation/w": "1",
        "frame/tool/position/z": "m",
    }
    assert {name: units.get(name) for name in expected} == expected
    assert not any(name.startswith("contact/upper") for name in units), "nothing can touch it"


def test_signals_are_the_numbers_that_the_trajectory_reads_out(traj):
    table = traj.to_table(list(QUANTITIES))
    assert np.array_equal(table["position/shoulder/angle2"], traj.joint_position("shoulder")[:, 1])
    assert np.array_equal(table["velocity/elbow"], traj.joint_velocity("elbow"))
    assert np.array_equal(table["effort/drive"], np.full(len(traj), 0.4))
    assert np.array_equal(table["reaction/elbow/torque/y"], traj.reaction("elbow").torque[:, 1])
    assert np.array_equal(table["contact/ball/z"], traj.contact_force("ball")[:, 2])
    assert np.array_equal(table["sensor/wrist/torque/x"], traj.sensor("wrist")[:, 3])
    assert np.array_equal(table["sensor/imu/z"], traj.sensor("imu")[:, 2])
    assert np.array_equal(table["body/lower/velocity/x"], traj.body("lower").velocity[:, 0])
    assert np.array_equal(table["frame/tool/orientation/w"], traj.frame("tool").orientation[:, 0])
    assert np.array_equal(table["gap"], traj.gap())
    total = table["energy/kinetic"] + table["energy/potential"]
    assert np.abs(total - table["energy/total"]).max() < SUM


def test_signals_are_chosen_by_name_quantity_and_pattern(traj):
    def chosen(*what: str) -> list[str]:
        return [each.name for each in traj.signals(what)]

    assert chosen("effort") == ["effort/drive"]
    assert chosen("velocity/shoulder") == ["velocity/shoulder/angle", "velocity/shoulder/angle2"]
    assert chosen("gap", "energy/total") == ["energy/total", "gap"], "in the order of quantities"
    assert chosen("*/elbow", "position/elbow") == ["position/elbow", "velocity/elbow"]
    every = {each.quantity for each in traj.signals()}
    assert every == set(QUANTITIES) - {"body", "frame"}, "poses only when they are asked for"


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ("positon", "no signal named 'positon'.*did you mean 'position'"),
        ("position/elbo", "no signal named 'position/elbo'; known: 'position/elbow'"),
    ],
)
def test_unknown_signals_are_refused_with_what_was_meant(traj, wanted, words):
    with pytest.raises(sarrus.SarrusError, match=words):
        traj.to_table(wanted)


def test_what_a_run_does_not_hold_is_refused_with_the_reason():
    model = sarrus.build(sarrus.gallery.four_bar())
    run = sarrus.simulate(model, duration=0.05, dt=0.01)
    for wanted, words in (
        ("reaction", "reactions were not recorded; use simulate"),
        ("contact/crank", "nothing in the mechanism can touch"),
        ("effort", "has no motors"),
        ("sensor/imu", "has no sensors"),
    ):
        with pytest.raises(sarrus.MechanismError, match=words):
            run.signals([wanted])


def test_two_signals_of_one_name_are_refused():
    m = mechanism()
    m.add_body("end", mass=1.0, inertia=[0.1, 0.1, 0.1], position=[1.0, 0.0, 2.0])
    m.add_joint("shoulder/angle", "revolute", "lower", "end", at=[0.8, 0.0, 2.0], axis=[0.0, 1.0, 0.0])
    run = sarrus.simulate(sarrus.build(m), duration=0.02, dt=0.01)
    with pytest.raises(sarrus.MechanismError, match="two signals are called 'position/shoulder/angle'"):
        run.to_table()


def test_pandas_takes_the_table_as_it_is(traj):
    frame = pandas.DataFrame(traj.to_table(["position", "energy"]))
    assert list(frame)[:2] == ["time", "position/shoulder/angle"]
    assert np.array_equal(frame["energy/total"], traj.energy().total)


def test_csv_keeps_every_digit_and_says_the_units(traj, tmp_path):
    table = traj.to_table(["position/elbow", "energy/total"])
    path = table.save(tmp_path / "run.csv")
    frame = pandas.read_csv(path)
    assert list(frame) == ["time [s]", "position/elbow [rad]", "energy/total [J]"]
    assert np.array_equal(frame.to_numpy(), np.stack(list(table.values()), axis=1))
    again = sarrus.Signal.from_csv(path, columns="position/elbow [rad]")
    assert again(0.25) == pytest.approx(table["position/elbow"][25], rel=1e-12)


def test_parquet_keeps_numbers_and_units(traj, tmp_path):
    table = traj.to_table(["velocity", "contact"])
    path = table.save(tmp_path / "run.parquet")
    assert pandas.read_parquet(path).equals(pandas.DataFrame(table))
    stored = pyarrow.parquet.read_schema(path)
    assert stored.field("contact/ball/z").metadata == {b"unit": b"N"}


def test_parquet_without_pyarrow_is_refused_by_name_and_leaves_no_file(traj, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(sarrus.FileError, match=r"Parquet files need pyarrow: pip install 'sarrus\[table\]'"):
        traj.to_table("energy").to_parquet(tmp_path / "run.parquet")
    assert list(tmp_path.iterdir()) == []


def test_other_endings_are_refused(traj, tmp_path):
    with pytest.raises(sarrus.FileError, match=r"ends in .csv or .parquet"):
        traj.to_table("energy").save(tmp_path / "run.xls")


def test_a_joint_keeps_its_colour_in_every_quantity(traj):
    colours = {
        each.name: each.colour
        for each in traj.signals(["*/elbow*", "effort/drive", "sensor/angle", "sensor/wrist/force/x"])
    }
    assert set(colours.values()) == {traj.joint_names.index("elbow")}


def test_looks_of_24_joints_and_three_components_are_all_different():
    looks = {look_of(joint, part) for joint in range(24) for part in range(3)}
    assert len(looks) == 72
