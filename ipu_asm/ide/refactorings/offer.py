"""The result of a refactoring: titled edits, or the reason why it is refused."""

from __future__ import annotations

from typing import Callable, Sequence

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import TextEdit


class RefactoringError(Exception):
    """Raised if a refactoring would change what the program does; the message is shown to users."""


class RefactoringOffer(NamedTuple):
    """A refactoring that applies to the selection.

    If it cannot be done, `refusal_reason` gives the reason and `edits` is empty.
    """

    title: str
    kind: str
    edits: tuple[TextEdit, ...] = ()
    refusal_reason: str = ""


def make_offer(title: str, kind: str, make: Callable[[], Sequence[TextEdit]]) -> RefactoringOffer:
    """Return the offer with the edits of `make`, or with the message of its `RefactoringError`."""
    try:
        return RefactoringOffer(title, kind, tuple(sorted(make())))
    except RefactoringError as error:
        return RefactoringOffer(title, kind, refusal_reason=str(error))
