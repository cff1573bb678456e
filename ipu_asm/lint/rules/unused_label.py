"""A label in straight-line code that nothing refers to.

## What it does
Reports a label that no branch of the file names and that control reaches only from the bundle
before. The fix removes it. A label of the first bundle, of a bundle that halts or of a bundle after
a branch is not reported: it divides the text into parts, as `end:` before the last `bkpt` does.
Nothing is reported if the file has a branch to an address in a register, because its target may be
any label. A label that the file does not have may be a misspelling of the one that is suggested for
it, or, if its name is too short for that, of one with the same initial; these are not reported.

## Why
The label may be left over from a loop that was changed, or the branch that should name it names a
different label.

## Example
```
    set lr0 0;;
again:
    incr lr0 1;;
    bkpt;;
```

## Use instead
```
    set lr0 0; set lr1 9;;
again:
    incr lr0 1;
    bne lr0 lr1 again;;
end:
    bkpt;;
```
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.diagnostics import UNDEFINED_LABEL, Applicability, Diagnostic, Fix, RuleId, Severity
from ipu_asm.diagnostics.suggestions import SHORTEST
from ipu_asm.isa.model import Isa
from ipu_asm.isa.operands import number_value, quoted
from ipu_asm.lint import Rule
from ipu_asm.program.program import Program
from ipu_asm.text import Span, TextEdit

RULE_ID = RuleId("H104", "unused-label", Severity.HINT)


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for each label without a reference or another use.

    None in sets without branches and in linked sets.
    """
    if not program.isa.branches or program.isa.surface.linked:
        return
    used = {reference.text for reference in program.references}
    if all(label in used for label in program.labels) or program.where(_leads_anywhere):
        return
    used |= _meant(program)
    for label, number in program.labels.items():
        if label in used or _is_refused(program, label) or _divides(program, number):
            continue
        span = program.label_span(label)
        message = f"label {quoted(label)} is never branched to"
        title = f"remove label {quoted(label)}"
        fix = Fix(title, _removal(program, number, span), Applicability.UNSAFE)
        yield Diagnostic(RULE_ID, message, span, fix=fix, tags=("unnecessary",))


def _leads_anywhere(_isa: Isa, bundle: Bundle) -> bool:
    return bundle.flow == "indirect"


def _divides(program: Program, number: int) -> bool:
    """Whether a part of the program begins or ends at a bundle, according to the control flow."""
    if program.bundles[number].flow == "halt":
        return True
    before = number - 1
    while before >= 0 and not program.bundles[before].size:
        before -= 1
    return before < 0 or program.bundles[before].flow is not None


def _meant(program: Program) -> set[str]:
    """The words that may become the operand of a branch once an error is corrected."""
    words = set[str]()
    for finding in program.findings:
        if finding.rule is UNDEFINED_LABEL and finding.fix:
            words.add(finding.fix.edits[0].new_text)
        elif finding.rule is UNDEFINED_LABEL:
            name = program.text[finding.span.start : finding.span.end]
            if len(name) < SHORTEST:
                words.update(label for label in program.labels if label[0] == name[:1])
    for _, bundle in program.notable:
        if bundle.findings and bundle.has_uncertain_effect:
            label = bundle.syntax.plan.label
            words.update(word for n, word in enumerate(bundle.syntax.words) if n != label)
    return words


def _is_refused(program: Program, label: str) -> bool:
    """Whether an error is reported for the label, or for the bundle around it."""
    is_distance = label[0] == "+" and number_value(label) is not None
    return is_distance or bool(program.bundles[program.labels[label]].syntax.plan.findings)


def _removal(program: Program, number: int, label: Span) -> tuple[TextEdit, ...]:
    """Remove the label, its colon and the blanks after it, or its line if nothing else is on it."""
    text, syntax = program.text, program.bundles[number].syntax
    colon = program.span(number, syntax.spans[syntax.plan.label + 1])
    start, end = label.start, colon.end
    if text[start + len(syntax.label or "") : colon.start].strip():
        return (TextEdit(label, ""), TextEdit(colon, ""))  # a comment between them stays
    line = start
    while line and text[line - 1] in " \t":
        line -= 1
    while text[end : end + 1] in (" ", "\t"):
        end += 1
    alone = line == 0 or text[line - 1] == "\n"
    for line_break in ("\r\n", "\n") if alone else ():
        if text.startswith(line_break, end):
            return (TextEdit(Span(line, end + len(line_break)), ""),)
    return (TextEdit(Span(start, end), ""),)


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        "again: incr lr0 1; bne lr0 lr1 again;;\nbkpt;;",
        "5: b 5;;",
        "-1: acc;; b -1;;",
        # The branch is incomplete.
        "again: incr lr0 1; bne lr0 again;;\nbkpt;;",
        "again: incr lr0 1; bne lr0 lr1 +1; b again;;\nbkpt;;",
        # Likewise: `agian` is a misspelling of it.
        "again: incr lr0 1; bne lr0 lr1 agian;;\nbkpt;;",
        # Too short for a suggestion, but a misspelling of it all the same.
        "acc;; foo: incr lr0 1; bne lr0 lr1 fo;;\nbkpt;;",
        # An error already: `+1` is always a distance.
        "+1: acc; b +1;; bkpt;;",
        # Likewise: it names no bundle, or is inside one.
        "acc; bkpt;; end:",
        "acc; again: incr lr0 1; bkpt;;",
        # Parts of the program: its beginning, what follows a loop, its end.
        "start: acc;;\nloop: acc; bne lr0 lr1 loop;;\nstore:\n    acc;;\nend:\n    aaq; bkpt;;",
        # A table of targets.
        "set lr0 2;; br lr0;; acc;;\none: acc;;\ntwo: acc;; bkpt;;",
    ),
    invalid=(
        "acc;; ⟦again⟧: incr lr0 1;;\nbkpt;;",
        "b end;; acc;; ⟦End⟧ : acc;; end: bkpt;;",
        "acc;;    ⟦one⟧:\r\n    acc;;\n⟦two⟧: # the last but one\nacc;; bkpt;;",
        "acc;;\n⟦one⟧ # the first\n: acc;; bkpt;;",
        "acc;; ⟦acc⟧: acc;; bkpt;;",
    ),
    check_program=check,
    fixes=(Applicability.UNSAFE,),
)
