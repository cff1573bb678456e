"""The machine of a core: bundles bound to a state, one executed in each cycle but for stalls."""

from __future__ import annotations

import gc
from typing import Callable, Mapping, NoReturn, Sequence

import numpy as np

from ipu_asm.assembler.machine_code import WrittenInstruction
from ipu_asm.emulator.code_program import CodeProgram
from ipu_asm.emulator.stops import EmulatorError, MachineFaultError, UnknownResultError
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.targets.aie.forms import DELAY_SLOTS
from ipu_asm.targets.aie.machine import lanes, products, scalars, vectors
from ipu_asm.targets.aie.machine.blocks import Blocks
from ipu_asm.targets.aie.machine.operations import Generation, Operation, Registers, Run
from ipu_asm.targets.aie.machine.semantics import Semantics, SemanticsTable
from ipu_asm.targets.aie.machine.state import DONE, RETURNED, RING, Branch, Snapshot, State
from ipu_asm.targets.aie.machine.written_effects import BoundOperation

EFFECTS: Mapping[str, Callable[[Operation], Run]] = {
    **scalars.EFFECTS,
    **vectors.EFFECTS,
    **lanes.EFFECTS,
    **products.EFFECTS,
}

_ACCESSES = ("load", "vector_load", "queue_fill", "queue_pop", "store", "vector_store")
_STORES = ("store", "vector_store")
_IDLE = ("nop", "event", "lock")
_RUN_ALTHOUGH_OUTSIDE = ("lock",)


class BoundBundle(NamedTuple):
    """A bundle as functions, stores last: loads of the same bundle see what was there before."""

    operations: Sequence[BoundOperation]
    next_pc: int
    accesses_memory: bool
    problem: EmulatorError | None = None
    """Why it cannot be executed."""


class CoreMachine:
    """A core that executes a program. `warnings` are sentences about what is not known."""

    def __init__(
        self, program: CodeProgram, generation: Generation, semantics: SemanticsTable
    ) -> None:
        self.program = program
        self.state = State(generation.storage)
        self.warnings: list[str] = []
        self.return_address = 0
        self._generation = generation
        self._semantics = semantics
        self._bundles: dict[int, BoundBundle] = {}
        cells = self.state.cells
        loop = [generation.storage.parts_named(name)[0] for name in ("ls", "le", "lc")]
        self._loop_start, self._loop_end, self._loop_count = loop
        self._link = generation.storage.parts_named("lr")[0]
        self._cells = cells
        self._has_jumped = False
        self._blocks = Blocks(self.state, self._bundles, generation, EFFECTS)

    def start(self, address: int) -> None:
        """Go to a first bundle; a return to what is now in the link register ends the program."""
        self.state.pc = address
        self.return_address = self._cells[self._link][1]
        self.state.set_register("lr", self.return_address)

    @property
    def ended_by(self) -> str:
        """The instruction that has ended the program; empty before."""
        return {RETURNED: "ret", DONE: "done"}.get(self.state.end, "")

    @property
    def is_halted(self) -> bool:
        """Whether the program has ended."""
        return bool(self.state.end)

    def run(
        self,
        limit: int,
        stop: Callable[[int], bool] | None = None,
        trace: Callable[[int], object] | None = None,
        *,
        leap: Callable[[int], int] | None = None,
    ) -> int:
        """Execute up to `limit` bundles until the program ends; return their number.

        `stop` is asked in front of each bundle but the first, `trace` is called with the address of
        each. With `leap`, `stop` is not asked in front of those in blocks: `leap` is called with
        their number, and returns how many may follow; the last ones of a program are executed one
        by one. Raises as `step` does.
        """
        state, before = self.state, self.state.executed
        is_watched = stop is not None or trace is not None or state.reads is not None
        is_watched = is_watched and leap is None
        with np.errstate(all="ignore"):  # what infinities and NaNs give is computed anew
            while state.executed - before < limit and not state.end:
                if self._has_jumped and not is_watched:
                    self._has_jumped = False
                    if self._blocks.is_hot(state.pc):
                        self._leap(before + limit - state.executed, leap)
                        continue
                if stop is not None and state.executed > before and stop(state.pc):
                    break
                if trace is not None:
                    trace(state.pc)
                self._step()
        return state.executed - before

    def _leap(self, limit: int, leap: Callable[[int], int] | None) -> None:
        before, is_collecting = self.state.executed, gc.isenabled()
        gc.disable()  # blocks make no cycles: looking for them took a tenth of their time
        try:
            if leap is None:
                self._blocks.run(limit, self.return_address)
            else:
                self._blocks.run(min(limit, leap(0)), None)
                leap(self.state.executed - before)
        finally:
            if is_collecting:
                gc.enable()

    def step(self) -> None:
        """Execute a bundle.

        Raises `UnknownResultError` and `MachineFaultError`; the state is then that in front of it.
        """
        self.run(1)

    def _step(self) -> None:
        state = self.state
        pc = state.pc
        bundle = self._bundles.get(pc) or self._bound(pc)
        if bundle.accesses_memory and state.quiet_until > state.cycle:
            self._stall()
        state.land()
        operation = None
        try:
            if bundle.problem is not None:
                raise bundle.problem
            for operation in bundle.operations:
                operation.run()
            state.pc = bundle.next_pc
            if state.taken is not None or state.branch is not None:
                operation = None
                self._branch(pc)
            elif self._cells[self._loop_count][1] and self._cells[self._loop_end][1] == pc:
                self._repeat(pc)
        except EmulatorError as error:
            state.forget_issue()
            state.pc = pc
            _raise(error, operation)
        state.cycle += 1
        state.executed += 1

    def _stall(self) -> None:
        state = self.state
        while state.cycle < state.quiet_until:
            state.land()
            state.cycle += 1
            state.stalls += 1

    def _branch(self, pc: int) -> None:
        """Count the delay slots of a branch, and take it after the last one."""
        state, cells = self.state, self._cells
        branch, taken = state.branch, state.taken
        state.taken = None
        if branch is None:
            assert taken is not None
            state.branch = Branch(DELAY_SLOTS, *taken)
            return
        if taken is not None:
            raise UnknownResultError("what a branch in the delay slots of another one does")
        if cells[self._loop_count][1] and cells[self._loop_end][1] == pc:
            raise UnknownResultError("what a branch in the last bundles of a hardware loop does")
        if branch.slots > 1:
            state.branch = branch._replace(slots=branch.slots - 1)
            return
        state.branch = None
        if branch.kind == "jl":
            self._write(self._link, state.pc, pc)
        state.pc = branch.target
        self._has_jumped = True
        if branch.kind == "ret" and branch.target == self.return_address:
            state.end = RETURNED

    def _write(self, part: int, value: int, pc: int) -> None:
        """Write a register of the control unit; it lands before the next bundle reads."""
        state = self.state
        land = state.cycle + 1
        state.flight[land % RING].append((part, value, land, state.cycle, pc, ""))

    def _repeat(self, pc: int) -> None:
        """Count an iteration of the hardware loop, and begin the next one."""
        state, cells = self.state, self._cells
        left = cells[self._loop_count][1] - 1
        self._write(self._loop_count, left, pc)
        if left:
            state.pc = cells[self._loop_start][1]
            self._has_jumped = True

    # Binding

    def _bound(self, pc: int) -> BoundBundle:
        """Return the bundle at an address, bound to the state. Raises `MachineFaultError`."""
        unit = self.program.unit_at(pc)
        if unit is None:
            raise MachineFaultError(self.program.problem_at(pc))
        bound: list[BoundOperation] = []
        problem: EmulatorError | None = None
        accesses_memory = False
        for number, instruction in enumerate(unit.instructions):
            try:
                known = self._known(instruction)
                accesses_memory = accesses_memory or known.effect in _ACCESSES
                run = self._bind(instruction, known, (pc, number))
                if known.effect not in _IDLE:
                    bound.append(BoundOperation(number, instruction, known, run))
            except EmulatorError as error:
                problem = UnknownResultError(f"{instruction.mnemonic}: {error}")
                break
        bound.sort(key=lambda each: each.semantics.effect in _STORES)
        found = BoundBundle(bound, pc + unit.size, accesses_memory, problem)
        self._bundles[pc] = found
        return found

    def _known(self, instruction: WrittenInstruction) -> Semantics:
        found = self._semantics.of(instruction.form)
        if found is None:
            raise UnknownResultError("no public source says what it does")
        return found

    def _bind(
        self, instruction: WrittenInstruction, known: Semantics, place: tuple[int, int]
    ) -> Run:
        effect = EFFECTS.get(known.effect)
        is_run = known.status not in ("unknown", "outside") or known.effect in _RUN_ALTHOUGH_OUTSIDE
        if effect is None or not is_run:
            raise UnknownResultError(known.open)
        mnemonic = instruction.mnemonic
        if known.status == "likely":
            is_open = known.open or "only one source says what it does"
            self.warn(f"`{mnemonic}` is not fully known: {is_open}")
        registers = Registers(self._generation.storage, self.state, place, self.warn)
        operation = Operation(instruction, known, self._generation, self.state, pc=place[0],
                              warn=self.warn, registers=registers)  # fmt: skip
        return effect(operation)

    def warn(self, sentence: str) -> None:
        """Add a warning, once."""
        if sentence not in self.warnings:
            self.warnings.append(sentence)

    # Copies

    def snapshot(self, has_memory: bool = True) -> Snapshot:
        """Return a copy of the state, to return to with `restore`."""
        return self.state.snapshot(has_memory)

    def restore(self, saved: Snapshot) -> None:
        """Return to a copy."""
        self.state.restore(saved)

    def take(self, other: CoreMachine) -> None:
        """Take the state of another machine of the same program."""
        self.return_address = other.return_address
        self.restore(other.snapshot())


def _raise(error: EmulatorError, operation: BoundOperation | None) -> NoReturn:
    """Raise an error of an operation with its mnemonic in front."""
    if operation is None:
        raise error
    raise type(error)(f"{operation.instruction.mnemonic}: {error}") from None
