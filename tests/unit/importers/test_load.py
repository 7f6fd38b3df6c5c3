"""`sarrus.load`: which reader, which options, one warning, one report."""

import sys
import warnings

import numpy as np
import pytest
from tests.unit.importers.mjcf_texts import body, document, loaded

import sarrus
from sarrus.errors import LossyImport
from sarrus.importers.report import Findings, grouped

FALLING = document(body("a", "<freejoint/>", at="0 0 1"))
PLANE = '<geom name="floor" type="plane" size="1 1 1"/>'


def test_other_endings_are_refused_with_those_that_are_read(tmp_path):
    with pytest.raises(sarrus.FileError, match=r"\.xml.*\.urdf.*\.yaml.*'\.txt'"):
        sarrus.load(tmp_path / "robot.txt")


def test_the_outermost_element_of_an_xml_file_chooses_the_reader(tmp_path):
    path = tmp_path / "robot.xml"
    inertial = (
        '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    )
    path.write_text(f'<robot name="r"><link name="base">{inertial}</link></robot>')
    assert sarrus.load(path).import_report.format == "URDF"
    path.write_text(FALLING)
    mech = sarrus.load(path)
    assert (mech.import_report.format, mech.name) == ("MJCF", "small")


def test_ground_is_added_on_demand_with_its_friction(tmp_path):
    assert not loaded(tmp_path, FALLING).obstacles
    assert loaded(tmp_path, FALLING, ground=True).obstacles["ground"].friction == 0.5
    assert loaded(tmp_path, FALLING, ground=0.8).obstacles["ground"].friction == 0.8


def test_ground_is_refused_where_the_file_has_it(tmp_path):
    with pytest.raises(sarrus.MechanismError, match="floor"):
        loaded(tmp_path, document(PLANE + body("a", "<freejoint/>", at="0 0 1")), ground=True)


def test_the_ground_does_not_meet_a_base_that_is_held(tmp_path):
    text = document(body("base", "<freejoint/>", body("arm", "<joint axis='1 0 0'/>", at="0 0 1")))
    mech = loaded(tmp_path, text, ground=True, fixed_base=True)
    assert mech.exclusions == {frozenset(("base", "ground"))}
    sarrus.simulate(sarrus.build(mech), duration=0.01, dt=0.01)


@pytest.mark.parametrize("option", [{"functions": {}}, {"member": "robot.xml"}])
def test_options_of_other_files_are_refused(tmp_path, option):
    with pytest.raises(sarrus.MechanismError, match=next(iter(option))):
        loaded(tmp_path, FALLING, **option)


def test_one_warning_lists_what_was_left_out_and_points_to_the_caller(tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text(document('<light name="sun"/><camera name="eye"/>' + body("a", "<freejoint/>")))
    with pytest.warns(LossyImport, match=r"robot\.xml: left out.*camera 'eye'.*light 'sun'") as caught:
        sarrus.load(path)
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_a_file_that_is_wholly_carried_over_warns_of_nothing(tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text(FALLING)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        report = sarrus.load(path).import_report
    assert report.lost == ()
    assert "nothing was left out" in str(report)
    assert report.timestep == 0.002


def test_many_things_with_one_reason_are_one_line():
    findings = Findings("robot.xml", "MJCF")
    for i in range(37):
        findings.lose("geom", f"g{i}", "torsional friction")
    findings.lose("camera", "eye", "not needed")
    assert grouped(findings.report().lost) == ["37 geoms: torsional friction", "camera 'eye': not needed"]


def test_the_report_is_shown_in_notebooks(tmp_path):
    mech = loaded(tmp_path, document('<light name="a&lt;b"/>' + body("a", "<freejoint/>")))
    assert "a&lt;b" in mech.import_report._repr_html_()


def test_numbers_of_the_file_are_recovered_from_the_report(tmp_path):
    mech = loaded(tmp_path, document(body("a", '<joint name="h" axis="0 1 0" ref="30"/>')))
    place = mech.import_report.coordinates["h"]
    model = sarrus.build(mech)
    state = model.state(joints={place.joint: 0.2})
    q = model.coordinates_of(state.position[None], state.orientation[None])[0][0, place.component]
    assert q + place.offset == pytest.approx(0.2 + np.deg2rad(30))


def test_without_mujoco_the_error_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(sarrus.FileError, match=r"pip install 'sarrus\[import\]'"):
        loaded(tmp_path, FALLING)
