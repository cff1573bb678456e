"""The expression under the pointer, in a line of assembly source or of its comments."""

from __future__ import annotations

import re
from typing import Final

from ipu_asm.named_tuple import NamedTuple

_INDEX: Final = r"\[[^\[\]]{0,200}\]"
_WORD: Final = re.compile(
    rf"(?<!\w)(?<!\w\.)([A-Za-z_][A-Za-z0-9_]*)(?:{_INDEX}){{0,2}}(?!\w|\.\w)"
)
_MAX_LINE_LENGTH: Final = 10_000


class HoverTarget(NamedTuple):
    """The expression `text`, from column `start` to column `end` of its line."""

    start: int
    end: int
    text: str


def expression_at(line: str, column: int) -> HoverTarget | None:
    """Return the register, label or name at a column, with its index; None if there is none.

    On a word within the brackets it returns that word. A part of a mnemonic such as `acc.first`
    gives None.
    """
    if not 0 <= column <= len(line) <= _MAX_LINE_LENGTH:
        return None
    start = 0
    found = None
    while (match := _WORD.search(line, start)) is not None and match.start() <= column:
        if column <= match.end():
            found = HoverTarget(*match.span(), match.group())
        # Continue within the brackets.
        start = match.end(1)
    return found
