"""Steps of bundles, as the description of their instructions states them."""

from __future__ import annotations

from functools import lru_cache
from typing import Iterable, Iterator, Mapping, Sequence

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.bundle.operand_matching import Instruction
from ipu_asm.config.kernel_keys import NAMED_VALUES, WIDE
from ipu_asm.flow.accesses import LIVE, reads_of
from ipu_asm.flow.control_run.steps import (
    Access,
    Branch,
    NeededBits,
    Requirement,
    ScalarRegisters,
    Step,
    Sum,
    UnsupportedProgramError,
    Update,
    WindowRead,
)
from ipu_asm.isa.model import InstructionSpec, Isa
from ipu_asm.isa.scalar import Condition, Term, operands_named
from ipu_asm.isa.storage import signed
from ipu_asm.program.program import Program

_REGISTER_BYTES = 4


@lru_cache(maxsize=8)
def scalar_registers(isa: Isa) -> ScalarRegisters:
    """Return the scalar registers of an instruction set; none if it does not describe them."""
    changed: dict[str, None] = {}
    named: dict[str, None] = {}
    for spec in isa.instructions.values():
        for operand in spec.operands if spec.scalar is not None else ():
            registers = scalars_of(isa, getattr(operand.type, "registers", ()))
            assert spec.scalar is not None
            if operand.name in operands_named(spec.scalar):
                named.update(dict.fromkeys(registers))
            if operand.name in spec.scalar.computes:
                changed.update(dict.fromkeys(registers))
    return ScalarRegisters(tuple({**changed, **named}), len(changed))


@cached_on_bundle
def effects_on_scalars(isa: Isa, bundle: Bundle) -> tuple[int, int, int]:
    """Return the registers whose old values a bundle reads, that it writes, and reads when new.

    They are bit sets of the scalar registers that instructions change, in their order.
    """
    names = scalar_registers(isa)
    changing = names.names[: names.changing]
    old, new, writes = (
        sum(1 << n for n, register in enumerate(changing) if register in units)
        for units in reads_of(isa, bundle)
    )
    return old, writes, new


def scalars_of(isa: Isa, registers: Iterable[str]) -> list[str]:
    """Return the registers, in order, of which pairs consist; others as they are."""
    found = {}
    for register in registers:
        found.update(dict.fromkeys(sorted(isa.units(register), key=_natural)))
    return list(found)


def _natural(name: str) -> tuple[int, str]:
    return len(name), name


def mode_of(presets: Mapping[str, int]) -> int:
    """Return the number of the mode of the machine in a configuration of the host."""
    if not presets:
        return 0
    return presets.get(WIDE, 0)


def steps_of(program: Program, mode: int = 0) -> list[Step]:
    """Return the step of each address in a mode. Raises `UnsupportedProgramError`."""
    if program.isa.has_exposed_pipeline:
        raise UnsupportedProgramError("results that land later")
    targets = {reference.bundle: reference.target for reference in program.references}
    found = []
    for number in program.bundle_at_address:
        step = _step_in(mode, program.isa, program.bundles[number])
        if step.branch is not None and step.branch.indirect < 0:
            target = targets.get(number)
            if target is None:
                raise UnsupportedProgramError("a branch without a target")
            step = step._replace(branch=step.branch._replace(target=target))
        found.append(step)
    return found


@cached_on_bundle
def _step(isa: Isa, bundle: Bundle) -> Step:
    """Return the step of a bundle in mode 0, without the target of its branch."""
    return _reader(isa, 0).step(bundle)


@cached_on_bundle
def _steps_in_modes(_isa: Isa, _bundle: Bundle) -> dict[int, Step]:
    """Return the steps of a bundle in other modes, which are filled in as they are needed."""
    return {}


def _step_in(mode: int, isa: Isa, bundle: Bundle) -> Step:
    if not mode:
        return _step(isa, bundle)
    known = _steps_in_modes(isa, bundle)
    if mode not in known:
        known[mode] = _reader(isa, mode).step(bundle)
    return known[mode]


class _Reader:
    def __init__(self, isa: Isa, mode: int) -> None:
        self._isa = isa
        self._mode = mode
        registers = scalar_registers(isa)
        self._registers = registers.positions
        self._changing = registers.changing
        self._positions: dict[str, list[int]] = {}

    def step(self, bundle: Bundle) -> Step:
        updates: list[Update] = []
        accesses: list[Access] = []
        windows: list[WindowRead] = []
        needs: list[Requirement] = []
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
                needs += self._requirements(spec, instruction, place) if spec.scalar.needs else ()
            if spec.flow == "halt":
                halts = True
            elif spec.flow in ("branch", "jump", "indirect"):
                branch = self._branch(spec, instruction)
        fixed: list[Requirement] = []
        required: list[Requirement] = []
        for need in needs:
            is_fixed = all(register >= self._changing for register in need.registers)
            (fixed if is_fixed else required).append(need)
        return Step(
            tuple(updates),
            tuple(accesses),
            branch,
            halts,
            tuple(windows),
            tuple(fixed),
            tuple(required),
        )

    def _updates(self, spec: InstructionSpec, instruction: Instruction) -> Iterator[Update]:
        assert spec.scalar is not None
        for name, (terms, exponent, byte) in spec.scalar.computes.items():
            if byte:
                added = self._byte(instruction, byte)
                for register in self._registers_of(instruction, name):
                    yield Update(register, (0, ((register, 1),)), added=added)
                continue
            modulus = 1 << self._number(instruction, exponent) if exponent else 0
            sum_ = self._sum(instruction, terms)
            yield Update(self._register(instruction, name), sum_, modulus)

    def _accesses(
        self, spec: InstructionSpec, instruction: Instruction, place: int
    ) -> Iterator[Access]:
        assert spec.scalar is not None
        for kind, size, memory, terms in spec.scalar.accesses:
            space = self._isa.spaces[memory]
            unit = space.row(self._mode)
            constant, registers = self._sum(instruction, terms)
            bases = tuple(register for register, _ in registers if register >= self._changing)
            terms_ = tuple((r, factor * unit) for r, factor in registers if r < self._changing)
            offset = constant * unit, terms_
            highest = None if space.wraps else space.highest(size or unit, self._mode)
            yield Access(place, kind, size or unit, memory, space, offset, bases, highest, unit)

    def _windows(
        self, spec: InstructionSpec, instruction: Instruction, place: int
    ) -> Iterator[WindowRead]:
        assert spec.scalar is not None
        for size, memory, operand, is_clipped, file in spec.scalar.windows:
            if not file or self._file_of(instruction, operand) == file:
                register = self._register(instruction, operand)
                parts = (memory, *self._isa.spaces[memory].parts)
                is_live = any(spec.reads.get(part) == LIVE for part in parts)
                modulus = self._isa.spaces[memory].size
                yield WindowRead(place, size, memory, register, is_clipped, is_live, modulus)

    def _requirements(
        self, spec: InstructionSpec, instruction: Instruction, place: int
    ) -> Iterator[Requirement]:
        assert spec.scalar is not None
        for name, low, bits, numbers, first_byte, words, is_certain in spec.scalar.needs:
            if not all(self._is_word(instruction, each, among) for each, among in words):
                continue
            if not name:
                yield Requirement(place, -1, (NeededBits(0, 0, ()),), True)
                continue
            registers = self._registers_of(instruction, name)  # none for a number
            is_live = _is_live(spec, name)
            if not first_byte:
                for register in registers:
                    one = (NeededBits(low, bits, numbers),)
                    yield Requirement(place, register, one, is_live, is_certain=is_certain)
                continue
            first, *_ = self._registers_of(instruction, first_byte) or [-1]
            skipped = 0 if first >= 0 else self._number(instruction, first_byte)
            for half, register in enumerate(registers):
                bytes_ = range(max(0, skipped - _REGISTER_BYTES * half), _REGISTER_BYTES)
                needed = tuple(
                    NeededBits(bits * byte, bits, numbers, _REGISTER_BYTES * half + byte)
                    for byte in bytes_
                )
                yield Requirement(place, register, needed, is_live, first)

    def _is_word(self, instruction: Instruction, name: str, words: Sequence[str]) -> bool:
        """Return whether an operand, or the mode of the machine, is one of some words."""
        word = _word_of(instruction, name)
        if word is None:
            if name not in NAMED_VALUES:
                raise UnsupportedProgramError(f"{instruction.mnemonic} without `{name}`")
            return NAMED_VALUES[name][self._mode] in words
        return word.lower() in words

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
        for name, sign, bits, is_signed in terms:
            if bits:
                value = self._number(instruction, name)
                constant += sign * (signed(value, bits) if is_signed else value % (1 << bits))
            else:
                registers.append((self._register(instruction, name), sign))
        return constant, tuple(registers)

    def _byte(self, instruction: Instruction, name: str) -> Sum:
        """Return the sum of which the lowest byte is that of an operand."""
        if self._registers_of(instruction, name):
            return 0, ((self._register(instruction, name), 1),)
        return self._number(instruction, name), ()

    @staticmethod
    def _number(instruction: Instruction, name: str) -> int:
        value = instruction.value(name)
        if not isinstance(value, int):
            raise UnsupportedProgramError(f"{instruction.mnemonic} without a number")
        return value

    def _register(self, instruction: Instruction, name: str) -> int:
        found = self._registers_of(instruction, name)
        if not found:
            raise UnsupportedProgramError(f"{instruction.mnemonic} without a register")
        return found[0]

    def _registers_of(self, instruction: Instruction, name: str) -> list[int]:
        """Return the register of an operand, or those of a pair; also of a register by its name."""
        word = _word_of(instruction, name)
        word = (name if word is None else word).lower()
        found = self._positions.get(word)
        if found is None:
            names = scalars_of(self._isa, [word])
            found = [self._registers[each] for each in names if each in self._registers]
            if found:  # other words, of which there may be any number, name no register
                self._positions[word] = found
        return found

    def _file_of(self, instruction: Instruction, name: str) -> str:
        """Return the register file of the register in an operand; empty if it names none."""
        word = _word_of(instruction, name)
        file = self._isa.file_of_register.get(word.lower()) if word is not None else None
        return file.name if file is not None else ""


_reader = lru_cache(maxsize=8)(_Reader)


def _word_of(instruction: Instruction, name: str) -> str | None:
    for operand, word in zip(instruction.operands, instruction.words[1:]):
        if operand is not None and operand.name == name:
            return word
    return None


def _is_live(spec: InstructionSpec, name: str) -> bool:
    """Return whether an operand is read after the bundle's own updates; registers that are none."""
    reads = [operand.read for operand in spec.operands if operand.name == name]
    return spec.reads.get(name, *reads or [LIVE]) == LIVE
