"""Confusables: characters of word processors and web pages that look like those of assembly."""

from __future__ import annotations

from unicodedata import name

from ipu_asm.diagnostics import Applicability, Fix
from ipu_asm.text import Span, TextEdit

_BLANKS = "\u00a0\u1680\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2212\ufe63"
_INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060"
_LONGEST = 20
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


def intended_text(word: str) -> str | None:
    """A short word with the characters that were meant; None unless all are confusables."""
    if len(word) > _LONGEST:
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
