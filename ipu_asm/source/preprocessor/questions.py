"""Construction of the condition of an `#if` line: its known names are replaced."""

from __future__ import annotations

from typing import Callable, Mapping

from ipu_asm.source.preprocessor.conditions import Condition, operator_words
from ipu_asm.source.preprocessor.lines import Line
from ipu_asm.source.preprocessor.substitution import Substitution
from ipu_asm.source.preprocessor.tokens import Kind, Token, solid, words_of

_HAS_INCLUDE = ("__has_include", "__has_include_next")
_IsUnknown = Callable[[str], bool]
_HasInclude = Callable[[str, bool], bool]


def condition_of(
    line: Line,
    table: Mapping[str, object],
    is_unknown: _IsUnknown,
    choices: Mapping[str, tuple[int, ...]],
    substitution: Substitution,
    has_include: _HasInclude,
) -> Condition:
    """Return the condition of an `#if`, `#ifdef`, `#ifndef` or `#elif` line."""
    tokens = words_of(line)
    if line.directive.endswith("def"):
        word = _defined(solid(tokens)[0].text, table, is_unknown) if solid(tokens) else "0"
        return Condition(("!", word) if line.directive.endswith("ndef") else (word,))
    asked = _answered(tokens, table, is_unknown, has_include)
    hidden = frozenset(choices)
    expanded = substitution.expand([each._replace(hidden=hidden) for each in asked])
    texts = ["" if each.kind is Kind.BLANK else each.text for each in expanded]
    words = tuple(operator_words(texts))
    names = [each.text for each in expanded if each.kind is Kind.NAME]
    return Condition(
        words,
        frozenset(name for name in names if name not in choices and is_unknown(name)),
        {name: choices[name] for name in names if name in choices},
    )


def _defined(name: str, table: Mapping[str, object], is_unknown: _IsUnknown) -> str:
    if name in table:
        return "1"
    return f"defined({name})" if is_unknown(name) else "0"


def _answered(
    tokens: list[Token],
    table: Mapping[str, object],
    is_unknown: _IsUnknown,
    has_include: _HasInclude,
) -> list[Token]:
    """Replace each `defined` and `__has_include` by its value, or by one token if unknown."""
    result: list[Token] = []
    waiting = [*reversed(tokens)]
    while waiting:
        token = waiting.pop()
        if token.text == "defined":
            names = [each for each in _operand(waiting) if each.kind is Kind.NAME]
            text = _defined(names[0].text, table, is_unknown) if names else "0"
            token = token._replace(kind=Kind.NUMBER, text=text)
        elif token.text in _HAS_INCLUDE:
            name = "".join(each.text for each in _operand(waiting))
            is_found = has_include(name[1:-1], name.startswith("<"))
            text = "1" if is_found else f"__has_include({name})"
            token = token._replace(kind=Kind.NUMBER, text=text)
        result.append(token)
    return result


def _operand(waiting: list[Token]) -> list[Token]:
    """Take the operand of `defined` or `__has_include`, without its parentheses."""
    while waiting and waiting[-1].kind is Kind.BLANK:
        waiting.pop()
    if not waiting:
        return []
    token = waiting.pop()
    if token.text != "(":
        return [token]
    taken: list[Token] = []
    while waiting and (token := waiting.pop()).text != ")":
        if token.kind is not Kind.BLANK:
            taken.append(token)
    return taken
