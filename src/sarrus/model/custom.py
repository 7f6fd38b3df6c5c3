"""The users' functions compiled for the kernels: each becomes a C function of pointers, called through its
address."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np

from sarrus.errors import MechanismError
from sarrus.mechanism import Custom, Mechanism
from sarrus.model.user_code import check_code, check_indices, compiler_words

Pointer = Any
"""What a compiled function gets for an array: a bare address, for which Python has no type."""


class Callback(Protocol):
    """A compiled function of the user; it must be kept while its address is used."""

    @property
    def address(self) -> int:
        """Where kernels call it."""


class UserFunction(NamedTuple):
    """A function of the user: the term it belongs to, what it gives there, and both in words; bodies,
    parameters: their numbers; shape: of its array `out`, () where it returns a number."""

    term: str
    what: str
    where: str
    function: Callable[..., Any]
    bodies: int
    parameters: int
    shape: tuple[int, ...]

    def compiled(self) -> Callback:
        """The function as a callback of the kernels."""
        if self.what == "force":
            return force_callback(self.where, self.function, self.bodies, self.parameters)
        if self.what == "energy":
            return energy_callback(self.where, self.function, self.bodies, self.parameters)
        return constraint_callback(self.where, self.function, self.bodies, self.parameters, self.shape)


def user_functions(mechanism: Mechanism) -> Iterator[UserFunction]:
    """The functions of the user in a mechanism: of constraints, custom forces and potentials."""
    for c in mechanism.joints.values():
        if isinstance(c, Custom):
            m, p, where = len(c.bodies), len(c.parameters), f"constraint {c.name!r}"
            yield UserFunction(c.name, "residual", f"{where}: residual", c.residual, m, p, (c.rows,))
            if c.jacobian is not None:
                yield UserFunction(c.name, "jacobian", f"{where}: jacobian", c.jacobian, m, p, (c.rows, m, 6))
    for f in mechanism.custom_forces.values():
        m, p = len(f.bodies), len(f.parameters)
        yield UserFunction(f.name, "force", f"force {f.name!r}", f.force, m, p, (m, 6))
    for v in mechanism.potentials.values():
        m, p, where = len(v.bodies), len(v.parameters), f"potential {v.name!r}"
        yield UserFunction(v.name, "energy", f"{where}: energy", v.energy, m, p, ())
        if v.gradient is not None:
            yield UserFunction(v.name, "gradient", f"{where}: gradient", v.gradient, m, p, (m, 6))


def check_pickles(mechanism: Mechanism) -> None:
    """Refuses, by name, a function of the user that cannot be pickled."""
    for user in user_functions(mechanism):
        try:
            pickle.dumps(user.function)
        except Exception as error:  # functions may be any callable; all faults mean the same
            raise MechanismError(
                f"{user.where}: {getattr(user.function, '__qualname__', repr(user.function))} cannot be "
                "pickled; pickle takes functions with a name at the top level of a module"
            ) from error


def _compile(
    where: str, function: Callable, arguments: str, sample: tuple, make: Callable[[], Callback]
) -> Callback:
    """What `make` compiles of a function of `arguments`, such as those of `sample`; faults are told by name
    and line."""
    check_code(where, function, arguments)
    check_indices(where, function, sample)
    try:
        return make()
    except Exception as error:  # numba raises many kinds; all mean that the function cannot be compiled
        raise MechanismError(compiler_words(where, function, error)) from error


def _still(bodies: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions and orientations of bodies apart from each other."""
    return np.arange(3.0 * bodies).reshape(bodies, 3), np.tile([1.0, 0.0, 0.0, 0.0], (bodies, 1))


def constraint_callback(
    where: str, function: Callable, bodies: int, parameters: int, shape: tuple[int, ...]
) -> Callback:
    """`function`(x, q, p, out) as a compiled callback; out has `shape`."""
    from numba import carray, njit

    from sarrus._jit import compile_callback

    def make() -> Callback:
        inner = njit(function) if not hasattr(function, "py_func") else function

        def call(number: float, x: Pointer, q: Pointer, p: Pointer, out: Pointer) -> None:
            inner(
                carray(x, (bodies, 3)), carray(q, (bodies, 4)), carray(p, (parameters,)), carray(out, shape)
            )

        return compile_callback(call, 4, False)

    sample = (*_still(bodies), np.ones(parameters), np.zeros(shape))
    return _compile(where, function, "x, q, p, out", sample, make)


def energy_callback(where: str, function: Callable, bodies: int, parameters: int) -> Callback:
    """`function`(x, q, p) -> energy as a compiled callback."""
    from numba import carray, njit

    from sarrus._jit import compile_callback

    def make() -> Callback:
        inner = njit(function) if not hasattr(function, "py_func") else function

        def call(number: float, x: Pointer, q: Pointer, p: Pointer) -> float:
            return inner(carray(x, (bodies, 3)), carray(q, (bodies, 4)), carray(p, (parameters,)))

        return compile_callback(call, 3, True)

    return _compile(where, function, "x, q, p", (*_still(bodies), np.ones(parameters)), make)


def force_callback(where: str, function: Callable, bodies: int, parameters: int) -> Callback:
    """`function`(t, x, q, v, w, p, out) as a compiled callback; out (bodies, 6)."""
    from numba import carray, njit

    from sarrus._jit import compile_callback

    def make() -> Callback:
        inner = njit(function) if not hasattr(function, "py_func") else function

        def call(t: float, x: Pointer, q: Pointer, v: Pointer, w: Pointer, p: Pointer, out: Pointer) -> None:
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

    v, w, out = np.zeros((bodies, 3)), np.zeros((bodies, 3)), np.zeros((bodies, 6))
    sample = (0.0, *_still(bodies), v, w, np.ones(parameters), out)
    return _compile(where, function, "t, x, q, v, w, p, out", sample, make)


def controller_callback(
    where: str, function: Callable, coordinates: int, inputs: int, memory: int
) -> Callback:
    """`function`(t, q, v, u, memory) as a compiled callback."""
    from numba import carray, njit

    from sarrus._jit import compile_callback

    def make() -> Callback:
        inner = njit(function) if not hasattr(function, "py_func") else function

        def call(t: float, q: Pointer, v: Pointer, u: Pointer, m: Pointer) -> None:
            inner(
                t,
                carray(q, (coordinates,)),
                carray(v, (coordinates,)),
                carray(u, (inputs,)),
                carray(m, (memory,)),
            )

        return compile_callback(call, 4, False)

    sample = (0.0, np.zeros(coordinates), np.zeros(coordinates), np.zeros(inputs), np.zeros(memory))
    return _compile(where, function, "t, q, v, u, memory", sample, make)
