"""Sentences about timing inside a bundle: which instructions see what the others write.

The slots of a bundle execute in order. A "live" read sees the writes of earlier slots; a "snapshot"
read sees the value from before the bundle.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Collection, Sequence

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.bundle.operand_matching import ON_MNEMONIC
from ipu_asm.flow.accesses import LIVE, RegisterAccess, accesses_of
from ipu_asm.isa.model import Isa
from ipu_asm.reports.markdown import inline_code

# A valid bundle has fewer.
_MOST_NAMED = 8


def sentences_about_operand(isa: Isa, bundle: Bundle, instruction: int, operand: int) -> list[str]:
    """Return sentences about one operand: which value it sees, or which reads see its value."""
    if not _holds_several_instructions(isa):
        return []
    every = accesses_of(isa, bundle)
    sentences = []
    for access in every:
        if (access.instruction, access.operand) != (instruction, operand):
            continue
        if access.register not in _writable(isa):
            continue
        if access.writes:
            sentences.append(_sentence_about_writing(bundle, access, every))
        elif access.reads:
            sentences.append(_sentence_about_reading(bundle, access, every))
    return sentences


def remarks_by_operand(isa: Isa, bundle: Bundle, instruction: int) -> dict[int, list[str]]:
    """Return for each operand of an instruction which value it sees, or which reads see its value.

    Only registers that one instruction of the bundle writes and another reads have a remark. Those
    about registers that no operand names are under `ON_MNEMONIC`, and name their register.
    """
    every = accesses_of(isa, bundle)
    found: dict[int, dict[str, None]] = {}
    for access in every:
        if access.instruction != instruction:
            continue
        name = f"`{access.register}`" if access.operand == ON_MNEMONIC else ""
        seen_as, written = (
            (f"{name} is ", f"{name}, written here") if name else ("", "written here")
        )
        remarks = found.setdefault(access.operand, {})
        for writer in _writers(access, every)[:_MOST_NAMED]:
            remarks[f"{seen_as}{_remark_on_reading(bundle, access, writer)}"] = None
        seen = _what_readers_see(bundle, access, every) if access.writes else ""
        if seen:
            remarks[f"{written}: {seen}"] = None
    return {operand: list(remarks) for operand, remarks in found.items() if remarks}


def reads_of_changed_registers(isa: Isa, bundle: Bundle) -> list[RegisterAccess]:
    """Return the reads of registers that another instruction of the bundle writes."""
    every = accesses_of(isa, bundle)
    # Not `_writers`, which is quadratic: a bundle without end mark may have thousands of
    # instructions.
    writers: dict[str, set[int]] = {}
    for access in every:
        for unit in access.units if access.writes else ():
            writers.setdefault(unit, set()).add(access.instruction)
    return [
        read
        for read in every
        if _can_see_other_writes(read)
        and any(_has_other(writers.get(unit, ()), read.instruction) for unit in read.units)
    ]


def _holds_several_instructions(isa: Isa) -> bool:
    """Check whether a bundle can hold more than one instruction."""
    return sum(slot.capacity for slot in isa.slots) > 1


def _sees_or_misses(read: RegisterAccess, write: RegisterAccess) -> bool:
    """Check whether `read` sees or misses `write`, a write of another instruction.

    A read-modify-write of a live value does not count: a bundle has only one such instruction.
    """
    if not write.writes or not _can_see_other_writes(read):
        return False
    return read.instruction != write.instruction and not read.units.isdisjoint(write.units)


def _can_see_other_writes(read: RegisterAccess) -> bool:
    """Check whether a read can see or miss a write of another instruction."""
    return read.timing.read is not None and not (read.writes and read.timing.read == LIVE)


def _has_other(numbers: Collection[int], number: int) -> bool:
    return len(numbers) > (number in numbers)


def _writers(read: RegisterAccess, every: Sequence[RegisterAccess]) -> list[RegisterAccess]:
    return [access for access in every if _sees_or_misses(read, access)]


def _sentence_about_reading(
    bundle: Bundle, access: RegisterAccess, every: Sequence[RegisterAccess]
) -> str:
    writers = _writers(access, every)
    if access.timing.read == LIVE:
        if writers:
            return f"Sees the **new** value: {_listed(bundle, writers, 'comes', 'come')} first."
        return (
            f"A write in this bundle would be seen, but nothing here writes `{access.register}`: "
            "sees the value from before."
        )
    if writers:
        late = _listed(bundle, writers, "comes", "come")
        return f"Sees the **old** value, from before this bundle: {late} too late."
    return "Sees the value from before this bundle; a write in it would come too late."


def _sentence_about_writing(
    bundle: Bundle, access: RegisterAccess, every: Sequence[RegisterAccess]
) -> str:
    what = "Read and written here" if access.reads else "Written here"
    seen = _what_readers_see(bundle, access, every)
    return f"{what}: {seen}." if seen else f"{what}; nothing else in this bundle reads it."


def _remark_on_reading(bundle: Bundle, access: RegisterAccess, writer: RegisterAccess) -> str:
    text = _listed(bundle, [writer], "comes", "come")
    return f"**new**: {text} first" if access.timing.read == LIVE else f"**old**: {text} too late"


def _what_readers_see(
    bundle: Bundle, written: RegisterAccess, every: Sequence[RegisterAccess]
) -> str:
    readers = [access for access in every if _sees_or_misses(access, written)]
    parts = []
    for time, value in (("live", "new"), ("snapshot", "old")):
        group = [access for access in readers if access.timing.read == time]
        if group:
            parts.append(f"{_listed(bundle, group, 'sees', 'see')} the **{value}** value")
    return ", ".join(parts)


def _listed(bundle: Bundle, accesses: list[RegisterAccess], verb: str, plural: str) -> str:
    """Return the instructions of some accesses in source form, followed by the verb that agrees."""
    words = (bundle.instructions[access.instruction].words for access in accesses)
    texts = list(dict.fromkeys(inline_code(" ".join(text)) for text in words))[:_MOST_NAMED]
    if len(texts) == 1:
        return f"{texts[0]} {verb}"
    return f"{', '.join(texts[:-1])} and {texts[-1]} {plural}"


@lru_cache(maxsize=16)
def _writable(isa: Isa) -> frozenset[str]:
    """Return the registers that at least one instruction can write."""
    return frozenset(
        choice.text
        for spec in isa.instructions.values()
        for operand in spec.operands
        if operand.name in spec.writes
        for choice in operand.type.complete()
    )
