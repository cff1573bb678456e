"""Register accesses of instructions, their timing and latency. No other module determines these.

Registers are those that operands name, those that an instruction uses without naming them, and
state without a name in the text, such as an accumulator or the memory.

Latency is counted in bundles. A read in cycle `use_cycle` of an instruction sees a result that is
written in cycle `def_cycle` of another if it is issued at least ``def_cycle - use_cycle + 1``
bundles later; one less if both share a bypass. An earlier read sees the previous value. A branch
with delay slots takes effect after the last of them.
"""

from __future__ import annotations

from math import prod
from typing import Iterator, Mapping, Sequence

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.bundle.operand_matching import ON_MNEMONIC, Instruction, value_start
from ipu_asm.isa.model import InstructionSpec, Isa, Operand
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program
from ipu_asm.text import Span

LIVE = "live"
"""The time of a read that sees what earlier slots of the same bundle wrote."""


class AccessTiming(NamedTuple):
    """When a register is read and written: order inside of a bundle, and cycles.

    `read` is "live", or "snapshot" for a read before the writes of its bundle; None if the register
    is not read, or if the set has no order inside of a bundle. `use_cycle` is the cycle in which
    the value is read, `def_cycle` the one in which it is written (1 is the cycle of issue, None
    unknown). A write and a read with the same `bypass` can be one cycle closer.
    """

    read: str | None = None
    use_cycle: int | None = None
    def_cycle: int | None = None
    bypass: str = ""


class RegisterAccess(NamedTuple):
    """One register that an instruction reads ("r"), writes ("w"), does both ("rw") or only names.

    `instruction` is its number in the bundle, `operand` the number of the written operand that
    names the register, `ON_MNEMONIC` where none does; `start` and `end` are the place in the
    operand's text. Two accesses overlap if they share one of the `units`.
    """

    register: str
    units: frozenset[str]
    access: str
    instruction: int
    operand: int
    start: int
    end: int
    timing: AccessTiming = AccessTiming()

    @property
    def reads(self) -> bool:
        return "r" in self.access

    @property
    def writes(self) -> bool:
        return "w" in self.access


@cached_on_bundle
def accesses_of(isa: Isa, bundle: Bundle) -> tuple[RegisterAccess, ...]:
    """The register accesses of a bundle, by instruction and operand; unnamed registers last."""
    return tuple(
        access
        for number, instruction in enumerate(bundle.instructions)
        for access in instruction_accesses(isa, instruction, number)
    )


def instruction_accesses(
    isa: Isa, instruction: Instruction, number: int = 0
) -> Iterator[RegisterAccess]:
    """The register accesses of an instruction; none if it is unknown or does nothing."""
    spec = instruction.spec
    if spec is None or instruction.is_idle:
        return
    for place, operand in enumerate(instruction.operands):
        if operand is None:
            continue
        text = instruction.words[place + 1]
        offset = value_start(text)
        access, timing = access_of(spec, operand), _timing_of(spec, operand)
        for register, start, end, own_access in operand.type.names(text[offset:]):
            span = start + offset, end + offset
            units = isa.units(register)
            yield RegisterAccess(
                register, units, own_access or access, number, place, *span, timing
            )
    yield from _unnamed_accesses(isa, spec, number)
    if spec.register_reads:
        named = {
            operand.name: found
            for operand, value in zip(instruction.operands, instruction.values)
            if operand is not None and isinstance(value, int)
            if (found := operand.type.register_of(value)) is not None
        }
        yield from _reads_beside_registers(isa, spec, named, number)


def decoded_accesses(
    isa: Isa, spec: InstructionSpec, registers: Mapping[str, str]
) -> Iterator[RegisterAccess]:
    """The register accesses of a decoded instruction; `registers` has the register by operand.

    The numbers are those of the operands in `spec`; there is no text to point at.
    """
    for place, operand in enumerate(spec.operands):
        register = registers.get(operand.name)
        if register is not None:
            access, timing = access_of(spec, operand), _timing_of(spec, operand)
            yield RegisterAccess(register, isa.units(register), access, 0, place, 0, 0, timing)
    yield from _unnamed_accesses(isa, spec, 0)
    yield from _reads_beside_registers(isa, spec, registers, 0)


def _reads_beside_registers(
    isa: Isa, spec: InstructionSpec, registers: Mapping[str, str], number: int
) -> Iterator[RegisterAccess]:
    """The reads that an instruction has because an operand names a register of some file."""
    for (operand, file), reads in spec.register_reads.items():
        named = registers.get(operand)
        if named is not None and isa.file_of_register[named].name == file:
            for name, time in reads.items():
                place = (number, ON_MNEMONIC, 0, 0)
                yield RegisterAccess(name, isa.units(name), "r", *place, AccessTiming(time))


def _unnamed_accesses(isa: Isa, spec: InstructionSpec, number: int) -> Iterator[RegisterAccess]:
    """The accesses to implicit registers and to state that no operand names."""
    place = (number, ON_MNEMONIC, 0, 0)
    for each in spec.implicit:
        timing = AccessTiming(None, each.use_cycle, each.def_cycle, each.bypass)
        yield RegisterAccess(each.register, isa.units(each.register), each.access, *place, timing)
    for name in dict.fromkeys((*spec.reads, *spec.writes)):
        if spec.operand(name) is None:
            access = "r" * (name in spec.reads) + "w" * (name in spec.writes)
            timing = AccessTiming(spec.reads.get(name))
            yield RegisterAccess(name, isa.units(name), access, *place, timing)


def _timing_of(spec: InstructionSpec, operand: Operand) -> AccessTiming:
    read = operand.read or spec.reads.get(operand.name)
    return AccessTiming(read, operand.use_cycle, operand.def_cycle, operand.bypass)


def access_of(spec: InstructionSpec, operand: Operand) -> str:
    """Return the access to the registers that an operand names: "r", "w", "rw" or empty."""
    if operand.access:
        return operand.access
    is_read = operand.read or operand.name in spec.reads
    return "r" * bool(is_read) + "w" * (operand.name in spec.writes)


def access_span(bundle: Bundle, access: RegisterAccess) -> Span:
    """The span of the register's name in the bundle; of the mnemonic, if no operand names it."""
    if access.operand == ON_MNEMONIC:
        return bundle.span(access.instruction)
    return bundle.syntax.part_span(access.instruction, access.operand, access.start, access.end)


def cycles_of(instruction: Instruction) -> int | None:
    """The duration in cycles, where the spec states it as a product of operands over a number."""
    if instruction.spec is None or instruction.spec.cycles is None:
        return None
    names, divisor = instruction.spec.cycles
    values = [instruction.value(name) for name in names]
    numbers = [value for value in values if isinstance(value, int)]
    return max(1, -(-prod(numbers) // divisor)) if len(numbers) == len(values) else None


LATEST = 9
"""Upper bound in cycles for a write whose latency is unknown."""


class SlowWrite(NamedTuple):
    """A write whose result lands `latency` bundles later, in bundle number `lands_in`.

    `lands_in` is None if the text ends earlier.
    """

    access: RegisterAccess
    latency: int
    lands_in: int | None


class ReachingWrite(NamedTuple):
    """A write in bundle `number` before a read; it lands `remaining` bundles after the read."""

    number: int
    access: RegisterAccess
    remaining: int


def slow_writes(program: Program, number: int) -> Iterator[SlowWrite]:
    """The writes of a bundle whose results the next bundle does not see."""
    for access in accesses_of(program.isa, program.bundles[number]):
        latency = access.timing.def_cycle
        if access.writes and latency is not None and latency > 1:
            yield SlowWrite(access, latency, _behind(program, number, latency))


def reaching_writes(program: Program, number: int, read: RegisterAccess) -> list[ReachingWrite]:
    """The writes that land after a read in bundle `number`, nearest first, then the one it sees.

    Only straight-line code is considered; branches into it are not followed. For the write that is
    seen, `remaining` is 0; it is missing if it is too far away.
    """
    found: list[ReachingWrite] = []
    address = program.addresses[number]
    for distance in range(1, min(address, 2 * LATEST) + 1):
        before = program.bundle_at_address[address - distance]
        if program.bundles[before].flow in ("jump", "indirect"):
            break
        for access in accesses_of(program.isa, program.bundles[before]):
            if not access.writes or access.units.isdisjoint(read.units):
                continue
            needed = needed_distance(access, read)
            if needed is None:
                return found
            found.append(ReachingWrite(before, access, max(needed - distance, 0)))
            if needed <= distance and access.units >= read.units:
                return found
    return found


def needed_distance(write: RegisterAccess, read: RegisterAccess) -> int | None:
    """The least distance in bundles at which a read sees a write; None if a cycle is unknown."""
    if write.timing.def_cycle is None or read.timing.use_cycle is None:
        return None
    shared = bool(write.timing.bypass) and write.timing.bypass == read.timing.bypass
    return write.timing.def_cycle - read.timing.use_cycle + 1 - shared


def _behind(program: Program, number: int, bundles: int) -> int | None:
    address = program.addresses[number] + bundles
    return program.bundle_at_address[address] if address < program.size else None


class BundleReads(NamedTuple):
    """What a bundle does to registers: `old` reads see the values from before it, `new` reads those
    that it writes itself.
    """

    old: frozenset[str]
    new: frozenset[str]
    writes: frozenset[str]


@cached_on_bundle
def reads_of(isa: Isa, bundle: Bundle) -> BundleReads:
    """Return the registers, in parts that can be written alone, that a bundle reads and writes."""
    accesses = accesses_of(isa, bundle)
    writers: dict[str, set[int]] = {}
    for access in accesses:
        for unit in access.units if access.writes else ():
            writers.setdefault(unit, set()).add(access.instruction)
    old: set[str] = set()
    new: set[str] = set()
    for access in accesses:
        for unit in access.units if access.reads else ():
            others = writers.get(unit, set()) - {access.instruction}
            (new if others and access.timing.read == LIVE else old).add(unit)
    return BundleReads(frozenset(old), frozenset(new), frozenset(writers))


def live_registers(
    effects: Sequence[tuple[int, int]], successors: Sequence[Sequence[int]], at_end: int
) -> Sequence[int]:
    """Return the registers that are live after each address: some path reads them before a write.

    All registers are bit sets. `effects` are the old values that the bundle at each address reads,
    and those that it writes; those `at_end` are read where the program ends.
    """
    count = len(effects)
    # After the last address there is one more for the end.
    before = [0] * count + [at_end]
    behind = [0] * count
    backwards = [
        (n, *effects[n], [min(each, count) for each in successors[n]] or [count])
        for n in range(count - 1, -1, -1)
    ]
    heads = {each for n, following in enumerate(successors) for each in following if each <= n}
    is_stable = False
    while not is_stable:
        is_stable = True
        for address, old, writes, following in backwards:
            live = before[following[0]]
            for each in following[1:]:
                live |= before[each]
            behind[address] = live
            needed = old | (live & ~writes)
            if before[address] != needed:
                before[address] = needed
                is_stable = is_stable and address not in heads
    return behind
