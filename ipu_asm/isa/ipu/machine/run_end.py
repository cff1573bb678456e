"""Where and why a run of an IPU has ended."""

from __future__ import annotations

from ipu_asm.assembler.decode import DecodedInstruction
from ipu_asm.emulator.decode import decode_word
from ipu_asm.emulator.faults import Fault
from ipu_asm.emulator.stops import RunEnd, StopReason
from ipu_asm.isa import load_isa
from ipu_asm.isa.ipu.machine.ipu import Ipu
from ipu_asm.isa.ipu.machine.registers import PLACES
from ipu_asm.program.line_table import LineTable


def run_end_of(
    ipu: Ipu, reason: StopReason, lines: LineTable | None = None, fault: Fault | None = None
) -> RunEnd:
    """Return the stop of a machine in its current state; `lines` is the source, if there is one."""
    halted = reason is StopReason.HALTED
    pc = ipu.snapshot.pc if halted else ipu.state.program_counter
    word = ipu.state.inst_mem[pc] if pc >= 0 else None
    instructions = [] if word is None else decode_word(load_isa("ipu"), word)
    slot = {StopReason.HALTED: "cond", StopReason.BREAK: "break"}.get(reason)
    culprit = next(
        (instruction for instruction in instructions if instruction.slot.name == slot), None
    )
    instruction = fault.instruction if fault else culprit and str(culprit)
    registers = {} if halted else registers_named(ipu, instructions)
    place = lines.place(pc) if lines else None
    return RunEnd(reason, pc, instruction, registers, place, fault)


def registers_named(ipu: Ipu, instructions: list[DecodedInstruction]) -> dict[str, int]:
    """Return the scalar registers that instructions name, with their current values."""
    values = {}
    for instruction in instructions:
        if not instruction.is_idle:
            for register in instruction.registers.values():
                place = PLACES[register]
                if isinstance(place, int):
                    values[register] = ipu.state.regfile.scalars[place]
    return values
