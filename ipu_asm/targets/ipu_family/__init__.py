"""Shared by the generations of the IPU: syntax, registers, and advice about other assemblers.

Their programs are files of one language: they share their extensions.
"""

from __future__ import annotations

# Parts of the manifests, which start-up reads: nothing else is imported here.
LANGUAGE_ID = "ipu-asm"
LANGUAGE_NAME = "IPU Assembly"
PROGRAM_LIMIT = 1024
