"""Translation of bundles that follow one another to a Python function.

A block is translated for one state of the pipeline: which writes are in flight when it begins and
when they land. Each read is then of one known write, so that values are variables of the function
and nothing has to land. An operation keeps its effect; it reads and writes slots of a list instead
of registers. The most frequent effects are written out.

The text of a function consists of addresses, numbers of parts and immediates of decoded words.
"""

from __future__ import annotations

from typing import Any, Callable, Mapping, Sequence

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.targets.aie.expressions import value_of
from ipu_asm.targets.aie.forms import DELAY_SLOTS
from ipu_asm.targets.aie.machine.operations import Generation, Operation, Run
from ipu_asm.targets.aie.machine.products import Multiplication
from ipu_asm.targets.aie.machine.semantics import Semantics
from ipu_asm.targets.aie.machine.slots import (
    DATA,
    NUMBER,
    PRODUCT,
    SlotRegisters,
    Untranslatable,
    Values,
    Write,
)
from ipu_asm.targets.aie.machine.state import MEMORY_END, MEMORY_START

_MASK = (1 << 20) - 1
_LINE = 32
"""Bytes in a line of memory: accesses of vectors begin at one."""

MAX_BUNDLES = 64
MIN_BUNDLES = 4
_SLOW_EFFECTS = ("done", "counter")


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


class Pipeline(NamedTuple):
    """What is in flight when a block begins, as a key: values are passed apart."""

    writes: tuple[Pending, ...] = ()
    waiting: tuple[Waiting, ...] = ()


class Loop(NamedTuple):
    """The hardware loop that is active: addresses of its first and last bundle; -1 without one."""

    start: int = -1
    end: int = -1


class BoundOperation(NamedTuple):
    """An operation of a bundle with its semantics and what executes it alone."""

    number: int
    instruction: Any
    semantics: Semantics
    run: Run


class Block(NamedTuple):
    """A translated block of `size` bundles.

    `run` gets the cells, the cycle, the image of memory and the values in flight; it returns the
    next address, the count of the hardware loop if it was changed, and the values then in flight,
    those of `pipeline`. The loop has to be repeated at least `turns` times. `following` are
    blocks behind it, by address and loop.
    """

    run: Callable[..., tuple[int, int | None, list[Any]]]
    size: int
    turns: int
    pipeline: Pipeline
    is_return: bool
    following: dict[tuple[int, Loop], Any]


class Context(NamedTuple):
    """What the translation of the bundles of a machine needs.

    `bundles` are those executed before, by address; `state` stands for the state of the core in
    blocks. `names` are those that functions use: `D` lines of memory that are to be written, `S`
    what adds a store, `W` what adds a product, `known` what computes pieces of products, `Dirty`
    what is raised for a load of such a line, and `leave`, which raises where an address is special.
    """

    bundles: Mapping[int, Any]
    generation: Generation
    effects: Mapping[str, Callable[[Operation], Run]]
    state: Any
    loop_parts: frozenset[int]
    names: Mapping[str, Any]


def translate(context: Context, pc: int, loop: Loop, pipeline: Pipeline, turns: int) -> Block | None:
    """Return the block at an address, which ends at the latest with `turns` turns of the loop.

    Returns None if there are too few bundles to translate.
    """
    limit = MAX_BUNDLES
    while limit >= MIN_BUNDLES:
        translation = _Translation(context, loop, pipeline, turns)
        try:
            return translation.block(pc, limit)
        except Untranslatable:
            limit = min(limit - 1, translation.translated)
    return None


class _Translation:
    def __init__(self, context: Context, loop: Loop, pipeline: Pipeline, turns: int) -> None:
        self._context = context
        self._loop = loop
        self._turns = turns
        self._storage = context.generation.storage
        self._slots: list[Any] = []
        self._due: dict[int, list[Callable[[], None]]] = {}
        self._captured: dict[Waiting, str] = {}
        self._pc = 0
        self.now = 0
        """The number of the bundle, and its cycle."""

        self._branch = ""
        self.translated = 0
        """Bundles that were translated, without those that belong to a branch."""

        self.values = Values(self._storage)
        self.values.names |= {**context.names, "s": self._slots, "B": context.state}
        self._inputs = len(pipeline.writes) + len(pipeline.waiting)
        for number, write in enumerate(pipeline.writes):
            self._take(write, f"f{number}")
        for number, waiting in enumerate(pipeline.waiting, len(pipeline.writes)):
            self._resume(waiting, f"f{number}")

    def _take(self, write: Pending, name: str) -> None:
        at = write.landing, write.issue, write.pc
        self.values.write((write.part,), at, write.bypass, name, DATA)

    # Bundles

    def block(self, pc: int, limit: int) -> Block:
        """Translate bundles up to the end of the loop, to behind a branch, or to a limit."""
        turns, branch_end, is_return, count = 0, -1, False, "None"
        while True:
            bundle = self._context.bundles.get(pc)
            if bundle is None or bundle.problem is not None:
                raise Untranslatable
            self._pc = pc
            for finish in self._due.pop(self.now, ()):
                finish()
            kind = self._operations(bundle)
            if kind:
                if branch_end >= 0:
                    raise Untranslatable
                branch_end, is_return = self.now + DELAY_SLOTS, kind == "ret"
                self._branch = kind
            self.now += 1
            following = bundle.next_pc
            if pc == self._loop.end:
                if branch_end >= 0:
                    raise Untranslatable
                turns += 1
                count = self._count_turn()
                if turns < self._turns and self.now + self.size_of_loop() <= limit:
                    pc = self._loop.start
                    continue
                following_text = f"{self._loop.start} if {count} else {following}"
                break
            if self.now - 1 == branch_end:
                following_text = f"k[0] if k else {following}"
                if self._branch == "jl":
                    name = self.values.variable(str(following))
                    self._write_control("lr", name)
                break
            if branch_end < 0:
                self.translated = self.now
                if self.now >= limit:
                    following_text = str(following)
                    break
            pc = following
        return self.finished(following_text, count, turns, is_return)

    def size_of_loop(self) -> int:
        """Return the bundles of the loop, as far as those are in sight."""
        size, pc, bundles = 1, self._loop.start, self._context.bundles
        while pc != self._loop.end and size <= MAX_BUNDLES and pc in bundles:
            size, pc = size + 1, bundles[pc].next_pc
        return size

    def _count_turn(self) -> str:
        (part,) = self._storage.parts_named("lc")
        name = self.values.variable(f"{self.values.number((part,), self.now)} - 1")
        self._write_control("lc", name)
        return name

    def _write_control(self, register: str, name: str) -> None:
        """Write a register of the control unit behind a bundle, which is counted already."""
        parts = self._storage.parts_named(register)
        at = self.now, self.now - 1, self._pc
        self.values.write(parts, at, "", name, NUMBER)

    def _operations(self, bundle: Any) -> str:
        """Translate the operations of a bundle; return the kind of a branch among them."""
        kind = ""
        for bound in bundle.operations:
            effect = bound.semantics.effect
            if effect in _SLOW_EFFECTS or (effect == "store" and "bits" in bound.semantics.arguments):
                raise Untranslatable
            op, registers = self._operation(bound, self._pc)
            if not _WRITTEN_OUT.get(effect, _no)(self, op, bound):
                self._issue(op, registers, bound)
            if effect == "branch":
                kind = op.arguments["kind"]
                self.values.emit("k = B.taken")
                self.values.emit("B.taken = None")
        return kind

    def _operation(self, bound: BoundOperation, pc: int) -> tuple[Operation, SlotRegisters]:
        context = self._context
        registers = SlotRegisters(self._storage, self._slots)
        op = Operation(
            bound.instruction, bound.semantics, context.generation, context.state, pc=pc,
            warn=lambda sentence: None, registers=registers,
        )  # fmt: skip
        if ".3d" in op.mnemonic:  # which registers are written depends on counts
            raise Untranslatable
        return op, registers

    # Any operation

    def _issue(self, op: Operation, registers: SlotRegisters, bound: BoundOperation) -> None:
        run = self._context.effects[bound.semantics.effect](op)
        late = registers.late[2] if registers.late else frozenset()
        self._fill(registers, self.now + 1)
        self.values.emit(f"{self.values.constant(run)}()")
        self._take_results(registers, self.now, lambda access: late.isdisjoint(access.parts))
        if registers.late is not None:
            read = self.values.variable(f"s[{registers.waiting_slot}]")
            waiting = Waiting(self._pc, bound.number, self.now)
            self._wait(waiting, registers, read)

    def _wait(self, waiting: Waiting, registers: SlotRegisters, read: str) -> None:
        assert registers.late is not None
        cycle, finish, late = registers.late

        def finish_now() -> None:
            self._fill(registers, waiting.issue + cycle)
            self.values.emit(f"{self.values.constant(finish)}({read}, 0)")
            self._take_results(
                registers, waiting.issue, lambda access: not late.isdisjoint(access.parts),
                waiting.pc,
            )  # fmt: skip

        self.later(waiting, cycle, read, finish_now)

    def later(
        self, waiting: Waiting, cycle: int, captured: str, finish: Callable[[], None]
    ) -> None:
        """Go on with an operation in the cycle in which it reads its last operand."""

        def finish_it() -> None:
            del self._captured[waiting]
            finish()

        self._captured[waiting] = captured
        self._due.setdefault(waiting.issue + cycle - 1, []).append(finish_it)

    def _resume(self, waiting: Waiting, name: str) -> None:
        """Go on with an operation that was issued before the block."""
        bundle = self._context.bundles[waiting.pc]
        bound = next(each for each in bundle.operations if each.number == waiting.number)
        op, registers = self._operation(bound, waiting.pc)
        if bound.semantics.effect == "multiply":
            product = _Product(self, op)
            product.finish_later(waiting, *(f"{name}[{number}]" for number in range(3)))
            return
        self._context.effects[bound.semantics.effect](op)
        self._wait(waiting, registers, name)

    def _fill(self, registers: SlotRegisters, cycle: int) -> None:
        for access in registers.reads:
            read = self.values.data if access.is_data else self.values.number
            self.values.emit(f"s[{access.slot}] = {read(access.parts, cycle, access.bypass)}")

    def _take_results(
        self, registers: SlotRegisters, issue: int, wanted: Callable[[Any], bool], pc: int = -1
    ) -> None:
        for access in registers.writes:
            if wanted(access):
                name = self.values.variable(f"s[{access.slot}]")
                kind = DATA if access.is_data else NUMBER
                at = issue + access.landing, issue, self._pc if pc < 0 else pc
                self.write(access.parts, at, access.bypass, name, kind)

    def write(
        self, parts: tuple[int, ...], at: tuple[int, int, int], bypass: str, name: str, kind: str
    ) -> None:
        """Note a write of an operation, which is none of the registers of loops."""
        if not self._context.loop_parts.isdisjoint(parts):
            raise Untranslatable
        self.values.write(parts, at, bypass, name, kind)

    # Operations that are written out

    def number(self, op: Operation, name: str) -> str:
        """Return an operand that is read in the first cycle, as a number."""
        field = op.fields[name]
        if field.is_number:
            return str(value_of(field.text[1:]))
        return self.values.number(self.parts(op, name), self.now + 1, field.bypass)

    def parts(self, op: Operation, name: str) -> tuple[int, ...]:
        """Return the parts of the register that an operand names."""
        return self._storage.parts_named(op.fields[name].text)

    def result(self, op: Operation, name: str, kind: str) -> None:
        """Write a variable to the register `dst`."""
        at = self.now + op.landing("dst"), self.now, self._pc
        self.write(self.parts(op, "dst"), at, op.fields["dst"].bypass, name, kind)

    def address(self, op: Operation) -> str:
        """Return the address of an access, and move the pointer behind it."""
        base = "sp" if "sp" in op.fields else "ptr"
        pointer = self.number(op, base)
        inside = next((name for name in ("offset", "dj") if name in op.in_bracket), None)
        if inside is not None:
            return self.values.variable(f"{pointer} + {self.number(op, inside)} & {_MASK}")
        step = next((name for name in ("mod", "offset") if name in op.fields), None)
        if step is not None:
            moved = self.values.variable(f"{pointer} + {self.number(op, step)} & {_MASK}")
            at = self.now + 1, self.now, self._pc
            self.write(self.parts(op, base), at, "", moved, NUMBER)
        return pointer

    def place(self, op: Operation, size: int) -> str:
        """Return the address of an access to whole lines, which is checked."""
        at = self.address(op)
        last = MEMORY_END - size
        self.values.emit(f"if {at} & {_LINE - 1} or not {MEMORY_START} <= {at} <= {last}: leave()")
        return at

    def finished(self, following: str, count: str, turns: int, is_return: bool) -> Block:
        """Return the block whose lines were written."""
        size, values = self.now, self.values
        rows = ["def block(C, c, M, F):"]
        inputs = [f"f{number}" for number in range(self._inputs)]
        rows += [f" {', '.join(inputs)}, = F"] if inputs else []
        body = [f" {line}" for line in values.lines]
        flying: list[tuple[Any, Pending, str]] = []
        cells = []
        for part, found in sorted(values.writes.items()):
            landed = max((w for w in found if w.landing < size), key=_place_of, default=None)
            if landed is not None:
                text = f"c + {landed.landing}, c + {landed.issue}, {landed.pc}, {landed.bypass!r}"
                cells.append(f" C[{part}] = ({part}, {landed.text}, {text})")
            for write in found:
                if write.landing >= size:
                    times = write.landing - size, write.issue - size
                    flying.append((write.place, Pending(part, *times, write.pc, write.bypass), write.text))
        flying.sort(key=lambda each: each[0])
        waiting = [each._replace(issue=each.issue - size) for each in self._captured]
        outputs = ", ".join([text for *_, text in flying] + list(self._captured.values()))
        rows += [f" c{part} = C[{part}][1]" for part in sorted(values.cells)]
        rows += [*body, f" n = {following}", *cells, f" return n, {count}, [{outputs}]"]
        exec(compile("\n".join(rows), "<block>", "exec"), values.names)
        pipeline = Pipeline(tuple(pending for _, pending, _ in flying), tuple(waiting))
        return Block(values.names["block"], size, turns, pipeline, is_return, {})


def _place_of(write: Write) -> tuple[int, int, int]:
    return write.place


def _no(translation: _Translation, op: Operation, bound: BoundOperation) -> bool:
    return False


def _steps_in_dimensions(op: Operation) -> bool:
    step = next((name for name in ("mod", "offset") if name in op.fields), None)
    return step is not None and op.fields[step].text.startswith("d") and step not in op.in_bracket


def _pointer_add(translation: _Translation, op: Operation, bound: BoundOperation) -> bool:
    if _steps_in_dimensions(op):
        return False
    translation.address(op)
    return True


def _vector_load(translation: _Translation, op: Operation, bound: BoundOperation) -> bool:
    if op.arguments or _steps_in_dimensions(op):
        return False
    size, values = op.width("dst") // 8, translation.values
    at = translation.place(op, size)
    lines = " or ".join(f"{at} + {start} in D" for start in range(0, size, _LINE))
    values.emit(f"if {lines}: raise Dirty")
    start, end = MEMORY_START, MEMORY_START - size
    name = values.variable(f"M[{at} - {start}:{at} - {end}]")
    translation.result(op, name, DATA)
    return True


def _vector_store(translation: _Translation, op: Operation, bound: BoundOperation) -> bool:
    if op.arguments or _steps_in_dimensions(op):
        return False
    size, values = op.width("src") // 8, translation.values
    field = op.fields["src"]
    data = values.pieces(translation.parts(op, "src"), translation.now + 1, field.bypass)
    at = translation.place(op, size)
    values.emit(f"S(({at}, {data}, {op.pc}))")
    for start in range(0, size, _LINE):
        values.emit(f"D.add({at} + {start})")
    return True


def _move(translation: _Translation, op: Operation, bound: BoundOperation) -> bool:
    storage, source = op.generation.storage, next(each for each in op.fields if each != "dst")
    field, parts = op.fields[source], translation.parts(op, "dst")
    is_status = storage.families.get(field.text) == "status"
    if is_status or len(parts) > 1 or op.fields["dst"].bypass:
        return False
    mask = (1 << storage.parts[parts[0]].bits) - 1
    name = translation.values.variable(f"{translation.number(op, source)} & {mask}")
    translation.result(op, name, NUMBER)
    return True


def _multiply(translation: _Translation, op: Operation, bound: BoundOperation) -> bool:
    product = _Product(translation, op)
    values, cycle = translation.values, translation.now + 1
    settings = values.constant(product.does.settings)
    terms = values.variable(f"{settings}[{translation.number(op, 'conf')}]")
    factors = [
        values.variable(values.data(translation.parts(op, name), cycle, op.fields[name].bypass))
        for name in ("src1", "src2")
    ]
    waiting = Waiting(op.pc, bound.number, translation.now)
    if product.does.accumulators:
        product.finish_later(waiting, terms, *factors)
    else:
        product.finish(waiting, terms, *factors)
    return True


class _Product:
    """A product in a block: it is computed when one is needed."""

    def __init__(self, translation: _Translation, op: Operation) -> None:
        self.does = Multiplication(op)
        self._translation = translation
        self._op = op

    def finish_later(self, waiting: Waiting, terms: str, *factors: str) -> None:
        """Make the product when its accumulators are read."""
        captured = f"({', '.join((terms, *factors))})"
        cycle = self._op.last_read(*self.does.accumulators)
        self._translation.later(
            waiting, cycle, captured, lambda: self.finish(waiting, terms, *factors)
        )

    def finish(self, waiting: Waiting, terms: str, *factors: str) -> None:
        """Make the product and write it."""
        translation, op = self._translation, self._op
        values, names = translation.values, self.does.accumulators
        cycle = waiting.issue + (op.last_read(*names) if names else 1)
        read = [
            values.pieces(translation.parts(op, name), cycle, op.fields[name].bypass)
            for name in names
        ]
        used = f"({''.join(f'{each}, ' for each in read)})[{terms}.first:]"
        name = values.variable(f"Product({', '.join((terms, *factors, used))})")
        values.emit(f"W({name})")
        at = waiting.issue + op.landing("dst"), waiting.issue, waiting.pc
        translation.write(translation.parts(op, "dst"), at, op.fields["dst"].bypass, name, PRODUCT)


_WRITTEN_OUT: Mapping[str, Callable[[_Translation, Operation, BoundOperation], bool]] = {
    "vector_load": _vector_load,
    "vector_store": _vector_store,
    "pointer_add": _pointer_add,
    "move": _move,
    "multiply": _multiply,
}
"""Effects as text: a loop of products runs three times as fast as with their functions."""
