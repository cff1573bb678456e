"""Checks of directives that take a symbol and an expression, such as ``.size f, . - f``.

Arguments that a macro may expand to something else are not checked.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Sequence

from ipu_asm.diagnostics import Applicability, Diagnostic, Fix
from ipu_asm.diagnostics.errors import SYNTAX_ERROR
from ipu_asm.isa.gnu_expressions import read_expression
from ipu_asm.isa.surface import Surface
from ipu_asm.syntax.bundle import BundleSyntax, SyntaxToken
from ipu_asm.text import Span, TextEdit

_VALUES = ("WORD", "STRING", "NUMBER")
_SIGNS = ("SIGN", "EQUALS")
_PARENTHESES = {"(": "LPAR", ")": "RPAR"}
_READ = {"COMMA", "COLON", "LPAR", "RPAR", *_VALUES, *_SIGNS}
# Signs that stand between two values only; the others may be the second half of one, as in `<<`.
_BETWEEN = ("*", "/", "%", "^")
# Arguments of macros, pasted names, characters, and what only macro languages have.
_OPAQUE = re.compile(r"[\\#'\[\]?]")
_NAME = re.compile(r"[A-Za-z_.][\w.$]*")


def wrong_argument(syntax: BundleSyntax, surface: Surface) -> Diagnostic | None:
    """The finding about the first wrong argument of the directive of a statement."""
    if syntax.directive not in surface.symbol_directives:
        return None
    tokens = [
        token._replace(kind=_PARENTHESES.get(token.text, token.kind))
        for token in syntax.tokens[syntax.plan.directive :]
        if token.kind != "END"
    ]
    if _is_opaque(tokens[1:]):
        return None
    wrong = _wrong(tokens)
    if wrong is None:
        return None
    at, message = wrong
    fix = _with_comma(tokens, at) if at == 2 and tokens[at].kind != "COMMA" else None
    # What an assignment defines is not what would resolve its mistakes.
    own = slice(1, 1) if syntax.directive == ".size" else slice(1, 2)
    texts = [token.text for token in tokens]
    del texts[own]
    names = tuple(name for text in texts for name in _NAME.findall(text))
    return Diagnostic(SYNTAX_ERROR, message, tokens[at].span, fix=fix, dropped_if_defined=names)


def _is_opaque(tokens: Sequence[SyntaxToken]) -> bool:
    """Whether a macro may expand some of the tokens."""
    if any(token.kind not in _READ or _OPAQUE.search(token.text) for token in tokens):
        return True
    return any(token.kind == "LPAR" and before.kind == "WORD" for before, token in pairwise(tokens))


def _wrong(tokens: Sequence[SyntaxToken]) -> tuple[int, str] | None:
    """The number of the wrong token and the message about it."""
    word = tokens[0].text
    if len(tokens) == 1:
        return 0, f"`{word}` takes a symbol and an expression, found neither"
    if tokens[1].kind not in _VALUES or tokens[1].text[0].isdigit():
        return 1, f"`{word}` takes a symbol first, found `{tokens[1].text}`"
    if len(tokens) == 2:
        return 1, f"`{word}` takes an expression behind the symbol, found none"
    if tokens[2].kind != "COMMA":
        found = tokens[2].text
        return 2, f"the arguments of `{word}` are separated by `,`, found `{found}` without one"
    return _wrong_in_expression(tokens, 3)


def _wrong_in_expression(tokens: Sequence[SyntaxToken], first: int) -> tuple[int, str] | None:
    is_due, depth = True, 0
    for at, (kind, text, _) in enumerate(tokens[first:], first):
        if kind == "LPAR" and is_due:
            depth += 1
        elif kind == "RPAR" and depth and not is_due:
            depth -= 1
        elif kind in (_VALUES if is_due else _SIGNS):
            is_due = not is_due
        elif not is_due:
            return at, f"an expression goes on with an operator, found `{text}`"
        elif kind not in _SIGNS or text in _BETWEEN:
            return at, f"expected a value, found `{text}`"
    for at, token in enumerate(tokens[first:], first):
        if read_expression(token.text).float_literal:
            return at, f"a symbol has a whole number, found the float `{token.text}`"
    if is_due or depth:
        missing = "a value" if is_due else "`)`"
        return len(tokens) - 1, f"expected {missing} behind `{tokens[-1].text}`, found none"
    return None


def _with_comma(tokens: Sequence[SyntaxToken], at: int) -> Fix:
    end = tokens[at - 1].span.end
    edit = TextEdit(Span(end, end), ",")
    return Fix(f"insert `,` before `{tokens[at].text}`", (edit,), Applicability.UNSAFE)
