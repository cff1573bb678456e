"""Sentences about tokens that do not fit, and the fixes that are certain."""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise
from typing import Callable, Mapping, NamedTuple, Sequence

from ipu_asm.diagnostics import Applicability, Diagnostic, Fix
from ipu_asm.errors import SYNTAX_ERROR
from ipu_asm.isa.model import Surface
from ipu_asm.syntax.bundle import BundleSyntax
from ipu_asm.syntax.lookalikes import intended_text, lookalike
from ipu_asm.syntax.plan import MOST_TOKENS, InstructionPlan, Misfit
from ipu_asm.text import Span, TextEdit

_MOST_SHOWN = 20
# What `macros` calls them: directives inside a bundle may choose between braces.
_OF_BRACES = "{}"


class _Place(NamedTuple):
    """A token that does not fit, in or behind an instruction: -1 if there is none before it.

    `is_whole` tells whether that instruction has its operands.
    """

    syntax: BundleSyntax
    surface: Surface
    word: str
    span: Span
    token: int
    instruction: int
    is_whole: bool


def syntax_errors(
    syntax: BundleSyntax, surface: Surface, are_whole: Sequence[bool]
) -> list[Diagnostic]:
    """A finding for each token that does not fit, in their order.

    `are_whole` tells of each instruction whether it is known and has as many operands as it takes.
    """
    return [_finding(syntax, surface, misfit, are_whole) for misfit in syntax.plan.misfits]


def _finding(
    syntax: BundleSyntax, surface: Surface, misfit: Misfit, are_whole: Sequence[bool]
) -> Diagnostic:
    span = syntax.span_of(misfit.token, misfit.token + 1)
    number = bisect_left(syntax.plan.instructions, misfit.token, key=_first_token) - 1
    is_whole = number >= 0 and are_whole[number]
    word = syntax.words[misfit.token]
    place = _Place(syntax, surface, word, span, misfit.token, number, is_whole)
    message, fix = _SENTENCES[misfit.reason](place)
    unless = (_OF_BRACES,) if misfit.reason.startswith("brace-") else ()
    return Diagnostic(SYNTAX_ERROR, message, span, fix=fix, unless=unless)


def _first_token(instruction: InstructionPlan) -> int:
    return instruction.mnemonic


def _shown(word: str) -> str:
    """A piece of text in backticks; what does not print is named by its code point."""
    cut = word[:_MOST_SHOWN] + ("..." if len(word) > _MOST_SHOWN else "")
    if cut.isprintable():
        return f"`{cut}`"
    return ", ".join(f"U+{ord(character):04X}" for character in word[:3])


_Sentence = tuple[str, Fix | None]


def _stray(place: _Place) -> _Sentence:
    foreign = _foreign(place)
    if foreign is not None:
        return foreign
    word, hints = place.word, place.surface.hints
    hint = hints.get(word) or hints.get(word[:2]) or hints.get(word[0])
    what = f"{hint}; found" if hint else "expected names, numbers, labels and comments, found"
    separator = place.surface.operand_separator.strip()
    if word == "," != separator and place.is_whole and place.token in (commas := _commas(place)):
        text, (start, end) = place.syntax.text, place.span
        is_spaced = text[start - 1].isspace(), text[end : end + 1].isspace()
        # One that is alone among blanks, or stands at the next word, may be a slip for a letter.
        is_style = len(commas) == len(_gaps(place)) and is_spaced != (True, False)
        applicability = Applicability.SAFE if is_style else Applicability.UNSAFE
        edit = TextEdit(place.span, "" if any(is_spaced) else " ")
        fix = Fix("write a blank instead of the comma", (edit,), applicability)
        return f"{what} {_shown(word)}", fix
    return f"{what} {_shown(word)}", None


def _gaps(place: _Place) -> list[tuple[int, int]]:
    """The tokens between each two operands of the instruction, as ranges."""
    operands = place.syntax.plan.instructions[place.instruction].operands
    return [(before[1], after[0]) for before, after in pairwise(operands)]


def _commas(place: _Place) -> list[int]:
    """The tokens that are a comma, alone between two operands of the instruction."""
    words = place.syntax.words
    return [first for first, last in _gaps(place) if words[first:last] == (",",)]


def _foreign(place: _Place) -> _Sentence | None:
    """What to write for a lookalike, or for what other assemblers have; None for anything else."""
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


def _label_inside(place: _Place) -> _Sentence:
    end = place.surface.bundle_end
    stands = "stands before the first instruction of a bundle" if end else "begins a line"
    message = (
        f"a label {stands}, found {_shown(place.word)} inside one; "
        f"is {f'`{end}`' if end else 'a line break'} missing before it?"
    )
    return message, _end_bundle_before(place)


def _unit(surface: Surface) -> str:
    """What the text of one bundle is called."""
    return "bundle" if surface.bundle_end else "line"


def _end_bundle_before(place: _Place) -> Fix | None:
    """Close the bundle before a label: in place of the separator, or after the last operand."""
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
    # Two marks in a row may also be one, or stand for a bundle that does nothing.
    return message, _without(place, Applicability.UNSAFE)


def _without(place: _Place, applicability: Applicability) -> Fix:
    edit = TextEdit(place.span, "")
    return Fix(f"remove {_shown(place.word)}", (edit,), applicability)


def _empty_bundle(place: _Place) -> _Sentence:
    message = f"a bundle has at least one instruction, found {_shown(place.word)}"
    # Two marks in a row may also be one, or stand for a bundle that does nothing.
    return message, _without(place, Applicability.UNSAFE)


def _unexpected(place: _Place) -> _Sentence:
    surface, word = place.surface, place.word
    before = place.syntax.words[: place.syntax.token_before(place.span.start) + 1]
    foreign = _foreign(place) if place.is_whole or word not in surface.number_mark else None
    if foreign is not None:
        return foreign
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
