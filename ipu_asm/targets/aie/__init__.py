"""Shared by both generations of AI Engines: syntax, operand types and documentation of forms.

A bundle is one source line with at most one operation for each of six units. Source:
"Instruction Set Architecture" of XDNA1 and XDNA2, and the vendor's compiler where they differ.
There is no encoding and no emulator.
"""

from __future__ import annotations

# Parts of the manifests, which start-up reads: nothing else is imported here.
LANGUAGE_ID = "aie-asm"
LANGUAGE_NAME = "AMD AI Engine Assembly"
MODIFIERS = ("lda", "ldb", "st", "alu", "mv", "vec", "lng", "nop")
