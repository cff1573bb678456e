"""A symbol of a document's outline, and the kinds of symbols."""

from __future__ import annotations

from typing import Final

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import Span

LABEL: Final = "label"
LOOP: Final = "loop"
FUNCTION: Final = "function"
BUNDLE: Final = "bundle"
REGISTER: Final = "register"
REGISTERS: Final = "registers"
MACRO: Final = "macro"


class DocumentSymbol(NamedTuple):
    """A named part of the file: `span` is all of it, `name_span` its name.

    `written_name` is the name in a template, where no distance from a label can be told.
    """

    name: str
    kind: str
    detail: str
    span: Span
    name_span: Span
    children: tuple[DocumentSymbol, ...] = ()
    written_name: str = ""
