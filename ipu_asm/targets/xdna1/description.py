"""The description of XDNA1."""

from __future__ import annotations

from functools import lru_cache

from ipu_asm.isa.forms import build_forms
from ipu_asm.isa.model import Isa
from ipu_asm.targets.aie.description import Engine, description_of
from ipu_asm.targets.xdna1.instruction_spec import FORMS
from ipu_asm.targets.xdna1.manifest import MANIFEST
from ipu_asm.targets.xdna1.registers import CLASSES, FAMILIES, PAIR_NAMES

EXAMPLES = {"vmac.f": "vmac.f bmh0, bmh0, x0, x2, r0", "vmov": "vmov x0, x2"}
LINK_CYCLE = 4
# Callee-saved scalar registers.
KEPT = range(16, 24)
SCRATCH = range(8, 16)


@lru_cache(maxsize=1)
def load() -> Isa:
    """Return the instruction set, built from the forms of its tables."""
    return build_forms(
        description_of(
            Engine(
                "xdna1",
                MANIFEST.title,
                FAMILIES,
                CLASSES,
                PAIR_NAMES,
                FORMS,
                LINK_CYCLE,
                KEPT,
                SCRATCH,
                EXAMPLES,
            )
        )
    )
