"""A comment that hides the end of a bundle, or code that a template joins to it.

## What it does
Reports a `;;` at the end of a comment that follows an instruction, if the bundle continues on the
next line; and a `;;` after a number that is written `#5`, because `#` begins a comment. The fix
ends the bundle before the comment, or removes the `#`. A `;;` is not reported in a comment after
the end of its bundle, in a comment alone on its line, or in commented-out code.

Reports code that becomes part of a comment because a tag of a template, such as `{#- note -#}` or
`{%- endif %}`, removes the line break between them. Write that tag without `-`.

## Why
A comment extends to the end of its line, so a `;;` in it is not read. The next bundle becomes part
of this one: its instructions execute a cycle earlier, or do not fit.

## Example
```
    set lr5 1;      # from one on ;;
    add lr6 lr5 cr0;;
    bkpt;;
```

## Use instead
```
    set lr5 1;;     # from one on
    add lr6 lr5 cr0;;
    bkpt;;
```
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Iterator

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.bundle.parser import parser_for
from ipu_asm.diagnostics import Applicability, Diagnostic, Fix, RelatedInformation, RuleId, Severity
from ipu_asm.isa.model import Isa
from ipu_asm.lint import Rule
from ipu_asm.source.expansion import Expansion
from ipu_asm.source.source_map import MAIN, SourceRange
from ipu_asm.text import Span, TextEdit

RULE_ID = RuleId("W104", "mark-in-comment", Severity.WARNING)
_NUMBER = re.compile(r"#[+-]?[0-9]\w*[ \t]*")
_TRIM = re.compile(r"\{[%{#]-|-[%}#]\}")
_BLANKS = re.compile(r"\s*")
_SWALLOWED = (
    "this code is part of the comment before it, for the tag between removes the line break; "
    "write the tag without `-`"
)


def check(isa: Isa, bundle: Bundle) -> Iterator[Diagnostic]:
    """A finding for each comment that most likely contains the end of the bundle."""
    end, text = isa.surface.bundle_end, bundle.syntax.text
    if not end or text.find(end) >= len(text) - len(end):
        return
    told = {each.span.start for each in bundle.findings}
    for number, comment in _comments_between(isa, bundle):
        if comment.start in told:
            continue  # a number, and an error as it is one
        as_number = _NUMBER.match(text, comment.start)
        if as_number and text.startswith(end, as_number.end()):
            yield _finding(end, as_number.end(), _without_mark(comment))
        elif text[: comment.end].rstrip().endswith(end) and not _is_code(isa, text, comment):
            mark = text.rindex(end, comment.start, comment.end)
            yield _finding(end, mark, _end_before(isa, bundle, number))


def _comments_between(isa: Isa, bundle: Bundle) -> Iterator[tuple[int, Span]]:
    """The comments after instructions, except before the bundle's end and inside instructions.

    Each comes with the number of the token before it.
    """
    syntax, plan = bundle.syntax, bundle.syntax.plan
    first = plan.instructions[0].mnemonic if plan.instructions else len(syntax.spans)
    for number in range(first, len(syntax.spans) - 1):
        gap = Span(syntax.spans[number].end, syntax.spans[number + 1].start)
        comment = syntax.grammar.comment.search(syntax.text, *gap)
        if comment is None or "\n" in syntax.text[gap.start : comment.start()]:
            continue
        if syntax.words[number + 1] != isa.surface.bundle_end and not _goes_on(bundle, number):
            yield number, Span(*comment.span())


def _goes_on(bundle: Bundle, number: int) -> bool:
    """Whether the next token belongs to the same instruction, and that instruction is valid."""
    return any(
        plan.mnemonic <= number < plan.end - 1 and not instruction.findings
        for plan, instruction in zip(bundle.syntax.plan.instructions, bundle.instructions)
    )


def _is_code(isa: Isa, text: str, comment: Span) -> bool:
    """Whether a comment is a commented-out bundle, or the rest of one."""
    content = text[comment.start : comment.end]
    mark = next(mark for mark in isa.surface.comments if content.startswith(mark))
    left_out = parser_for(isa).bundle(content[len(mark) :])
    return bool(left_out.instructions) and not left_out.findings


def _finding(end: str, mark: int, fix: Fix) -> Diagnostic:
    message = f"`{end}` in a comment does not end the bundle"
    if fix.edits[0].new_text == "":
        message += "; numbers are written without `#`"
    return Diagnostic(RULE_ID, message, Span(mark, mark + len(end)), fix=fix)


def _without_mark(comment: Span) -> Fix:
    edit = TextEdit(Span(comment.start, comment.start + 1), "")
    return Fix("remove `#`", (edit,), Applicability.UNSAFE)


def _end_before(isa: Isa, bundle: Bundle, number: int) -> Fix:
    """End the bundle at the separator before the comment, or after the last token."""
    span = bundle.syntax.spans[number]
    if bundle.syntax.words[number] != isa.surface.separator:
        span = Span(span.end, span.end)
    edit = TextEdit(span, isa.surface.bundle_end)
    return Fix("end the bundle before the comment", (edit,), Applicability.UNSAFE)


def swallowed_code(isa: Isa, text: str, expansion: Expansion) -> Iterator[Diagnostic]:
    """A finding for each piece of code that a tag of a template, `text`, joins to a comment."""
    if _TRIM.search(text) is None or expansion.is_partial:
        return
    made, comments, begin = expansion.text, parser_for(isa).grammar.comment, 0
    joins = [*sorted(_joins(text, expansion).items()), (len(made), Span(0, 0))]
    for (start, tag), (following, _) in pairwise(joins):
        line_end = made.find("\n", start)
        line_end = line_end if line_end >= 0 else len(made)
        begin = max(begin, made.rfind("\n", begin, start) + 1)
        comment = comments.search(made, begin, line_end)
        if comment is None or comment.start() >= start:
            continue
        begin = comment.start()
        more = comments.search(made, start, min(following, line_end))
        code = made[start : more.start() if more else min(following, line_end)]
        start += len(code) - len(code.lstrip())
        place = expansion.source_map.written(Span(start, start + len(code.strip())))
        if place is not None and _is_bundle(isa, code.strip()):
            related = [RelatedInformation(tag, "the line break is removed here")]
            said = expansion.source_map.written(Span(begin, begin + 1))
            if said is not None:
                related.append(RelatedInformation(said.span, "the comment begins here"))
            yield Diagnostic(RULE_ID, _SWALLOWED, place.span, tuple(related))


def _joins(text: str, expansion: Expansion) -> dict[int, Span]:
    """Return the tags that remove line breaks, by the offsets of these in an expansion."""
    from ipu_asm.source.templates import tags_of  # for templates alone

    found: dict[int, Span] = {}
    for _, (start, end), _, _ in tags_of(text):
        before = start
        while before and text[before - 1].isspace():
            before -= 1
        after = _BLANKS.match(text, end).end()  # type: ignore[union-attr]
        if before and text.startswith("-", start + 2) and "\n" in text[before:start]:
            last = SourceRange(MAIN, Span(before - 1, before))
            for span in expansion.source_map.expanded_spans(last):
                found.setdefault(span.end, Span(start, end))
        if text.endswith("-", 0, end - 2) and "\n" in text[end:after]:
            first = SourceRange(MAIN, Span(after, after + 1))
            for span in expansion.source_map.expanded_spans(first):
                found.setdefault(span.start, Span(start, end))
    return found


def _is_bundle(isa: Isa, text: str) -> bool:
    """Whether a text is code, not prose: it ends a bundle, or it is one."""
    if isa.surface.bundle_end and text.endswith(isa.surface.bundle_end):
        return True
    bundle = parser_for(isa).bundle(text)
    return bool(bundle.instructions) and not bundle.findings


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        # The bundle has ended, or ends after the comment.
        "acc;; # as always with ;;\nbkpt;;",
        "acc # not yet ;;\n;; bkpt;;",
        "acc; bkpt # the last ;;\n",
        # Prose that mentions the end mark.
        "acc; # the `;;` follows\nbkpt;;",
        "acc; # no ;; here, it follows\nbkpt;;",
        # An instruction continues on the next line.
        "set lr0 # the counter ;;\n    5; bkpt;;",
        # Commented-out code.
        "acc; # aaq;;\n    bkpt;;",
        "acc; // set lr0 5; aaq ;;\n    bkpt;;",
        "acc;\n    # aaq;;\n    bkpt;;",
        "# acc;;\nagain: # acc;;\n  acc; b again;;",
        "acc; # one // acc.max aaq0;; and more\nbkpt;;",
        # An error says that numbers are written without `#`.
        "set lr0 #5;;\nbkpt;;",
        "set lr0 #-0x10 ;; // minus sixteen\nincr lr1 1; bkpt;;",
    ),
    invalid=(
        "acc; acc.first #5⟦;;⟧\nbkpt;;",
        "set lr5 1; # note ⟦;;⟧\nbkpt;;",
        "acc // so far ;;⟦;;⟧ \nbkpt # and on ;; with\n;;",
        "set lr0 5; # set it to five ⟦;;⟧\nbkpt;;",
        "acc; // one #⟦;;⟧\r\n mult_nop # two ⟦;;⟧\r\nbkpt;;",
        "# the kernel\n{#- remark -#}\n    ⟦set lr5 5;;⟧\nbkpt;;",
        "acc;; // one\n{%- set a = 1 -%}\n⟦set lr5 {{ a }}; acc;;⟧ # two\nbkpt;;",
        "# two\n{{- '' }}⟦acc;;⟧\r\nbkpt;;",
    ),
    check_bundle=check,
    fixes=(Applicability.UNSAFE,),
)
