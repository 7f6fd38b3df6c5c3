"""A run as one HTML file that plays offline: no network, no other file, nothing to install.

The page holds a header (JSON), one binary block (base64) and the player, plain WebGL 2 from the folder
`player`.  Text reaches the page only as JSON with all of <, > and & escaped, and the page's policy allows no
script but the player, by its hash, and no request at all."""

from __future__ import annotations

import hashlib
import json
import math
import os
from base64 import b64encode
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sarrus.errors import FileError, MechanismError
from sarrus.mechanism.rotations import rotation
from sarrus.output import replacing
from sarrus.viewers.page.blob import Blob
from sarrus.viewers.page.curves import Curve, curves_of, energy_words
from sarrus.viewers.page.motion import (
    FAR,
    Arrows,
    Motion,
    arrows_of,
    bounds_of,
    motion_of,
    view_of,
)
from sarrus.viewers.scene import Scene, scene_of
from sarrus.viewers.strands import BEND, Knot, bent

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sarrus.mechanism import Mechanism
    from sarrus.trajectory import Trajectory

SUFFIXES = (".html", ".htm")
SCRIPTS = ("numbers", "data", "shaders", "meshes", "camera", "renderer", "plots", "controls", "player")
SIGNAL_SHARE = 0.2
"""Part of a page that signals may fill where they are not chosen."""
PRECISION = 2e-5
"""Positions are stored in 16 bits where that errs by no more than this part of the size of the mechanism."""
UNIT_QUATERNION = 32767
BYTES_PER_POSE = 14
"""Seven numbers of 16 bits: how many frames a page may hold at the very most."""
FPS = 60.0
MAX_SIZE = 20_000_000
LEAST_FRAMES = 10
"""Frames without which a page is not worth writing."""


def to_html(
    traj: Trajectory,
    path: str | os.PathLike[str],
    title: str | None = None,
    fps: float = FPS,
    max_size: int = MAX_SIZE,
    signals: str | Iterable[str] | None = None,
) -> Path:
    """The path of the page after writing it: complete, or not at all.  Arguments as of `page`."""
    target = Path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise FileError(f"cannot write {target}: the name of a page ends in {' or '.join(SUFFIXES)}")
    text = page(traj, title, fps, max_size, signals)
    with replacing(target) as partial:
        partial.write_text(text, encoding="utf-8")
    return target


def page(
    traj: Trajectory,
    title: str | None = None,
    fps: float = FPS,
    max_size: int = MAX_SIZE,
    signals: str | Iterable[str] | None = None,
    **options: Any,
) -> str:
    """The text of a page that plays `traj`, by default under the name of its mechanism.

    At most `fps` recorded nodes per second are kept, fewer where it would exceed `max_size` [bytes]; the
    page says how many.  signals: those that can be plotted in the page, as in `Trajectory.signals`; None: as
    many as `SIGNAL_SHARE` of the page holds.  options: of the player, as `autoplay`."""
    check_numbers(fps, max_size)
    name = traj.model.mechanism.name if title is None else str(title)
    name = name.encode("utf-8", "replace").decode()  # half a surrogate pair cannot be written
    empty = assemble(name, {}, "")
    room = int(SIGNAL_SHARE * max_size * 3 / 4) if signals is None else None
    curves, left_out = curves_of(traj, signals, room)
    most = int(max_size / (4 / 3 * BYTES_PER_POSE * max(1, len(traj.body_names)))) + 2
    for _ in range(2):
        header, blob = contents(traj, name, fps, most, curves, notes_on(left_out))
        text = assemble(name, header | options, blob.text())
        size = len(text.encode())
        if size <= max_size:
            return text
        frames = header["frames"]["count"]
        fixed = len(empty) + (header["bytes"]["still"] + 1000) * 4 / 3
        share = (max_size - fixed) / max(1.0, size - fixed)
        most = int(0.98 * frames * share)
        if most < min(LEAST_FRAMES, frames):
            raise FileError(
                f"{name!r}: a page of {max_size / 1e6:.3g} MB is too small: without any motion it takes "
                f"{fixed / 1e6:.3g} MB; give a larger max_size, or simpler meshes"
            )
    raise FileError(f"{name!r}: no page of {max_size / 1e6:.3g} MB is possible; give a larger max_size")


def check_numbers(fps: float, max_size: int) -> None:
    """Nothing, when both are positive and finite."""
    for what, value in (("fps", fps), ("max_size", max_size)):
        if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
            raise MechanismError(f"to_html: {what} must be a number, not {value!r}")
        if not (math.isfinite(value) and value > 0):
            raise MechanismError(f"to_html: {what} must be positive, not {value!r}")


def contents(
    traj: Trajectory, title: str, fps: float, most: int | None, curves: list[Curve], said: list[str]
) -> tuple[dict[str, Any], Blob]:
    """Header and binary block of a page; said: notes for its reader."""
    mechanism = traj.model.mechanism
    motion = motion_of(traj, fps, most)
    scene = scene_of(mechanism)
    low, high = bounds_of(scene, motion)
    azimuth, elevation = view_of(motion)
    blob = Blob()
    drawn = scene_fields(scene, blob)
    plotted = curve_fields(curves, blob)
    still = blob.size
    header = drawn | {
        "title": title,
        "facts": facts(traj),
        "notes": [*notes(traj, motion), *said],
        "low": low.tolist(),
        "high": high.tolist(),
        "down": down(mechanism),
        "follow": float(np.linalg.norm(high - low)) > 2.0 * FAR * scene.size,
        "azimuth": azimuth,
        "elevation": elevation,
        "curves": plotted,
        "frames": frame_fields(motion, scene, blob),
        "strands": strand_fields(motion, scene, blob),
        "touches": touch_fields(arrows_of(traj, motion), blob),
        "bytes": {"still": still, "all": blob.size},
    }
    return header, blob


def curve_fields(curves: list[Curve], blob: Blob) -> list[dict[str, Any]]:
    """The curves; those with the same times share them."""
    times: dict[bytes, list[Any]] = {}
    fields = []
    for curve in curves:
        key = curve.time.tobytes()
        if key not in times:
            times[key] = blob.add(curve.time, "float64")
        fields.append(
            {
                "name": curve.name,
                "label": curve.label,
                "quantity": curve.quantity,
                "panel": curve.panel,
                "unit": curve.unit,
                "log": curve.log,
                "shown": curve.shown,
                "color": curve.look.color,
                "dashes": list(curve.look.dashes),
                "time": times[key],
                "values": blob.add(curve.values, "float32"),
            }
        )
    return fields


def notes_on(left_out: int) -> list[str]:
    """What is said of signals that found no room."""
    if not left_out:
        return []
    return [f"{left_out} signals found no room here; to_html(signals=...) chooses which to keep."]


def scene_fields(scene: Scene, blob: Blob) -> dict[str, Any]:
    """What is drawn: meshes, each stored once, and the parts that use them."""
    meshes: list[dict[str, Any]] = []
    known: dict[bytes, int] = {}
    parts = []
    checkered = {plane.name for plane in scene.planes}
    for part in scene.parts:
        if not len(part.faces) or (part.layer == "ground" and part.name in checkered):
            continue  # the player paints grounds itself
        key = hashlib.sha256(
            part.vertices.tobytes() + b"/" + part.faces.tobytes() + bytes([part.smooth])
        ).digest()
        if key not in known:
            known[key] = len(meshes)
            wide = "uint16" if len(part.vertices) <= 65536 else "uint32"
            meshes.append(
                {
                    "vertices": blob.add_quantised(part.vertices),
                    "faces": blob.add(part.faces, wide),
                    "smooth": part.smooth,
                }
            )
        parts.append(
            {
                "name": part.name,
                "body": part.body,
                "mesh": known[key],
                "color": [round(float(c), 4) for c in part.color],
                "layer": part.layer,
            }
        )
    return {
        "bodies": list(scene.bodies),
        "size": scene.size,
        "unit": scene.unit,
        "shown": list(scene.shown),
        "meshes": meshes,
        "parts": parts,
        "lines": [
            {
                "name": line.name,
                "kind": line.kind,
                "a": line.body_a,
                "b": line.body_b,
                "pointA": line.point_a.tolist(),
                "pointB": line.point_b.tolist(),
                "length": line.length,
            }
            for line in scene.lines
        ],
        "planes": [
            {"name": plane.name, "point": plane.point.tolist(), "normal": plane.normal.tolist()}
            for plane in scene.planes
        ],
    }


def frame_fields(motion: Motion, scene: Scene, blob: Blob) -> dict[str, Any]:
    """Times, positions and orientations of the frames."""
    return {
        "count": len(motion.time),
        "time": blob.add(motion.time, "float64"),
        "position": blob.add_quantised(motion.position, PRECISION * scene.size),
        "orientation": blob.add(np.round(motion.orientation * UNIT_QUATERNION), "int16"),
    }


def strand_fields(motion: Motion, scene: Scene, blob: Blob) -> list[dict[str, Any]]:
    """The tendons: points of bodies, and for what they wind around, the points of every frame."""
    if not scene.strands:
        return []
    turns = rotation(motion.orientation)
    fields = []
    for strand in scene.strands:
        pieces: list[dict[str, Any]] = []
        for k, piece in enumerate(strand.pieces):
            if isinstance(piece, Knot):
                pieces.append({"body": piece.body, "point": piece.point.tolist()})
                continue
            ways = [bent(strand, k, *pose) for pose in zip(turns, motion.position, strict=True)]
            points = blob.add_quantised(np.array(ways), PRECISION * scene.size)
            pieces.append({"body": piece.body, "points": points, "count": BEND})
        fields.append({"name": strand.name, "pieces": pieces})
    return fields


def touch_fields(arrows: Arrows | None, blob: Blob) -> dict[str, Any] | None:
    """Points and forces of the contacts of every frame, or None."""
    if arrows is None or not len(arrows.point):
        return None
    size = np.linalg.norm(arrows.force, axis=1)
    return {
        "start": blob.add(arrows.start, "uint32"),
        "point": blob.add_quantised(arrows.point),
        "force": blob.add_quantised(arrows.force),
        "typical": float(np.percentile(size, 75)) or float(size.max()),
    }


def down(mechanism: Mechanism) -> list[float]:
    """Where gravity pulls, a unit vector; without gravity -z."""
    strength = float(np.linalg.norm(mechanism.gravity))
    return (mechanism.gravity / strength).tolist() if strength > 0.0 else [0.0, 0.0, -1.0]


def facts(traj: Trajectory) -> list[list[str]]:
    """What the page says about the run, as pairs of words."""
    model, violation = traj.model, np.asarray(traj.violation())
    worst = violation[np.isfinite(violation)]
    error = np.abs(traj.energy().error)
    error = error[np.isfinite(error)]
    words = [
        ["mechanism", model.mechanism.name],
        ["bodies, joints", f"{len(model.body_names)}, {len(model.joint_names)}"],
        ["degrees of freedom", str(model.dof)],
        ["redundant constraints", str(model.redundant_constraints)],
        ["method", traj.method],
        ["time step", f"{traj.dt:g} s"],
        ["duration", f"{traj.time[-1] - traj.time[0]:g} s"],
    ]
    if len(worst) and model.joint_names:
        words.append(["largest violation", scientific(worst.max())])
    if len(error):
        words.append([f"largest {energy_words(traj)}", f"{scientific(error.max())} J"])
    status = traj.stats.summary()["status"]
    return [*words, ["steps", str(status)]] if traj.stats.steps else words


def scientific(value: float) -> str:
    """A number such as 8.75e-11, and plain 0."""
    return f"{value:.2e}" if value else "0"


def notes(traj: Trajectory, motion: Motion) -> list[str]:
    """What was left out of the page, in sentences."""
    said = []
    kept, recorded = len(motion.time), len(traj)
    if kept < recorded:
        rate = (kept - 1) / max(1e-300, float(motion.time[-1] - motion.time[0]))
        said.append(
            f"{kept} of {recorded} recorded nodes are shown ({rate:.3g} per second); in between, the motion "
            "is interpolated. The curves are of all nodes."
        )
    return said


def assemble(title: str, header: dict[str, Any], data: str) -> str:
    """The page from its pieces."""
    folder = files("sarrus.viewers.page").joinpath("player")
    scripts = [folder.joinpath(f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS]
    script = '(() => {\n"use strict";\n' + "\n".join(scripts) + "\n})();\n"
    style = folder.joinpath("player.css").read_text(encoding="utf-8")
    text = folder.joinpath("player.html").read_text(encoding="utf-8")
    fields = json.dumps(header, allow_nan=False, separators=(",", ":"))
    for sign in "<>&":
        fields = fields.replace(sign, f"\\u{ord(sign):04x}")
    pieces = {
        "{{title}}": escape(title),
        "{{policy}}": f"script-src '{digest(script)}'; style-src '{digest(style)}'",
        "{{style}}": style,
        "{{header}}": fields,
        "{{data}}": data,
        "{{script}}": script,
    }
    # Cut at the marks rather than replace them one by one: what is put in may itself look like a mark.
    out = []
    for k, piece in enumerate(text.split("{{")):
        if k:
            mark, _, rest = piece.partition("}}")
            out.append(pieces["{{" + mark + "}}"] + rest)
        else:
            out.append(piece)
    return "".join(out)


def digest(text: str) -> str:
    """The hash by which a content security policy allows an inline text."""
    return "sha256-" + b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
