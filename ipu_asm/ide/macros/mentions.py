"""Where a text speaks of its macros, and whether it surely does.

What the preprocessor knows it replaces wherever it stands as a word of its own, strings and
comments apart. A macro of the assembler is meant where an instruction might stand.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from enum import Enum
from typing import Final, Iterator, NamedTuple

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.ide.macros.names import DEFINE, MACRO, Macro, code_of, macros_called
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
    """Whether a place names a macro: it defines it, surely names it, seems to, or may do so."""

    DEFINES = "defines"
    NAMES = "names"
    SEEMS = "seems"
    MAY = "may"


class Mention(NamedTuple):
    """A place where the name of a macro stands."""

    span: Span
    certainty: Certainty


def macro_at(program: Program, offset: int) -> tuple[list[Macro], Span] | None:
    """The definitions of the macro that is named at an offset, and the name there."""
    number = program.bundle_at(offset)
    start, syntax = program.starts[number], program.bundles[number].syntax
    for span in _words_at(syntax, offset - start):
        found = macros_called(program, syntax.text[span.start : span.end])
        if found:
            certainty = _certainty(program.bundles[number], found[0].is_define, span)
            if certainty not in (None, Certainty.MAY):
                return found, span.shifted(start)
    return None


def mentions(program: Program, name: str, is_define: bool) -> Iterator[Mention]:
    """The places where the name of a macro stands, in the order of the text."""
    edge = r"\w" if is_define else r"\w.$"
    word = re.compile(rf"(?<![{edge}]){re.escape(name)}(?![{edge}])", re.IGNORECASE)
    for match in word.finditer(program.text):
        number = program.bundle_at(match.start())
        span = Span(*match.span()).shifted(-program.starts[number])
        certainty = _certainty(program.bundles[number], is_define, span)
        if certainty is not None and match[0] == name:
            yield Mention(Span(*match.span()), certainty)
        elif certainty is not None and not is_define:
            yield Mention(Span(*match.span()), Certainty.MAY)


def _words_at(syntax: BundleSyntax, offset: int) -> Iterator[Span]:
    """The words of the text at an offset: first as the assembler has them, then smaller ones."""
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
    """What a word does that is spelt like a macro; None in comments and in strings."""
    syntax = bundle.syntax
    token = bisect_right(syntax.spans, span.start, key=lambda each: each.start) - 1
    if token < 0 or syntax.spans[token].end < span.end:
        return Certainty.MAY if _is_for_preprocessor(syntax.text, span) else None
    if syntax.words[token][0] == '"':
        return None
    if syntax.words[token][0] == "#" and syntax.tokens[token].kind == "DIRECTIVE":
        within = span.shifted(-syntax.spans[token].start)
        return _in_line(syntax.words[token], is_define, within)
    if is_define:
        is_argument = syntax.text[span.start - 1 : span.start] == "\\"
        return Certainty.MAY if is_argument else Certainty.NAMES
    return _of_assembler(bundle, token) if syntax.spans[token] == span else Certainty.MAY


def _is_for_preprocessor(text: str, span: Span) -> bool:
    """Whether a comment may be a line for the preprocessor, where a set knows no such lines."""
    start = max(text.rfind("\n", 0, span.start), text.rfind("\r", 0, span.start)) + 1
    return _LINE.match(text, start, span.start) is not None


def _in_line(line: str, is_define: bool, span: Span) -> Certainty | None:
    """The same in a line for the preprocessor."""
    code = code_of(line)
    if code[span.start : span.end] != line[span.start : span.end] or _INCLUDED.match(line):
        return None
    if any(text.start() < span.start < text.end() for text in _STRING.finditer(code)):
        return None
    if not is_define:
        around = code[max(span.start - 1, 0) : span.start] + code[span.end : span.end + 1]
        return None if _OF_WORDS.search(around) else Certainty.SEEMS
    before, behind = code[: span.start].rstrip(), code[span.end :].lstrip()
    if before.endswith("##") or behind.startswith("##"):
        return Certainty.MAY
    name = line[span.start : span.end]
    match = DEFINE.match(line)
    if match is not None and match.start(1) == span.start:
        return Certainty.DEFINES
    is_parameter = match is not None and name in _WORD.findall(match[2] or "")
    return Certainty.MAY if is_parameter else Certainty.NAMES


def _of_assembler(bundle: Bundle, token: int) -> Certainty:
    """What a whole token is that is spelt like a macro of the assembler."""
    syntax = bundle.syntax
    first = syntax.plan.directive
    if 0 <= first == token - 1 and syntax.words[first] in (MACRO, _FORGETTING):
        return Certainty.DEFINES if syntax.words[first] == MACRO else Certainty.NAMES
    is_call = any(entry.mnemonic == token for entry in syntax.plan.instructions)
    return Certainty.NAMES if is_call else Certainty.MAY
