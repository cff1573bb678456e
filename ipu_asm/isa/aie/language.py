"""Language ID, language name and modifiers that all AI Engine sets share."""

from __future__ import annotations

LANGUAGE_ID = "aie-asm"
LANGUAGE_NAME = "AMD AI Engine Assembly"
MODIFIERS = ("lda", "ldb", "st", "alu", "mv", "vec", "lng", "nop")
