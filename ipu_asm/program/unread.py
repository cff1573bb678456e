"""Texts, and parts of texts, of which nothing but a single finding is to be said."""

from __future__ import annotations

import re
from typing import Callable, Sequence

from ipu_asm.diagnostics import Diagnostic
from ipu_asm.diagnostics.errors import SYNTAX_ERROR
from ipu_asm.text import Span

# What no text has in it.
_NO_TEXT = re.compile("[\x00-\x08\x0e-\x1f\x7f]")
# As many of them may have come into a text by mistake; a NUL never has.
_MOST_IN_A_TEXT = 4
_OPENING, _CLOSING = "/*", "*/"


def no_text(text: str, findings: Sequence[Diagnostic]) -> Diagnostic | None:
    """The only finding about what is no text, such as an image; None for a text.

    `findings` are those about the text, by which it is known: comments may hold anything.
    """
    places = [
        match
        for finding in findings
        if finding.rule is SYNTAX_ERROR and (match := _NO_TEXT.search(text, *finding.span))
    ]
    if len(places) <= _MOST_IN_A_TEXT and not any(match[0] == "\0" for match in places):
        return None
    first = min(places, key=re.Match.start)
    message = f"a source is text, found U+{ord(first[0]):04X}"
    return Diagnostic(SYNTAX_ERROR, message, Span(*first.span()))


def outside_comments(
    text: str, findings: Sequence[Diagnostic], end_of_bundle: Callable[[int], int]
) -> list[Diagnostic]:
    """The findings without those inside block comments that go on behind the end of their bundle.

    Where there are no such comments, one is a finding at its beginning; what is in it is none.
    """
    kept: list[Diagnostic] = []
    behind = 0
    for finding in sorted(findings, key=lambda finding: finding.span):
        start = finding.span.start
        if start < behind:
            continue
        kept.append(finding)
        if finding.rule is SYNTAX_ERROR and text.startswith(_OPENING, start):
            closing = text.find(_CLOSING, start)
            if closing < 0:
                return [*kept, *(each for each in findings if each.span.start > start)]
            if closing >= end_of_bundle(start):
                behind = closing + len(_CLOSING)
    return kept
