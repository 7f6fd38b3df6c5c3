"""Checked numbers, vectors and names: a clean value, or an error that says where, what, what is valid."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from sarrus.errors import MechanismError, unknown_name

QUATERNION_SLACK = 1e-6
ROTATION_SLACK = 1e-6
PERPENDICULAR_SLACK = 1e-6
SYMMETRY_SLACK = 1e-9
TRIANGLE_SLACK = 1e-6
ROUNDING = 1e-14
"""Eigenvalues below this part of the largest count as zero: rounding of a 3x3 matrix reaches a few 1e-16."""
UNIT_ROUNDING = 1e-15
"""A length this near 1 is that of a normalised vector, whose bits are kept: saved and read it is the same.
The computed length of a normalised 4-vector misses 1 by at most 5e-16."""

WORLD = "world"
LONGEST_SHOWN = 200
"""Characters of a wrong value that a message shows."""


def frozen(value: np.ndarray) -> np.ndarray:
    """A read-only, contiguous float64 copy of `value`."""
    copy = np.array(value, dtype=np.float64, order="C")
    copy.setflags(write=False)
    return copy


def shown(value: Any) -> str:
    """A value as a message shows it: arrays as lists, and no more than the beginning of what is long."""
    text = repr(value.tolist() if isinstance(value, np.ndarray) else value)
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]} ... ({len(text):,} characters)"


def array(where: str, what: str, value: Any, shape: tuple[int | None, ...]) -> np.ndarray:
    """`value` as a read-only float64 array of `shape` (None: any length), every entry finite."""
    wanted = f"{' x '.join('N' if n is None else str(n) for n in shape)} finite numbers"
    wanted = {(0,): "empty", (1,): "one finite number"}.get(shape, wanted)  # type: ignore[arg-type]
    try:
        given = np.asarray(value)
    except ValueError:
        raise MechanismError(f"{where}: {what} must be {wanted}, not {shown(value)}") from None
    fits = given.ndim == len(shape) and all(
        n is None or n == m for n, m in zip(shape, given.shape, strict=True)
    )
    if given.size == 0 and fits:
        return frozen(given)
    if given.dtype.kind not in "iuf" or not fits or not np.all(np.isfinite(given)):
        raise MechanismError(f"{where}: {what} must be {wanted}, not {shown(value)}")
    return frozen(given)


def vector(where: str, what: str, value: Any) -> np.ndarray:
    """`value` as a read-only (3,) array, every entry finite."""
    return array(where, what, value, (3,))


def number(where: str, what: str, value: Any, *, positive: bool = False, negative: bool = True) -> float:
    """`value` as a finite float; `positive` refuses values <= 0, `negative=False` those < 0."""
    wanted = "positive and finite" if positive else "finite" if negative else "zero or positive, and finite"
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise MechanismError(f"{where}: {what} must be a number, not {shown(value)}")
    x = float(value)
    if not np.isfinite(x) or (positive and x <= 0.0) or (not negative and x < 0.0):
        raise MechanismError(f"{where}: {what} must be {wanted}, not {shown(value)}")
    return x


def fraction(where: str, what: str, value: Any) -> float:
    """`value` as a float from 0 to 1."""
    x = number(where, what, value)
    if not 0.0 <= x <= 1.0:
        raise MechanismError(f"{where}: {what} must lie between 0 and 1, not {shown(value)}")
    return x


def whole(where: str, what: str, value: Any, least: int) -> int:
    """`value` as an int of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise MechanismError(
            f"{where}: {what} must be a whole number of at least {least}, not {shown(value)}"
        )
    return int(value)


def per_coordinate(where: str, what: str, value: Any, count: int, *, negative: bool = False) -> np.ndarray:
    """One finite number for each of `count` coordinates, (count,); a single number stands for all of them."""
    if np.ndim(value) == 0:
        return frozen(np.full(count, number(where, what, value, negative=negative)))
    values = array(where, what, value, (count,))
    for x in values:
        number(where, what, float(x), negative=negative)
    return values


def unit(where: str, what: str, value: Any) -> np.ndarray:
    """The direction of `value`, a read-only (3,) unit vector."""
    given = vector(where, what, value)
    length = np.linalg.norm(given)
    if length == 0.0 or not np.isfinite(length):
        flaw = "not be zero" if length == 0.0 else "have a finite length"
        raise MechanismError(f"{where}: {what} must {flaw}, but is {shown(value)}")
    return given if abs(length - 1.0) <= UNIT_ROUNDING else frozen(given / length)


def perpendicular(where: str, axis: np.ndarray, value: Any | None) -> np.ndarray:
    """`axis2`, a unit vector across `axis`; by default from the world axis least aligned with it."""
    if value is None:
        given = np.eye(3)[np.argmin(np.abs(axis))]
    else:
        given = unit(where, "axis2", value)
        off = float(given @ axis)
        if abs(off) <= UNIT_ROUNDING:
            return given
        if abs(off) > PERPENDICULAR_SLACK:
            angle = np.degrees(np.arccos(np.clip(off, -1.0, 1.0)))
            raise MechanismError(
                f"{where}: axis2 must be perpendicular to axis, but their angle is {angle:.6g} degrees"
            )
    given = given - (given @ axis) * axis
    return frozen(given / np.linalg.norm(given))


def quaternion(where: str, what: str, value: Any) -> np.ndarray:
    """`value` (w, x, y, z) as a read-only unit quaternion; lengths within 1e-6 of 1 are normalised."""
    given = array(where, what, value, (4,))
    length = float(np.linalg.norm(given))
    if abs(length - 1.0) > QUATERNION_SLACK:
        raise MechanismError(
            f"{where}: {what} must be a unit quaternion (w, x, y, z), but its length is {length:.9g}"
        )
    return given if abs(length - 1.0) <= UNIT_ROUNDING else frozen(given / length)


def orientation(where: str, what: str, value: Any) -> np.ndarray:
    """`value` as a read-only unit quaternion (w, x, y, z): four numbers, a rotation matrix (3, 3), or a
    `Rotation` of scipy."""
    from sarrus.mechanism.rotations import quaternion as of_matrix

    if hasattr(value, "as_matrix"):
        value = value.as_matrix()
    shape = np.shape(value)
    if shape == (3, 3):
        matrix = array(where, what, value, (3, 3))
        off = float(np.abs(matrix @ matrix.T - np.eye(3)).max())
        if off > ROTATION_SLACK or np.linalg.det(matrix) < 0.0:
            flaw = f"its rows miss orthonormal ones by {off:.3g}" if off > ROTATION_SLACK else "it reflects"
            raise MechanismError(f"{where}: {what} must be a rotation, but {flaw}")
        return quaternion(where, what, of_matrix(matrix))
    if shape == (3,):
        raise MechanismError(
            f"{where}: {what} of three numbers is ambiguous (Euler angles in which order, or a rotation "
            "vector?); give (w, x, y, z), a 3 x 3 matrix, or scipy.spatial.transform.Rotation.from_euler(...)"
        )
    return quaternion(where, what, value)


def inertia(where: str, value: Any) -> np.ndarray:
    """`value` as an inertia (3, 3) [kg m^2]: three moments, a symmetric matrix, or 0 (a point mass)."""
    shape = np.shape(value)
    if shape == ():
        if number(where, "inertia", value) != 0.0:
            raise MechanismError(
                f"{where}: inertia must be 3 moments, a 3 x 3 matrix, or 0 for a point mass, not {value!r}"
            )
        return frozen(np.zeros((3, 3)))
    given = (
        np.diag(vector(where, "inertia", value))
        if len(shape) == 1
        else array(where, "inertia", value, (3, 3))
    )
    if not np.any(given):
        return frozen(given)
    if np.max(np.abs(given - given.T)) > SYMMETRY_SLACK * np.max(np.abs(given)):
        raise MechanismError(f"{where}: inertia must be symmetric, not {np.asarray(value).tolist()!r}")
    matrix = 0.5 * (given + given.T)
    moments = np.linalg.eigvalsh(matrix)
    listed = ", ".join(f"{m:.6g}" for m in moments)
    if moments[0] <= ROUNDING * abs(moments[2]):
        raise MechanismError(
            f"{where}: inertia must be positive definite (or exactly 0, a point mass), "
            f"but its principal moments are {listed}"
        )
    if moments[0] + moments[1] < moments[2] * (1.0 - TRIANGLE_SLACK):
        raise MechanismError(
            f"{where}: no rigid body has the principal moments of inertia {listed}: "
            "the largest exceeds the sum of the other two"
        )
    return frozen(matrix)


def colour(where: str, value: Any | None) -> tuple[float, ...] | None:
    """Red, green, blue (and opacity), each from 0 to 1, or None."""
    if value is None:
        return None
    given = array(where, "color", value, (4,) if np.shape(value) == (4,) else (3,))
    if np.any(given < 0.0) or np.any(given > 1.0):
        raise MechanismError(f"{where}: color must be 3 or 4 numbers from 0 to 1, not {shown(value)}")
    return tuple(float(x) for x in given)


def new_name(kind: str, name: Any, taken: Iterable[str]) -> str:
    """`name` when it is a non-empty str that nothing else of this kind has."""
    if not isinstance(name, str) or not name.strip():
        raise MechanismError(f"the name of a {kind} must be a non-empty str, not {name!r}")
    if name in taken:
        raise MechanismError(f"{kind} {name!r}: there is already a {kind} of this name; names must be unique")
    return name


def body_name(where: str, name: Any, bodies: Mapping[str, Any], *, world: bool = True) -> str:
    """`name` when it is a known body, or the world where `world` is true."""
    if not isinstance(name, str) or not (name in bodies or (world and name == WORLD)):
        raise within(where, unknown_name("body", name, [*bodies, WORLD] if world else bodies))
    return name


def within(where: str, error: MechanismError) -> MechanismError:
    """The same error with the place in front of its message."""
    return type(error)(f"{where}: {error}")


def choice(where: str, what: str, value: Any, valid: Iterable[str]) -> str:
    """`value` when it is one of `valid`."""
    options = list(valid)
    if value not in options:
        close = difflib.get_close_matches(str(value), options, n=1)
        meant = f"; did you mean {close[0]!r}?" if close else ""
        raise MechanismError(
            f"{where}: {what} must be one of {', '.join(repr(o) for o in options)}, not {shown(value)}{meant}"
        )
    return value


def function(where: str, what: str, value: Any, arguments: str) -> Callable[..., Any]:
    """`value` when it is a callable of the positional `arguments`, written as in "x, q, p, out"."""
    if not callable(value):
        raise MechanismError(f"{where}: {what} must be a function {what}({arguments}), not {shown(value)}")
    try:
        inspect.signature(getattr(value, "py_func", value)).bind(*arguments.split(", "))
    except TypeError as fault:
        raise MechanismError(f"{where}: {what} must be a function {what}({arguments}): {fault}") from None
    except ValueError:
        return value
    return value
