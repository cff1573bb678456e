"""Benches, sweeps and coverage of kernels that are machine code: the same as of any other."""

from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, Callable

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.xdna_runs import KERNELS
from ipu_asm.assembler.encode import AssemblyError
from ipu_asm.emulator.stops import ExecutionFault, ProgramError
from ipu_asm.testbench import Bench, collected_coverage, sweep

EXAMPLES = Path(__file__).parents[2] / "examples"
TILE = EXAMPLES / "xdna1" / "matmul_4x8x4.aie2"
LANES = EXAMPLES / "xdna2" / "matmul_bf16.aie2p"
POINTERS = {"p0": 0x70000, "p1": 0x71000, "p2": 0x72000}


def tile(seed: int) -> dict[Any, NDArray[Any]]:
    """A, B and C of a tile by address: whole numbers, whose sums are exact."""
    random = np.random.default_rng(seed)
    a, b = (random.integers(-9, 9, shape).astype(ml_dtypes.bfloat16) for shape in ((4, 8), (8, 4)))
    c = random.integers(-9, 9, (4, 4)).astype(np.float32)
    return {0x70000: a, 0x71000: b, 0x72000: c}


def product(inputs: dict[Any, NDArray[Any]]) -> NDArray[Any]:
    a, b, c = inputs.values()
    found: NDArray[Any] = c + a.astype(np.float32) @ b.astype(np.float32)
    return found


def bench_of(path: Path) -> Bench:
    bench = Bench()
    bench.load(path)
    bench.p[0:3] = POINTERS.values()
    return bench


def test_a_kernel_runs_again_with_other_data() -> None:
    bench = bench_of(TILE)
    for seed in range(3):
        inputs = tile(seed)
        for address, data in inputs.items():
            bench.put(address, data)
        run = bench.run()
        assert (run.halted_by, run.cycles, run.line) == ("ret", 16, 29)
        bench.assert_bit_exact(bench.get(0x72000, (4, 4), np.float32), product(inputs))
    assert (bench.r[0], bench.p.view(np.int32)[2]) == (28, 0x72000)
    assert bench.bmh0.reshape(4, 4).tolist() == product(inputs).tolist()


def test_a_run_is_stepped_and_resumed() -> None:
    bench = bench_of(LANES)
    bench.r[0:2], bench.crrnd = (60, 3), 12
    assert bench.until(".Lturn") == 4
    assert bench.step(3) == 3
    assert bench.crrnd == 12
    assert bench.run(resume=True).cycles == 37
    fresh = bench_of(LANES)
    fresh.r[0:2] = 60, 3
    assert fresh.run().cycles == 37


def test_a_difference_names_the_store_that_wrote_it() -> None:
    bench = bench_of(TILE)
    for address, data in tile(1).items():
        bench.put(address, data)
    bench.run()
    message = "was written by `vst amhl0, \\[p2, #0\\]` in bundle 14 .*, line 28\\), cycle 14"
    with pytest.raises(AssertionError, match=message):
        bench.assert_bit_exact(bench.get(0x72000, 16, np.float32), np.zeros(16, np.float32))


@pytest.mark.parametrize("isa", KERNELS)
def test_a_long_run_is_as_the_same_in_steps(isa: str) -> None:
    text, configuration = KERNELS[isa]
    found = []
    for stops in (False, True):
        bench = Bench(isa=isa)
        bench.load_text(text)
        bench.put(0x70000, np.arange(1 << 13, dtype=np.uint32).astype(np.uint8) % 40 + 100)
        bench.r[0:2] = configuration, 2
        if stops:
            bench.until("pc == 99999 || cycle == 400")
        run = bench.run(resume=stops)
        found.append((run.cycles, run.pc, bench.state.save()._replace(pipeline=None)))
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("lda r0, [p0, #0]\ndone", ExecutionFault, "cycle 0, `lda`: data memory is 0x40000"),
        ("nop", ExecutionFault, "goes on after its last bundle"),
        ("vtanh wl0, bmll0\ndone", ExecutionFault, "vtanh`: bits of the result"),
        ("frob r0\ndone", AssemblyError, "frob"),
        ("jl #elsewhere\n" + "nop\n" * 5 + "done", ProgramError, "elsewhere"),
    ],
)
def test_what_goes_wrong_is_told(text: str, error: type[Exception], message: str) -> None:
    def load_and_run() -> None:
        bench = Bench(isa="xdna2")
        bench.load_text(text)
        bench.run()

    with pytest.raises(error, match=message):
        load_and_run()


def test_an_entry_is_any_function() -> None:
    bench = Bench(isa="xdna1")
    bench.load_text("mov r1, #1\ndone\nother:\nmov r1, #2\ndone", entry="other")
    assert (bench.run().cycles, bench.r[1]) == (2, 2)
    with pytest.raises(ValueError, match="begin with their first bundle"):
        Bench().load_text("bkpt;;", entry="other")


@pytest.mark.parametrize("executor", [lambda: None, lambda: ProcessPoolExecutor(1)])
def test_a_sweep_has_the_results_of_all_inputs(executor: Callable[[], Any]) -> None:
    inputs = [tile(seed) for seed in range(5)] + [{"p0": 0}]
    outputs = {"c": (0x72000, (4, 4), np.float32), "mode": "r0"}
    found = sweep(TILE, inputs, executor(), common=POINTERS, outputs=outputs).collect()
    for seed, c in enumerate(found.arrays["c"]):
        assert c.tolist() == product(tile(seed)).tolist()
    assert (found.arrays["mode"].tolist(), found.cycles.tolist()) == ([28] * 5, [16] * 5)
    (failure,) = found.failures
    assert failure.number == 5
    assert "data memory is" in str(failure.error)


def test_coverage_counts_lines_and_bundles() -> None:
    with collected_coverage() as collector:
        bench = bench_of(LANES)
        bench.r[0:2] = 60, 2
        bench.step(3)
    (kernel,) = collector.coverage.kernels.values()
    assert sorted(kernel.bundles.values()) == [0] * 18 + [1] * 3
