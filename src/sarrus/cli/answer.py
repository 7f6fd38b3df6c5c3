"""How a verb answers: words and tables for people, or one JSON object; errors as exit statuses."""

from __future__ import annotations

import json
import math
import re
import sys
import textwrap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext, redirect_stdout
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer
from rich.console import Console

from sarrus.errors import AssemblyError, SarrusError, StepFailed

FAILED_RUN = 1
BAD_INPUT = 2

JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout, nothing else.")]


class Answer:
    """Where a verb speaks: `console` for people (silent with --json), `give` for the JSON object."""

    def __init__(self, as_json: bool, stdout: TextIO):
        self.as_json = as_json
        self.stdout = stdout
        self.console = Console(file=stdout, quiet=as_json, highlight=False)

    def say(self, text: str) -> None:
        """Print lines of text; on a terminal they are wrapped, what goes on indented below its beginning."""
        if self.console.is_terminal:
            text = "\n".join(wrapped(line, self.console.width) for line in text.split("\n"))
        self.console.print(text, markup=False, soft_wrap=True)

    def give(self, fields: Mapping[str, Any]) -> None:
        """Print the JSON object if --json was given; numbers that are not finite become null."""
        if self.as_json:
            self.stdout.write(json.dumps(plain(fields), allow_nan=False) + "\n")
            self.stdout.flush()


@contextmanager
def answering(as_json: bool) -> Iterator[Answer]:
    """An Answer for the body of a verb, whose errors end the process with status 1 or 2, said on stderr.

    With --json whatever else is printed meanwhile goes to stderr, so that stdout holds the object alone."""
    answer = Answer(as_json, sys.stdout)
    with redirect_stdout(sys.stderr) if as_json else nullcontext():
        try:
            yield answer
        except (StepFailed, AssemblyError) as error:
            complain(error)
            raise typer.Exit(FAILED_RUN) from error
        except (SarrusError, OSError) as error:
            complain(error)
            raise typer.Exit(BAD_INPUT) from error


def wrapped(line: str, width: int) -> str:
    """The line broken at `width`; what goes on is indented, below the second column where there is one."""
    start = line[: len(line) - len(line.lstrip())]
    column = re.match(r"\s*\S+(?: \S+)*\s{2,}(?=\S)", line)
    hanging = len(column[0]) if column and len(column[0]) <= width // 3 else len(start) + 4
    return textwrap.fill(
        line, width, subsequent_indent=" " * hanging, break_on_hyphens=False, drop_whitespace=True
    )


def complain(error: Exception) -> None:
    """Print an error on stderr, one paragraph, no traceback."""
    Console(stderr=True, highlight=False).print(f"error: {error}", style="red", markup=False, soft_wrap=True)


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
