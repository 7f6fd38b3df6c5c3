"""s-expressions: text to nested nodes, each with its line and column."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from sarrus.errors import FileError

LIST, TEXT, NUMBER, WORD = "list", "text", "number", "word"


@dataclass(frozen=True)
class Node:
    """A list, a quoted text, a number or a word (in small letters), and where it begins, counted from 1."""

    kind: str
    line: int
    column: int
    items: tuple[Node, ...] = ()
    text: str = ""
    number: float = 0.0

    @property
    def head(self) -> str:
        """The word that a list begins with; empty where it begins with none."""
        return self.items[0].text if self.items and self.items[0].kind == WORD else ""

    @property
    def shown(self) -> str:
        """What it looks like, short."""
        if self.kind == LIST:
            return f"({self.head} ...)" if self.items else "()"
        return f'"{self.text}"' if self.kind == TEXT else self.text


def fault(file: str, line: int, column: int, what: object) -> FileError:
    """The error for something at a place of a file."""
    return FileError(f"{file}, line {line}, column {column}: {what}")


def parse(text: str, file: str) -> list[Node]:
    """The expressions of a text; `;` starts a comment.  file: what errors call it."""
    return _Parser(text, file).expressions()


class _Parser:
    def __init__(self, text: str, file: str):
        self.text, self.file = text, file
        self.i, self.line, self.column = 0, 1, 1

    def step(self, count: int) -> None:
        for character in self.text[self.i : self.i + count]:
            self.line, self.column = (self.line + 1, 1) if character == "\n" else (self.line, self.column + 1)
        self.i += count

    def expressions(self) -> list[Node]:
        stack: list[list[Node]] = [[]]
        opened: list[tuple[int, int]] = []
        while self.i < len(self.text):
            character, here = self.text[self.i], (self.line, self.column)
            if character.isspace() or character == "\ufeff":
                self.step(1)
            elif character == ";":
                end = self.text.find("\n", self.i)
                self.step((len(self.text) if end < 0 else end) - self.i)
            elif character == "(":
                opened.append(here)
                stack.append([])
                self.step(1)
            elif character == ")":
                if not opened:
                    raise fault(self.file, *here, "')' without a '(' before it")
                items = tuple(stack.pop())
                stack[-1].append(Node(LIST, *opened.pop(), items))
                self.step(1)
            else:
                stack[-1].append(self.quoted() if character == '"' else self.atom())
        if opened:
            raise fault(self.file, *opened[-1], "this '(' is never closed")
        return stack[0]

    def quoted(self) -> Node:
        here, end = (self.line, self.column), self.text.find('"', self.i + 1)
        if end < 0 or "\n" in self.text[self.i : end]:
            raise fault(self.file, *here, "this text has no closing quote on its line")
        node = Node(TEXT, *here, text=self.text[self.i + 1 : end])
        self.step(end + 1 - self.i)
        return node

    def atom(self) -> Node:
        here, end = (self.line, self.column), self.i
        while end < len(self.text) and not self.text[end].isspace() and self.text[end] not in '();"':
            end += 1
        word = self.text[self.i : end]
        self.step(end - self.i)
        try:
            number = float(word)
        except ValueError:
            return Node(WORD, *here, text=word.lower())
        if not isfinite(number):
            raise fault(self.file, *here, f"numbers must be finite, not {word}")
        return Node(NUMBER, *here, text=word, number=number)
