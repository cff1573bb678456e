"""Programs that people wrote: the examples, and the snippets of the documents."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from ipu_asm import analyze
from ipu_asm.targets.ipu.instruction_spec import INSTRUCTION_SPEC

ROOT = Path(__file__).resolve().parents[1]

# The bundles with which the instruction reference and "Adding Instructions" show instructions, but
# for the store whose offset is a config register; and in front of them the labels that they need.
DOCUMENTED = """\
end: different: smaller: zero: loop: start:
set lr0 0x1000;;
ldr_mult_reg r0 lr0 cr0;;
xmem.store_aaq_result lr0 cr0;;
mult.ee r0 lr0 lr1 lr2;;
mult.ev r0 lr0 lr1 lr2;;
mult.ve r0 lr0 lr1 lr2 lr3;;
mult.ve.cr lr0 lr15 lr15 cr3;;
mult.ve.aaq lr0 lr15 lr15 aaq1;;
acc.first;;
acc.add_aaq aaq0;;
acc.add_aaq.first aaq0;;
acc.max aaq0;;
acc.max.first aaq0;;
acc.stride 8 off off lr0;;
agg sum value cr0 aaq0;;
aaq;;
incr lr0 1;;
add lr0 lr1 lr2;;
sub lr0 lr1 lr2;;
beq lr0 lr1 end;;
bne lr0 lr1 different;;
blt lr0 lr1 smaller;;
bnz lr3 lr0 loop;;
bz lr0 lr1 zero;;
b start;;
break.ifeq lr0 10;;
"""


@lru_cache(maxsize=1)
def example_kernels() -> dict[str, str]:
    """The kernels in `examples`, by file name; templates expanded in each of their contexts."""
    kernels = {}
    for path in sorted((ROOT / "examples").iterdir()):
        if path.suffix in (".s", ".ipu", ".asm"):
            analysis = analyze(path.read_bytes().decode("utf-8"))
            if not analysis.expanded:
                kernels[path.name] = analysis.text
            for expansion, _ in analysis.expanded:
                kernels[f"{path.name} {expansion.context}"] = expansion.text
    return kernels


def instruction_examples() -> dict[str, str]:
    """The example in each instruction's documentation, by mnemonic; only where there is one."""
    return {
        mnemonic: entry["doc"].example
        for entries in INSTRUCTION_SPEC.values()
        for mnemonic, entry in entries.items()
        if entry["doc"].example
    }


def documented_bundles() -> dict[str, str]:
    """Each bundle of the documents by its line, with a definition of every label in front."""
    first, *bundles = DOCUMENTED.splitlines()
    labels = "".join(f"{label} acc;;\n" for label in first.split())
    return {bundle: labels + bundle for bundle in bundles}
