"""Model files of strangers: what is read, what is refused, and what the refusal says."""

from __future__ import annotations

import os

import pytest

from sarrus.errors import FileError
from sarrus.importers import files, references
from sarrus.importers.files import read_text, read_xml
from sarrus.importers.references import mjcf_files

LAUGHS = """<?xml version="1.0"?>
<!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]>
<robot name="&c;"/>
"""
TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"


def written(folder, **texts):
    """Files by name (two underscores stand for the dot) in a folder; the path of the first."""
    paths = [folder / name.replace("__", ".") for name in texts]
    for path, text in zip(paths, texts.values(), strict=True):
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return paths[0]


def test_a_file_is_read_with_the_line_of_every_element(tmp_path):
    path = written(tmp_path, a__xml="<robot>\n <link name='a'/>\n\n <joint/>\n</robot>")
    file = read_xml(path, root="robot")
    assert [file.lines[element] for element in file.root.iter()] == [1, 2, 4]
    assert file.where(file.root[1]) == f"{path}, line 4"


def test_a_byte_order_mark_and_a_prefix_without_a_declaration_are_read(tmp_path):
    path = written(tmp_path, a__xml=b"\xef\xbb\xbf<robot><drake:ball_constraint/></robot>")
    assert read_xml(path).root[0].tag == "drake:ball_constraint"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"  \n ", "is empty"),
        (b"<robot>\n<link name='a'>\n", "line 3: the file ends inside <link>: it is truncated; </robot>"),
        (b"<robot>\n<link name='a", "line 2: the file ends inside <robot>: it is truncated"),
        (b"<robot><link></robot>", "line 1: is not well-formed XML"),
        (b"<robot/><robot/>", "line 1: is not well-formed XML"),
        (b"solid part\nfacet normal 0 0 1", "line 1: is not an XML file"),
        (b"<robot>\n<link name='\xe9'/></robot>", "line 2: is not UTF-8 text (byte 0xe9"),
        ("<robot/>".encode("utf-16"), "is UTF-16 text; it must be UTF-8"),
        (b"<robot>\n\0</robot>", "line 2: contains a zero byte"),
        (LAUGHS.encode(), "line 2: has a document type"),
        (b"<!DOCTYPE robot SYSTEM 'file:///etc/passwd'><robot/>", "line 1: has a document type"),
        (b"<robot>&nothing;</robot>", "undefined entity"),
        (b"<mujoco/>", "the outermost element is <mujoco>; it must be <robot>"),
    ],
)
def test_bad_content_is_refused_with_the_file_the_line_and_what_is_wrong(tmp_path, content, message):
    path = written(tmp_path, bad__urdf=content)
    with pytest.raises(FileError) as refusal:
        read_xml(path, root="robot")
    assert str(refusal.value).startswith(str(path))
    assert message in str(refusal.value)


def test_missing_files_and_folders_are_named_as_given_with_similar_names(tmp_path, monkeypatch):
    written(tmp_path, robot__urdf="<robot/>")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileError, match=r"^robt\.urdf: there is no such file; similar in its folder: 'robot"):
        read_xml("robt.urdf")
    with pytest.raises(FileError, match=r"nowhere/robot\.urdf: .* the folder nowhere does not exist either"):
        read_xml("nowhere/robot.urdf")
    with pytest.raises(FileError, match=r"^\.: is a folder; give the path of the model file in it"):
        read_xml(".")
    with pytest.raises(FileError, match="cannot be read"):
        read_xml("a\0b")


def test_a_device_or_pipe_is_refused_before_it_is_opened(tmp_path):
    pipe = tmp_path / "pipe.urdf"
    os.mkfifo(pipe)
    with pytest.raises(FileError, match="is not a regular file"):
        read_xml(pipe)


def test_a_file_above_the_limit_is_refused_by_its_size_alone(tmp_path):
    path = written(tmp_path, big__xml="<robot/>")
    os.truncate(path, files.MAX_XML_BYTES + 1)  # sparse: no such bytes exist on disk
    with pytest.raises(FileError, match=r"too large for a model file, 64 MB; at most 64 MB"):
        read_xml(path)
    with pytest.raises(FileError, match="too large for a YAML file"):
        read_text(path, 4, what="YAML file")


def test_depth_and_number_of_elements_are_bounded_while_reading(tmp_path, monkeypatch):
    deep = written(tmp_path, deep__xml="<a>" * (files.MAX_DEPTH + 1) + "</a>" * (files.MAX_DEPTH + 1))
    with pytest.raises(FileError, match=rf"line 1: nests elements deeper than {files.MAX_DEPTH}"):
        read_xml(deep)
    monkeypatch.setattr(files, "MAX_ELEMENTS", 3)
    with pytest.raises(FileError, match="has more than 3 elements"):
        read_xml(written(tmp_path, wide__xml="<a><b/><b/>\n<b/></a>"))


def test_includes_are_followed_from_the_main_folder_or_that_of_the_including_file(tmp_path):
    (tmp_path / "sub" / "deep").mkdir(parents=True)
    main = written(tmp_path, main__xml="<mujoco><include file='sub/a.xml'/></mujoco>")
    written(tmp_path / "sub", a__xml="<mujoco><include file='deep/b.xml'/><include file='c.xml'/></mujoco>")
    written(tmp_path / "sub" / "deep", b__xml="<mujocoinclude/>")
    written(tmp_path, c__xml="<mujoco><option timestep='0.1'/></mujoco>")
    found = mjcf_files(main)
    assert [document.path.name for document in found.documents] == ["main.xml", "a.xml", "b.xml", "c.xml"]
    assert [element.get("timestep") for _, element in found.elements("option")] == ["0.1"]


def test_includes_in_a_circle_and_twice_are_refused_by_name(tmp_path):
    main = written(
        tmp_path,
        a__xml="<mujoco>\n<include file='b.xml'/></mujoco>",
        b__xml="<mujoco>\n\n<include file='a.xml'/></mujoco>",
        c__xml="<mujoco><include file='d.xml'/>\n<include file='d.xml'/></mujoco>",
        d__xml="<mujoco/>",
        e__xml="<mujoco><include/></mujoco>",
    )
    with pytest.raises(FileError, match=r"b\.xml, line 3: .*a\.xml includes b\.xml includes a\.xml"):
        mjcf_files(main)
    with pytest.raises(FileError, match=r"line 2: d\.xml is included twice"):
        mjcf_files(tmp_path / "c.xml")
    with pytest.raises(FileError, match="needs the attribute file"):
        mjcf_files(tmp_path / "e.xml")


def test_all_missing_files_are_listed_at_once_with_where_they_were_looked_for(tmp_path):
    main = written(
        tmp_path,
        main__xml="""<mujoco><compiler meshdir="meshes" texturedir="skins"/>
<include file="gone.xml"/>
<asset><mesh file="leg.obj"/><hfield name="h" file="hills.png"/>
<texture name="t" type="cube" fileup="up.png" filedown="down.png"/></asset></mujoco>""",
    )
    with pytest.raises(FileError) as refusal:
        mjcf_files(main)
    text = str(refusal.value)
    assert "5 files that it names are missing" in text
    for line in (
        f"include gone.xml ({main}, line 2)",
        f"mesh leg.obj ({main}, line 3; looked for meshes/leg.obj)",
        "hfield hills.png",
        f"texture up.png ({main}, line 4; looked for skins/up.png)",
        "texture down.png",
    ):
        assert line in text


def test_meshes_are_found_as_meshdir_assetdir_and_strippath_say(tmp_path):
    (tmp_path / "parts").mkdir()
    written(tmp_path / "parts", leg__obj=TETRAHEDRON)
    for compiler, file in (
        ('meshdir="parts"', "leg.obj"),
        ('assetdir="parts"', "leg.obj"),
        ('meshdir="parts" assetdir="nowhere"', "leg.obj"),
        ('meshdir="parts" strippath="true"', "some/where/leg.obj"),
        ("", "parts/leg.obj"),
        ("", "parts\\leg.obj"),
        ('meshdir="nowhere"', str(tmp_path / "parts" / "leg.obj")),
    ):
        text = f'<mujoco><compiler {compiler}/><asset><mesh file="{file}"/></asset></mujoco>'
        found = mjcf_files(written(tmp_path, main__xml=text))
        assert [(a.kind, a.path.name, a.size) for a in found.assets] == [
            ("mesh", "leg.obj", len(TETRAHEDRON))
        ]


def test_a_mesh_of_gigabytes_is_refused_by_its_size_before_it_is_read(tmp_path, monkeypatch):
    text = "<mujoco><asset>\n<mesh file='leg.obj'/></asset></mujoco>"
    main = written(tmp_path, main__xml=text, leg__obj=TETRAHEDRON)
    os.truncate(tmp_path / "leg.obj", 3 * 2**30)
    with pytest.raises(
        FileError, match=r"line 2: mesh leg\.obj: is too large for a mesh file, 3,072 MB; at mo"
    ):
        mjcf_files(main)
    os.truncate(tmp_path / "leg.obj", 1000)
    monkeypatch.setattr(references, "MAX_TOTAL_BYTES", 999)
    with pytest.raises(FileError, match="names more than"):
        mjcf_files(main)


def test_an_attached_model_is_checked_with_its_own_files(tmp_path):
    main = written(
        tmp_path,
        main__xml="<mujoco><asset>\n<model name='m' file='part.xml'/></asset></mujoco>",
        part__xml="<mujoco><asset><mesh file='gone.obj'/></asset></mujoco>",
        self__xml="<mujoco><asset><model name='m' file='self.xml'/></asset></mujoco>",
    )
    with pytest.raises(FileError, match=r"mesh gone\.obj \(.*part\.xml, line 1"):
        mjcf_files(main)
    with pytest.raises(FileError, match=r"form a circle: self\.xml includes self\.xml"):
        mjcf_files(tmp_path / "self.xml")


def test_files_outside_the_folder_of_an_archive_are_refused(tmp_path):
    inner = tmp_path / "inner"
    inner.mkdir()
    written(tmp_path, outside__obj=TETRAHEDRON, other__xml="<mujoco/>")
    for text in (
        "<mujoco><asset><mesh file='../outside.obj'/></asset></mujoco>",
        "<mujoco><include file='../other.xml'/></mujoco>",
    ):
        with pytest.raises(FileError, match="outside the archive"):
            mjcf_files(written(inner, main__xml=text), within=inner)


def test_the_last_compiler_counts_where_an_include_stands_before_it(tmp_path):
    """As MuJoCo reads it: an include stands where it is named."""
    main = written(
        tmp_path,
        main__xml="<mujoco><include file='a.xml'/><compiler meshdir='right'/>"
        "<asset><mesh file='m.obj'/></asset></mujoco>",
        a__xml="<mujoco><compiler meshdir='wrong'/></mujoco>",
    )
    (tmp_path / "right").mkdir()
    written(tmp_path / "right", m__obj="v 0 0 0")
    assert [asset.path.parent.name for asset in mjcf_files(main).assets] == ["right"]
