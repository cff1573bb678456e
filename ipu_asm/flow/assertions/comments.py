"""Comments that state something about a program which tools can check.

    # ASSERT lr5 in 0..127, lr13 % 128 == 0     before the bundle: it holds before each execution
    # ASSERT-AFTER lr5 == 128                   it holds after each execution of the bundle
    # LOOP 128                                  at a label: the trips of each entry of the loop
    # CYCLES <= 11                              at a label: the cycles of each iteration; above the
                                                first bundle: those of the whole program
    # REGION out = cr2 + 0..0x12000 write       all memory that is accessed through cr2
    # CR cr4 = 64 | 128                         the values with which the host starts the program
    # LOG lr5 sum(acc)                          what a debugger prints before the bundle

A comment on a line of its own is about the bundle that follows, another about the bundle of its
line. A second comment mark on the line ends the assertion.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Iterator

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program, cached_on_program
from ipu_asm.syntax.bundle import comments_in
from ipu_asm.text import Span


class AssertionKind(Enum):
    """The first word of an assertion."""

    BEFORE = "ASSERT"
    AFTER = "ASSERT-AFTER"
    TRIPS = "LOOP"
    CYCLES = "CYCLES"
    REGION = "REGION"
    CONFIGURATION = "CR"
    LOG = "LOG"


KEYWORDS = tuple(kind.value for kind in AssertionKind)
_KEYWORD = re.compile(rf"[ \t]*({'|'.join(sorted(KEYWORDS, key=len, reverse=True))})(?![\w-])")
_ANY_KEYWORD = re.compile("|".join(KEYWORDS))
_COUNT = r"[ \t]+(?:==|=|<=?|>=?)?[ \t]*(?:\d\w*|[a-z]+\d+)(?:[ \t]*[-+*/%][ \t]*\w+)*"
_SETTING = r"[ \t]+\w+[ \t]*="
FORMS = {
    AssertionKind.TRIPS: (_COUNT, True),
    AssertionKind.CYCLES: (_COUNT, True),
    AssertionKind.REGION: (_SETTING, False),
    AssertionKind.CONFIGURATION: (_SETTING, False),
}
"""Prose begins with some of these words as well: what follows must look like an assertion.

A regular expression, and whether it describes all that follows.
"""
_FORMS = {kind: re.compile(f"{form}$" if whole else form) for kind, (form, whole) in FORMS.items()}


class AssertionComment(NamedTuple):
    """An assertion in a program. `text` is what follows its keyword, at `span`.

    `bundle` is the number of the bundle that it is about; None after the last one. `is_head`: it
    stands above the first bundle. `is_outside`: it is in a comment of a template, so that the text
    of the program does not have it; its span is then that of the bundle.
    """

    kind: AssertionKind
    text: str
    span: Span
    keyword: Span
    bundle: int | None
    is_head: bool
    is_outside: bool = False

    def place(self, part: Span) -> Span:
        """Return where a part of its text is in the program."""
        return self.span if self.is_outside else part.shifted(self.span.start)


class BundleComment(NamedTuple):
    """An assertion in a slice. `is_trailing`: it is on the line on which the last bundle ends."""

    kind: AssertionKind
    span: Span
    keyword: Span
    is_trailing: bool
    is_above: bool


@cached_on_program
def assertion_comments(program: Program) -> tuple[AssertionComment, ...]:
    found = [*_assertions(program), *_assertions_of_template(program)]
    return tuple(sorted(found, key=lambda each: each.keyword.start))


def _assertions(program: Program) -> Iterator[AssertionComment]:
    isa, text = program.isa, program.text
    for number in program.where(_has_assertion):
        start = program.starts[number]
        continues_line = number > 0 and text[start - 1] not in "\r\n"
        for kind, span, keyword, is_trailing, is_above in comments_of_bundle(
            isa, program.bundles[number]
        ):
            own = _with_instructions(
                program, number - 1 if is_trailing and continues_line else number
            )
            span, keyword = span.shifted(start), keyword.shifted(start)
            said = text[span.start : span.end]
            yield AssertionComment(kind, said, span, keyword, own, number == 0 and is_above)


def _assertions_of_template(program: Program) -> Iterator[AssertionComment]:
    for offset, said in program.template_comments:
        match = _KEYWORD.match(said)
        if match is None:
            continue
        kind, text = AssertionKind(match[1]), said[match.end() :]
        if not _is_assertion(kind, text):
            continue
        line = program.text.rfind("\n", 0, offset) + 1
        code = program.text[line:offset].rstrip()
        number = program.bundle_at(line + len(code) - 1 if code else offset)
        own = _with_instructions(program, number)
        if own is None:
            continue
        span = program.span(own, program.bundles[own].first_token)
        is_head = own == _with_instructions(program, 0) and offset <= span.start
        yield AssertionComment(kind, text.strip(), span, span, own, is_head, is_outside=True)


def _with_instructions(program: Program, number: int) -> int | None:
    """Return the first bundle from a number on that has an address."""
    address = program.addresses[number]
    return program.number_at(address) if address < program.size else None


def _has_assertion(isa: Isa, bundle: Bundle) -> bool:
    return bool(comments_of_bundle(isa, bundle))


def comments_of_bundle(isa: Isa, bundle: Bundle) -> tuple[BundleComment, ...]:
    """Return the assertions in a slice, with spans that count from its start."""
    # Most bundles have no such word; remembering that of each would take a tenth of their memory.
    if _ANY_KEYWORD.search(bundle.syntax.text) is None:
        return ()
    return _found_comments(isa, bundle)


@cached_on_bundle
def _found_comments(isa: Isa, bundle: Bundle) -> tuple[BundleComment, ...]:
    return tuple(_comments_of(isa, bundle))


def _comments_of(isa: Isa, bundle: Bundle) -> Iterator[BundleComment]:
    syntax = bundle.syntax
    text = syntax.text
    first = bundle.first_token.start if syntax.words else len(text)
    first_line = len(text) if (end := text.find("\n")) < 0 else end
    marks = sorted(isa.surface.comments, key=len, reverse=True)
    for start, end in comments_in(syntax):
        mark = next((mark for mark in marks if text.startswith(mark, start)), "")
        match = _KEYWORD.match(text, start + len(mark), end)
        if not mark or match is None:
            continue
        kind = AssertionKind(match[1])
        span = _content(text, match.end(), end, isa.surface.comments)
        if _is_assertion(kind, text[match.end() : span.end]):
            is_above = end <= first
            yield BundleComment(
                kind, span, Span(*match.span(1)), is_above and start < first_line, is_above
            )


def _content(text: str, start: int, end: int, marks: tuple[str, ...]) -> Span:
    """Return the text after a keyword, without blanks and up to a further comment.

    A mark of two characters, which may be an operator, begins a comment after two blanks only.
    """
    for mark in marks:
        at = text.find(mark if len(mark) == 1 else f"  {mark}", start, end)
        end = at if at >= 0 else end
    said = text[start:end]
    start += len(said) - len(said.lstrip())
    return Span(start, max(start, start + len(said.strip())))


def _is_assertion(kind: AssertionKind, said: str) -> bool:
    form = _FORMS.get(kind)
    return form is None or form.match(said) is not None
