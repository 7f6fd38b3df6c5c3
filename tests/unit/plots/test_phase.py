"""Phase portraits and Poincare sections: what is drawn, with which labels."""

from __future__ import annotations

import numpy as np
import pytest
from tests.unit.plots.test_figures import ManyJoints, entries
from tests.unit.trajectory.swing import swing
from tests.unit.trajectory.test_sections import oscillators

from sarrus import plots
from sarrus.errors import MechanismError, UnknownName
from sarrus.plots.phase import in_powers, wrapped
from sarrus.plots.style import new_figure
from sarrus.trajectory.sections import crossings


def drawn(figure):
    """The axes that are visible."""
    return [axes for axes in figure.axes if axes.get_visible()]


def test_a_phase_portrait_shows_velocity_over_position_with_units():
    (axes,) = drawn(plots.phase_portrait(swing(), "hinge", wrap=False))
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("position [rad]", "velocity [rad/s]")
    np.testing.assert_array_equal(axes.lines[0].get_xdata(), swing().joint_position("hinge"))
    np.testing.assert_array_equal(axes.lines[0].get_ydata(), swing().joint_velocity("hinge"))
    assert entries(axes) == ["start", "end"]


def test_an_angle_that_turns_is_wrapped_and_the_line_interrupted():
    traj = swing(701)
    (axes,) = drawn(plots.phase_portrait(traj))
    x = axes.lines[0].get_xdata()
    assert np.nanmax(np.abs(x)) <= np.pi
    assert np.isnan(x).sum() == np.sum(np.abs(np.diff(wrapped(traj.joint_position("hinge")))) > np.pi) > 0


def test_twelve_portraits_stand_side_by_side_and_the_title_counts_the_others():
    figure = plots.phase_portrait(swing(model=ManyJoints()))
    assert len(drawn(figure)) == 12
    assert "(12 of 14 coordinates)" in figure.get_suptitle()
    one = plots.phase_portrait(swing(model=ManyJoints()), ("pipe", "distance"))
    assert drawn(one)[0].get_xlabel() == "position [m]"
    with pytest.raises(UnknownName, match="no joint named 'elbow'"):
        plots.phase_portrait(swing(), ["elbow"])


def test_a_section_shows_the_crossings():
    traj = oscillators(duration=20.0)
    figure = plots.poincare(traj, section=("first", 0.0, "up"), show=("second",))
    (axes,) = figure.axes
    q, v = crossings(traj, "first", 0.0, "up").of("second")
    np.testing.assert_array_equal(axes.lines[0].get_xdata(), q)
    np.testing.assert_array_equal(axes.lines[0].get_ydata(), v)
    assert axes.get_xlabel() == "second [m]"
    assert axes.get_ylabel() == "velocity of second [m/s]"
    assert figure.get_suptitle() == f"oscillators: {len(q)} crossings of first = 0 m, upwards"


def test_several_runs_share_a_section_and_have_a_legend():
    traj = oscillators(duration=5.0)
    figure = plots.poincare({"one": traj, "other": traj}, ("first", 0.1, "both"), ("first", "second"))
    assert len(figure.axes) == 2
    assert entries(figure.axes[1]) == ["one", "other"]


def test_without_a_section_the_first_coordinate_makes_one():
    figure = plots.poincare(oscillators(duration=5.0))
    assert "of first = " in figure.get_suptitle()
    assert figure.axes[0].get_xlabel() == "second [m]"


def test_a_section_that_is_never_crossed_is_said():
    with pytest.raises(MechanismError, match="no crossing of the section first = 7 m, upwards"):
        plots.poincare(oscillators(duration=1.0), ("first", 7.0, "up"))
    with pytest.raises(MechanismError, match="two joint coordinates"):
        plots.poincare(swing())


@pytest.mark.parametrize(
    ("largest", "power"), [(2e-7, "1e-09 "), (3e-5, "1e-06 "), (0.5, ""), (4e7, "1e+06 ")]
)
def test_powers_of_ten_are_in_the_label_not_beside_the_axis(largest, power):
    axes = new_figure(2.0, 2.0).subplots()
    axes.plot([0.0, largest], [0.0, 1.0])
    assert in_powers(axes.xaxis, np.array([0.0, -largest])) == power
    axes.figure.draw_without_rendering()
    if power:
        assert axes.xaxis.get_offset_text().get_text() == ""
        assert float(axes.get_xticklabels()[1].get_text().replace("−", "-")) * float(power) == pytest.approx(
            axes.get_xticks()[1]
        )
