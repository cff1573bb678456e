"""An `ACC.RESHAPE` with an index or a mask that the machine refuses.

## What it does
Reports an `ACC.RESHAPE` whose mask is above 8, or with an index of 128 or more in one of the bytes
that take part. Values are those of the control run, in all iterations.

## Why
The machine stops there. The usual causes are a pair of registers that holds something else, an
index that is stepped once too often with `ADDBI`, and a mask in a register that counts further.

## Example
```
# CR cr4 = 0x50607040
    LDR_MULT_REG r0 lr0 cr2;;
    MULT.VE lr0 cr3 0 lr0 cr15;
    SET lr2 cr4;
    SET lr3 cr4;;
    ADDBI lrd2 100;;
    ACC.RESHAPE lrd2 lrd4 0;
    STR_ACC_REG lr0 cr5;
    BKPT;;
```

## Use instead
```
# CR cr4 = 0x50607040
    LDR_MULT_REG r0 lr0 cr2;;
    MULT.VE lr0 cr3 0 lr0 cr15;
    SET lr2 cr4;
    SET lr3 cr4;;
    ADDBI lrd2 10;;
    ACC.RESHAPE lrd2 lrd4 0;
    STR_ACC_REG lr0 cr5;
    BKPT;;
```
"""

from __future__ import annotations

from itertools import islice
from typing import Iterator, Sequence

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.diagnostics import Diagnostic, RuleId, Severity
from ipu_asm.flow.control_run.facts import ControlFacts, Observation
from ipu_asm.flow.control_run.step_reading import scalars_of
from ipu_asm.flow.control_run.trace import Progression, numbers
from ipu_asm.flow.control_run.values import bytes_of, unsigned
from ipu_asm.isa.model import Isa
from ipu_asm.lint import Rule
from ipu_asm.lint.run_findings import in_each_configuration
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program

RULE_ID = RuleId("I102", "reshape-out-of-range", Severity.WARNING)
_SOURCE, _DEST, _MASK = "source", "dest", "reshape_mask"
_MAX_MASK, _WORDS = 8, 128
_MAX_VALUES = 4_096


class _Reshape(NamedTuple):
    """An `ACC.RESHAPE` at an address: its number in the bundle, and its words."""

    address: int
    place: int
    words: Sequence[str]

    @property
    def mask(self) -> str:
        """The mask as it is written, in small letters."""
        return self.words[3].lower()


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for each `ACC.RESHAPE` that faults in some execution."""
    if program.where(_has_reshape):
        yield from in_each_configuration(program, _out_of_range)


def _has_reshape(_isa: Isa, bundle: Bundle) -> bool:
    return any(instruction.value(_MASK) is not None for instruction in bundle.instructions)


def _out_of_range(program: Program, facts: ControlFacts) -> Iterator[Diagnostic]:
    reshapes = list(_reshapes(program))
    registers = {each.address: _registers(program.isa, each) for each in reshapes}
    observed = facts.behind_faults.observe(registers)
    for each in reshapes:
        masks = _masks(each, observed)
        if not masks:
            continue
        if max(masks) > _MAX_MASK:
            message = f"the mask of `{each.words[0]}` must not be above 8, found {max(masks)}"
            yield _finding(program, each, 3, message)
            continue
        for operand in (1, 2):
            message = _bad_index(program.isa, each, operand, max(masks), observed)
            if message:
                yield _finding(program, each, operand, message)


def _reshapes(program: Program) -> Iterator[_Reshape]:
    for address, number in enumerate(program.bundle_at_address):
        for place, instruction in enumerate(program.bundles[number].instructions):
            if instruction.value(_MASK) is not None and len(instruction.words) == 4:
                yield _Reshape(address, place, instruction.words)


def _registers(isa: Isa, reshape: _Reshape) -> list[str]:
    pairs = scalars_of(isa, [word.lower() for word in reshape.words[1:3]])
    return [*pairs, *([reshape.mask] if reshape.mask.startswith("lr") else [])]


def _masks(reshape: _Reshape, observed: Observation) -> list[int]:
    """Return the masks of all executions; none if it is never executed, or if one is unknown."""
    if not reshape.mask.startswith("lr"):
        return [int(reshape.mask, 0)]
    values = observed.values.get((reshape.address, reshape.mask))
    known = _values(values.after) if values is not None else None
    return [unsigned(value) for value in known or ()]


def _bad_index(isa: Isa, reshape: _Reshape, operand: int, mask: int, observed: Observation) -> str:
    """Return the message about an index that takes part with all masks; empty if all are valid."""
    pair = reshape.words[operand]
    for half, register in enumerate(scalars_of(isa, [pair.lower()])):
        values = observed.values.get((reshape.address, register))
        for value in (_values(values.before) if values is not None else None) or ():
            for number, index in enumerate(bytes_of(value), 4 * half):
                if number >= mask and index >= _WORDS:
                    return (
                        f"an index of `{reshape.words[0]}` must be below 128: "
                        f"byte {number} of `{pair}` is {index}"
                    )
    return ""


def _values(progressions: Sequence[Progression]) -> list[int] | None:
    """Return some of the values of progressions; None if they are not known."""
    found: list[int] = []
    try:
        for progression in progressions:
            found += islice(numbers(progression), _MAX_VALUES)
    except ValueError:
        return None
    return found


def _finding(program: Program, reshape: _Reshape, operand: int, message: str) -> Diagnostic:
    number = program.bundle_at_address[reshape.address]
    span = program.bundles[number].span(reshape.place, operand - 1)
    return Diagnostic(RULE_ID, message, program.span(number, span))


_PRODUCT = "LDR_MULT_REG r0 lr0 cr2;;\nMULT.VE lr0 cr3 0 lr0 cr15;;\n"

RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        f"{_PRODUCT}ACC.RESHAPE lrd2 lrd4 0; BKPT;;",
        # The bytes below the mask do not take part.
        f"# CR cr4 = 255\n{_PRODUCT}SET lr2 cr4;;\nACC.RESHAPE lrd2 lrd4 1; BKPT;;",
        f"# CR cr4 = 8\n{_PRODUCT}SET lr5 cr4; ADDBI lrd2 -56;;\nACC.RESHAPE lrd2 lrd6 lr5; BKPT;;",
        f"{_PRODUCT}SET lr2 cr4;;\nACC.RESHAPE lrd2 lrd4 0; BKPT;;",
    ),
    invalid=(
        f"# CR cr4 = 255\n{_PRODUCT}SET lr2 cr4;;\nACC.RESHAPE ⟦lrd2⟧ lrd4 0; BKPT;;",
        f"# CR cr4 = 8\n{_PRODUCT}SET lr5 cr4;;\nINC lr5 1; ACC.RESHAPE lrd2 lrd6 ⟦lr5⟧; BKPT;;",
        f"# CR cr4 = 20\n{_PRODUCT}loop: ADDBI lrd2 7; INC lr0 1; BLT lr0 cr4 loop;\n"
        "ACC.RESHAPE lrd4 ⟦lrd2⟧ 0;; BKPT;;",
    ),
    check_program=check,
    isa="ipu2",
)
