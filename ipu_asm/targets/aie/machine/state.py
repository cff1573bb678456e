"""The state of a core: registers, what is in flight, queues, memory and the place in the program.

A write lands in a cycle; a read sees what has landed in an earlier one, or in the same one through
a bypass. What has landed is in `cells`, a write for each part of registers; what lands later is in
`flight`, a list for each of the next cycles. An operation that reads an operand late waits in
`late` for the cycle in which the last one is due.
"""

from __future__ import annotations

from itertools import chain
from typing import Any, Callable, Final, Iterator, Mapping, Sequence

from ipu_asm.diagnostics.suggestions import nearest_of
from ipu_asm.emulator.stops import EmulatorError, MachineFaultError
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.targets.aie.machine.deferred import DeferredProducts, Piece
from ipu_asm.targets.aie.registers import Family

_MAX_INT_BITS = 64
_ADDRESS_BITS = 20
_WIDTHS = {
    **dict.fromkeys(("p", "m", "dn", "dj", "dc", "sp", "lr", "ls", "le"), _ADDRESS_BITS),
    "s": 6, "qh": 64, "w": 256, "am": 256, "bm": 512, "half": 512,
}  # fmt: skip
_WORD_BITS = 32


class Part(NamedTuple):
    """A part of registers that no other register is a part of, and its width in bits."""

    name: str
    bits: int

    @property
    def is_vector(self) -> bool:
        """Whether its value is bytes instead of an int."""
        return self.bits > _MAX_INT_BITS

    @property
    def zero(self) -> Any:
        return bytes(self.bits // 8) if self.is_vector else 0

    def cut(self, value: int) -> Any:
        """Return the low bits of a number as a value of the part."""
        value &= (1 << self.bits) - 1
        return value.to_bytes(self.bits // 8, "little") if self.is_vector else value


class RegisterStorage:
    """The parts of all registers; `parts_of` maps a register in lower case to its part numbers.

    The parts of a register are in the order of their bits, the lowest first.
    """

    def __init__(self, families: Sequence[Family], pair_names: Mapping[str, str]) -> None:
        self.parts: list[Part] = []
        self.parts_of: dict[str, tuple[int, ...]] = {}
        self.families: dict[str, str] = {}
        for family in families:
            for number, register in enumerate(family.file.registers):
                name = register.lower()
                self.families[name] = family.name
                if family.parts:
                    names = family.parts[number]
                    # A pair is named with its upper half first.
                    ordered = reversed(names) if ":" in name else names
                    self.parts_of[name] = tuple(
                        part for each in ordered for part in self.parts_of[each.lower()]
                    )
                else:
                    bits = _WIDTHS.get(name, _WIDTHS.get(family.name, _WORD_BITS))
                    self.parts_of[name] = (len(self.parts),)
                    self.parts.append(Part(name, bits))
        for other, pair in pair_names.items():
            self.parts_of[other.lower()] = self.parts_of[pair.lower()]

    def parts_named(self, name: str) -> tuple[int, ...]:
        """Return the part numbers of a register, in any case. Raises LookupError."""
        found = self.parts_of.get(name.strip().lower())
        if found is None:
            near = nearest_of(name.lower(), list(self.parts_of))
            meant = f"; did you mean `{near}`?" if near else ""
            raise LookupError(f"no register `{name}`{meant}")
        return found

    def width(self, numbers: Sequence[int]) -> int:
        """Return the bits of a register with these parts."""
        return sum(self.parts[number].bits for number in numbers)

    def joined(self, numbers: Sequence[int], values: Sequence[Any]) -> int:
        """Return the number in a register, from the values of its parts; None counts as 0."""
        found = shift = 0
        for number, value in zip(numbers, values):
            part = self.parts[number]
            found |= (int.from_bytes(value, "little") if part.is_vector else value or 0) << shift
            shift += part.bits
        return found

    def split(self, numbers: Sequence[int], value: int) -> list[Any]:
        """Return the values of the parts of a register that holds a number, which is cut."""
        found = []
        for number in numbers:
            part = self.parts[number]
            found.append(part.cut(value))
            value >>= part.bits
        return found


RING: Final = 16
"""More cycles than any operation takes: lists of `flight` and `late` are found by cycle % RING."""

_NEXT = RING - 1

MEMORY_SIZE: Final = 1 << 20
MEMORY_START: Final = 0x4_0000
MEMORY_END: Final = 0x8_0000
"""Data memory of the tile and its neighbours, as the core sees it: 64 KB each."""

DONE: Final = "done"
RETURNED: Final = "returned"


AT_RESET: Final = -2
BY_HOST: Final = -1
"""In place of the cycle of issue: the value after reset, and one that the host has set."""


class Write(NamedTuple):
    """A write to a part of registers: what is written, when it lands and what has written it.

    `issue` is the cycle of the bundle at the address `pc`, or `AT_RESET` or `BY_HOST`.
    """

    part: int
    value: Any
    landing: int
    issue: int
    pc: int
    bypass: str = ""


class LateOperation(NamedTuple):
    """The rest of an operation whose last operand is still to be read.

    `finish` gets what was read before, and the cycle of issue. Its results land in registers with
    the parts `targets`, none for a store.
    """

    finish: Callable[[Any, int], None]
    read: Any
    issue: int
    pc: int
    targets: Sequence[tuple[int, int]] = ()
    """Numbers of parts with the cycles in which they are written, counted from issue."""

    number: int = 0
    """That of the operation in its bundle."""

    cycle: int = 0
    """When the last operand is read, counted from issue."""


class Branch(NamedTuple):
    """A branch that is taken: bundles to execute before it, its target, and its kind."""

    slots: int
    target: int
    kind: str


class Store(NamedTuple):
    """Bytes that were written to memory, what was there before, and the address of the bundle."""

    address: int
    data: bytes
    before: bytes
    pc: int


class Snapshot(NamedTuple):
    """A copy of a state; `memory` is None if it was left out."""

    cells: tuple[Any, ...]
    flight: tuple[tuple[Any, ...], ...]
    late: tuple[tuple[LateOperation, ...], ...]
    queues: Mapping[str, bytes]
    scalars: tuple[Any, ...]
    memory: bytes | None


class State:
    """The state of a core. Bound operations hold its lists: they are changed in place."""

    def __init__(self, storage: RegisterStorage) -> None:
        self.storage = storage
        # Plain tuples with the fields of `Write`: they are made for every result.
        self.cells: list[Any] = [
            (number, part.zero, AT_RESET, AT_RESET, 0, "")
            for number, part in enumerate(storage.parts)
        ]
        self.flight: list[list[Any]] = [[] for _ in range(RING)]
        self.late: list[list[LateOperation]] = [[] for _ in range(RING)]
        self.late_forms: dict[tuple[int, int], LateOperation] = {}
        """What waits for operands, by address of the bundle and number of the operation."""
        self.queues: dict[str, bytes] = {}
        self.memory = bytearray(MEMORY_SIZE)
        self.observers: list[Callable[[Store], object]] = []
        self.reads: list[tuple[int, int]] | None = None
        """Addresses and sizes that were read, where a debugger wants to know them."""
        self.cycle = 0
        self.pc = 0
        self.executed = 0
        self.stalls = 0
        self.quiet_until = 0
        """No access to memory begins before this cycle: part of a word is being written."""
        self.branch: Branch | None = None
        self.taken: tuple[int, str] | None = None
        """The branch that the current bundle takes: target and kind."""
        self.products = DeferredProducts()
        self.end = ""
        """`DONE` or `RETURNED` once the program has ended."""

    # Registers

    def register(self, name: str) -> int:
        """Return what has landed in a register. Raises LookupError for an unknown name."""
        self.settle()
        numbers = self.storage.parts_named(name)
        return self.storage.joined(numbers, [self.cells[number][1] for number in numbers])

    def set_register(self, name: str, value: int) -> None:
        """Set a register for the host; a negative number is in two's complement, also of 32 bits.

        Raises LookupError for an unknown name and ValueError for a value that does not fit.
        """
        numbers = self.storage.parts_named(name)
        bits = self.storage.width(numbers)
        if bits < _WORD_BITS and value >> bits and not value >> _WORD_BITS:
            value -= (1 << _WORD_BITS) * (value >> bits - 1 == (1 << _WORD_BITS - bits + 1) - 1)
        if not -(1 << bits - 1) <= value < 1 << bits:
            raise ValueError(f"`{name}` has {bits} bits, found {value:#x}")
        for number, cut in zip(numbers, self.storage.split(numbers, value)):
            self.cells[number] = (number, cut, BY_HOST, BY_HOST, 0, "")

    def last_writes(self, name: str) -> list[Write]:
        """Return the writes whose values are in the parts of a register, the lowest part first."""
        self.settle()
        return [Write(*self.cells[number]) for number in self.storage.parts_named(name)]

    def writes_in_flight(self) -> list[Write]:
        """Return the writes that have not landed, by landing cycle; see also `late_operations`."""
        self.settle()
        cycles = range(self.cycle, self.cycle + RING)
        return [Write(*write) for cycle in cycles for write in self.flight[cycle % RING]]

    def late_operations(self) -> Iterator[tuple[int, LateOperation]]:
        """Yield the operations that wait for an operand, with the cycle in which it is read."""
        for cycle in range(self.cycle, self.cycle + RING):
            for operation in self.late[cycle % RING]:
                yield cycle + 1, operation

    def values(self) -> dict[str, int]:
        """Return what has landed in every part of registers, by name."""
        return {part.name: self.register(part.name) for part in self.storage.parts}

    def register_bytes(self, name: str) -> bytes:
        """Return what has landed in a register as bytes. Raises LookupError."""
        bits = self.storage.width(self.storage.parts_named(name))
        return self.register(name).to_bytes(-(-bits // 8), "little")

    # Products

    def settle(self) -> None:
        """Put the results of products in the place of their pieces."""
        if not any(type(write[1]) is Piece for write in (*self.cells, *chain(*self.flight))):
            return
        for writes in (self.cells, *self.flight):
            for number, write in enumerate(writes):
                if type(write[1]) is Piece:
                    writes[number] = (write[0], self.products.known(write[1]), *write[2:])

    # Time

    def land(self) -> None:
        """Begin a cycle: let writes land, then run operations whose last operand is due."""
        place = self.cycle & _NEXT
        landing = self.flight[place]
        if landing:
            cells = self.cells
            for write in landing:
                cells[write[0]] = write
            landing.clear()
        if self.late[place]:
            waiting, self.late[place] = self.late[place], []
            for number, operation in enumerate(waiting):
                try:
                    operation.finish(operation.read, operation.issue)
                except EmulatorError:  # the state in front of the bundle still has it
                    self.late[place] += waiting[number:]
                    raise

    @property
    def is_settled(self) -> bool:
        """Whether no result, late read or branch is in flight once the next bundle has begun."""
        later = [each for each in self.writes_in_flight() if each.landing > self.cycle]
        is_waiting = any(self.late) or self.branch is not None or self.quiet_until > self.cycle
        return not later and not is_waiting

    def drain(self) -> None:
        """Let everything in flight land, as if no-ops followed."""
        for _ in range(RING):
            self.land()
            self.cycle += 1

    def forget_issue(self) -> None:
        """Undo what the bundle of this cycle has put in flight."""
        for landing in self.flight:
            landing[:] = [write for write in landing if write[3] != self.cycle]
        for waiting in self.late:
            waiting[:] = [each for each in waiting if each.issue != self.cycle]
        self.taken = None

    # Memory

    def read_memory(self, address: int, size: int) -> bytes:
        """Return bytes of data memory. Raises `MachineFaultError` outside of it."""
        self.check_memory(address, size)
        if self.reads is not None:
            self.reads.append((address, size))
        return bytes(self.memory[address : address + size])

    def check_memory(self, address: int, size: int) -> None:
        """Raise `MachineFaultError` unless there is memory at all of these addresses."""
        if not MEMORY_START <= address <= MEMORY_END - size:
            raise MachineFaultError(_outside(address, size))

    def write_memory(self, address: int, data: bytes, pc: int = BY_HOST) -> None:
        """Write bytes to data memory and tell observers. Raises `MachineFaultError` outside."""
        end = address + len(data)
        self.check_memory(address, len(data))
        if self.observers:
            store = Store(address, data, bytes(self.memory[address:end]), pc)
            for observer in self.observers:
                observer(store)
        self.memory[address:end] = data

    def observe_stores(self, observer: Callable[[int, bytes, int], object]) -> None:
        """Call a function with address, bytes and address of the bundle of each store."""
        self.observers.append(lambda store: observer(store.address, store.data, store.pc))

    # Copies

    def snapshot(self, has_memory: bool = True) -> Snapshot:
        """Return a copy, without memory unless wanted: observers see how it changes."""
        self.settle()
        return Snapshot(
            tuple(self.cells),
            tuple(map(tuple, self.flight)),
            tuple(map(tuple, self.late)),
            dict(self.queues),
            (self.cycle, self.pc, self.executed, self.stalls, self.quiet_until, self.branch,
             self.end),
            bytes(self.memory[MEMORY_START:MEMORY_END]) if has_memory else None,
        )  # fmt: skip

    def restore(self, saved: Snapshot) -> None:
        """Return to a copy; memory is that of the copy if it has one."""
        self.cells[:] = saved.cells
        for kept, old in zip(self.flight, saved.flight):
            kept[:] = old
        for waiting, late in zip(self.late, saved.late):
            waiting[:] = late
        self.queues.clear()
        self.queues.update(saved.queues)
        (self.cycle, self.pc, self.executed, self.stalls, self.quiet_until, self.branch,
         self.end) = saved.scalars  # fmt: skip
        self.taken = None
        self.products.waiting.clear()
        if saved.memory is not None:
            self.memory[MEMORY_START:MEMORY_END] = saved.memory


def _outside(address: int, size: int) -> str:
    last = MEMORY_END - 1
    found = f"found {size} byte{'s' * (size != 1)} at {address:#x}"
    return f"data memory is {MEMORY_START:#x} to {last:#x}, {found}"
