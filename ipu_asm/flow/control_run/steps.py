"""What a step is: the scalar part of a bundle, with registers as positions in a list of values."""

from __future__ import annotations

from typing import Sequence

from ipu_asm.flow.control_run.values import Value, byte_sums, modulo, plus, reduced, unsigned
from ipu_asm.isa.storage import AddressSpace
from ipu_asm.named_tuple import NamedTuple

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
    """A register that gets the value of a sum of the values before the bundle.

    With a `modulus` the sum is reduced by it. With `added`, the lowest byte of that sum is added to
    each byte, as a signed number, and each byte stays in 0..255.
    """

    register: int
    sum: Sum
    modulus: int = 0
    added: Sum | None = None

    @property
    def is_sum(self) -> bool:
        """Whether the new value is the sum itself."""
        return not self.modulus and self.added is None

    @property
    def guards(self) -> int:
        """The number of values that decide whether it acts like a sum."""
        return 9 if self.added is not None else int(self.modulus > 0)

    def value(self, values: Sequence[Value]) -> Value:
        total = value_of(self.sum, values)
        if self.modulus:
            return modulo(total, self.modulus)
        if self.added is not None:
            return byte_sums(reduced(total), value_of(self.added, values))
        return reduced(total)


class Access(NamedTuple):
    """An access of a memory at an offset from base registers.

    `offset` is a sum of values after the bundle's own updates, in bytes. `bases` are the registers
    in the address that no instruction can change, in units of `unit` bytes; all registers count as
    unsigned. It faults at addresses above `highest`, if that is not None. `instruction` is the
    number of the instruction in its bundle.
    """

    instruction: int
    kind: str
    size: int
    memory: str
    space: AddressSpace
    offset: Sum
    bases: tuple[int, ...]
    highest: int | None
    unit: int = 1

    def base(self, registers: Sequence[Value]) -> Value:
        """Return the sum of the base registers, in bytes."""
        base: Value = 0
        for register in self.bases:
            value = registers[register]
            value = unsigned(value) if isinstance(value, int) else value
            value = value if self.unit == 1 else plus(0, value, self.unit)
            base = value if base == 0 else plus(base, value)
        return base


class WindowRead(NamedTuple):
    """A read of `size` elements of a register, from the number in a scalar register on.

    A `live` read sees what the bundle itself loads. Numbers count modulo `modulus`.
    """

    instruction: int
    size: int
    memory: str
    register: int
    is_clipped: bool
    is_live: bool
    modulus: int = 1


class NeededBits(NamedTuple):
    """Bits of a register of which the value is one of `numbers`, or the instruction faults.

    They only count where a requirement's `first` is at most `number`.
    """

    low: int
    bits: int
    numbers: tuple[range, ...]
    number: int = 0

    def holds(self, value: int) -> bool:
        bits = value >> self.low & ((1 << self.bits) - 1)
        return any(bits in numbers for numbers in self.numbers)


class Requirement(NamedTuple):
    """What must hold of a register, or the instruction `instruction` of the bundle faults.

    What counts is its value after the bundle's own updates if it `is_live`, else the one before.
    Without a register, -1, it never holds. `first` is a live register that says which bits count.
    Unless `is_certain`, the instruction may not fault.
    """

    instruction: int
    register: int
    needed: tuple[NeededBits, ...]
    is_live: bool
    first: int = -1
    is_certain: bool = True

    @property
    def registers(self) -> tuple[int, ...]:
        """The registers that decide whether it holds."""
        return tuple(each for each in (self.register, self.first) if each >= 0)

    def values(self, before: Sequence[Value], after: Sequence[Value]) -> tuple[Value, ...]:
        """Return the values of its registers, for those before and after the updates."""
        own = after if self.is_live else before
        found = (own[self.register],) if self.register >= 0 else ()
        return (*found, after[self.first]) if self.first >= 0 else found

    def broken(self, values: Sequence[Value]) -> NeededBits | None:
        """Return the bits that do not hold in `values`; None if all hold, or are not known."""
        if not all(isinstance(value, int) for value in values):
            return None
        own = values[0] if self.register >= 0 else 0
        first = values[-1] if self.first >= 0 else 0
        assert isinstance(own, int)
        assert isinstance(first, int)
        for each in self.needed:
            if unsigned(first) <= each.number and not each.holds(own):
                return each
        return None


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

    Of what must hold, `fixed` depends on registers that no instruction can change, `required` on
    others.
    """

    updates: tuple[Update, ...] = ()
    accesses: tuple[Access, ...] = ()
    branch: Branch | None = None
    halts: bool = False
    windows: tuple[WindowRead, ...] = ()
    fixed: tuple[Requirement, ...] = ()
    required: tuple[Requirement, ...] = ()

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
    def first_guard(self) -> int:
        """The place of the first guard among the values of an execution."""
        return self.first_window + len(self.windows)

    @property
    def first_required(self) -> int:
        """The place of the first value that must hold among the values of an execution."""
        return self.first_guard + sum([update.guards for update in self.updates])

    @property
    def first_observed(self) -> int:
        """The place of the first observed register among the values of an execution."""
        if not self.required:
            return self.first_required
        return self.first_required + sum(len(each.registers) for each in self.required)


class UnsupportedProgramError(Exception):
    """The program has errors, or the description does not state what an instruction computes."""


class ScalarRegisters(NamedTuple):
    """The registers that control and addresses depend on; the first `changing` can change."""

    names: tuple[str, ...]
    changing: int

    @property
    def positions(self) -> dict[str, int]:
        return {name: position for position, name in enumerate(self.names)}
