"""Completion proposals: what editors show, insert and sort by."""

from __future__ import annotations

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import Span

INSTRUCTION = "instruction"
REGISTER = "register"
KEYWORD = "keyword"
LABEL = "label"
DISTANCE = "distance"
PARAMETER = "parameter"
MACRO = "macro"
VALUE = "value"
DIRECTIVE = "directive"
TEMPLATE_NAME = "template name"

FIRST = "!"
"""Sorts before all digits: names that the author of the file chose."""


class CompletionItem(NamedTuple):
    """A proposal to write in place of `span`; editors show items in the order of `sort_text`.

    `kind` is one of the constants above. `snippet` is `insert_text` with placeholders for the
    operands, in the syntax of the language server protocol; None if there are no placeholders.
    `slots` are the free slots of an instruction, as text; empty where there is only one.
    """

    label: str
    kind: str
    detail: str
    insert_text: str
    span: Span
    sort_text: str
    filter_text: str
    snippet: str | None = None
    deprecated: bool = False
    slots: str = ""
