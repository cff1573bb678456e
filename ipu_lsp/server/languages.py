"""The language ids by which editors name what a document is written in."""

from __future__ import annotations

from functools import lru_cache

from ipu_asm.isa import available_isas, load_isa
from ipu_asm.isa_choice import DEFAULT_ISA


@lru_cache(maxsize=64)
def isa_of_language(language: str) -> str:
    """The instruction set that a language id stands for: for want of another, the default one."""
    if language == load_isa(DEFAULT_ISA).surface.language_id:
        return DEFAULT_ISA
    for name in available_isas():
        if load_isa(name).surface.language_id == language:
            return name
    return DEFAULT_ISA
