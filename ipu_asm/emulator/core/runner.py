"""Runs of a machine on its core, and on numpy where the core cannot execute a bundle."""

from __future__ import annotations

import struct
from array import array
from collections import Counter
from sys import byteorder
from time import perf_counter
from typing import Any, Callable, Final, Sequence
from weakref import ref

from ipu_asm.emulator.core.checks import ALWAYS, Check, Opcode
from ipu_asm.emulator.core.program import (
    CoreDescription,
    CoreProgram,
    encode_program,
    replaced_members,
)
from ipu_asm.emulator.core.runtime import (
    BREAK,
    CHECK,
    CHECK_AFTER,
    HAND_BACK,
    HANDED_BACK,
    MAX_CHECK_DEPTH,
    MAX_CHECK_WORDS,
    MAX_SLICE,
    MAX_WATCHED,
    STOP,
    STOPPED,
    CoreUnavailableError,
    Instance,
    Marks,
    RunEnd,
    instance_of,
    is_compiled,
)
from ipu_asm.emulator.interrupts import Interrupts
from ipu_asm.emulator.machine import BulkTrace, Engine, SelectiveTest, Transitions
from ipu_asm.named_tuple import NamedTuple

WORTHWHILE: Final = 8
"""A run of fewer bundles is not worth the copies of the state before and after it."""

WARM_UP: Final = 1 << 14
"""Bundles of a process that numpy executes before a core is loaded, which takes as long as they."""

NO_BUNDLE: Final = -1
"""The program counter of the snapshot before the first bundle of a run."""

_MAX_BURST: Final = 1 << 12
_FIRST_SLICE: Final = 1 << 15
_SHORT_S: Final = 0.003
_LONG_S: Final = 0.010
"""How long a call of the core may take: Ctrl-C waits for its end."""

_warm_up_done: dict[CoreDescription, int] = {}


class _Job(NamedTuple):
    """A run: the machine, and what asks or records along the way."""

    machine: Any
    stop: SelectiveTest | None = None
    trace: BulkTrace | None = None
    is_counting_accesses: bool = False

    def on_numpy(self, limit: int) -> int:
        return int(self.machine.run_on_numpy(limit, self.stop, self.trace))

    def is_over(self) -> bool:
        """Whether the machine has halted, or is to stop in front of its next bundle."""
        state = self.machine.state
        return state.is_halted or (self.stop is not None and self.stop(state.program_counter))


class CoreRunner:
    """Runs one machine on a core. It holds no reference to the machine.

    `bundles` counts those that the core has executed.
    """

    def __init__(self, core: CoreDescription) -> None:
        self.core = core
        self.bundles = 0
        self._words: list[int | None] = []
        self._program = CoreProgram()
        self._marks: Marks | None = None
        # Weak, because a test usually refers to the machine.
        self._marked_for: tuple[Callable[[], SelectiveTest | None], bool] = _no_test, False
        self._burst = 1
        self._slice = _FIRST_SLICE
        self._failure = self._obstacle = ""

    def obstacle(self, machine: Any) -> str:
        """Return why the core cannot run a machine with its program; empty if it can.

        It is loaded to find out whether it can be.
        """
        if not self._failure:
            try:
                instance_of(self.core)
            except CoreUnavailableError as error:
                self._failure = str(error)
        if self._failure:
            return self._failure
        words = machine.state.inst_mem
        if words != self._words:
            self._load(machine, words)
        return self._obstacle

    @property
    def known_obstacle(self) -> str:
        """Why the core did not run the machine, as far as it was tried."""
        return self._failure or self._obstacle

    def run(
        self, machine: Any, limit: int, stop: SelectiveTest | None, trace: BulkTrace | None
    ) -> int:
        """Run as `Machine.run` does: on numpy until it is worth the time to load the core."""
        job, done = _Job(machine, stop, trace), 0
        if machine.engine_choice is Engine.AUTO:
            warm_up = min(limit, warm_up_left(self.core))
            if warm_up:
                done = job.on_numpy(warm_up)
                _warm_up_done[self.core] = _warm_up_done.get(self.core, 0) + done
                if done < warm_up or done == limit or job.is_over():
                    return done
        if self.obstacle(machine) or (stop and len(stop.watched) > MAX_WATCHED):
            return done + job.on_numpy(limit - done)
        if self._program.handed_back:
            machine.check_program()
        return done + self._run(job, limit - done)

    def count_accesses(self, machine: Any, limit: int) -> int:
        """Execute up to `limit` bundles and count their accesses to memory; return their number.

        It ends in front of a bundle that numpy must execute, and takes milliseconds at most.
        `take_accesses` must follow, before another machine runs.
        """
        if self.obstacle(machine):
            return 0
        try:
            return self._execute(_Job(machine, is_counting_accesses=True), limit)[0]
        except CoreUnavailableError as error:
            self._failure = str(error)
            return 0

    def take_accesses(self) -> bytes:
        """Return what was counted, as pairs of uint64 for each block, and begin anew."""
        return b"" if self._failure else instance_of(self.core).take_accesses()

    def _run(self, job: _Job, limit: int) -> int:
        done, job.machine.snapshot.pc = 0, NO_BUNDLE
        with Interrupts() as interrupts:
            while True:
                begin = perf_counter()
                try:
                    executed, outcome = self._execute(job, limit - done)
                except CoreUnavailableError as error:
                    self._failure = str(error)
                    return done + job.on_numpy(limit - done)
                done += executed
                self._adapt(executed, perf_counter() - begin)
                # Where a check says in vain that the test may hold, numpy is faster, too.
                if outcome == STOPPED and executed < WORTHWHILE and done < limit:
                    if job.is_over():
                        return done
                    outcome = HAND_BACK
                if outcome == HAND_BACK:
                    # More than one bundle if the core executed few since the last time.
                    longer = min(2 * self._burst, _MAX_BURST)
                    self._burst = 1 if executed >= WORTHWHILE else longer
                    done += job.on_numpy(min(self._burst, limit - done))
                if done >= limit or job.is_over():
                    return done
                if interrupts.is_pending:
                    raise KeyboardInterrupt

    def _adapt(self, executed: int, seconds: float) -> None:
        """Let calls take milliseconds, whatever a bundle takes."""
        if seconds > _LONG_S:
            self._slice = max(_FIRST_SLICE, self._slice // 2)
        elif executed == self._slice and seconds < _SHORT_S:
            self._slice = min(MAX_SLICE, 2 * self._slice)

    def _load(self, machine: Any, words: Sequence[int | None]) -> None:
        """Encode a program, as the numpy machine binds it: for the methods that there are now."""
        self._program = encode_program(self.core, machine, words)
        self._words, self._marks = list(words), None
        length = len(self._program.content) // self.core.bundle_size
        left = len(self._program.handed_back)
        replaced = replaced_members(self.core, machine)
        if replaced:
            self._obstacle = f"`{type(machine).__name__}` replaces {', '.join(sorted(replaced))}"
        elif 2 * left > length:
            self._obstacle = f"{left} of {length} bundles have no row in the core"
        else:
            self._obstacle = ""

    def _execute(self, job: _Job, limit: int) -> tuple[int, int]:
        """Execute up to `limit` bundles on the core; returns their number and the outcome."""
        machine, trace = job.machine, job.trace
        registers, memory, cycles = machine.state.regfile, machine.state.xmem, machine.cycles
        is_counting = trace is not None and not trace.wants_addresses
        instance = instance_of(self.core)
        instance.load_program(self._program.content, self._marks_for(job.stop, is_counting))
        instance.load_state(registers, memory)
        first = registers.pc
        end = instance.execute(
            first, min(limit, self._slice), self.core.option(machine),
            job.stop.watched if job.stop else (),
            cycle=cycles, is_counting=is_counting, is_tracing=trace is not None and not is_counting,
            is_counting_accesses=job.is_counting_accesses,
        )  # fmt: skip

        def commit() -> None:
            instance.store_state(registers, memory)
            registers.pc = end.pc
            if end.executed:
                machine.snapshot.pc = end.last_pc
                if job.stop is not None and end.last_pc in job.stop.after_if:
                    instance.registers_before(machine.snapshot)
                memory.written.clear()
            machine.cycles = cycles + end.executed

        try:
            commit()
        except BaseException:  # an interrupt, which must not leave half of a state
            commit()
            raise
        self.bundles += end.executed
        if trace is not None and end.executed:
            self._record(trace, instance, first, end)
        return end.executed, end.outcome

    def _record(self, trace: BulkTrace, instance: Instance, first: int, end: RunEnd) -> None:
        if trace.wants_addresses:
            trace.add_addresses(instance.addresses(end.executed))
        else:
            transitions = _transitions(instance.take_counts(), self._program.targets)
            # What the last bundle led to was not executed.
            transitions[end.last_pc, end.pc] -= 1
            trace.add_transitions(first, end.last_pc, transitions)

    def _marks_for(self, stop: SelectiveTest | None, is_counting: bool) -> Marks:
        """The marks of all addresses; a core that counts knows no targets of indirect branches."""
        marked_for, was_counting = self._marked_for
        if self._marks is None or stop is not marked_for() or is_counting is not was_counting:
            handed_back = self._program.handed_back
            if is_counting:
                handed_back |= self._program.indirect
            self._marks = marks_of(stop, handed_back, self.core.state.program_limit)
            self._marked_for = ref(stop) if stop else _no_test, is_counting
        return self._marks


def _transitions(counts: dict[int, tuple[int, int]], targets: Sequence[int | None]) -> Transitions:
    """How often each bundle led to another one, from how often it went on and branched."""
    transitions: Transitions = Counter()
    for pc, (went_on, branched) in counts.items():
        transitions[pc, pc + 1] += went_on
        target = targets[pc] if pc < len(targets) else None
        if branched and target is not None:
            transitions[pc, target] += branched
    return transitions


def _no_test() -> None:
    """Stand for a reference to no stop test."""


def warm_up_left(core: CoreDescription) -> int:
    """Return how many bundles numpy executes before the core is worth loading."""
    return 0 if is_compiled(core) else max(0, WARM_UP - _warm_up_done.get(core, 0))


def marks_of(stop: SelectiveTest | None, handed_back: frozenset[int], length: int) -> Marks:
    """Return the marks of `length` addresses, of which some are handed back in any case."""
    marks = bytearray(length)
    for address in handed_back if stop is None else handed_back | stop.after:
        marks[address] |= HANDED_BACK
    if stop is None:
        return Marks(bytes(marks))
    for address in stop.in_front:
        marks[address] |= STOP
    for address in stop.at_breaks:
        # The core asks the break slots of its own bundles alone.
        marks[address] |= STOP if address in handed_back else BREAK
    for address in stop.in_front_if:
        marks[address] |= CHECK
    for address in stop.after_if:
        marks[address] |= CHECK_AFTER
    if not stop.in_front_if and not stop.after_if:
        return Marks(bytes(marks))
    words = _Words()
    places = array("H", bytes(4 * length))
    for address, checks in stop.in_front_if.items():
        places[2 * address] = words.place(checks)
    for address, checks in stop.after_if.items():
        places[2 * address + 1] = words.place(checks)
    if byteorder == "big":
        places.byteswap()
    return Marks(bytes(marks), struct.pack(f"<{len(words.all)}I", *words.all), places.tobytes())


class _Words:
    """The words of all checks, the same ones once; there is room for one that is always true."""

    def __init__(self) -> None:
        self.all = [*ALWAYS.words, Opcode.STOP_IF, Opcode.END]
        self._known: dict[tuple[Check, ...], int] = {}

    def place(self, checks: Sequence[Check]) -> int:
        """Return where the checks of an address begin."""
        key = tuple(checks)
        if key not in self._known:
            self._known[key] = self._added(key)
        return self._known[key]

    def _added(self, checks: Sequence[Check]) -> int:
        if any(check.depth > MAX_CHECK_DEPTH for check in checks):
            return 0
        words = [word for check in checks for word in (*check.words, Opcode.STOP_IF)]
        place = len(self.all)
        if place + len(words) + 1 > MAX_CHECK_WORDS:
            return 0
        self.all += (*words, Opcode.END)
        return place
