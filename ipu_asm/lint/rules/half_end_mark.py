"""The last bundle of a program ends with a single separator.

## What it does
Reports a separator as the last token of a program whose bundles end with two, as in `bkpt;`.

## Why
The end of the file ends the bundle, so nothing is wrong yet. Instructions that are appended later
become a part of the bundle.

## Example
```
    acc.first;;
    bkpt;
```

## Use instead
```
    acc.first;;
    bkpt;;
```
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.diagnostics import Applicability, Diagnostic, Fix, RuleId, Severity
from ipu_asm.isa.model import Isa
from ipu_asm.lint import Rule
from ipu_asm.text import TextEdit

RULE_ID = RuleId("H111", "half-end-mark", Severity.HINT)


def check(isa: Isa, bundle: Bundle) -> Iterator[Diagnostic]:
    """A finding for a separator after the last instruction."""
    end, separator = isa.surface.bundle_end, isa.surface.separator
    syntax = bundle.syntax
    if end == separator * 2 and syntax.words[-1:] == (separator,) and bundle.instructions:
        message = f"a bundle ends with `{end}`, found `{separator}` at the end of the program"
        edit = TextEdit(syntax.spans[-1], end)
        fix = Fix(f"write `{end}`", (edit,), Applicability.SAFE)
        yield Diagnostic(RULE_ID, message, syntax.spans[-1], fix=fix)


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=("acc; bkpt;;", "acc;;\nbkpt", "acc;; bkpt;;\n# the end;\n"),
    invalid=("bkpt⟦;⟧", "acc;;\nbkpt ⟦;⟧ # the end\n"),
    check_bundle=check,
    fixes=(Applicability.SAFE,),
)
