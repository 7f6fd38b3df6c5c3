"""Models travel between processes: pickled and read back they run to the same bits."""

import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import sarrus

DT = 0.01


def on_a_circle(x, q, p, out):
    out[0] = x[0, 0] ** 2 + x[0, 2] ** 2 - p[0] ** 2


def along_the_circle(x, q, p, out):
    out[0, 0, 0] = 2.0 * x[0, 0]
    out[0, 0, 2] = 2.0 * x[0, 2]


def drag(t, x, q, v, w, p, out):
    for k in range(3):
        out[0, k] = -p[0] * v[0, k]


def well(x, q, p):
    return 0.5 * p[0] * x[0, 1] ** 2


def down_the_well(x, q, p, out):
    out[0, 1] = p[0] * x[0, 1]


def bead(force=drag):
    """A bead on a hoop of the user's, with a force and a potential of the user's."""
    mech = sarrus.Mechanism(name="bead")
    mech.add_body("bead", 1.0, (0.1, 0.1, 0.1), position=(1, 0, 0), velocity=(0, 0.3, 0))
    mech.add_constraint("hoop", ["bead"], on_a_circle, 1, [1.0], jacobian=along_the_circle)
    mech.add_custom_force("air", ["bead"], force, parameters=[0.2])
    mech.add_potential("well", ["bead"], well, [4.0], gradient=down_the_well)
    return mech


def assert_same_bits(one, other):
    for what in ("time", "position", "orientation", "velocity", "angular_velocity"):
        assert np.array_equal(getattr(one, what), getattr(other, what)), what


def test_a_model_with_functions_of_the_user_runs_to_the_same_bits_after_pickling():
    model = sarrus.build(bead())
    expected = sarrus.simulate(model, 1.0, DT)
    again = pickle.loads(pickle.dumps(model))
    assert again.description.addresses != model.description.addresses  # compiled anew
    assert_same_bits(sarrus.simulate(again, 1.0, DT), expected)
    assert again.potential_energy(expected.position, expected.orientation) == pytest.approx(
        model.potential_energy(expected.position, expected.orientation), abs=0.0
    )


def test_a_model_with_functions_of_the_user_runs_in_another_process(tmp_path):
    model = sarrus.build(bead())
    (tmp_path / "functions.py").write_text(Path(__file__).read_text("utf-8"))
    script = (
        "import pickle, sys, functions, sarrus\n"
        "model = sarrus.build(functions.bead())\n"
        "sys.stdout.buffer.write(pickle.dumps((model, sarrus.simulate(model, 0.2, 0.01).position)))\n"
    )
    told = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, check=True)
    sys.path.insert(0, str(tmp_path))
    try:
        there, position = pickle.loads(told.stdout)
    finally:
        sys.path.remove(str(tmp_path))
        sys.modules.pop("functions", None)
    assert np.array_equal(sarrus.simulate(there, 0.2, DT).position, position)
    assert np.array_equal(sarrus.simulate(model, 0.2, DT).position, position)


def test_a_model_without_functions_runs_to_the_same_bits_after_pickling():
    model = sarrus.build(sarrus.gallery.four_bar())
    expected = sarrus.simulate(model, 0.5, DT)
    again = pickle.loads(pickle.dumps(model))
    assert not again.masses.flags.writeable
    assert_same_bits(sarrus.simulate(again, 0.5, DT), expected)


def test_a_function_that_cannot_be_pickled_is_refused_by_the_name_of_its_term():
    def local(t, x, q, v, w, p, out):
        out[0, 0] = 0.0

    for force, told in ((local, r"<locals>\.local"), (lambda t, x, q, v, w, p, out: None, "<lambda>")):
        model = sarrus.build(bead(force))
        with pytest.raises(
            sarrus.MechanismError, match=rf"force 'air': .*{told} cannot be pickled.*top level"
        ):
            pickle.dumps(model)
