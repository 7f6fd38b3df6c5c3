"""The users' functions compiled for the kernels: each becomes a C function of pointers, called through its
address."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sarrus.errors import MechanismError
from sarrus.model.user_code import check_code, compiler_words


def _compile(where: str, function: Callable, arguments: str, make: Callable[[], Any]) -> Any:
    """What `make` compiles of a function of `arguments`; faults are told by name and line."""
    check_code(where, function, arguments)
    try:
        return make()
    except Exception as error:  # numba raises many kinds; all mean that the function cannot be compiled
        raise MechanismError(compiler_words(where, function, error)) from error


def constraint_callback(
    where: str, function: Callable, bodies: int, parameters: int, shape: tuple[int, ...]
) -> Any:
    """`function`(x, q, p, out) as a compiled callback; out has `shape`."""
    from numba import carray, njit

    from sarrus._jit import compile_callback

    def make() -> Any:
        inner = njit(function) if not hasattr(function, "py_func") else function

        if len(shape) == 1:
            rows = shape[0]

            def call(number, x, q, p, out):
                inner(
                    carray(x, (bodies, 3)),
                    carray(q, (bodies, 4)),
                    carray(p, (parameters,)),
                    carray(out, (rows,)),
                )

        elif len(shape) == 2:
            rows, columns = shape

            def call(number, x, q, p, out):
                inner(
                    carray(x, (bodies, 3)),
                    carray(q, (bodies, 4)),
                    carray(p, (parameters,)),
                    carray(out, (rows, columns)),
                )

        else:
            rows, columns, depth = shape

            def call(number, x, q, p, out):
                inner(
                    carray(x, (bodies, 3)),
                    carray(q, (bodies, 4)),
                    carray(p, (parameters,)),
                    carray(out, (rows, columns, depth)),
                )

        return compile_callback(call, 4, False)

    return _compile(where, function, "x, q, p, out", make)


def energy_callback(where: str, function: Callable, bodies: int, parameters: int) -> Any:
    """`function`(x, q, p) -> energy as a compiled callback."""
    from numba import carray, njit

    from sarrus._jit import compile_callback

    def make() -> Any:
        inner = njit(function) if not hasattr(function, "py_func") else function

        def call(number, x, q, p):
            return inner(carray(x, (bodies, 3)), carray(q, (bodies, 4)), carray(p, (parameters,)))

        return compile_callback(call, 3, True)

    return _compile(where, function, "x, q, p", make)


def force_callback(where: str, function: Callable, bodies: int, parameters: int) -> Any:
    """`function`(t, x, q, v, w, p, out) as a compiled callback; out (bodies, 6)."""
    from numba import carray, njit

    from sarrus._jit import compile_callback

    def make() -> Any:
        inner = njit(function) if not hasattr(function, "py_func") else function

        def call(t, x, q, v, w, p, out):
            inner(
                t,
                carray(x, (bodies, 3)),
                carray(q, (bodies, 4)),
                carray(v, (bodies, 3)),
                carray(w, (bodies, 3)),
                carray(p, (parameters,)),
                carray(out, (bodies, 6)),
            )

        return compile_callback(call, 6, False)

    return _compile(where, function, "t, x, q, v, w, p, out", make)


def controller_callback(where: str, function: Callable, coordinates: int, inputs: int, memory: int) -> Any:
    """`function`(t, q, v, u, memory) as a compiled callback."""
    from numba import carray, njit

    from sarrus._jit import compile_callback

    def make() -> Any:
        inner = njit(function) if not hasattr(function, "py_func") else function

        def call(t, q, v, u, m):
            inner(
                t,
                carray(q, (coordinates,)),
                carray(v, (coordinates,)),
                carray(u, (inputs,)),
                carray(m, (memory,)),
            )

        return compile_callback(call, 4, False)

    return _compile(where, function, "t, q, v, u, memory", make)
