"""Faulty URDF files: every message names the file, the line, the thing and what would be valid."""

from __future__ import annotations

import random
import re
import warnings

import pytest
from tests.unit.importers.urdf_texts import four_bar, joint, link, loop_joint, robot, written

import sarrus
from sarrus.errors import FileError, LossyImport

BASE = '<link name="base"/>\n'
ARM = link("arm")
HINGE = joint("hinge", "base", "arm")


def mimic(text: str) -> str:
    """A robot whose second joint follows."""
    return robot(BASE, ARM, link("b"), HINGE, joint("B", "arm", "b", inner=f"<mimic {text}/>"))


FAULTS = {
    "no links": (robot(), 1, "the robot has no <link>"),
    "no name": (robot("<link/>"), 2, "<link> needs the attribute name"),
    "two links of one name": (robot(ARM, ARM), 3, "there are two <link> named 'arm'; names must be unique"),
    "two joints of one name": (
        robot(BASE, ARM, link("b"), HINGE, joint("hinge", "arm", "b")),
        6,
        "two <joint>",
    ),
    "unknown link": (
        robot(BASE, ARM, joint("hinge", "bse", "arm")),
        4,
        "no link named 'bse'; the file has 'base'",
    ),
    "unknown type": (
        robot(BASE, ARM, joint("hinge", "base", "arm", kind="hinge")),
        4,
        "unknown type 'hinge'",
    ),
    "no parent": (
        robot(BASE, ARM, '<joint name="h" type="fixed"><child link="arm"/></joint>'),
        4,
        "needs <parent>",
    ),
    "own parent": (robot(ARM, joint("h", "arm", "arm")), 3, "connects the link 'arm' to itself"),
    "two trees": (robot(BASE, ARM), 3, "nothing connects 'arm' to the root link 'base'"),
    "no mass": (robot(BASE, '<link name="arm"/>', HINGE), 3, "joint 'hinge' moves the link 'arm'"),
    "left by xacro": (
        robot(BASE, ARM, HINGE.replace('xyz="0 0 0"', 'xyz="${dx} 0 0"', 1)),
        4,
        "not '${dx} 0 0'; expand the expressions of xacro first",
    ),
    "no mass anywhere": (robot('<link name="base"/>'), 1, "no link has a mass"),
    "negative mass": (robot(link("arm", mass=-1.0)), 2, "value of <mass> must not be negative"),
    "mass in words": (robot(ARM.replace('"1.0"', '"heavy"')), 2, "must be a finite number, not 'heavy'"),
    "mass that is no number": (robot(ARM.replace('"1.0"', '"nan"')), 2, "must be a finite number, not 'nan'"),
    "inertial without mass": (robot('<link name="a"><inertial/></link>'), 2, "<inertial> needs <mass>"),
    "short vector": (
        robot(BASE, ARM, joint("h", "base", "arm", "0 0")),
        4,
        "xyz of <origin> must be 3 finite",
    ),
    "axis of no length": (
        robot(BASE, ARM, joint("h", "base", "arm", axis="0 0 0")),
        4,
        "an axis must not be zero",
    ),
    "negative damping": (
        robot(BASE, ARM, joint("h", "base", "arm", inner='<dynamics damping="-1"/>')),
        4,
        "must not be negative",
    ),
    "mimic of itself": (mimic('joint="B"'), 6, "mimics itself in the end"),
    "loop of one link": (
        four_bar(loop_joint().replace('link="base"', 'link="rocker"')),
        9,
        "connects the link 'rocker' to itself",
    ),
    "loop of an unknown kind": (
        four_bar(loop_joint(kind="magic")),
        9,
        "has the type 'magic'; a loop must be one of",
    ),
    "loop of the name of a joint": (
        four_bar(loop_joint().replace('"D"', '"A"')),
        9,
        "two <loop_joint> named 'A'",
    ),
    "loop within one body": (
        robot(
            BASE,
            link("a"),
            '<link name="tip"/>',
            joint("A", "base", "a"),
            joint("T", "a", "tip", kind="fixed"),
            '<loop_joint name="L" type="spherical"><link1 link="a"/><link2 link="tip"/></loop_joint>',
        ),
        6,
        "the loop 'L' connects 'a' to 'tip': one rigid body",
    ),
    "closing joint that mimics": (
        robot(
            BASE,
            link("a"),
            link("b"),
            joint("A", "base", "a"),
            joint("B", "base", "b"),
            joint("C", "a", "b", inner='<mimic joint="A"/>'),
        ),
        7,
        "joint 'C' closes a loop; it can neither mimic nor be mimicked",
    ),
    "empty geometry": (
        robot(link("a", inner="<visual><geometry/></visual>")),
        2,
        "must hold one of box, cylinder, sphere",
    ),
    "box without size": (
        robot(link("a", inner="<visual><geometry><box/></geometry></visual>")),
        2,
        "size of <box> must be 3 finite",
    ),
    "ball of negative radius": (
        robot(link("a", inner='<visual><geometry><sphere radius="-1"/></geometry></visual>')),
        2,
        "link 'a': Sphere: radius must be positive",
    ),
    "xacro": (
        robot("<xacro:macro/>"),
        2,
        "a macro of xacro; expand the file first: xacro robot.urdf > robot.urdf",
    ),
    "foreign joint": (robot(ARM, "<drake:joint/>"), 3, "<drake:joint> is not read"),
    "MJCF": ("<mujoco/>", None, "the outermost element is <mujoco>; it must be <robot>"),
}


@pytest.mark.parametrize("fault", list(FAULTS))
def test_a_fault_is_named_with_its_line(tmp_path, fault):
    text, line, message = FAULTS[fault]
    path = written(tmp_path, text)
    with pytest.raises(FileError) as refusal:
        sarrus.load(path)
    said = str(refusal.value)
    assert said.startswith(f"{path}: " if line is None else f"{path}, line {line}: ")
    assert message in said


@pytest.mark.parametrize("seed", range(3))
def test_whatever_is_wrong_with_a_file_the_refusal_is_one_sentence_about_it(tmp_path, seed):
    """Attributes, elements and ends of files are taken away, swapped, or given odd values."""
    draw = random.Random(seed)
    whole = (
        four_bar(loop_joint()),
        mimic('joint="hinge" multiplier="2" offset="0.1"'),
        robot(BASE, ARM, HINGE),
    )
    odd = ("nan", "inf", "-1", "1e999", "", "0", "x", "1 2", "world", "base", "1e-320", "1e300")
    refusals = []
    for _ in range(120):
        text = draw.choice(whole)
        values = [found.span(1) for found in re.finditer(r'"([^"]*)"', text)]
        tags = [found.span() for found in re.finditer(r"<[^<>]*>", text)]
        start, end = draw.choice(draw.choice([values, tags]))
        other = text[slice(*draw.choice(values))]
        text = text[:start] + draw.choice(["", other, draw.choice(odd)]) + text[end:]
        path = written(tmp_path, text if draw.random() < 0.8 else text[: draw.randrange(len(text))])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LossyImport)
            try:
                sarrus.load(path)
            except FileError as refusal:
                refusals.append(str(refusal))
    assert len(refusals) > 60
    assert all(text.startswith(str(tmp_path / "robot.urdf")) for text in refusals)


def test_a_file_of_macros_says_how_to_expand_it(tmp_path):
    with pytest.raises(FileError, match=r"expanded first: xacro robot\.urdf\.xacro > robot\.urdf"):
        sarrus.load(tmp_path / "robot.urdf.xacro")
