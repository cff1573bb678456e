"""Names for registers in expressions, derived from the register notes of a program."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from ipu_asm.debugger.expressions import FUNCTIONS, TYPE_NAMES
from ipu_asm.debugger.expressions.locations import REGISTER_NAMES
from ipu_asm.debugger.expressions.names import CONSTANTS, LABEL, MEMORY
from ipu_asm.expressions.parser import WORDS
from ipu_asm.program.program import Program
from ipu_asm.program.register_notes import register_notes

_MAX_WORDS: Final = 3
_MAX_LENGTH: Final = 30
_PHRASE: Final = re.compile(r"[^,;:(=.#]*")
_ARTICLE: Final = re.compile(r"(?:the|a|an)\s+(?=\S)", re.IGNORECASE)
_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
TAKEN: Final = {
    *REGISTER_NAMES, *FUNCTIONS, *TYPE_NAMES, *CONSTANTS, *WORDS, LABEL, MEMORY,
}  # fmt: skip
"""Names that mean something else in expressions, in lower case."""


def names_from_notes(program: Program) -> dict[str, str]:
    """Return the identifiers derived from register notes, each with the register it stands for.

    `# lr5 = row offset` gives `row_offset`: a phrase of up to three words. A phrase gives no
    identifier if several registers have it, if it contains the name of a register, or if it is a
    label, a function, a type or another reserved name.
    """
    names = {register: _name(note) for register, note in register_notes(program).items()}
    uses = Counter(names.values())
    return {
        name: register
        for register, name in names.items()
        if name is not None and uses[name] == 1 and name not in program.labels
    }


def _name(note: str) -> str | None:
    """The identifier at the start of a note; None if the note starts with no short phrase."""
    match = _PHRASE.match(note)
    phrase = _ARTICLE.sub("", match[0].strip(), count=1) if match is not None else ""
    words = phrase.split()
    if not 0 < len(words) <= _MAX_WORDS or not all(map(_WORD.fullmatch, words)):
        return None
    name = "_".join(words)
    # "a copy of cr2" describes the content of a register; it is not its name.
    taken = name.lower() in TAKEN or any(word.lower() in REGISTER_NAMES for word in words)
    return None if taken or len(name) > _MAX_LENGTH else name
