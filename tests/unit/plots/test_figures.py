"""Figures of a trajectory: what is drawn, with which labels, and no trace in pyplot."""

import os
import subprocess
import sys

import numpy as np
import pytest
from tests.unit.trajectory.swing import SwingModel, swing

from sarrus import plots
from sarrus.errors import FileError, MechanismError, SarrusError, UnknownName
from sarrus.plots.panels import Labelled, conserves, named_lines, together
from sarrus.plots.style import look_of, new_figure, thin

PNG = b"\x89PNG"
MOTION = ("time", "position", "orientation", "velocity", "angular_velocity")


class ManyJoints(SwingModel):
    """The swing's model as if it had 12 hinges, and one joint of two coordinates."""

    def __init__(self) -> None:
        super().__init__()
        for k in range(1, 12):
            self.mechanism.add_joint(f"hinge {k}", "revolute", "world", "rod", at=(0, 0, 0), axis=(1, 0, 0))
        self.mechanism.add_joint("pipe", "cylindrical", "world", "rod", at=(0, 0, 0), axis=(1, 0, 0))
        self.mechanism.add_joint("weld", "fixed", "world", "rod", at=(0, 0, 0))
        self.joint_names = tuple(self.mechanism.joints)
        widths = [2 if name == "pipe" else 0 if name == "weld" else 1 for name in self.joint_names]
        ends = np.cumsum(widths)
        self.joint_slices = {
            n: slice(e - w, e) for n, e, w in zip(self.joint_names, ends, widths, strict=True)
        }

    def coordinates_of(self, *motion, winding=None):
        q, rate = super().coordinates_of(*motion)
        return q * np.linspace(1.0, 2.0, 14), rate * np.ones(14)


def labels(figure):
    """The y labels of all axes."""
    return [axes.get_ylabel() for axes in figure.axes]


def entries(axes):
    """The texts of the legend."""
    return [text.get_text() for text in axes.get_legend().get_texts()]


def test_the_overview_shows_energy_violation_joints_and_solver():
    figure = swing().plot()
    assert labels(figure) == [
        "energy change E − E(0) [J]",
        "violation [m, rad]",
        "joint coordinates [rad]",
        "number per step",
    ]
    energy, violation, joints, solver = figure.axes
    assert violation.get_yscale() == "log"
    assert joints.get_xlabel() == solver.get_xlabel() == "time [s]"
    assert entries(joints) == ["hinge"]
    assert entries(solver) == ["Newton iterations", "substeps, 1 step divided"]
    assert solver.get_title("left").startswith("Newton iterations per step: 2.50 on average")
    np.testing.assert_array_equal(energy.lines[0].get_ydata(), swing().energy().error)
    assert figure.get_suptitle() == "swing: variational, dt 0.01 s"


def test_the_legend_names_eight_coordinates_and_counts_the_others():
    angles, distances = plots.joint_coordinates(swing(model=ManyJoints())).axes
    assert len(angles.lines) == 13
    assert entries(angles) == ["hinge", *(f"hinge {k}" for k in range(1, 8)), "5 more"]
    assert angles.get_ylabel() == "joint coordinates [rad]"
    assert distances.get_ylabel() == "joint coordinates [m]"
    assert entries(distances) == ["pipe: distance"]


def test_chosen_joints_are_drawn_by_coordinate():
    figure = plots.joint_coordinates(swing(model=ManyJoints()), joints=["pipe", "hinge 3"])
    assert [entries(axes) for axes in figure.axes] == [["pipe: angle", "hinge 3"], ["pipe: distance"]]
    with pytest.raises(UnknownName, match="no joint named 'pip'"):
        plots.joint_coordinates(swing(model=ManyJoints()), joints=["pip"])


@pytest.mark.parametrize(
    ("draw", "expected"),
    [
        (plots.energy, ["energy [J]", "energy change E − E(0) [J]"]),
        (plots.joint_velocities, ["joint velocities [rad/s]"]),
        (plots.violation, ["violation [m, rad]"]),
        (plots.iterations, ["number per step"]),
        (plots.momentum, ["linear momentum [kg m/s]", "angular momentum [kg m²/s]"]),
    ],
)
def test_single_figures_have_their_units(draw, expected):
    figure = draw(swing())
    assert labels(figure) == expected
    assert all(axes.lines for axes in figure.axes)


def test_up_to_twelve_coordinates_stand_side_by_side():
    names = [f"hinge {k}" for k in range(1, 8)]
    figure = plots.joint_coordinates(swing(model=ManyJoints()), joints=names)
    assert [axes.get_title("left") for axes in figure.axes if axes.get_visible()] == names
    assert {axes.get_ylabel() for axes in figure.axes if axes.get_visible()} == {"[rad]"}


def plain(label: str, path: np.ndarray) -> Labelled:
    """A line in the first colour."""
    return Labelled(label, path, look_of(0))


def test_lines_that_coincide_are_drawn_once_and_named_together():
    path = np.linspace(0.0, 1.0, 50)
    drawn = together(
        [plain("a", path), plain("b", -path), plain("c", path + 1e-5), plain("d", path), plain("e", path)]
    )
    assert [each.label for each in drawn] == ["a = c = d = 1 more", "b"]


def test_energy_is_an_error_only_where_nothing_adds_or_takes_it():
    traj = swing()
    assert not conserves(traj)
    traj.model.mechanism.motors.clear()
    assert conserves(traj)
    assert "error" in plots.energy(traj).axes[1].get_ylabel()


def test_the_violation_figure_names_the_joints():
    assert entries(plots.violation(swing()).axes[0]) == ["hinge", "largest of all"]


def test_exact_zeros_stay_on_a_logarithmic_axis():
    model = SwingModel()
    model.residuals = lambda position, orientation, winding: np.zeros((len(position), 3))
    drawn = swing(model=model).plot().axes[1].lines[0].get_ydata()
    assert np.all(drawn > 0.0)


def test_a_path_is_written_and_the_figure_returned(tmp_path):
    path = tmp_path / "run.png"
    figure = swing().plot(path)
    assert path.read_bytes().startswith(PNG)
    assert len(figure.axes) == 4


def test_figures_leave_no_trace_in_pyplot(tmp_path):
    import matplotlib.pyplot as plt

    before = plt.get_fignums()
    swing().plot(tmp_path / "run.png")
    assert plt.get_fignums() == before


def test_showing_uses_one_window_and_closes_it(monkeypatch):
    import matplotlib.pyplot as plt

    shown = []
    monkeypatch.setattr(plt, "show", lambda: shown.append(plt.get_fignums()))
    before = plt.get_fignums()
    figure = swing().plot(show=True)
    assert len(shown[0]) == len(before) + 1
    assert plt.get_fignums() == before
    assert len(figure.axes) == 4


def test_a_picture_that_cannot_be_written_is_told_by_path(tmp_path):
    with pytest.raises(FileError, match=r"run\.png: cannot be written"):
        swing().plot(tmp_path / "missing" / "run.png")
    with pytest.raises(FileError, match=r"run\.xyz: .*xyz"):
        swing().plot(tmp_path / "run.xyz")
    assert not list(tmp_path.iterdir())


def test_a_trajectory_without_nodes_has_no_plot():
    empty = swing(101)
    nothing = type(empty)(empty.model, "variational", 0.01, *(getattr(empty, n)[:0] for n in MOTION))
    with pytest.raises(MechanismError, match="nothing to plot"):
        nothing.plot()


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(SarrusError, match=r"pip install 'sarrus\[plot\]'"):
        swing().plot()


def test_long_lines_are_drawn_as_their_envelope():
    time = np.linspace(0.0, 1.0, 100_000)
    values = np.zeros_like(time)
    values[31_416], values[77_777] = 5.0, -3.0
    drawn_time, drawn = thin(time, values)
    assert len(drawn) == len(drawn_time) < 10_000
    assert (drawn.max(), drawn.min()) == (5.0, -3.0)
    assert abs(drawn_time[drawn.argmax()] - time[31_416]) < 1e-3
    assert np.all(np.diff(drawn_time) >= 0.0)


def test_matplotlib_is_not_loaded_with_the_room():
    code = "import sarrus.plots, sarrus.trajectory, sys; sys.exit('matplotlib' in sys.modules)"
    paths = {"PYTHONPATH": os.pathsep.join(sys.path)}
    assert subprocess.run([sys.executable, "-c", code], env=os.environ | paths, check=False).returncode == 0


def touched(joint):
    """A made-up run of a ball that lies on the floor, and a rod on a hinge where `joint`."""
    import sarrus
    from sarrus.trajectory import Stats, Trajectory

    mech = sarrus.Mechanism(name="ball")
    mech.add_body("ball", mass=1.0, position=(0, 0, 0.5), shapes=[sarrus.Sphere(0.5)])
    mech.add_ground(name="floor")
    if joint:
        mech.add_joint("slide", "prismatic", parent="world", child="ball", at=(0, 0, 0), axis=(0, 0, 1))
    model = sarrus.build(mech)
    state = model.initial_state()
    motion = [
        np.repeat(array[None], 4, axis=0)
        for array in (state.position, state.orientation, state.velocity, state.angular_velocity)
    ]
    motion[0][:, 0, 2] += [0.1, 1e-9, -1e-7, 1e-9]
    records = np.zeros((2, 12))
    records[:, 0], records[:, 1], records[:, 8] = [1, 1], [1, 2], [0.1, 0.2]
    counts = np.ones(3, int)
    return Trajectory(
        model, "variational", 0.1, 0.1 * np.arange(4), *motion,
        Stats(counts, counts, 0 * counts, 0 * counts, momentum_iterations=counts), touch_records=records,
    )  # fmt: skip


def test_the_overview_of_a_run_with_contacts_shows_forces_and_gap():
    figure = plots.overview(touched(joint=True))
    assert labels(figure)[-2:] == ["contact force [N]", "smallest gap [m]"]
    assert len(figure.axes) == 6
    forces, gap = figure.axes[-2:]
    assert entries(forces) == ["ball"]
    np.testing.assert_allclose(forces.get_lines()[0].get_ydata(), [0.0, 1.0, 2.0, 0.0])
    assert entries(gap) == ["gap", "overlap"]
    assert any("momentum stage" in text for text in entries(figure.axes[3]))


def test_the_overview_leaves_out_joints_where_there_are_none():
    assert labels(plots.overview(touched(joint=False))) == [
        "energy change E − E(0) [J]",
        "number per step",
        "contact force [N]",
        "smallest gap [m]",
    ]


def test_the_overview_of_a_free_body_shows_its_momenta():
    import sarrus

    traj = sarrus.simulate(sarrus.build(sarrus.gallery.t_handle()), duration=0.1, dt=0.01)
    assert labels(plots.overview(traj)) == [
        "energy error E − E(0) [J]",
        "number per step",
        "linear momentum [kg m/s]",
        "angular momentum [kg m²/s]",
    ]


def test_contacts_have_a_figure_of_their_own():
    assert labels(plots.contacts(touched(joint=False))) == ["contact force [N]", "smallest gap [m]"]
    with pytest.raises(MechanismError, match="'swing' has no contacts to plot"):
        plots.contacts(swing())


def test_long_names_in_a_legend_push_no_panel_away():
    path = np.linspace(0.0, 1.0, 50)
    names = [f"trunk free: rotation of the {which} axis" for which in ("first", "second", "third")]
    assert together([plain(name, path) for name in names])[0].label == f"{names[0]} = 2 more"
    widths = []
    for name in ("a", "a joint with a name that is wider than the panel in which it is drawn, by far"):
        figure = new_figure(6.0, 2.0)
        left, _ = figure.subplots(1, 2)
        named_lines(left, path, [plain(name, path)])
        figure.draw_without_rendering()
        widths.append(left.get_position().width)
    assert widths[1] == pytest.approx(widths[0], rel=1e-6)
