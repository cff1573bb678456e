"""How often the bytes of memory were read and written, in blocks of 128, counted in a run.

The core counts on its own; numpy executes what it cannot bundle by bundle, which is slow. Without
such a run nothing is counted, so that runs cost what they did.
"""

from __future__ import annotations

from typing import Final, Iterable

import numpy as np

from ipu_asm.emulator.core.runtime import BLOCK
from ipu_asm.emulator.engine import Engine
from ipu_asm.emulator.model import MachineModel, decode_word, machine_for
from ipu_asm.emulator.vliw import AnyMachine
from ipu_asm.named_tuple import NamedTuple

BLOCK_SIZE: Final = BLOCK
"""Bytes whose accesses are counted together."""

_MEMORY: Final = "xmem"


class Touched(NamedTuple):
    """An access of memory that an instruction made: its first byte and its size in bytes."""

    instruction: str
    start: int
    size: int
    is_write: bool


class AccessCounts:
    """Accesses to each block of a memory of `size` bytes.

    An access that touches two blocks counts in both. What the host writes does not count.
    """

    def __init__(self, size: int) -> None:
        self._counts = np.zeros((size // BLOCK_SIZE, 2), np.uint64)

    def copy(self) -> AccessCounts:
        """Return counts that go on from these."""
        made = AccessCounts(0)
        made._counts = self._counts.copy()
        return made

    def counts(self, start: int, stop: int) -> tuple[int, int]:
        """Return the reads and the writes of the blocks of some bytes, added up."""
        blocks = self._counts[start // BLOCK_SIZE : -(-stop // BLOCK_SIZE)]
        reads, writes = blocks.sum(axis=0)
        return int(reads), int(writes)

    def ranges(self) -> list[range]:
        """Return the address ranges of accessed blocks in order, adjacent ones joined."""
        used = self._counts.any(axis=1)
        edges = np.flatnonzero(np.diff(np.concatenate(([False], used, [False]))))
        return [
            range(int(first) * BLOCK_SIZE, int(last) * BLOCK_SIZE)
            for first, last in edges.reshape(-1, 2)
        ]

    def run(self, machine: AnyMachine, limit: int) -> int:
        """Run as `Machine.run` does, and count. A bundle that faults is not counted."""
        runner = None if machine.engine_choice is Engine.NUMPY else machine.core_runner()
        done = 0
        try:
            while done < limit and not machine.state.is_halted:
                done += runner.count_accesses(machine, limit - done) if runner else 0
                if done < limit and not machine.state.is_halted:
                    done += machine.run_on_numpy(1)
                    for touched in last_accesses(machine):
                        self._add(touched)
        finally:
            if runner is not None:
                self._take(runner.take_accesses())
        return done

    def _take(self, counted: bytes) -> None:
        if counted:
            self._counts += np.frombuffer(counted, np.uint64).reshape(-1, 2)

    def _add(self, touched: Touched) -> None:
        last = touched.start + touched.size - 1
        blocks = slice(touched.start // BLOCK_SIZE, last // BLOCK_SIZE + 1)
        self._counts[blocks, int(touched.is_write)] += np.uint64(1)


def last_accesses(machine: AnyMachine) -> Iterable[Touched]:
    """Yield the accesses to memory of the last bundle, which numpy has executed."""
    model: MachineModel = machine_for(machine.state.isa_name)
    word = machine.state.inst_mem[machine.snapshot.pc]
    written = iter(machine.state.xmem.written)
    for instruction in decode_word(model.isa, word) if word is not None else ():
        spec = instruction.spec
        if spec is None or instruction.is_idle:
            continue
        if _MEMORY in spec.reads and model.memory_read is not None:
            start, size = model.memory_read(machine.state, instruction)
            yield Touched(str(instruction), start, size, is_write=False)
        if _MEMORY in spec.writes:
            start, old = next(written, (0, b""))
            if old:
                yield Touched(str(instruction), start, len(old), is_write=True)
