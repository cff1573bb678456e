"""Machines of the IPU 2 in a wanted state, and scalar models in the same one."""

from __future__ import annotations

from ipu_asm.assembler.encode import assemble
from ipu_asm.targets.ipu2.machine.ipu2 import Ipu2
from ipu_asm.targets.ipu2.machine.state import Ipu2State
from tests.ipu2_runs import VECTORS, Contents
from tests.scalar_ipu2 import ScalarIpu2
from tests.vectors import Record, words_of


def machine_with(text: str, **mode: object) -> Ipu2:
    """A machine after reset, with a program; `mode` are keywords of `Ipu2State`."""
    state = Ipu2State(**mode)  # type: ignore[arg-type]
    state.load_program(assemble(text, "ipu2"))
    return Ipu2(state)


def state_of(record: Record) -> Ipu2State:
    """The state from which a recorded run began."""
    state = Ipu2State(
        record.get("dtype", "INT8"),
        record.get("wide"),
        record.get("quantize", False),
        record.get("elu_alpha", 1.0),
    )
    state.load_program(words_of(record))
    for name, value in record["init"].items():
        if name in ("lr", "cr"):
            for index, word in value.items():
                state.regfile.set_scalar(name, int(index), word)
        elif name == "xmem":
            for piece in value:
                state.xmem.write_address(piece["addr"], bytes.fromhex(piece["hex"]))
        else:
            state.regfile.set_register_bytes(*VECTORS[name], bytes.fromhex(value))
    return state


def contents_of(machine: Ipu2) -> Contents:
    """The state of a machine."""
    state = machine.state
    vectors = {
        name: bytes(state.regfile.get_register_bytes(*place)) for name, place in VECTORS.items()
    }
    return Contents(
        state.program_counter,
        machine.cycles,
        scalars(state, "lr"),
        scalars(state, "cr"),
        vectors,
        state.xmem.content,
    )


def scalars(state: Ipu2State, file: str) -> list[int]:
    """All loop registers or all config registers."""
    return [state.regfile.get_scalar(file, index) for index in range(16)]


def scalar_twin(state: Ipu2State) -> ScalarIpu2:
    """The scalar model in the same state."""
    mode = state.settings
    twin = ScalarIpu2(mode.dtype, mode.wide, mode.quantize, mode.elu_alpha)
    twin.pc = state.program_counter
    twin.lr, twin.cr = scalars(state, "lr"), scalars(state, "cr")
    for name, place in VECTORS.items():
        twin.registers[name][:] = state.regfile.get_register_bytes(*place)
    twin.xmem[:] = state.xmem.content
    return twin


def differences_of_twins(state: Ipu2State, twin: ScalarIpu2) -> list[str]:
    """Which registers differ from those of the scalar model, to the bit."""
    wrong = [] if state.program_counter == twin.pc else ["pc"]
    wrong += [file for file in ("lr", "cr") if scalars(state, file) != getattr(twin, file)]
    return wrong + [
        name
        for name, place in VECTORS.items()
        if state.regfile.get_register_bytes(*place) != twin.registers[name]
    ]
