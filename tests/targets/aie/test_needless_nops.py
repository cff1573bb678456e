"""What is told to be needless can be left out: the program computes the same."""

from __future__ import annotations

from ipu_asm.emulator.code_program import linked
from ipu_asm.program.line_table import read_effective_program
from ipu_asm.targets.aie.rules.needless_nop import check
from ipu_asm.text import SourceFile, apply_edits
from tests.flow.test_landing import ISA, MEMORY, Poisoned, executed, executed_source

ADDRESSES = ("lr", "ls", "le", "r10", "r11", "r12")
"""Registers that hold addresses of code, which moves."""


def run(text: str, *, has_poison: bool = False) -> Poisoned:
    effective = read_effective_program(ISA, SourceFile(text))
    code = linked(effective, SourceFile(effective.program.text), MEMORY)
    found = executed(effective.program, code, has_poison=has_poison)
    left = {name: value for name, value in found.left.items() if name not in ADDRESSES}
    return found._replace(left=left)


def check_needless(seed: int) -> int:
    """Without the no-ops that are told a program leaves the same, in fewer cycles; how many."""
    text = executed_source(seed)
    found = [*check(read_effective_program(ISA, SourceFile(text)).program)]
    edits = [edit for each in found for edit in (each.fix.edits if each.fix else ())]
    shorter = apply_edits(text, edits)
    before, after = run(text), run(shorter)
    assert after[:2] == before[:2], seed
    assert len(after.trace) <= len(before.trace), seed
    return len(edits)


def test_programs_without_needless_no_ops_compute_the_same() -> None:
    assert sum(check_needless(seed) > 0 for seed in range(6)) > 2
