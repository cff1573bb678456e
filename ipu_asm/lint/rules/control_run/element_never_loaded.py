"""A multiplication of elements that nothing has loaded.

## What it does
Reports a multiplication that reads 128 elements of `r_cyclic`, none of which has been loaded so
far, or a single element that has not, while other elements have been. Loads in the same bundle
count. A window that is loaded in part is not reported, because masks hide its borders.

## Why
The products are zero at the start of a run, or those of old elements later. The usual causes are an
index or an offset that is one row too large, and a register that is stepped before it is used.

## Example
```
    set lr1 256;;
    ldr_mult_reg r0 lr0 cr0;;
    ldr_cyclic_mult_reg lr0 cr1 lr0;;
    mult.ee r0 lr1 lr0 lr0;
    acc.first;;
    str_acc_reg lr0 cr2;
    bkpt;;
```

## Use instead
```
    set lr1 256;;
    ldr_mult_reg r0 lr0 cr0;;
    ldr_cyclic_mult_reg lr0 cr1 lr1;;
    mult.ee r0 lr1 lr0 lr0;
    acc.first;;
    str_acc_reg lr0 cr2;
    bkpt;;
```
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.diagnostics import Diagnostic, RuleId, Severity
from ipu_asm.flow.unloaded_reads import UnloadedRead
from ipu_asm.lint import Rule
from ipu_asm.lint.rules.control_run.read_before_load import unloaded_findings
from ipu_asm.program.program import Program

RULE_ID = RuleId("W302", "element-never-loaded", Severity.WARNING)


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for each multiplication of elements of which none has been loaded."""
    return unloaded_findings(program, RULE_ID, _message, of_windows=True)


def _message(program: Program, read: UnloadedRead, mnemonic: str) -> str:
    assert read.window is not None
    last, size = read.first + read.window.size - 1, program.isa.spaces[read.register].size
    if read.window.is_clipped:
        last = min(last, size - 1)
    wanted = _range(read.first, last % size)
    return (
        f"elements must be loaded before `{mnemonic}` reads them: it reads {wanted} "
        f"of `{read.register}`, only {_ranges(read.loaded)} are loaded"
    )


def _range(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}..{last}"


def _ranges(elements: int) -> str:
    """Return the elements of a bit set as ranges."""
    found, place = [], 0
    while elements >> place:
        rest = elements >> place
        place += (rest & -rest).bit_length() - 1
        length = (~(elements >> place) & -~(elements >> place)).bit_length() - 1
        found.append(_range(place, place + length - 1))
        place += length
    return ", ".join(found)


_LOAD = "ldr_mult_reg r0 lr0 cr0;;\nset lr1 128; ldr_cyclic_mult_reg lr0 cr0 lr1;;\n"

RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        f"{_LOAD}set lr2 640;;\nmult.ee r0 lr2 lr0 lr0; acc.first; bkpt;;",
        # A part of the window is loaded.
        f"{_LOAD}set lr2 255;;\nmult.ee r0 lr2 lr0 lr0; acc.first; bkpt;;",
        f"{_LOAD}set lr2 512;;\nmult.ve.cr lr2 lr0 lr0 cr1; acc.first; bkpt;;",
        "set lr2 512; ldr_mult_reg r0 lr0 cr0;;\nloop: ldr_cyclic_mult_reg lr1 cr0 lr1;\n"
        "mult.ee r0 lr1 lr0 lr0; acc;;\nincr lr1 128;;\nbne lr1 lr2 loop;; bkpt;;",
        # Which elements the loop reads depends on the host.
        "ldr_mult_reg r0 lr0 cr0; set lr3 60;;\n"
        "ldr_cyclic_mult_reg lr0 cr0 lr0; add lr2 lr0 cr4;;\n"
        "loop: mult.ee r0 lr2 lr0 lr0; acc; incr lr4 1; bne lr4 lr3 loop;;\n"
        "str_acc_reg lr0 cr1; bkpt;;",
    ),
    invalid=(
        f"{_LOAD}set lr2 256;;\n⟦mult.ee⟧ r0 lr2 lr0 lr0; acc.first; bkpt;;",
        f"{_LOAD}set lr2 127;;\n⟦mult.ev⟧ r0 lr2 lr0 lr0; acc.first; bkpt;;",
        f"{_LOAD}set lr2 384;;\n⟦mult.ve.cr⟧ lr2 lr0 lr0 cr1; acc.first; bkpt;;",
        f"{_LOAD}set lr2 512; set lr3 128;;\nloop: ⟦mult.ve⟧ r0 lr3 lr0 lr0 lr0; acc;;\n"
        "incr lr3 1;;\nbne lr3 lr2 loop;; bkpt;;",
        "set lr2 512; ldr_mult_reg r0 lr0 cr0;;\nloop: ldr_cyclic_mult_reg lr1 cr0 lr1;\n"
        "incr lr3 128;;\n⟦mult.ee⟧ r0 lr3 lr0 lr0; acc;;\nincr lr1 128;;\n"
        "bne lr1 lr2 loop;; bkpt;;",
    ),
    check_program=check,
)
