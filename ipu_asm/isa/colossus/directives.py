"""Documentation of the Colossus assembler's directives, one sentence each."""

from __future__ import annotations

from typing import Mapping

from ipu_asm.isa.directives import COMMON

DIRECTIVES: Mapping[str, str] = {
    **COMMON,
    ".allow_invalid_execution_mode": (
        "From here on an instruction of the other execution mode is no error."
    ),
    ".allow_invalid_operands": "From here on wrong operands are no errors.",
    ".allow_invalid_repeat": "From here on a body that `rpt` cannot repeat is no error.",
    ".allow_optimizations": "From here on a half of a bundle may stand in the wrong lane.",
    ".dc.l": "Puts 32-bit values here.",
    ".error_on_invalid_bundles": "From here on bundles whose halves do not go together are errors.",
    ".error_on_invalid_operands": "From here on wrong operands are errors, as they are at first.",
    ".supervisor": "What follows is code of the supervisor, which has no aux pipeline.",
    ".warn_on_invalid_bundles": (
        "From here on bundles whose halves do not go together are only warnings."
    ),
    ".worker": "What follows is code of workers.",
}
