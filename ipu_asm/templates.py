"""Files that a template engine reads before the assembler does.

What such a file says is only known when the template has been expanded, so nothing in it is edited:
an edit that is right for one expansion may be wrong for another, or break the template itself.
"""

from __future__ import annotations

MARKS = ("{{", "{%", "{#")


def template_mark(text: str) -> str | None:
    """The first mark of a template in a text; None for a text that is no template."""
    found = [(text.find(mark), mark) for mark in MARKS if mark in text]
    return min(found)[1] if found else None
