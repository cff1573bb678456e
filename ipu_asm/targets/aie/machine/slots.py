"""Registers of a translated block: slots for the effects of operations, and values as texts."""

from __future__ import annotations

from typing import Any, Callable, Iterator, Sequence

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.targets.aie.machine.deferred import Piece, Product
from ipu_asm.targets.aie.machine.operations import Registers
from ipu_asm.targets.aie.machine.scalars import ADDRESS_MASK
from ipu_asm.targets.aie.machine.state import RegisterStorage


class Untranslatable(Exception):
    """A bundle that only single steps can execute."""


class Pending(NamedTuple):
    """A write in flight; `landing` and `issue` count from the begin of a block."""

    part: int
    landing: int
    issue: int
    pc: int
    bypass: str


class Waiting(NamedTuple):
    """An operation whose last operand is read later: the number `number` of a bundle."""

    pc: int
    number: int
    issue: int


class Access(NamedTuple):
    """A register that an operation reads or writes through a slot."""

    slot: int
    parts: tuple[int, ...]
    bypass: str
    landing: int
    is_data: bool


class SlotRegisters(Registers):
    """Readers and writers of slots in place of registers, noted down."""

    def __init__(self, storage: RegisterStorage, slots: list[Any]) -> None:
        self._storage = storage
        self.slots = slots
        self.reads: list[Access] = []
        self.writes: list[Access] = []
        self.late: tuple[int, Callable[[Any, int], None], frozenset[int]] | None = None
        self.waiting_slot = -1

    def _slot(self) -> int:
        self.slots.append(None)
        return len(self.slots) - 1

    def _reader(self, name: str, bypass: str, is_data: bool) -> Callable[[], Any]:
        slots, slot = self.slots, self._slot()
        self.reads.append(Access(slot, self._storage.parts_named(name), bypass, 0, is_data))
        return lambda: slots[slot]

    def number(self, name: str, bypass: str) -> Callable[[], int]:
        return self._reader(name, bypass, False)

    def data(self, name: str, bypass: str) -> Callable[[], bytes]:
        return self._reader(name, bypass, True)

    def _written(self, name: str, landing: int, bypass: str, is_data: bool) -> tuple[int, int]:
        slot, parts = self._slot(), self._storage.parts_named(name)
        self.writes.append(Access(slot, parts, bypass, landing, is_data))
        return slot, self._storage.width(parts)

    def number_writer(self, name: str, landing: int, bypass: str) -> Callable[[int, int], None]:
        slots = self.slots
        slot, bits = self._written(name, landing, bypass, False)
        mask = (1 << bits) - 1

        def write(value: int, issue: int) -> None:
            slots[slot] = value & mask

        return write

    def eraser(self, name: str, landing: int) -> Callable[[int], None]:
        slots, slot = self.slots, self._written(name, landing, "", False)[0]

        def erase(issue: int) -> None:
            slots[slot] = None

        return erase

    def data_writer(self, name: str, landing: int, bypass: str) -> Callable[[bytes, int], None]:
        slots = self.slots
        slot, bits = self._written(name, landing, bypass, True)
        size = bits // 8

        def write(data: bytes, issue: int) -> None:
            slots[slot] = data[:size].ljust(size, b"\0")

        return write

    def tell_unwritten(self, name: str) -> None:
        """Do nothing: a single step has warned when the bundle was executed first."""

    def later(
        self, cycle: int, finish: Callable[[Any, int], None], targets: Sequence[tuple[int, int]]
    ) -> Callable[[Any], None]:
        slots, slot = self.slots, self._slot()
        self.late = cycle, finish, frozenset(part for part, _ in targets)
        self.waiting_slot = slot

        def wait(read: Any) -> None:
            slots[slot] = read

        return wait


class Place(NamedTuple):
    """An address: a variable and an offset."""

    base: str
    offset: int


class Write(NamedTuple):
    """A write to a part: its text, and the variable with all parts that were written together."""

    landing: int
    issue: int
    order: int
    pc: int
    bypass: str
    text: str
    whole: tuple[str, tuple[int, ...], str] = ("", (), "")

    @property
    def place(self) -> tuple[int, int, int]:
        return self.landing, self.issue, self.order


NUMBER, DATA, PRODUCT = "number", "data", "product"


class Values:
    """The values of registers in a function, as texts, and the lines that compute them."""

    def __init__(self, storage: RegisterStorage) -> None:
        self.storage = storage
        self.lines: list[str] = []
        self.names: dict[str, Any] = {"joined": storage.joined, "Piece": Piece, "Product": Product}
        self.cells: set[int] = set()
        self.writes: dict[int, list[Write]] = {}
        self._count = 0
        self._known: dict[str, str] = {}
        self._places: dict[str, Place] = {}
        self.is_lazy = [storage.families[part.name] in ("am", "bm") for part in storage.parts]

    def emit(self, line: str) -> None:
        self.lines.append(line)

    def variable(self, text: str) -> str:
        """Emit an assignment of an expression to a new variable; return its name."""
        self._count += 1
        self.emit(f"v{self._count} = {text}")
        return f"v{self._count}"

    def new(self, count: int) -> list[str]:
        """Return names of variables."""
        self._count += count
        return [f"v{number}" for number in range(self._count - count + 1, self._count + 1)]

    def pure(self, text: str) -> str:
        """Return the variable of an expression without side effects, which is emitted once."""
        if text.isidentifier():
            return text
        found = self._known.get(text)
        if found is None:
            found = self._known[text] = self.variable(text)
        return found

    def place(self, text: str) -> Place:
        """Split the expression of an address into a base variable and an offset."""
        return self._places.get(text) or Place(self.pure(text), 0)

    def moved(self, place: Place, step: str) -> Place:
        """Add a step, the expression of a number, to an address."""
        if step.lstrip("-").isdigit():
            return Place(place.base, place.offset + int(step))
        return Place(self.pure(f"{self.number_at(place)} + {step} & {ADDRESS_MASK}"), 0)

    def number_at(self, place: Place) -> str:
        """Return the Python expression of an address."""
        if not place.offset:
            return place.base
        text = f"({place.base} + {place.offset} & {ADDRESS_MASK})"
        self._places[text] = place
        return text

    def constant(self, value: Any) -> str:
        """Store an object for the generated function; return its variable name there."""
        self._count += 1
        self.names[f"k{self._count}"] = value
        return f"k{self._count}"

    def flying(self, size: int) -> list[tuple[Pending, str]]:
        """Return what is in flight after a number of bundles, with its text, as it was issued."""
        flying = [
            (write.place, Pending(part, write.landing - size, write.issue - size, write.pc,
                                  write.bypass), write.text)
            for part, found in self.writes.items()
            for write in found
            if write.landing >= size
        ]  # fmt: skip
        return [(pending, text) for _, pending, text in sorted(flying, key=lambda each: each[0])]

    def landed(self, size: int) -> Iterator[str]:
        """Yield lines that set the cells to what has landed after a number of bundles."""
        for part, found in sorted(self.writes.items()):
            landed = [write for write in found if write.landing < size]
            if landed:
                last = max(landed, key=lambda each: each.place)
                times = f"c + {last.landing}, c + {last.issue}, {last.pc}, {last.bypass!r}"
                yield f"C[{part}] = ({part}, {last.text}, {times})"

    def write(
        self, parts: tuple[int, ...], at: tuple[int, int, int], bypass: str, name: str, kind: str
    ) -> None:
        """Note that a variable is written to a register: landing, issue and pc of the write."""
        landing, issue, pc = at
        start = 0
        for part in parts:
            bits = self.storage.parts[part].bits
            text = name if len(parts) == 1 and kind != PRODUCT else ""
            is_vector = self.storage.parts[part].is_vector
            if kind == PRODUCT:
                text = f"Piece({name}, {self.constant(slice(start // 8, (start + bits) // 8))})"
            elif not text and kind == DATA:
                text = f"{name}[{start // 8}:{(start + bits) // 8}]"
                text = text if is_vector else f"int.from_bytes({text}, 'little')"
            elif not text:
                text = f"{name} >> {start} & {(1 << bits) - 1}"
            if kind == NUMBER and is_vector:
                raise Untranslatable
            start += bits
            self._count += 1
            entry = Write(landing, issue, self._count, pc, bypass, text, (name, parts, kind))
            self.writes.setdefault(part, []).append(entry)

    def source(self, part: int, cycle: int, bypass: str = "") -> Write | None:
        """Return the write that a read sees; None for the value in the cell."""
        found = self.writes.get(part, ())
        if bypass:
            passed = [w for w in found if w.landing == cycle and w.bypass == bypass]
            if passed:
                return max(passed, key=lambda each: each.place)
        landed = [write for write in found if write.landing < cycle]
        if landed:
            last = max(landed, key=lambda each: each.place)
            if len(landed) > 1:  # reads go on in time: nothing sees the others
                self.writes[part] = [last, *(each for each in found if each.landing >= cycle)]
            return last
        self.cells.add(part)
        return None

    def _sources(
        self, parts: tuple[int, ...], cycle: int, bypass: str
    ) -> tuple[list[str], tuple[str, str]]:
        """Return the texts of parts, and variable and kind if they were written together."""
        found = [self.source(part, cycle, bypass) for part in parts]
        texts = [
            f"c{part}" if write is None else f"({write.text})" for part, write in zip(parts, found)
        ]
        whole = found[0].whole if found[0] is not None else ("", (), "")
        is_whole = whole[1] == parts and all(w is not None and w.whole == whole for w in found)
        return texts, (whole[0], whole[2]) if is_whole else ("", "")

    def number(self, parts: tuple[int, ...], cycle: int, bypass: str = "") -> str:
        """Return the Python expression of the number that a register holds in a cycle."""
        texts, (name, kind) = self._sources(parts, cycle, bypass)
        if kind == NUMBER:
            return name
        if any(self.is_lazy[part] for part in parts):
            raise Untranslatable
        if len(parts) == 1 and not self.storage.parts[parts[0]].is_vector:
            return texts[0]
        return f"joined({parts}, ({', '.join(texts)},))"

    def data(self, parts: tuple[int, ...], cycle: int, bypass: str = "") -> str:
        """Return the Python expression of the bytes that a register holds in a cycle."""
        found = self.pieces(parts, cycle, bypass)
        return f"known({found})" if any(self.is_lazy[part] for part in parts) else found

    def pieces(self, parts: tuple[int, ...], cycle: int, bypass: str = "") -> str:
        """Return the expression of a register's bytes, or of the products that may be in it."""
        texts, (name, kind) = self._sources(parts, cycle, bypass)
        is_lazy = any(self.is_lazy[part] for part in parts)
        if kind == PRODUCT:
            return name
        if kind == DATA:
            return f"({name},)" if is_lazy else name
        found = [
            text
            if self.storage.parts[part].is_vector
            else f"{text}.to_bytes({self.storage.parts[part].bits // 8}, 'little')"
            for part, text in zip(parts, texts)
        ]
        return f"({', '.join(found)},)" if is_lazy else " + ".join(found)
