"""Messages about tokens that do not fit, with their fixes."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import pairwise
from typing import Callable, Mapping, NamedTuple, Sequence

from ipu_asm.diagnostics import Applicability, Diagnostic, Fix
from ipu_asm.diagnostics.errors import SYNTAX_ERROR, UNKNOWN_MNEMONIC
from ipu_asm.isa.model import Surface
from ipu_asm.syntax.bundle import BundleSyntax
from ipu_asm.syntax.confusables import intended_text, lookalike
from ipu_asm.syntax.plan import InstructionPlan
from ipu_asm.syntax.shapes import MOST_TOKENS
from ipu_asm.text import Span, TextEdit

_MOST_SHOWN = 20
# The same as `macros.OF_BRACES`: directives inside of a bundle may choose between braces.
_OF_BRACES = "{}"


# If one of these does not fit, others in the bundle mostly do not fit either.
_TOLD_ONCE = {",": ",", "{": "{", "}": "{"}
# Findings about only a part of a token.
_OF_PARTS = ("stray", "label-name")
_DIRECTIVE = re.compile(r"\.[^\W\d][\w.]*")
# Characters that no name and no number contains.
_NO_NAME = re.compile(r"[^A-Za-z0-9_.\s([{\"']+|[(\[{\"'].*", re.DOTALL)


class Around(NamedTuple):
    """What is known of the instruction around a token.

    `is_known`: its mnemonic is valid. `is_whole`: so is the number of its operands.
    """

    is_known: bool
    is_whole: bool


_NOTHING = Around(is_known=True, is_whole=False)


class _Place(NamedTuple):
    """A token that does not fit, in or after an instruction; -1 if there is none before it."""

    syntax: BundleSyntax
    surface: Surface
    word: str
    span: Span
    token: int
    instruction: int
    around: Around


def syntax_errors(
    syntax: BundleSyntax, surface: Surface, instructions: Sequence[Around]
) -> list[Diagnostic]:
    """Return a finding for each mistake that makes tokens not fit, in their order."""
    findings: list[Diagnostic] = []
    told: set[tuple[int, str]] = set()
    for token, reason in syntax.plan.findings:
        number = _instruction_around(syntax, surface, token)
        around = instructions[number] if number >= 0 else _NOTHING
        word = syntax.words[token]
        if reason == "stray":
            is_told = around.is_known or surface.preprocessed
            if not is_told and word.isprintable():
                continue  # after an unknown mnemonic, any syntax is possible
            mark = _TOLD_ONCE.get(word[0])
            key = (number if mark == "," else -1, mark or "")
            if mark and key in told:
                continue
            told.add(key)
        span = syntax.span_of(token, token + 1)
        place = _Place(syntax, surface, word, span, token, number, around)
        findings.append(_finding(place, reason))
    return findings


def _finding(place: _Place, reason: str) -> Diagnostic:
    message, fix = _SENTENCES[reason](place)
    kind = UNKNOWN_MNEMONIC if reason == "label-unmarked" else SYNTAX_ERROR
    span = _culprit(place, reason) if reason in _OF_PARTS else place.span
    unless = (_OF_BRACES,) if reason.startswith("brace-") else ()
    return Diagnostic(kind, message, span, fix=fix, unless=unless)


def _instruction_around(syntax: BundleSyntax, surface: Surface, token: int) -> int:
    """Return the instruction that contains or precedes a token by number; -1 if none."""
    plans = syntax.plan.instructions
    number = bisect_left(plans, token, key=_first_token) - 1
    if number < 0 or surface.separator in syntax.words[plans[number].end : token]:
        return -1
    return number


def _first_token(instruction: InstructionPlan) -> int:
    return instruction.mnemonic


def _culprit(place: _Place, reason: str = "stray") -> Span:
    """Return the span of the wrong part of a token that is a comment, a line or an expression."""
    start, word = place.span.start, place.word
    if not place.syntax.is_grouped:
        return place.span
    if word.startswith(place.surface.separator):
        return Span(start, start + 1)
    directive = _DIRECTIVE.match(word)
    if directive:
        return Span(start, start + (directive.end() if reason == "stray" else 1))
    wrong = _NO_NAME.search(word)
    return Span(*wrong.span()).shifted(start) if wrong else place.span


def _shown(word: str) -> str:
    """Return text in backticks; code points if it is not printable."""
    line = word.partition("\n")[0].rstrip("\r")
    cut = line[:_MOST_SHOWN] + ("..." if len(word) > min(len(line), _MOST_SHOWN) else "")
    if line and cut.isprintable():
        return f"`{cut}`"
    return ", ".join(f"U+{ord(character):04X}" for character in word[:3])


_Sentence = tuple[str, Fix | None]


def _stray(place: _Place) -> _Sentence:
    foreign = _foreign(place)
    if foreign is not None:
        return foreign
    hint = _hint(place)
    what = f"{hint}; found" if hint else "expected names, numbers, labels and comments, found"
    return f"{what} {_shown(place.word)}", _without_commas(place) or _as_line_comment(place)


def _hint(place: _Place) -> str | None:
    """Return the surface's hint for a token, by its wrong part or the first characters of that."""
    hints = place.surface.hints
    if _DIRECTIVE.match(place.word) and "directive" in hints:
        return hints["directive"]
    start, end = _culprit(place).shifted(-place.span.start)
    culprit = place.word[start:end]
    return hints.get(culprit) or hints.get(culprit[:2]) or hints.get(culprit[0])


def _without_commas(place: _Place) -> Fix | None:
    """Return a fix that replaces commas by blanks, if the instruction then has all its operands."""
    is_operator = place.surface.operand_separator.strip() == ","
    if place.word != "," or is_operator or not place.around.is_whole:
        return None
    commas, text = _commas(place), place.syntax.text
    if place.token not in commas:
        return None
    edits, are_style = [], len(commas) == len(_gaps(place))
    for start, end in (place.syntax.spans[comma] for comma in commas):
        is_spaced = text[start - 1].isspace(), text[end : end + 1].isspace()
        # A comma between blanks, or before the next word, may be a slip for a letter.
        are_style = are_style and is_spaced != (True, False)
        edits.append(TextEdit(Span(start, end), "" if any(is_spaced) else " "))
    title = "write a blank instead of the comma" if len(edits) == 1 else "write blanks, no commas"
    return Fix(title, tuple(edits), Applicability.SAFE if are_style else Applicability.UNSAFE)


def _gaps(place: _Place) -> list[tuple[int, int]]:
    """Return the ranges of tokens between the operands of the instruction."""
    operands = place.syntax.plan.instructions[place.instruction].operands
    return [(before[1], after[0]) for before, after in pairwise(operands)]


def _commas(place: _Place) -> list[int]:
    """Return the tokens that are a single comma between two operands of the instruction."""
    words = place.syntax.words
    return [first for first, last in _gaps(place) if words[first:last] == (",",)]


def _foreign(place: _Place) -> _Sentence | None:
    """Return advice about a confusable or syntax of other assemblers; None for anything else."""
    word, surface = place.word, place.surface
    following = place.syntax.text[place.span.end : place.span.end + 1]
    meant = intended_text(word)
    if meant is not None:
        sentence, fix = lookalike(word, meant, place.span)
        return sentence, None if meant == "-" and not following.isalnum() else fix
    if word in surface.foreign.comments and not following.isalnum():
        mark = surface.comments[0]
        fix = Fix(f"write `{mark}`", (TextEdit(place.span, mark),), Applicability.DISPLAY)
        return f"comments begin with `{mark}`, found {_shown(word)}", fix
    if word in tuple(surface.foreign.sigils):
        what = "registers and numbers"
        if following.isdigit():
            what = "numbers, which begin with `0x` where they are hexadecimal,"
        sentence = f"{what} are written without `{word}`, found one"
        return sentence, _without(place, Applicability.DISPLAY) if following.isalnum() else None
    return None


def _as_line_comment(place: _Place) -> Fix | None:
    """Return a fix that rewrites a block comment, or one after a separator, as a line comment."""
    word, (start, end), text = place.word, place.span, place.syntax.text
    mark, separator = place.surface.comments[0], place.surface.separator
    edits: tuple[TextEdit, ...]
    if separator and word.startswith(separator) and set(word) != {separator}:
        lines = re.finditer(rf"^[ \t]*({separator})", word, re.MULTILINE)
        edits = tuple(TextEdit(Span(*line.span(1)).shifted(start), mark) for line in lines)
    elif word.startswith("/*") and word.endswith("*/") and "\n" not in word:
        if text[end:].partition("\n")[0].strip():
            return None
        edits = (TextEdit(place.span, f"{mark} {word[2:-2].strip()}".rstrip()),)
    else:
        return None
    return Fix(f"begin the comment with `{mark}`", edits, Applicability.UNSAFE)


def _label_name(place: _Place) -> _Sentence:
    word = place.word
    if word[0] == ".":
        return f"a name begins with a letter, a digit or `_`, found {_shown(word)}", None
    meant = f"; write `{re.sub('[^A-Za-z0-9_.]', '_', word)}`" if word.isascii() else ""
    return f"a name has letters, digits, `_` and `.` in it, found {_shown(word)}{meant}", None


def _label_unmarked(place: _Place) -> _Sentence:
    edit = TextEdit(Span(place.span.end, place.span.end), ":")
    fix = Fix("insert `:`", (edit,), Applicability.UNSAFE)
    message = f"unknown mnemonic {_shown(place.word)}; a label ends with `:`, is it missing here?"
    return message, fix


def _label_inside(place: _Place) -> _Sentence:
    end = place.surface.bundle_end
    stands = "stands before the first instruction of a bundle" if end else "begins a line"
    message = (
        f"a label {stands}, found {_shown(place.word)} inside one; "
        f"is {f'`{end}`' if end else 'a line break'} missing before it?"
    )
    return message, _end_bundle_before(place)


def _unit(surface: Surface) -> str:
    """Return the noun for the text of one bundle."""
    return "bundle" if surface.bundle_end else "line"


def _end_bundle_before(place: _Place) -> Fix | None:
    """Return a fix that ends the bundle before a label: at the separator or last operand."""
    surface, syntax = place.surface, place.syntax
    token = syntax.token_before(place.span.start)
    if token < 0:
        return None
    last = syntax.spans[token]
    if syntax.words[token] != surface.separator:
        last = Span(last.end, last.end)
    edit = TextEdit(last, surface.bundle_end or "\n")
    title = f"begin a new {_unit(surface)} at {_shown(place.word)}"
    return Fix(title, (edit,), Applicability.UNSAFE)


def _second_label(place: _Place) -> _Sentence:
    unit = _unit(place.surface)
    return f"a {unit} has one label at the most, found another: {_shown(place.word)}", None


def _label_of_nothing(place: _Place) -> _Sentence:
    return f"a label names the bundle that follows it, found none after {_shown(place.word)}", None


def _empty_instruction(place: _Place) -> _Sentence:
    message = f"expected an instruction, found {_shown(place.word)}"
    if place.word != place.surface.separator:
        return message, None
    # Two marks in a row may be a typing error, or an empty bundle.
    return message, _without(place, Applicability.UNSAFE)


def _without(place: _Place, applicability: Applicability) -> Fix:
    edit = TextEdit(place.span, "")
    return Fix(f"remove {_shown(place.word)}", (edit,), applicability)


def _empty_bundle(place: _Place) -> _Sentence:
    message = f"a bundle has at least one instruction, found {_shown(place.word)}"
    # Two marks in a row may be a typing error, or an empty bundle.
    return message, _without(place, Applicability.UNSAFE)


def _unexpected(place: _Place) -> _Sentence:
    surface, word = place.surface, place.word
    before = place.syntax.words[: place.syntax.token_before(place.span.start) + 1]
    foreign = _foreign(place) if place.around.is_whole or word not in surface.number_mark else None
    if foreign is not None:
        return foreign
    doubled = surface.hints.get("".join((*before[-1:], word)))
    if doubled:
        return f"{doubled}; found {_shown(word)} behind another", _without(
            place, Applicability.UNSAFE
        )
    separator = surface.operand_separator.strip()
    begins = word[0].isalnum() or word[0] in f"_+-{surface.number_mark}"
    if separator and _ends_operand(before[-1:]) and begins:
        end = place.syntax.spans[len(before) - 1].end
        edit = TextEdit(Span(end, end), separator)
        message = f"operands are separated by `{separator}`, found {_shown(word)} without one"
        title = f"insert `{separator}` before {_shown(word)}"
        return message, Fix(title, (edit,), Applicability.DISPLAY)
    end_mark = f"`{surface.bundle_end}`" if surface.bundle_end else "the end of the line"
    return f"expected a mnemonic, an operand or {end_mark}, found {_shown(word)}", None


def _ends_operand(words: tuple[str, ...]) -> bool:
    return bool(words) and (words[0][-1].isalnum() or words[0][-1] in "_]")


def _endless(place: _Place) -> _Sentence:
    unit, end = _unit(place.surface), place.surface.bundle_end
    message = f"a {unit} has {MOST_TOKENS} words and marks at the most, found {_shown(place.word)}"
    return f"{message} behind so many" + (f"; is `{end}` missing?" if end else ""), None


def _brace_empty(place: _Place) -> _Sentence:
    return (
        f"a bundle has one instruction for each slot, found none after {_shown(place.word)}",
        None,
    )


def _brace_inside(place: _Place) -> _Sentence:
    message = f"a bundle ends before the next one begins, found {_shown(place.word)} inside one"
    return f"{message}; is `{_closing(place)}` missing before it?", None


def _brace_unclosed(place: _Place) -> _Sentence:
    return (
        f"a bundle that {_shown(place.word)} begins ends in `{_closing(place)}`, found none",
        None,
    )


def _brace_unopened(place: _Place) -> _Sentence:
    opening = (place.surface.brackets or ("{", "}"))[0]
    return f"a bundle begins with `{opening}`, found {_shown(place.word)} without one", None


def _closing(place: _Place) -> str:
    return (place.surface.brackets or ("{", "}"))[1]


def _incomplete(place: _Place) -> _Sentence:
    return f"the instruction is not complete after {_shown(place.word)}", None


_SENTENCES: Mapping[str, Callable[[_Place], _Sentence]] = {
    "stray": _stray,
    "label-name": _label_name,
    "label-unmarked": _label_unmarked,
    "label-inside": _label_inside,
    "second-label": _second_label,
    "label-of-nothing": _label_of_nothing,
    "empty-instruction": _empty_instruction,
    "empty-bundle": _empty_bundle,
    "unexpected": _unexpected,
    "brace-empty": _brace_empty,
    "brace-inside": _brace_inside,
    "brace-unclosed": _brace_unclosed,
    "brace-unopened": _brace_unopened,
    "incomplete": _incomplete,
    "endless": _endless,
}
