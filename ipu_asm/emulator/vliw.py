"""Machines that execute bundles: binding to the methods of instructions, and the loop that runs."""

from __future__ import annotations

from contextvars import copy_context
from functools import partial
from typing import Any, ClassVar, Final, Generic, Iterable, Sequence, TypeAlias, TypeVar

import numpy as np

from ipu_asm.assembler.word_code import DecodedInstruction
from ipu_asm.emulator.binding import (
    BoundBundle,
    BundlePlan,
    Operation,
    bind,
    binding_errors,
    planned,
)
from ipu_asm.emulator.core.program import CoreDescription
from ipu_asm.emulator.core.runner import NO_BUNDLE, WORTHWHILE, CoreRunner
from ipu_asm.emulator.interrupts import Interrupts
from ipu_asm.emulator.machine import (
    BulkTrace,
    Engine,
    RunCounter,
    SelectiveTest,
    StopTest,
    Trace,
    default_engine,
)
from ipu_asm.emulator.registers import RegisterFile
from ipu_asm.emulator.state import AnyState, MachineState
from ipu_asm.emulator.stops import ExecutionFault, Fault, InstructionError, ProgramError
from ipu_asm.emulator.words import FloatErrors
from ipu_asm.isa import load_isa
from ipu_asm.isa.model import InstructionSpec

State = TypeVar("State", bound=AnyState)

_NO_INTERRUPTS: Final = Interrupts()


class VliwMachine(Generic[State]):
    """A machine operating on a state; each instruction is implemented by one `execute_...` method.

    A machine's own class has these methods and states `execution_order`, the slots in the order in
    which a bundle executes them, the one of control flow last. It operates on states of the class
    `state_class`. `break_slot` is the first of them if
    it only stops debuggers, else empty. In a method, the program counter is that of the next
    bundle. `snapshot` has the registers from before the bundle; its `pc` is the last bundle that
    was begun; `end` is the instruction that ended a program without a `break_slot` and an order of
    slots. `cycles` counts the bundles executed so far. `counter`, if there is one, counts all
    runs without a trace of their own.
    """

    execution_order: ClassVar[tuple[str, ...]]
    break_slot: ClassVar[str] = ""
    end: str = ""
    state_class: ClassVar[type[AnyState]] = MachineState
    core: ClassVar[CoreDescription | None] = None

    def __init__(self, state: State) -> None:
        if not isinstance(state, self.state_class):
            raise TypeError(
                f"a machine operates on a state of class `{self.state_class.__name__}`, "
                f"found {type(state).__name__}"
            )
        self.state = state
        self.cycles = 0
        registers: RegisterFile = state.regfile
        self.snapshot: RegisterFile = type(registers)()
        self._registers = registers
        self._block = registers.block
        self._scalars = registers.scalars
        self._memory = state.xmem.content
        self._program_limit = state.program_limit
        self.engine_choice = default_engine()
        self.counter: RunCounter | None = None
        self._runner: CoreRunner | None = None
        self._words: list[int | None] = []
        self._bundles: list[BoundBundle] = []
        self._steps: list[tuple[Operation, ...]] = []
        # In this context numpy ignores float errors but reports invalid operations to
        # `_float_errors`; it is set up once, so a run does not pay for it.
        self._float_errors = FloatErrors()
        self._context = copy_context()
        self._context.run(np.seterr, all="ignore", invalid="call")
        self._context.run(np.seterrcall, self._float_errors.note)

    @property
    def arguments(self) -> tuple[Any, ...]:
        """What the machine was created with besides its state, for copies of it."""
        return ()

    def __reduce__(self) -> tuple[Any, ...]:
        own = {name: each for name, each in vars(self).items() if name.startswith("execute_")}
        own |= {"cycles": self.cycles, "engine_choice": self.engine_choice}
        return _created, (type(self), self.state, self.arguments, self.snapshot, own)

    @property
    def live(self) -> RegisterFile:
        """The registers of the state."""
        return self._registers

    def execute_vliw_cycle(self) -> bool:
        """Execute one bundle, ignoring its break slot; returns False if the machine is halted.

        Raises `ExecutionFault`, with the state unchanged, if the bundle cannot be executed, and
        `ProgramError` if the machine cannot execute the program.
        """
        return self.run(1) == 1

    def run(self, limit: int, stop: StopTest | None = None, trace: Trace | None = None) -> int:
        """Execute up to `limit` bundles or until the machine halts; returns the number executed.

        `stop` is called with the address of each bundle except the first, while `snapshot` is still
        that of the previous bundle; the run ends when it returns true. `trace` is called with the
        address of each bundle before it is executed. Raises as `execute_vliw_cycle` does. Ctrl-C
        ends every run of more than one bundle with a KeyboardInterrupt and leaves the state between
        two bundles.
        """
        if self.counter is not None and trace is None:
            return self.counter.run(self, limit, stop)
        if limit >= WORTHWHILE and self.engine_choice is not Engine.NUMPY:
            runner = self.core_runner()
            selective = stop if isinstance(stop, SelectiveTest) else None
            bulk = trace if isinstance(trace, BulkTrace) else None
            if runner is not None and selective is stop and bulk is trace:
                return runner.run(self, limit, selective, bulk)
        return self.run_on_numpy(limit, stop, trace)

    @property
    def engine(self) -> str:
        """The name of the engine of long runs: `core`, or `numpy`. To say so, a core is loaded."""
        return Engine.NUMPY.value if self.why_numpy else Engine.CORE.value

    @property
    def why_numpy(self) -> str:
        """Why the core does not run this machine with its program; empty if it does."""
        if self.engine_choice is Engine.NUMPY:
            return "it was chosen"
        runner = self.core_runner()
        return runner.obstacle(self) if runner else f"`{self.state.isa_name}` has no core"

    @property
    def bundles_on_core(self) -> int:
        """How many bundles the core has executed."""
        return self._runner.bundles if self._runner else 0

    @property
    def engine_used(self) -> str:
        """Describe what has executed the bundles so far, and why, without loading a core."""
        core = self.bundles_on_core
        if core:
            left = self.cycles - core
            return f"core, {core:,} bundles" + (f"; numpy, {left:,}" if left else "")
        if self.engine_choice is Engine.NUMPY:
            return "numpy, as chosen"
        return f"numpy: {self.known_obstacle or 'the run was too short for the core'}"

    @property
    def known_obstacle(self) -> str:
        """Why the core did not run the machine, as far as it was tried; empty if nothing is."""
        runner = self.core_runner()
        return runner.known_obstacle if runner else f"`{self.state.isa_name}` has no core"

    def core_runner(self) -> CoreRunner | None:
        """Return what runs this machine on its core; None if its set has none."""
        if self._runner is None and self.core is not None:
            self._runner = CoreRunner(self.core)
        return self._runner

    def load_core(self) -> None:
        """Load the core for the program now; otherwise the first long run does."""
        runner = self.core_runner()
        if runner is not None:
            runner.obstacle(self)

    def check_program(self) -> None:
        """Check that the machine can execute its program. Raises `ProgramError`."""
        self._bind_program()

    def run_on_numpy(
        self, limit: int, stop: StopTest | None = None, trace: Trace | None = None
    ) -> int:
        """Run as `run` does, by the methods of the machine."""
        if limit > 1 or not self._is_bound(self._registers.pc):
            self._bind_program()
        self.snapshot.pc = NO_BUNDLE
        if stop is not None and isinstance(stop, SelectiveTest):
            stop = stop.test
        if trace is not None and isinstance(trace, BulkTrace):
            trace = trace.append
        xmem = self.state.xmem
        xmem.recording = True
        try:
            if limit == 1:
                return self._context.run(self._run, limit, stop, trace, _NO_INTERRUPTS)
            with Interrupts() as interrupts:
                return self._context.run(self._run, limit, stop, trace, interrupts)
        finally:
            xmem.recording = False

    def stops_at(self, pc: int) -> bool:
        """Return whether the break slot of the bundle at an address stops in the current state."""
        if pc >= self._program_limit:
            return False
        if not self._is_bound(pc):
            self._bind_program()
        test = self._bundles[pc].stops
        return test is not None and bool(test(self))

    def break_test(self) -> StopTest:
        """Return a stop test that is `stops_at`, for the program that is loaded now."""
        if type(self).stops_at is not VliwMachine.stops_at:
            return self.stops_at
        self._bind_program()
        breaks = frozenset(pc for pc, each in enumerate(self._bundles) if each.stops is not None)
        return SelectiveTest(self.stops_at, at_breaks=breaks)

    def _run(
        self, limit: int, stop: StopTest | None, trace: Trace | None, interrupts: Interrupts
    ) -> int:
        live, old, steps = self._registers, self.snapshot, self._steps
        block, scalars, old_block, old_scalars = live.block, live.scalars, old.block, old.scalars
        written, program_limit = self.state.xmem.written, self._program_limit
        operation: Operation | None = None
        begin, executed, is_begun = self.cycles, 0, False
        try:
            for executed in range(limit):
                is_begun = False
                pc = live.pc
                if pc >= program_limit:
                    return executed
                if interrupts.is_pending:  # Python dropped the exception in a callback
                    raise KeyboardInterrupt
                if stop is not None and executed:
                    self.cycles = begin + executed
                    if stop(pc):
                        return executed
                # No interrupt occurs between these lines, as they contain no call.
                is_begun = True
                old_block[:] = block
                old_scalars[:] = scalars
                old.pc = pc
                live.pc = pc + 1
                if written:
                    written.clear()
                if trace is not None:
                    trace(pc)
                for operation in steps[pc]:
                    operation(self)
            executed = limit
        except InstructionError as refusal:
            fault = self._fault(str(refusal), operation, begin + executed)
            self._undo()
            raise ExecutionFault(fault) from None
        except BaseException:
            if is_begun:
                self._undo()
            raise
        finally:
            self.cycles = begin + executed
        return executed

    def _undo(self) -> None:
        """Restore the state from before the current bundle."""
        self._registers.copy_from(self.snapshot)
        self.state.xmem.undo()

    def _fault(self, cause: str, operation: Operation | None, cycle: int) -> Fault:
        """Describe a refused operation; the state is still that at the refusal."""
        pc = self.snapshot.pc
        bundle = self._bundles[pc]
        instruction = next(
            instruction
            for instruction, other in zip(bundle.instructions, bundle.operations)
            if other is operation
        )
        registers = scalars_named(self.state, [instruction])
        fault = Fault(
            pc, cycle, bundle.word or 0, instruction.slot.name, str(instruction), cause, registers
        )
        return fault.located(self.state.lines, instruction.place)

    def _is_bound(self, pc: int) -> bool:
        """Whether the bundle at an address is bound to the word now in program memory."""
        return pc >= self._program_limit or (
            bool(self._words) and self._words[pc] is self.state.inst_mem[pc]
        )

    def _bind_program(self) -> None:
        """Bind each distinct word of program memory once; do nothing if no word changed."""
        words = self.state.inst_mem
        if words == self._words:
            return
        # Program memory is long and mostly empty, so no Python runs for the words at its end.
        rest = [None] * words.count(None)
        length = len(words) - len(rest)
        program = words[:length] if words[length:] == rest else words
        plans = self._plans(program)
        specs = {key: spec for plan in plans for key, spec in plan.specs.items()}
        errors = self.binding_errors(specs.values())
        if errors:
            raise ProgramError(errors)
        bundles: dict[int | None, BoundBundle] = {plan.word: bind(self, plan) for plan in plans}
        bundles[None] = _EMPTY
        self._bundles = [bundles[word] for word in program]
        self._steps = [bundle.operations for bundle in self._bundles]
        unused = len(words) - len(program)
        self._bundles += [_EMPTY] * unused
        self._steps += [_EMPTY.operations] * unused
        self._words = list(words)

    def _plans(self, words: Sequence[int | None]) -> list[BundlePlan]:
        """The plan of each distinct word. Raises `ProgramError` for one too wide."""
        isa = load_isa(self.state.isa_name)
        limit = 1 << isa.word_bits
        distinct = {word for word in words if word is not None}
        if not all(0 <= word < limit for word in distinct):
            raise ProgramError(
                [
                    f"bundle {at}: a word of the program has {isa.word_bits} bits, found {word:#x}"
                    for at, word in enumerate(words)
                    if word is not None and not 0 <= word < limit
                ]
            )
        order, layout = tuple(self.execution_order), self._registers.layout
        return list(map(partial(planned, isa, layout, order, self.break_slot), distinct))

    @classmethod
    def binding_errors(cls, specs: Iterable[InstructionSpec]) -> list[str]:
        """Return the reasons why this class cannot execute instructions, each with its remedy."""
        return [error for spec in specs for error in binding_errors(cls, spec)]


def _created(
    kind: Any, state: AnyState, arguments: Any, snapshot: RegisterFile, own: dict[str, Any]
) -> AnyMachine:
    machine: AnyMachine = kind(state, *arguments)
    machine.snapshot.copy_from(snapshot)
    vars(machine).update(own)
    return machine


AnyMachine: TypeAlias = VliwMachine[Any]
"""Some machine."""


def scalars_named(state: AnyState, instructions: Iterable[DecodedInstruction]) -> dict[str, int]:
    """Return the scalar registers that instructions name, with their current values."""
    layout, scalars = state.layout, state.regfile.scalars
    named = (register for each in instructions for register in each.registers.values())
    return {
        name: scalars[place]
        for register in named
        for name in layout.scalars_of(register)
        if isinstance(place := layout.places[name], int)
    }


_EMPTY: Final = BoundBundle(None, None, (), ())
"""A bundle that was never loaded does nothing."""
