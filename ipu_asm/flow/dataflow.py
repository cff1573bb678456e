"""Where control goes and what bundles read and write: what lint and hover both ask."""

from __future__ import annotations

from bisect import bisect_left
from math import prod
from typing import Mapping, NamedTuple, Sequence

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.bundle.instruction import Instruction
from ipu_asm.bundle.matching import ON_MNEMONIC, value_start
from ipu_asm.isa.model import Implicit, InstructionSpec, Isa, Operand
from ipu_asm.program.program import Program, cached_on_program
from ipu_asm.text import Span


class Effects(NamedTuple):
    """What an instruction reads and writes, by operand or state name.

    `reads` maps a name to "live" (sees what earlier slots of the bundle wrote) or "snapshot" (sees
    the state before the bundle).
    """

    reads: dict[str, str]
    writes: tuple[str, ...]


def effects_of(instruction: Instruction) -> Effects:
    """The effects of an instruction; none if its mnemonic is unknown."""
    spec = instruction.spec
    if spec is None:
        return Effects({}, ())
    reads = {operand.name: operand.read for operand in spec.operands if operand.read}
    return Effects({**reads, **spec.reads}, spec.writes)


class RegisterAccess(NamedTuple):
    """One register that a bundle reads or writes, or both, and when.

    `operand` is the number of the written operand that names it, `ON_MNEMONIC` where none does;
    `start` and `end` are its place in the text of the operand. The cycles are those of `Operand`.
    """

    register: str
    units: frozenset[str]
    access: str
    instruction: int
    operand: int
    start: int
    end: int
    use_cycle: int | None = None
    def_cycle: int | None = None
    bypass: str = ""

    @property
    def reads(self) -> bool:
        """Whether the register is read."""
        return "r" in self.access

    @property
    def writes(self) -> bool:
        """Whether the register is written."""
        return "w" in self.access


@cached_on_bundle
def accesses_of(isa: Isa, bundle: Bundle) -> tuple[RegisterAccess, ...]:
    """The registers that a bundle touches, by instruction and operand, implicit ones last."""
    found: list[RegisterAccess] = []
    for number, instruction in enumerate(bundle.instructions):
        if instruction.spec is None:
            continue
        for place, operand in enumerate(instruction.operands):
            if operand is None:
                continue
            text = instruction.words[place + 1]
            text_start = value_start(text)
            spelt = access_of(instruction.spec, operand)
            for name in operand.type.names(text[text_start:]):
                where = (number, place, name.start + text_start, name.end + text_start)
                found.append(_touch(isa, name.register, name.access or spelt, where, operand))
        for each in instruction.spec.implicit:
            where = (number, ON_MNEMONIC, 0, 0)
            found.append(_touch(isa, each.register, each.access, where, each))
    return tuple(found)


def _touch(
    isa: Isa,
    register: str,
    access: str,
    where: tuple[int, int, int, int],
    timed: Operand | Implicit,
) -> RegisterAccess:
    cycles = (timed.use_cycle, timed.def_cycle, timed.bypass)
    return RegisterAccess(register, isa.units(register), access, *where, *cycles)


def access_span(bundle: Bundle, touch: RegisterAccess) -> Span:
    """Where a bundle names the register; the mnemonic, where it does so without an operand."""
    if touch.operand == ON_MNEMONIC:
        return bundle.span(touch.instruction)
    return bundle.syntax.part_span(touch.instruction, touch.operand, touch.start, touch.end)


def cycles_of(instruction: Instruction) -> int | None:
    """How long an instruction takes, where its operands tell: a product, divided by a number."""
    if instruction.spec is None or instruction.spec.cycles is None:
        return None
    names, divisor = instruction.spec.cycles
    values = [instruction.value(name) for name in names]
    numbers = [value for value in values if isinstance(value, int)]
    return max(1, -(-prod(numbers) // divisor)) if len(numbers) == len(values) else None


def access_of(spec: InstructionSpec, operand: Operand) -> str:
    """What an instruction does to the registers that an operand names: "r", "w", "rw" or empty."""
    if operand.access:
        return operand.access
    is_read = operand.read or operand.name in spec.reads
    return ("r" if is_read else "") + ("w" if operand.name in spec.writes else "")


class Step(NamedTuple):
    """One way on from an address: to its branch target, or `falls` to the next address."""

    origin: int
    target: int
    falls: bool


class Flow(NamedTuple):
    """Where control can go from address 0, by address, within instruction memory.

    `reachable` has a 1 for what some path may lead to. Where that cannot be told (an indirect or
    undefined branch, a broken bundle) `known` is false and everything counts as reachable.
    `certain` has a 1 for what a path leads to whatever those do. `leaving` are the steps of such
    paths that lead past the last bundle.
    """

    reachable: bytes
    known: bool
    certain: bytes
    leaving: tuple[Step, ...]


@cached_on_program
def flow_of(program: Program) -> Flow:
    """Follow control through the bundles that fit into instruction memory.

    Costs a look at each of those bundles, at the labels and the findings, not at the whole text.
    """
    size = min(program.size, program.isa.program_limit)
    everything = b"\x01" * size
    if any(_is_doubtful(bundle) for _, bundle in program.notable if bundle.findings):
        return Flow(everything, False, bytes(size), ())
    transfers = _transfers(program, size)
    exits, known = _exits(program, transfers)
    one_sided = [address for address, bundle in transfers.items() if _is_one_sided(bundle)]
    certain, leaving = _follow({**exits, **dict.fromkeys(one_sided, ())}, size)
    if not known:
        return Flow(everything, False, certain, leaving)
    reachable = _follow(exits, size)[0] if one_sided else certain
    return Flow(reachable, True, certain, leaving)


def falls_through(flow: str | None) -> bool:
    """Whether control can go on to the next address."""
    return flow in (None, "branch")


def _is_doubtful(bundle: Bundle) -> bool:
    """Whether it may stand for other bundles, or another number of them, than it seems to."""
    return bundle.is_broken or None in bundle.places


def _transfers(program: Program, size: int) -> dict[int, Bundle]:
    """The bundles that branch, jump or halt, by address, in order."""
    bundles = program.bundles[: bisect_left(program.addresses, size)]
    addresses = program.addresses
    return {addresses[number]: bundle for number, bundle in enumerate(bundles) if bundle.flow}


def _exits(
    program: Program, transfers: Mapping[int, Bundle]
) -> tuple[dict[int, Sequence[Step]], bool]:
    """The steps from each of those bundles, and whether these are all the steps there are."""
    addresses = program.addresses
    targets = {addresses[ref.bundle]: ref.target for ref in program.references}
    exits: dict[int, Sequence[Step]] = {}
    known = True
    for address, bundle in transfers.items():
        target = targets.get(address)
        steps = [Step(address, target, False)] if target is not None else []
        known = known and (bool(steps) or bundle.flow == "halt")
        if falls_through(bundle.flow):
            steps.append(Step(address, address + 1, True))
        exits[address] = steps
    return exits, known


def _is_one_sided(bundle: Bundle) -> bool:
    """Whether a branch compares a register with itself, so that one of its two ways is never taken.

    Which of the two depends on the comparison.
    """
    if bundle.flow != "branch":
        return False
    branch = next(i for i in bundle.instructions if i.spec is not None and i.spec.flow == "branch")
    if len(set(branch.values)) == len(branch.values):
        return False
    pairs = zip(branch.operands, branch.values)
    compared = [value for operand, value in pairs if operand is not None and operand.read]
    return len(compared) > 1 and len(set(compared)) == 1


def _follow(exits: Mapping[int, Sequence[Step]], size: int) -> tuple[bytes, tuple[Step, ...]]:
    """The addresses that steps lead to from 0, and the steps that lead past the last of them."""
    stops = list(exits)
    reached = bytearray(size)
    leaving: list[Step] = []
    waiting = [0] if size else []
    while waiting:
        address = waiting.pop()
        if reached[address]:
            continue
        place = bisect_left(stops, address)
        stop = stops[place] if place < len(stops) else size - 1
        steps = () if reached[stop] else exits.get(stop, (Step(stop, stop + 1, True),))
        reached[address : stop + 1] = b"\x01" * (stop + 1 - address)
        for step in steps:
            if step.target < size:
                waiting.append(step.target)
            else:
                leaving.append(step)
    return bytes(reached), tuple(leaving)
