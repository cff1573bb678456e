"""Time inside a bundle: which of its instructions see what the others write.

The slots of a bundle run one after the other. What an instruction reads "live" it sees as earlier
slots have left it; what it reads from the "snapshot" is as it was before the bundle.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Collection, Iterator, NamedTuple

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.bundle.instruction import Instruction
from ipu_asm.flow.dataflow import effects_of
from ipu_asm.isa.model import Isa
from ipu_asm.reports.markdown import inline_code

STATE = -1
# A bundle without mistakes has fewer.
_MOST_NAMED = 8


class Access(NamedTuple):
    """A register or a piece of state that an instruction of a bundle reads, writes or both.

    `operand` is the number of the written operand, `STATE` for what the text does not name.
    """

    instruction: int
    operand: int
    name: str
    read: str | None
    written: bool


def accesses_of(isa: Isa, bundle: Bundle) -> list[Access]:
    """All accesses of a bundle, instruction by instruction."""
    return [
        access
        for number, instruction in enumerate(bundle.instructions)
        for access in _accesses(isa, number, instruction)
    ]


def written_by(isa: Isa, instruction: Instruction) -> list[str]:
    """The registers and state that an instruction writes, by name."""
    return [access.name for access in _accesses(isa, 0, instruction) if access.written]


def sentences_about_operand(isa: Isa, bundle: Bundle, instruction: int, operand: int) -> list[str]:
    """What time means for one written operand: the sentences are complete."""
    if not _is_shared(isa):
        return []
    every = accesses_of(isa, bundle)
    sentences = []
    for access in every:
        if (access.instruction, access.operand) != (instruction, operand):
            continue
        if access.read and not access.written:
            if access.name in _writable(isa):
                sentences.append(_sentence_about_reading(bundle, access, every))
        elif access.written:
            sentences.append(_sentence_about_writing(bundle, access, every))
    return sentences


def lines_about_instruction(isa: Isa, bundle: Bundle, instruction: int) -> list[str]:
    """What an instruction and the others of its bundle see of each other's writes.

    A line for each register or state, none for what only one instruction touches.
    """
    every = accesses_of(isa, bundle)
    mine = [access for access in every if access.instruction == instruction]
    lines: dict[str, None] = {}
    for access in mine:
        for writer in _writers(access, every)[:_MOST_NAMED]:
            lines[_line_about_reading(bundle, access, writer)] = None
    for access in mine:
        seen = _what_readers_see(bundle, access, every) if access.written else ""
        if seen:
            lines[f"`{access.name}`, written here: {seen}"] = None
    return list(lines)


class Sighting(NamedTuple):
    """A read of something that another instruction of the bundle writes, and what it sees."""

    access: Access
    is_new: bool


def sightings(isa: Isa, bundle: Bundle) -> list[Sighting]:
    """The reads for which time inside the bundle matters, instruction by instruction."""
    every = accesses_of(isa, bundle)
    # Not `_writers`: a bundle that lacks its end mark may have thousands of instructions.
    writers: dict[str, set[int]] = {}
    for access in every:
        if access.written:
            writers.setdefault(access.name, set()).add(access.instruction)
    return [
        Sighting(read, read.read == "live")
        for read in every
        if _may_meet(read) and _has_other(writers.get(read.name, ()), read.instruction)
    ]


def _is_shared(isa: Isa) -> bool:
    """Whether a bundle can carry more than one instruction at all."""
    return sum(slot.capacity for slot in isa.slots) > 1


def _accesses(isa: Isa, number: int, instruction: Instruction) -> Iterator[Access]:
    if instruction.spec is None or instruction.is_idle:
        return
    effects = effects_of(instruction)
    named = set()
    for place, operand in enumerate(instruction.operands):
        if operand is None:
            continue
        named.add(operand.name)
        value = instruction.values[place]
        read, written = effects.reads.get(operand.name), operand.name in effects.writes
        if isinstance(value, int) and (read or written):
            register = operand.type.format(value)
            if register in isa.file_of_register:
                yield Access(number, place, register, read, written)
    for name in dict.fromkeys((*effects.reads, *effects.writes)):
        if name not in named and instruction.spec.operand(name) is None:
            yield Access(number, STATE, name, effects.reads.get(name), name in effects.writes)


def _meet(read: Access, write: Access) -> bool:
    """Whether a read either sees or just misses a write: one of another instruction.

    An instruction that changes what it reads live is alone with it: there is one such a bundle.
    """
    if not write.written or not _may_meet(read):
        return False
    return read.name == write.name and read.instruction != write.instruction


def _may_meet(read: Access) -> bool:
    """Whether a read can see or miss a write of another instruction at all."""
    return bool(read.read) and not (read.written and read.read == "live")


def _has_other(numbers: Collection[int], number: int) -> bool:
    return len(numbers) > (number in numbers)


def _writers(read: Access, every: list[Access]) -> list[Access]:
    return [access for access in every if _meet(read, access)]


def _sentence_about_reading(bundle: Bundle, access: Access, every: list[Access]) -> str:
    writers = _writers(access, every)
    if access.read == "live":
        if writers:
            return f"Sees the **new** value: {_listed(bundle, writers, 'comes', 'come')} first."
        return (
            f"A write in this bundle would count, but nothing here writes `{access.name}`: "
            "the value from before."
        )
    if writers:
        late = _listed(bundle, writers, "comes", "come")
        return f"Sees the **old** value, from before this bundle: {late} too late."
    return "The value from before this bundle; a write in it would come too late."


def _sentence_about_writing(bundle: Bundle, access: Access, every: list[Access]) -> str:
    what = "Read and written here" if access.read else "Written here"
    seen = _what_readers_see(bundle, access, every)
    return f"{what}: {seen}." if seen else f"{what}; nothing else in this bundle reads it."


def _line_about_reading(bundle: Bundle, access: Access, writer: Access) -> str:
    text = _listed(bundle, [writer], "comes", "come")
    if access.read == "live":
        return f"`{access.name}` is **new**: {text} first"
    return f"`{access.name}` is **old**: {text} too late"


def _what_readers_see(bundle: Bundle, written: Access, every: list[Access]) -> str:
    readers = [access for access in every if _meet(access, written)]
    parts = []
    for time, value in (("live", "new"), ("snapshot", "old")):
        group = [access for access in readers if access.read == time]
        if group:
            parts.append(f"{_listed(bundle, group, 'sees', 'see')} the **{value}** value")
    return ", ".join(parts)


def _listed(bundle: Bundle, accesses: list[Access], verb: str, plural: str) -> str:
    """The instructions of some accesses as written, with the verb in their number."""
    words = (bundle.instructions[access.instruction].words for access in accesses)
    texts = list(dict.fromkeys(inline_code(" ".join(text)) for text in words))[:_MOST_NAMED]
    if len(texts) == 1:
        return f"{texts[0]} {verb}"
    return f"{', '.join(texts[:-1])} and {texts[-1]} {plural}"


@lru_cache(maxsize=16)
def _writable(isa: Isa) -> frozenset[str]:
    """The registers that some instruction can write."""
    return frozenset(
        choice.text
        for spec in isa.instructions.values()
        for operand in spec.operands
        if operand.name in spec.writes
        for choice in operand.type.complete()
    )
