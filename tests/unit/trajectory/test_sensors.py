"""Sensors: what they read along a run and live, and those of MJCF files as in MuJoCo."""

import warnings

import mujoco
import numpy as np
import pytest

import sarrus

EXACT = 1e-10
SENSORS = {
    "angle": {"kind": "joint_position", "joint": "hinge"},
    "rate": {"kind": "joint_velocity", "joint": "hinge"},
    "effort": {"kind": "motor_effort", "motor": "drive"},
    "felt": {"kind": "accelerometer", "frame": "tip"},
    "spin": {"kind": "gyroscope", "frame": "tip"},
    "load": {"kind": "force_torque", "joint": "hinge", "frame": "tip"},
    "place": {"kind": "frame_position", "frame": "tip"},
    "turn": {"kind": "frame_orientation", "frame": "tip"},
    "speed": {"kind": "frame_velocity", "frame": "tip"},
    "turning": {"kind": "frame_angular_velocity", "frame": "tip"},
}


def pendulum():
    mech = sarrus.Mechanism()
    mech.add_bar("rod", (0, 0, 0), (1, 0, 0), 0.02, mass=2.0, collide=False)
    mech.add_joint("hinge", "revolute", "world", "rod", at=(0, 0, 0), axis=(0, 1, 0))
    mech.add_motor("drive", "hinge")
    mech.add_frame("tip", "rod", at=(1, 0, 0), orientation=(0.6, 0, 0, 0.8))
    for name, sensor in SENSORS.items():
        mech.add_sensor(name, **sensor)
    return mech


MODEL = sarrus.build(pendulum())


def test_sensors_read_what_the_run_has():
    start = MODEL.state({"hinge": 0.3}, {"hinge": 1.0})
    traj = sarrus.simulate(MODEL, duration=0.2, dt=0.01, state=start, inputs={"drive": 0.7}, reactions=True)
    np.testing.assert_array_equal(traj.sensor("angle"), traj.joint_position("hinge"))
    np.testing.assert_array_equal(traj.sensor("rate"), traj.joint_velocity("hinge"))
    np.testing.assert_array_equal(traj.sensor("effort"), 0.7)
    path = traj.frame("tip")
    np.testing.assert_allclose(traj.sensor("place"), path.position, atol=EXACT)
    np.testing.assert_allclose(traj.sensor("turn"), path.orientation, atol=EXACT)
    for k in (0, 7, 20):
        twist = traj.state(k).frame_velocity("tip")
        np.testing.assert_allclose(traj.sensor("speed")[k], twist.linear, atol=EXACT)
        np.testing.assert_allclose(traj.sensor("turning")[k], twist.angular, atol=EXACT)
        own = traj.state(k).frame_pose("tip").matrix[:3, :3].T @ twist.angular
        np.testing.assert_allclose(traj.sensor("spin")[k], own, atol=EXACT)


def test_a_rod_at_rest_feels_its_weight_and_its_joint_carries_it():
    """Hanging down: 9.81 m/s^2 upwards along the rod, and the weight at the joint, seen from the tip."""
    traj = sarrus.simulate(
        MODEL, duration=0.05, dt=0.01, state=MODEL.state({"hinge": np.pi / 2}), reactions=True
    )
    axes = MODEL.state({"hinge": np.pi / 2}).frame_pose("tip").matrix[:3, :3]
    np.testing.assert_allclose(traj.sensor("felt"), np.tile(axes.T @ [0, 0, 9.81], (6, 1)), atol=1e-8)
    load = traj.sensor("load")[3]
    np.testing.assert_allclose(load[:3], axes.T @ [0, 0, 2 * 9.81], atol=1e-6)
    np.testing.assert_allclose(load[3:], 0.0, atol=1e-6)


def test_an_accelerometer_in_free_fall_feels_nothing():
    mech = sarrus.Mechanism()
    mech.add_body("stone", 1.0, (1, 1, 1))
    mech.add_frame("centre", "stone")
    mech.add_sensor("felt", "accelerometer", frame="centre")
    traj = sarrus.simulate(sarrus.build(mech), duration=0.1, dt=0.02)
    np.testing.assert_allclose(traj.sensor("felt"), 0.0, atol=1e-9)


def test_sensors_read_live_what_the_run_reads():
    start = MODEL.state({"hinge": 0.3}, {"hinge": 1.0})
    traj = sarrus.simulate(MODEL, duration=0.03, dt=0.01, state=start)
    sim = sarrus.Simulation(MODEL, dt=0.01, state=start)
    assert np.isnan(sim.sensor("felt")).all()
    for k in range(1, 4):
        sim.step()
        for name in ("angle", "rate", "felt", "spin", "place", "turn", "speed", "turning"):
            np.testing.assert_allclose(sim.sensor(name), traj.sensor(name)[k], atol=1e-9)
    with pytest.raises(sarrus.MechanismError, match=r"needs Simulation\(\.\.\., reactions=True\)"):
        sim.sensor("load")
    with pytest.raises(
        sarrus.MechanismError, match=r"sensor 'effort' \(motor_effort\) reads no single state"
    ):
        sim.sensor("effort")


def test_sensors_of_forces_read_live_the_node_before():
    traj = sarrus.simulate(MODEL, duration=0.1, dt=0.01, reactions=True)
    sim = sarrus.Simulation(MODEL, dt=0.01, reactions=True)
    assert np.isnan(sim.sensor("load")).all()
    sim.step()
    assert np.isnan(sim.sensor("load")).all()
    for k in range(2, 8):
        sim.step()
        np.testing.assert_array_equal(sim.sensor("load"), traj.sensor("load")[k - 1])
    sim.advance(2)
    np.testing.assert_array_equal(sim.sensor("load"), traj.sensor("load")[8])


def test_touch_is_felt_live():
    mech = sarrus.gallery.make("box_drop")
    (box,) = mech.bodies
    mech.add_sensor("sole", "touch", body=box)
    model = sarrus.build(mech)
    traj, sim, felt = sarrus.simulate(model, duration=0.6, dt=0.01), sarrus.Simulation(model, dt=0.01), []
    assert np.isnan(sim.sensor("sole"))
    for _ in range(60):
        sim.step()
        felt.append(sim.sensor("sole"))
    np.testing.assert_array_equal(felt[1:], traj.sensor("sole")[1:60])
    assert max(felt[1:]) > 2.0 * mech.bodies[box].mass * 9.81, "it has hit the ground"


def test_sensors_survive_yaml_and_mjcf(tmp_path):
    mech = pendulum()
    for ending in ("yaml", "xml"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            mech.save(tmp_path / f"m.{ending}")
            back = sarrus.load(tmp_path / f"m.{ending}")
        found = {name: sensor.kind for name, sensor in back.sensors.items()}
        assert found == {name: sensor["kind"] for name, sensor in SENSORS.items()}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"kind": "radar", "frame": "tip"}, "kind must be one of"),
        ({"kind": "gyroscope"}, "needs frame"),
        ({"kind": "gyroscope", "frame": "top"}, "no frame named 'top'"),
        ({"kind": "gyroscope", "frame": "tip", "body": "rod"}, "takes frame, not body"),
    ],
)
def test_what_is_no_sensor_is_refused_by_name(arguments, message):
    with pytest.raises(sarrus.MechanismError, match=f"sensor 's': .*{message}"):
        pendulum().add_sensor("s", **arguments)


def test_sensors_of_a_file_read_as_in_mujoco(tmp_path):
    text = """<mujoco><worldbody><body name="a" pos="0 0 1"><joint name="h" axis="0 1 0"/>
      <geom type="box" size=".2 .1 .05" pos=".2 0 0" mass="2"/>
      <body name="b" pos=".4 0 0"><joint name="k" axis="0 1 0" damping="0.1"/>
        <geom type="box" size=".1 .05 .05" pos=".1 0 0" mass="1"/>
        <site name="s" pos=".1 0 .02" euler="20 30 0"/>
      </body></body></worldbody>
      <sensor><accelerometer name="acc" site="s"/><gyro name="gyro" site="s"/><force name="force" site="s"/>
      <jointpos name="pos" joint="k"/><framepos name="place" objtype="site" objname="s"/>
      <rangefinder name="ray" site="s"/></sensor></mujoco>"""
    (tmp_path / "m.xml").write_text(text)
    with pytest.warns(sarrus.LossyImport, match="type rangefinder are not supported"):
        mech = sarrus.load(tmp_path / "m.xml")
    model = sarrus.build(mech)
    dt = 1e-4
    start = model.state({"h": 0.4, "k": 0.3})
    traj = sarrus.simulate(model, duration=0.01, dt=dt, state=start, reactions=True)
    peer = mujoco.MjModel.from_xml_path(str(tmp_path / "m.xml"))
    data = mujoco.MjData(peer)
    for name, width, slack in (("gyro", 3, 1e-6), ("pos", 1, 1e-9), ("place", 3, 1e-9), ("acc", 3, 1e-2),
                               ("force", 3, 1e-2)):  # fmt: skip
        k = 60
        data.qpos[:] = [traj.joint_position(j)[k] for j in "hk"]
        data.qvel[:] = [traj.joint_velocity(j)[k] for j in "hk"]
        mujoco.mj_forward(peer, data)
        first = peer.sensor_adr[peer.sensor(name).id]
        ours = np.atleast_1d(traj.sensor(name)[k])[:width]
        np.testing.assert_allclose(ours, data.sensordata[first : first + width], atol=slack)
