"""What a refactoring offers: edits with a title, or the reason why it cannot be done here."""

from __future__ import annotations

from typing import Callable, Final, NamedTuple, Sequence

from ipu_asm.text import TextEdit

MOVE: Final = "refactor.move"
REWRITE: Final = "refactor.rewrite"


class Refused(Exception):
    """Why a refactoring would change what the program does: a sentence for people."""


class Offer(NamedTuple):
    """A refactoring at a place. `refused` says why it cannot be done; then there are no edits."""

    title: str
    kind: str
    edits: tuple[TextEdit, ...] = ()
    refused: str = ""


def offered(title: str, kind: str, make: Callable[[], Sequence[TextEdit]]) -> Offer:
    """The offer of what `make` gives, or of the reason with which it raises `Refused`."""
    try:
        return Offer(title, kind, tuple(sorted(make())))
    except Refused as refused:
        return Offer(title, kind, refused=str(refused))
