"""An immediate that is stored as a different number.

## What it does
Reports an immediate that is too large for its field as a signed number: the machine reads a
negative number instead. The help line shows that number.

## Why
`set lr0 40000` looks like 40000, but the field has 16 bits, and the first is the sign bit: `lr0`
becomes -25536. Take a constant of this size from a config register, or set it in two steps.

## Example
```
set lr0 40000;
bkpt;;
```

## Use instead
```
set lr0 20000;;
incr lr0 20000;
bkpt;;
```
"""

from __future__ import annotations

from functools import lru_cache
from typing import Iterator

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.diagnostics import Applicability, Diagnostic, Fix, RuleId, Severity
from ipu_asm.isa.model import Isa
from ipu_asm.isa.operands import IntegerType, quoted
from ipu_asm.lint import Rule
from ipu_asm.text import TextEdit

RULE_ID = RuleId("W203", "immediate-wraps", Severity.WARNING)


def check(isa: Isa, bundle: Bundle) -> Iterator[Diagnostic]:
    """A finding for each immediate that the machine reads as a negative number."""
    wrapping = _wrapping(isa)
    for number, instruction in enumerate(bundle.instructions):
        spec = instruction.spec
        if spec is None or spec.mnemonic not in wrapping:
            continue
        types = wrapping[spec.mnemonic]
        for place, (operand, value) in enumerate(zip(instruction.operands, instruction.values)):
            if operand is not None and operand.name in types and isinstance(value, int):
                stored = types[operand.name].stored(value)
                if value > stored:
                    yield _finding(bundle, (number, place), types[operand.name], stored)


@lru_cache(maxsize=16)
def _wrapping(isa: Isa) -> dict[str, dict[str, IntegerType]]:
    """Operands that are read as signed but accept larger values, by mnemonic and name."""
    table: dict[str, dict[str, IntegerType]] = {}
    for spec in isa.instructions.values():
        for name, sort in ((operand.name, operand.type) for operand in spec.operands):
            if isinstance(sort, IntegerType) and sort.signed and sort.may_wrap:
                table.setdefault(spec.mnemonic, {})[name] = sort
    return table


def _finding(
    bundle: Bundle, place: tuple[int, int], operand_type: IntegerType, stored: int
) -> Diagnostic:
    span = bundle.value_span(*place)
    largest = (1 << (operand_type.width - 1)) - 1
    message = (
        f"an immediate above {largest} is stored as a negative number, "
        f"found {quoted(bundle.syntax.text[span.start : span.end])}, which means `{stored}`"
    )
    edits = (TextEdit(span, str(stored)),)
    fix = Fix(f"write `{stored}`, which is the same", edits, Applicability.DISPLAY)
    return Diagnostic(RULE_ID, message, span, fix=fix)


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        "set lr0 32767; incr lr1 -32768; bkpt;;",
        "set lr0 0x7FFF; incr lr1 -0b1; bkpt;;",
        # Compared as an unsigned number.
        "break.ifeq lr0 40000; bkpt;;",
        "set lr0 65536; bkpt;;",
    ),
    invalid=(
        "set lr0 ⟦40000⟧; incr lr1 ⟦32768⟧; bkpt;;",
        "set lr0 ⟦0xFFFF⟧; bkpt;;",
        "set lr0 ⟦+0b1000_0000_0000_0000⟧; bkpt;;",
        "incr lr0\n⟦0XFF_80⟧ # -128\n; bkpt;;",
    ),
    check_bundle=check,
    fixes=(Applicability.DISPLAY,),
)
