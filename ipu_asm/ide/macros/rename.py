"""Rename a macro, only if every occurrence of its name is certain."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Iterator

from ipu_asm.ide.macros.names import DEFINE, bodies, macros_in, without_comments
from ipu_asm.ide.macros.occurrences import Certainty, MacroOccurrence, macro_occurrences
from ipu_asm.isa.operands import quoted
from ipu_asm.program.build import read_program
from ipu_asm.program.program import Program
from ipu_asm.text import Span, TextEdit, apply_edits

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis

_NAME: Final = {True: re.compile(r"[A-Za-z_]\w*"), False: re.compile(r"[A-Za-z_][\w.]*")}
_ASKING: Final = re.compile(r"#\s*(?:ifn?def\b|(?:if|elif)\b.*\bdefined\b)", re.DOTALL)
_FORGETTING: Final = re.compile(r"#\s*undef\b|\.purgem\b")
_READING: Final = re.compile(r"^[ \t]*(#[ \t]*(?:include|import)\b|\.include\b)", re.MULTILINE)
_PASTED: Final = re.compile(r"\w+(?:\s*##\s*\w+)+")
_ARGUMENT: Final = re.compile(r"(\\(?:@|\(\)|[A-Za-z_]\w*))")
_BARE: Final = re.compile(r"\\[A-Za-z_]\w*")
_WORD: Final = re.compile(r"\w+")


def why_not_renameable(analysis: Analysis, name: str) -> str | None:
    """Return a sentence that says why the macro cannot be renamed; None if it can."""
    program, called = analysis.program, quoted(name)
    macros = macros_in(program)[name]
    is_define = macros[0].is_define
    if any(macro.is_define != is_define for macro in macros):
        return f"{called} is both a `#define` and a `.macro`: it is uncertain which is meant"
    if program.isa.spec(name) is not None:
        return f"{called} is also an instruction: it is uncertain which of them is meant"
    found = list(macro_occurrences(program, name, is_define))
    for occurrence in _uncertain_occurrences(program, found, is_define):
        return f"it is uncertain whether line {_line(analysis, occurrence.span)} means {called}"
    if all(occurrence.certainty is Certainty.DEFINES for occurrence in found):
        return f"this file does not use {called}: files that include it may"
    return _reason_elsewhere(analysis, name, found, macros[0].bundle)


def why_not_renameable_to(analysis: Analysis, old: str, new: str) -> str | None:
    """Return a sentence that says why the macro cannot be renamed to `new`; None if it can."""
    program, called = analysis.program, quoted(new)
    is_define = macros_in(program)[old][0].is_define
    if not _NAME[is_define].fullmatch(new):
        return f"a macro cannot be called {called}: it is not a valid name"
    if program.isa.spec(new) is not None or program.isa.spec(new.lower()) is not None:
        return f"a macro cannot be called {called}: an instruction has that name"
    if any(new in _WORD.findall(register) for register in program.isa.file_of_register):
        return f"a macro cannot be called {called}: a register has that name"
    for occurrence in macro_occurrences(program, new, True):
        return f"line {_line(analysis, occurrence.span)} already has the word {called}"
    for span in _pasted_names(program, new, is_define):
        return f"line {_line(analysis, span)} composes names, one of which may be {called}"
    after = read_program(program.isa, apply_edits(program.text, edits(analysis, old, new)))
    names = {new if name == old else name for name in macros_in(program)}
    if set(macros_in(after)) != names or len(after.findings) > len(program.findings):
        return f"{called} would change the meaning of the program"
    return None


def edits(analysis: Analysis, old: str, new: str) -> list[TextEdit]:
    """Return the edits that rename a macro to `new`."""
    program = analysis.program
    is_define = macros_in(program)[old][0].is_define
    return [TextEdit(each.span, new) for each in macro_occurrences(program, old, is_define)]


def _reason_elsewhere(
    analysis: Analysis, name: str, found: list[MacroOccurrence], first: int
) -> str | None:
    """Return why other uses of the macro are possible: a condition, another file, or pasting."""
    program, called = analysis.program, quoted(name)
    for occurrence in found:
        if _stands_behind(program, occurrence, _ASKING):
            line = _line(analysis, occurrence.span)
            return f"line {line} tests whether {called} is defined, and another file may define it"
    reading = _READING.search(program.text, program.starts[first])
    if reading is not None:
        line = _line(analysis, Span(*reading.span(1)))
        return f"line {line} includes another file, which may use {called}"
    is_define = macros_in(program)[name][0].is_define
    for span in _pasted_names(program, name, is_define):
        return f"line {_line(analysis, span)} composes names, one of which may be {called}"
    return None


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
        elif _stands_behind(program, occurrence, _FORGETTING):
            is_known = False
        elif not (is_known or _stands_behind(program, occurrence, _ASKING) or at in late):
            yield occurrence


def _stands_behind(
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


def _line(analysis: Analysis, span: Span) -> int:
    return analysis.source.lines.position(span.start).line + 1
