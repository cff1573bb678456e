"""Completion in the console."""

from __future__ import annotations

from typing import Final

from ipu_asm.debugger.console.commands import COMMANDS, invocation
from ipu_asm.debugger.expressions import Candidate, Context, complete
from ipu_asm.debugger.expressions.completion import KnownWord, fitting, word_at

_PLACEHOLDER: Final = "x"


def complete_command(context: Context, text: str, offset: int) -> list[Candidate]:
    """Return the words that fit at an offset, those that begin with the typed letters first."""
    word = word_at(text, offset)
    if word is None:
        return []
    before = text[: word.start]
    called = invocation(context, before + _PLACEHOLDER)
    if called is None or called.start > len(before):
        words = complete(context, text, offset)
        commands = fitting(_COMMANDS, word) if not before.strip() else []
        typed = word.typed.lower()
        return sorted([*commands, *words], key=lambda c: not c.text.lower().startswith(typed))
    if called.command is COMMANDS["help"]:
        return fitting(_COMMANDS, word)
    start = called.start
    return [
        candidate._replace(start=candidate.start + start)
        for candidate in complete(context, text[start:], max(offset - start, 0))
    ]


_COMMANDS: Final = [
    KnownWord(name, "command", command.summary) for name, command in COMMANDS.items()
]
