"""Programs with a cursor in them, written `$0`."""

from __future__ import annotations

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import analyze

CURSOR = "$0"


def fixture(text_with_cursor: str, isa: str = "ipu") -> tuple[Analysis, int]:
    """The analysis of a text without its cursor, and the offset of the cursor."""
    before, after = text_with_cursor.split(CURSOR)
    return analyze(before + after, isa), len(before)
