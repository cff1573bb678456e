"""The scalar part of each bundle, with registers as positions in a list of values."""

from __future__ import annotations

from functools import lru_cache
from typing import Iterator, NamedTuple, Sequence

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.bundle.instruction import Instruction
from ipu_asm.flow.accesses import LIVE
from ipu_asm.flow.control_run.values import Value, plus
from ipu_asm.isa.model import InstructionSpec, Isa
from ipu_asm.isa.scalar import Condition, Term, operands_named
from ipu_asm.isa.storage import AddressSpace
from ipu_asm.program.program import Program

Sum = tuple[int, tuple[tuple[int, int], ...]]
"""A constant, and registers with their factors."""


def value_of(sum_: Sum, values: Sequence[Value]) -> Value:
    """Return a sum of values, without reducing it modulo 2^32."""
    constant, registers = sum_
    if not constant and len(registers) == 1 and registers[0][1] == 1:
        return values[registers[0][0]]
    total: Value = constant
    for register, factor in registers:
        value = values[register]
        if type(value) is int and type(total) is int:  # four in five bundles have only numbers
            total += factor * value
        else:
            total = plus(total, value, factor)
    return total


class Update(NamedTuple):
    """A register that gets the value of a sum of the values before the bundle."""

    register: int
    sum: Sum


class Access(NamedTuple):
    """An access of a memory at an offset from base registers.

    `offset` is a sum of values after the bundle's own updates. `bases` are the registers in the
    address that no instruction can change; all registers count as unsigned. `instruction` is the
    number of the instruction in its bundle.
    """

    instruction: int
    kind: str
    size: int
    memory: str
    space: AddressSpace
    offset: Sum
    bases: tuple[int, ...]


class WindowRead(NamedTuple):
    """A read of `size` elements of a register, from the number in a scalar register on.

    A `live` read sees what the bundle itself loads.
    """

    instruction: int
    size: int
    memory: str
    register: int
    is_clipped: bool
    is_live: bool


class Branch(NamedTuple):
    """A branch that is taken if a relation holds; without a relation it is always taken.

    `target` is an address; None: that in the register `indirect`.
    """

    relation: str = ""
    left: int = 0
    right: int = 0
    target: int | None = None
    indirect: int = -1


class Step(NamedTuple):
    """What one bundle does to scalar registers, which memory it accesses, where control goes.

    Besides, for analyses that look at every bundle: a bit set of the `registers` that it reads or
    writes; the numbers of the accesses that are `stores` to memory without wrapping; and those
    whose offset is a single register that the bundle steps, with the register and the step.
    """

    updates: tuple[Update, ...] = ()
    accesses: tuple[Access, ...] = ()
    branch: Branch | None = None
    halts: bool = False
    windows: tuple[WindowRead, ...] = ()
    registers: int = 0
    stores: tuple[int, ...] = ()
    stepped: tuple[tuple[int, int, int], ...] = ()

    @property
    def compared(self) -> int:
        """The number of registers that the branch looks at."""
        if self.branch is None:
            return 0
        return 2 if self.branch.relation else int(self.branch.indirect >= 0)

    @property
    def first_window(self) -> int:
        """The place of the first window among the values of an execution."""
        return self.compared + len(self.accesses)

    @property
    def first_observed(self) -> int:
        """The place of the first observed register among the values of an execution."""
        return self.first_window + len(self.windows)


class UnsupportedProgramError(Exception):
    """The program has errors, or the description does not state what an instruction computes."""


class ScalarRegisters(NamedTuple):
    """The registers that control and addresses depend on; the first `changing` can change."""

    names: tuple[str, ...]
    changing: int

    @property
    def positions(self) -> dict[str, int]:
        """The position of each register, by its name."""
        return {name: position for position, name in enumerate(self.names)}


@lru_cache(maxsize=8)
def scalar_registers(isa: Isa) -> ScalarRegisters:
    """Return the scalar registers of an instruction set; none if it does not describe them."""
    changed: dict[str, None] = {}
    named: dict[str, None] = {}
    for spec in isa.instructions.values():
        for operand in spec.operands if spec.scalar is not None else ():
            registers = getattr(operand.type, "registers", ())
            assert spec.scalar is not None
            if operand.name in operands_named(spec.scalar):
                named.update(dict.fromkeys(registers))
            if operand.name in spec.scalar.computes:
                changed.update(dict.fromkeys(registers))
    return ScalarRegisters(tuple({**changed, **named}), len(changed))


def steps_of(program: Program) -> list[Step]:
    """Return the step of each address. Raises `UnsupportedProgramError`."""
    targets = {reference.bundle: reference.target for reference in program.references}
    found = []
    for number in program.bundle_at_address:
        step = _step(program.isa, program.bundles[number])
        if step.branch is not None and step.branch.indirect < 0:
            target = targets.get(number)
            if target is None:
                raise UnsupportedProgramError("a branch without a target")
            step = step._replace(branch=step.branch._replace(target=target))
        found.append(step)
    return found


@cached_on_bundle
def _step(isa: Isa, bundle: Bundle) -> Step:
    """Return the step of a bundle, without the target of its branch."""
    return _reader(isa).step(bundle)


class _Reader:
    def __init__(self, isa: Isa) -> None:
        self._isa = isa
        registers = scalar_registers(isa)
        self._registers = registers.positions
        self._changing = registers.changing

    def step(self, bundle: Bundle) -> Step:
        updates: list[Update] = []
        accesses: list[Access] = []
        windows: list[WindowRead] = []
        branch, halts = None, False
        for place, instruction in enumerate(bundle.instructions):
            spec = instruction.spec
            if spec is None:
                raise UnsupportedProgramError(f"unknown instruction {instruction.mnemonic}")
            if instruction.is_idle:
                continue
            if spec.scalar is not None:
                updates += self._updates(spec, instruction)
                accesses += self._accesses(spec, instruction, place)
                windows += self._windows(spec, instruction, place)
            if spec.flow == "halt":
                halts = True
            elif spec.flow in ("branch", "jump", "indirect"):
                branch = self._branch(spec, instruction)
        step = Step(tuple(updates), tuple(accesses), branch, halts, tuple(windows))
        return step._replace(
            registers=sum(1 << each for each in _registers_of(step)),
            stores=tuple(n for n, each in enumerate(accesses) if _is_store(each)),
            stepped=tuple(_stepped(step)),
        )

    def _updates(self, spec: InstructionSpec, instruction: Instruction) -> Iterator[Update]:
        assert spec.scalar is not None
        for name, terms in spec.scalar.computes.items():
            yield Update(self._register(instruction, name), self._sum(instruction, terms))

    def _accesses(
        self, spec: InstructionSpec, instruction: Instruction, place: int
    ) -> Iterator[Access]:
        assert spec.scalar is not None
        for kind, size, memory, terms in spec.scalar.accesses:
            constant, registers = self._sum(instruction, terms)
            bases = tuple(register for register, _ in registers if register >= self._changing)
            offset = tuple(term for term in registers if term[0] < self._changing)
            space = self._isa.spaces[memory]
            yield Access(place, kind, size, memory, space, (constant, offset), bases)

    def _windows(
        self, spec: InstructionSpec, instruction: Instruction, place: int
    ) -> Iterator[WindowRead]:
        assert spec.scalar is not None
        for size, memory, operand, is_clipped in spec.scalar.windows:
            register = self._register(instruction, operand)
            is_live = spec.reads.get(memory) == LIVE
            yield WindowRead(place, size, memory, register, is_clipped, is_live)

    def _branch(self, spec: InstructionSpec, instruction: Instruction) -> Branch:
        if spec.flow == "indirect":
            names = [operand.name for operand in spec.operands if operand.read]
            return Branch(indirect=self._register(instruction, names[0]))
        if spec.flow == "jump":
            return Branch()
        condition: Condition | None = spec.scalar.condition if spec.scalar else None
        if condition is None:
            raise UnsupportedProgramError(f"the condition of {spec.mnemonic} is not described")
        left = self._register(instruction, condition.left)
        right = self._register(instruction, condition.right)
        return Branch(condition.relation, left, right)

    def _sum(self, instruction: Instruction, terms: tuple[Term, ...]) -> Sum:
        constant = 0
        registers: list[tuple[int, int]] = []
        for name, sign, bits in terms:
            if bits:
                value = instruction.value(name)
                if not isinstance(value, int):
                    raise UnsupportedProgramError(f"{instruction.mnemonic} without a number")
                constant += sign * _sign_extended(value, bits)
            else:
                registers.append((self._register(instruction, name), sign))
        return constant, tuple(registers)

    def _register(self, instruction: Instruction, name: str) -> int:
        for operand, word in zip(instruction.operands, instruction.words[1:]):
            if operand is not None and operand.name == name:
                register = self._registers.get(word.lower())
                if register is not None:
                    return register
        raise UnsupportedProgramError(f"{instruction.mnemonic} without a register")


_reader = lru_cache(maxsize=8)(_Reader)


def _registers_of(step: Step) -> set[int]:
    sums = [*(update.sum for update in step.updates), *(each.offset for each in step.accesses)]
    found = {register for _, terms in sums for register, _ in terms}
    found.update(update.register for update in step.updates)
    found.update(window.register for window in step.windows)
    for access in step.accesses:
        found.update(access.bases)
    branch = step.branch
    if branch is not None:
        found.update((branch.left, branch.right) if branch.relation else ())
        found.update((branch.indirect,) if branch.indirect >= 0 else ())
    return found


def _sign_extended(value: int, bits: int) -> int:
    half = 1 << (bits - 1)
    return (value + half) % (1 << bits) - half


def _is_store(access: Access) -> bool:
    return access.kind == "write" and not access.space.wraps


def _stepped(step: Step) -> Iterator[tuple[int, int, int]]:
    for number, access in enumerate(step.accesses):
        constant, terms = access.offset
        if access.space.wraps or not access.bases or constant or len(terms) != 1:
            continue
        register, factor = terms[0]
        for update in step.updates:
            by, added = update.sum
            if factor == 1 and update.register == register and added == ((register, 1),):
                yield number, register, by
