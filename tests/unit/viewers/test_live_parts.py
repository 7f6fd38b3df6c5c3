"""What live viewers are made of: arrows, trails, ranges of sliders, first views, windows of energy."""

from __future__ import annotations

import numpy as np
import pytest

import sarrus
from sarrus.analysis.timestep import keeps_energy
from sarrus.viewers.live.forces import JointPoints, arrows, weight
from sarrus.viewers.live.instant import TRAIL, Instant, Trail, smoothed
from sarrus.viewers.live.plots import prefixed
from sarrus.viewers.live.ranges import coordinate_range, input_ranges, nearest_turn, wrapped
from sarrus.viewers.live.run_window import floor_below
from sarrus.viewers.live.stage import coil, grouped, label
from sarrus.viewers.live.views import CORNER, first_view
from sarrus.viewers.scene import scene_of


def instant(time: float, x: float) -> Instant:
    return Instant(time, np.array([[x, 0.0, 0.0]]), np.array([[1.0, 0.0, 0.0, 0.0]]))


def test_arrows_leave_out_what_is_faint_or_not_finite():
    forces = np.zeros((3, 2, 3))
    forces[:, 1] = [(0.0, 0.0, 10.0), (0.0, 0.0, 1e-6), (0.0, 0.0, np.nan)]
    drawn = arrows(forces, 0.1)
    assert drawn.shape == (1, 2, 3)
    assert drawn[0, 1] == pytest.approx((0.0, 0.0, 1.0))
    assert arrows(np.zeros((0, 2, 3)), 0.1).shape == (0, 2, 3)


def test_a_trail_has_an_end_and_starts_anew_when_time_goes_back():
    trail = Trail()
    trail.add(instant(0.0, 0.0))
    assert len(trail.points) == 0
    trail.follow(0)
    for k in range(TRAIL + 50):
        trail.add(instant(0.01 * k, float(k)))
    assert len(trail.points) == TRAIL
    trail.add(instant(0.0, 0.0))
    assert len(trail.points) == 1


def test_joint_points_move_with_turned_children():
    mech = sarrus.Mechanism()
    half = np.sqrt(0.5)
    mech.add_body(
        "a", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(1.0, 0.0, 0.0), orientation=(half, 0, 0, half)
    )
    mech.add_joint("j", "revolute", parent="world", child="a", at=(0.0, 0.5, 0.0), axis=(0, 0, 1))
    model = sarrus.build(mech)
    state = model.state({"j": 0.7})
    force = JointPoints(model).forces(state.position, state.orientation, np.ones((1, 6)))
    assert force[0, 0] == pytest.approx((0.0, 0.5, 0.0), abs=1e-12)


def test_sliders_of_joints_keep_to_limits_and_go_round_without_them():
    mech = sarrus.gallery.make("quadruped", limits=True)
    where = coordinate_range(mech, "FR_calf", 0, 1.0)
    low, high = mech.limits["FR_calf"].lower[0], mech.limits["FR_calf"].upper[0]
    assert low < where.low < where.high < high
    assert not where.turns
    free = coordinate_range(sarrus.gallery.quadruped(), "FR_calf", 0, 1.0)
    assert (free.low, free.high, free.turns) == (-np.pi, np.pi, True)
    assert free.nearest(7.0) == np.pi


def test_a_limit_on_one_side_leaves_the_other_open():
    mech = sarrus.Mechanism()
    mech.add_body("a", mass=1.0, inertia=(1.0, 1.0, 1.0))
    mech.add_joint("slide", "prismatic", parent="world", child="a", at=(0, 0, 0), axis=(1, 0, 0))
    mech.add_limit("stop", "slide", lower=5.0)
    where = coordinate_range(mech, "slide", 0, 0.5)
    assert where.unit == "m"
    assert 5.0 < where.low < where.high <= 5.5


def test_sliders_of_inputs_have_the_units_of_what_they_set():
    mech = sarrus.Mechanism()
    mech.add_body("a", mass=1.0, inertia=(1.0, 1.0, 1.0))
    mech.add_joint("hinge", "revolute", parent="world", child="a", at=(0, 0, 0), axis=(1, 0, 0))
    mech.add_motor("torque", "hinge", limit=3.0)
    mech.add_motor("servo", "hinge", mode="servo", stiffness=1.0)
    mech.add_force("push", "a")
    model = sarrus.build(mech)
    ((_, torque),) = input_ranges(mech, model, "torque", 1.0)
    assert (torque.low, torque.high, torque.unit) == (-3.0, 3.0, "N m")
    ((_, servo),) = input_ranges(mech, model, "servo", 1.0)
    assert (servo.unit, servo.high) == ("rad", np.pi)
    push = input_ranges(mech, model, "push", 1.0)
    assert [where.unit for _, where in push] == ["N"] * 3 + ["N m"] * 3
    assert push[0][1].high == pytest.approx(weight(model))


def test_angles_wrap_and_unwrap():
    assert wrapped(7.0) == pytest.approx(7.0 - 2.0 * np.pi)
    assert nearest_turn(wrapped(20.0), 19.5) == pytest.approx(20.0)


def test_units_get_a_prefix_that_makes_numbers_readable():
    assert prefixed(12.0) == (1.0, "")
    assert prefixed(0.02) == (1e3, "m")
    assert prefixed(0.0)[1] == "p"


def test_only_a_mechanism_that_keeps_its_energy_has_an_energy_error():
    def keeps(name):
        mech = sarrus.gallery.make(name)
        return keeps_energy(mech, sarrus.build(mech).contacts.any)

    assert keeps("four_bar")
    assert not keeps("box_drop")
    assert not keeps("quadruped")


def test_a_planar_mechanism_is_seen_along_its_axes_and_others_from_a_corner():
    azimuth, elevation = first_view(sarrus.gallery.make("four_bar"))
    axis = next(iter(sarrus.gallery.make("four_bar").joints.values())).axis
    direction = np.array([np.cos(azimuth), np.sin(azimuth), 0.0]) * np.cos(elevation)
    assert abs(direction @ axis) > 0.85
    assert first_view(sarrus.gallery.make("quadruped")) == CORNER


def test_parts_of_one_look_become_one_mesh_and_none_is_lost():
    scene = scene_of(sarrus.gallery.make("quadruped"))
    groups = grouped(scene.parts)
    assert len(groups) < len(scene.parts)
    assert sum(len(part.faces) for group in groups for part in group) == sum(
        len(p.faces) for p in scene.parts
    )


def test_a_slash_in_a_name_begins_no_other_node():
    assert "/" not in label(3, "arm/left")


def test_a_spring_is_drawn_from_end_to_end():
    a, b = np.array([0.0, 0.0, 0.0]), np.array([0.0, 0.0, 2.0])
    way = coil(a, b, 0.1)
    assert np.array_equal(way[[0, -1]], [a, b])
    assert np.abs(way[:, :2]).max() == pytest.approx(0.1)


def test_a_trail_is_rounded_where_it_bends_and_left_alone_where_it_does_not():
    straight = np.linspace((0.0, 0.0, 0.0), (1.0, 2.0, 3.0), 9)
    assert smoothed(straight) == pytest.approx(straight)
    angle = np.linspace(0.0, 2.0 * np.pi, 25)
    circle = np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    way = smoothed(circle)
    assert len(way) > 3 * len(circle)
    # Corners of 15 degrees would cut the circle by 1 - cos(7.5 degrees) = 8.6e-3.
    assert np.abs(np.linalg.norm(way[8:-8], axis=1) - 1.0).max() < 3e-4


def test_a_floor_lies_below_what_hangs_and_nowhere_else():
    def floor(name: str, **parameters) -> float | None:
        mech = sarrus.gallery.make(name, **parameters)
        return floor_below(mech, scene_of(mech))

    assert floor("pendulum", links=3) < -3.0
    assert floor("box_drop") is None  # it has ground
    assert floor("t_handle") is None  # there is no gravity
    falling = sarrus.Mechanism()
    falling.add_body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1))
    assert floor_below(falling, scene_of(falling)) is None
