"""Messages about tokens that do not fit the grammar, with fixes where the intention is known."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import pairwise
from typing import Callable, Container, Mapping, Sequence

from ipu_asm.diagnostics import SYNTAX_ERROR, UNKNOWN_MNEMONIC, Applicability, Diagnostic, Fix
from ipu_asm.isa.surface import Surface
from ipu_asm.syntax.bundle import BundleSyntax
from ipu_asm.syntax.foreign_tokens import (
    DIRECTIVE,
    NO_INSTRUCTION,
    InstructionContext,
    Message,
    MisplacedToken,
    confusable_message,
    culprit,
    intended_text,
    shown,
    without,
)
from ipu_asm.syntax.plan import BRACE_PSEUDO_NAME, MAX_TOKENS, InstructionPlan
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


_COMMENT_MARK = "comments begin with"


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
        return f"{_COMMENT_MARK} `{mark}`, found {shown(word)}", fix
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


# Of several such tokens only the first has a finding; braces of both sorts count as one.
_REPORTED_ONCE = {",": ",", "{": "{", "}": "{"}
# Reasons for which only a part of the token is wrong.
_OF_PARTS = ("stray", "label-name")


def syntax_errors(
    syntax: BundleSyntax,
    surface: Surface,
    instructions: Sequence[InstructionContext],
    registers: Container[str],
) -> list[Diagnostic]:
    """The findings about tokens that do not fit, one for each mistake, in order.

    `registers` are the names of registers, in lower case.
    """
    findings: list[Diagnostic] = []
    reported: set[tuple[int, str]] = set()
    line: Diagnostic | None = None
    for token, reason in syntax.plan.findings:
        number = _instruction_around(syntax, surface, token)
        around = instructions[number] if number >= 0 else NO_INSTRUCTION
        word = syntax.words[token]
        if reason == "brace-outside" and not around.is_known:
            continue
        if reason == "stray":
            is_reported = around.is_known or surface.preprocessed
            if not is_reported and word.isprintable():
                continue  # the operands of an unknown mnemonic are unknown
            mark = _REPORTED_ONCE.get(word[0])
            key = (number if mark == "," else -1, mark or "")
            if mark and key in reported:
                continue
            reported.add(key)
        span = syntax.span_of(token, token + 1)
        if line is not None and span.start < line.span.end:
            continue
        place = MisplacedToken(syntax, surface, word, span, token, number, around, registers)
        line = _foreign_line(place)
        findings.append(line or _finding(place, reason))
    return findings


_FOREIGN_LINE = re.compile(
    r"(?:(?P<conflict><{7}|={7}|>{7}|\|{7})(?![<=>|])"
    r"|(?P<directive>#(?:define|undef|include|ifdef|ifndef|if|elif|else|endif|error|pragma))\b)"
    r"[^\r\n]*"
)
"""A mark of version control, or a line for a preprocessor: whole lines that are one mistake."""


def _foreign_line(place: MisplacedToken) -> Diagnostic | None:
    """The finding about a line that is for another tool than the assembler."""
    match = _FOREIGN_LINE.match(place.syntax.text, place.span.start)
    if match is None or not _begins_line(place):
        return None
    if match["conflict"]:
        message = (
            "a merge conflict must be resolved: keep one of the versions and delete the lines "
            f"that mark them, found `{match['conflict']}`"
        )
    else:
        found = match["directive"]
        message = f"no preprocessor reads sources of this set: delete the line, found `{found}`"
    return Diagnostic(SYNTAX_ERROR, message, Span(place.span.start, match.end()))


def foreign_lines(text: str, findings: Sequence[Diagnostic]) -> list[Span]:
    """The rests of lines in which all but their beginning, a finding, is for another tool."""
    found: list[Span] = []
    for finding in findings:
        start, end = finding.span
        if finding.message.startswith(_COMMENT_MARK):
            end = text.find("\n", start)
        elif _FOREIGN_LINE.match(text, start) is None:
            continue
        found.append(Span(start + 1, end if end >= 0 else len(text)))
    return found


def _finding(place: MisplacedToken, reason: str) -> Diagnostic:
    message, fix = _message(place, reason)
    kind = UNKNOWN_MNEMONIC if reason == "label-unmarked" else SYNTAX_ERROR
    span = culprit(place, reason) if reason in _OF_PARTS else place.span
    dropped_if_defined: tuple[str, ...] = ()
    if reason.startswith("brace-"):
        dropped_if_defined = (BRACE_PSEUDO_NAME,)
    if reason == "brace-outside":
        dropped_if_defined += (place.word,)
    return Diagnostic(kind, message, span, fix=fix, dropped_if_defined=dropped_if_defined)


def _message(place: MisplacedToken, reason: str) -> Message:
    if reason in _MESSAGES:
        return _MESSAGES[reason](place)
    if reason.startswith("empty-"):
        return _empty(place, reason)
    opening, closing = place.surface.brackets or ("{", "}")
    word, unit = shown(place.word), _unit(place.surface)
    message = _MESSAGES_WITHOUT_FIX[reason]
    return message.format(word=word, unit=unit, opening=opening, closing=closing), None


def _instruction_around(syntax: BundleSyntax, surface: Surface, token: int) -> int:
    """The number of the instruction that a token belongs to or follows; -1 for none."""
    plans = syntax.plan.instructions
    number = bisect_left(plans, token, key=_first_token) - 1
    if number < 0 or surface.separator in syntax.words[plans[number].end : token]:
        return -1
    return number


def _first_token(instruction: InstructionPlan) -> int:
    return instruction.mnemonic


def _label_name(place: MisplacedToken) -> Message:
    word = place.word
    if word[0] == ".":
        return f"a name begins with a letter, a digit or `_`, found {shown(word)}", None
    meant = f"; write `{re.sub('[^A-Za-z0-9_.]', '_', word)}`" if word.isascii() else ""
    return f"a name has letters, digits, `_` and `.` in it, found {shown(word)}{meant}", None


def _label_unmarked(place: MisplacedToken) -> Message:
    edit = TextEdit(Span(place.span.end, place.span.end), ":")
    fix = Fix("insert `:`", (edit,), Applicability.UNSAFE)
    message = f"unknown mnemonic {shown(place.word)}; a label ends with `:`, is it missing here?"
    return message, fix


def _label_inside(place: MisplacedToken) -> Message:
    surface, found = place.surface, f"found {shown(place.word)} inside one"
    before = place.syntax.text[: place.span.start].rpartition("\n")[2]
    if surface.brackets and not before.strip():
        opening, closing = surface.brackets
        message = f"a label stands before the `{opening}` of a bundle, {found}"
        return f"{message}; is `{closing}` missing before it?", None
    end = surface.bundle_end
    stands = "stands before the first instruction of a bundle" if end else "begins a line"
    missing = f"`{end}`" if end else "a line break"
    message = f"a label {stands}, {found}; is {missing} missing before it?"
    return message, _end_bundle_before(place)


def _unit(surface: Surface) -> str:
    """What users call the text of one bundle."""
    return "bundle" if surface.bundle_end else "line"


def _end_bundle_before(place: MisplacedToken) -> Fix | None:
    """The fix that ends the bundle before a label, at the separator or after the last operand."""
    surface, syntax = place.surface, place.syntax
    token = syntax.token_before(place.span.start)
    if token < 0:
        return None
    last = syntax.spans[token]
    if syntax.words[token] != surface.separator:
        last = Span(last.end, last.end)
    edit = TextEdit(last, surface.bundle_end or "\n")
    title = f"begin a new {_unit(surface)} at {shown(place.word)}"
    return Fix(title, (edit,), Applicability.UNSAFE)


def _empty(place: MisplacedToken, reason: str) -> Message:
    word = shown(place.word)
    if reason == "empty-bundle":
        message = f"a bundle has at least one instruction, found {word}"
    else:
        message = f"expected an instruction, found {word}"
        if place.word != place.surface.separator:
            return message, None
    # Unsafe: two marks in a row may be a doubled one, or mean an empty bundle.
    return message, without(place, Applicability.UNSAFE)


def _unexpected(place: MisplacedToken) -> Message:
    surface, word = place.surface, place.word
    before = place.syntax.words[: place.syntax.token_before(place.span.start) + 1]
    if place.around.is_whole or word not in surface.number_mark:
        foreign = foreign_message(place)
        if foreign is not None:
            return foreign
    doubled = surface.hints.get("".join((*before[-1:], word)))
    if doubled:
        return f"{doubled}; found {shown(word)} after another", without(place, Applicability.UNSAFE)
    separator = surface.operand_separator.strip()
    begins = word[0].isalnum() or word[0] in f"_+-{surface.number_mark}"
    if separator and _ends_operand(before[-1:]) and begins:
        end = place.syntax.spans[len(before) - 1].end
        edit = TextEdit(Span(end, end), separator)
        message = f"operands are separated by `{separator}`, found {shown(word)} without one"
        title = f"insert `{separator}` before {shown(word)}"
        return message, Fix(title, (edit,), Applicability.DISPLAY)
    end_mark = f"`{surface.bundle_end}`" if surface.bundle_end else "the end of the line"
    return f"expected a mnemonic, an operand or {end_mark}, found {shown(word)}", None


def _ends_operand(words: tuple[str, ...]) -> bool:
    return bool(words) and (words[0][-1].isalnum() or words[0][-1] in "_]")


def _endless(place: MisplacedToken) -> Message:
    unit, end = _unit(place.surface), place.surface.bundle_end
    message = f"a {unit} has {MAX_TOKENS} words and marks at the most, found {shown(place.word)}"
    return f"{message} after so many" + (f"; is `{end}` missing?" if end else ""), None


_MESSAGES: Mapping[str, Callable[[MisplacedToken], Message]] = {
    "stray": stray_message,
    "label-name": _label_name,
    "label-unmarked": _label_unmarked,
    "label-inside": _label_inside,
    "unexpected": _unexpected,
    "endless": _endless,
}

_MESSAGES_WITHOUT_FIX = {
    "second-label": "a {unit} has one label at the most, found another: {word}",
    "label-without-bundle": "a label names the bundle that follows it, found none after {word}",
    "brace-empty": "a bundle has one instruction for each slot, found none after {word}",
    "brace-inside": "a bundle ends before the next one begins, found {word} inside one; "
    "is `{closing}` missing before it?",
    "brace-outside": "the instructions of a bundle stand between `{opening}` and `{closing}`, "
    "found {word} outside",
    "brace-unclosed": "a bundle that {word} begins ends in `{closing}`, found none",
    "brace-unopened": "a bundle begins with `{opening}`, found {word} without one",
    "incomplete": "the instruction is not complete after {word}",
}
