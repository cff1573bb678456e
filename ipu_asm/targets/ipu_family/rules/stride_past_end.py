"""An `acc.stride` whose result does not fit into the accumulator.

## What it does
Reports an `acc.stride` that faults: its result runs past element 127, or it names a reserved stride
mode. The offset is that of the control run.

## Why
The machine stops there. A result of 128 elements fits at offset 0 alone, one of 64 at offsets 0 to
2. The offset counts modulo 4, in units of 32 elements.

## Example
```
    ldr_mult_reg r0 lr0 cr0;;
    ldr_cyclic_mult_reg lr0 cr1 lr0;;
    mult.ee r0 lr0 lr0 lr0;
    set lr5 3;
    acc.stride 64 off on lr5;;
    str_acc_reg lr0 cr2;
    bkpt;;
```

## Use instead
```
    ldr_mult_reg r0 lr0 cr0;;
    ldr_cyclic_mult_reg lr0 cr1 lr0;;
    mult.ee r0 lr0 lr0 lr0;
    set lr5 3;
    acc.stride 64 on on lr5;;
    str_acc_reg lr0 cr2;
    bkpt;;
```
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.bundle.operand_matching import Instruction
from ipu_asm.diagnostics import Diagnostic, RuleId, Severity
from ipu_asm.flow.control_run.facts import ControlFacts
from ipu_asm.flow.control_run.trace import Progression
from ipu_asm.isa.model import Isa
from ipu_asm.lint import Rule
from ipu_asm.lint.run_findings import in_each_configuration
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program

RULE_ID = RuleId("W308", "stride-past-end", Severity.WARNING)
_ROW, _HORIZONTAL, _VERTICAL, _OFFSET = (
    "elements_in_row", "horizontal_stride", "vertical_stride", "offset",
)  # fmt: skip
_ELEMENTS, _UNIT = 128, 32
_HALVES = ("on", "on_inv")
_RESERVED = "reserved"


class _Stride(NamedTuple):
    """An `acc.stride` at an address: its number in the bundle, and the elements of its result."""

    address: int
    place: int
    register: str
    elements: int


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for each `acc.stride` that faults."""
    if program.where(_has_stride):
        yield from _reserved(program)
        yield from in_each_configuration(program, _past_end)


def _has_stride(_isa: Isa, bundle: Bundle) -> bool:
    return any(instruction.value(_VERTICAL) is not None for instruction in bundle.instructions)


def _reserved(program: Program) -> Iterator[Diagnostic]:
    """Yield a finding for each reserved stride mode, known values or not."""
    for number in program.where(_has_stride):
        bundle = program.bundles[number]
        for place, instruction in enumerate(bundle.instructions):
            for name in (_HORIZONTAL, _VERTICAL):
                word = _word(instruction, name)
                if word.startswith(_RESERVED):
                    written = instruction.words[_operand(instruction, name) + 1]
                    message = f"a stride mode must not be reserved, found `{written}`: it faults"
                    span = program.span(number, bundle.span(place, _operand(instruction, name)))
                    yield Diagnostic(RULE_ID, message, span)


def _past_end(program: Program, facts: ControlFacts) -> Iterator[Diagnostic]:
    strides = [each for each in _strides(program) if each.elements > _UNIT]
    if not strides:
        return
    observed = facts.behind_faults.observe({each.address: [each.register] for each in strides})
    for stride in strides:
        values = observed.values.get((stride.address, stride.register))
        offsets = sorted({o for each in (values.after if values else ()) for o in _modulo(each)})
        bad = [o for o in offsets if o * _UNIT + stride.elements > _ELEMENTS]
        if bad:
            yield _finding(program, stride, bad[0])


def _strides(program: Program) -> Iterator[_Stride]:
    for address, number in enumerate(program.bundle_at_address):
        for place, instruction in enumerate(program.bundles[number].instructions):
            if all(isinstance(instruction.value(n), int) for n in (_ROW, _HORIZONTAL, _VERTICAL)):
                elements = _elements(_word(instruction, _HORIZONTAL), _word(instruction, _VERTICAL))
                operand = _operand(instruction, _OFFSET)
                yield _Stride(address, place, instruction.words[operand + 1].lower(), elements)


def _elements(horizontal: str, vertical: str) -> int:
    """Return the number of elements of a result; 0 where a mode is reserved."""
    if _RESERVED in horizontal or _RESERVED in vertical:
        return 0
    return _ELEMENTS >> (horizontal in _HALVES) + (vertical in _HALVES)


def _modulo(progression: Progression) -> set[int]:
    """Return the values modulo 4; none if they are not known."""
    if not isinstance(progression.start, int):
        return set()
    found = {progression.start % 4}
    for stride, count in progression.dimensions:
        if not isinstance(stride, int) or not (count is None or isinstance(count, int)):
            return set()
        most = 4 if count is None else min(count, 4)
        found = {(value + stride * number) % 4 for value in found for number in range(most)}
    return found


def _word(instruction: Instruction, name: str) -> str:
    """Return the word of the operand with a name in small letters; empty if it is absent."""
    if instruction.value(name) is None:
        return ""
    return instruction.words[_operand(instruction, name) + 1].lower()


def _operand(instruction: Instruction, name: str) -> int:
    """Return the index of an operand in its instruction, found by the operand's name."""
    names = [operand.name if operand is not None else "" for operand in instruction.operands]
    return names.index(name)


def _finding(program: Program, stride: _Stride, offset: int) -> Diagnostic:
    number = program.bundle_at_address[stride.address]
    bundle = program.bundles[number]
    last = offset * _UNIT + stride.elements - 1
    operand = _operand(bundle.instructions[stride.place], _OFFSET)
    mnemonic = bundle.instructions[stride.place].mnemonic
    message = (
        f"the result of `{mnemonic}` must end at element 127: it has {stride.elements} elements "
        f"and begins at {offset * _UNIT} (`{stride.register}` modulo 4 is {offset}), "
        f"so that it ends at {last}"
    )
    span = program.span(number, bundle.span(stride.place, operand))
    return Diagnostic(RULE_ID, message, span)


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        "set lr1 4;;\nacc.stride 8 off off lr1; bkpt;;",
        "set lr1 2;;\nacc.stride 16 on off lr1; bkpt;;",
        "set lr1 3;;\nacc.stride 16 on_inv on_inv lr1; bkpt;;",
        "set lr2 3;;\nrow: acc.stride 32 off on lr1; incr lr1 2; incr lr3 1;\n"
        "bne lr3 lr2 row;; bkpt;;",
        "add lr1 lr0 cr1;;\nacc.stride 16 off off lr1; bkpt;;",
    ),
    invalid=(
        "set lr1 1;;\nacc.stride 8 off off ⟦lr1⟧; bkpt;;",
        "set lr1 -1;;\nacc.stride 8 on off ⟦lr1⟧; bkpt;;",
        "set lr2 3;;\nrow: acc.stride 32 off on ⟦lr1⟧; incr lr1 1; bne lr1 lr2 row;; bkpt;;",
        "set lr1 2;;\nacc.stride 8 on_expand off ⟦lr1⟧; bkpt;;",
        "acc.stride 8 ⟦reserved5⟧ off lr1; bkpt;;",
        "acc.stride 8 off ⟦reserved3⟧ lr1; bkpt;;",
    ),
    check_program=check,
)
