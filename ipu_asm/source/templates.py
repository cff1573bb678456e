"""Recognition of Jinja templates.

What such a file says is only known when the template has been expanded, so nothing in it is edited:
an edit that is right for one expansion may be wrong for another, or break the template itself.
"""

from __future__ import annotations

import re

from ipu_asm.diagnostics import RuleId, Severity

UNUSED_TEMPLATE_NAME = RuleId("H106", "unused-template-name", Severity.HINT)

# In a long text a search for an expression is quicker than `in`.
MARKS = ("{{", "{%", "{#")
_MARK = re.compile(r"\{[{%#]")


def template_mark(text: str) -> str | None:
    """Return the first opening mark of a Jinja tag; None for a text that is no template."""
    found = _MARK.search(text)
    return found[0] if found else None
