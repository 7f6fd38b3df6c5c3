"""What is wrong with a function of the user that is to be compiled: which name, in which line."""

from __future__ import annotations

import builtins
import difflib
import dis
import inspect
import linecache
import os
import re
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import CodeType, ModuleType

import numpy as np

from sarrus.errors import MechanismError

ALLOWED = "it may use numbers, numpy arrays, math functions, and functions that numba.njit has compiled"
NAMES = ("LOAD_GLOBAL", "LOAD_NAME")
ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")


def check_code(where: str, function: Callable, arguments: str) -> None:
    """Refuses a function that does not take `arguments`, or uses a name that does not exist."""
    plain = getattr(function, "py_func", function)
    if not hasattr(plain, "__code__"):
        raise MechanismError(f"{where}: needs a function of ({arguments}), not {function!r}")
    try:
        inspect.signature(plain).bind(*arguments.split(", "))
    except TypeError as error:
        raise MechanismError(f"{where}: the function must take ({arguments}): {error}") from None
    code, known = plain.__code__, {**vars(builtins), **plain.__globals__}
    module: ModuleType | None = None
    for line, operation, name in _operations(code):
        if operation in NAMES:
            if name not in known:
                raise MechanismError(
                    f"{where}, {_place(code, line)}: name {name!r} is not defined{closest(name, known)}"
                )
            module = known[name] if isinstance(known[name], ModuleType) else None
            continue
        if module is not None and operation in ATTRIBUTES and not hasattr(module, name):
            raise MechanismError(
                f"{where}, {_place(code, line)}: module {module.__name__!r} has no {name!r}"
                f"{closest(name, vars(module))}"
            )
        module = None


def check_indices(where: str, function: Callable, sample: Sequence[object]) -> None:
    """Refuses a function that reaches outside of its arrays, as far as one call in Python shows: compiled
    code does not look, and would write into the memory of others."""
    plain = getattr(function, "py_func", function)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            plain(*sample)
    except IndexError as error:
        frames = traceback.extract_tb(error.__traceback__)[1:]
        last = frames[-1] if frames else None
        place = f", line {last.lineno} of {os.path.basename(last.filename)} ({last.line})" if last else ""
        raise MechanismError(f"{where}{place}: {error}") from None
    except Exception:
        # Anything else is the compiler's to judge: other numbers may be fine, and it takes less than Python.
        return


def closest(name: str, known: Iterable[str]) -> str:
    """A question about the name that was meant, or nothing."""
    found = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean {found[0]!r}?" if found else ""


def _operations(code: CodeType) -> Iterator[tuple[int, str, str]]:
    """(line, operation, what it names) of the code."""
    line = code.co_firstlineno
    for instruction in dis.get_instructions(code):
        line = _line_of(instruction) or line
        yield line, instruction.opname, str(instruction.argval)


def _line_of(instruction: dis.Instruction) -> int | None:
    positions = getattr(instruction, "positions", None)
    return positions.lineno if positions else instruction.starts_line


def compiler_words(where: str, function: Callable, error: Exception) -> str:
    """What numba has to say of a function, in one sentence: where, the line, the reason."""
    code = getattr(function, "py_func", function).__code__
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))  # without colours
    lines = [line.strip() for line in text.strip().splitlines()]
    reasons = [line for line in lines if line and not line.startswith("Failed in nopython mode")]
    reason = reasons[0] if reasons else repr(error)
    call = next((line[4:] for line in reasons if line.startswith(">>> ")), None)
    if call is not None and reason.endswith("found for signature:"):
        reason = f"{call} does not exist"
    file = os.path.basename(code.co_filename)
    # Of the places that numba names, innermost first, the first in the user's file.
    found = re.search(rf'File "[^"]*{re.escape(file)}", line (\d+)', text)
    place = f", {_place(code, int(found[1]))}" if found else ""
    return f"{where} cannot be compiled by numba{place}: {reason.rstrip('.')}; {ALLOWED}"


def _place(code: CodeType, line: int) -> str:
    source = linecache.getline(code.co_filename, line).strip()
    return f"line {line} of {os.path.basename(code.co_filename)}" + (f" ({source})" if source else "")
