"""Compiled cores and their instances: one for each thread, which all machines of a set share."""

from __future__ import annotations

import atexit
import ctypes
import threading
from pathlib import Path
from struct import Struct
from typing import Any, Final, Sequence
from weakref import WeakSet

import numpy as np

from ipu_asm.emulator.core.program import CoreDescription
from ipu_asm.emulator.machine import WatchedRange
from ipu_asm.emulator.state import PAGE, Image, XMem, differing_pages
from ipu_asm.named_tuple import NamedTuple

LIMIT_REACHED, HALTED, STOPPED, HAND_BACK = range(4)
"""Why a core returned."""

STOP, BREAK, HANDED_BACK, CHECK, CHECK_AFTER = 1, 2, 4, 8, 16
"""Marks of an address: stop in front of it, ask its break slot, leave it to the numpy machine, stop
in front of it or after it if its check holds."""

MAX_SLICE: Final = 1 << 18
"""Most bundles of one call, which cannot be interrupted."""

MAX_WATCHED: Final = 32
"""Number of ranges of memory that a core can watch."""

MAX_CHECK_WORDS: Final = 1 << 13
"""Number of words of all checks together."""

MAX_CHECK_DEPTH: Final = 30
"""How many numbers a check may keep at a time."""

BLOCK: Final = 128
"""Bytes of memory whose accesses a core counts together."""

_CONTROL: Final = Struct("<12I")
_RANGE: Final = Struct("<3I")
_ADDRESSES: Final = Struct("<12I")


class CoreUnavailableError(Exception):
    """A core cannot be loaded here; the text is the reason."""


class Place(NamedTuple):
    """The addresses in the memory of an instance that host and core share, see `addresses`."""

    control: int
    marks: int
    counts: int
    tail: int
    program: int
    registers: int
    memory: int
    dirty_pages: int
    check_words: int
    checks_at: int
    registers_before: int
    accesses: int


class Marks(NamedTuple):
    """What a core is to look for: the marks of all addresses, and the checks of those marked so.

    `check_words` are the words of all checks, `checks_at` the places in them of each address: of
    the check in front of it, and of that after it.
    """

    of_addresses: bytes
    check_words: bytes = b""
    checks_at: bytes = b""


class RunEnd(NamedTuple):
    """The end of a call: the next bundle, the last one, how many were executed, and the outcome."""

    pc: int
    last_pc: int
    executed: int
    outcome: int


class Instance:
    """An instance of a core, with copies of the state of the machine that it executed last."""

    def __init__(self, core: CoreDescription, wasmtime: Any, engine: Any, module: Any) -> None:
        self._store = wasmtime.Store(engine)
        exports = wasmtime.Instance(self._store, module, []).exports(self._store)
        self._run, memory = exports["run"], exports["memory"]
        size = memory.data_len(self._store)
        start = ctypes.addressof(memory.data_ptr(self._store).contents)
        # It cannot grow, so it stays where it is.
        self.bytes = memoryview((ctypes.c_uint8 * size).from_address(start)).cast("B")
        self.place = Place(*_ADDRESSES.unpack_from(self.bytes, exports["addresses"](self._store)))
        self._watched_at = self.place.control + _CONTROL.size
        layout = core.state.registers.layout
        self._scalars = Struct(f"<{len(layout.scalar_names)}I")
        self._scalars_at = self.place.registers + layout.block_size
        self._block = slice(self.place.registers, self._scalars_at)
        self._pages = slice(
            self.place.dirty_pages, self.place.dirty_pages + core.state.memory_size // PAGE
        )
        self._counts = slice(self.place.counts, self.place.counts + 16 * core.state.program_limit)
        blocks = core.state.memory_size // BLOCK
        self._accesses = slice(self.place.accesses, self.place.accesses + 16 * blocks)
        self._clean = bytes(self._pages.stop - self._pages.start)
        self._image: Image | None = None
        _open_instances.add(self)
        self._program = b""
        self._marks: Marks | None = None

    def close(self) -> None:
        """Free it; every later call fails."""
        self.bytes = memoryview(b"")
        self._run = self._store = None

    def load_program(self, program: bytes, marks: Marks) -> None:
        """Copy the bundles of a program and its marks, where they are others."""
        if program is not self._program:
            end = self.place.program + max(len(program), len(self._program))
            padding = bytes(max(0, len(self._program) - len(program)))
            self.bytes[self.place.program : end] = program + padding
            self._program = program
        if marks is not self._marks:
            place = self.place
            self.bytes[place.marks : place.marks + len(marks.of_addresses)] = marks.of_addresses
            end = place.check_words + len(marks.check_words)
            self.bytes[place.check_words : end] = marks.check_words
            self.bytes[place.checks_at : place.checks_at + len(marks.checks_at)] = marks.checks_at
            self._marks = marks

    def load_state(self, registers: Any, memory: XMem) -> None:
        """Copy the registers, and the pages of memory that differ from those here."""
        self.bytes[self._block] = registers.block
        self._scalars.pack_into(self.bytes, self._scalars_at, *registers.scalars)
        image = memory.image()
        if image is self._image:
            return
        before, self._image = self._image, None
        if before is None:
            start = self.place.memory
            self.bytes[start : start + memory.size] = memory.content
        else:
            for number, _, content in differing_pages(before, image):
                start = self.place.memory + number * PAGE
                self.bytes[start : start + len(content)] = content
        self._image = image

    def execute(
        self,
        pc: int,
        limit: int,
        option: int,
        watched: Sequence[WatchedRange] = (),
        *,
        cycle: int = 0,
        is_counting: bool = False,
        is_tracing: bool = False,
        is_counting_accesses: bool = False,
    ) -> RunEnd:
        """Execute up to `limit` bundles. Raises `CoreUnavailableError` if the core is defective.

        `cycle` is what checks take for the number of bundles executed before.
        If it is counting, `take_counts` must follow, or `take_accesses`; if it is tracing,
        `addresses` may.
        """
        for number, each in enumerate(watched):
            _RANGE.pack_into(self.bytes, self._watched_at + number * _RANGE.size, *each)
        cycles = cycle & 0xFFFF_FFFF, cycle >> 32
        recorded = is_counting, is_tracing, is_counting_accesses
        words = (pc, 0, limit, 0, 0, option, *recorded, *cycles, len(watched))
        _CONTROL.pack_into(self.bytes, self.place.control, *words)
        self._image, image = None, self._image
        try:
            self._run(self._store)
        except Exception as error:
            raise CoreUnavailableError(f"the core failed: {error}") from error
        self._image = image
        pc, last_pc, _, executed, outcome, *_ = _CONTROL.unpack_from(self.bytes, self.place.control)
        return RunEnd(pc, last_pc, executed, outcome)

    def addresses(self, executed: int) -> bytes:
        """Return the addresses of the bundles of the last call, which was tracing, as uint16."""
        return bytes(self.bytes[self.place.tail : self.place.tail + 2 * executed])

    def take_counts(self) -> dict[int, tuple[int, int]]:
        """Return how often each bundle went on and branched, by address, and begin anew."""
        words = np.frombuffer(self.bytes[self._counts], "<u8").reshape(-1, 2)
        used = np.flatnonzero(words.any(axis=1))
        counts = {int(pc): (int(words[pc, 0]), int(words[pc, 1])) for pc in used}
        self.bytes[self._counts] = bytes(self._counts.stop - self._counts.start)
        return counts

    def take_accesses(self) -> bytes:
        """Return how often each block was read and written, as pairs of uint64; begin anew."""
        found = bytes(self.bytes[self._accesses])
        self.bytes[self._accesses] = bytes(len(found))
        return found

    def registers_before(self, registers: Any) -> None:
        """Copy the registers from before the last bundle, which is one with a check after it."""
        start, size = self.place.registers_before, len(registers.block)
        registers.block[:] = self.bytes[start : start + size]
        registers.scalars[:] = self._scalars.unpack_from(self.bytes, start + size)

    def store_state(self, registers: Any, memory: XMem) -> None:
        """Copy the registers and the written pages back. Calling it twice does no harm."""
        registers.block[:] = self.bytes[self._block]
        registers.scalars[:] = self._scalars.unpack_from(self.bytes, self._scalars_at)
        dirty = bytes(self.bytes[self._pages])
        if dirty == self._clean:
            return
        self._image, pages = None, {}
        number = dirty.find(1)
        while number >= 0:
            start = self.place.memory + number * PAGE
            pages[number] = bytes(self.bytes[start : start + PAGE])
            number = dirty.find(1, number + 1)
        self._image = memory.overwrite_pages(pages)
        self.bytes[self._pages] = self._clean


_instances = threading.local()
_open_instances: WeakSet[Instance] = WeakSet()
_lock = threading.Lock()


def instance_of(core: CoreDescription) -> Instance:
    """Return this thread's instance of a core. Raises `CoreUnavailableError`."""
    known: dict[Path, Instance] = vars(_instances).setdefault("known", {})
    if core.module not in known:
        with _lock:
            compiled = _compile(core.module)
        if isinstance(compiled, str):
            raise CoreUnavailableError(compiled)
        try:
            known[core.module] = Instance(core, *compiled)
        except Exception as error:  # whatever a runtime raises that cannot have the memory
            raise CoreUnavailableError(f"no instance of {core.module.name}: {error}") from error
    return known[core.module]


def is_compiled(core: CoreDescription) -> bool:
    """Return whether a core of this process is compiled, so that using it costs nothing more."""
    return core.module in _compiled and not isinstance(_compiled[core.module], str)


_compiled: dict[Path, tuple[Any, Any, Any] | str] = {}
"""The runtime, its engine and the compiled module of each file, or why there is none."""


@atexit.register
def _close_all() -> None:
    """Free everything before Python's end, when the runtime could not do it any more."""
    for instance in list(_open_instances):
        instance.close()
    vars(_instances).clear()
    _compiled.clear()


def _compile(path: Path) -> tuple[Any, Any, Any] | str:
    if path not in _compiled:
        _compiled[path] = _try_to_compile(path)
    return _compiled[path]


def _try_to_compile(path: Path) -> tuple[Any, Any, Any] | str:
    try:
        import wasmtime
    except Exception as error:  # an ImportError, or OSError from a library for another system
        return f"`wasmtime` cannot be imported: {error}"
    try:
        config = wasmtime.Config()
        # Its threads would be missing in a forked process that compiles another core.
        config.parallel_compilation = False
        engine = wasmtime.Engine(config)
        return wasmtime, engine, wasmtime.Module(engine, path.read_bytes())
    except Exception as error:  # a runtime of another interface, or without vectors here
        return f"`wasmtime` {version_of(wasmtime)} cannot compile {path.name}: {error}"


def version_of(runtime: Any) -> str:
    return str(getattr(runtime, "__version__", "of an unknown version"))
