"""The loop over steps compiled for CUDA, one thread per world, on a machine that needs no GPU.

numba-cuda types and lowers the same kernels that the CPU runs; LLVM's own back end for NVIDIA makes PTX of
them.  Arrays of a world lie in tiles: of 32 worlds side by side, see `sarrus._jit.column`."""

from __future__ import annotations

import pathlib
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sarrus._jit import TILE

# Where the bitcode of CUDA's mathematical functions may lie, besides the folders of Python's packages.
TOOLKITS = ("/usr/local/cuda", "/usr/lib/cuda", "/opt/cuda")
LIBDEVICE = "nvvm/libdevice/libdevice.10.bc"
# Which arrays of the loop over steps are tiles (T), slices of a world (W), or shared by all worlds (S), in
# the order of its arguments, and how many dimensions they have there; i: of integers.
ARGUMENTS = (
    "topo S2i", "par S2", "state T2", "work T2", "saved T2", "origin T2", "u S3", "values W2", "stages S1",
    "scales S2", "settings W1", "counts W1i", "out T2", "reactions T2", "total T2", "stats W2i", "sums W2",
    "q W2", "v W2", "memory W2", "touches T2",
)  # fmt: skip


@dataclass(frozen=True)
class Resources:
    """What ptxas says of a kernel: registers per thread, bytes of spill stores and loads, of stack."""

    registers: int
    spill_stores: int
    spill_loads: int
    stack: int


def tile_kernel(loop: Any) -> Any:
    """A CUDA kernel that runs `loop`, a loop over steps, in the world of each thread; the last argument takes
    the statuses."""
    from numba import cuda

    def steps_of_worlds(
        topo, par, state, work, saved, origin, u, values, stages, scales, settings, counts, out, reactions,
        total, stats, sums, q, v, memory, touches, statuses,
    ):  # fmt: skip
        w = cuda.grid(1)
        if w < statuses.shape[0]:
            t = w // TILE
            statuses[w] = loop(
                topo, par, state[t], work[t], saved[t], origin[t], u, values[w], stages, scales, settings[w],
                counts[w], out[t], reactions[t], total[t], stats[w], sums[w], q[w], v[w], memory[w],
                touches[t],
            )  # fmt: skip

    return steps_of_worlds


def _signature() -> Any:
    from numba import types

    kinds = []
    for argument in ARGUMENTS:
        kind = argument.split()[1]
        number = types.int64 if kind.endswith("i") else types.float64
        shared = kind[0] == "S"
        # What is only read needs no tile: all worlds share it.
        kinds.append(
            types.Array(number, int(kind[1]) + (not shared), "C", readonly=shared and "par" in argument)
        )
    return types.void(*kinds, types.Array(types.int64, 1, "C"))


@contextmanager
def _without_a_gpu(capability: tuple[int, int]) -> Any:
    """numba-cuda asks the driver for the capability of the GPU at every inner function, and makes a variant
    of it for every constant that it is called with: here it does neither."""
    from numba import types
    from numba.cuda import dispatcher

    class Device:
        compute_capability = capability

    made, asked = dispatcher.CUDADispatcher.get_call_template, dispatcher.get_current_device

    def for_types(self: Any, args: Any, kws: Any) -> Any:
        plain = {name: types.unliteral(value) for name, value in kws.items()}
        return made(self, tuple(types.unliteral(value) for value in args), plain)

    dispatcher.get_current_device = lambda: Device
    dispatcher.CUDADispatcher.get_call_template = for_types
    try:
        yield
    finally:
        dispatcher.get_current_device = asked
        dispatcher.CUDADispatcher.get_call_template = made


def ptx_of(loop: Any, capability: tuple[int, int] = (9, 0)) -> str:
    """PTX of `tile_kernel(loop)` for GPUs of this compute capability."""
    from llvmlite import binding
    from numba.cuda import compiler

    with _without_a_gpu(capability):
        library, _ = compiler._compile_pyfunc_with_fixup(
            tile_kernel(loop), _signature(), device=False, abi="numba", cc=capability
        )
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    module = binding.parse_assembly(library.llvm_strs[0])
    for text in library.llvm_strs[1:]:
        module.link_in(binding.parse_assembly(text))
    device = _libdevice()
    if device is not None:
        module.link_in(binding.parse_bitcode(device.read_bytes()))
    for function in module.functions:
        if not function.is_declaration and "steps_of_worlds" not in function.name:
            function.linkage = "internal"
    machine = binding.Target.from_triple("nvptx64-nvidia-cuda").create_target_machine(
        cpu=f"sm_{capability[0]}{capability[1]}", features="+ptx80", opt=3
    )
    options = binding.create_pipeline_tuning_options(speed_level=3)
    builder = binding.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    return machine.emit_assembly(module)


def _libdevice() -> pathlib.Path | None:
    """CUDA's mathematical functions as bitcode: of a toolkit, or of the package nvidia-nvvm."""
    places = [pathlib.Path(path) / LIBDEVICE for path in TOOLKITS]
    for folder in sys.path:
        places += sorted(pathlib.Path(folder).glob(f"nvidia/*/{LIBDEVICE}")) if folder else []
    return next((place for place in places if place.exists()), None)


def ptxas() -> str | None:
    """The assembler of a CUDA toolkit, or of the package nvidia-cuda-nvcc."""
    found = shutil.which("ptxas")
    for folder in sys.path:
        for place in sorted(pathlib.Path(folder).glob("nvidia/*/bin/ptxas")) if folder else []:
            found = found or str(place)
    return found


def assemble(ptx: str, folder: pathlib.Path, capability: tuple[int, int] = (9, 0)) -> tuple[bytes, Resources]:
    """(machine code, its resources) of `ptx`; works in `folder`."""
    source, made = folder / "kernel.ptx", folder / "kernel.cubin"
    source.write_text(ptx)
    command = [str(ptxas()), "-v", f"-arch=sm_{capability[0]}{capability[1]}", str(source), "-o", str(made)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"ptxas: {done.stderr.strip()[:500]}")
    said = done.stdout + done.stderr
    # Of the kernel, and of the functions that it calls.
    registers = max(map(int, re.findall(r"Used (\d+) registers", said)))
    frames = re.findall(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", said)
    stack, stores, loads = (sum(int(frame[i]) for frame in frames) for i in range(3))
    return made.read_bytes(), Resources(registers, stores, loads, stack)
