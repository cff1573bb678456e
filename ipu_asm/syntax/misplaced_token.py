"""A token that does not fit the grammar, in its context: what the messages about it need."""

from __future__ import annotations

import re
from typing import Container

from ipu_asm.diagnostics import Applicability, Fix
from ipu_asm.isa.surface import Surface
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.syntax.bundle import BundleSyntax
from ipu_asm.text import Span, TextEdit

_MOST_SHOWN = 20
DIRECTIVE = re.compile(r"[.%@`][^\W\d][\w.]*")
# In a name, an operand or an expression: characters that no name and no number has.
_NO_NAME = re.compile(r"[^A-Za-z0-9_.\s([{\"']+|[(\[{\"'].*", re.DOTALL)

Message = tuple[str, Fix | None]


class InstructionContext(NamedTuple):
    """Whether the instruction around a token has a known mnemonic and the right operand count."""

    is_known: bool
    is_whole: bool


NO_INSTRUCTION = InstructionContext(is_known=True, is_whole=False)


class MisplacedToken(NamedTuple):
    """A token that does not fit, with the instruction it belongs to or follows; -1 for none."""

    syntax: BundleSyntax
    surface: Surface
    word: str
    span: Span
    token: int
    instruction: int
    around: InstructionContext
    registers: Container[str]


def culprit(place: MisplacedToken, reason: str = "stray") -> Span:
    """The span of the part of a foreign construct that does not fit; else of the whole token."""
    start, word = place.span.start, place.word
    if not place.syntax.is_grouped:
        return place.span
    if word.startswith(place.surface.separator):
        return Span(start, start + 1)
    directive = DIRECTIVE.match(word)
    if directive:
        return Span(start, start + (directive.end() if reason == "stray" else 1))
    wrong = _NO_NAME.search(word)
    return Span(*wrong.span()).shifted(start) if wrong else place.span


def shown(word: str) -> str:
    """The beginning of a token in backticks; the code points of what does not print."""
    line = word.partition("\n")[0].rstrip("\r")
    cut = line[:_MOST_SHOWN] + ("..." if len(word) > min(len(line), _MOST_SHOWN) else "")
    if line and cut.isprintable():
        return f"`{cut}`"
    return ", ".join(f"U+{ord(character):04X}" for character in word[:3])


def without(place: MisplacedToken, applicability: Applicability) -> Fix:
    """The fix that removes the token."""
    edit = TextEdit(place.span, "")
    return Fix(f"remove {shown(place.word)}", (edit,), applicability)
