"""Occurrences of macro names in a text, each with a certainty.

The preprocessor replaces a macro's name wherever it is a word of its own, except in strings and
comments. The assembler expands a macro only where an instruction may be.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from enum import Enum
from typing import Final, Iterator

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.ide.macros.names import DEFINE, MACRO, Macro, macros_called, without_comments
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program
from ipu_asm.syntax.bundle import BundleSyntax
from ipu_asm.text import Span

_FORGETTING: Final = ".purgem"
_INCLUDED: Final = re.compile(r"#\s*(?:include|import)\b")
_LINE: Final = re.compile(r"\s*#\s*(?:define|undef|if|ifn?def|elif)\b")
_STRING: Final = re.compile(r'"(?:[^"\\\r\n]|\\.)*"')
_WORD: Final = re.compile(r"\w+")
_OF_WORDS: Final = re.compile(r"[\w.$]")


class Certainty(Enum):
    """How certain it is that an occurrence of a macro's name means the macro.

    `DEFINES`: the macro's definition. `NAMES`: certainly the macro. `PROBABLE`: probably, in a
    preprocessor line that names a macro of the assembler. `POSSIBLE`: possibly.
    """

    DEFINES = "defines"
    NAMES = "names"
    PROBABLE = "probable"
    POSSIBLE = "possible"


class MacroOccurrence(NamedTuple):
    """An occurrence of a macro's name."""

    span: Span
    certainty: Certainty


def macro_at(program: Program, offset: int) -> tuple[list[Macro], Span] | None:
    """Return the definitions of the macro named at `offset` and the span of the name, or None.

    An occurrence that is only possible (`Certainty.POSSIBLE`) does not count.
    """
    number = program.bundle_at(offset)
    start, syntax = program.starts[number], program.bundles[number].syntax
    for span in _words_at(syntax, offset - start):
        found = macros_called(program, syntax.text[span.start : span.end])
        if found:
            certainty = _certainty(program.bundles[number], found[0].is_define, span)
            if certainty not in (None, Certainty.POSSIBLE):
                return found, span.shifted(start)
    return None


def macro_occurrences(program: Program, name: str, is_define: bool) -> Iterator[MacroOccurrence]:
    """Yield where a macro is defined and used, in source order.

    `is_define` is true for a `#define`, false for a `.macro`, whose names may have more characters.
    """
    edge = r"\w" if is_define else r"\w.$"
    word = re.compile(rf"(?<![{edge}]){re.escape(name)}(?![{edge}])", re.IGNORECASE)
    for match in word.finditer(program.text):
        number = program.bundle_at(match.start())
        span = Span(*match.span()).shifted(-program.starts[number])
        certainty = _certainty(program.bundles[number], is_define, span)
        if certainty is not None and match[0] == name:
            yield MacroOccurrence(Span(*match.span()), certainty)
        elif certainty is not None and not is_define:
            yield MacroOccurrence(Span(*match.span()), Certainty.POSSIBLE)


def _words_at(syntax: BundleSyntax, offset: int) -> Iterator[Span]:
    """Yield the spans of words at an offset: whole tokens first, then the words inside them."""
    tokens = [span for span in syntax.spans if span.touches(offset)]
    yield from (token for token in tokens if token.start < token.end)
    for token in tokens:
        line = syntax.text.rfind("\n", token.start, offset) + 1
        for match in _WORD.finditer(syntax.text, max(token.start, line), token.end):
            if match.start() > offset:
                break
            if match.end() >= offset:
                yield Span(*match.span())


def _certainty(bundle: Bundle, is_define: bool, span: Span) -> Certainty | None:
    """Return the certainty of a word spelled like a macro; None in comments and strings."""
    syntax = bundle.syntax
    token = bisect_right(syntax.spans, span.start, key=lambda each: each.start) - 1
    if token < 0 or syntax.spans[token].end < span.end:
        return Certainty.POSSIBLE if _is_for_preprocessor(syntax.text, span) else None
    if syntax.words[token][0] == '"':
        return None
    if syntax.words[token][0] == "#" and syntax.tokens[token].kind == "DIRECTIVE":
        within = span.shifted(-syntax.spans[token].start)
        return _in_line(syntax.words[token], is_define, within)
    if is_define:
        is_argument = syntax.text[span.start - 1 : span.start] == "\\"
        return Certainty.POSSIBLE if is_argument else Certainty.NAMES
    return _of_assembler(bundle, token) if syntax.spans[token] == span else Certainty.POSSIBLE


def _is_for_preprocessor(text: str, span: Span) -> bool:
    """Check whether a span in a comment is in a preprocessor line.

    This concerns instruction sets in which `#` begins a comment.
    """
    start = max(text.rfind("\n", 0, span.start), text.rfind("\r", 0, span.start)) + 1
    return _LINE.match(text, start, span.start) is not None


def _in_line(line: str, is_define: bool, span: Span) -> Certainty | None:
    """Return the certainty of a word in a preprocessor line."""
    code = without_comments(line)
    if code[span.start : span.end] != line[span.start : span.end] or _INCLUDED.match(line):
        return None
    if any(text.start() < span.start < text.end() for text in _STRING.finditer(code)):
        return None
    if not is_define:
        around = code[max(span.start - 1, 0) : span.start] + code[span.end : span.end + 1]
        return None if _OF_WORDS.search(around) else Certainty.PROBABLE
    before, behind = code[: span.start].rstrip(), code[span.end :].lstrip()
    if before.endswith("##") or behind.startswith("##"):
        return Certainty.POSSIBLE
    name = line[span.start : span.end]
    match = DEFINE.match(line)
    if match is not None and match.start(1) == span.start:
        return Certainty.DEFINES
    is_parameter = match is not None and name in _WORD.findall(match[2] or "")
    return Certainty.POSSIBLE if is_parameter else Certainty.NAMES


def _of_assembler(bundle: Bundle, token: int) -> Certainty:
    """Return the certainty of a whole token spelled like a macro of the assembler."""
    syntax = bundle.syntax
    first = syntax.plan.directive
    if 0 <= first == token - 1 and syntax.words[first] in (MACRO, _FORGETTING):
        return Certainty.DEFINES if syntax.words[first] == MACRO else Certainty.NAMES
    is_call = any(entry.mnemonic == token for entry in syntax.plan.instructions)
    return Certainty.NAMES if is_call else Certainty.POSSIBLE
