"""What a program makes an analysis repeat does not decide how much memory that takes."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Sequence

from ipu_asm.flow.control_run.execution import control_run
from ipu_asm.flow.control_run.run import LIMIT
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from tests.vectors import records

MAX_BYTES = 200 << 20
FIBONACCI = "add lr1 lr1 lr2;; add lr2 lr2 lr1;;\n"
ALL = ", ".join(f"lr{number} != 77777" for number in range(16))
SUMS = "".join(f"add lr{1 + n % 2} lr{1 + n % 2} cr{n};;\n" for n in range(16))
NEST = "".join(f"set lr{n} 0;;\nl{n}:\n" for n in range(1, 7))
ENDS = "".join(f"incr lr{n} 1; bne lr{n} lr15 l{n};;\n" for n in range(6, 0, -1))
DOUBLED = "set lr3 32767;;\n" + "add lr3 lr3 lr3;;\n" * 5

BOMBS = {
    "four thousand million iterations": "set lr5 -1;;\nloop:\n"
    "incr lr4 1; # ASSERT lr4 != 7\nbne lr4 lr5 loop;;\nbkpt;;\n",
    "none of which refutes": "set lr5 -1;;\nloop:\n"
    "incr lr4 1; # ASSERT (lr4 & 1) != 7\nbne lr4 lr5 loop;;\nbkpt;;\n",
    "without an end": "loop:\nincr lr4 2; # ASSERT (lr4 & 1) != 7\nbne lr4 lr5 loop;;\nbkpt;;\n",
    "that are never alike": f"set lr1 1; set lr2 1;;\nloop: {FIBONACCI}# ASSERT {ALL}\n"
    "add lr3 lr1 lr2; bne lr1 lr5 loop;;\nbkpt;;\n",
    "in sixteen configurations": f"# CR cr4 = {' | '.join(map(str, range(16)))}\n"
    f"add lr1 lr0 cr4;;\nloop: {FIBONACCI}# ASSERT {ALL}\nbne lr1 lr5 loop;;\nbkpt;;\n",
    "with values of sixteen unknown registers": f"{SUMS}loop: {FIBONACCI}# ASSERT lr1 != lr2\n"
    "ldr_mult_reg r0 lr2 cr2; incr lr4 1; bne lr4 lr5 loop;;\nbkpt;;\n",
    "in loops in loops": f"set lr15 513;;\n{NEST}# ASSERT (lr1 & 3) != 9, (lr2 ^ lr3) >= 0\n"
    f"ldr_mult_reg r0 lr9 cr0; acc;;\n{ENDS}bkpt;;\n",
    "whose accesses are apart": f"{DOUBLED}loop: ldr_mult_reg r0 lr1 cr1; incr lr1 130;;\n"
    f"{'ldr_mult_reg r0 lr1 cr1;;' * 200}\nblt lr1 lr3 loop;;\nbkpt;;\n",
}


GENERATED = "(lr1 & 1) != 7, lr2 + lr3 >= lr3 or lr4 % 3 in [0, 1, 2, -1, -2], {} != -77777"
CHECK = """
import json, resource, sys

limit = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
from ipu_asm import analyze
from ipu_asm.flow.control_run.facts import control_facts
from ipu_asm.program.line_table import LineTable
from ipu_asm.reports.performance.report import performance_report

for isa, text in json.load(sys.stdin):
    program = analyze(text, isa=isa).effective_program
    for facts in control_facts(program)[:2]:
        performance_report(program, LineTable(program), facts, with_moves=False)
    print(len(control_facts(program)))
"""


def checked_within(limit: int, programs: Sequence[tuple[str, str]]) -> list[int]:
    """Check programs of instruction sets in a process; the numbers of their configurations."""
    command = [sys.executable, "-c", CHECK, str(limit)]
    given = json.dumps(programs)
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2_000:]
    return [int(line) for line in done.stdout.split()]


def asserted(text: str) -> str:
    """A program with an assertion before each bundle, as far as it has one in its line."""
    lines = text.split("\n")
    return "\n".join(
        f"# ASSERT {GENERATED.format(f'lr{number % 16}')}\n{line}" if ";;" in line else line
        for number, line in enumerate(lines)
    )


def test_no_loop_takes_memory_for_its_iterations() -> None:
    found = checked_within(MAX_BYTES, [("ipu", text) for text in BOMBS.values()])
    assert found == [16 if "CR" in text else 1 for text in BOMBS.values()]


def test_sums_of_bytes_count_with_the_values_that_decide_about_them() -> None:
    text = "f: addbi lrd4 -2; add lr0 lr0 lr0; br lr5;;\nbkpt;;\n"
    run = control_run(read_program(load_isa("ipu2"), text), most_steps=40_000)
    assert run.end.reason == LIMIT
    assert len(run.nodes) < 40_000 // 4 // 2


def test_assertions_in_recorded_programs_take_little_memory() -> None:
    programs = [
        (isa, asserted(record["asm"]))
        for isa, kind in (("ipu", "exec"), ("ipu2", "ipu2_exec"), ("ipu", "faults"))
        for record in records(kind)[::7]
    ]
    assert len(checked_within(500 << 20, programs)) == len(programs) > 100
