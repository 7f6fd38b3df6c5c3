"""Height fields: their grid, their convex cells, their surface, and how they are kept in files."""

import numpy as np
import pytest

import sarrus
from sarrus import HeightField
from sarrus.errors import MechanismError
from sarrus.mechanism.meshes import hull

ROUNDING = 1e-12
HILLS = 0.3 * np.random.default_rng(4).random((4, 6))


def height(field, x, y):
    """Height of the union of the cells over a point: the largest of the planes' lowest over each cell."""
    best = -np.inf
    for cell in field.cells():
        low, high = cell.points.min(axis=0), cell.points.max(axis=0)
        if low[0] <= x <= high[0] and low[1] <= y <= high[1]:
            planes = hull(cell.points).planes
            up = planes[planes[:, 2] > 1e-9]
            best = max(best, np.min(-(up[:, :2] @ (x, y) + up[:, 3]) / up[:, 2]))
    return best


def test_the_points_of_the_grid_cover_the_size_and_have_the_heights():
    points = HeightField(HILLS, (3.0, 2.0)).points
    assert points.shape == (4, 6, 3)
    np.testing.assert_allclose(points[0, 0], (-1.5, -1.0, HILLS[0, 0]))
    np.testing.assert_allclose(points[-1, 2], (1.5, -1.0 + 2 * 0.4, HILLS[-1, 2]))


def test_every_cell_is_a_prism_of_its_four_corners_down_to_the_depth():
    field = HeightField(HILLS, (3.0, 2.0), 0.7, at=(1.0, 2.0, 3.0))
    cells = field.cells()
    assert len(cells) == 3 * 5
    for cell in cells:
        np.testing.assert_array_equal(cell.at, field.at)
        assert np.all(np.sort(cell.points[:, 2])[:4] == HILLS.min() - 0.7)
        np.testing.assert_array_equal(cell.points[:4, :2], cell.points[4:, :2])
        assert len(hull(cell.points).corners) == 8
    assert HeightField(HILLS, (3.0, 2.0)).cells()[0].points[:, 2].min() == HILLS.min() - 3.0


def test_the_surface_that_is_drawn_is_the_upper_side_of_the_cells():
    field = HeightField(HILLS, (3.0, 2.0))
    vertices, faces = field.surface()
    assert len(faces) == 2 * 3 * 5
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    assert np.all(np.cross(b - a, c - a)[:, 2] > 0.0)
    rng = np.random.default_rng(0)
    for face in faces:
        x, y, z = rng.dirichlet((1.0, 1.0, 1.0)) @ vertices[face]
        assert height(field, x, y) == pytest.approx(z, abs=ROUNDING)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1.0, 2.0], (1.0, 1.0)), "heights must be N x N finite numbers"),
        (([[1.0, 2.0]], (1.0, 1.0)), "heights must be at least 2 x 2 numbers, not 1 x 2"),
        (([[1.0, 2.0], [np.nan, 0.0]], (1.0, 1.0)), "heights must be N x N finite numbers"),
        ((HILLS, (1.0, 0.0)), "size must be 2 positive edges, not [1.0, 0.0]"),
        ((HILLS, (1.0, 1.0, 1.0)), "size must be 2 finite numbers"),
        ((HILLS, (1.0, 1.0), 0.0), "depth must be positive and finite, not 0.0"),
    ],
)
def test_fields_that_are_none_are_refused(arguments, message):
    with pytest.raises(MechanismError) as caught:
        HeightField(*arguments)
    assert message in str(caught.value)


def test_a_body_cannot_carry_one():
    mech = sarrus.Mechanism()
    with pytest.raises(
        MechanismError, match="a HeightField is fixed in the world: use add_ground or add_obs"
    ):
        mech.add_body("b", mass=1.0, shapes=[HeightField(HILLS, (1.0, 1.0))])


def landscape():
    mech = sarrus.Mechanism()
    mech.add_body("ball", mass=1.0, position=(0.0, 0.0, 1.0), shapes=[sarrus.Sphere(0.1)])
    mech.add_obstacle("hills", HeightField(HILLS, (3.0, 2.0), 0.7, at=(0.1, 0.0, 0.0)), friction=0.4)
    return mech


def test_a_height_field_is_kept_by_files_of_mechanisms_and_of_runs(tmp_path):
    mech = landscape()
    mech.save(tmp_path / "hills.yaml")
    run = sarrus.simulate(sarrus.build(mech), duration=0.02, dt=0.01)
    run.save(tmp_path / "run.npz")
    again = sarrus.load_trajectory(tmp_path / "run.npz").model.mechanism
    for other in (sarrus.load(tmp_path / "hills.yaml"), again):
        shape = other.obstacles["hills"].shape
        np.testing.assert_array_equal(shape.heights, HILLS)
        np.testing.assert_array_equal(shape.at, (0.1, 0.0, 0.0))
        assert (tuple(shape.size), shape.depth) == ((3.0, 2.0), 0.7)


def test_mjcf_cannot_say_it_and_tells_so(tmp_path):
    with pytest.warns(sarrus.LossySave, match="hills"):
        landscape().save(tmp_path / "hills.xml")
