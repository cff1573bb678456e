"""What is offered at a cursor, written `$0`."""

from __future__ import annotations

from ipu_asm.ide.code_actions import CodeAction, refactorings
from ipu_asm.text import Span, apply_edits
from tests.ide.cursor import fixture


def offers_at(text_with_cursor: str, isa: str = "ipu") -> tuple[str, list[CodeAction]]:
    """The text without its cursor, and the refactorings there."""
    analysis, offset = fixture(text_with_cursor, isa)
    return analysis.text, refactorings(analysis, Span(offset, offset))


def outcome(text_with_cursor: str, title: str, isa: str = "ipu") -> str | None:
    """What the refactoring whose title begins so makes of the text, or why it is refused.

    None if there is no such one.
    """
    text, offers = offers_at(text_with_cursor, isa)
    found = [offer for offer in offers if offer.title.startswith(title)]
    if not found:
        return None
    (offer,) = found
    assert bool(offer.edits) != bool(offer.refusal_reason)
    return offer.refusal_reason or apply_edits(text, offer.edits)
