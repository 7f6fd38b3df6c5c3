"""Runs on a GPU what `python -m benchmarks.gpu build` made; needs CuPy alone.

python gpu_run.py FOLDER [OUT]      writes OUT/results.json (default: FOLDER)"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import cupy
import numpy as np

SIZES = (1024, 8192, 65536)
THREADS = (64, 128, 32)
ROUNDS = 4


def on_device(given: dict[str, np.ndarray], kinds: list[str], worlds: int, tile: int) -> list[cupy.ndarray]:
    """The arrays for so many worlds: the distinct ones, repeated."""
    out = []
    for (name, array), kind in zip(given.items(), kinds, strict=True):
        if kind[0] == "S":
            out.append(cupy.asarray(array))
            continue
        count = worlds // tile if kind[0] == "T" else worlds
        first = cupy.asarray(array)
        if len(array) >= count:
            out.append(cupy.ascontiguousarray(first[:count]))
        elif name in ("arg_out", "arg_touches", "arg_stats", "arg_sums", "arg_reactions"):
            out.append(cupy.zeros((count, *array.shape[1:]), array.dtype))
        else:
            out.append(cupy.concatenate([first] * (count // len(array))))
    return out


def as_parameters(array: cupy.ndarray) -> list[np.generic]:
    """An array as numba passes it: two null pointers, count, size of an item, data, shape, strides."""
    parameters = [np.uint64(0), np.uint64(0), np.int64(array.size), np.int64(array.itemsize)]
    parameters.append(np.uint64(array.data.ptr))
    return parameters + [np.int64(k) for k in array.shape] + [np.int64(k) for k in array.strides]


def renew(arrays: list[cupy.ndarray], fresh: list[cupy.ndarray]) -> None:
    """Every launch starts from the same node."""
    for array, begun in zip(arrays, fresh, strict=True):
        cupy.copyto(array, begun)


def launch(kernel: cupy.RawKernel, arrays: list[cupy.ndarray], worlds: int, threads: int) -> float:
    """Time [s] of one launch."""
    parameters = [parameter for array in arrays for parameter in as_parameters(array)]
    begun, ended = cupy.cuda.Event(), cupy.cuda.Event()
    begun.record()
    kernel((-(-worlds // threads),), (threads,), tuple(parameters))
    ended.record()
    ended.synchronize()
    return 1e-3 * cupy.cuda.get_elapsed_time(begun, ended)


def difference(about: dict, out: np.ndarray, cpu: np.ndarray, tile: int) -> float:
    """Largest difference of a number of the recorded nodes from the CPU's, over the largest of its kind."""
    count, columns = len(cpu), cpu.shape[1]
    wide = out.shape[2] // tile
    nodes = out.reshape(-1, out.shape[1], wide, tile).transpose(0, 3, 1, 2).reshape(-1, out.shape[1], wide)
    found = nodes[:count, 1, :columns].reshape(count, -1, 13)
    expected = cpu.reshape(count, -1, 13)
    parts = (slice(0, 3), slice(3, 7), slice(7, 10), slice(10, 13))
    sizes = [max(1e-300, float(np.abs(expected[..., part]).max())) for part in parts]
    return max(
        float(np.abs(found[..., part] - expected[..., part]).max()) / size
        for part, size in zip(parts, sizes, strict=True)
    )


def measure(path: Path) -> dict:
    """Rates and differences of one problem."""
    with np.load(path) as stored:
        data = {name: stored[name] for name in stored.files}
    about, cpu = json.loads(str(data.pop("about"))), data.pop("cpu")
    kernel = cupy.RawModule(path=str(path.with_suffix(".ptx"))).get_function(about["kernel"])
    about |= {"registers": int(kernel.num_regs), "local": int(kernel.local_size_bytes)}
    rates, used = [], []
    for worlds in SIZES:
        fresh = on_device(data, about["kinds"], worlds, about["tile"])
        arrays = [cupy.empty_like(array) for array in fresh]
        statuses = cupy.full(worlds, -1, cupy.int64)
        best, best_threads = float("inf"), 0
        for threads in THREADS:
            for _ in range(ROUNDS if threads == THREADS[0] else 2):
                renew(arrays, fresh)
                spent = launch(kernel, [*arrays, statuses], worlds, threads)
                if spent < best:
                    best, best_threads = spent, threads
        rates.append(1e-6 * worlds * about["steps"] / best)
        used.append(best_threads)
        if worlds == SIZES[0]:
            out = cupy.asnumpy(arrays[12])
            off = difference(about, out, cpu, about["tile"])
            codes, counts = np.unique(cupy.asnumpy(statuses), return_counts=True)
            seen = {int(code): int(number) for code, number in zip(codes, counts, strict=True)}
            renew(arrays, fresh)
            launch(kernel, [*arrays, statuses], worlds, threads)
            same = bool((cupy.asnumpy(arrays[12]) == out).all())
        del fresh, arrays, statuses
        cupy.get_default_memory_pool().free_all_blocks()
    result = about | {"rates": rates, "threads": used, "off": off, "statuses": seen, "same_bits": same}
    told = ("name", "rates", "threads", "off", "statuses", "same_bits", "registers", "local")
    print(json.dumps({key: result[key] for key in told}), flush=True)
    return result


def main() -> None:
    """All problems in the folder."""
    folder = Path(sys.argv[1])
    target = Path(sys.argv[2]) if len(sys.argv) > 2 else folder
    gpu = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    results = {"gpu": gpu, "problems": []}
    for path in sorted(folder.glob("*.npz")):
        try:
            results["problems"].append(measure(path))
        except Exception as error:
            print(f"{path.name}: {type(error).__name__}: {error}")
        (target / "results.json").write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
