"""The description of Graphcore Colossus."""

from __future__ import annotations

from functools import lru_cache

from ipu_asm.isa.forms import FormsDescription, build_forms, unit_slot
from ipu_asm.isa.model import Isa
from ipu_asm.isa.storage import CodeSizes
from ipu_asm.targets.colossus.counting import COUNTING
from ipu_asm.targets.colossus.forms import FORMS
from ipu_asm.targets.colossus.manifest import MANIFEST
from ipu_asm.targets.colossus.registers import MEMORIES, REGISTER_FILES, UNITS, ZEROS
from ipu_asm.targets.colossus.surface import SURFACE


@lru_cache(maxsize=1)
def load() -> Isa:
    """Return the instruction set, built from the forms in `instruction_spec`."""
    return build_forms(
        FormsDescription(
            name="colossus",
            title=MANIFEST.title,
            surface=SURFACE,
            slots=(unit_slot("main", "Main pipeline"), unit_slot("aux", "Aux pipeline")),
            forms=FORMS,
            register_files=REGISTER_FILES,
            units_of=UNITS,
            zeros=frozenset(ZEROS),
            memories=MEMORIES,
            counting=COUNTING,
            code_sizes=CodeSizes(single=4, bundle=8, no_op="nop"),
        )
    )
