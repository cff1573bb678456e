"""The macros that a header defines, as symbols of the workspace."""

from __future__ import annotations

import re
from typing import Final, Iterator

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import SourceFile, Span

_DEFINITION: Final = re.compile(
    r"^[ \t]*(?:#[ \t]*define[ \t]+([A-Za-z_]\w*)(?:\(|[ \t]+(?![\r\n]|//|/\*))"
    r"|\.macro[ \t]+([A-Za-z_][\w.]*))",
    re.MULTILINE,
)


class HeaderSymbol(NamedTuple):
    """A macro and the span of its name."""

    name: str
    span: Span


def header_symbols(file: SourceFile) -> Iterator[HeaderSymbol]:
    """Yield the macros of a header in source order, whatever conditions they are in.

    Those without a replacement, such as include guards, are left out.
    """
    for match in _DEFINITION.finditer(file.text):
        group = 1 if match[1] else 2
        yield HeaderSymbol(match[group], Span(*match.span(group)))
