"""Bytes that are not UTF-8. Files are read with a lone surrogate for each such byte."""

from __future__ import annotations

import re

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.diagnostics import Diagnostic
from ipu_asm.diagnostics.errors import SYNTAX_ERROR
from ipu_asm.isa.model import Isa
from ipu_asm.text import Span

_BYTE = re.compile("[\udc80-\udcff]")
_BEFORE_BYTES = 0xDC00
# Lower codes are control characters in Latin-1.
_FIRST_LETTER = 0xA0


def is_undecodable(_isa: Isa, bundle: Bundle) -> bool:
    """Return whether a bundle's slice, comments included, has such bytes."""
    text = bundle.syntax.text
    return not text.isascii() and _BYTE.search(text) is not None


def undecodable_byte(bundle: Bundle) -> Diagnostic:
    """Return the finding about the first such byte in a bundle that has one."""
    match = _BYTE.search(bundle.syntax.text)
    assert match is not None
    byte = ord(match[0]) - _BEFORE_BYTES
    letter = f" (`{chr(byte)}` in Latin-1)" if byte >= _FIRST_LETTER else ""
    message = f"expected UTF-8, found the byte 0x{byte:02X}{letter}; save the file as UTF-8"
    return Diagnostic(SYNTAX_ERROR, message, Span(*match.span()))


def is_broken_by_bytes(bundle: Bundle) -> bool:
    """Return whether such bytes are in the code itself, where they may cause other findings."""
    return any(not word.isascii() and _BYTE.search(word) for word in bundle.syntax.words)
