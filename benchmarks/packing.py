"""`python -m benchmarks.packing [FILE ...]`: what packing saves, with proof.

Packs files, by default the examples and all recorded runs (`tests/data/vectors`), and proves each:
on random data, the packed program must end with the same registers and memory. Prints bundles and
cycles before and after, and what was not packed. Ends with 1 if a packed program differs.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import Iterator, Mapping, NamedTuple, Sequence

from benchmarks.report import print_table
from ipu_asm import load_isa
from ipu_asm.flow.packing.pack import PackingError
from ipu_asm.flow.packing.proof import ProofError
from ipu_asm.program.build import read_program
from ipu_asm.testbench.packing import PackResult, packed
from tests.programs import example_kernels
from tests.vectors import Record, records

_DTYPES = {"INT8": 0, "FP8_E4M3": 1, "FP8_E5M2": 2}


class Kernel(NamedTuple):
    """A program to pack, with the registers that its host sets."""

    name: str
    text: str
    presets: Mapping[str, int]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what was saved; 1 if a packed program does something else."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.packing", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    options = parser.parse_args(arguments)
    if options.files:
        groups = {"files": [Kernel(p.name, p.read_text("utf-8"), {}) for p in options.files]}
    else:
        groups = {"examples": [*_examples()], "recorded runs": [*_recorded()]}
    return max(_pack_all(title, kernels) for title, kernels in groups.items())


def _examples() -> Iterator[Kernel]:
    for name, text in example_kernels().items():
        yield Kernel(name, text, {})


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


def _pack_all(title: str, kernels: Sequence[Kernel]) -> int:
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
        if len(kernels) < 50:
            rows.append((kernel.name, *_shown(result)))
    rows.append(("all", *(f"{n:,}" for n in (*bundles, *cycles))))
    print_table(title, ("", "bundles", "packed", "cycles", "packed"), rows)
    for reason, count in reasons.most_common():
        print(f"  {count} not packed: {reason}")
    return int(different > 0)


def _shown(result: PackResult) -> tuple[str, ...]:
    cycles = ("-", "-") if result.cycles is None else map("{:,}".format, result.cycles)
    return (*map("{:,}".format, result.bundles), *cycles)


if __name__ == "__main__":
    sys.exit(main())
