"""Documentation of the AI Engine assembler's directives, one sentence each."""

from __future__ import annotations

from typing import Mapping

from ipu_asm.isa.directives import COMMON

DIRECTIVES: Mapping[str, str] = {
    **COMMON,
    ".addrsig": "Asks for a table of the names whose addresses matter.",
    ".addrsig_sym": "Says that the address of a name matters, so that no other may share it.",
}
