"""Where and why a run of a machine has ended."""

from __future__ import annotations

from ipu_asm.emulator.decode import decode_in_order
from ipu_asm.emulator.faults import Fault
from ipu_asm.emulator.stops import RunEnd, StopReason
from ipu_asm.emulator.vliw import AnyMachine, scalars_named
from ipu_asm.isa import load_isa
from ipu_asm.program.line_table import LineTable


def run_end_of(
    machine: AnyMachine,
    reason: StopReason,
    lines: LineTable | None = None,
    fault: Fault | None = None,
) -> RunEnd:
    """Return the stop of a machine in its current state; `lines` is the source, if there is one."""
    halted = reason is StopReason.HALTED
    state, order = machine.state, machine.execution_order
    pc = machine.snapshot.pc if halted else state.program_counter
    word = state.inst_mem[pc] if pc >= 0 else None
    isa = load_isa(state.isa_name)
    instructions = [] if word is None else decode_in_order(isa, order, word)
    slots = {StopReason.HALTED: order[-1], StopReason.BREAK: machine.break_slot}
    slot = slots.get(reason)
    culprit = next(
        (instruction for instruction in instructions if instruction.slot.name == slot), None
    )
    instruction = fault.instruction if fault else culprit and str(culprit)
    active = [each for each in instructions if not each.is_idle]
    registers = {} if halted else scalars_named(state, active)
    place = lines.place(pc) if lines else None
    return RunEnd(reason, pc, instruction, registers, place, fault)
