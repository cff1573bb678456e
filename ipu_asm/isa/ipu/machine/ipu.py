"""The machine: binds bundles to the methods that execute them, and runs them in a loop."""

from __future__ import annotations

from contextvars import copy_context
from typing import Final, Iterable, Sequence

import numpy as np

from ipu_asm.assembler.decode import DecodedInstruction
from ipu_asm.emulator.decode import decode_word
from ipu_asm.emulator.faults import ExecutionFault, Fault, InstructionError, ProgramError
from ipu_asm.emulator.interrupts import Interrupts
from ipu_asm.emulator.machine import StopTest, Trace
from ipu_asm.isa import load_isa
from ipu_asm.isa.ipu.machine.aaq import AaqUnit
from ipu_asm.isa.ipu.machine.acc import AccUnit
from ipu_asm.isa.ipu.machine.binding import BoundBundle, Operation, bind, binding_errors
from ipu_asm.isa.ipu.machine.breaks import BreakUnit
from ipu_asm.isa.ipu.machine.cond import CondUnit
from ipu_asm.isa.ipu.machine.lr import LrUnit
from ipu_asm.isa.ipu.machine.mult import MultUnit
from ipu_asm.isa.ipu.machine.registers import MULT_STAGE_MAP, PLACES, R_ACC_SIZE, R_REG_SIZE
from ipu_asm.isa.ipu.machine.state import INST_MEM_SIZE, IpuState
from ipu_asm.isa.ipu.machine.xmem import XmemUnit
from ipu_asm.isa.model import InstructionSpec, Isa

__all__ = ["R_ACC_SIZE", "R_REG_SIZE", "Ipu"]

# Name used in the "Adding Instructions" document.
_MULT_STAGE_MAP: Final = MULT_STAGE_MAP

_NO_BUNDLE: Final = -1
_NO_INTERRUPTS: Final = Interrupts()


class Ipu(BreakUnit, LrUnit, XmemUnit, MultUnit, AccUnit, AaqUnit, CondUnit):
    """One IPU operating on a state. Each instruction is implemented by one `execute_...` method.

    `cycles` counts the bundles executed so far.
    """

    def __init__(self, state: IpuState, aaq_shift: int = 0) -> None:
        super().__init__(state, aaq_shift)
        self.cycles = 0
        self._words: list[int | None] = []
        self._bundles: list[BoundBundle] = []
        self._steps: list[tuple[tuple[Operation, ...], Operation]] = []
        # In this context numpy ignores float errors but reports invalid operations to
        # `_float_errors`; it is set up once, so a run does not pay for it.
        self._context = copy_context()
        self._context.run(np.seterr, all="ignore", invalid="call")
        self._context.run(np.seterrcall, self._float_errors.note)

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
        if limit > 1 or not self._is_bound(self._registers.pc):
            self._bind_program()
        self.snapshot.pc = _NO_BUNDLE
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
        if pc >= INST_MEM_SIZE:
            return False
        if not self._is_bound(pc):
            self._bind_program()
        test = self._bundles[pc].stops
        return test is not None and bool(test(self))

    def _run(
        self, limit: int, stop: StopTest | None, trace: Trace | None, interrupts: Interrupts
    ) -> int:
        live, old, steps = self._registers, self.snapshot, self._steps
        block, scalars, old_block, old_scalars = live.block, live.scalars, old.block, old.scalars
        written = self.state.xmem.written
        operation: Operation | None = None
        executed, is_begun = 0, False
        try:
            for executed in range(limit):
                is_begun = False
                pc = live.pc
                if pc >= INST_MEM_SIZE:
                    return executed
                if interrupts.is_pending:  # Python dropped the exception in a callback
                    raise KeyboardInterrupt
                if stop is not None and executed and stop(pc):
                    return executed
                # No interrupt occurs between these lines, as they contain no call.
                is_begun = True
                old_block[:] = block
                old_scalars[:] = scalars
                old.pc = pc
                if written:
                    written.clear()
                if trace is not None:
                    trace(pc)
                operations, control = steps[pc]
                for operation in operations:
                    operation(self)
                live.pc = pc + 1
                operation = control
                operation(self)
            executed = limit
        except InstructionError as refusal:
            fault = self._fault(str(refusal), operation, self.cycles + executed)
            self._undo()
            raise ExecutionFault(fault) from None
        except BaseException:
            if is_begun:
                self._undo()
            raise
        finally:
            self.cycles += executed
        return executed

    def _undo(self) -> None:
        """Restore the state from before the current bundle."""
        self._registers.copy_from(self.snapshot)
        self.state.xmem.undo()

    def _fault(self, cause: str, operation: Operation | None, cycle: int) -> Fault:
        """Describe a refused operation; the state is still that at the refusal."""
        pc = self.snapshot.pc
        bundle = self._bundles[pc]
        operations = (*bundle.operations, bundle.control)
        instruction = next(
            instruction
            for instruction, other in zip(bundle.instructions, operations)
            if other is operation
        )
        registers = {}
        for register in instruction.registers.values():
            place = PLACES[register]
            if isinstance(place, int):
                registers[register] = self._scalars[place]
        fault = Fault(
            pc, cycle, bundle.word or 0, instruction.slot.name, str(instruction), cause, registers
        )
        return fault.located(self.state.lines, instruction.place)

    def _is_bound(self, pc: int) -> bool:
        """Whether the bundle at an address is bound to the word now in program memory."""
        return pc >= INST_MEM_SIZE or (
            bool(self._words) and self._words[pc] is self.state.inst_mem[pc]
        )

    def _bind_program(self) -> None:
        """Bind each distinct word of program memory once; do nothing if no word changed."""
        words = self.state.inst_mem
        if words == self._words:
            return
        instructions = _decoded(load_isa("ipu"), words)
        specs = (
            instruction.spec
            for bundle in instructions.values()
            for instruction in bundle
            if instruction.spec
        )
        errors = self.binding_errors({spec.mnemonic: spec for spec in specs}.values())
        if errors:
            raise ProgramError(errors)
        registers = (self._registers, self.snapshot)
        bundles = {word: bind(self, *registers, word, instructions[word]) for word in instructions}
        self._bundles = [_EMPTY if word is None else bundles[word] for word in words]
        self._steps = [(bundle.operations, bundle.control) for bundle in self._bundles]
        self._words = list(words)

    @classmethod
    def binding_errors(cls, specs: Iterable[InstructionSpec]) -> list[str]:
        """Return the reasons why this class cannot execute instructions, each with its remedy."""
        return [error for spec in specs for error in binding_errors(cls, spec)]


def _decoded(isa: Isa, words: Sequence[int | None]) -> dict[int, list[DecodedInstruction]]:
    """The instructions of each distinct word. Raises `ProgramError` for a word that is too wide."""
    too_wide = [
        f"bundle {address}: a word of the program has {isa.word_bits} bits, found {word:#x}"
        for address, word in enumerate(words)
        if word is not None and not 0 <= word < 1 << isa.word_bits
    ]
    if too_wide:
        raise ProgramError(too_wide)
    return {word: decode_word(isa, word) for word in set(words) if word is not None}


def _do_nothing(machine: object) -> None:
    """Operation of an address whose bundle was never loaded."""


_EMPTY: Final = BoundBundle(None, None, (), _do_nothing, ())
