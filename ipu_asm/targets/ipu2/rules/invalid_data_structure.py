"""A data structure word that the machine refuses.

## What it does
Reports an instruction whose data structure register holds a word with a partition other than 0, 2,
4, 8 or 16, or with pad mode 3; and in INT32 mode a multiplication with a pad mode other than 0.
Only registers with a known value count: constants, and those that a comment, `ipu.toml` or a launch
configuration states.

## Why
Every instruction with a data structure faults on such a word, even if it uses no partition and pads
nothing. Infinities, which pad modes 1 and 2 stand for, are no 32-bit integers.

## Example
```
# CR cr4 = 0x0380  # 128 elements in 3 parts
    LDR_MULT_REG r0 lr0 cr2;;
    LDR_CYCLIC_MULT_REG lr0 cr3 lr0;;
    MULT.RC.VV lr0 r0 0 lr0 cr4;
    ACC.ADD.FIRST;
    ACTIVATE.QUANTIZE relu cr15;
    STR_POST_AAQ_REG lr0 cr5;
    BKPT;;
```

## Use instead
```
# CR cr4 = 0x0480  # 128 elements in 4 parts
    LDR_MULT_REG r0 lr0 cr2;;
    LDR_CYCLIC_MULT_REG lr0 cr3 lr0;;
    MULT.RC.VV lr0 r0 0 lr0 cr4;
    ACC.ADD.FIRST;
    ACTIVATE.QUANTIZE relu cr15;
    STR_POST_AAQ_REG lr0 cr5;
    BKPT;;
```
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.bundle.operand_matching import Instruction
from ipu_asm.diagnostics import Diagnostic, RuleId, Severity
from ipu_asm.flow.control_run.facts import ControlFacts
from ipu_asm.flow.control_run.step_reading import mode_of
from ipu_asm.isa.model import Isa
from ipu_asm.lint import Rule
from ipu_asm.lint.run_findings import in_each_configuration
from ipu_asm.program.program import Program

RULE_ID = RuleId("I101", "invalid-data-structure", Severity.WARNING)
_TYPE = "DstructureCrIdx"
_PARTITIONS = (0, 2, 4, 8, 16)
_LAST_PAD_MODE = 2
_INT32 = 2
"""The number of the mode in which words are 32-bit integers."""


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for each instruction that faults on its data structure."""
    if program.where(_has_structure):
        yield from in_each_configuration(program, _invalid)


def _has_structure(_isa: Isa, bundle: Bundle) -> bool:
    return any(_structure(instruction) is not None for instruction in bundle.instructions)


def _structure(instruction: Instruction) -> int | None:
    """Return the number of the operand that names a data structure; None if there is none."""
    for number, operand in enumerate(instruction.operands):
        if operand is not None and operand.type.name == _TYPE:
            return number
    return None


def _invalid(program: Program, facts: ControlFacts) -> Iterator[Diagnostic]:
    facts = facts.behind_faults
    positions, values = facts.run.names.positions, facts.run.initial
    for address, number in enumerate(program.bundle_at_address):
        bundle = program.bundles[number]
        for place, instruction in enumerate(bundle.instructions):
            operand = _structure(instruction)
            if operand is None or not facts.summary.executions[address]:
                continue
            name = instruction.words[operand + 1]
            value = values[positions[name.lower()]]
            if not isinstance(value, int):
                continue
            problem = _problem(value, instruction, facts)
            if problem:
                message = f"{problem} (`{name}` = 0x{value % (1 << 32):x})"
                yield Diagnostic(
                    RULE_ID, message, program.span(number, bundle.span(place, operand))
                )


def _problem(value: int, instruction: Instruction, facts: ControlFacts) -> str:
    """Return what the machine refuses about a word; empty if it is valid."""
    partition, pad_mode = value >> 8 & 0x1F, value >> 13 & 3
    if partition not in _PARTITIONS:
        return f"the partition in a data structure must be 0, 2, 4, 8 or 16, found {partition}"
    if pad_mode > _LAST_PAD_MODE:
        return f"the pad mode in a data structure must be 0, 1 or 2, found {pad_mode}"
    is_product = instruction.spec is not None and "mult_res" in instruction.spec.writes
    if pad_mode and is_product and mode_of(facts.presets) == _INT32:
        return f"the pad mode of 32-bit integers must be 0, found {pad_mode}"
    return ""


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        "# CR cr4 = 0x5080\nLDR_MULT_REG r0 lr0 cr5;; MULT.VE lr0 cr2 0 lr0 cr4;; BKPT;;",
        # The value is not known, or the bundle never runs.
        "LDR_MULT_REG r0 lr0 cr5;; MULT.VE lr0 cr2 0 lr0 cr4;; BKPT;;",
        "# CR cr4 = 0x0300\nB end;; AGG.SUM.FIRST lr0 cr4;; end: BKPT;;",
    ),
    invalid=(
        "# CR wide = int32, cr4 = 0x2080\nLDR_MULT_REG r0 lr0 cr5;;\n"
        "MULT.VE lr0 cr2 0 lr0 ⟦cr4⟧;; BKPT;;",
        "# CR cr4 = 0x0300\nAGG.SUM.FIRST lr0 ⟦cr4⟧;; BKPT;;",
        "# CR cr4 = 0x6080\nACTIVATE.QUANTIZE relu ⟦cr4⟧; BKPT;;",
        "# CR cr4 = 128 | 0x1F80\nLDR_MULT_REG r0 lr0 cr5;;\n"
        "MULT.EE lr0 cr2 0 lr0 ⟦CR4⟧; ACC.ADD.FIRST; ACTIVATE.QUANTIZE tanh ⟦cr4⟧;; BKPT;;",
    ),
    check_program=check,
    isa="ipu2",
)
