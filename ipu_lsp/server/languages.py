"""The language ids by which editors name what a document is written in."""

from __future__ import annotations

from ipu_asm.config.isa_choice import DEFAULT_ISA
from ipu_asm.isa import manifests


def isa_of_language(language: str) -> str:
    """The instruction set that a language id stands for: for want of another, the default one.

    No instruction set is loaded to tell.
    """
    every = manifests()
    if language == every[DEFAULT_ISA].language_id:
        return DEFAULT_ISA
    meant = (name for name, manifest in every.items() if manifest.language_id == language)
    return next(meant, DEFAULT_ISA)
