"""Faults in YAML files: the message names the file, the line, the entry, and what would be valid."""

from __future__ import annotations

import numpy as np
import pytest

import sarrus
from sarrus.importers.yaml import nodes as yaml_nodes
from sarrus.importers.yaml.reader import read_yaml

BODY = "sarrus: 1\nbodies:\n  rod: {mass: 1, inertia: [1, 1, 1]}\n"
HINGE = BODY + "joints:\n  hinge:\n    kind: revolute\n    parent: world\n    child: rod\n"


def message(tmp_path, text: str | bytes, **options) -> str:
    path = tmp_path / "m.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    with pytest.raises(sarrus.FileError) as fault:
        read_yaml(path, **options)
    return str(fault.value).replace(f"{tmp_path}/", "")


def shaped(text: str) -> str:
    """The body with one shape."""
    return BODY.replace("]}", "], shapes: [{" + text + "}]}")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("bodies: {}\n", "m.yaml, line 1: not a mechanism: the line 'sarrus: 1' is missing"),
        (
            "sarrus: 2\n",
            "m.yaml, line 1, sarrus: version 2 of the format is not supported; this release reads 1",
        ),
        ("sarrus: 1\nbodys: {}\n", "m.yaml, line 2: no key named 'bodys'; known: 'bodies'"),
        ("- 1\n", "m.yaml, line 1: the file must be a table"),
        ("# nothing\n", "m.yaml: holds nothing but comments"),
        ("sarrus: 1\nbodies: [1]\n", "m.yaml, line 2, bodies: bodies must be a table"),
        ("sarrus: 1\nbodies:\n  rod: 3\n", "m.yaml, line 3, bodies/rod: bodies/rod must be a table"),
        ("sarrus: 1\ngravity: [0, 0]\n", "m.yaml, line 2: mechanism 'mechanism': gravity must be 3 finite"),
        (BODY.replace("mass", "mas"), "line 3, bodies/rod: no key named 'mas'; known: 'mass'"),
        (
            BODY.replace("mass: 1", "mass: heavy"),
            "line 3, bodies/rod: body 'rod': mass must be a number, not 'heavy'",
        ),
        (BODY.replace("mass: 1", "mass: .nan"), "mass must be positive and finite, not nan"),
        (BODY.replace("mass: 1", "mass: .inf"), "mass must be positive and finite, not inf"),
        (BODY.replace("mass: 1", "mass: true"), "mass must be a number, not True"),
        (HINGE, "m.yaml, line 5, joints/hinge: joint 'hinge': a revolute joint needs axis"),
        (
            HINGE + "    at: [0, 0, x]\n    axis: [1, 0, 0]\n",
            "m.yaml, line 9, joints/hinge: joint 'hinge': at must be",
        ),
        (
            HINGE.replace("rod\n", "rdo\n") + "    axis: [1, 0, 0]\n",
            "no body named 'rdo'; known: 'rod', 'world'",
        ),
        (
            HINGE.replace("    kind: revolute\n", ""),
            "line 5, joints/hinge: kind is missing; it may be 'fixed'",
        ),
        (
            HINGE.replace("revolute", "revolut"),
            "m.yaml, line 6, joints/hinge: no kind named 'revolut'; known: 'revolute'",
        ),
        (
            HINGE.replace("    parent: world\n", ""),
            "line 5, joints/hinge: parent missing; the entry takes 'kind'",
        ),
        (HINGE + "    axs: 1\n", "m.yaml, line 9, joints/hinge: no key named 'axs'; known: 'axis'"),
        (HINGE.replace("parent: world", "parent: [a]"), "line 7, joints/hinge: parent must be a name"),
        (BODY + "exclusions: [[rod]]\n", "line 4, exclusions[0]: an exclusion must name two"),
        (BODY + "contacts: {a: 1}\n", "line 4, contacts: contacts must be a list"),
        (shaped("size: [1, 1, 1]"), "bodies/rod/shapes[0]: kind is missing; it may be 'sphere'"),
        (shaped("kind: bix"), "no kind of shape named 'bix'; known: 'box'"),
        (shaped("kind: box"), "bodies/rod/shapes[0]: size missing"),
        (shaped("kind: box, size: [1, 0, 1]"), "Box: size must be 3 positive edges"),
        (shaped("kind: box, radius: 1"), "no key named 'radius'; known: 'size'"),
    ],
)
def test_a_fault_is_named_with_its_line_and_entry(tmp_path, text, said):
    assert said in message(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sarrus: 1\nbodies: {a: [1, 2}\n", "m.yaml, line 2: not valid YAML"),
        ("sarrus: 1\n\tname: x\n", "m.yaml, line 2: not valid YAML"),
        ("sarrus: 1\nname: a\nname: b\n", "m.yaml, line 3: the key 'name' is there already, on line 2"),
        ("sarrus: 1\nname: &x a\n", "m.yaml, line 2: anchors and aliases are not read (&x)"),
        ("sarrus: 1\nname: *x\n", "m.yaml, line 2: anchors and aliases are not read (*x)"),
        ("sarrus: 1\nname: !!python/object/apply:os.system [ls]\n", "m.yaml, line 2: tags are not read"),
        ("sarrus: 1\nname: !!str a\n", "m.yaml, line 2: tags are not read"),
        ("sarrus: 1\n---\nsarrus: 1\n", "a second document begins"),
        ("sarrus: 1\n? [a]\n: 1\n", "m.yaml, line 2: a key must be a word"),
        ("sarrus: 1\nname: " + "[" * 40 + "]" * 40 + "\n", "m.yaml, line 2: nested more than 16 levels deep"),
        (b"sarrus: 1\nname: \xff\n", "m.yaml, line 2: is not UTF-8 text"),
        (b"sarrus: 1\nname: \x00\n", "m.yaml, line 2: contains a zero byte"),
        (b"", "m.yaml: is empty"),
    ],
)
def test_what_is_not_plain_data_is_refused(tmp_path, text, said):
    assert said in message(tmp_path, text)


RAGGED = "[[1, 0, 0], [0, 1], [0, 0, 1]]"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            BODY.replace("[1, 1, 1]", RAGGED),
            "line 3, bodies/rod: inertia: all rows of a list must have the same",
        ),
        (
            shaped(f"kind: convex_mesh, points: {RAGGED}"),
            "points: all rows of a list must have the same length",
        ),
        (BODY + "keyframes: {k: {joints: {h: [1, [2]]}}}\n", "keyframes/k: joints: all rows of a list must"),
        (BODY + "potentials: {p: {bodies: {}, energy: e}}\n", "potentials/p: bodies must be a name"),
        (
            BODY + "potentials: {p: {bodies: null, energy: e}}\n",
            "potentials/p: bodies missing; the entry",
        ),
    ],
)
def test_lists_that_are_no_arrays_are_refused(tmp_path, text, said):
    assert said in message(tmp_path, text, functions={"e": abs} if "energy" in text else None)


def test_a_deep_file_does_not_exhaust_the_stack(tmp_path):
    assert "nested more than" in message(tmp_path, "sarrus: 1\nname: " + "[" * 200_000)


def test_a_file_with_too_many_values_is_refused_while_it_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(yaml_nodes, "MAX_VALUES", 100)
    assert "line 2: more than 100 values" in message(tmp_path, "sarrus: 1\ngravity: [" + "1, " * 200 + "1]\n")


def test_a_file_that_is_too_large_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(yaml_nodes, "MAX_YAML_BYTES", 10)
    assert "too large" in message(tmp_path, BODY)


def test_a_message_about_a_large_array_stays_short(tmp_path):
    points = ", ".join("[x, 0, 0]" for _ in range(5000))
    text = shaped("kind: convex_mesh, points: [" + points + "]")
    assert len(message(tmp_path, text)) < 1500


WIND = BODY + "custom_forces:\n  wind: {bodies: [rod], force: wind}\n"


def test_functions_that_are_missing_or_not_named_are_listed(tmp_path):
    def wind(t, x, q, v, w, p, out):
        out[:] = 0.0

    said = message(tmp_path, WIND)
    assert "m.yaml, line 5: the functions 'wind' are code" in said
    assert "functions={'wind': ...}" in said
    said = message(tmp_path, WIND, functions={"wind": wind, "storm": wind})
    assert "no function named 'storm'; known: 'wind'" in said
    said = message(tmp_path, WIND, functions={"wind": lambda t: 0.0})
    assert "line 5, custom_forces/wind: custom force 'wind': force must be a function" in said


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("../cube.obj", "lies outside the folder"),
        ("/cube.obj", "lies outside the folder"),
        ("gone.obj", "gone.obj: there is no such file"),
        ("", "file must be the name of a mesh file"),
    ],
)
def test_mesh_files_outside_the_folder_or_missing_are_refused(tmp_path, name, said):
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "cube.obj").write_text("v 0 0 0\n")
    text = shaped(f"kind: convex_mesh, file: '{name}'")
    assert said in message(inside, text)


def test_a_link_that_leads_out_of_the_folder_is_refused(tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "cube.obj").write_text("v 0 0 0\n")
    (inside / "cube.obj").symlink_to(tmp_path / "cube.obj")
    text = shaped("kind: convex_mesh, file: cube.obj")
    assert "lies outside the folder" in message(inside, text)


def test_a_path_in_the_place_of_numbers_is_refused(tmp_path):
    text = shaped("kind: mesh, vertices: /cube.obj")
    assert "vertices must be numbers; a file is named by 'file:'" in message(tmp_path, text)


@pytest.mark.parametrize(
    ("array", "said"),
    [
        (
            "{type: float64, shape: [1, 3], base64: AAAA}",
            "base64 holds 3 bytes; an array of shape [1, 3] has 24",
        ),
        ("{type: float64, shape: [1000000000, 3], base64: AAAA}", "base64 holds 3 bytes"),
        ("{type: float64, shape: [-1, 3], base64: AAAA}", "shape must be a list of whole numbers"),
        ("{type: object, shape: [1, 3], base64: AAAA}", "type must be one of float64, int64, not 'object'"),
        ("{type: float64, shape: [1, 3], base64: '#'}", "base64 is damaged"),
        ("{type: float64, base64: AAAA}", "a stored array has the keys base64, shape, type"),
    ],
)
def test_a_torn_array_is_refused(tmp_path, array, said):
    text = shaped("kind: convex_mesh, points: " + array)
    assert f"line 3, bodies/rod/shapes[0]: points: {said}" in message(tmp_path, text)


def test_a_stored_array_with_a_number_that_is_not_finite_is_refused(tmp_path):
    import base64

    data = base64.b64encode(np.full((4, 3), np.nan)).decode()
    array = f"{{type: float64, shape: [4, 3], base64: {data}}}"
    text = shaped("kind: convex_mesh, points: " + array)
    assert "points must be N x 3 finite numbers" in message(tmp_path, text)
