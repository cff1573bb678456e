"""Webs: the writes of a register that some read may see together, and all reads of these.

A register is renamed or removed by webs, since different webs of a register have nothing in common.
"""

from __future__ import annotations

from typing import Iterator, Mapping, Sequence

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.bundle.operand_matching import Instruction
from ipu_asm.flow.accesses import LIVE, accesses_of
from ipu_asm.flow.control_flow import solve, successors_of
from ipu_asm.flow.control_run.step_reading import scalar_registers
from ipu_asm.flow.packing.layout import Place
from ipu_asm.isa.model import InstructionSpec, Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program

START: Place = (-1, -1)
"""Stands for the write of a register before the program starts."""


class Read(NamedTuple):
    """An operand that reads a register; a live one sees what its bundle writes."""

    address: int
    instruction: int
    operand: int
    register: str
    is_live: bool

    @property
    def place(self) -> Place:
        return self.address, self.instruction


class Web(NamedTuple):
    """Writes of a register, `START` among them if it is read unwritten, and the reads of these."""

    register: str
    writes: frozenset[Place]
    reads: tuple[Read, ...]

    @property
    def uses(self) -> list[Read]:
        """The reads but for those of the web's own updates, such as `incr`."""
        return [read for read in self.reads if read.place not in self.writes]


class Webs(NamedTuple):
    """All webs of a program; which writes a read may see, and which reads may see a write."""

    webs: Sequence[Web]
    seen: Mapping[Read, frozenset[Place]]
    readers: Mapping[Place, frozenset[Read]]

    def web_of(self, read: Read) -> Web:
        return next(web for web in self.webs if read in web.reads)


class _Effects(NamedTuple):
    """The reads of a bundle, as instruction, operand, register and liveness; and its writes."""

    reads: tuple[tuple[int, int, str, bool], ...]
    writes: Mapping[str, int]


_State = Mapping[str, frozenset[Place]]


def webs_of(program: Program) -> Webs:
    """Return the webs of registers that can change, as far as the program can be reached."""
    effects = [
        _effects(program.isa, program.bundles[number]) for number in program.bundle_at_address
    ]
    before = _reaching(program, effects)
    seen: dict[Read, frozenset[Place]] = {}
    for address, (reads, writes) in enumerate(effects):
        state = before.get(address)
        for number, operand, register, is_live in reads:
            read = Read(address, number, operand, register, is_live)
            writer = writes.get(register, number)
            if is_live and writer != number:
                seen[read] = frozenset({(address, writer)})
            elif state is not None:
                seen[read] = state[register]
    readers: dict[Place, set[Read]] = {}
    for read, places in seen.items():
        for place in places - {START}:
            readers.setdefault(place, set()).add(read)
    webs = list(_webs(effects, seen))
    return Webs(webs, seen, {place: frozenset(reads) for place, reads in readers.items()})


def _webs(effects: Sequence[_Effects], seen: Mapping[Read, frozenset[Place]]) -> Iterator[Web]:
    """Join the writes that a read sees, and those of an update with what it updates."""
    parent: dict[tuple[str, Place], tuple[str, Place]] = {}

    def root(key: tuple[str, Place]) -> tuple[str, Place]:
        while parent.setdefault(key, key) != key:
            key = parent[key]
        return key

    for address, (_, writes) in enumerate(effects):
        for register, number in writes.items():
            root((register, (address, number)))
    for read, places in seen.items():
        joined = [(read.register, place) for place in places]
        if effects[read.address].writes.get(read.register) == read.instruction:
            joined.append((read.register, read.place))
        for key in joined[1:]:
            parent[root(key)] = root(joined[0])
        root(joined[0])
    groups: dict[tuple[str, Place], tuple[set[Place], list[Read]]] = {}
    for register, place in parent:
        groups.setdefault(root((register, place)), (set(), []))[0].add(place)
    for read, places in seen.items():
        groups[root((read.register, next(iter(places))))][1].append(read)
    for (register, _), (places_, reads) in groups.items():
        yield Web(register, frozenset(places_), tuple(sorted(reads)))


def _reaching(program: Program, effects: Sequence[_Effects]) -> dict[int, _State]:
    """Return the writes that reach each address that control reaches."""
    successors = successors_of(program)
    assert successors is not None
    names = scalar_registers(program.isa)
    start = dict.fromkeys(names.names[: names.changing], frozenset({START}))

    def after(address: int, state: _State) -> _State:
        writes = effects[address].writes
        return {
            register: frozenset({(address, writes[register])}) if register in writes else places
            for register, places in state.items()
        }

    def join(one: _State, other: _State) -> _State:
        return {register: one[register] | other[register] for register in one}

    return solve(successors, {0: start} if effects else {}, after, join)


@cached_on_bundle
def _effects(isa: Isa, bundle: Bundle) -> _Effects:
    names = scalar_registers(isa)
    changing = frozenset(names.names[: names.changing])
    reads, writes = [], {}
    for access in accesses_of(isa, bundle):
        register = access.register.lower()
        if register not in changing:
            continue
        if access.writes:
            writes[register] = access.instruction
        if access.reads:
            is_live = access.timing.read == LIVE
            reads.append((access.instruction, access.operand, register, is_live))
    return _Effects(tuple(reads), writes)


class ConstantUpdate(NamedTuple):
    """An instruction that sets a register to `value`, or steps it by that.

    `operand` is the number of the operand with the value, which has `bits`.
    """

    is_step: bool
    value: int
    operand: int
    bits: int

    def fits(self, value: int) -> bool:
        """Return whether the operand can have another value."""
        half = 1 << (self.bits - 1)
        return -half <= value < half


def computes(instruction: Instruction) -> bool:
    """Return whether an instruction does nothing but update such a register."""
    spec = instruction.spec
    return spec is not None and spec.scalar is not None and bool(spec.scalar.computes)


def instruction_at(program: Program, place: Place) -> Instruction:
    address, number = place
    return program.bundles[program.bundle_at_address[address]].instructions[number]


def constant_update(program: Program, place: Place) -> ConstantUpdate | None:
    """Return the constant that an instruction sets or steps by; None if it does another thing."""
    instruction = instruction_at(program, place)
    spec = instruction.spec
    form = None if spec is None else _form(spec)
    if form is None:
        return None
    is_step, name, bits = form
    value = instruction.value(name)
    if not isinstance(value, int):
        return None
    half = 1 << (bits - 1)
    return ConstantUpdate(is_step, (value + half) % (2 * half) - half, _position(spec, name), bits)


def setting_text(isa: Isa, register: str, value: int) -> str | None:
    """Return the instruction that sets a register to a number; None if there is none."""
    for spec in isa.instructions.values():
        form = _form(spec)
        if form is not None and not form[0] and _position(spec, form[1]) == 1:
            half = 1 << (form[2] - 1)
            return f"{spec.mnemonic} {register} {value}" if -half <= value < half else None
    return None


def _form(spec: InstructionSpec) -> tuple[bool, str, int] | None:
    """Return whether an instruction steps a register, and the name and the bits of its constant."""
    if spec.scalar is None or len(spec.scalar.computes) != 1:
        return None
    [(target, (terms, exponent, byte))] = spec.scalar.computes.items()
    numbers = [term for term in terms if term.bits and term.sign > 0 and term.is_signed]
    others = [(term.operand, term.sign) for term in terms if not term.bits]
    if exponent or byte or len(numbers) != 1 or len(numbers) + len(others) < len(terms):
        return None
    if others not in ([], [(target, 1)]):
        return None
    return bool(others), numbers[0].operand, numbers[0].bits


def _position(spec: InstructionSpec | None, name: str) -> int:
    assert spec is not None
    return next(n for n, operand in enumerate(spec.operands) if operand.name == name)
