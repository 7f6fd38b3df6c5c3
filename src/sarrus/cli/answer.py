"""How a verb answers: words and tables for people, or one JSON object; errors as exit statuses."""

from __future__ import annotations

import json
import math
import re
import signal
import sys
import textwrap
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext, redirect_stdout
from pathlib import Path
from typing import Annotated, Any, NoReturn, TextIO

import typer
from rich.console import Console

from sarrus.errors import AssemblyError, Interrupted, SarrusError, StepFailed, WriteFailed

FAILED_RUN = 1
BAD_INPUT = 2
# As shells count: 128 and the number of the signal.
STOPPED = 128

JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout, nothing else.")]


class Answer:
    """Where a verb speaks: `console` for people (silent with --json), `give` for the JSON object."""

    def __init__(self, as_json: bool, stdout: TextIO):
        self.as_json = as_json
        self.stdout = stdout
        self.has_given = False
        self.console = Console(file=stdout, quiet=as_json, highlight=False)

    def say(self, text: str) -> None:
        """Print lines of text; on a terminal they are wrapped, what goes on indented below its beginning."""
        if self.console.is_terminal:
            text = "\n".join(wrapped(line, self.console.width) for line in text.split("\n"))
        self.console.print(text, markup=False, soft_wrap=True)

    def give(self, fields: Mapping[str, Any]) -> None:
        """Print the JSON object if --json was given; numbers that are not finite become null."""
        if self.as_json:
            self.has_given = True
            self.stdout.write(json.dumps(plain(fields), allow_nan=False) + "\n")
            self.stdout.flush()

    def fail(self, error: BaseException, status: int) -> None:
        """Print the JSON object of a verb that failed, unless it has given its own."""
        if not self.has_given:
            self.give(error_fields(error, status))


def error_fields(error: BaseException, status: int) -> dict[str, Any]:
    """What the JSON object of a verb says of its error."""
    return {"error": in_words(error), "error_type": type(error).__name__, "exit_status": status}


def in_words(error: BaseException) -> str:
    """What an error says, with what was noted about it."""
    return "; ".join([str(error) or type(error).__name__, *getattr(error, "__notes__", ())])


@contextmanager
def answering(as_json: bool) -> Iterator[Answer]:
    """An Answer for the body of a verb, whose errors end the process with status 1 or 2, said on stderr, and
    with --json in the object too; an interruption with 128 and the number of its signal.

    With --json whatever else is printed meanwhile goes to stderr, so that stdout holds the object alone."""
    answer = Answer(as_json, sys.stdout)
    with redirect_stdout(sys.stderr) if as_json else nullcontext(), plain_warnings(), terminable():
        try:
            yield answer
        except KeyboardInterrupt as error:
            number = error.signal if isinstance(error, Interrupted) else int(signal.SIGINT)
            if not str(error):
                error = KeyboardInterrupt("interrupted")
            end(answer, error, STOPPED + number)
        except (StepFailed, AssemblyError, WriteFailed) as error:
            end(answer, error, FAILED_RUN)
        except (SarrusError, OSError) as error:
            end(answer, error, BAD_INPUT)
        except Exception as error:
            answer.fail(error, FAILED_RUN)
            raise


def end(answer: Answer, error: BaseException, status: int) -> NoReturn:
    """Says the error and ends the process with `status`."""
    complain(error)
    answer.fail(error, status)
    raise typer.Exit(status) from error


@contextmanager
def terminable() -> Iterator[None]:
    """SIGTERM interrupts like Ctrl-C, so that what was computed is kept."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before if before is not None else signal.SIG_DFL)


@contextmanager
def plain_warnings() -> Iterator[None]:
    """Warnings as one line of words on stderr, without the line of code that they come from."""

    def show(message: Warning | str, *where: Any, **more: Any) -> None:
        console = Console(stderr=True, highlight=False)
        console.print(f"warning: {message}", style="yellow", markup=False, soft_wrap=True)

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield


def wrapped(line: str, width: int) -> str:
    """The line broken at `width`; what goes on is indented, below the second column where there is one."""
    start = line[: len(line) - len(line.lstrip())]
    column = re.match(r"\s*\S+(?: \S+)*\s{2,}(?=\S)", line)
    hanging = len(column[0]) if column and len(column[0]) <= width // 3 else len(start) + 4
    return textwrap.fill(
        line, width, subsequent_indent=" " * hanging, break_on_hyphens=False, drop_whitespace=True
    )


def complain(error: BaseException) -> None:
    """Print an error on stderr, one paragraph, no traceback."""
    console = Console(stderr=True, highlight=False)
    console.print(f"error: {in_words(error)}", style="red", markup=False, soft_wrap=True)


def plain(value: Any) -> Any:
    """The value as JSON can hold it: numpy scalars and arrays unpacked, NaN and infinities as None."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if isinstance(value, Path):
        return value.as_posix()
    return value
