"""The language ids by which editors name what a document is written in."""

from __future__ import annotations

from ipu_asm.isa import LANGUAGES, available_isas
from ipu_asm.isa_choice import DEFAULT_ISA


def isa_of_language(language: str) -> str:
    """The instruction set that a language id stands for: for want of another, the default one.

    No instruction set is loaded to tell.
    """
    if language == LANGUAGES[DEFAULT_ISA]:
        return DEFAULT_ISA
    meant = (name for name in available_isas() if LANGUAGES.get(name) == language)
    return next(meant, DEFAULT_ISA)
