"""MJCF files that cannot be read: what is wrong, by name."""

import pytest
from tests.unit.importers.mjcf_texts import GEOM, body, document, loaded

import sarrus
from sarrus.importers.mjcf import bounds, contacts

GOOD = document(body("a", "<freejoint/>"))
FAULTS = {
    "empty": ("", "is empty"),
    "blank": ("  \n", "is empty"),
    "not XML": ("hello", "not an XML file"),
    "truncated": (GOOD[: len(GOOD) // 2], "truncated|not well-formed"),
    "wrong root": ("<model/>", "outermost element is <model>"),
    "entities": (f'<!DOCTYPE x [<!ENTITY a "b">]>{GOOD}', "document type"),
    "unknown element": (document("<wheel/>"), "MuJoCo cannot read it.*wheel"),
    "unknown attribute": (document(body("a", '<joint kind="x"/>')), "MuJoCo cannot read it.*kind"),
    "no mass": (document('<body name="a"><freejoint/></body>'), "MuJoCo cannot read it.*mass"),
    "negative mass": (
        document('<body><freejoint/><inertial pos="0 0 0" mass="-1" diaginertia="1 1 1"/></body>'),
        "MuJoCo cannot read it.*mass",
    ),
    "not a number": (document(body("a", '<joint axis="nan 0 0"/>')), "axis='nan 0 0' of <joint> must be a"),
    "mass that is no number": (
        document(body("a", "<freejoint/>", geom='<geom size="1" mass="nan"/>')),
        "line 1: mass='nan' of <geom> must be a number",
    ),
    "total mass that is no number": (
        document(body("a", "<freejoint/>"), option='<compiler settotalmass="NaN"/>'),
        "settotalmass='NaN' of <compiler> must be a number",
    ),
    "copies without end": (
        document(f'<replicate count="2000000">{body("a", "<freejoint/>")}</replicate>'),
        r"line 1: <replicate> stands for 8,000,000 elements; at most 20,000 are copied",
    ),
    "copies of copies": (
        document(f'<replicate count="200"><replicate count="200">{GEOM}</replicate></replicate>'),
        r"<replicate> stands for 80,200 elements",
    ),
    "keyframes without end": (
        document(option='<size nkey="100000000"/>'),
        "line 1: nkey='100000000' of <size>",
    ),
    "numbers of a user without end": (
        document(option='<size nuser_body="100000000"/>'),
        "nuser_body='100000000' of <size> is too large; at most 1,000",
    ),
    "a height field without end": (
        document(option='<asset><hfield name="h" nrow="100000" ncol="100000" size="1 1 1 1"/></asset>'),
        "line 1: <hfield> of 100,000 by 100,000 is too large",
    ),
    "a texture without end": (
        document(
            option='<asset><texture name="t" type="2d" builtin="flat" width="200000" height="9000"/></asset>'
        ),
        "line 1: <texture> of 200,000 by 9,000 is too large",
    ),
    "a built-in mesh that ends the process": (
        document(option='<asset><mesh name="m" builtin="cone" params="1000000000 1"/></asset>'),
        "line 1: params='1000000000 1' of <mesh> is too large; at most 500",
    ),
    "gain that is no number": (
        document(
            body("a", '<joint name="j"/>'), '<actuator><position name="m" joint="j" kp="nan"/></actuator>'
        ),
        "kp='nan' of <position> must be a number",
    ),
    "range that is no number": (
        document(
            body("a", '<joint name="j"/>'),
            '<actuator><motor name="m" joint="j" forcerange="nan 1"/></actuator>',
        ),
        "forcerange='nan 1' of <motor> must be a number",
    ),
    "no rotation": (
        document(body("a", "<joint/>", geom='<geom size="1" quat="0 0 0 1e-300"/>')),
        "not a rotation|zero quaternion",
    ),
    "a format": (document(body("a", "<joint/>", geom='<geom class="%n" size="1"/>')), "line 1: class='%n'"),
    "names twice": (document(body("a", "<freejoint/>") + body("a", "<freejoint/>")), "repeated name"),
    "no joint of that name": (
        document(body("a", "<freejoint/>"), '<actuator><motor joint="knee"/></actuator>'),
        "knee",
    ),
    "free inside": (document(body("a", "<freejoint/>", body("b", "<freejoint/>"))), "free joint"),
}


@pytest.mark.parametrize("case", FAULTS)
def test_a_faulty_file_is_refused_with_its_name_and_the_reason(tmp_path, case):
    text, message = FAULTS[case]
    path = tmp_path / "faulty.xml"
    path.write_text(text)
    with pytest.raises(sarrus.FileError, match=message) as fault:
        sarrus.load(path)
    assert "faulty.xml" in str(fault.value)


def test_a_missing_file_is_named_with_similar_ones(tmp_path):
    (tmp_path / "robot.xml").write_text(GOOD)
    with pytest.raises(sarrus.FileError, match=r"no such file.*'robot\.xml'"):
        sarrus.load(tmp_path / "robt.xml")


def test_all_missing_meshes_and_textures_are_listed(tmp_path):
    asset = (
        '<compiler meshdir="parts"/><asset><mesh file="arm.obj"/><mesh file="leg.stl"/>'
        '<texture name="t" type="2d" file="skin.png"/></asset>'
    )
    path = tmp_path / "robot.xml"
    path.write_text(document(body("a", "<freejoint/>"), option=asset))
    with pytest.raises(sarrus.FileError, match="3 files") as fault:
        sarrus.load(path)
    for name in ("arm.obj", "leg.stl", "skin.png"):
        assert name in str(fault.value)


def test_includes_that_form_a_circle_are_refused(tmp_path):
    (tmp_path / "a.xml").write_text('<mujoco><include file="b.xml"/></mujoco>')
    (tmp_path / "b.xml").write_text('<mujoco><include file="a.xml"/></mujoco>')
    with pytest.raises(sarrus.FileError, match="circle"):
        sarrus.load(tmp_path / "a.xml")


def test_includes_and_defaults_are_read(tmp_path):
    (tmp_path / "defaults.xml").write_text(
        '<mujoco><default><joint damping="3"/><geom size="0.2"/></default></mujoco>'
    )
    text = document(body("a", "<joint/>", geom="<geom/>"), option='<include file="defaults.xml"/>')
    path = tmp_path / "robot.xml"
    path.write_text(text)
    mech = sarrus.load(path)
    assert mech.joint_springs["a joint spring"].damping == [3.0]
    assert mech.bodies["a"].shapes[0].radius == 0.2


def test_a_mesh_that_is_no_mesh_is_refused_by_name(tmp_path):
    (tmp_path / "arm.stl").write_bytes(b"solid nothing")
    path = tmp_path / "robot.xml"
    asset = '<asset><mesh name="arm" file="arm.stl"/></asset>'
    mesh = '<geom type="mesh" mesh="arm"/>'
    path.write_text(document(body("a", "<freejoint/>", geom=GEOM + mesh), option=asset))
    with pytest.raises(sarrus.FileError, match=r"robot\.xml: MuJoCo cannot read it.*arm"):
        sarrus.load(path)


def test_copies_of_included_bodies_are_counted(tmp_path):
    bodies = "".join(body(f"b{k}", "<freejoint/>") for k in range(100))
    (tmp_path / "part.xml").write_text(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")
    path = tmp_path / "robot.xml"
    path.write_text(
        '<mujoco><worldbody><replicate count="90"><include file="part.xml"/></replicate></worldbody></mujoco>'
    )
    with pytest.raises(sarrus.FileError, match=r"robot\.xml, line 1: <replicate> stands for 27,\d+ elements"):
        sarrus.load(path)


def test_attached_models_are_counted_and_checked_like_the_main_one(tmp_path):
    """Each of these models attaches the next one twice: 2^40 bodies in 40 small files."""
    last = 40
    for k in range(last + 1):
        asset = f'<asset><model name="m" file="m{k + 1}.xml"/></asset>' if k < last else ""
        twice = "".join(f'<attach model="m" body="b" prefix="{p}"/>' for p in "pq") if k < last else ""
        (tmp_path / f"m{k}.xml").write_text(document(body("b", "<joint/>", twice), option=asset))
    with pytest.raises(sarrus.FileError, match=r"m\d+\.xml, line 1: <body> stands for [\d,]+ elements"):
        sarrus.load(tmp_path / "m0.xml")
    (tmp_path / "m1.xml").write_text(document(body("b", '<joint axis="nan 0 0"/>')))
    with pytest.raises(
        sarrus.FileError, match=r"m1\.xml, line 1: axis='nan 0 0' of <joint> must be a number"
    ):
        sarrus.load(tmp_path / "m0.xml")


def test_a_large_file_without_copies_is_read(tmp_path):
    bodies = "".join(body(f"b{k}", "<freejoint/>", at=f"{k} 0 0") for k in range(30))
    sites = "".join(f'<site name="s{k}"/>' for k in range(bounds.MAX_COPIES))
    mech = loaded(tmp_path, document(f'<replicate count="2" offset="0 9 0">{bodies}</replicate>{sites}'))
    assert len(mech.bodies) == 60


def test_bodies_and_geoms_without_end_are_refused(tmp_path, monkeypatch):
    path = tmp_path / "pile.xml"
    path.write_text(document("".join(body(f"b{k}", "<freejoint/>", at=f"{k} 0 0") for k in range(4))))
    monkeypatch.setattr(contacts, "MAX_PAIRS", 5)
    with pytest.raises(sarrus.FileError, match=r"pile\.xml: 4 bodies that all collide .* self_contact=False"):
        sarrus.load(path)
    assert len(sarrus.load(path, self_contact=False).bodies) == 4
    monkeypatch.setattr(contacts, "MAX_GEOMS", 3)
    with pytest.raises(sarrus.FileError, match=r"pile\.xml: the file has 4 geoms; at most 3 are read"):
        sarrus.load(path, self_contact=False)
