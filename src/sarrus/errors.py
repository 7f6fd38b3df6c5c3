"""One family of errors, the kinds of warnings, and the status codes of a step with the sentence that the user
reads for each.

Kernels never raise: they return a `Status`.  It becomes an exception once, at the outermost call."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from enum import IntEnum
from typing import Any


class SarrusError(Exception):
    """Every error that the package raises on purpose."""


class MechanismError(SarrusError, ValueError):
    """The description of a mechanism, a state or a call is not valid."""


class UnknownName(MechanismError):
    """A name that does not exist; the message lists the known ones."""


class AssemblyError(SarrusError):
    """The constraints cannot be met; the message names the joints."""


class FileError(SarrusError, ValueError):
    """A file that cannot be read or written as asked."""


class WriteFailed(FileError):
    """The file of a run could not be written while it went on; what was computed before is kept."""


class StepFailed(SarrusError):
    """A step did not converge, substeps included.  `trajectory` holds all that was computed before it."""

    def __init__(
        self, message: str, *, time: float, joint: str | None, status: Status, trajectory: Any = None
    ):
        super().__init__(message)
        self.time = time
        self.joint = joint
        self.status = status
        self.trajectory = trajectory


class InfeasibleInputs(SarrusError):
    """Inputs of drives that cannot be met together.  residuals: by how much each drive that takes part misses
    its input [m, rad]; nearest: the inputs next to those given that can be met; `trajectory` holds all that
    was computed before."""

    def __init__(self, message: str, *, time: float, residuals: dict[str, float], nearest: dict[str, float]):
        super().__init__(message)
        self.time = time
        self.residuals = residuals
        self.nearest = nearest
        self.trajectory: Any = None


class Interrupted(KeyboardInterrupt):
    """A run was asked to stop (Ctrl-C, SIGTERM).  `trajectory` holds all that was computed, None before the
    first step; `kept`: the file where it is, with simulate(out=...); signal: its number."""

    def __init__(self, message: str, *, trajectory: Any = None, kept: Any = None, signal: int = 2):
        super().__init__(message)
        self.trajectory = trajectory
        self.kept = kept
        self.signal = signal


class RigidMechanism(UserWarning):
    """Issued by `build` for a mechanism that its loops leave no degree of freedom."""


class NearlyRedundant(UserWarning):
    """Issued by `build` where joints of a loop miss each other by little, but more than numbers are usually
    rounded: the message says what was taken for rounding."""


class LoopsLeftOpen(UserWarning):
    """Issued by `align` where joints still miss each other."""


class LossyImport(UserWarning):
    """A file held things that Sarrus has no counterpart for; the message lists them."""


class LossySave(UserWarning):
    """MJCF could not say all of a mechanism; the message lists what it leaves out or says differently."""


class InputsMissed(UserWarning):
    """Inputs of drives that cannot be met together, by little; the message says by how much, and what could
    be."""


class PushedApart(UserWarning):
    """A start that overlapped by little was moved to where nothing overlaps; the message says by how much."""


class TargetsMissed(UserWarning):
    """Issued by `assemble` where frames or joints cannot come to where they should; the message says by how
    much they miss it."""


class Status(IntEnum):
    """How a step ended.  `str(status)` is the sentence for the user."""

    CONVERGED = 0
    ITERATION_LIMIT = 1
    NOT_FINITE = 2
    OUT_OF_DOMAIN = 3
    REDUNDANT_ROWS = 4
    SUBSTEPPED = 5
    PENETRATION = 6

    def __str__(self) -> str:
        return SENTENCES[self]


SENTENCES = {
    Status.CONVERGED: "converged",
    Status.ITERATION_LIMIT: "Newton's method found no solution within its iteration limit",
    Status.NOT_FINITE: "a number stopped being finite",
    Status.OUT_OF_DOMAIN: "a body turns by more than the discrete rotation can express, |w| dt < 2",
    Status.REDUNDANT_ROWS: "the redundant rows of a closed loop do not agree with the independent ones",
    Status.SUBSTEPPED: "converged after the step was divided",
    Status.PENETRATION: "two bodies ended inside each other",
}


def unknown_name(kind: str, name: object, known: Iterable[str]) -> UnknownName:
    """The error for a name that does not exist: what may be meant, closest matches first, at most 12
    listed."""
    names = list(known)
    close = difflib.get_close_matches(str(name), names, n=3)
    close += [other for other in names if other.lower() == str(name).lower() and other not in close]
    listed = (close + [other for other in names if other not in close])[:12]
    if not listed:
        return UnknownName(f"no {kind} named {name!r}; there are none")
    more = f" and {len(names) - len(listed)} more" if len(names) > len(listed) else ""
    meant = f"; did you mean {close[0]!r}?" if close and len(names) > 1 else ""
    return UnknownName(f"no {kind} named {name!r}; known: {', '.join(repr(n) for n in listed)}{more}{meant}")
