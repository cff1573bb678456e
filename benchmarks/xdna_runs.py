"""Execution of XDNA1 and XDNA2: bundles a second in loops of products, and what recorded runs give.

Each bundle of a loop has a product of matrices, two loads and a store. The recorded programs are
those of the tests; by operation it counts how many come out equal, and how many are unknown. A set
of your own: `python -m benchmarks.xdna_runs FILE.jsonl`.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections import Counter
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
"""A million bundles in three seconds: the goal, which needs a compiled core."""

BUNDLE_UNITS = 90.0
"""Units that a bundle of XDNA1 may cost."""

UNITS, TURNS = 5_000, 20
_LABEL = re.compile(r"\s*(?:\.\w+:)?\s*")

_LOOP = "movxm ls, #.Lfirst\nmovxm le, #.Llast\n{setup}" + "nop\n" * 5 + ".Lfirst:\n"
_FIRST = "".join(
    f"vmac.f bm{half}{n}, bm{half}{n}, x{m}, x{n + 4}, r0; vlda wl{m}, [p0, #{64 * m}]; "
    f"vldb wh{n + 4}, [p1, #{32 * n}]; vst wl8, [p2, #{32 * m}]\n"
    for n in range(4)
    for m, half in enumerate("lh")
)
_SECOND = "".join(
    f"vmac.f dm{n}, dm{n}, ex{n}, ex{m}, r0; vlda x{n}, [p0, #{64 * n}]; "
    f"vldb x{m}, [p1, #{64 * n}]; vst x11, [p2, #0]\n"
    for n, m in zip(range(4), range(4, 8))
)
KERNELS = {
    "xdna1": (_FIRST, {"r0": 28}),
    "xdna2": (_SECOND * 2, {"r0": 780, **{f"e{n}": 0x7F7F7F7F7F7F7F7F for n in range(8)}}),
}


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
    print_table("loops of products, median", ("set", "us", "a second", "units", "x goal"), rows)
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

    return timing.timed(multiply) / UNITS


def _machine(isa: str) -> tuple[CodeMachine, int]:
    body, registers = KERNELS[isa]
    *lines, last = body.splitlines()
    text = (
        _LOOP.format(setup="add.nc lc, r1, #0\n") + "\n".join(lines) + f"\n.Llast: {last}\ndone\n"
    )
    model = code_model(isa)
    program = read_code_program(text, isa, model.data_address)
    machine: CodeMachine = model.make_machine(program)
    rng = np.random.default_rng(0)
    data = (rng.standard_normal(2048).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    pointers = {"p0": 0x70000, "p1": 0x70800, "p2": 0x72000, "r1": TURNS}
    set_up(machine, program, {**pointers, **registers}, {0x70000: data.tobytes()})
    start = program.entry(None)
    machine.start(start)
    return machine, start


def _turns(machine: CodeMachine, start: int) -> float:
    """Seconds of one bundle in a run of the loop."""
    machine.state.end, machine.state.pc = "", start
    before = machine.state.executed
    seconds = timing.timed(lambda: machine.run(1 << 30))
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
