"""An operation of a bundle, bound to a machine: its operands as functions that read and write.

A reader returns what its operand holds in the next cycle, in which operands are read that a form
marks with `@1`; an operand that is read later is read by the same function, called later.
"""

from __future__ import annotations

from typing import Any, Callable, Mapping, Sequence

from ipu_asm.assembler.machine_code import WrittenInstruction
from ipu_asm.emulator.stops import EmulatorError, UnknownResultError
from ipu_asm.isa.model import Operand
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.targets.aie.expressions import value_of
from ipu_asm.targets.aie.machine.deferred import Methods, Piece, Product
from ipu_asm.targets.aie.machine.semantics import Semantics
from ipu_asm.targets.aie.machine.state import (
    AT_RESET,
    RING,
    LateOperation,
    RegisterStorage,
    State,
)
from ipu_asm.targets.aie.operands import MARK, BracketType, SuffixedClass

Run = Callable[[], None]
"""Executes an operation. An effect is a function that returns it, bound to operands and state."""

Number = Callable[[], int]
Data = Callable[[], bytes]
NumberWriter = Callable[[int, int], None]
"""Writes a number that an operation issued in a cycle, the second argument, has computed."""

DataWriter = Callable[[bytes, int], None]
Warn = Callable[[str], None]
"""Takes a sentence for the user."""

_MASK = RING - 1
_NEXT_CYCLE = 1
_CARRY = "srcarry"
_FLAGS = ("sr", "crf")
"""How names of status registers begin that operations set."""


class Generation(NamedTuple):
    """What operations need to know of the generation that they are of.

    `landing_of` returns the cycle in which a result lands that its form does not state, by
    mnemonic. Registers of `families_without_bypass` have no bypass `MOV`, whatever the form says.
    For `shapes`, `float_shapes` and the functions, see `products`; modes of shuffles are less than
    `shuffle_modes`. With `defers_floats` products of floating-point numbers are computed later and
    together even in single steps: none of them can be refused.
    """

    storage: RegisterStorage
    landing_of: Callable[[str], int | None]
    families_without_bypass: frozenset[str]
    shapes: Mapping[tuple[int, int, int], Any]
    float_shapes: Mapping[tuple[int, int, int], Any]
    multiply_floats: Methods
    add_floats: Callable[[bytes, bytes, bool], bytes]
    defers_floats: bool
    shuffle_modes: int
    ups_saturates: bool


class Registers:
    """Makes readers and writers of registers, for the operation of a number in a bundle."""

    def __init__(
        self, storage: RegisterStorage, state: State, place: tuple[int, int], warn: Warn
    ) -> None:
        self._storage = storage
        self._state = state
        self._pc, self._number = place
        self._warn = warn

    def number(self, name: str, bypass: str) -> Number:
        """Return the reader of a register as a number."""
        storage, cells = self._storage, self._state.cells
        parts = storage.parts_named(name)
        if len(parts) == 1 and not bypass and not storage.parts[parts[0]].is_vector:
            part = parts[0]
            return lambda: cells[part][1]
        values = self._values(parts, bypass)
        return lambda: storage.joined(parts, values())

    def data(self, name: str, bypass: str) -> Data:
        """Return the reader of a register as bytes."""
        storage, cells = self._storage, self._state.cells
        parts = storage.parts_named(name)
        values = self._values(parts, bypass)
        if not all(storage.parts[part].is_vector for part in parts):
            sizes = [storage.parts[part].bits // 8 for part in parts]
            return lambda: b"".join(
                value if isinstance(value, bytes) else value.to_bytes(size, "little")
                for value, size in zip(values(), sizes)
            )
        state = self._state
        if len(parts) > 1 or bypass:

            def read() -> bytes:
                found = values()
                try:
                    return b"".join(found)
                except TypeError:  # a piece of a product
                    return state.products.joined(found)

            return read
        part = parts[0]

        def read_part() -> bytes:
            value = cells[part][1]
            return value if type(value) is bytes else state.products.known(value)

        return read_part

    def pieces(self, name: str, bypass: str) -> Callable[[], list[Any]]:
        """Return the reader of the values of a register's parts, pieces of products as they are."""
        return self._values(self._storage.parts_named(name), bypass)

    def _values(self, parts: Sequence[int], bypass: str) -> Callable[[], list[Any]]:
        state = self._state
        cells, flight = state.cells, state.flight
        if not bypass:
            return lambda: [cells[part][1] for part in parts]

        def values() -> list[Any]:
            found = [cells[part][1] for part in parts]
            for write in flight[state.cycle + 1 & _MASK]:
                if write[5] == bypass and write[0] in parts:
                    found[parts.index(write[0])] = write[1]
            return found

        return values

    def number_writer(self, name: str, landing: int, bypass: str) -> NumberWriter:
        """Return what writes a number to a register, `landing` cycles after issue."""
        storage, flight, pc = self._storage, self._state.flight, self._pc
        parts = storage.parts_named(name)
        if len(parts) > 1 or storage.parts[parts[0]].is_vector:

            def write_parts(value: int, issue: int) -> None:
                land = issue + landing
                place = flight[land & _MASK]
                for number, cut in zip(parts, storage.split(parts, value)):
                    place.append((number, cut, land, issue, pc, bypass))

            return write_parts
        part, mask = parts[0], (1 << storage.parts[parts[0]].bits) - 1

        def write(value: int, issue: int) -> None:
            land = issue + landing
            flight[land & _MASK].append((part, value & mask, land, issue, pc, bypass))

        return write

    def data_writer(self, name: str, landing: int, bypass: str) -> DataWriter:
        """Return what writes bytes to a register; what is missing at the end is 0."""
        storage, flight, pc = self._storage, self._state.flight, self._pc
        pieces = []
        size = 0
        for number in storage.parts_named(name):
            part = storage.parts[number]
            pieces.append((number, slice(size, size + part.bits // 8), part.is_vector))
            size += part.bits // 8
        only = pieces[0][0] if len(pieces) == 1 and pieces[0][2] else None

        def write(data: bytes, issue: int) -> None:
            land = issue + landing
            if len(data) != size:
                data = data[:size].ljust(size, b"\0")
            place = flight[land & _MASK]
            if only is not None:
                place.append((only, data, land, issue, pc, bypass))
                return
            for number, where, is_vector in pieces:
                value = data[where] if is_vector else int.from_bytes(data[where], "little")
                place.append((number, value, land, issue, pc, bypass))

        return write

    def eraser(self, name: str, landing: int) -> Callable[[int], None]:
        """Return what makes the number in a register unknown, `landing` cycles after issue."""
        flight, pc = self._state.flight, self._pc
        (part,) = self._storage.parts_named(name)

        def erase(issue: int) -> None:
            land = issue + landing
            flight[land & _MASK].append((part, None, land, issue, pc, ""))

        return erase

    def product_writer(self, name: str, landing: int) -> Callable[[Product, int], None]:
        """Return what writes the pieces of a product that is computed later."""
        flight, pc = self._state.flight, self._pc
        pieces, start = [], 0
        for number in self._storage.parts_named(name):
            size = self._storage.parts[number].bits // 8
            pieces.append((number, slice(start, start + size)))
            start += size

        def write(product: Product, issue: int) -> None:
            land = issue + landing
            for number, where in pieces:
                value = Piece(product, where)
                flight[land & _MASK].append((number, value, land, issue, pc, ""))

        return write

    def tell_unwritten(self, name: str) -> None:
        """Warn of a register that is read before anything has written it."""
        state = self._state
        parts = self._storage.parts_named(name)
        if any(state.cells[part][2] != AT_RESET for part in parts):
            return
        awaited = {write.part for write in state.writes_in_flight()}
        awaited |= {part for _, late in state.late_operations() for part, _ in late.targets}
        if awaited.isdisjoint(parts):
            self._warn(f"`{name}` is read before anything has written it; it counts as 0")

    def later(
        self, cycle: int, finish: Callable[[Any, int], None], targets: Sequence[tuple[int, int]]
    ) -> Callable[[Any], None]:
        """Return what calls `finish` when operands are read that many cycles after issue.

        Where results of operations land in one cycle, that of the last issued one stays.
        """
        state = self._state
        landings = sorted({landing for _, landing in targets})

        def finish_in_order(read: Any, issue: int) -> None:
            finish(read, issue)
            for landing in landings:
                state.flight[issue + landing & _MASK].sort(key=_issue_of)

        late = LateOperation(finish_in_order, None, 0, self._pc, targets, self._number, cycle)
        state.late_forms[self._pc, self._number] = late

        def wait(read: Any) -> None:
            issue = state.cycle
            waiting = late._replace(read=read, issue=issue)
            state.late[issue + cycle - 1 & _MASK].append(waiting)

        return wait


class Field(NamedTuple):
    """An operand, or a part of one in brackets: its text, and when it is read and written."""

    text: str
    read: int
    write: int | None
    bypass: str

    @property
    def is_number(self) -> bool:
        """Whether it is an immediate."""
        return self.text.startswith(MARK)


class Operation:
    """An operation at the address `pc`, bound to a state.

    `fields` are its operands by name, in their order, those in brackets one by one; `words` are the
    names of operands, among them fixed words.
    """

    def __init__(
        self,
        instruction: WrittenInstruction,
        semantics: Semantics,
        generation: Generation,
        state: State,
        *,
        pc: int,
        warn: Warn,
        registers: Registers,
    ) -> None:
        self.mnemonic = instruction.mnemonic
        self.arguments = semantics.arguments
        self.generation = generation
        self.state = state
        self.pc = pc
        self.warn = warn
        self.fields: dict[str, Field] = {}
        self.in_bracket: frozenset[str] = frozenset()
        self.words = {operand.name for operand in instruction.form.operands}
        self._registers = registers
        for operand, text in zip(instruction.form.operands, instruction.operands):
            self._add(operand, text)

    def _add(self, operand: Operand, text: str) -> None:
        if isinstance(operand.type, SuffixedClass):
            raise UnknownResultError("no public source says how a half of a register is read")
        if not isinstance(operand.type, BracketType):
            self.fields[operand.name] = self._field(operand, text)
            return
        names = [element.name.strip(MARK) for element in operand.type.elements]
        self.in_bracket = frozenset(names)
        for name, part in zip(names, text.strip("[]").split(",")):
            self.fields[name] = self._field(operand, part.strip())

    def _field(self, operand: Operand, text: str) -> Field:
        read, write, bypass = operand.use_cycle, operand.def_cycle, operand.bypass
        if write is None and "w" in operand.access:
            write = self.generation.landing_of(self.mnemonic)
        family = self.generation.storage.families.get(text.lower())
        if bypass == "MOV" and family in self.generation.families_without_bypass:
            bypass = ""
        return Field(text.lower(), _NEXT_CYCLE if read is None else read, write, bypass)

    def width(self, name: str) -> int:
        """Return the bits of the register that an operand names."""
        storage = self.generation.storage
        return storage.width(storage.parts_named(self.fields[name].text))

    def last_read(self, *names: str) -> int:
        """Return the last cycle in which one of these operands is read, counted from issue."""
        return max(self.fields[name].read for name in names)

    def number(self, name: str) -> Number:
        """Return the reader of an immediate, or of a register as a number."""
        field = self.fields[name]
        if field.is_number:
            value = value_of(field.text[1:])
            return lambda: value
        is_status = self.generation.storage.families.get(field.text) == "status"
        if is_status and field.text.startswith(_FLAGS) and field.text != _CARRY:
            raise UnknownResultError(f"when operations set `{field.text}` is not public")
        if field.text == _CARRY:
            return self.carry()
        self._registers.tell_unwritten(field.text)
        return self._registers.number(field.text, field.bypass)

    def carry(self) -> Number:
        """Return the reader of the carry, which refuses one that is not known."""
        read: Callable[[], int | None] = self.register(_CARRY)

        def known() -> int:
            found = read()
            if found is None:
                raise UnknownResultError("the carry of differences and magnitudes is not public")
            return found

        return known

    def carry_eraser(self) -> Callable[[int], None]:
        """Return what makes the carry unknown, one cycle after issue."""
        return self._registers.eraser(_CARRY, _NEXT_CYCLE)

    def register(self, name: str) -> Number:
        """Return the reader of a register that no operand names."""
        return self._registers.number(name, "")

    def data(self, name: str) -> Data:
        """Return the reader of a register as bytes."""
        field = self.fields[name]
        if not name.startswith("acc"):  # whether it counts depends on a configuration
            self._registers.tell_unwritten(field.text)
        return self._registers.data(field.text, field.bypass)

    def number_writer(self, name: str) -> NumberWriter:
        """Return what writes a number to a register."""
        field = self.fields[name]
        return self._registers.number_writer(field.text, self.landing(name), field.bypass)

    def register_writer(self, name: str) -> NumberWriter:
        """Return what writes a number to a register by name, one cycle after issue."""
        return self._registers.number_writer(name, _NEXT_CYCLE, "")

    def data_writer(self, name: str) -> DataWriter:
        """Return what writes bytes to a register; what is missing at the end is 0."""
        field = self.fields[name]
        return self._registers.data_writer(field.text, self.landing(name), field.bypass)

    def pieces(self, name: str) -> Callable[[], list[Any]]:
        """Return the reader of values of parts, pieces of products as they are."""
        return self._registers.pieces(self.fields[name].text, "")

    def product_writer(self, name: str) -> Callable[[Product, int], None]:
        """Return what writes the pieces of a product that is computed later."""
        return self._registers.product_writer(self.fields[name].text, self.landing(name))

    def landing(self, name: str) -> int:
        """Return the cycle in which a result is written, counted from issue."""
        landing = self.fields[name].write
        if landing is None:
            raise UnknownResultError(f"in which cycle `{name}` is written is not public")
        return landing

    def later(
        self, cycle: int, finish: Callable[[Any, int], None], *results: str
    ) -> Callable[[Any], None]:
        """Return what calls `finish` when operands are read that many cycles after issue.

        Its argument, what was read before, is handed on. `results` are the operands then written.
        """
        storage, mnemonic = self.generation.storage, self.mnemonic
        targets = [
            (part, self.landing(name))
            for name in results
            for part in storage.parts_named(self.fields[name].text)
        ]

        def finish_or_say(read: Any, issue: int) -> None:
            try:
                finish(read, issue)
            except EmulatorError as error:
                raise type(error)(f"{mnemonic}: {error}") from None

        return self._registers.later(cycle, finish_or_say, targets)


def _issue_of(write: Any) -> int:
    issue: int = write[3]
    return issue
