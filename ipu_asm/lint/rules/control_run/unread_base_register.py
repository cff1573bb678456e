"""A described base register that no instruction reads: another is in its place.

## What it does
Compares the registers that only the host sets with the comment before the first instruction. If no
instruction reads one that it names, it reports each load and store whose base is a register that
the comment does not name, or that it gives another purpose while `cr1 = WEIGHT_BASE` is not read.
If all bases are described, it reports the comment of a single `_BASE`, `_ADDR`, `_PTR`, `_START` or
`_ROW` that is not read, as soon as several instructions share another base. A line with `unused`,
`reserved`, `spare` or `free` names nothing, and a configuration names its registers.

## Why
The access begins where other data lie: the number of a base register is easily mistaken. Or the
comment is out of date, and whoever writes the host's side will set a register for nothing.

## Example
```
# cr0 = INPUT_BASE, cr1 = WEIGHT_BASE, cr2 = RESULT_BASE
    ldr_mult_reg r0 lr0 cr0;;
    ldr_cyclic_mult_reg lr0 cr0 lr0;
    mult.ee r0 lr0 lr0 lr0;
    acc.first;;
    str_acc_reg lr0 cr2;;
    bkpt;;
```

## Use instead
```
# cr0 = INPUT_BASE, cr1 = WEIGHT_BASE, cr2 = RESULT_BASE
    ldr_mult_reg r0 lr0 cr0;;
    ldr_cyclic_mult_reg lr0 cr1 lr0;
    mult.ee r0 lr0 lr0 lr0;
    acc.first;;
    str_acc_reg lr0 cr2;;
    bkpt;;
```
"""

from __future__ import annotations

from typing import Iterator, Sequence

from ipu_asm.diagnostics import Diagnostic, RuleId, Severity
from ipu_asm.flow.host_inputs import (
    base_operands,
    host_registers,
    undescribed_registers,
    unread_registers,
)
from ipu_asm.lint import Rule
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program
from ipu_asm.program.register_notes import base_name, register_notes, roles
from ipu_asm.text import Span

RULE_ID = RuleId("W313", "unread-base-register", Severity.WARNING)


class _Base(NamedTuple):
    """A register that only the host sets as the base of an instruction."""

    mnemonic: str
    register: str
    span: Span


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for each access through another register than a described one, or for that one."""
    unread = unread_registers(program)
    if not unread or any(bundle.is_broken for bundle in program.bundles):
        return
    bases = _bases(program)
    wrong = list(_wrong_bases(program, bases, unread))
    if wrong:
        yield from wrong
        return
    names = _base_names(program, unread)
    used = [each.register for each in bases]
    if len(names) == 1 and len(used) > len(set(used)):
        yield from _unread_roles(program, *names.popitem())


def _bases(program: Program) -> list[_Base]:
    host = set(host_registers(program))
    return [
        _Base(mnemonic, register, program.span(number, span))
        for number, bundle in enumerate(program.bundles)
        for mnemonic, register, span in base_operands(program.isa, bundle)
        if register in host
    ]


def _base_names(program: Program, registers: Sequence[str]) -> dict[str, str]:
    """Return the names such as `WEIGHT_BASE` of registers that have one."""
    notes = register_notes(program)
    names = {register: base_name(notes.get(register, "")) for register in registers}
    return {register: name for register, name in names.items() if name}


def _wrong_bases(
    program: Program, bases: Sequence[_Base], unread: Sequence[str]
) -> Iterator[Diagnostic]:
    notes, names = register_notes(program), _base_names(program, unread)
    undescribed = undescribed_registers(program, {each.register for each in bases})
    for mnemonic, register, span in bases:
        note = notes.get(register, "")
        if register in undescribed:
            said, other = "which the comment at the beginning does not name", unread[0]
        elif names and note and not note[0].isdigit() and not base_name(note):
            said, other = (
                f"which the comment describes as `{note.split(',')[0]}`",
                next(iter(names)),
            )
        else:
            continue
        other_name = f" ({names[other]})" if other in names else ""
        message = (
            f"the base of `{mnemonic}` is `{register}`, {said}, "
            f"and nothing reads `{other}`{other_name}, which it describes"
        )
        yield Diagnostic(RULE_ID, message, span)


def _unread_roles(program: Program, register: str, name: str) -> Iterator[Diagnostic]:
    """Yield a finding at the comment; it is none in a template that has a use for another case."""
    for role in roles(program):
        if register in role.registers:
            message = (
                f"nothing reads `{register}`, described as `{name}`: another register is the base "
                f"of an access in its place, or the comment is out of date"
            )
            yield Diagnostic(RULE_ID, message, role.span, tags=("unnecessary",))
            return


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        "# cr0 = IN_BASE, cr1 = OUT_BASE\nldr_mult_reg r0 lr0 cr0;; str_acc_reg lr0 cr1; bkpt;;",
        # A copy of a base is a use.
        "# cr0 = IN_BASE\nadd lr1 lr0 cr0; ldr_mult_reg r0 lr1 cr1;; bkpt;;",
        "# cr0 inputs, cr1: unused\nldr_mult_reg r0 lr0 cr0;; str_acc_reg lr0 cr2; bkpt;;",
        # A number may be an address, and nothing else is the base of two accesses.
        "# cr0 = 0x80, cr1 = W_BASE\nldr_mult_reg r0 lr0 cr0;; bkpt;;",
        "# cr0 = 1, cr1 = SIZE\nldr_mult_reg r0 lr0 cr0;; str_acc_reg lr1 cr0; bkpt;;",
        "# CR cr0 = 0, cr1 = 64, cr2 = 5\nldr_mult_reg r0 lr0 cr0;; str_acc_reg lr1 cr1; bkpt;;",
        # The broken bundle may read it.
        "# cr1 = IN_BASE\nldr_mult_reg r0 lr0 cr2;; ldr_mult_reg r0 lr0 cr;; bkpt;;",
    ),
    invalid=(
        "# cr0 = IN_BASE, cr1 = OUT_BASE\nldr_mult_reg r0 lr0 cr0;; str_acc_reg lr0 ⟦cr2⟧; bkpt;;",
        "# cr0 inputs, cr1 results\nldr_mult_reg r0 lr0 ⟦cr3⟧;; str_acc_reg lr0 cr1; bkpt;;",
        "# CR cr1 = 0x100\nldr_mult_reg r0 lr0 ⟦CR3⟧;; bkpt;;",
        "# cr0 = IN_BASE, cr1 = SIZE\nldr_mult_reg r0 lr0 ⟦cr1⟧;; bkpt;;",
        "# ⟦cr0 = IN_BASE⟧\n# cr1 = W_BASE\n"
        "ldr_mult_reg r0 lr0 cr1;; ldr_cyclic_mult_reg lr0 cr1 lr0;; bkpt;;",
    ),
    check_program=check,
)
