"""A token that does not fit the grammar, in its context: what the messages about it need."""

from __future__ import annotations

import re
from typing import Container
from unicodedata import name

from ipu_asm.diagnostics import Applicability, Fix
from ipu_asm.isa.surface import Surface
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.syntax.bundle import BundleSyntax
from ipu_asm.text import Span, TextEdit

_BLANKS = "\u00a0\u1680\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2212\ufe63"
_INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060"
_MAX_LENGTH = 20
_CONFUSABLES = {
    **dict.fromkeys(_BLANKS, " "),
    **dict.fromkeys(_DASHES, "-"),
    **dict.fromkeys(_INVISIBLE, ""),
    "\u037e": ";",
    "\u201a": ",",
    "\ua789": ":",
    # The full-width forms of all that can be typed.
    **{chr(code + 0xFEE0): chr(code) for code in range(0x21, 0x7F)},
}
_MAX_SHOWN = 20
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
    cut = line[:_MAX_SHOWN] + ("..." if len(word) > min(len(line), _MAX_SHOWN) else "")
    if line and cut.isprintable():
        return f"`{cut}`"
    return ", ".join(f"U+{ord(character):04X}" for character in word[:3])


def without(place: MisplacedToken, applicability: Applicability) -> Fix:
    """The fix that removes the token."""
    edit = TextEdit(place.span, "")
    return Fix(f"remove {shown(place.word)}", (edit,), applicability)


def intended_text(word: str) -> str | None:
    """A short word with the characters that were meant; None unless all are confusables."""
    if len(word) > _MAX_LENGTH:
        return None
    letters = [_CONFUSABLES.get(letter) for letter in word]
    return None if None in letters else "".join(filter(None, letters))


def confusable_message(word: str, meant: str, span: Span) -> tuple[str, Fix]:
    """The message about a word of confusables, and the fix that writes the characters meant."""
    first = word[0]
    found = f"U+{ord(first):04X} ({name(first, 'a character without a name').lower()})"
    if not meant:
        said, title = "expected a character that can be seen", "remove the invisible character"
    elif meant.isspace():
        said, title = "words are separated by spaces, tabs and line breaks", "write a blank"
    else:
        said, title = f"expected `{meant}`", f"write `{meant}`"
    return f"{said}, found {found}", Fix(title, (TextEdit(span, meant),), Applicability.DISPLAY)
