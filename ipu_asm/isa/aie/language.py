"""The language that the sets of AMD's AI Engines share."""

from __future__ import annotations

LANGUAGE_ID = "aie-asm"
LANGUAGE_NAME = "AMD AI Engine Assembly"
MODIFIERS = ("lda", "ldb", "st", "alu", "mv", "vec", "lng", "nop")
