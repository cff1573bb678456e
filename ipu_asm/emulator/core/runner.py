"""Runs of a machine on its core, and on numpy where the core cannot execute a bundle."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Any, Callable, Final, NamedTuple, Sequence
from weakref import ref

from ipu_asm.emulator.binding import write_conflicts
from ipu_asm.emulator.core.rows import CoreDescription, encode_bundle
from ipu_asm.emulator.core.runtime import (
    BREAK,
    HAND_BACK,
    HANDED_BACK,
    MAX_WATCHED,
    SLICE,
    STOP,
    CoreUnavailableError,
    instance_of,
    is_compiled,
)
from ipu_asm.emulator.decode import decode_in_order
from ipu_asm.emulator.engine import Engine
from ipu_asm.emulator.interrupts import Interrupts
from ipu_asm.emulator.machine import SelectiveTest
from ipu_asm.isa import load_isa
from ipu_asm.isa.model import Isa

WORTHWHILE: Final = 8
"""A run of fewer bundles is not worth the copies of the state before and after it."""

WARM_UP: Final = 1 << 14
"""Bundles of a process that numpy executes before a core is loaded, which takes as long as they."""

NO_BUNDLE: Final = -1
"""The program counter of the snapshot before the first bundle of a run."""

_LONGEST_BURST: Final = 1 << 12
_MAY_BE_REPLACED: Final = frozenset({"run", "execute_vliw_cycle", "stops_at"})
_ABSENT: Final = cached_property(lambda machine: None)
_warm_up_done: dict[CoreDescription, int] = {}


class EncodedBundle(NamedTuple):
    """A bundle for the core, and the methods that it stands for; no content if it has none."""

    content: bytes | None
    methods: frozenset[str]
    has_break: bool


class CoreProgram(NamedTuple):
    """A program for the core; the bundles `handed_back` are those of the numpy machine."""

    content: bytes
    handed_back: frozenset[int]
    breaks: frozenset[int]


class CoreRunner:
    """Runs one machine on a core. It holds no reference to the machine.

    `bundles` counts those that the core has executed.
    """

    def __init__(self, core: CoreDescription) -> None:
        self.core = core
        self.bundles = 0
        self._words: list[int | None] = []
        self._program = CoreProgram(b"", frozenset(), frozenset())
        self._marks = b""
        # Weak, because a test usually refers to the machine.
        self._marked_for: Callable[[], SelectiveTest | None] = _no_test
        self._burst = 1
        self._failure = self._obstacle = ""

    def obstacle(self, machine: Any, *, is_loading: bool = True) -> str:
        """Return why the core cannot run a machine with its program; empty if it can.

        With `is_loading` it is compiled to find out whether it can be.
        """
        if self._failure:
            return self._failure
        if is_loading:
            try:
                instance_of(self.core)
            except CoreUnavailableError as error:
                self._failure = str(error)
                return self._failure
        words = machine.state.inst_mem
        if words != self._words:
            self._load(machine, words)
        return self._obstacle

    def run(self, machine: Any, limit: int, stop: SelectiveTest | None) -> int:
        """Run as `Machine.run` does: on numpy until it is worth the time to load the core."""
        done = 0
        if machine.engine_choice is Engine.AUTO:
            warm_up = min(limit, warm_up_left(self.core))
            if warm_up:
                done = int(machine.run_on_numpy(warm_up, stop))
                _warm_up_done[self.core] = _warm_up_done.get(self.core, 0) + done
                if done < warm_up or done == limit or self._is_stopped(machine, stop):
                    return done
        if self.obstacle(machine) or (stop and len(stop.watched) > MAX_WATCHED):
            return done + int(machine.run_on_numpy(limit - done, stop))
        if self._program.handed_back:
            machine.check_program()
        return done + self._run(machine, limit - done, stop)

    def _run(self, machine: Any, limit: int, stop: SelectiveTest | None) -> int:
        done, machine.snapshot.pc = 0, NO_BUNDLE
        with Interrupts() as interrupts:
            while True:
                try:
                    executed, outcome = self._execute(machine, limit - done, stop)
                except CoreUnavailableError as error:
                    self._failure = str(error)
                    return done + int(machine.run_on_numpy(limit - done, stop))
                done += executed
                if outcome == HAND_BACK:
                    done += self._hand_back(machine, executed, limit - done, stop)
                if done >= limit or self._is_stopped(machine, stop):
                    return done
                if interrupts.is_pending:
                    raise KeyboardInterrupt

    def _is_stopped(self, machine: Any, stop: SelectiveTest | None) -> bool:
        state = machine.state
        return state.is_halted or (stop is not None and stop(state.program_counter))

    def _hand_back(
        self, machine: Any, executed: int, limit: int, stop: SelectiveTest | None
    ) -> int:
        """Let numpy execute a bundle, and more if the core executed few since the last one."""
        self._burst = 1 if executed >= WORTHWHILE else min(2 * self._burst, _LONGEST_BURST)
        return int(machine.run_on_numpy(min(self._burst, limit), stop))

    def _load(self, machine: Any, words: Sequence[int | None]) -> None:
        """Encode a program, as the numpy machine binds it: for the methods that there are now."""
        self._program = encode_program(self.core, machine, words)
        self._words, self._marks = list(words), b""
        length = len(self._program.content) // self.core.bundle_size
        left = len(self._program.handed_back)
        replaced = replaced_members(self.core, machine)
        if replaced:
            self._obstacle = f"`{type(machine).__name__}` replaces {', '.join(sorted(replaced))}"
        elif 2 * left > length:
            self._obstacle = f"{left} of {length} bundles have no row in the core"
        else:
            self._obstacle = ""

    def _execute(self, machine: Any, limit: int, stop: SelectiveTest | None) -> tuple[int, int]:
        """Execute up to `limit` bundles on the core; returns their number and the outcome."""
        registers, memory, cycles = machine.state.regfile, machine.state.xmem, machine.cycles
        instance = instance_of(self.core)
        instance.load_program(self._program.content, self._marks_for(stop))
        instance.load_state(registers, memory)
        end = instance.execute(
            registers.pc, min(limit, SLICE), self.core.option(machine), stop.watched if stop else ()
        )

        def commit() -> None:
            instance.store_state(registers, memory)
            registers.pc = end.pc
            if end.executed:
                machine.snapshot.pc = end.last_pc
                memory.written.clear()
            machine.cycles = cycles + end.executed

        try:
            commit()
        except BaseException:  # an interrupt, which must not leave half of a state
            commit()
            raise
        self.bundles += end.executed
        return end.executed, end.outcome

    def _marks_for(self, stop: SelectiveTest | None) -> bytes:
        """The marks of all addresses for a stop test."""
        if not self._marks or stop is not self._marked_for():
            marks = bytearray(self.core.state.program_limit)
            handed_back = self._program.handed_back
            for address in handed_back if stop is None else handed_back | stop.after:
                marks[address] |= HANDED_BACK
            if stop is not None:
                for address in stop.in_front:
                    marks[address] |= STOP
                for address in stop.at_breaks:
                    # The core asks the break slots of its own bundles alone.
                    marks[address] |= STOP if address in handed_back else BREAK
            self._marks = bytes(marks)
            self._marked_for = ref(stop) if stop else _no_test
        return self._marks


def _no_test() -> None:
    """Stand for a reference to no stop test."""


def warm_up_left(core: CoreDescription) -> int:
    """Return how many bundles numpy executes before the core is worth loading."""
    return 0 if is_compiled(core) else max(0, WARM_UP - _warm_up_done.get(core, 0))


def encode_program(core: CoreDescription, machine: Any, words: Sequence[int | None]) -> CoreProgram:
    """Encode the program of a machine."""
    isa, order = load_isa(machine.state.isa_name), machine.execution_order
    changed = overridden_methods(core, machine)
    length = max((pc + 1 for pc, word in enumerate(words) if word is not None), default=0)
    bundles = [encode_word(core, isa, order, word) for word in words[:length]]
    left = frozenset(
        pc for pc, each in enumerate(bundles) if each.content is None or each.methods & changed
    )
    nothing = bytes(core.bundle_size)
    content = b"".join(
        nothing if pc in left or each.content is None else each.content
        for pc, each in enumerate(bundles)
    )
    return CoreProgram(content, left, frozenset(pc for pc, b in enumerate(bundles) if b.has_break))


@lru_cache(maxsize=4096)
def encode_word(
    core: CoreDescription, isa: Isa, order: tuple[str, ...], word: int | None
) -> EncodedBundle:
    """Encode a word of program memory. The content is None if the core cannot execute it."""
    if word is None:
        return EncodedBundle(bytes(core.bundle_size), frozenset(), False)
    if not 0 <= word < 1 << isa.word_bits:
        return EncodedBundle(None, frozenset(), False)
    instructions = decode_in_order(isa, order, word)
    running = [each for each in instructions if not each.is_idle]
    has_conflict = any(True for _ in write_conflicts(isa, running))
    methods = frozenset(each.spec.execute_fn for each in running if each.spec is not None)
    breaks = any(each.slot.name == core.machine.break_slot for each in running)
    return EncodedBundle(
        None if has_conflict else encode_bundle(core, instructions), methods, breaks
    )


def overridden_methods(core: CoreDescription, machine: Any) -> frozenset[str]:
    """Return the methods of a machine that are not those that the rows of its core stand for."""
    return frozenset(
        name
        for name, method in core.methods.items()
        if getattr(type(machine), name) is not method or name in vars(machine)
    )


def replaced_members(core: CoreDescription, machine: Any) -> set[str]:
    """Return what else of its class a machine replaces, of what the core might stand for."""
    names = set(vars(machine))
    for each in type(machine).__mro__:
        if each is core.machine:
            break
        names |= vars(each).keys()
    names -= core.methods.keys() | _MAY_BE_REPLACED
    return {name for name in names if not name.startswith("__") and _is_member(core, name)}


def _is_member(core: CoreDescription, name: str) -> bool:
    """Whether the core's machine has a member of that name which its instances do not keep."""
    return not isinstance(getattr(core.machine, name, _ABSENT), cached_property)
