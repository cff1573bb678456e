"""Findings about directives: unknown names, and arguments of a wrong number, kind or width.

Arguments that a macro may expand to something else are not checked.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import Iterator, Sequence

from ipu_asm.diagnostics import (
    IMMEDIATE_OUT_OF_RANGE,
    SYNTAX_ERROR,
    TOO_FEW_OPERANDS,
    TOO_MANY_OPERANDS,
    UNKNOWN_DIRECTIVE,
    UNKNOWN_KEYWORD,
    WRONG_OPERAND_TYPE,
    Applicability,
    Diagnostic,
    Fix,
    UnplacedFinding,
)
from ipu_asm.diagnostics.suggestions import Vocabulary
from ipu_asm.isa.gnu_expressions import Symbols, evaluate, read_expression
from ipu_asm.isa.model import Isa
from ipu_asm.isa.operands import quoted
from ipu_asm.isa.surface import (
    ALIGN,
    ARGUMENTS,
    FILL,
    FLOATS,
    INTEGERS,
    NAMES,
    NO_ARGUMENTS,
    OTHERS,
    POWER,
    SECTION,
    SPACE,
    STRINGS,
    TYPE,
    Arguments,
    Surface,
)
from ipu_asm.named_tuple import NamedTuple
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
_SYMBOL_NAME = re.compile(r"[A-Za-z_.][\w.$]*")
_MARK, _MACRO_PART, _QUOTE = ".", "\\", '"'
_TYPOGRAPHIC_QUOTES = tuple("“”„‟‘’‚«»")
_NAME = re.compile(r"[A-Za-z_.$@][\w.$@]*|\"[^\"]*\"")
_PLAIN = re.compile(r"[A-Za-z_.$][\w.$]*")
# What begins with a digit and is no number, with the suffixes of C and of halves, and no `1f`.
_MALFORMED = re.compile(
    r"(?<![\w.$'\\])(?!(?:0[xX][\da-fA-F]+|0[bB][01]+|0[0-7]*|[1-9]\d*)[uUlL]*(?![\w.$])"
    r"|\d+[bfh](?![\w.$])|\d+[.eE])\d\w*(?![\w.$])"
)
_FLOAT_OF_GAS = re.compile(r"[-+]?0[A-Za-z][-+.0-9]")
_TYPES = (
    "function", "func", "object", "tls_object", "tls", "common", "notype", "gnu_indirect_function",
    "gnu_ifunc", "gnu_unique_object",
)  # fmt: skip
_SECTION_TYPES = (
    "progbits", "nobits", "note", "init_array", "fini_array", "preinit_array", "unwind",
)  # fmt: skip
STRING_ESCAPE = re.compile(
    r"\\(?:(?P<known>(?P<octal>[0-7]{1,3})|[xX][0-9a-fA-F]+|[bfnrt\"\\])|.)", re.DOTALL
)
"""A backslash in a string, and what is escaped by it, as the assembler of LLVM reads it."""
_ESCAPES = r"those are `\b`, `\f`, `\n`, `\r`, `\t`, `\\`, `\"`, `\0` to `\377`, `\x41`"
_MAX_BYTE = 255
_MAX_SIZE = (1 << 32) - 1
_MAX_POWER = 31
_MAX_HALF = "65504"
_HALF_BITS = 16


class Argument(NamedTuple):
    """The text of an argument without blanks at its ends, and its span in the bundle."""

    text: str
    span: Span


def directive_findings(syntax: BundleSyntax, isa: Isa) -> list[Diagnostic]:
    """Return the findings about the directives of a slice."""
    surface = isa.surface
    if not surface.directives or (syntax.plan.directive < 0 and not syntax.plan.inner_directives):
        return []
    first_tokens = [first for first, _ in syntax.plan.inner_directives]
    if syntax.plan.directive >= 0:
        first_tokens.append(syntax.plan.directive)
    found = [_unknown(syntax, surface, token) for token in first_tokens]
    found.append(_unclosed_string(syntax))
    return [*filter(None, found), *argument_findings(isa, syntax, {})]


def _unclosed_string(syntax: BundleSyntax) -> Diagnostic | None:
    """The finding about a typographic quote in a directive, or one that no other quote closes."""
    first = syntax.plan.directive
    if first < 0 or (_QUOTE not in syntax.text and syntax.text.isascii()):
        return None
    if any(_MACRO_PART in word for word in syntax.words[first:]):
        return None
    for token in syntax.tokens[first:]:
        if token.kind == "STRAY" and token.text == _QUOTE:
            message = f"a string must be closed by `{_QUOTE}` in its line, found the end of it"
            return Diagnostic(SYNTAX_ERROR, message, token.span)
        if token.kind == "STRAY" and token.text.startswith(_TYPOGRAPHIC_QUOTES):
            message = f"a string is in straight quotes, `{_QUOTE}`, found `{token.text[0]}`"
            start = token.span.start
            return Diagnostic(SYNTAX_ERROR, message, Span(start, start + 1))
    return None


def _unknown(syntax: BundleSyntax, surface: Surface, token: int) -> Diagnostic | None:
    word = syntax.words[token]
    # An assignment, or a name that the preprocessor completes.
    is_name = syntax.words[token + 1 : token + 2] in (("=",), ("(",))
    if word[0] != _MARK or _MACRO_PART in word or is_name:
        return None
    folded = word.lower()
    if folded in surface.directives or folded in OTHERS:
        return None
    names = tuple(surface.directives)
    nearest = _vocabulary(names).intended(word) or _vocabulary((*names, *OTHERS)).intended(word)
    return UnplacedFinding(
        UNKNOWN_DIRECTIVE, f"unknown directive {quoted(word)}", nearest, dropped_if_defined=(word,)
    ).at(syntax.span_of(token, token + 1))


@lru_cache(maxsize=8)
def _vocabulary(names: tuple[str, ...]) -> Vocabulary:
    return Vocabulary(names)


def argument_findings(isa: Isa, syntax: BundleSyntax, symbols: Symbols) -> Iterator[Diagnostic]:
    """Yield the findings about the arguments of a directive, with the known values of symbols."""
    if syntax.directive is None:
        return
    taken = _arguments_of(isa.surface, syntax.directive.lower())
    if taken is None:
        return
    arguments = directive_arguments(syntax)
    if arguments is None:
        return
    word = syntax.words[syntax.plan.directive]
    if taken is NO_ARGUMENTS:
        yield from _surplus(word, 0, arguments)
        return
    checks = _Checks(word, taken, isa, symbols)
    is_untyped = taken.kind == TYPE and [bool(_PLAIN.fullmatch(a.text)) for a in arguments] == [
        True
    ]
    if not arguments or is_untyped:
        found = quoted(arguments[0].text) if arguments else "nothing"
        span = syntax.span_of(syntax.plan.directive, syntax.plan.directive + 1)
        yield Diagnostic(
            TOO_FEW_OPERANDS, f"{quoted(word)} takes {checks.described}, found {found}", span
        )
    elif taken.most is not None:
        yield from _surplus(word, taken.most, arguments)
    is_missing = False
    for number, argument in enumerate(arguments[: taken.most]):
        finding = checks.problem(number, argument.text)
        # Of arguments that are missing, the first is told: often a call leaves out all of them.
        if finding is not None and not (is_missing and not argument.text):
            yield finding.at(argument.span)
            is_missing = is_missing or not argument.text


def _arguments_of(surface: Surface, word: str) -> Arguments | None:
    is_switch = word in surface.modes or any(
        word in (each.directive, each.ended_by) for each in surface.severity_directives
    )
    return NO_ARGUMENTS if is_switch else ARGUMENTS.get(word)


def _surplus(word: str, most: int, arguments: Sequence[Argument]) -> Iterator[Diagnostic]:
    if len(arguments) <= most:
        return
    surplus, found = arguments[most], str(len(arguments))
    if most:
        count = f"at most {most} argument{'s' if most > 1 else ''}"
    else:
        count, found = "no arguments", quoted(surplus.text or ",")
    message = f"{quoted(word)} takes {count}, found {found}"
    yield Diagnostic(TOO_MANY_OPERANDS, message, surplus.span)


def directive_arguments(syntax: BundleSyntax) -> Sequence[Argument] | None:
    """Return the arguments of a directive; None if macros may expand or divide some of them."""
    first = syntax.plan.directive + 1
    parts: list[list[int]] = [[]]
    starts = [syntax.span_of(first - 1, first).end]
    depth = 0
    for number, token in enumerate(syntax.tokens[first:], first):
        if token.kind == "END":
            break
        if token.kind in ("HASH", "SEPARATOR", "DIRECTIVE", "STRAY") or _MACRO_PART in (
            token.text if token.text[0] not in "\"'" else ""
        ):
            return None
        depth += (token.text in ("(", "[")) - (token.text in (")", "]"))
        if token.kind == "COMMA" and not depth:
            parts.append([])
            starts.append(token.span.end)
        else:
            parts[-1].append(number)
    if parts == [[]]:
        return ()
    found: list[Argument] = []
    for part, start in zip(parts, starts):
        span = syntax.span_of(part[0], part[-1] + 1) if part else Span(start, start)
        found.append(Argument(_joined([syntax.tokens[each].text for each in part]), span))
    return found


def _joined(words: Sequence[str]) -> str:
    """Return words with blanks only where two of them would be one without it."""
    text = ""
    for word in words:
        is_one = text and (text[-1].isalnum() or text[-1] in "_.$\"'") and word[0] not in "+-*/%&|^"
        is_one = is_one and (word[0].isalnum() or word[0] in "_.$\"'")
        text += f" {word}" if is_one else word
    return text


class _Checks:
    """The checks of the arguments of one directive."""

    def __init__(self, word: str, taken: Arguments, isa: Isa, symbols: Symbols) -> None:
        self._word = word.lower()
        self._taken = taken
        self._surface = isa.surface
        self._registers = isa.file_of_register.keys() | isa.surface.register_aliases
        self._symbols = symbols

    @property
    def described(self) -> str:
        """What the directive takes."""
        return {
            INTEGERS: "numbers",
            FLOATS: "numbers",
            STRINGS: "strings in double quotes",
            NAMES: "names of symbols",
            SPACE: "a number of bytes",
            FILL: "a number of repetitions",
            ALIGN: "an alignment",
            POWER: "the number of low bits that are zero",
            SECTION: "the name of a section",
            TYPE: "a symbol and its type",
        }[self._taken.kind]

    def problem(self, number: int, text: str) -> UnplacedFinding | None:
        """Return what is wrong with an argument, given its number."""
        kind = self._taken.kind
        if kind == INTEGERS:
            bits = self._taken.bits
            return self._integer(text, -(1 << (bits - 1)), (1 << bits) - 1)
        if kind == FLOATS:
            return None if _FLOAT_OF_GAS.match(text) else self._number(text, takes_floats=True)
        if kind == STRINGS:
            return self._string(text)
        if kind == NAMES or (kind == TYPE and not number):
            return self._name(text.split(" ")[0] if kind == TYPE else text)
        if kind == TYPE:
            return self._keyword(text, _TYPES, "type of a symbol")
        if kind == SECTION:
            return self._part_of_section(number, text)
        return self._layout(kind, number, text)

    def _string(self, text: str) -> UnplacedFinding | None:
        if text[:1] not in ('"', "<"):
            return self._other("a string in double quotes", text)
        for escape in STRING_ESCAPE.finditer(text):
            if not escape["known"] or int(escape["octal"] or "0", 8) > _MAX_BYTE:
                message = f"{quoted(escape[0])} is no escape of a string; {_ESCAPES}"
                return UnplacedFinding(SYNTAX_ERROR, message)
        return None

    def _layout(self, kind: str, number: int, text: str) -> UnplacedFinding | None:
        if number and not text:
            return None  # the default
        if number == 0:
            if kind == POWER:
                return self._integer(text, 0, _MAX_POWER)
            return self._integer(text, 0, _MAX_SIZE) or self._alignment(kind, text)
        if kind == SPACE:
            return self._integer(text, -128, 255)
        if kind == FILL and number == 1:
            return self._integer(text, 0, 8)
        return self._number(text)

    def _alignment(self, kind: str, text: str) -> UnplacedFinding | None:
        value = self._value(text) or 0
        if kind != ALIGN or value & (value - 1) == 0:
            return None
        message = f"an alignment is a power of 2, found {_shown(text, value)}"
        return UnplacedFinding(IMMEDIATE_OUT_OF_RANGE, message)

    def _value(self, text: str) -> int | None:
        value = read_expression(text).value
        return evaluate(text, self._symbols) if value is None and self._symbols else value

    def _integer(self, text: str, least: int, most: int) -> UnplacedFinding | None:
        problem = self._number(text)
        value = self._value(text)
        if problem is not None or value is None or least <= value <= most:
            return problem
        message = f"expected a number from {least} to {most}, found {_shown(text, value)}"
        return UnplacedFinding(IMMEDIATE_OUT_OF_RANGE, message)

    def _number(self, text: str, takes_floats: bool = False) -> UnplacedFinding | None:
        """Return what is wrong with an argument that should be a number, whatever its size."""
        expected = "a number" if takes_floats else "a whole number"
        if not text or text[0] == '"':
            return self._other(expected, text)
        expression = read_expression(text)
        if expression.is_opaque:
            return None
        suffix = self._surface.half_suffix
        is_half = bool(suffix) and self._taken.bits == _HALF_BITS
        if expression.float_literal and not takes_floats:
            found = f"{quoted(text)}, a float"
            if is_half:
                literal = expression.float_literal.removesuffix("f")
                found += f"; a half constant is written `{literal}{suffix}`"
            return UnplacedFinding(WRONG_OPERAND_TYPE, f"expected {expected}, found {found}")
        if expression.has_infinite_half and suffix:
            message = f"the largest half constant is `{_MAX_HALF}{suffix}`, found {quoted(text)}"
            return UnplacedFinding(IMMEDIATE_OUT_OF_RANGE, message)
        malformed = next(_MALFORMED.finditer(text), None) if not takes_floats else None
        if malformed is not None:
            found = f"{quoted(malformed[0])}, which is no number in any base"
            return UnplacedFinding(WRONG_OPERAND_TYPE, f"expected {expected}, found {found}")
        if expression.problem:
            message = f"expected {expected}, found {quoted(text)}, which {expression.problem}"
            return UnplacedFinding(WRONG_OPERAND_TYPE, message)
        register = next(filter(self._is_register, (expression.register, *expression.names)), None)
        if register is not None:
            message = f"expected {expected}, found {quoted(text)}, a register"
            names = (register,) if register in expression.names else ()
            return UnplacedFinding(WRONG_OPERAND_TYPE, message, dropped_if_defined=names)
        if expression.is_broken and not expression.names and expression.register is None:
            return self._other(expected, text)
        return None

    def _is_register(self, name: str | None) -> bool:
        return name is not None and (name in self._registers or name.lower() in self._registers)

    def _name(self, text: str) -> UnplacedFinding | None:
        if text == "..." or _NAME.fullmatch(text):
            return None
        problem = self._other("the name of a symbol", text)
        if " " in text:
            message = f"{problem.message}; is a comma missing?"
            return problem._replace(message=message, dropped_if_defined=tuple(text.split()))
        return None if "(" in text else problem

    def _keyword(self, text: str, known: Sequence[str], what: str) -> UnplacedFinding | None:
        word = text.strip("@%#\"' ").lower().removeprefix("stt_")
        if not word.isidentifier() or word in known:
            return None
        nearest = _vocabulary(tuple(known)).intended(word)
        replacement = text.replace(word, nearest) if nearest and word in text else None
        names = (word,) if text[0].isalpha() else ()
        message = f"no {what} is called {quoted(word)}"
        return UnplacedFinding(UNKNOWN_KEYWORD, message, replacement, dropped_if_defined=names)

    def _part_of_section(self, number: int, text: str) -> UnplacedFinding | None:
        if number == 0:
            return None if text else self._other("the name of a section", text)
        if number == 1 and text[:1] not in ('"', "@", "%") and text:
            value = read_expression(text)
            if value.names and not value.is_broken:
                problem = self._other("the flags of a section in double quotes", text)
                return problem._replace(dropped_if_defined=value.names)
        if text[:1] in ("@", "%") and not text[1:].startswith("llvm_"):
            return self._keyword(text, _SECTION_TYPES, "type of a section")
        return None

    def _other(self, expected: str, text: str) -> UnplacedFinding:
        found = quoted(text) if text else "nothing"
        names = (text,) if _NAME.fullmatch(text) and text[0] != '"' else ()
        message = f"expected {expected}, found {found}"
        return UnplacedFinding(WRONG_OPERAND_TYPE, message, dropped_if_defined=names)


def _shown(text: str, value: int) -> str:
    return quoted(text) if text == str(value) else f"{quoted(text)}, which is {value}"


def wrong_argument(syntax: BundleSyntax, surface: Surface) -> Diagnostic | None:
    """The finding about the first wrong argument of a directive or assignment of a symbol."""
    first = syntax.plan.directive
    words = syntax.words[first + 1 : first + 3] if first >= 0 else ()
    is_assignment = words[:1] == ("=",) and words[1:] != ("=",)
    if syntax.directive not in surface.symbol_directives and not is_assignment:
        return None
    tokens = [
        token._replace(kind=_PARENTHESES.get(token.text, token.kind))
        for token in syntax.tokens[first:]
        if token.kind != "END"
    ]
    if _is_opaque(tokens[2 if is_assignment else 1 :]):
        return None
    wrong = _wrong(tokens)
    if wrong is None:
        return None
    at, message = wrong
    is_joined = at == 2 and tokens[at].kind != "COMMA" and not is_assignment
    fix = _with_comma(tokens, at) if is_joined else None
    # What an assignment defines is not what would resolve its mistakes.
    own = slice(1, 1) if syntax.directive == ".size" else slice(0 if is_assignment else 1, 2)
    texts = [token.text for token in tokens]
    del texts[own]
    names = tuple(name for text in texts for name in _SYMBOL_NAME.findall(text))
    return Diagnostic(SYNTAX_ERROR, message, tokens[at].span, fix=fix, dropped_if_defined=names)


def _is_opaque(tokens: Sequence[SyntaxToken]) -> bool:
    """Whether a macro may expand some of the tokens."""
    if any(token.kind not in _READ or _OPAQUE.search(token.text) for token in tokens):
        return True
    return any(token.kind == "LPAR" and before.kind == "WORD" for before, token in pairwise(tokens))


def _wrong(tokens: Sequence[SyntaxToken]) -> tuple[int, str] | None:
    """The number of the wrong token and the message about it."""
    word = tokens[0].text
    if tokens[1:] and tokens[1].kind == "EQUALS":
        if len(tokens) == 2:
            return 1, f"`{word} =` takes an expression, found none"
        return _wrong_in_expression(tokens, 2)
    if len(tokens) == 1:
        return 0, f"`{word}` takes a symbol and an expression, found neither"
    if tokens[1].kind not in _VALUES or tokens[1].text[0].isdigit():
        return 1, f"`{word}` takes a symbol first, found `{tokens[1].text}`"
    if len(tokens) == 2:
        return 1, f"`{word}` takes an expression after the symbol, found none"
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
        return len(tokens) - 1, f"expected {missing} after `{tokens[-1].text}`, found none"
    problem = read_expression(_joined([token.text for token in tokens[first:]])).problem
    if problem:
        return first, f"expected an expression with a value, found one which {problem}"
    return None


def _with_comma(tokens: Sequence[SyntaxToken], at: int) -> Fix:
    end = tokens[at - 1].span.end
    edit = TextEdit(Span(end, end), ",")
    return Fix(f"insert `,` before `{tokens[at].text}`", (edit,), Applicability.UNSAFE)
