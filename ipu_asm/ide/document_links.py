"""Document links: the files that includes name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ipu_asm.ide.names.lookup import includes_of
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import Span

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis


class DocumentLink(NamedTuple):
    """A span that names a file."""

    span: Span
    path: str


def document_links(analysis: Analysis) -> list[DocumentLink]:
    """Return a link for each include whose file is found, in source order."""
    return [DocumentLink(i.place.span, i.path) for i in includes_of(analysis) if i.path]
