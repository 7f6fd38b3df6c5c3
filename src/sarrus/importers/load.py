"""`load`: a mechanism from a file, by its ending."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sarrus.errors import FileError, MechanismError
from sarrus.mechanism import HalfSpace, Joint, Mechanism

ENDINGS = (".xml", ".mjcf", ".urdf", ".yaml", ".yml", ".trep", ".zip")
ROBOT_ROOTS = ("mujoco", "robot")


def load(
    path: str | os.PathLike[str],
    *,
    fixed_base: bool = False,
    self_contact: bool = True,
    meshes: bool = True,
    ground: bool | float | None = None,
    functions: Mapping[str, Callable[..., Any]] | None = None,
    member: str | None = None,
    decompose: bool | float = False,
) -> Mechanism:
    """The mechanism in a file: MJCF (.xml, .mjcf), URDF (.urdf, .xml), our YAML (.yaml, .yml), the
    s-expressions of [JM09] (.trep), or an archive of a robot with its meshes (.zip).

    MJCF needs `pip install 'sarrus[import]'`.  Features of a robot file that Sarrus does not support are
    left out and listed, in one warning and in `mech.import_report`; an invalid file raises `FileError`.

    fixed_base: fixes floating bases.  self_contact: whether the parts of a robot collide with each other as
    in the file; with False they collide only with the ground and other fixed shapes.  meshes: False reads a
    URDF file without its mesh files.  ground: adds the ground z = 0, with friction 0.5 (True) or the given
    number; a shape's own friction overrides it. functions: the Python functions that a YAML file names.
    member: the path of one model file in an archive that holds several. decompose: meshes that collide do so
    as several convex parts instead of their convex hulls, see `convex_parts`; a number: its concavity."""
    where = os.fspath(path)
    form = form_of(path)
    if member is not None and form != "zip":
        raise MechanismError(f"{where}: member is for archives (.zip); this is a single file")
    if not meshes and form not in ("urdf", "zip"):
        raise MechanismError(f"{where}: meshes=False is for URDF files; this is {form.upper()}")
    if form in ("yaml", "trep"):
        for what, value, default in (
            ("fixed_base", fixed_base, False), ("self_contact", self_contact, True),
            ("decompose", decompose, False),
        ):  # fmt: skip
            if value != default:
                raise MechanismError(
                    f"{where}: {what} is for robot files; a {form} file describes this itself"
                )
        mech = _plain(path, form, functions)
    else:
        if decompose is not False:
            from sarrus.importers.decomposition import check_settings

            check_settings(f"{where}: decompose", decompose)
        if functions is not None:
            raise MechanismError(f"{where}: functions are for YAML files; a robot file names none")
        options: dict[str, Any] = {"member": member} if form == "zip" else {}
        options |= {"meshes": meshes} if form != "mjcf" else {}
        options["decompose"] = decompose
        mech = _reader(form)(path, fixed_base=fixed_base, self_contact=self_contact, **options)
    if ground is not None and ground is not False:
        add_ground(mech, ground, where)
    return mech


def _plain(
    path: str | os.PathLike[str], form: str, functions: Mapping[str, Callable[..., Any]] | None
) -> Mechanism:
    """A mechanism from a file that says all of it."""
    if form == "yaml":
        from sarrus.importers.yaml.reader import read_yaml

        return read_yaml(path, functions=functions)
    if functions is not None:
        raise MechanismError(f"{os.fspath(path)}: functions are for YAML files; s-expressions name none")
    from sarrus.importers.trep.reader import read_trep

    return read_trep(path)


def form_of(path: str | os.PathLike[str]) -> str:
    """ "mjcf", "urdf", "yaml", "trep" or "zip": by the ending of the file, and for .xml by its outermost
    element."""
    where, ending = os.fspath(path), Path(path).suffix.lower()
    if ending in (".yaml", ".yml"):
        return "yaml"
    if ending in (".urdf", ".zip", ".mjcf", ".trep"):
        return ending[1:]
    if ending == ".xacro":
        raise FileError(f"{where}: macros must be expanded first: xacro {Path(path).name} > robot.urdf")
    if ending != ".xml":
        raise FileError(f"{where}: the file must end in one of {', '.join(ENDINGS)}, not {ending!r}")
    from sarrus.importers.files import read_xml

    root = read_xml(path, what="robot file").root.tag
    if root not in ROBOT_ROOTS:
        raise FileError(
            f"{where}: its outermost element is <{root}>; it must be <mujoco> (MJCF) or <robot> (URDF)"
        )
    return "mjcf" if root == "mujoco" else "urdf"


def _reader(form: str) -> Callable[..., Mechanism]:
    """The reader of a form; each loads what it needs."""
    if form == "mjcf":
        from sarrus.importers.mjcf.reader import read_mjcf

        return read_mjcf
    if form == "urdf":
        from sarrus.importers.urdf.reader import read_urdf

        return read_urdf
    from sarrus.importers.archive import read_zip

    return read_zip


def add_ground(mech: Mechanism, ground: bool | float, where: str) -> None:
    """Adds the ground z = 0 to a mechanism that has none."""
    planes = [name for name, o in mech.obstacles.items() if isinstance(o.shape, HalfSpace)]
    if planes:
        raise MechanismError(
            f"{where}: ground: the file already has the ground {planes[0]!r}; leave out ground="
        )
    name = "ground"
    while name in mech.bodies or name in mech.obstacles:
        name += " plane"
    if ground is True:
        mech.add_ground(name=name)
    else:
        mech.add_ground(friction=ground, name=name)
    for body in standing(mech):
        mech.exclude(body, name)


def standing(mech: Mechanism) -> list[str]:
    """Bodies that fixed joints tie to the world: the ground may reach into the base of a robot arm."""
    fixed = [j for j in mech.joints.values() if isinstance(j, Joint) and j.kind == "fixed"]
    found = {"world"}
    for _ in fixed:
        found |= {b for j in fixed if {j.parent, j.child} & found for b in (j.parent, j.child)}
    return [name for name in mech.bodies if name in found]
