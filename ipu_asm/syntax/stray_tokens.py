"""Messages about stray tokens, which fit no terminal, and their fixes."""

from __future__ import annotations

import re
from itertools import pairwise

from ipu_asm.diagnostics import Applicability, Fix
from ipu_asm.syntax.confusables import confusable_message, intended_text
from ipu_asm.syntax.misplaced_token import (
    DIRECTIVE,
    Message,
    MisplacedToken,
    culprit,
    shown,
    without,
)
from ipu_asm.text import Span, TextEdit


def stray_message(place: MisplacedToken) -> Message:
    """The message about a token that fits no terminal."""
    foreign = foreign_message(place)
    if foreign is not None:
        return foreign
    hint = _hint(place)
    what = f"{hint}; found" if hint else "expected names, numbers, labels and comments, found"
    return f"{what} {shown(place.word)}", _without_commas(place) or _as_line_comment(place)


def _hint(place: MisplacedToken) -> str | None:
    """The hint of the surface for the part of a token that does not fit."""
    hints = place.surface.hints
    if DIRECTIVE.match(place.word) and "directive" in hints:
        name = place.word.split(maxsplit=1)[0]
        return hints.get(f".{name[1:]}", hints["directive"])
    start, end = culprit(place).shifted(-place.span.start)
    wrong = place.word[start:end]
    if wrong == "=" and place.instruction >= 0 and not _begins_line(place):
        return hints.get("operand =", hints.get(wrong))
    if wrong == "=" and place.word[:start].strip().lower() in place.registers:
        return hints.get("register =", hints.get(wrong))
    return hints.get(wrong) or hints.get(wrong[:2]) or hints.get(wrong[0])


def _begins_line(place: MisplacedToken) -> bool:
    text, start = place.syntax.text, place.span.start
    return not text[text.rfind("\n", 0, start) + 1 : start].strip()


def _without_commas(place: MisplacedToken) -> Fix | None:
    """The fix that writes blanks for the commas of an instruction that is right without them."""
    is_operator = place.surface.operand_separator.strip() == ","
    if place.word != "," or is_operator or not place.around.is_whole:
        return None
    commas, text = _commas(place), place.syntax.text
    if place.token not in commas:
        return None
    edits, are_style = [], len(commas) == len(_gaps(place))
    for start, end in (place.syntax.spans[comma] for comma in commas):
        is_spaced = text[start - 1].isspace(), text[end : end + 1].isspace()
        # A comma between blanks, or at the start of the next word, may be a mistyped letter.
        are_style = are_style and is_spaced != (True, False)
        edits.append(TextEdit(Span(start, end), "" if any(is_spaced) else " "))
    title = "write a blank instead of the comma" if len(edits) == 1 else "write blanks, no commas"
    return Fix(title, tuple(edits), Applicability.SAFE if are_style else Applicability.UNSAFE)


def _gaps(place: MisplacedToken) -> list[tuple[int, int]]:
    """The ranges of tokens between each two operands of the instruction."""
    operands = place.syntax.plan.instructions[place.instruction].operands
    return [(before[1], after[0]) for before, after in pairwise(operands)]


def _commas(place: MisplacedToken) -> list[int]:
    """The tokens that are single commas between two operands of the instruction."""
    words = place.syntax.words
    return [first for first, last in _gaps(place) if words[first:last] == (",",)]


def foreign_message(place: MisplacedToken) -> Message | None:
    """The message about a confusable or the syntax of another assembler; None for the rest."""
    word, surface = place.word, place.surface
    following = place.syntax.text[place.span.end : place.span.end + 1]
    meant = intended_text(word)
    if meant is not None:
        sentence, fix = confusable_message(word, meant, place.span)
        return sentence, None if meant == "-" and not following.isalnum() else fix
    if word in surface.foreign.comments and not following.isalnum():
        mark = surface.comments[0]
        fix = Fix(f"write `{mark}`", (TextEdit(place.span, mark),), Applicability.DISPLAY)
        return f"comments begin with `{mark}`, found {shown(word)}", fix
    if word in tuple(surface.foreign.sigils):
        what = "registers and numbers"
        if following.isdigit():
            what = "numbers, which begin with `0x` where they are hexadecimal,"
        sentence = f"{what} are written without `{word}`, found one"
        return sentence, without(place, Applicability.DISPLAY) if following.isalnum() else None
    return None


def _as_line_comment(place: MisplacedToken) -> Fix | None:
    """The fix that turns a foreign comment into a comment of this surface, line by line."""
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
