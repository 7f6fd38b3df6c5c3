"""The loop over steps as it is compiled for a GPU, on a machine that has none: does it compile, and how many
registers and bytes of spilled ones does a thread take?"""

import re

import pytest

from sarrus import _cuda
from sarrus.integrators.maximal.variational import rollout

# Registers that a thread can have.
REGISTERS = 255
# Bytes that a thread spills, stores and loads, with some room: on top of the passes over the mechanism, which
# spill nothing in trees, the function that steers them holds the shapes of 21 arrays.
BOUNDS = {"run_tree": (1300, 2700), "run_loops": (3000, 6000), "run_tree_contacts": (20000, 40000)}
# Bytes of memory of its own that a thread takes on its stack.
STACK = {"run_tree": 1200, "run_loops": 2000, "run_tree_contacts": 6000}


@pytest.mark.parametrize(
    "name",
    [
        "run_tree",
        pytest.param("run_loops", marks=pytest.mark.slow),
        pytest.param("run_tree_contacts", marks=pytest.mark.slow),
    ],
)
def test_the_step_compiles_for_a_gpu_and_spills_little(name, tmp_path):
    ptx = _cuda.ptx_of(getattr(rollout, name))
    assert len(re.findall(r"\.visible \.entry", ptx)) == 1
    # Tiles are addressed by the lane of the thread.
    assert "%laneid" in ptx
    # Nothing is left to be linked, but mathematical functions where CUDA's are not installed.
    missing = re.findall(r"\.extern \.func[^;]*?(\w+)\s*\(", ptx)
    assert all(function.startswith("__nv_") for function in missing)
    assert sum(map(int, re.findall(r"\.local[^;]*__local_depot\d+\[(\d+)\]", ptx))) < STACK[name]
    if _cuda.ptxas() is None:
        return
    _, used = _cuda.assemble(ptx, tmp_path)
    assert used.registers <= REGISTERS
    assert used.spill_stores < BOUNDS[name][0]
    assert used.spill_loads < BOUNDS[name][1]
