"""Findings about directives that are unpaired or unsupported, or that stop the assembler."""

from __future__ import annotations

from typing import Mapping

from ipu_asm.diagnostics import RelatedInformation
from ipu_asm.diagnostics.errors import ERROR_DIRECTIVE, SYNTAX_ERROR, UNSUPPORTED_DIRECTIVE
from ipu_asm.isa.operands import quoted
from ipu_asm.source.macros.expander import OpenText
from ipu_asm.source.macros.macro import Macro
from ipu_asm.source.macros.statements import Statement
from ipu_asm.text import Span

BODY_ENDS: Mapping[str, str] = {".endm": ".macro", ".endmacro": ".macro", ".endr": ".rept"}
"""The directives that end a body, and one that begins it."""
ERRORS = (".error", ".err")


def report_unclosed(opened: OpenText, statement: Statement, end_word: str) -> None:
    """Report a directive without the one that ends what it begins."""
    if not opened.is_uncertain:
        _report(opened, _unclosed(opened, statement, end_word), statement)


def report_unclosed_blocks(opened: OpenText) -> None:
    """Report the conditional blocks that are open at the end of a file or of a body."""
    for statement in opened.conditionals.openings if not opened.is_left else ():
        _report(opened, _unclosed(opened, statement, ".endif"), statement)


def report_unopened(opened: OpenText, statement: Statement, begin_word: str) -> None:
    """Report a directive that ends or continues what nothing has begun."""
    if not opened.is_uncertain:
        message = f"`{statement.word}` needs an open `{begin_word}` before it, found none"
        _report(opened, message, statement)


def report_nameless(opened: OpenText, statement: Statement) -> None:
    """Report a definition of a macro without a name."""
    found = quoted(statement.rest) if statement.rest else "none"
    _report(opened, f"`{statement.word}` needs a name, found {found}", statement)


def report_repeated(opened: OpenText, name: Span, first: Macro) -> None:
    """Report a second definition of a macro."""
    written, (path, span) = quoted(first.name), (first.place.path, first.place.span)
    related = RelatedInformation(span, f"{written} is defined here first", path or None)
    message = f"a macro is defined once, found a second {written}; `.purgem` forgets the first one"
    opened.expander.report(SYNTAX_ERROR, message, opened.source, name, related)


def report_error(opened: OpenText, statement: Statement) -> None:
    """Report a directive that stops the assembler, unless it may be out of reach."""
    if not opened.is_uncertain and not opened.expander.is_partial:
        said = f": {quoted(statement.rest)}" if statement.rest else ""
        message = f"`{statement.word}` is reached{said}; check the conditions around it"
        opened.expander.report(ERROR_DIRECTIVE, message, opened.source, _word(statement))


def use_alternate_syntax(opened: OpenText, statement: Statement, begins: bool) -> None:
    """Leave calls unexpanded from `.altmacro` on, and report it."""
    opened.expander.is_alternate = begins
    if begins:
        message = (
            "`.altmacro` is not supported: calls of macros after it are not expanded or checked"
        )
        opened.expander.report(UNSUPPORTED_DIRECTIVE, message, opened.source, _word(statement))


def _unclosed(opened: OpenText, statement: Statement, end_word: str) -> str:
    found = "none in this body" if opened.depth else "the end of the file"
    return f"`{statement.word}` must be closed by `{end_word}`, found {found}"


def _report(opened: OpenText, message: str, statement: Statement) -> None:
    # A preprocessor that is still to come may leave out one of several openings or ends.
    if not opened.conditionals.has_preprocessor_lines:
        opened.expander.report(SYNTAX_ERROR, message, opened.source, _word(statement))


def _word(statement: Statement) -> Span:
    return Span(statement.word_start, statement.word_start + len(statement.word))
