"""Execution of XDNA1 and XDNA2: bundles a second in matrix kernels, and what recorded runs give.

The kernels have as many products, loads and stores as published ones. The recorded programs are
those of the tests; by operation it counts how many come out equal, and how many are unknown. A set
of your own: `python -m benchmarks.xdna_runs FILE.jsonl`.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Iterable, Iterator

import numpy as np

from benchmarks import timing
from benchmarks.report import Target, number, print_table
from benchmarks.timing import Action
from ipu_asm.emulator import run_program
from ipu_asm.emulator.code_program import read_code_program
from ipu_asm.emulator.code_runs import CodeMachine, code_model, set_up

VECTORS = Path(__file__).parents[1] / "tests" / "data" / "vectors" / "xdna_exec_public.jsonl.gz"
GOAL_US = 3.0
"""A million bundles in three seconds: the goal."""

BUNDLE_UNITS = 9.0
"""Units that a bundle of XDNA1 may cost; blocks without batches cost more."""

UNITS, TURNS = 5_000, 60
_LABEL = re.compile(r"\s*(?:\.\w+:)?\s*")

Rows = list[list[str]]


def _first() -> Rows:
    """A block of 32 x 32 x 32: 8 tiles of C in two groups, 32 products of tiles in 36 bundles."""
    rows: Rows = [[] for _ in range(36)]
    for place in range(32):
        tile = f"bm{'lh'[place % 2]}{place // 16 * 2 + place % 4 // 2}"
        rows[place].append(f"vmac.f {tile}, {tile}, x{place % 4}, x{4 + place // 4 % 4}, r0")
    for place in range(16):
        quarter = f"am{'lh'[place // 2 % 2]}{'lh'[place % 2]}{place // 4}"
        rows[(20, -8)[place // 8] + place].append(f"vlda {quarter}, [p2], #32")
        rows[(18 + place + place // 8 * 8) % 36].append(f"vst {quarter}, [p3], #32")
    return _with_loads(rows, ["vlda w{}, [p0], #32"] * 20, ["vldb w{}, [p1], #32"] * 36)


def _second() -> Rows:
    """5 blocks of 64 x 96 x 64: 20 tiles of C in 5 accumulators, 240 products of tiles."""
    rows: Rows = [[] for _ in range(240)]
    for tile in range(20):
        for turn in range(12):
            factors = f"ex{tile % 4}, ex{4 + turn % 4}"
            row = (12 * tile + tile % 4 + 4 * turn) % 240
            rows[row].append(f"vmac.f dm{tile % 5}, dm{tile % 5}, {factors}, r0")
        for part, quarter in enumerate(("ll", "lh", "hl", "hh")):
            row = 12 * tile + tile % 4 + 50 + part
            rows[row % 240].append(f"vst bm{quarter}{tile % 5}, [p3], #64")
            rows[(row + 2) % 240].append(f"vlda bm{quarter}{tile % 5}, [p2], #64")
    loads = [
        [f"vld{unit}.fill.512 [p{n}, lf{n}, r{24 + n}]"]
        + [f"vld{unit}.pop.576 ex{{}}, [p{n}, lf{n}, r{24 + n}]"] * 8
        for n, unit in enumerate("ab")
    ]
    return _with_loads(rows, loads[0] * 15, loads[1] * 15)


def _with_loads(rows: Rows, first: list[str], second: list[str]) -> Rows:
    """Add loads of factors where their unit is free: A to registers 0 to 3, B to 4 to 7."""
    for unit, loads, start in ("vlda", first, 0), ("vldb", second, 4):
        free = [row for row in rows if not any(each.startswith(unit) for each in row)]
        for place, (row, load) in enumerate(zip(free, loads)):
            half = "lh"[place % 2] + str(start + place // 2 % 4)
            row.append(load.format(half if "w{}" in load else start + place % 4))
    return rows


def _kernel(rows: Rows, pointers: str, blocks: int) -> str:
    *lines, last = ("; ".join(row) for row in rows)
    return (
        f"turn: {pointers}movxm ls, #.Lfirst\nmovxm le, #.Llast\nmova lc, #{blocks}\n"
        "add r1, r1, #-1\n.Lfirst:\n" + "\n".join(lines) + f"\n.Llast: {last}\n"
        "jnz r1, #turn\n" + "nop\n" * 5 + "done\n"
    )


def _pointers(*addresses: int) -> str:
    return "".join(f"movxm p{n}, #{address:#x}\n" for n, address in enumerate(addresses))


KERNELS = {
    "xdna1": (_kernel(_first(), _pointers(0x70000, 0x72000, 0x75000, 0x77000), 8), 28),
    "xdna2": (
        _kernel(
            _second(),
            _pointers(0x70000, 0x70120, 0x78000, 0x7C000) + "mova r24, #0\nmova r25, #0\n",
            3,
        ),
        780,
    ),
}
"""Products of matrices with as many loads and stores as published kernels have, and the
configuration of the products."""


def run(quick: bool = False) -> list[Target]:
    """Measure, print, and return the target."""
    actions: dict[str, Action] = {"unit": _unit}
    for isa in KERNELS:
        machine, start = _machine(isa)
        actions[isa] = lambda machine=machine, start=start: _turns(machine, start)  # type: ignore[misc]
    timing.interleave(1, actions)
    seconds = timing.interleave(5 if quick else 25, actions)
    rows = []
    for isa in KERNELS:
        median = timing.median(seconds[isa])
        units = timing.ratio(seconds, isa, "unit")
        rows.append((isa, number(median * 1e6), number(1 / median, 0), number(units, 1),
                     number(median * 1e6 / GOAL_US, 1)))  # fmt: skip
    print_table(
        "matrix kernels, processor time, median", ("set", "us", "a second", "units", "x goal"), rows
    )
    with gzip.open(VECTORS, "rt", encoding="utf-8") as lines:
        print_recorded(map(json.loads, lines))
    return [
        Target("a bundle of XDNA1, units", timing.ratio(seconds, "xdna1", "unit"), BUNDLE_UNITS)
    ]


def _unit() -> float:
    a = np.arange(128, dtype=np.int32)
    b, c = a.copy(), a.copy()

    def multiply() -> None:
        for _ in range(UNITS):
            np.multiply(a, b, out=c)

    return _processor_time(multiply) / UNITS


def _processor_time(work: Callable[[], object]) -> float:
    """Seconds of processor time: the unit is too short to be preempted, a run is not."""
    start = time.process_time()
    work()
    return time.process_time() - start


def _machine(isa: str) -> tuple[CodeMachine, int]:
    text, configuration = KERNELS[isa]
    model = code_model(isa)
    program = read_code_program(text, isa, model.data_address)
    machine: CodeMachine = model.make_machine(program)
    rng = np.random.default_rng(0)
    if isa == "xdna1":
        numbers = rng.standard_normal(1 << 14).astype(np.float32)
        data = (numbers.view(np.uint32) >> 16).astype(np.uint16).tobytes()
    else:
        blocks = rng.integers(0, 256, (3200, 9)).astype(np.uint8)
        blocks[:, 0] = rng.integers(120, 128, len(blocks))  # exponents
        data = blocks.tobytes()
    sums = rng.standard_normal(1 << 12).astype(np.float32).tobytes()
    registers = {"r0": configuration, "r1": TURNS}
    at = {0x70000: data, 0x75000 if isa == "xdna1" else 0x78000: sums}
    set_up(machine, program, registers, at)
    start = program.entry(None)
    machine.start(start)
    return machine, start


def _turns(machine: CodeMachine, start: int) -> float:
    """Seconds of one bundle in a run of the kernel."""
    machine.state.end, machine.state.pc = "", start
    machine.state.set_register("r1", TURNS)
    before = machine.state.executed
    seconds = _processor_time(lambda: machine.run(1 << 30))
    executed: int = machine.state.executed - before
    return seconds / executed


def print_recorded(vectors: Iterable[dict[str, Any]]) -> None:
    """Print by operation how many recorded programs come out equal, unknown or different."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for vector in vectors:
        outcome = _outcome(vector)
        for operation in _operations(vector["program"]):
            counts.setdefault((vector["isa"], operation), Counter())[outcome] += 1
    rows = [
        (f"{isa} {name}", *(str(found[each]) for each in ("equal", "unknown", "different")))
        for (isa, name), found in sorted(counts.items())
    ]
    print_table("recorded programs", ("operation", "equal", "unknown", "different"), rows)


def _outcome(vector: dict[str, Any]) -> str:
    found = run_program(
        "\n".join(vector["program"]),
        vector["isa"],
        registers={name: int(text, 16) for name, text in vector["registers"].items()},
        memory={int(at, 16): bytes.fromhex(data) for at, data in vector["memory"].items()},
    )
    if found.end == "unknown":
        return "unknown"
    registers, memory = vector["final_registers"], vector["final_memory"]
    is_equal = (
        found.cycles == vector["cycles"]
        and all(found.register(name) == int(text, 16) for name, text in registers.items())
        and all(found.memory(int(at, 16), len(text) // 2).hex() == text
                for at, text in memory.items())
    )  # fmt: skip
    return "equal" if is_equal else "different"


def _operations(program: Iterable[str]) -> Iterator[str]:
    parts = (part for line in program for part in line.split(";"))
    names = {_LABEL.sub("", part, count=1).split(" ")[0] for part in parts}
    yield from sorted(name for name in names if name and not name.startswith(("nop", "done")))


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as records:
        print_recorded(map(json.loads, records))
