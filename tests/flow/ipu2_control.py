"""What really happens to loop registers, branches and addresses of an `ipu2` program."""

from __future__ import annotations

from collections import Counter
from typing import Mapping, NamedTuple, Sequence

from ipu_asm.assembler.encode import encode
from ipu_asm.flow.control_run.run import FAULT, HALTED, RAN_OFF, ControlRun
from ipu_asm.flow.control_run.summary import RunSummary
from ipu_asm.flow.control_run.trace import numbers
from ipu_asm.program.program import Program
from tests.scalar_ipu2 import ScalarIpu2, field
from tests.scalar_machine import ScalarFault
from tests.vectors import Record

MODES = {None: 0, "fp32": 1, "int32": 2}
_MEMORY_SLOTS = (("load", 3), ("store", 1), ("acc_store", 1))
_CYCLIC = 1


class Control(ScalarIpu2):
    """The machine without its vectors."""

    @classmethod
    def with_registers(cls, presets: Mapping[str, int]) -> Control:
        """The machine in the mode, and with the registers, that the host sets."""
        machine = cls(0, [None, "fp32", "int32"][presets.get("wide", 0)], False, 1.0)
        for name, value in presets.items():
            if name.startswith("lr"):
                machine.lr[int(name[2:])] = value % (1 << 32)
            elif name.startswith("cr") and int(name[2:]) > 1:
                machine.cr[int(name[2:])] = value % (1 << 32)
        return machine

    def _execute_mult(self, word: int) -> None:
        """Compute nothing."""

    def _execute_acc(self, word: int) -> None:
        """Compute nothing."""

    def _execute_aaq(self, word: int) -> None:
        """Compute nothing."""


class RealRun(NamedTuple):
    """Executions by address, accesses by address and first byte or element, and the end."""

    executions: Counter[int]
    accesses: Counter[tuple[int, str, int]]
    lr: Sequence[int]
    ended: str


def presets_of(record: Record) -> dict[str, int]:
    """The registers that the host sets, the others of its files 0."""
    init = record["init"]
    found = dict.fromkeys((f"cr{number}" for number in range(2, 15)), 0)
    for file in ("cr", "lr"):
        found |= {f"{file}{number}": int(value) for number, value in init.get(file, {}).items()}
    return found | {"wide": MODES[record.get("wide")]}


def real_run(program: Program, presets: Mapping[str, int], most_cycles: int) -> RealRun:
    """Execute a program, without its data, on the second model of the machine."""
    machine = Control.with_registers(presets)
    words = encode(program)
    executions: Counter[int] = Counter()
    accesses: Counter[tuple[int, str, int]] = Counter()
    address, ended = 0, "limit"
    for _ in range(most_cycles):
        if machine.pc >= len(words):
            ended = HALTED if executions and _halts(program, address) else RAN_OFF
            break
        address = machine.pc
        try:
            machine.step(words[address])
        except ScalarFault:
            ended = FAULT
            break
        executions[address] += 1
        accesses.update((address, *each) for each in _accesses(machine, words[address]))
    return RealRun(executions, accesses, machine.lr, ended)


def _halts(program: Program, address: int) -> bool:
    return program.bundles[program.bundle_at_address[address]].flow == "halt"


def _accesses(machine: Control, word: int) -> list[tuple[str, int]]:
    """The memory accesses of a bundle that has been executed: all see its loop registers."""
    found = []
    size = 512 if machine.wide else 128
    for slot, nop in _MEMORY_SLOTS:
        if field(word, slot) != nop:
            row = (
                machine.lr[field(word, f"{slot}.offset")] + machine.cr[field(word, f"{slot}.base")]
            )
            found.append(("xmem", row * size))
    if field(word, "load") == _CYCLIC:
        found.append(("r_cyclic", machine.lr[field(word, "load.index")]))
    return found


def accesses_of(run: ControlRun, summary: RunSummary) -> Counter[tuple[int, str, int]]:
    """The accesses of a control run, as those of a real one."""
    found: Counter[tuple[int, str, int]] = Counter()
    for (address, _), each in summary.accesses.items():
        bases = [run.registers[register] for register in each.access.bases]
        base = sum(
            value % (1 << 32) * each.access.unit for value in bases if isinstance(value, int)
        )
        for offsets in each.offsets:
            found.update(
                (address, each.access.memory, base + number) for number in numbers(offsets)
            )
    return found
