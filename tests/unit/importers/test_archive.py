"""Robots in .zip archives: found, loaded, and refused by member where an archive is a trap."""

from __future__ import annotations

import stat
import struct
import tempfile
import zipfile
from pathlib import Path

import pytest

import sarrus
from sarrus.errors import FileError, MechanismError
from sarrus.importers import archive

URDF = """<robot name="swing"><link name="base"/>
<link name="arm"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.01"/></inertial>
<visual><geometry><mesh filename="package://swing/meshes/arm.obj"/></geometry></visual></link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/></joint></robot>"""
MJCF = """<mujoco><asset><mesh name="arm" file="meshes/arm.obj"/></asset><worldbody><body name="arm">
<joint name="hinge" axis="1 0 0"/><geom type="mesh" mesh="arm"/></body></worldbody></mujoco>"""
MESH = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"


def zipped(folder: Path, **members: str | bytes) -> Path:
    """An archive with the members by path: "a/b.c" is written a__b___c."""
    path = folder / "robot.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, content in members.items():
            out.writestr(name.replace("___", ".").replace("__", "/"), content)
    return path


@pytest.fixture
def temporary(tmp_path, monkeypatch) -> Path:
    """The folder in which archives are unpacked; it must be empty afterwards."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_a_robot_with_its_meshes_is_loaded_and_the_temporary_folder_removed(tmp_path, temporary):
    path = zipped(
        tmp_path, swing__robot___urdf=URDF, swing__meshes__arm___obj=MESH, swing__package___xml="<package/>"
    )
    mech = sarrus.load(path)
    assert list(mech.bodies) == ["arm"]
    assert len(mech.bodies["arm"].shapes[0].faces) == 4
    assert not list(temporary.iterdir())


def test_an_mjcf_robot_is_loaded_too_and_an_included_file_is_no_second_model(tmp_path, temporary):
    scene = "<mujoco><include file='arm.xml'/></mujoco>"
    path = zipped(tmp_path, scene___xml=scene, arm___xml=MJCF, meshes__arm___obj=MESH)
    assert list(sarrus.load(path).bodies) == ["arm"]
    assert not list(temporary.iterdir())


def test_a_yaml_mechanism_is_loaded_and_other_yaml_files_are_no_models(tmp_path):
    mech = sarrus.gallery.pendulum(links=2)
    mech.save(tmp_path / "chain.yaml")
    text = (tmp_path / "chain.yaml").read_text()
    path = zipped(tmp_path, chain___yaml=text, config___yaml="controllers: [a]\n")
    assert list(sarrus.load(path).bodies) == list(mech.bodies)
    with pytest.raises(MechanismError, match="fixed_base is for robot files"):
        sarrus.load(path, fixed_base=True)


def test_among_several_models_one_is_named(tmp_path):
    other = URDF.replace('"arm"', '"leg"').replace("package://swing/", "")
    path = zipped(
        tmp_path, a__r___urdf=URDF, b__r___urdf=other, meshes__arm___obj=MESH, b__meshes__arm___obj=MESH
    )
    with pytest.raises(FileError, match=r"holds 2 model files, 'a/r\.urdf', 'b/r\.urdf'; choose one"):
        sarrus.load(path)
    assert list(sarrus.load(path, member="b/r.urdf").bodies) == ["leg"]
    with pytest.raises(FileError, match=r"has no member 'c\.urdf'; it holds 'a/r\.urdf', 'b/r\.urdf'"):
        sarrus.load(path, member="c.urdf")
    with pytest.raises(MechanismError, match="member is for archives"):
        sarrus.load(tmp_path / "x.urdf", member="c.urdf")


@pytest.mark.parametrize(
    ("member", "message"),
    [
        ("../evil.urdf", "leads out of the archive's folder"),
        ("a/../../evil.urdf", "leads out of the archive's folder"),
        ("a\\..\\..\\evil.urdf", "leads out of the archive's folder"),
        ("/etc/evil.urdf", "is an absolute path"),
        ("C:/evil.urdf", "is an absolute path"),
        ("a\x07b.urdf", "has control characters in its name"),
    ],
)
def test_paths_that_leave_the_folder_are_refused_by_name(tmp_path, temporary, member, message):
    path = tmp_path / "robot.zip"
    with zipfile.ZipFile(path, "w") as out:
        out.writestr("robot.urdf", URDF)
        out.writestr(zipfile.ZipInfo(member), "text")
    with pytest.raises(FileError) as refusal:
        sarrus.load(path)
    assert message in str(refusal.value)
    assert repr(member) in str(refusal.value)
    assert not list(temporary.iterdir())
    assert not (tmp_path / "evil.urdf").exists()


def test_paths_that_no_folder_can_hold_are_refused(tmp_path, temporary):
    path = tmp_path / "robot.zip"
    for members, message in (
        (["a" * 300 + ".urdf"], r"member 'a+\.\.\.: its path is too long"),
        (
            ["a", "a/robot.urdf"],
            r"member 'a/robot\.urdf' lies in a folder whose name another member has as a file",
        ),
    ):
        with zipfile.ZipFile(path, "w") as out:
            for member in members:
                out.writestr(member, URDF)
        with pytest.raises(FileError, match=message) as refusal:
            sarrus.load(path)
        assert str(temporary) not in str(refusal.value)


def test_a_symbolic_link_is_refused(tmp_path):
    path = tmp_path / "robot.zip"
    info = zipfile.ZipInfo("meshes")
    info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(path, "w") as out:
        out.writestr("robot.urdf", URDF)
        out.writestr(info, "/etc")
    with pytest.raises(FileError, match="member 'meshes' is a link or device"):
        sarrus.load(path)


def test_bombs_are_refused_before_they_are_unpacked(tmp_path, temporary, monkeypatch):
    bomb = zipped(tmp_path, robot___urdf=URDF, meshes__arm___obj=bytes(20 * 2**20))
    with pytest.raises(FileError, match=r"member 'meshes/arm\.obj' unpacks .* to 20 MB, which no model does"):
        sarrus.load(bomb)
    mild = zipped(tmp_path, robot___urdf=URDF, arm___obj=MESH * 40)
    monkeypatch.setattr(archive, "MAX_TOTAL_BYTES", 2800)
    with pytest.raises(FileError, match=r"robot\.zip: unpacks to .* in all; at most 2,800 bytes"):
        sarrus.load(mild)
    monkeypatch.setattr(archive, "MAX_TOTAL_BYTES", 10**9)
    monkeypatch.setattr(archive, "MAX_MESH_BYTES", 2000)
    with pytest.raises(FileError, match=r"member 'arm\.obj' is too large, 2,560 bytes"):
        sarrus.load(mild)
    monkeypatch.setattr(archive, "MAX_MEMBERS", 1)
    with pytest.raises(FileError, match="holds 2 files; at most 1 are unpacked"):
        sarrus.load(mild)
    assert not list(temporary.iterdir())


def test_a_member_that_holds_more_than_it_says_is_refused(tmp_path):
    """The sizes in the directory of an archive are claims of whoever wrote it."""
    path = zipped(tmp_path, robot___urdf=URDF * 3)
    data = bytearray(path.read_bytes())
    for mark, at in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        start = data.index(mark)
        data[start + at : start + at + 4] = struct.pack("<I", 10)
    path.write_bytes(data)
    with pytest.raises(FileError, match=r"member 'robot\.urdf' is damaged|holds more than the archive says"):
        sarrus.load(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"PK but no archive", "is not a .zip archive that can be read"),
    ],
)
def test_what_is_no_archive_is_refused(tmp_path, content, message):
    path = tmp_path / "robot.zip"
    path.write_bytes(content)
    with pytest.raises(FileError, match=message):
        sarrus.load(path)


def test_a_truncated_damaged_or_empty_archive_and_one_without_a_model_are_refused(tmp_path):
    path = zipped(tmp_path, robot___urdf=URDF)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(FileError, match=r"is not a \.zip archive that can be read"):
        sarrus.load(path)
    start = whole.index(b"robot.urdf") + len("robot.urdf")
    path.write_bytes(whole[:start] + bytes(40) + whole[start + 40 :])
    with pytest.raises(FileError, match=r"member 'robot\.urdf' is damaged"):
        sarrus.load(path)
    with pytest.raises(FileError, match="the archive is empty"):
        sarrus.load(zipped(tmp_path))
    with pytest.raises(FileError, match=r"holds no model file .* it holds 'readme\.txt', 'package\.xml'"):
        sarrus.load(zipped(tmp_path, readme___txt="hello", package___xml="<package/>"))
    with pytest.raises(FileError, match=r"member 'ROBOT\.urdf' appears twice"):
        sarrus.load(zipped(tmp_path, robot___urdf=URDF, ROBOT___urdf=URDF))


def test_faults_inside_name_the_archive_and_the_member_not_the_temporary_folder(tmp_path, temporary):
    path = zipped(tmp_path, swing__robot___urdf=URDF)
    with pytest.raises(FileError) as refusal:
        sarrus.load(path)
    text = str(refusal.value)
    assert "swing/robot.urdf: a file that it names is missing" in text
    assert str(temporary) not in text
    outside = MJCF.replace("meshes/arm.obj", "../../arm.obj")
    path = zipped(tmp_path, robot___xml=outside)
    (tmp_path / "arm.obj").write_text(MESH)
    with pytest.raises(FileError, match="outside the archive"):
        sarrus.load(path)


def test_a_mesh_outside_the_archive_is_refused(tmp_path):
    mesh = tmp_path / "arm.obj"
    mesh.write_text(MESH)
    path = zipped(tmp_path, robot___urdf=URDF.replace("package://swing/meshes/arm.obj", f"file://{mesh}"))
    with pytest.raises(FileError, match="lies outside the archive, which is refused"):
        sarrus.load(path)
