"""Assertions in comments: their colours, what is known about them, and completion."""

from __future__ import annotations

import re
from typing import Final, Iterator

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.expressions.parser import WORDS, tokens_of
from ipu_asm.expressions.tree import ExpressionError
from ipu_asm.flow.assertions.checks import check_assertions
from ipu_asm.flow.assertions.comments import (
    AssertionComment,
    AssertionKind,
    assertion_comments,
    comments_of_bundle,
)
from ipu_asm.ide.completion import KEYWORD, REGISTER, CompletionItem
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program
from ipu_asm.reports.markdown import inline_code
from ipu_asm.text import Span

_ACCESSES: Final = ("read", "write")
_TYPED: Final = re.compile(r"[ \t]*([A-Z][A-Z-]*)$")
_WORD: Final = re.compile(r"[A-Za-z_]\w*$")
_END: Final = re.compile(r"[\r\n]|$")


class AssertionHelp(NamedTuple):
    """What an assertion means, and a snippet of what follows its keyword."""

    meaning: str
    snippet: str


HELP: Final = {
    AssertionKind.BEFORE: AssertionHelp(
        "The conditions hold before each execution of the bundle.", "${1:lr0} in ${2:0}..${3:127}"
    ),
    AssertionKind.AFTER: AssertionHelp(
        "The conditions hold after each execution of the bundle, with the new values.",
        "${1:lr0} == ${2:0}",
    ),
    AssertionKind.TRIPS: AssertionHelp(
        "Each entry of the loop has this number of trips.", "${1:128}"
    ),
    AssertionKind.CYCLES: AssertionHelp(
        "At a loop: the cycles of each iteration. Above the first bundle: those of the program.",
        "<= ${1:11}",
    ),
    AssertionKind.REGION: AssertionHelp(
        "All memory that is accessed through the register; the end does not belong to it.",
        "${1:out} = ${2:cr2} + 0..${3:0x1000} ${4|read,write|}",
    ),
    AssertionKind.CONFIGURATION: AssertionHelp(
        "The values with which the host starts the program; each of them is checked.",
        "${1:cr4} = ${2:64} | ${3:128}",
    ),
    AssertionKind.LOG: AssertionHelp(
        "A debugger prints these expressions before the bundle, and goes on.", "${1:lr0}"
    ),
}


def assertion_at(program: Program, offset: int) -> AssertionComment | None:
    for comment in assertion_comments(program):
        if not comment.is_outside and comment.keyword.start <= offset <= comment.span.end:
            return comment
    return None


def assertion_words(isa: Isa, bundle: Bundle) -> Iterator[tuple[Span, str | None]]:
    """Yield the words of the assertions in a slice: a register's name, or None for keywords.

    Numbers and operators are not among them.
    """
    text = bundle.syntax.text
    for comment in comments_of_bundle(isa, bundle):
        yield comment.keyword, None
        yield from _words(isa, comment.kind, comment.span, text)


def words_of_assertion(
    program: Program, comment: AssertionComment
) -> Iterator[tuple[Span, str | None]]:
    """Yield the words of an assertion after its keyword, as `assertion_words` does."""
    yield from _words(program.isa, comment.kind, comment.span, program.text)


def _words(
    isa: Isa, kind: AssertionKind, within: Span, text: str
) -> Iterator[tuple[Span, str | None]]:
    try:
        tokens = tokens_of(text[within.start : within.end])
    except ExpressionError:
        return
    for token in tokens:
        name = token.text.lower()
        span = token.span.shifted(within.start)
        if token.kind == "name" and name in isa.file_of_register:
            yield span, name
        elif token.text in WORDS or (kind is AssertionKind.REGION and name in _ACCESSES):
            yield span, None


def assertion_markdown(program: Program, comment: AssertionComment) -> str:
    """Return the page of an assertion: what it means, and what is known about it."""
    lines = [f"**{inline_code(comment.kind.value)}** · {HELP[comment.kind].meaning}"]
    if comment.kind not in (AssertionKind.LOG, AssertionKind.CONFIGURATION):
        lines += _verdict(program, comment)
    return "\n\n".join(lines)


def _verdict(program: Program, comment: AssertionComment) -> Iterator[str]:
    report = check_assertions(program)
    own = comment.span
    found = [
        finding.message for finding in report.findings if own.start <= finding.span.start < own.end
    ]
    yield from found
    open_ = [_text(program, span) for span in report.undecided if _is_within(span, own)]
    if open_:
        unknown = ", ".join(map(inline_code, sorted(open_)))
        yield f"Not decided while typing: {unknown}. It is checked when the program runs."
    never = [span for span in report.never_run if _is_within(span, own)]
    if never:
        yield "The bundle never runs."
    if not found and not open_ and not never and not program.findings:
        yield "Holds: proven for all executions."


def _text(program: Program, span: Span) -> str:
    return program.text[span.start : span.end]


def _is_within(span: Span, other: Span) -> bool:
    return other.start <= span.start and span.end <= other.end


def assertion_completions(program: Program, offset: int) -> list[CompletionItem]:
    """Return proposals in a comment; none outside of comments.

    They are keywords after a comment mark and a capital letter, and registers in an assertion.
    An instruction set without a control run has none.
    """
    if not program.isa.spaces:
        return []
    comment = assertion_at(program, offset)
    if comment is not None and offset > comment.keyword.end:
        return list(_registers(program, offset))
    mark_end = _comment_start(program, offset)
    if mark_end is None:
        return []
    typed = _TYPED.fullmatch(program.text, mark_end, offset)
    if typed is None or not _END.match(program.text, offset):
        return []
    span = Span(typed.start(1), offset)
    return list(_keywords(span, blank="" if typed.start(1) > mark_end else " "))


def _keywords(span: Span, blank: str) -> Iterator[CompletionItem]:
    for number, (kind, about) in enumerate(HELP.items()):
        word = kind.value
        snippet = f"{blank}{word} {about.snippet}"
        yield CompletionItem(
            word, KEYWORD, about.meaning, blank + word, span, f"{number:02}", word, snippet
        )


def _registers(program: Program, offset: int) -> Iterator[CompletionItem]:
    typed = _WORD.search(program.text, program.text.rfind("\n", 0, offset) + 1, offset)
    span = Span(typed.start() if typed else offset, offset)
    for number, file in enumerate(program.isa.register_files):
        for place, name in enumerate(file.registers):
            sort = f"{number:02}{place:03}"
            yield CompletionItem(name, REGISTER, file.title, name, span, sort, name)


def _comment_start(program: Program, offset: int) -> int | None:
    """Return the offset after the mark of the line comment around an offset."""
    line = program.text.rfind("\n", 0, offset) + 1
    text = program.text[line:offset]
    found = [
        (line + at, line + at + len(mark))
        for mark in program.isa.surface.comments
        if (at := text.find(mark)) >= 0
    ]
    return min(found)[1] if found else None
