"""Patterns of assertions in comments: their keyword, registers and words of expressions."""

from __future__ import annotations

from typing import Any, Iterator

from ipu_asm.expressions.parser import WORDS
from ipu_asm.flow.assertions.comments import FORMS, AssertionKind
from ipu_asm.reports.textmate_language import Language
from ipu_asm.reports.textmate_patterns import BLANKS, alternatives, escaped

_ACCESSES = ("read", "write")


def assertions(language: Language) -> Iterator[dict[str, Any]]:
    """Yield a pattern for each sort of assertion, at the beginning of a comment."""
    marks = language.isas[0].surface.comments
    # A mark of two characters, which may be an operator, begins a comment behind two blanks only.
    ends = "|".join(escaped(mark) if len(mark) == 1 else f"  {escaped(mark)}" for mark in marks)
    for kind in AssertionKind:
        form, is_whole = FORMS.get(kind, ("", False))
        rest = f"{BLANKS}(?:{ends}|$)" if is_whole else ""
        following = f"(?={form}{rest})" if form else ""
        words = [*WORDS, *(_ACCESSES if kind is AssertionKind.REGION else ())]
        yield {
            "begin": rf"\G{BLANKS}({kind.value})(?![\w-]){following}",
            "beginCaptures": {"1": {"name": language.scope("keyword.control.assertion")}},
            "end": f"(?={ends})|$",
            "patterns": [
                {"include": "#registers"},
                {
                    "match": rf"\b{alternatives(words)}\b",
                    "name": language.scope("keyword.operator.word"),
                },
                {"match": r"[A-Za-z_]\w*"},
            ],
        }
