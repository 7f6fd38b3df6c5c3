"""One family of errors, the kinds of warnings, and the status codes of a step with the sentence that the user
reads for each.

Kernels never raise: they return a `Status`.  It becomes an exception once, at the outermost call."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from enum import IntEnum
from typing import Any


class SarrusError(Exception):
    """The base class of all errors that Sarrus raises."""


class MechanismError(SarrusError, ValueError):
    """A mechanism, a state or an argument is not valid."""


class UnknownName(MechanismError):
    """A name does not exist; the message lists those that do."""


class AssemblyError(SarrusError):
    """The constraints cannot be satisfied; the message names the joints."""


class FileError(SarrusError, ValueError):
    """A file cannot be read or written."""


class WriteFailed(FileError):
    """The output file could not be written during a run; what was computed before is kept."""


class StepFailed(SarrusError):
    """A step did not converge, even in smaller steps.  `trajectory` holds all that was computed before."""

    def __init__(
        self, message: str, *, time: float, joint: str | None, status: Status, trajectory: Any = None
    ):
        super().__init__(message)
        self.time = time
        self.joint = joint
        self.status = status
        self.trajectory = trajectory


class InfeasibleInputs(SarrusError):
    """Inputs of motors that contradict each other.  residuals: by how much each of these motors misses its
    input [m, rad]; nearest: the closest inputs that can be met; `trajectory` holds all that was computed
    before."""

    def __init__(self, message: str, *, time: float, residuals: dict[str, float], nearest: dict[str, float]):
        super().__init__(message)
        self.time = time
        self.residuals = residuals
        self.nearest = nearest
        self.trajectory: Any = None


class Interrupted(KeyboardInterrupt):
    """A run was stopped from outside (Ctrl-C, SIGTERM).  `trajectory` holds all that was computed, None
    before the first step; `kept`: the file that holds it, with simulate(out=...); signal: its number."""

    def __init__(self, message: str, *, trajectory: Any = None, kept: Any = None, signal: int = 2):
        super().__init__(message)
        self.trajectory = trajectory
        self.kept = kept
        self.signal = signal


class RigidMechanism(UserWarning):
    """Issued by `build` for a mechanism whose loops leave no degree of freedom."""


class NearlyRedundant(UserWarning):
    """Issued by `build` where the joints of a loop almost fit together, but miss by more than rounded numbers
    usually do; the message says what was treated as rounding."""


class LoopsLeftOpen(UserWarning):
    """Issued by `align` where it could not close all loops."""


class LossyImport(UserWarning):
    """A file uses features that Sarrus does not support; the message lists them."""


class LossySave(UserWarning):
    """MJCF does not support all of a mechanism; the message lists what was left out or changed."""


class InputsMissed(UserWarning):
    """Inputs of motors contradict each other slightly; the message says by how much, and which inputs could
    be met."""


class PushedApart(UserWarning):
    """Bodies that overlapped slightly at the start were pushed apart; the message says by how much."""


class TargetsMissed(UserWarning):
    """Issued by `assemble` where frames or joints do not reach their targets; the message says by how much
    they miss them."""


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
    Status.NOT_FINITE: "a value became infinite or NaN",
    Status.OUT_OF_DOMAIN: "a body turns too far in one step: |w| dt must stay below 2",
    Status.REDUNDANT_ROWS: "the redundant constraints of a closed loop contradict the independent ones",
    Status.SUBSTEPPED: "converged after the step was divided",
    Status.PENETRATION: "two bodies are inside each other at the end of the step",
}


def unknown_name(kind: str, name: object, known: Iterable[str]) -> UnknownName:
    """The error for a name that does not exist: what may be meant, closest matches first, at most 12
    listed."""
    names = list(dict.fromkeys(known))
    close = difflib.get_close_matches(str(name), names, n=3)
    close += [other for other in names if other.lower() == str(name).lower() and other not in close]
    listed = (close + [other for other in names if other not in close])[:12]
    if not listed:
        return UnknownName(f"no {kind} named {name!r}; there are none")
    more = f" and {len(names) - len(listed)} more" if len(names) > len(listed) else ""
    meant = f"; did you mean {close[0]!r}?" if close and len(names) > 1 else ""
    return UnknownName(f"no {kind} named {name!r}; known: {', '.join(repr(n) for n in listed)}{more}{meant}")
