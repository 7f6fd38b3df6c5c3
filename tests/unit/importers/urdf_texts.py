"""Small URDF texts for the tests."""

from __future__ import annotations

from pathlib import Path

QUARTER = 1.5707963267948966


def link(name: str, length: float = 1.0, mass: float = 1.0, inner: str = "") -> str:
    """A thin rod along x from the origin of its link."""
    thin, wide = mass * 1e-4, mass * length**2 / 12
    return (
        f'<link name="{name}"><inertial><origin xyz="{length / 2} 0 0"/><mass value="{mass}"/>'
        f'<inertia ixx="{thin}" ixy="0" ixz="0" iyy="{wide}" iyz="0" izz="{wide}"/></inertial>'
        f"{inner}</link>\n"
    )


def joint(
    name: str,
    parent: str,
    child: str,
    xyz: str = "0 0 0",
    rpy: str = "0 0 0",
    kind: str = "continuous",
    inner: str = "",
    axis: str | None = "0 1 0",
) -> str:
    """A joint, about y unless told otherwise."""
    along = "" if axis is None else f'<axis xyz="{axis}"/>'
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}" rpy="{rpy}"/>{along}{inner}</joint>\n'
    )


def robot(*parts: str, name: str = "robot") -> str:
    """A robot of these elements, one line each."""
    return f'<robot name="{name}">\n{"".join(parts)}</robot>\n'


def four_bar(*closing: str, width: float = 1.0) -> str:
    """Crank and rocker of 0.4 m, upright, joined by a coupler of 1 m; `closing` joins rocker and base.

    The rocker's frame points down: its end lies at x = 0.4 in it, and at x = 1 in the base."""
    return robot(
        '<link name="base"/>\n',
        link("crank", 0.4),
        link("coupler", 1.0),
        link("rocker", 0.4),
        joint("A", "base", "crank", rpy=f"0 {-QUARTER} 0"),
        joint("B", "crank", "coupler", "0.4 0 0", f"0 {QUARTER} 0"),
        joint("C", "coupler", "rocker", f"{width} 0 0", f"0 {QUARTER} 0"),
        *closing,
        name="four bar",
    )


def loop_joint(
    tag: str = "loop_joint",
    kind: str = "revolute",
    ends: tuple[str, str] = ("link1", "link2"),
    at: float = 1.0,
) -> str:
    """The closure of `four_bar` as an element of two links."""
    return (
        f'<{tag} name="D" type="{kind}"><{ends[0]} link="rocker" xyz="0.4 0 0"/>'
        f'<{ends[1]} link="base" xyz="{at} 0 0" rpy="0 {QUARTER} 0"/><axis xyz="0 1 0"/></{tag}>\n'
    )


def written(folder: Path, text: str, name: str = "robot.urdf") -> Path:
    """The text in a file."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path
