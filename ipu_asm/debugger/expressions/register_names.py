"""Names for registers in expressions, derived from the register notes of a program."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import Final

from ipu_asm.debugger.expressions.functions import FUNCTIONS
from ipu_asm.debugger.expressions.machine_view import LABEL, MachineNames, names_of
from ipu_asm.debugger.regions import MEMORY
from ipu_asm.emulator.model import machine_for
from ipu_asm.expressions.parser import WORDS
from ipu_asm.program.program import Program
from ipu_asm.program.register_notes import register_notes

_MAX_WORDS: Final = 3
_MAX_LENGTH: Final = 30
_PHRASE: Final = re.compile(r"[^,;:(=.#]*")
_ARTICLE: Final = re.compile(r"(?:the|a|an)\s+(?=\S)", re.IGNORECASE)
_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@lru_cache(maxsize=16)
def taken_names(names: MachineNames) -> frozenset[str]:
    """Return the names that mean something else in expressions, in lower case."""
    return frozenset((
        *names.registers, *FUNCTIONS, *names.types, *names.constants, *WORDS, LABEL, MEMORY,
    ))  # fmt: skip


def names_from_notes(program: Program) -> dict[str, str]:
    """Return the identifiers derived from register notes, each with the register it stands for.

    `# lr5 = row offset` gives `row_offset`: a phrase of up to three words. A phrase gives no
    identifier if several registers have it, if it contains the name of a register, or if it is a
    label, a function, a type or another reserved name.
    """
    known = names_of(machine_for(program.isa.name))
    taken = taken_names(known)
    names = {
        register: _name(note, known, taken) for register, note in register_notes(program).items()
    }
    uses = Counter(names.values())
    return {
        name: register
        for register, name in names.items()
        if name is not None and uses[name] == 1 and name not in program.labels
    }


def _name(note: str, known: MachineNames, taken: frozenset[str]) -> str | None:
    """The identifier at the start of a note; None if the note starts with no short phrase."""
    match = _PHRASE.match(note)
    phrase = _ARTICLE.sub("", match[0].strip(), count=1) if match is not None else ""
    words = phrase.split()
    if not 0 < len(words) <= _MAX_WORDS or not all(map(_WORD.fullmatch, words)):
        return None
    name = "_".join(words)
    # "a copy of cr2" describes the content of a register; it is not its name.
    is_taken = name.lower() in taken or any(w.lower() in known.known_registers for w in words)
    return None if is_taken or len(name) > _MAX_LENGTH else name
