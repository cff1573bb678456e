"""The description of XDNA2."""

from __future__ import annotations

from functools import lru_cache

from ipu_asm.isa.forms import build_forms
from ipu_asm.isa.model import Isa
from ipu_asm.targets.aie.description import Engine, description_of
from ipu_asm.targets.xdna2.instruction_spec import FORMS
from ipu_asm.targets.xdna2.manifest import MANIFEST
from ipu_asm.targets.xdna2.registers import CLASSES, FAMILIES, PAIR_NAMES

EXAMPLES = {
    "vmac.f": "vmac.f dm0, dm0, ex0, ex2, r0",
    "vmov": "vmov x1, x0",
    "vlda.conv.fp32.bf16": "vlda.conv.fp32.bf16 cml0, [p0], #64",
    "vst.conv.bf16.fp32": "vst.conv.bf16.fp32 cml0, [p2], #64",
}
LINK_CYCLE = None
# Callee-saved scalar registers.
KEPT = range(8, 16)
SCRATCH = range(28, 30)


@lru_cache(maxsize=1)
def load() -> Isa:
    """Return the instruction set, built from the forms of its tables."""
    return build_forms(
        description_of(
            Engine(
                "xdna2",
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
