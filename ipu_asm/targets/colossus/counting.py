"""What Colossus counts with: constants, decrementing branches and `rpt`.

`brnzdec` tests its register before it decrements it, so that a loop that begins with N there has
N + 1 iterations. Counters of `rpt` have 12 bits on the smallest tiles.
"""

from __future__ import annotations

from typing import Any, Mapping

from ipu_asm.isa.counting import Counting, CountingFacts, RepeatLimits, counting_facts
from ipu_asm.targets.colossus.registers import ALIASES, group

COUNTING = Counting(
    registers=frozenset(group("m", number, 1) for number in range(15)),
    links=frozenset((ALIASES["$lr"],)),
    repeats=RepeatLimits(bundle_bytes=8, most=4095),
)

# By the form as `instruction_spec` has it.
_FACTS: Mapping[str, Mapping[str, Any]] = {
    "add $mDst0 $mSrc0 $mSrc1": {"computes": {"mDst0": "mSrc0 + mSrc1"}},
    "add $mDst0 $mSrc0 imm16": {"computes": {"mDst0": "mSrc0 + sext16(imm16)"}},
    "sub $mDst0 $mSrc0 neg16": {"computes": {"mDst0": "mSrc0 - sext16(neg16)"}},
    "mov $mDst0 $mSrc0": {"computes": {"mDst0": "mSrc0"}},
    "zero $mDst0": {"computes": {"mDst0": "0"}},
    "setzi $mDst0 symbol20": {"computes": {"mDst0": "symbol20"}},
    "ldconst $mDst0 imm32": {"computes": {"mDst0": "imm32"}},
    "brnz $mSrc0 target19": {"branch": "mSrc0 != 0"},
    "brz $mSrc0 target19": {"branch": "mSrc0 == 0"},
    "brnzdec $mSrcDst0 target19": {
        "branch": "mSrcDst0 != 0",
        "computes": {"mSrcDst0": "mSrcDst0 - 1"},
    },
    "br $mSrc0": {"pointer": "mSrc0"},
    "rpt $mSrc0 bundles8": {"repeat": ("mSrc0", "bundles8")},
    "rpt zimm12 bundles8": {"repeat": ("zimm12", "bundles8")},
}


def facts_of(form: str) -> CountingFacts | None:
    """Return the facts of a form, None if it has none."""
    entry = _FACTS.get(form)
    return None if entry is None else counting_facts(entry)
