"""What a run has kept busy: counts of the bundles with work for each part of the machine."""

from __future__ import annotations

from collections import Counter
from typing import Iterable, Sequence

from ipu_asm.emulator.decode import decode_in_order
from ipu_asm.isa import load_isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.targets.ipu2.machine.ipu2 import Ipu2


class Statistics(NamedTuple):
    """How many instructions other than `NOP` the slots have executed; both stores count alike."""

    mult_active: int
    acc_active: int
    xmem_reads: int
    xmem_writes: int


def statistics(words: Sequence[int | None], executed: Iterable[int]) -> Statistics:
    """Return the statistics of a run from program memory and the addresses that it executed."""
    isa, slots = load_isa("ipu2"), Counter[str]()
    for address, number in Counter(executed).items():
        word = words[address]
        if word is not None:
            for instruction in decode_in_order(isa, Ipu2.execution_order, word):
                slots[instruction.slot.name] += 0 if instruction.is_idle else number
    return Statistics(
        mult_active=slots["mult"],
        acc_active=slots["acc"],
        xmem_reads=slots["load"],
        xmem_writes=slots["store"] + slots["acc_store"],
    )
