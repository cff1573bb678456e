"""Effects of operations that are written out in a translated block: the most frequent ones.

A loop of products runs three times as fast as with the functions of all effects.
"""

from __future__ import annotations

from typing import Any, Callable, Mapping

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.targets.aie.expressions import value_of
from ipu_asm.targets.aie.machine.operations import Operation, Run
from ipu_asm.targets.aie.machine.products import Multiplication
from ipu_asm.targets.aie.machine.scalars import popped_queue
from ipu_asm.targets.aie.machine.semantics import Semantics
from ipu_asm.targets.aie.machine.slots import (
    DATA,
    NUMBER,
    PRODUCT,
    Place,
    Untranslatable,
    Values,
    Waiting,
)
from ipu_asm.targets.aie.machine.state import MEMORY_END, MEMORY_START

LINE = 32
"""Bytes in a line of memory: accesses of vectors begin at one."""


class BoundOperation(NamedTuple):
    """An operation of a bundle with its semantics and what executes it alone."""

    number: int
    instruction: Any
    semantics: Semantics
    run: Run


class Bundles:
    """The bundles of a block while they are translated; `now` is the number of one, and its cycle.

    `due` are operations that go on in a bundle, `captured` what they have read before.
    """

    def __init__(self, values: Values, loop_parts: frozenset[int]) -> None:
        self.values = values
        self.now = 0
        self.pc = 0
        self.sets_loop = False
        self.due: dict[int, list[Callable[[], None]]] = {}
        self.captured: dict[Waiting, str] = {}
        self._loop_parts = loop_parts
        self._ranges: dict[tuple[str, int], tuple[int, int, int]] = {}
        self._constants: dict[int, str] = {}

    def later(
        self, waiting: Waiting, cycle: int, captured: str, finish: Callable[[], None]
    ) -> None:
        """Go on with an operation in the cycle in which it reads its last operand."""

        def finish_it() -> None:
            del self.captured[waiting]
            finish()

        self.captured[waiting] = captured
        self.due.setdefault(waiting.issue + cycle - 1, []).append(finish_it)

    def write(
        self, parts: tuple[int, ...], at: tuple[int, int, int], bypass: str, name: str, kind: str
    ) -> None:
        """Note a write of an operation; one to a register of the loop ends the block."""
        if not self._loop_parts.isdisjoint(parts):
            if at[0] != self.now + 1:
                raise Untranslatable
            self.sets_loop = True
        self.values.write(parts, at, bypass, name, kind)

    def number(self, op: Operation, name: str) -> str:
        """Return an operand that is read in the first cycle, as a number."""
        field = op.fields[name]
        if field.is_number:
            return str(value_of(field.text[1:]))
        return self.values.number(self.parts(op, name), self.now + 1, field.bypass)

    def constant_of(self, value: Any) -> str:
        """Return the name of an object, the same for the same one."""
        if id(value) not in self._constants:
            self._constants[id(value)] = self.values.constant(value)
        return self._constants[id(value)]

    def product(self, op: Operation) -> DeferredProduct:
        """Return a product of the block."""
        return DeferredProduct(self, op)

    def parts(self, op: Operation, name: str) -> tuple[int, ...]:
        """Return the parts of the register that an operand names."""
        return self.values.storage.parts_named(op.fields[name].text)

    def result(self, op: Operation, name: str, kind: str, operand: str = "dst") -> None:
        """Write a variable to the register that an operand names."""
        at = self.now + op.landing(operand), self.now, self.pc
        self.write(self.parts(op, operand), at, op.fields[operand].bypass, name, kind)

    def address(self, op: Operation) -> Place:
        """Return the address of an access, and move the pointer after it."""
        base = "sp" if "sp" in op.fields else "ptr"
        pointer = self.values.place(self.number(op, base))
        inside = next((name for name in ("offset", "dj") if name in op.in_bracket), None)
        if inside is not None:
            return self.values.moved(pointer, self.number(op, inside))
        step = next((name for name in ("mod", "offset") if name in op.fields), None)
        if step is not None:
            moved = self.values.moved(pointer, self.number(op, step))
            at = self.now + 1, self.now, self.pc
            self.write(self.parts(op, base), at, "", self.values.number_at(moved), NUMBER)
        return pointer

    def lines(self, op: Operation, size: int) -> Place:
        """Return the address of an access to whole lines; it is checked with those of its base."""
        return self.checked(self.address(op), size)

    def checked(self, found: Place, size: int) -> Place:
        """Return the address of an access to whole lines, which is checked as `lines` does."""
        key = found.base, found.offset % LINE
        if key not in self._ranges:
            self._ranges[key] = len(self.values.lines), found.offset, found.offset + size
            self.values.emit("")
        at, low, high = self._ranges[key]
        self._ranges[key] = at, min(low, found.offset), max(high, found.offset + size)
        return found

    def check_ranges(self) -> None:
        """Fill the lines that check addresses."""
        for (base, rest), (at, low, high) in self._ranges.items():
            limits = f"{MEMORY_START - low} <= {base} <= {MEMORY_END - high}"
            self.values.lines[at] = f"if {base} + {rest} & {LINE - 1} or not {limits}: leave()"


def steps_in_dimensions(op: Operation) -> bool:
    step = next((name for name in ("mod", "offset") if name in op.fields), None)
    return step is not None and op.fields[step].text.startswith("d") and step not in op.in_bracket


def _pointer_add(bundles: Bundles, op: Operation, bound: BoundOperation) -> bool:
    if steps_in_dimensions(op):
        return False
    bundles.address(op)
    return True


def _vector_load(bundles: Bundles, op: Operation, bound: BoundOperation) -> bool:
    if op.arguments or steps_in_dimensions(op):
        return False
    size, values = op.width("dst") // 8, bundles.values
    base, offset = bundles.lines(op, size)
    lines = " or ".join(f"{base} + {offset + start} in D" for start in range(0, size, LINE))
    values.emit(f"if {lines}: raise Dirty")
    start = offset - MEMORY_START
    name = values.pure(f"M[{base} + {start}:{base} + {start + size}]")
    bundles.result(op, name, DATA)
    return True


def _vector_store(bundles: Bundles, op: Operation, bound: BoundOperation) -> bool:
    if op.arguments or steps_in_dimensions(op):
        return False
    size, values = op.width("src") // 8, bundles.values
    field = op.fields["src"]
    data = values.pieces(bundles.parts(op, "src"), bundles.now + 1, field.bypass)
    base, offset = bundles.lines(op, size)
    values.emit(f"S(({base} + {offset}, {data}, {op.pc}))")
    for start in range(offset, offset + size, LINE):
        values.emit(f"D.add({base} + {start})")
    return True


def _move(bundles: Bundles, op: Operation, bound: BoundOperation) -> bool:
    storage, source = op.generation.storage, next(each for each in op.fields if each != "dst")
    field, parts = op.fields[source], bundles.parts(op, "dst")
    is_status = storage.families.get(field.text) == "status"
    if is_status or len(parts) > 1 or op.fields["dst"].bypass:
        return False
    mask = (1 << storage.parts[parts[0]].bits) - 1
    name = bundles.values.variable(f"{bundles.number(op, source)} & {mask}")
    bundles.result(op, name, NUMBER)
    return True


def _queue_pop(bundles: Bundles, op: Operation, bound: BoundOperation) -> bool:
    values, size = bundles.values, int(op.arguments["bits"]) // 8
    pop, (data, moved, left) = values.constant(popped_queue), values.new(3)
    numbers = f"{bundles.number(op, 'ptr')}, {bundles.number(op, 'position')}"
    name = op.fields["fifo"].text
    values.emit(f"{data}, {moved}, {left} = {pop}(B, {name!r}, {size}, {numbers})")
    bundles.result(op, data, DATA)
    bundles.result(op, moved, NUMBER, "ptr")
    bundles.result(op, left, NUMBER, "position")
    return True


def _multiply(bundles: Bundles, op: Operation, bound: BoundOperation) -> bool:
    bundles.product(op).issue(Waiting(op.pc, bound.number, bundles.now))
    return True


class DeferredProduct:
    """A product in a block: it is computed when one is needed."""

    def __init__(self, bundles: Bundles, op: Operation) -> None:
        self.does = Multiplication(op)
        self._bundles = bundles
        self._op = op

    def issue(self, waiting: Waiting) -> None:
        """Read its configuration and factors; make it, or wait for its accumulators."""
        bundles, op = self._bundles, self._op
        values, cycle = bundles.values, waiting.issue + 1
        settings = bundles.constant_of(self.does.settings)
        terms = values.pure(f"{settings}[{bundles.number(op, 'conf')}]")
        factors = [
            values.pure(values.data(bundles.parts(op, name), cycle, op.fields[name].bypass))
            for name in ("src1", "src2")
        ]
        if self.does.accumulators:
            self._finish_later(waiting, terms, *factors)
        else:
            self._finish(waiting, terms, *factors)

    def resume(self, waiting: Waiting, name: str) -> None:
        """Go on with one that was issued before the block; the variable has what it has read."""
        self._finish_later(waiting, *(f"{name}[{number}]" for number in range(3)))

    def _finish_later(self, waiting: Waiting, terms: str, *factors: str) -> None:
        captured = f"({', '.join((terms, *factors))})"
        cycle = self._op.last_read(*self.does.accumulators)
        self._bundles.later(
            waiting, cycle, captured, lambda: self._finish(waiting, terms, *factors)
        )

    def _finish(self, waiting: Waiting, terms: str, *factors: str) -> None:
        """Make the product and write it."""
        bundles, op = self._bundles, self._op
        values, names = bundles.values, self.does.accumulators
        cycle = waiting.issue + (op.last_read(*names) if names else 1)
        read = [
            values.pieces(bundles.parts(op, name), cycle, op.fields[name].bypass) for name in names
        ]
        accumulators = f"({''.join(f'{each}, ' for each in read)})"
        name = values.variable(f"Product({', '.join((terms, *factors, accumulators))})")
        values.emit(f"W({name})")
        self._write(waiting, name, PRODUCT)

    def _write(self, waiting: Waiting, name: str, kind: str) -> None:
        bundles, op = self._bundles, self._op
        at = waiting.issue + op.landing("dst"), waiting.issue, waiting.pc
        bundles.write(bundles.parts(op, "dst"), at, op.fields["dst"].bypass, name, kind)


WRITTEN_OUT: Mapping[str, Callable[[Bundles, Operation, BoundOperation], bool]] = {
    "vector_load": _vector_load,
    "vector_store": _vector_store,
    "pointer_add": _pointer_add,
    "move": _move,
    "queue_pop": _queue_pop,
    "multiply": _multiply,
}
"""They return False for a form that needs its function."""
