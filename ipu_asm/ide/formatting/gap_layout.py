"""Conservative formatting for dialects with macros or a preprocessor.

Only blanks are corrected: missing ones are added and redundant ones removed. Nothing moves to
another line, and the author's columns are kept. Directives, macros and code with syntax errors are
left alone.
"""

from __future__ import annotations

from typing import Final, Iterator

from ipu_asm.ide.formatting.bundle_layout import INDENT, is_readable
from ipu_asm.ide.regions import bodies
from ipu_asm.program.program import Program
from ipu_asm.syntax.bundle import BundleSyntax, SyntaxToken

_OPENING: Final = ("COMMA", "SEPARATOR", "COLON", "LBRACE")
_BLANKS: Final = " \t\f"


def correct_blanks(program: Program, number: int) -> str:
    """Return the text of slice `number` with its blanks corrected."""
    bundle = program.bundles[number]
    syntax = bundle.syntax
    if not syntax.words or [token.kind for token in syntax.tokens] == ["END"]:
        return _end_of(syntax)
    is_read_first = (
        syntax.plan.directive >= 0 or syntax.plan.inner_directives or number in bodies(program)
    )
    is_opaque = any(instruction.spec is None for instruction in bundle.instructions)
    if is_read_first or is_opaque or (bundle.instructions and not is_readable(bundle)):
        return syntax.text
    return "".join(_mended(program, number))


def _end_of(syntax: BundleSyntax) -> str:
    """Return a slice that has only comments and blank lines, without trailing blanks."""
    text = syntax.text
    end = syntax.spans[0].start if syntax.spans else len(text)
    return text[:end].rstrip(_BLANKS) + text[end:]


def _mended(program: Program, number: int) -> Iterator[str]:
    syntax = program.bundles[number].syntax
    tokens = syntax.tokens
    yield _ahead(program, number, syntax.text[: tokens[0].span.start])
    operands = _inside_operands(syntax)
    for at, token in enumerate(tokens):
        yield token.text
        following = tokens[at + 1] if at + 1 < len(tokens) else None
        end = following.span.start if following else len(syntax.text)
        gap = syntax.text[token.span.end : end]
        yield gap if at in operands else _gap(token, following, gap)


def _ahead(program: Program, number: int, gap: str) -> str:
    """Return the indentation at the start of a line: code without a label is indented."""
    bundle, start = program.bundles[number], program.starts[number]
    if gap or not bundle.instructions or bundle.label is not None or bundle.syntax.plan.braces:
        return gap
    if start > program.starts[0] and program.text[start - 1] not in "\r\n":
        return " "
    return INDENT if bundle.instructions[0].spec is not None else gap


def _inside_operands(syntax: BundleSyntax) -> set[int]:
    """Return the numbers of the tokens behind which an operand continues."""
    return {
        token
        for entry in syntax.plan.instructions
        for first, last in entry.operands
        for token in range(first, last - 1)
        if syntax.tokens[token].kind != "COMMA"
    }


def _gap(left: SyntaxToken, right: SyntaxToken | None, gap: str) -> str:
    """Return the corrected blanks between two tokens; a gap with a comment is left alone.

    Before a line break, or at the end of the slice, only trailing blanks are removed.
    """
    if right is None or _is_line_break(right):
        return gap.rstrip(_BLANKS)
    if gap.strip(_BLANKS):
        return gap
    if right.kind == "COMMA":
        return ""
    is_parting = left.kind in _OPENING or (left.kind == "END" and not _is_line_break(left))
    if not gap and right.kind != "END" and (is_parting or right.kind == "RBRACE"):
        return "" if right.kind == "SEPARATOR" or _is_line_break(left) else " "
    return gap


def _is_line_break(token: SyntaxToken) -> bool:
    return token.kind == "END" and token.text.strip() == ""
