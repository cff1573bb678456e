"""How often bundles were executed, branches were taken, and memory was accessed.

The core counts them itself. Both engines give the same numbers.
"""

from __future__ import annotations

from array import array
from collections import Counter
from functools import lru_cache
from itertools import pairwise
from typing import Final, Iterable

import numpy as np

from ipu_asm.assembler.kernel import Kernel
from ipu_asm.assembler.word_code import decode_slot
from ipu_asm.emulator.binding import branch_target
from ipu_asm.emulator.core.runtime import BLOCK
from ipu_asm.emulator.machine import BulkTrace, Engine, Machine, StopTest, Trace, Transitions
from ipu_asm.emulator.model import MachineModel, decode_word, machine_for
from ipu_asm.emulator.vliw import AnyMachine
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program, cached_on_program


class BranchCount(NamedTuple):
    """How often a conditional branch was taken, and how often not."""

    taken: int
    not_taken: int


class ConditionalBranch(NamedTuple):
    """A conditional branch of a program, the instruction `place` of its slot in bundle `pc`.

    It takes effect after the bundle `last`, which is another one if there are delay slots, and
    leads to `target`; None if a register has that.
    """

    pc: int
    last: int
    target: int | None
    slot: str
    place: int
    text: str


class ExecutionCounts:
    """Executions of the bundles of one program, over any number of runs of any machines.

    `executions` are by address; `departures[a, b]` counts how often bundle a led to address b,
    which may be beyond the end of the program. A bundle that faults is not counted; the departure
    to it is.
    """

    def __init__(self) -> None:
        self.executions: Counter[int] = Counter()
        self.departures: Transitions = Counter()

    def run(self, machine: Machine, limit: int, stop: StopTest | None = None) -> int:
        """Run as `Machine.run` does, and count."""
        recording = Recording()
        try:
            return recording.run(machine, limit, stop)
        finally:
            self.add(recording, machine.state.program_counter)

    def add(self, recording: Recording, end: int) -> None:
        """Add what was recorded; `end` is the program counter after its last bundle."""
        self.executions.update(recording.visits)
        self.departures.update(recording.transitions)
        if recording.last is not None:
            self.departures[recording.last, end] += 1

    def of_branch(self, branch: ConditionalBranch) -> BranchCount:
        """Return how often a conditional branch was taken and how often it fell through."""
        last, target = branch.last, branch.target
        not_taken = self.departures[last, last + 1]
        if target is not None:
            return BranchCount(self.departures[last, target], not_taken)
        every = sum(count for (pc, _), count in self.departures.items() if pc == last)
        return BranchCount(every - not_taken, not_taken)


def conditional_branches(kernel: Kernel) -> tuple[ConditionalBranch, ...]:
    """Return the conditional branches of a program, those to the next bundle left out.

    These have one way only, so that nothing tells whether they were taken.
    """
    every = (
        _branches_of_words(kernel.isa, tuple(kernel.words))
        if kernel.code is None
        else _branches_of_source(kernel.program)
    )
    return tuple(each for each in every if each.target != each.last + 1)


@lru_cache(maxsize=16)
def _branches_of_words(isa: Isa, words: tuple[int, ...]) -> tuple[ConditionalBranch, ...]:
    return tuple(
        ConditionalBranch(pc, pc, target, slot.name, instruction.place, str(instruction))
        for pc, word in enumerate(words)
        for slot in isa.slots
        for instruction in decode_slot(isa, slot, word)
        if instruction.spec is not None and instruction.spec.flow == "branch"
        if (target := branch_target(instruction)) is not None
    )


@cached_on_program
def _branches_of_source(program: Program) -> tuple[ConditionalBranch, ...]:
    found: list[ConditionalBranch] = []
    labels = program.label_addresses
    for pc, number in enumerate(program.bundle_at_address):
        places: Counter[str] = Counter()
        for instruction in program.bundles[number].instructions:
            spec = instruction.spec
            if spec is not None and spec.flow == "branch":
                targets = [labels[v] for v in instruction.values if v in labels]
                target = targets[0] if targets else None
                text, last = " ".join(instruction.words), pc + spec.delay_slots
                place = places[spec.slot]
                found.append(ConditionalBranch(pc, last, target, spec.slot, place, text))
            if spec is not None:
                places[spec.slot] += 1
    return tuple(found)


# How often the bytes of memory were read and written, in blocks of 128, counted in a run.
# The core counts on its own; numpy executes what it cannot bundle by bundle, which is slow.
# Without such a run nothing is counted, so that runs cost what they did.

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
    if not machine.execution_order:
        yield from machine.touched()  # type: ignore[attr-defined]  # it has no words
        return
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


MAX_BUNDLES_PER_CALL: Final = 1 << 16
"""Recommended limit on bundles per call of `Recording.run`, which uses 2 bytes for each."""


class Recording:
    """The path of one run, which may take several calls of `run`.

    `first` is the address of its first bundle; `transitions[a, b]` counts how often bundle b was
    executed right after bundle a. A bundle that faults is not counted.
    """

    def __init__(self, tail_limit: int = 0) -> None:
        self.first: int | None = None
        self.transitions: Transitions = Counter()
        self._tail = array("H")
        self.tail_limit = tail_limit
        self._last: int | None = None

    def run(self, machine: Machine, limit: int, stop: StopTest | None = None) -> int:
        """Run as `Machine.run` does, and record the address of each bundle."""
        if machine.state.is_halted:
            return 0
        trace = _Trace(self)
        before = machine.cycles
        try:
            return machine.run(limit, stop, trace)
        finally:
            trace.finish(machine.cycles - before)

    @property
    def visits(self) -> Counter[int]:
        """How often each bundle was executed, by address."""
        visits: Counter[int] = Counter()
        if self.first is not None:
            visits[self.first] = 1
        for (_, address), count in self.transitions.items():
            visits[address] += count
        return visits

    @property
    def last(self) -> int | None:
        """The address of the last bundle; None before the first."""
        return self._last

    @property
    def tail(self) -> array[int]:
        """The addresses of the bundles executed last, up to `tail_limit` of them."""
        return self._tail[-self.tail_limit :] if self.tail_limit else self._tail

    def add(
        self, first: int, last: int, transitions: Iterable[tuple[tuple[int, int], int]]
    ) -> None:
        """Add a way from its first bundle to its last one."""
        if self._last is None:
            self.first = first
        else:
            self.transitions[self._last, first] += 1
        for transition, count in transitions:
            self.transitions[transition] += count
        self._last = last

    def add_addresses(self, addresses: array[int]) -> None:
        """Add the addresses of bundles executed one after the other."""
        self.add(addresses[0], addresses[-1], ())
        self.transitions.update(pairwise(addresses))
        if self.tail_limit:
            self._tail.extend(addresses)
            if len(self._tail) > 2 * self.tail_limit:
                del self._tail[: -self.tail_limit]


class _Trace(BulkTrace):
    """Adds a call of `run` to a recording."""

    def __init__(self, recording: Recording) -> None:
        super().__init__(wants_addresses=recording.tail_limit > 0)
        self._recording = recording
        self._addresses = array("H")
        self._added = 0

    @property
    def append(self) -> Trace:
        """What to call for each bundle: as fast as can be, because it is called in a loop."""
        return self._addresses.append

    def add_addresses(self, addresses: bytes) -> None:
        """Add bundles that an engine has recorded."""
        self._addresses.frombytes(addresses)

    def add_transitions(self, first: int, last: int, transitions: Transitions) -> None:
        """Add what an engine has counted, after the bundles that it recorded one by one."""
        self._add(len(self._addresses))
        counts = [each for each in transitions.items() if each[1] > 0]
        self._recording.add(first, last, counts)
        self._added += 1 + sum(count for _, count in counts)

    def finish(self, executed: int) -> None:
        """End with the call, which executed so many bundles; another one recorded has faulted."""
        self._add(executed - self._added)

    def _add(self, number: int) -> None:
        """Add the first ones of the addresses, and begin anew."""
        if number:
            self._recording.add_addresses(self._addresses[:number])
            self._added += number
        del self._addresses[:]
