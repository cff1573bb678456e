"""Machines in a wanted state, and what differs between a machine and what is expected of it."""

from __future__ import annotations

from typing import Final

from ipu_asm.assembler.encode import assemble
from ipu_asm.emulator import Ipu, IpuState
from tests.scalar_machine import ScalarMachine
from tests.vectors import Record

MAX_CYCLES: Final = 100_000
VECTORS: Final = {"r0": ("r", 0), "r1": ("r", 1)} | {
    name: (name, 0)
    for name in ("mem_bypass", "r_cyclic", "r_mask", "r_acc", "mult_res", "aaq_result")
}
"""Name and element of every vector register, by the name that the recorded runs give it."""


BUSY: Final = """
    set lr2 512; set lr5 512;;
x:  sub lr0 lr2 lr0; incr lr3 1; str_acc_reg lr0 cr0; mult.ve.cr lr3 lr1 lr1 cr3; acc;;
    ldr_cyclic_mult_reg lr0 cr0 lr0; mult.ve.cr lr5 lr1 lr1 cr3; acc; agg max value cr0 aaq0; b x;;
"""


def ipu_with(text: str, dtype: int = 0, aaq_shift: int = 0) -> Ipu:
    """A machine whose registers and memory are zero, with a program."""
    state = IpuState()
    state.load_program(assemble(text))
    state.set_cr_dtype(dtype)
    return Ipu(state, aaq_shift)


def busy_ipu() -> Ipu:
    """A machine that never halts and always changes something of everything."""
    ipu = ipu_with(BUSY)
    ipu.state.regfile.set_cr(3, 7)
    return ipu


def state_of(record: Record) -> IpuState:
    """The state from which a recorded run began."""
    state = IpuState()
    state.load_program([int(word, 16) for word in record["words"]])
    registers = state.regfile
    setters = {"lr": registers.set_lr, "cr": registers.set_cr, "aaq": registers.set_aaq}
    for name, value in record["init"].items():
        if name in setters:
            for index, word in value.items():
                setters[name](int(index), word)
        elif name == "xmem":
            for piece in value:
                state.xmem.write_address(piece["addr"], bytes.fromhex(piece["hex"]))
        else:
            registers.set_register_bytes(*VECTORS[name], bytes.fromhex(value))
    return state


def register_bytes(state: IpuState, name: str) -> bytes:
    """A vector register by its recorded name, all aaq registers, or the whole `xmem`."""
    if name == "aaq":
        return b"".join(state.regfile.get_aaq(i).to_bytes(4, "little") for i in range(4))
    if name == "xmem":
        return bytes(state.xmem.content)
    return bytes(state.regfile.get_register_bytes(*VECTORS[name]))


def differences(state: IpuState, xmem: bytes, expected: Record) -> list[str]:
    """What of a state differs from a recorded one; `xmem` is the memory that the run began with."""
    memory = bytearray(xmem)
    for row in expected["xmem_rows"]:
        content = bytes.fromhex(row["hex"])
        memory[row["addr"] : row["addr"] + len(content)] = content
    wanted = {name: bytes.fromhex(content) for name, content in expected["regs"].items()}
    wanted["xmem"] = bytes(memory)
    wanted["aaq"] = b"".join(word.to_bytes(4, "little") for word in expected["aaq"])
    wrong = [] if state.program_counter == expected["pc"] else ["pc"]
    wrong += [name for name in ("lr", "cr") if scalars(state, name) != expected[name]]
    for name, content in wanted.items():
        ranges = expected["nan_dontcare"].get(name, [])
        if without(content, ranges) != without(register_bytes(state, name), ranges):
            wrong.append(name)
    return wrong


def scalars(state: IpuState, name: str) -> list[int]:
    """All loop registers or all config registers."""
    get = state.regfile.get_lr if name == "lr" else state.regfile.get_cr
    return [get(index) for index in range(16)]


def without(content: bytes, ranges: list[list[int]]) -> bytes:
    """The content with the given [offset, length] ranges blanked."""
    blanked = bytearray(content)
    for offset, length in ranges:
        blanked[offset : offset + length] = bytes(length)
    return bytes(blanked)


def scalar_twin(state: IpuState) -> ScalarMachine:
    """A scalar machine in the same state."""
    twin = ScalarMachine()
    twin.pc = state.program_counter
    twin.lr, twin.cr = scalars(state, "lr"), scalars(state, "cr")
    twin.aaq = [state.regfile.get_aaq(i) for i in range(4)]
    for name in VECTORS:
        content = register_bytes(state, name)
        if name in ("r_acc", "mult_res"):
            setattr(twin, name, words_of(content))
        elif name in ("r0", "r1"):
            twin.r[int(name[1])][:] = content
        else:
            getattr(twin, name)[:] = content
    twin.xmem[:] = state.xmem.content
    return twin


def differences_of_twins(state: IpuState, twin: ScalarMachine) -> list[str]:
    """What of a state differs from a scalar machine, to the bit."""
    wrong = [] if state.program_counter == twin.pc else ["pc"]
    wrong += [name for name in ("lr", "cr") if scalars(state, name) != getattr(twin, name)]
    if [state.regfile.get_aaq(i) for i in range(4)] != twin.aaq:
        wrong.append("aaq")
    for name in VECTORS:
        content = register_bytes(state, name)
        if name in ("r0", "r1"):
            same = content == twin.r[int(name[1])]
        elif name in ("r_acc", "mult_res"):
            same = words_of(content) == getattr(twin, name)
        else:
            same = content == getattr(twin, name)
        if not same:
            wrong.append(name)
    return wrong if state.xmem.content == twin.xmem else [*wrong, "xmem"]


def words_of(content: bytes) -> list[int]:
    """Little-endian 32-bit words."""
    return [int.from_bytes(content[i : i + 4], "little") for i in range(0, len(content), 4)]
