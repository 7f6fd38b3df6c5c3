"""How a kernel is compiled.  The only file that imports numba; kernel files take `helper`, `kernel` and
`entry` from here.

helper: small pure function, always inlined.  kernel: one pass over the mechanism, a real function.  entry:
called from Python, compiled once and cached on disk.  `NUMBA_DISABLE_JIT=1` runs everything as plain Python,
for coverage and debugging.

The cache folder of an entry carries a hash of all kernel sources that its file imports, the versions and the
CPU: numba's own cache watches the file of the entry alone and would run old code after a change elsewhere.
That hash alone decides: two checkouts of the same sources share their compiled kernels."""

from __future__ import annotations

import hashlib
import os
import pathlib
import platform
import re
import sys
import tempfile
import time
from functools import cache

import numba
from llvmlite.binding import Linkage
from numba import njit
from numba.core import config, event, types
from numba.core.caching import IndexDataCacheFile
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import LoweringPass, register_pass
from numba.core.typed_passes import AnnotateTypes
from numba.extending import intrinsic

PACKAGE = pathlib.Path(__file__).parent
KERNEL_ROOMS = ("layout", "maths", "kinematics", "dynamics", "collision", "solvers", "integrators")

# Never nnan or ninf: they would break the tests for NaN.
FASTMATH = {"contract", "reassoc", "arcp", "nsz"}
# Without numba's runtime: kernels allocate nothing, and counting references to arrays would more than double
# their time.
OPTIONS = {"error_model": "numpy", "fastmath": FASTMATH, "_nrt": False}
# Functions that only kernels call need no way in from Python; making one for each would double the time of
# compilation.  (Calling such a function from Python crashes the process: tests of single kernels go through
# entries, or run without the JIT.)
INNER = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


IMPORT = re.compile(r"^\s*from\s+(sarrus[\w.]*)\s+import\s+(\([^)]*\)|[^\n]*)", re.MULTILINE)


@cache
def _imports(source: pathlib.Path) -> tuple[pathlib.Path, ...]:
    """Files of kernel rooms that the file `source` imports from."""
    found = []
    for module, names in IMPORT.findall(source.read_text(encoding="utf-8")):
        for name in ["", *re.findall(r"\w+", names)]:
            parts = [*module.split(".")[1:], *filter(None, [name])]
            if parts and parts[0] in KERNEL_ROOMS:
                place = PACKAGE.joinpath(*parts)
                found += [place.with_suffix(".py"), place / "__init__.py"]
    return tuple(path for path in found if path.exists())


def _all_sources(source: pathlib.Path) -> list[pathlib.Path]:
    """The file `source`, and all files of kernel rooms that it imports from, directly or not."""
    seen, ahead = {source, PACKAGE / "_jit.py"}, [source]
    while ahead:
        for path in _imports(ahead.pop()):
            if path not in seen:
                seen.add(path)
                ahead.append(path)
    return sorted(seen)


@cache
def _cache_folder(source: pathlib.Path) -> str:
    """Folder of the compiled entries of the file `source`: in $SARRUS_CACHE_DIR, else in the user's cache,
    else in a temporary one."""
    digest = hashlib.sha256()
    for path in _all_sources(source):
        digest.update(path.read_bytes())
    digest.update(f"{numba.__version__} {sys.version_info[:2]} {platform.machine()}".encode())
    digest.update(_cpu().encode())
    name = "kernels-" + digest.hexdigest()[:16]
    user = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    candidates = [
        os.environ.get("SARRUS_CACHE_DIR"),
        os.path.join(user, "sarrus"),
        os.path.join(tempfile.gettempdir(), f"sarrus-{os.getuid() if hasattr(os, 'getuid') else 'cache'}"),
    ]
    for root in candidates:
        if root:
            folder = os.path.join(root, name)
            try:
                os.makedirs(folder, exist_ok=True)
            except OSError:
                continue
            if os.access(folder, os.W_OK):
                return folder
    return tempfile.mkdtemp(prefix="sarrus-")


def _cpu() -> str:
    from llvmlite import binding

    return binding.get_host_cpu_name()


def _once(dispatcher):
    """`dispatcher`, compiled once for all constants that are passed to it: numba would make a variant for
    each (33 of `get3`, a fifth of all compilation); LLVM puts the constants in where it inlines."""
    if config.DISABLE_JIT:
        return dispatcher
    compiled = dispatcher.get_call_template

    def for_types(args, kws):
        plain = {name: types.unliteral(value) for name, value in kws.items()}
        return compiled(tuple(types.unliteral(value) for value in args), plain)

    dispatcher.get_call_template = for_types
    return dispatcher


class OwnCode(JITCodeLibrary):
    """Machine code of an entry that calls its own copies of the kernels.

    The copies are optimised once more with the entry and round differently.  Under their common names the
    process that compiles would call the kernels' own code instead, and one that loads two entries the copies
    of the first: results would depend on which process compiled, and on what ran before."""

    def _finalize_final_module(self) -> None:
        copies = [f for f in self._final_module.functions if not f.is_declaration]
        own = hashlib.sha256(" ".join(f.name for f in copies).encode()).hexdigest()[:12]
        for function in copies:
            if function.linkage == Linkage.linkonce_odr:
                function.name = f"{function.name}.{own}"
        super()._finalize_final_module()


@register_pass(mutates_CFG=True, analysis_only=False)
class TakeOwnCode(LoweringPass):
    """Has numba put the machine code of a function into `OwnCode`."""

    _name = "sarrus_own_code"

    def __init__(self):
        super().__init__()

    def run_pass(self, state) -> bool:
        state.library = OwnCode(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return True


class EntryCompiler(CompilerBase):
    """numba's passes, with `OwnCode`."""

    def define_pipelines(self):
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(TakeOwnCode, AnnotateTypes)
        passes.finalize()
        return [passes]


def helper(function):
    """`function` compiled so that every call is inlined."""
    return _once(njit(**OPTIONS, **INNER, forceinline=True)(function))


def kernel(function):
    """`function` compiled as a function of its own."""
    return _once(njit(**OPTIONS, **INNER)(function))


def entry(function):
    """`function` compiled to be called from Python: cached on disk, releases the GIL."""
    # numba reads the cache folder when the dispatcher is made; other packages keep theirs.
    folder = _cache_folder(pathlib.Path(function.__code__.co_filename))
    previous, config.CACHE_DIR = config.CACHE_DIR, folder
    try:
        dispatcher = njit(**OPTIONS, cache=True, nogil=True, pipeline_class=EntryCompiler)(function)
    finally:
        config.CACHE_DIR = previous
    if not config.DISABLE_JIT:
        # numba asks for the path and the time of the source too, which differ from checkout to checkout.
        kept = dispatcher._cache
        kept._cache_path = folder
        kept._cache_file = IndexDataCacheFile(folder, kept._impl.filename_base, source_stamp=None)
    return dispatcher


# Worlds in a tile: GPU arrays hold so many worlds side by side, one for each lane of a warp.
TILE = 32


def _lane(context, builder):
    """Number of the lane of this thread, masked so that LLVM knows it is not negative"""
    from llvmlite import ir

    integer = ir.IntType(32)
    read = builder.module.globals.get("llvm.nvvm.read.ptx.sreg.laneid") or ir.Function(
        builder.module, ir.FunctionType(integer, []), "llvm.nvvm.read.ptx.sreg.laneid"
    )
    lane = builder.and_(builder.call(read, []), ir.Constant(integer, TILE - 1))
    return builder.zext(lane, ir.IntType(64))


def _tiled(context, array) -> bool:
    """Whether columns of an array of this type are those of a tile: on a GPU, but for what is only read,
    which all worlds share"""
    return "cuda" in type(context).__module__ and array.mutable


@intrinsic
def column(typingctx, a, k):
    """The column of the array `a` where element k of this world lives."""

    def codegen(context, builder, signature, args):
        if not _tiled(context, signature.args[0]):
            return args[1]
        first = builder.mul(args[1], args[1].type(TILE))
        return builder.add(first, _lane(context, builder))

    return types.intp(a, types.intp), codegen


@intrinsic
def width(typingctx, a):
    """Columns of the array `a` that this world has."""
    from numba.core import cgutils

    def codegen(context, builder, signature, args):
        kind = signature.args[0]
        columns = cgutils.unpack_tuple(builder, context.make_array(kind)(context, builder, args[0]).shape)[-1]
        return builder.udiv(columns, columns.type(TILE)) if _tiled(context, kind) else columns

    return types.intp(a), codegen


if config.DISABLE_JIT:

    def column(a, k):
        return k

    def width(a):
        return a.shape[1]


class _CompileClock(event.Listener):
    """Sums the time that this process spends on compiling kernels, or on loading them from the cache."""

    def __init__(self):
        self.wall, self.cpu, self.depth, self.start = 0.0, 0.0, 0, (0.0, 0.0)

    def on_start(self, _event):
        if self.depth == 0:
            self.start = time.perf_counter(), time.process_time()
        self.depth += 1

    def on_end(self, _event):
        self.depth -= 1
        if self.depth == 0:
            self.wall += time.perf_counter() - self.start[0]
            self.cpu += time.process_time() - self.start[1]


_clock = _CompileClock()
event.register("numba:compiler_lock", _clock)


def compile_times() -> tuple[float, float]:
    """(wall time, CPU time) [s] that compiling and loading kernels has taken in this process."""
    return _clock.wall, _clock.cpu


_compiled: set[int] = set()


def is_compiled(dispatcher) -> bool:
    """Whether calling `dispatcher` will find machine code, in memory or on disk."""
    if id(dispatcher) in _compiled:
        return True
    if config.DISABLE_JIT or dispatcher.signatures:
        _compiled.add(id(dispatcher))
        return True
    index = getattr(getattr(getattr(dispatcher, "_cache", None), "_cache_file", None), "_index_path", None)
    return bool(index and os.path.exists(index))


class Compiling:
    """Context that tells the user, on a first run, that a kernel is being compiled and how long it took."""

    def __init__(self, dispatcher, what: str):
        self.quiet = is_compiled(dispatcher) or os.environ.get("SARRUS_QUIET", "") not in ("", "0")
        self.what = what

    def __enter__(self):
        if not self.quiet:
            self.start = time.perf_counter()
            message = f"sarrus: compiling {self.what} (once, about a minute) ..."
            print(message, end="", file=sys.stderr, flush=True)
        return self

    def __exit__(self, *error):
        if not self.quiet:
            print(f" done in {time.perf_counter() - self.start:.0f} s", file=sys.stderr, flush=True)


def compile_callback(function, arguments: int, returns_number: bool):
    """Address of `function`, a user's function of `arguments` pointers-with-length, compiled with the C
    calling convention.

    The user's function takes 1-D or 2-D float64 arrays; `model.custom` wraps it into one that takes the
    pointers."""
    pointer = types.CPointer(types.float64)
    signature = (types.float64 if returns_number else types.void)(*([types.float64] + [pointer] * arguments))
    return numba.cfunc(signature)(function)


def _calling(pointers: int, returns_number: bool):
    """(signature, code) of a call through an address: f(number, pointers...)"""
    result = types.float64 if returns_number else types.void
    signature = result(types.int64, types.float64, *([types.intp] * pointers))

    def codegen(context, builder, signature, args):
        from llvmlite import ir

        double = ir.DoubleType()
        pointer = double.as_pointer()
        kind = ir.FunctionType(double if returns_number else ir.VoidType(), [double] + [pointer] * pointers)
        function = builder.inttoptr(args[0], kind.as_pointer())
        value = builder.call(function, [args[1]] + [builder.inttoptr(a, pointer) for a in args[2:]])
        return value if returns_number else context.get_dummy_value()

    return signature, codegen


@intrinsic
def call_with_3(typingctx, address, number, a, b, c):
    """The number that the function at `address` returns for a number and three pointers"""
    return _calling(3, True)


@intrinsic
def call_with_4(typingctx, address, number, a, b, c, d):
    """Calls the function at `address` with a number and four pointers"""
    return _calling(4, False)


@intrinsic
def call_with_6(typingctx, address, number, a, b, c, d, e, f):
    """Calls the function at `address` with a number and six pointers"""
    return _calling(6, False)


@intrinsic
def address_of(typingctx, array, row, column):
    """Address of array[row, column], an integer, for a C-contiguous float64 array."""
    from numba.core import cgutils

    signature = types.intp(array, types.intp, types.intp)

    def codegen(context, builder, signature, args):
        kind = signature.args[0]
        value = context.make_array(kind)(context, builder, args[0])
        shape = cgutils.unpack_tuple(builder, value.shape, kind.ndim)
        offset = builder.add(builder.mul(args[1], shape[1]), args[2])
        return builder.ptrtoint(builder.gep(value.data, [offset]), context.get_value_type(types.intp))

    return signature, codegen


# Entries that other entries call.  Each is compiled by itself: called directly, it would be compiled once
# more with every caller.
_entries: dict[int, object] = {}


def entry_address(dispatcher, *arguments) -> int:
    """Where the machine code of an entry for such arguments lies, for `calling`; compiles it where needed."""
    if config.DISABLE_JIT:
        _entries[id(dispatcher)] = dispatcher
        return id(dispatcher)
    kinds = tuple(numba.typeof(argument) for argument in arguments)
    if kinds not in dispatcher.overloads:
        dispatcher.compile(kinds)
    made = dispatcher.overloads[kinds]
    return made.library.get_pointer_to_function(made.fndesc.llvm_func_name)


def calling(result):
    """A function (address, arguments) for kernels that calls an entry with a tuple of arguments; result: the
    numba type of what the entry returns."""
    if config.DISABLE_JIT:
        return lambda address, arguments: _entries[address](*arguments)

    @intrinsic
    def call(typingctx, address, arguments):
        def codegen(context, builder, signature, values):
            kinds = list(signature.args[1].types)
            kind = context.call_conv.get_function_type(result, kinds)
            function = builder.inttoptr(values[0], kind.as_pointer())
            parts = [builder.extract_value(values[1], i) for i in range(len(kinds))]
            _, value = context.call_conv.call_function(builder, function, result, kinds, parts)
            return context.get_dummy_value() if result is types.none else value

        return result(types.int64, arguments), codegen

    return call


call_for_integer = calling(types.int64)
call_for_two_integers = calling(types.UniTuple(types.int64, 2))
call_for_nothing = calling(types.none)
