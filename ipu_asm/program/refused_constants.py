"""Constants that a program defines although its instruction set has none, as `.equ N 128` does.

The definition is the mistake. The operands that use its name are not further ones.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Iterable

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.diagnostics import Diagnostic
from ipu_asm.diagnostics.errors import (
    SYNTAX_ERROR,
    UNDEFINED_LABEL,
    UNKNOWN_KEYWORD,
    UNKNOWN_MNEMONIC,
    WRONG_OPERAND_TYPE,
)
from ipu_asm.isa.model import Isa

_OF_DEFINITIONS: Final = frozenset({SYNTAX_ERROR, UNKNOWN_MNEMONIC})
_OF_USES: Final = frozenset({WRONG_OPERAND_TYPE, UNKNOWN_KEYWORD, UNDEFINED_LABEL})
_NAME: Final = r"[A-Za-z_][\w.]*"
_DIRECTIVE: Final = ".equ"


def defines_constants(isa: Isa, bundle: Bundle) -> bool:
    """Return whether a bundle has definitions of constants, in a set without them."""
    return bool(bundle.findings) and bool(_constants_in(isa, bundle))


def refused_constants(isa: Isa, bundles: Iterable[Bundle]) -> frozenset[str]:
    """Return the names of the constants that bundles define."""
    return frozenset().union(*(_constants_in(isa, bundle) for bundle in bundles))


def is_use(finding: Diagnostic, text: str, constants: frozenset[str]) -> bool:
    """Return whether a finding about a text is about an operand that is the name of a constant."""
    start, end = finding.span
    return finding.rule in _OF_USES and text[start:end] in constants


def _constants_in(isa: Isa, bundle: Bundle) -> frozenset[str]:
    if _DIRECTIVE not in isa.surface.hints:
        return frozenset()
    definition, text = _definition(isa), bundle.syntax.text
    found: set[str] = set()
    for finding in bundle.findings:
        if finding.rule not in _OF_DEFINITIONS:
            continue
        start = finding.span.start
        begin = max(text.rfind("\n", 0, start), text.rfind(isa.surface.separator, 0, start)) + 1
        match = definition.match(text, begin)
        name = match[match.lastindex or 0] if match else ""
        if name and name.lower() not in isa.file_of_register:
            found.add(name)
    return frozenset(found)


@lru_cache(maxsize=8)
def _definition(isa: Isa) -> re.Pattern[str]:
    """The statement of a definition: `.equ N 128`, `let N = 128`, `N equ 128` or `N = 128`.

    A directive whose name is also that of an instruction has a mark, as `.set` does.
    """
    advice = isa.surface.hints[_DIRECTIVE]
    names = [key[1:] for key, hint in isa.surface.hints.items() if hint == advice and key[0] == "."]
    words = "|".join(name for name in names if isa.spec(name) is None)
    marked = rf"[.%@`](?:{'|'.join(names)})\b|(?:{words}|let|var)\b"
    return re.compile(
        rf"[ \t]*(?:(?:{marked})[ \t]+({_NAME})|({_NAME})[ \t]+\.?(?:{words})\b"
        rf"|({_NAME})[ \t]*=(?!=))"
    )
