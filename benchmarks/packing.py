"""`python -m benchmarks packing`: what packing, rebasing and pipelining save, with proof.

`python -m benchmarks.packing [FILE ...]` takes files instead of the examples, the kernels of the
tests and all recorded runs (`tests/data`). Prints bundles or cycles before and after, and what was
not packed. Each is proven: on random data, it must end with the same registers and memory. Ends
with 1 if one does not.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Iterator, Mapping, NamedTuple, Sequence

from benchmarks.report import Target, print_table
from ipu_asm import load_isa
from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.flow.control_run.facts import control_facts
from ipu_asm.flow.packing.dependences import dependences_of, recurrence_of, resource_bound
from ipu_asm.flow.packing.loop_forms import loops_as_blocks
from ipu_asm.flow.packing.operations import disjoint_accesses
from ipu_asm.flow.packing.pack import PackingError, plan_packing
from ipu_asm.flow.packing.pipeline import label_at, loops_to_pipeline
from ipu_asm.flow.packing.proof import ProofError
from ipu_asm.program.build import read_program
from ipu_asm.program.program import Program
from ipu_asm.testbench.packing import PackResult, packed, whole_cycles
from ipu_asm.testbench.rewriting import OVERLAPPING, pipelined, rebased
from tests.programs import ROOT, example_kernels
from tests.vectors import Record, records

_DTYPES = {"INT8": 0, "FP8_E4M3": 1, "FP8_E5M2": 2}
_HOST = {"cr0": 0, "cr1": 0x8000, "cr2": 0x2000, "cr3": 0x2000, "cr4": 0x2000, "cr6": 0x2000}
_FOLDERS = ("kernels", "loops", "planted")
_MOST_ROWS = 40
_MAX_OVER_BOUND = 1.1
_LOOPS = ROOT / "tests" / "data" / "loops_of_templates"
_BEFORE = {
    "attention": 11_763,
    "convolution": 707,
    "depthwise": 1_315,
    "fully_connected": 2_602,
    "matmul": 33_282,
    "pointwise": 4_354,
    "residual": 26,
    "softmax_columns": 1_670,
    "softmax_columns_packed": 69,
    "softmax_rows": 1_671,
    "softmax_rows_long": 4_243,
    "softmax_rows_partial": 128,
}
"""Cycles that the best of `--rebase` and `--pipeline` reached before loops moved registers."""


class Kernel(NamedTuple):
    """A program to pack, with the registers that its host sets."""

    name: str
    text: str
    presets: Mapping[str, int]


def run(quick: bool = False) -> list[Target]:
    """Pack the kernels and the recorded runs, print what that saves, and return the target."""
    different, over = _compare_loops()
    different += _compare_cycles("kernels, in cycles", [*_kernels()])
    recorded = [*_recorded()]
    different += _pack_all("recorded runs", recorded[::8] if quick else recorded)
    return [
        Target("packed programs with another outcome", different, 0),
        Target("interval of a loop over its bound, geometric mean", over, _MAX_OVER_BOUND),
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what was saved; 1 if a packed program does something else."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.packing", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    options = parser.parse_args(arguments)
    if not options.files:
        return int(not all(target.met for target in run()))
    kernels = [Kernel(path.name, path.read_text("utf-8"), {}) for path in options.files]
    return int(_pack_all("files", kernels) + _compare_cycles("files, in cycles", kernels) > 0)


def _kernels() -> Iterator[Kernel]:
    """Yield the examples and the kernels of the tests, with values of the host for all."""
    for name, text in example_kernels().items():
        yield Kernel(name, text, _HOST)
    for folder in _FOLDERS:
        for path in sorted((ROOT / "tests" / "data" / folder).glob("*.s")):
            yield Kernel(f"{folder}/{path.name}", path.read_text("utf-8"), _HOST)


def _recorded() -> Iterator[Kernel]:
    for number, record in enumerate(records("exec")):
        yield Kernel(f"run {number}", record["asm"], presets_of(record))


def presets_of(record: Record) -> dict[str, int]:
    """Return the registers that a recorded run begins with, by name."""
    given = {
        f"{kind}{number}": value
        for kind in ("cr", "lr")
        for number, value in record["init"].get(kind, {}).items()
    }
    return {"cr15": _DTYPES.get(record["dtype"], 0), **given}


def _compare_cycles(title: str, kernels: Sequence[Kernel]) -> int:
    """Print the cycles of kernels in each way; return how many do something else."""
    rows: list[tuple[str, ...]] = []
    different = 0
    for kernel in kernels:
        program = read_program(load_isa("ipu"), kernel.text)
        program.configurations = (kernel.presets,)
        cells = []
        for cycles in _WAYS:
            try:
                cells.append(f"{cycles(program):,}")
            except PackingError as error:
                cells.append("-")
                different += isinstance(error, ProofError) and "differs" in str(error)
        rows.append((kernel.name, *cells))
    print_table(title, ("", "written", "packed", "rebased", "pipelined", "both"), rows)
    return different


def _compare_loops() -> tuple[int, float]:
    """Print cycles and intervals of the loops of templates, rebased and pipelined.

    Return how many do something else, and the geometric mean of intervals over bounds.
    """
    rows: list[tuple[str, ...]] = []
    ratios: list[float] = []
    different = 0
    for path in sorted(_LOOPS.glob("*.asm")):
        program = _expanded(path)
        start = time.process_time()
        try:
            result = rebased(program, OVERLAPPING._replace(keeps_registers=False))
            cycles = f"{_packed(result.program):,}"
        except PackingError as error:
            different += isinstance(error, ProofError)
            cycles = "-"
        seconds = time.process_time() - start
        bounds = [*_loop_bounds(program)]
        intervals = {each.label.removesuffix("_body"): each.bundles[1] for each in result.loops}
        loops = [f"{label} {intervals.get(label, written)} of {bound}"
                 for label, written, bound in bounds]  # fmt: skip
        ratios += [intervals.get(label, written) / bound for label, written, bound in bounds]
        before = f"{_BEFORE[path.stem]:,}"
        cells = (f"{_written(program):,}", f"{_packed(program):,}", before, cycles)
        rows.append((path.stem, *cells, f"{seconds:.1f}", ", ".join(loops)))
    heads = ("", "written", "packed", "before", "now", "seconds", "bundles of bound, by loop")
    print_table("templates with loops, in cycles", heads, rows)
    return different, math.exp(sum(map(math.log, ratios)) / len(ratios))


def _expanded(path: Path) -> Program:
    """Return the program of a template, with the values of the host in its comments."""
    text = path.read_text("utf-8")
    return Analyzer(load_isa("ipu2")).analyze(text, str(path)).effective_program


def _loop_bounds(program: Program) -> Iterator[tuple[str, int, int]]:
    """Yield the label, the packed length and the bound of each loop of one basic block."""
    program = loops_as_blocks(program)
    facts = control_facts(program)
    are_disjoint = disjoint_accesses(facts[0], in_memory=True)
    lengths = {each.addresses: len(each.bundles) for each in plan_packing(program).blocks}
    for block in loops_to_pipeline(program, facts):
        graph = dependences_of(program, block, True, are_disjoint)
        slots = resource_bound(program.isa, graph.operations)
        bound = max(slots, recurrence_of(graph).bundles)
        yield label_at(program, block.start).removesuffix("_body"), lengths[block], bound


def _written(program: Program) -> int:
    return whole_cycles(control_facts(program))


def _packed(program: Program) -> int:
    cycles = packed(program).cycles
    if cycles is None:
        raise PackingError("its cycles are not known")
    return cycles[1]


def _rebased(program: Program) -> int:
    return _packed(rebased(program).program)


def _pipelined(program: Program) -> int:
    return _packed(pipelined(program).program)


def _both(program: Program) -> int:
    return _packed(rebased(program, OVERLAPPING._replace(keeps_registers=False)).program)


_WAYS = (_written, _packed, _rebased, _pipelined, _both)


def _pack_all(title: str, kernels: Sequence[Kernel]) -> int:
    """Print the bundles and cycles of kernels; return how many do something else."""
    rows: list[tuple[str, ...]] = []
    reasons: Counter[str] = Counter()
    different = 0
    bundles, cycles = [0, 0], [0, 0]
    for kernel in kernels:
        program = read_program(load_isa("ipu"), kernel.text)
        try:
            result = packed(program, [kernel.presets])
        except PackingError as error:
            reasons[str(error)] += 1
            different += isinstance(error, ProofError) and "differs" in str(error)
            continue
        bundles = [a + b for a, b in zip(bundles, result.bundles)]
        cycles = [a + b for a, b in zip(cycles, result.cycles or (0, 0))]
        if len(kernels) < _MOST_ROWS:
            rows.append((kernel.name, *_shown(result)))
    rows.append(("all", *(f"{n:,}" for n in (*bundles, *cycles))))
    print_table(title, ("", "bundles", "packed", "cycles", "packed"), rows)
    for reason, count in reasons.most_common():
        print(f"  {count} not packed: {reason}")
    return different


def _shown(result: PackResult) -> tuple[str, ...]:
    cycles = ("-", "-") if result.cycles is None else map("{:,}".format, result.cycles)
    return (*map("{:,}".format, result.bundles), *cycles)


if __name__ == "__main__":
    sys.exit(main())
