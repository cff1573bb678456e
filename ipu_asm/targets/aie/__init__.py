"""Shared by both generations of AI Engines: syntax, operand types, documentation, the machine.

A bundle is one source line with at most one operation for each of six units. Source:
"Instruction Set Architecture" of XDNA1 and XDNA2, and the vendor's compiler where they differ.
"""

from __future__ import annotations

# Parts of the manifests, which start-up reads: nothing else is imported here.
LANGUAGE_ID = "aie-asm"
LANGUAGE_NAME = "AMD AI Engine Assembly"
MODIFIERS = ("lda", "ldb", "st", "alu", "mv", "vec", "lng", "nop")
