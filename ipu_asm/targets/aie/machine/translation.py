"""Translation of bundles that follow one another to a Python function.

A block is translated for one state of the pipeline: which writes are in flight when it begins and
when they land. Each read is then of one known write, so that values are variables of the function
and nothing has to land. An operation keeps its effect; it reads and writes slots of a list instead
of registers. The most frequent effects are written out.

The text of a function consists of addresses, numbers of parts and immediates of decoded words.
"""

from __future__ import annotations

from typing import Any, Callable, Mapping

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.targets.aie.forms import DELAY_SLOTS
from ipu_asm.targets.aie.machine import batches
from ipu_asm.targets.aie.machine.operations import Generation, Operation, Run
from ipu_asm.targets.aie.machine.slots import (
    DATA,
    NUMBER,
    Pending,
    SlotRegisters,
    Untranslatable,
    Values,
    Waiting,
)
from ipu_asm.targets.aie.machine.written_effects import (
    WRITTEN_OUT,
    BoundOperation,
    Bundles,
)

MAX_BUNDLES = 64
MIN_BUNDLES = 4
_SLOW_EFFECTS = ("done", "counter")


class Pipeline(NamedTuple):
    """What is in flight when a block begins, as a key: values are passed apart."""

    writes: tuple[Pending, ...] = ()
    waiting: tuple[Waiting, ...] = ()


class Loop(NamedTuple):
    """The hardware loop that is active: addresses of its first and last bundle; -1 without one."""

    start: int = -1
    end: int = -1


class Block(NamedTuple):
    """A translated block of `size` bundles.

    `run` gets the cells, the cycle, the image of memory and the values in flight; it returns the
    next address, the count of the hardware loop if it was changed, and the values then in flight,
    those of `pipeline`. The loop has to be repeated at least `turns` times. With `sets_loop` its
    last bundle writes registers of the loop. `following` are blocks after it, by address and loop;
    `batches` are in place of it, by the turns that they make at most, or how often they were
    wanted.
    """

    run: Callable[..., tuple[int, int | None, list[Any]]]
    size: int
    turns: int
    pipeline: Pipeline
    is_return: bool
    sets_loop: bool
    following: dict[tuple[int, Loop], Any]
    batches: dict[int, Any]


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


def translate(
    context: Context,
    pc: int,
    loop: Loop,
    pipeline: Pipeline,
    turns: int,
    seen: Mapping[str, Any] | None = None,
) -> Block | None:
    """Return the block at an address, which ends at the latest with `turns` turns of the loop.

    With what variables hold when it begins, it is a batch. Returns None if there are too few
    bundles to translate.
    """
    is_batch = seen is not None
    limit, least = MAX_BUNDLES, MIN_BUNDLES
    if is_batch:
        limit, least = batches.MAX_BUNDLES, batches.MIN_BUNDLES
    while limit >= (least if is_batch else 1):
        translation = _Translation(context, loop, pipeline, turns, seen)
        try:
            block = translation.block(pc, limit)
            return block if block.size >= least or (block.sets_loop and not is_batch) else None
        except Untranslatable:
            limit = min(limit - 1, translation.translated)
    return None


def size_of_loop(bundles: Mapping[int, Any], loop: Loop) -> int:
    """Return the bundles of a loop, as far as those are in sight."""
    size, pc = 1, loop.start
    while pc != loop.end and size <= batches.MAX_BUNDLES and pc in bundles:
        size, pc = size + 1, bundles[pc].next_pc
    return size


class _Translation:
    def __init__(
        self,
        context: Context,
        loop: Loop,
        pipeline: Pipeline,
        turns: int,
        seen: Mapping[str, Any] | None,
    ) -> None:
        self._context = context
        self._loop = loop
        self._turns = turns
        self._storage = context.generation.storage
        self._slots: list[Any] = []
        self._branch = ""
        self.translated = 0
        """Bundles that were translated, without those that belong to a branch."""

        self.values: Values
        self.bundles: Bundles
        if seen is None:
            self.values = Values(self._storage)
            self.bundles = Bundles(self.values, context.loop_parts)
            self._written_out = WRITTEN_OUT
        else:
            self.values = batches.BatchValues(self._storage, seen)
            self.bundles = batches.Batch(self.values, context.loop_parts)
            self._written_out = batches.BATCHED
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
        """Translate bundles up to the end of the loop, to after a branch, or to a limit."""
        turns, branch_end, is_return, count = 0, -1, False, "None"
        while True:
            bundle = self._context.bundles.get(pc)
            if bundle is None or bundle.problem is not None:
                raise Untranslatable
            self.bundles.pc = pc
            for finish in self.bundles.due.pop(self.bundles.now, ()):
                finish()
            kind = self._operations(bundle)
            if kind:
                if branch_end >= 0:
                    raise Untranslatable
                branch_end, is_return = self.bundles.now + DELAY_SLOTS, kind == "ret"
                self._branch = kind
            self.bundles.now += 1
            following = bundle.next_pc
            if self.bundles.sets_loop and (branch_end >= 0 or pc == self._loop.end):
                raise Untranslatable
            if self.bundles.sets_loop:
                following_text = str(following)
                break
            if pc == self._loop.end:
                if branch_end >= 0:
                    raise Untranslatable
                turns += 1
                count = self._count_turn()
                if (
                    turns < self._turns
                    and self.bundles.now + size_of_loop(self._context.bundles, self._loop) <= limit
                ):
                    pc = self._loop.start
                    continue
                following_text = f"{self._loop.start} if {count} else {following}"
                break
            if self.bundles.now - 1 == branch_end:
                following_text = f"k[0] if k else {following}"
                if self._branch == "jl":
                    name = self.values.variable(str(following))
                    self._write_control("lr", name)
                break
            if branch_end < 0:
                self.translated = self.bundles.now
                if self.bundles.now >= limit:
                    following_text = str(following)
                    break
            pc = following
        return self.finished(following_text, count, turns, is_return)

    def _count_turn(self) -> str:
        (part,) = self._storage.parts_named("lc")
        name = self.values.variable(f"{self.values.number((part,), self.bundles.now)} - 1")
        self._write_control("lc", name)
        return name

    def _write_control(self, register: str, name: str) -> None:
        """Write a register of the control unit after a bundle, which is counted already."""
        parts = self._storage.parts_named(register)
        at = self.bundles.now, self.bundles.now - 1, self.bundles.pc
        self.values.write(parts, at, "", name, NUMBER)

    def _operations(self, bundle: Any) -> str:
        """Translate the operations of a bundle; return the kind of a branch among them."""
        kind = ""
        for bound in bundle.operations:
            effect = bound.semantics.effect
            if effect in _SLOW_EFFECTS or (
                effect == "store" and "bits" in bound.semantics.arguments
            ):
                raise Untranslatable
            op, registers = self._operation(bound, self.bundles.pc)
            written = self._written_out.get(effect)
            if written is None or not written(self.bundles, op, bound):
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
        self._fill(registers, self.bundles.now + 1)
        self.values.emit(f"{self.values.constant(run)}()")
        self._take_results(
            registers, self.bundles.now, lambda access: late.isdisjoint(access.parts)
        )
        if registers.late is not None:
            read = self.values.variable(f"s[{registers.waiting_slot}]")
            waiting = Waiting(self.bundles.pc, bound.number, self.bundles.now)
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

        self.bundles.later(waiting, cycle, read, finish_now)

    def _resume(self, waiting: Waiting, name: str) -> None:
        """Go on with an operation that was issued before the block."""
        bundle = self._context.bundles[waiting.pc]
        bound = next(each for each in bundle.operations if each.number == waiting.number)
        op, registers = self._operation(bound, waiting.pc)
        if bound.semantics.effect == "multiply":
            self.bundles.product(op).resume(waiting, name)
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
                at = issue + access.landing, issue, self.bundles.pc if pc < 0 else pc
                self.bundles.write(access.parts, at, access.bypass, name, kind)

    def finished(self, following: str, count: str, turns: int, is_return: bool) -> Block:
        """Return the block whose lines were written."""
        size, values = self.bundles.now, self.values
        self.bundles.check_ranges()
        rows = ["def block(C, c, M, F):"]
        inputs = [f"f{number}" for number in range(self._inputs)]
        rows += [f" {', '.join(inputs)}, = F"] if inputs else []
        body = [f" {line}" for line in values.lines]
        flying = values.flying(size)
        waiting = [each._replace(issue=each.issue - size) for each in self.bundles.captured]
        outputs = ", ".join([text for _, text in flying] + list(self.bundles.captured.values()))
        cells = [f" {line}" for line in values.landed(size)]
        rows += [f" c{part} = C[{part}][1]" for part in sorted(values.cells)]
        tail = [f" n = {following}", *cells, f" return n, {count}, [{outputs}]"]
        if isinstance(self.bundles, batches.Batch):
            body[:0] = [f" if not ({self.bundles.values.guard()}): leave()"]
            context = self._context
            found = self.bundles.finish(context.state, context.names["leave"], tail)
            tail = [*(f" {line}" for line in found), *tail]
        rows += [*body, *tail]
        exec(compile("\n".join(rows), "<block>", "exec"), values.names)
        pipeline = Pipeline(tuple(pending for pending, _ in flying), tuple(waiting))
        run = values.names["block"]
        return Block(run, size, turns, pipeline, is_return, self.bundles.sets_loop, {}, {})
