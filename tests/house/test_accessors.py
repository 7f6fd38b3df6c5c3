"""Tables of a world are read and written through `maths.access` alone, which knows where they lie."""

import ast
from pathlib import Path

import pytest

import sarrus

SOURCE = Path(sarrus.__file__).parent
ROOMS = ("maths", "kinematics", "dynamics", "solvers", "integrators/maximal")
KERNELS = {"helper", "kernel", "entry"}
# Names of the tables of one world in kernels.
TABLES = {
    "state", "work", "par", "saved", "origin", "total", "reactions", "touches", "source", "target", "blocks",
}  # fmt: skip
# The accessors themselves; the block graph is a library of its own, on arrays of its own.
APART = ("maths/access.py", "solvers/block_graph")


def kernel_files() -> list[Path]:
    files = sorted(path for room in ROOMS for path in (SOURCE / room).rglob("*.py"))
    return [path for path in files if not str(path.relative_to(SOURCE)).startswith(APART)]


def direct_accesses(text: str) -> list[tuple[int, str]]:
    """(line, source) of every table of a world that a kernel in `text` indexes by row and column."""
    found = []
    for function in ast.walk(ast.parse(text)):
        if not isinstance(function, ast.FunctionDef):
            continue
        names = {name.id for name in function.decorator_list if isinstance(name, ast.Name)}
        # The loop over steps is made an entry by the function that makes it.
        if not names & KERNELS and function.name != "run":
            continue
        for node in ast.walk(function):
            is_cell = isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple)
            if is_cell and isinstance(node.value, ast.Name) and node.value.id in TABLES:
                found.append((node.lineno, ast.unparse(node)))
    return found


@pytest.mark.parametrize("path", kernel_files(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_kernels_reach_the_tables_of_a_world_through_accessors_alone(path):
    assert direct_accesses(path.read_text()) == []


def test_the_scan_finds_what_it_looks_for():
    text = "@kernel\ndef f(state, b):\n    state[b, 3] += 1.0\n    return state[b, 4]\n"
    assert [line for line, _ in direct_accesses(text)] == [3, 4]
    assert direct_accesses(text.replace("@kernel\n", "")) == []
    assert len(kernel_files()) > 40
