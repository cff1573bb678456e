"""Graphcore Colossus: a tile's main and aux pipelines, for all generations of the IPU.

Source: the vendor's instruction signatures, pipelines and execution modes, its assembler's tests,
and the "Writing vertices in assembly" document for memory and bundles. Nothing here executes it.
"""

from __future__ import annotations

from functools import lru_cache

from ipu_asm.isa.colossus.description import FORMS, SURFACE
from ipu_asm.isa.colossus.registers import MEMORIES, REGISTER_FILES, UNITS, ZEROS
from ipu_asm.isa.forms import FormsDescription, build_forms, unit_slot
from ipu_asm.isa.model import Isa

RULES = (
    "wrong_lane",
    "write_clash",
    "repeat_body",
    "repeat_misaligned",
    "wrong_mode",
    "stands_alone",
    "half_bundle",
    "outside_memory",
    "misaligned_access",
    "not_interleaved",
    "code_outside_region",
)


@lru_cache(maxsize=1)
def load() -> Isa:
    """Colossus as `instruction_spec` lists it."""
    return build_forms(
        FormsDescription(
            name="colossus",
            title="Graphcore Colossus",
            surface=SURFACE,
            slots=(unit_slot("main", "Main pipeline"), unit_slot("aux", "Aux pipeline")),
            forms=FORMS,
            register_files=REGISTER_FILES,
            units_of=UNITS,
            rules=RULES,
            zeros=frozenset(ZEROS),
            memories=MEMORIES,
        )
    )
