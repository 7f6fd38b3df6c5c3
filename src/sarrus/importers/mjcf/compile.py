"""MuJoCo's own reading of a model file: compiled, with its faults turned into ours."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from sarrus.errors import FileError, MechanismError
from sarrus.importers.report import Coordinate, Findings

if TYPE_CHECKING:
    from mujoco import MjData, MjModel

NEEDED = "pip install 'sarrus[import]'"


def mujoco_package() -> Any:
    """The package `mujoco`, whose compiler reads MJCF; an error says how to get it."""
    try:
        import mujoco
    except ImportError:
        raise FileError(f"reading MJCF files needs the package mujoco: {NEEDED}") from None
    if not hasattr(mujoco, "MjSpec"):
        raise FileError(f"mujoco {mujoco.__version__} is too old to read robot files: {NEEDED}")
    return mujoco


@contextmanager
def listening() -> Iterator[list[str]]:
    """A list that takes MuJoCo's warnings meanwhile; without it, MuJoCo writes a log file where it runs."""
    mujoco = mujoco_package()
    heard: list[str] = []
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(heard.append)
    try:
        yield heard
    finally:
        mujoco.set_mju_user_warning(before)


def compiled(path: str | os.PathLike[str], shown: str, heard: list[str]) -> MjModel:
    """The compiled model of an MJCF file whose own files are all there; warnings are added to `heard`.

    No body is fused with its parent and no visual geometry is dropped, whatever the file asks for."""
    mujoco = mujoco_package()
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            spec = mujoco.MjSpec.from_file(os.fspath(path))
            spec.compiler.fusestatic = False
            spec.compiler.discardvisual = False
            model = spec.compile()
    except (ValueError, RuntimeError, mujoco.FatalError, mujoco.UnexpectedError) as fault:
        raise FileError(f"{shown}: MuJoCo cannot read it: {words(fault)}") from None
    heard += [words(warning.message) for warning in caught]
    return model


def words(fault: BaseException | str) -> str:
    """What MuJoCo says, on one line."""
    if "unknown exception" in str(fault).lower():
        return "it gives no reason; the model may need more memory than there is"
    return "; ".join(line.strip() for line in str(fault).splitlines() if line.strip()) or str(
        type(fault).__name__
    )


@dataclass(slots=True, eq=False)
class Robot:
    """A compiled model at its reference configuration, and what its parts are called in Sarrus.

    carrier: for each body the one that carries it: itself, or where it has no mass of its own, the body that
    it is fixed to; 0 for what is fixed in the world."""

    model: MjModel
    data: MjData
    findings: Findings
    bodies: list[str] = field(default_factory=list)  # names, "world" first
    carrier: list[int] = field(default_factory=list)
    held: set[int] = field(default_factory=set)  # floating bodies that fixed_base holds
    meets: np.ndarray = field(default_factory=lambda: np.zeros((0, 0), bool))  # (G, G) geoms that meet
    friction: np.ndarray = field(default_factory=lambda: np.zeros(0))  # (G,) of the shapes, NaN: none
    touching: dict[str, list[int]] = field(default_factory=dict)  # geoms that collide, by body
    obstacles: dict[str, int] = field(default_factory=dict)  # the geom of each obstacle
    in_loops: set[int] = field(default_factory=set)  # bodies on a closed loop
    locked: dict[int, int] = field(default_factory=dict)  # joints that an equality holds still, by joint
    sites: dict[int, str] = field(default_factory=dict)  # frames, by site
    tendons: dict[int, str] = field(default_factory=dict)  # names in the mechanism, by tendon
    places: dict[int, Coordinate] = field(default_factory=dict)  # by joint of the model
    decompose: bool | float = False  # whether meshes collide as convex parts, see `load`

    def name(self, kind: str, index: int) -> str:
        """The name of an object in the file, or an empty one; `kind` as in mjtObj, "JOINT"."""
        import mujoco

        return mujoco.mj_id2name(self.model, getattr(mujoco.mjtObj, f"mjOBJ_{kind}"), index) or ""

    def owner(self, body: int) -> str:
        """The body of the mechanism that carries a body of the file."""
        return self.bodies[self.carrier[body]]

    def disabled(self, flag: str) -> bool:
        """Whether the file's options switch something off, such as "CONTACT"."""
        import mujoco

        # Older versions of MuJoCo switch springs and dampers off together, as "passive".
        names = (flag, "PASSIVE") if flag in ("SPRING", "DAMPER") else (flag,)
        bits = (getattr(mujoco.mjtDisableBit, f"mjDSBL_{name}", None) for name in names)
        return any(bit is not None and self.model.opt.disableflags & int(bit) for bit in bits)


def check_places(robot: Robot) -> None:
    """Refuses, by name, places that are not finite or no rotation: MuJoCo compiles nan, and quaternions 0."""
    for kind, tables in (
        ("BODY", ("xpos", "xmat", "xipos")),
        ("JOINT", ("xanchor", "xaxis")),
        ("GEOM", ("geom_xpos", "geom_xmat")),
        ("SITE", ("site_xpos", "site_xmat")),
    ):
        for table in tables:
            rows = np.asarray(getattr(robot.data, table))
            right = np.isfinite(rows).all(axis=1)
            if table.endswith("xmat"):
                right[right] = np.linalg.det(rows[right].reshape(-1, 3, 3)) > 0.5
            if not right.all():
                index = int(np.flatnonzero(~right)[0])
                name = robot.name(kind, index) or f"number {index}"
                raise MechanismError(
                    f"{kind.lower()} {name!r}: its position is not finite, or its orientation is not a "
                    "rotation; look for nan, inf and quaternions of length 0"
                )


# What the first word of a table of the compiled model belongs to.
OWNERS = {
    "body": "BODY", "jnt": "JOINT", "geom": "GEOM", "site": "SITE", "actuator": "ACTUATOR",
    "tendon": "TENDON", "eq": "EQUALITY", "key": "KEY",
}  # fmt: skip
# Tables that MuJoCo computes, and words for those that the file calls otherwise.
COMPUTED = ("acc0", "invweight0", "length0", "lengthrange", "rbound", "aabb", "subtreemass")
WORDS = {"gainprm": "gain (kp, kv)", "biasprm": "gain (kp, kv)"}


def check_numbers(robot: Robot) -> None:
    """Refuses, by name, what is nan in the file: MuJoCo compiles it."""
    for table in dir(robot.model):
        owner, _, what = table.partition("_")
        rows = getattr(robot.model, table) if owner in OWNERS and what not in COMPUTED else None
        if isinstance(rows, np.ndarray) and rows.dtype.kind == "f" and np.isnan(rows).any():
            index = int(np.argwhere(np.isnan(rows))[0][0])
            name = robot.name(OWNERS[owner], index) or f"number {index}"
            raise MechanismError(
                f"{OWNERS[owner].lower()} {name!r}: its {WORDS.get(what, what)} is nan; it must be a number"
            )


def named(enumeration: str, value: Any) -> str:
    """The plain name of a number of the model: "hinge" of ("mjtJoint", 3)."""
    import mujoco

    return getattr(mujoco, enumeration)(int(value)).name.partition("_")[2].lower()


def column(model: MjModel, what: str) -> np.ndarray | None:
    """A table of the compiled model, or None where this version of MuJoCo has none of that name."""
    value = getattr(model, what, None)
    return None if value is None else np.asarray(value)
