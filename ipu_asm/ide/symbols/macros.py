"""Macros as symbols: occurrences of their names, each with a certainty, pages and renaming.

The preprocessor replaces a macro's name wherever it is a word of its own, except in strings and
comments. The assembler expands a macro only where an instruction may be.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from enum import Enum
from typing import Final, Iterator, Sequence

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.bundle.bundle import Bundle
from ipu_asm.ide.macros import (
    DEFINE,
    MACRO,
    Macro,
    bodies,
    last_bundle_of,
    macros_called,
    macros_in,
    without_comments,
)
from ipu_asm.ide.pages.label import comment_above
from ipu_asm.ide.symbols import (
    Definition,
    NamedSymbol,
    Occurrence,
    OccurrenceKind,
    RenameError,
    line_of,
)
from ipu_asm.ide.symbols.parameters import described_parameter, parameters_of
from ipu_asm.ide.syntax_element import end_of_bundle
from ipu_asm.isa.model import Isa
from ipu_asm.isa.operands import quoted
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.build import read_program
from ipu_asm.program.program import Program
from ipu_asm.reports.markdown import fenced_code, inline_code
from ipu_asm.source.preprocessor.tokens import RESERVED_NAMES
from ipu_asm.syntax.bundle import BundleSyntax
from ipu_asm.text import Span, TextEdit, apply_edits

_MAX_LINES: Final = 12
_INCLUDED: Final = re.compile(r"#\s*(?:include|import)\b")
_LINE: Final = re.compile(r"\s*#\s*(?:define|undef|if|ifn?def|elif)\b")
_STRING: Final = re.compile(r'"(?:[^"\\\r\n]|\\.)*"')
_WORD: Final = re.compile(r"\w+")
_OF_WORDS: Final = re.compile(r"[\w.$]")
_NAME: Final = {True: re.compile(r"[A-Za-z_]\w*"), False: re.compile(r"[A-Za-z_][\w.]*")}
_DEFINEDNESS_TEST: Final = re.compile(r"#\s*(?:ifn?def\b|(?:if|elif)\b.*\bdefined\b)", re.DOTALL)
_REMOVAL: Final = re.compile(r"#\s*undef\b|\.purgem\b")
_INCLUDING: Final = re.compile(r"^[ \t]*(#[ \t]*(?:include|import)\b|\.include\b)", re.MULTILINE)
_PASTED: Final = re.compile(r"\w+(?:\s*##\s*\w+)+")
_ARGUMENT: Final = re.compile(r"(\\(?:@|\(\)|[A-Za-z_]\w*))")
_BARE: Final = re.compile(r"\\[A-Za-z_]\w*")


class MacroName(NamedTuple):
    """The name of a macro; `is_define` is true for ``#define`` and false for ``.macro``."""

    name: str
    is_define: bool

    def definitions(self, analysis: Analysis) -> list[Definition]:
        """Return the definitions: conditionals may give one name several."""
        program = analysis.program
        return [
            Definition(each.span, Span(each.span.start, end_of_bundle(program, each.bundle)))
            for each in macros_called(program, self.name)
        ]

    def occurrences(self, analysis: Analysis) -> list[Occurrence]:
        """Return the occurrences that surely mean the macro."""
        return [
            Occurrence(
                span,
                OccurrenceKind.DEFINES if certainty is Certainty.DEFINES else OccurrenceKind.NAMES,
            )
            for span, certainty in macro_occurrences(analysis.program, *self)
            if certainty is not Certainty.POSSIBLE
        ]

    def description(self, analysis: Analysis) -> str | None:
        """Return the page of the macro, which shows its first definition; None without one."""
        macros = macros_called(analysis.program, self.name)
        return macro_markdown(analysis, macros) if macros else None

    def check_renameable(self, analysis: Analysis, _span: Span) -> None:
        """Raise `RenameError` unless every occurrence of the name is certain."""
        program, called = analysis.program, quoted(self.name)
        macros = macros_in(program)[self.name]
        is_define = macros[0].is_define
        if any(macro.is_define != is_define for macro in macros):
            raise RenameError(
                f"{called} is both a `#define` and a `.macro`: it is uncertain which is meant"
            )
        if program.isa.spec(self.name) is not None:
            raise RenameError(
                f"{called} is also an instruction: it is uncertain which of them is meant"
            )
        found = list(macro_occurrences(program, self.name, is_define))
        for occurrence in _uncertain_occurrences(program, found, is_define):
            line = line_of(analysis, occurrence.span)
            raise RenameError(f"it is uncertain whether line {line} means {called}")
        if all(occurrence.certainty is Certainty.DEFINES for occurrence in found):
            raise RenameError(f"this file does not use {called}: files that include it may")
        _check_elsewhere(analysis, macros[0], found)

    def renaming(self, analysis: Analysis, new_name: str) -> list[TextEdit]:
        """Return the edits that rename the macro and keep the other macros and findings."""
        program, called = analysis.program, quoted(new_name)
        is_define = macros_in(program)[self.name][0].is_define
        check_macro_name(program.isa, new_name, is_define)
        for occurrence in macro_occurrences(program, new_name, True):
            line = line_of(analysis, occurrence.span)
            raise RenameError(f"line {line} already has the word {called}")
        _check_pasted(analysis, new_name, is_define)
        found = macro_occurrences(program, self.name, is_define)
        edits = [TextEdit(each.span, new_name) for each in found]
        after = read_program(program.isa, apply_edits(program.text, edits))
        names = {new_name if name == self.name else name for name in macros_in(program)}
        if set(macros_in(after)) != names or len(after.findings) > len(program.findings):
            raise RenameError(f"{called} would change the meaning of the program")
        return edits


def check_macro_name(isa: Isa, new: str, is_define: bool) -> None:
    """Raise `RenameError` if a macro cannot have a name."""
    refused = f"a macro cannot be called {quoted(new)}"
    if not _NAME[is_define].fullmatch(new):
        raise RenameError(f"{refused}: it is not a valid name")
    if is_define and new in RESERVED_NAMES:
        raise RenameError(f"{refused}: the preprocessor keeps that name for itself")
    if isa.spec(new) is not None or isa.spec(new.lower()) is not None:
        raise RenameError(f"{refused}: an instruction has that name")
    if any(new in _WORD.findall(register) for register in isa.file_of_register):
        raise RenameError(f"{refused}: a register has that name")


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


def macro_at(program: Program, offset: int) -> NamedSymbol | None:
    """Return the macro named at `offset`; None if there is none.

    An occurrence that is only possible (`Certainty.POSSIBLE`) does not count.
    """
    number = program.bundle_at(offset)
    start, syntax = program.starts[number], program.bundles[number].syntax
    for span in _words_at(syntax, offset - start):
        found = macros_called(program, syntax.text[span.start : span.end])
        if found:
            certainty = _certainty(program.bundles[number], found[0].is_define, span)
            if certainty not in (None, Certainty.POSSIBLE):
                return NamedSymbol(
                    MacroName(found[0].name, found[0].is_define), span.shifted(start)
                )
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
    before, after = code[: span.start].rstrip(), code[span.end :].lstrip()
    if before.endswith("##") or after.startswith("##"):
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
    if 0 <= first == token - 1 and syntax.words[first] in (MACRO, ".purgem"):
        return Certainty.DEFINES if syntax.words[first] == MACRO else Certainty.NAMES
    is_call = any(entry.mnemonic == token for entry in syntax.plan.instructions)
    return Certainty.NAMES if is_call else Certainty.POSSIBLE


def macro_markdown(analysis: Analysis, macros: Sequence[Macro]) -> str:
    """Return the page of a macro, given all its definitions; the page shows the first one."""
    macro = macros[0]
    sections = (
        f"**{inline_code(macro.name)}** · macro, {_places(analysis, macros)}",
        comment_above(analysis.program, macro.bundle),
        _code(analysis, macro),
        "\n".join(_about_parameters(analysis, macro)),
    )
    return "\n\n".join(section for section in sections if section)


def _places(analysis: Analysis, macros: Sequence[Macro]) -> str:
    lines = [str(line_of(analysis, macro.span)) for macro in macros]
    return f"line {lines[0]}" if len(lines) == 1 else f"lines {', '.join(lines)}"


def _code(analysis: Analysis, macro: Macro) -> str:
    """Return the definition as a code block; a long one is cut to its first line."""
    program = analysis.program
    start = program.span(macro.bundle, program.bundles[macro.bundle].first_token).start
    end = end_of_bundle(program, last_bundle_of(program, macro))
    lines = program.text[start:end].splitlines()
    if len(lines) > _MAX_LINES:
        more = len(lines) - 1
        lines = [lines[0], f"... {more} more lines"]
    return fenced_code("\n".join(lines), program.isa.surface.language_id)


def _about_parameters(analysis: Analysis, macro: Macro) -> list[str]:
    """Return a list item for each parameter that has a default or is required or variadic."""
    parameters = parameters_of(analysis.program, macro)
    return [
        f"- {inline_code(p.name)}: {described_parameter(p)}"
        for p in parameters
        if described_parameter(p)
    ]


def _check_elsewhere(analysis: Analysis, macro: Macro, found: list[MacroOccurrence]) -> None:
    """Raise `RenameError` if other uses are possible: by a condition, another file, or pasting."""
    program, called = analysis.program, quoted(macro.name)
    for occurrence in found:
        if _is_in_directive(program, occurrence, _DEFINEDNESS_TEST):
            line = line_of(analysis, occurrence.span)
            raise RenameError(
                f"line {line} tests whether {called} is defined, and another file may define it"
            )
    include = _INCLUDING.search(program.text, program.starts[macro.bundle])
    if include is not None:
        line = line_of(analysis, Span(*include.span(1)))
        raise RenameError(f"line {line} includes another file, which may use {called}")
    _check_pasted(analysis, macro.name, macro.is_define)


def _check_pasted(analysis: Analysis, name: str, is_define: bool) -> None:
    """Raise `RenameError` if a line pastes names together, one of which may be `name`."""
    for span in _pasted_names(analysis.program, name, is_define):
        line = line_of(analysis, span)
        raise RenameError(f"line {line} composes names, one of which may be {quoted(name)}")


def _uncertain_occurrences(
    program: Program, found: list[MacroOccurrence], is_define: bool
) -> Iterator[MacroOccurrence]:
    """Yield the occurrences that may mean something else, or come before the macro is defined.

    Names in the body of a ``.macro`` may come before: they are looked up when that macro is called.
    """
    is_known = False
    late = frozenset[int]() if is_define else bodies(program)
    for occurrence in found:
        at = program.bundle_at(occurrence.span.start)
        if occurrence.certainty is Certainty.DEFINES:
            is_known = True
        elif occurrence.certainty is not Certainty.NAMES:
            yield occurrence
        elif _is_in_directive(program, occurrence, _REMOVAL):
            is_known = False
        elif not (
            is_known or _is_in_directive(program, occurrence, _DEFINEDNESS_TEST) or at in late
        ):
            yield occurrence


def _is_in_directive(
    program: Program, occurrence: MacroOccurrence, directive: re.Pattern[str]
) -> bool:
    """Check whether an occurrence is in a bundle with a directive that `directive` matches."""
    bundle = program.bundles[program.bundle_at(occurrence.span.start)]
    return any(directive.match(words[0]) for words in bundle.syntax.directives)


def _pasted_names(program: Program, name: str, is_define: bool) -> Iterator[Span]:
    """Yield the spans of words that paste names together, one of which may be `name`."""
    for number, bundle in enumerate(program.bundles):
        syntax = bundle.syntax
        if "##" not in syntax.text and "\\" not in syntax.text:
            continue
        for word, span in zip(syntax.words, syntax.spans):
            if word[0] == "#":
                patterns = _patterns_of_line(word)
            else:
                patterns = iter(()) if is_define else _patterns_of_word(word)
            if any(re.fullmatch(pattern, name) for pattern in patterns):
                yield program.span(number, span)


def _patterns_of_line(line: str) -> Iterator[str]:
    """Yield patterns for the names that ``##`` makes in a line; a parameter matches any letters."""
    match = DEFINE.match(line)
    parameters = _WORD.findall(match[2] or "") if match else ()
    for pasted in _PASTED.findall(without_comments(line)):
        parts = _WORD.findall(pasted)
        yield "".join(r"\w*" if part in parameters else re.escape(part) for part in parts)


def _patterns_of_word(word: str) -> Iterator[str]:
    """Yield a pattern for the names that the assembler makes of a word; arguments match anything.

    A word that is a single argument is skipped: its text is written at the macro's call.
    """
    if "\\" in word and word[0] != '"' and not _BARE.fullmatch(word):
        parts = _ARGUMENT.split(word)
        yield "".join(r"[\w.$]*" if part[:1] == "\\" else re.escape(part) for part in parts)
