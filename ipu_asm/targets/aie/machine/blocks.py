"""Execution of translated blocks, many bundles at once.

Stores and products of blocks are put off: memory is that in front of the first of them, until all
are carried out together. Where something goes wrong, the state of that moment comes back, and the
machine steps through its bundles one by one: it tells in front of which one it stops, and why.
"""

from __future__ import annotations

from typing import Any, Callable, Final, Mapping, NoReturn

from ipu_asm.emulator.stops import EmulatorError
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.targets.aie.machine import batches
from ipu_asm.targets.aie.machine.operations import Generation, Operation, Run
from ipu_asm.targets.aie.machine.slots import Pending, Waiting
from ipu_asm.targets.aie.machine.state import (
    MEMORY_END,
    MEMORY_START,
    RETURNED,
    RING,
    State,
)
from ipu_asm.targets.aie.machine.translation import (
    MAX_BUNDLES,
    Block,
    Context,
    Loop,
    Pipeline,
    size_of_loop,
    translate,
)
from ipu_asm.targets.aie.machine.written_effects import LINE

_HOT: Final = 8
"""Visits of a bundle by jumps before the block there is translated."""

_MAX_PRODUCTS = 512
_MAX_STORES = 4096
_MAX_BLOCKS = 2000
_MAX_FAILURES = 32
_WANTED: Final = 48
"""Visits of a block before the batch there is translated, which takes as long as these blocks."""

_MAX_BATCHES = 100
_LATER = 1 << 12
"""Visits before a batch that had to be left is translated again, for what registers hold then."""
_NO_LOOP = Loop()


class _DirtyError(Exception):
    """A load of a line of memory whose store was put off."""


class _SpecialError(Exception):
    """An access that single steps have to carry out."""


class _Place(NamedTuple):
    """Where a block begins: what is in flight, and how often the loop is still repeated."""

    pc: int
    cycle: int
    executed: int
    pipeline: Pipeline
    values: list[Any]
    loop: Loop
    left: int

    @property
    def active(self) -> Loop:
        """The hardware loop, if it is active."""
        return self.loop if self.left else _NO_LOOP


class _Saved(NamedTuple):
    """A place to come back to; memory is as it was there."""

    place: _Place
    cells: list[Any]
    queues: dict[str, bytes]


class _BlockState:
    """The state as effects in blocks see it: memory with stores that are put off."""

    cycle = 0
    """Of no meaning: results land where the block says."""

    def __init__(self, state: State) -> None:
        self.core = state
        self.stamps = batches.new_stamps()
        self.products = state.products
        self.queues = state.queues
        self.taken: tuple[int, str] | None = None
        self.stores: list[tuple[int, Any, int]] = []
        self.dirty: set[int] = set()
        self.image = b""

    def read_memory(self, address: int, size: int) -> bytes:
        if not MEMORY_START <= address <= MEMORY_END - size:
            raise _SpecialError
        line, end, dirty = address & -LINE, address + size, self.dirty
        while line < end:  # faster than a set of these few
            if line in dirty:
                raise _DirtyError
            line += LINE
        return self.image[address - MEMORY_START : end - MEMORY_START]

    def write_memory(self, address: int, data: bytes, pc: int) -> None:
        if not MEMORY_START <= address <= MEMORY_END - len(data):
            raise _SpecialError
        self.stores.append((address, data, pc))
        self.dirty.update(range(address & -LINE, address + len(data), LINE))


def _leave() -> NoReturn:
    raise _SpecialError


class Blocks:
    """The translated blocks of a machine, whose bundles were all executed before."""

    def __init__(
        self,
        state: State,
        bundles: Mapping[int, Any],
        generation: Generation,
        effects: Mapping[str, Callable[[Operation], Run]],
    ) -> None:
        self._state = state
        self._seen = _BlockState(state)
        parts = [generation.storage.parts_named(name)[0] for name in ("ls", "le", "lc")]
        self._start, self._end, self._count = parts
        names = {
            "D": self._seen.dirty,
            "S": self._seen.stores.append,
            "W": state.products.waiting.append,
            "known": state.products.joined,
            "Dirty": _DirtyError,
            "leave": _leave,
        }
        self._context = Context(bundles, generation, effects, self._seen, frozenset(parts), names)
        self._blocks: dict[Any, Block | None] = {}
        self._visits: dict[int, int] = {}
        self._slow_until = 0
        self._failures = 0
        self._turns: dict[Loop, int] = {}
        self._count_of_batches = 0

    def is_hot(self, pc: int) -> bool:
        """Count a visit by a jump; return whether there were enough to translate."""
        visits = self._visits[pc] = self._visits.get(pc, 0) + 1
        return visits >= _HOT and self._state.executed >= self._slow_until

    def run(self, limit: int, return_address: int | None) -> None:
        """Execute blocks as long as there are some, up to `limit` bundles.

        A return to an address ends the program; None leaves all returns to single steps.
        """
        place = self._entered() if self._failures < _MAX_FAILURES else None
        if place is None:
            return
        last = place.executed + limit
        self._state.products.compute_all()  # to come back to the place is to forget later ones
        self._save(place)
        block = self._block(place.pc, place.active, place.pipeline)
        while block is not None and not (block.is_return and return_address is None):
            if block.turns > place.left or place.executed + block.size > last:
                block = self._block(place.pc, place.active, place.pipeline, 1)
                if block is None or place.executed + block.size > last:
                    self._visits[place.pc] = _HOT
                    break
            batch = self._batch(block, place, last) if place.left else None
            if batch is None:
                following = self._executed(block, place)
            else:
                following = self._executed_at_once(batch, place)
                if following is place:  # it may be wanted again, for other values
                    block.batches[min(place.left, self._turns_of(place.loop))] = -_LATER
            if following is None:
                return
            if following is place:
                continue
            place, block = following, batch or block
            if block.is_return and place.pc == return_address:
                self._state.end = RETURNED
                break
            key = place.pc, place.active
            if key not in block.following:
                block.following[key] = self._block(*key, place.pipeline)
            block = block.following[key]
            seen = self._seen
            is_full = len(seen.products.waiting) >= _MAX_PRODUCTS or len(seen.stores) >= _MAX_STORES
            if is_full and not self._carry_out(place):
                return
        if self._carry_out(place):
            self._put_back(place)

    def _batch(self, block: Block, place: _Place, last: int) -> Block | None:
        """Return the batch to execute in place of a block; None if it was not wanted often."""
        turns = min(place.left, self._turns_of(place.loop))
        found: Any = block.batches.get(turns, 0)
        if type(found) is int:
            block.batches[turns] = found + 1
            if found < _WANTED or self._count_of_batches >= _MAX_BATCHES:
                return None
            self._count_of_batches += 1
            seen = batches.seen_values(self._state.cells, place.values)
            found = translate(self._context, place.pc, place.loop, place.pipeline, turns, seen)
            block.batches[turns] = found
        batch: Block | None = found
        if batch is None or batch.is_return or place.executed + batch.size > last:
            return None
        return batch

    def _turns_of(self, loop: Loop) -> int:
        if loop not in self._turns:
            size = size_of_loop(self._context.bundles, loop)
            self._turns[loop] = max(batches.MAX_BUNDLES // size, 1)
        return self._turns[loop]

    def _executed_at_once(self, batch: Block, place: _Place) -> _Place | None:
        """Return the place after a batch; the same if it changes nothing, or as for a block."""
        seen = self._seen
        if (seen.stores or seen.products.waiting) and not self._carry_out(place):
            return None
        try:
            found = batch.run(self._state.cells, place.cycle, seen.image, place.values)
        except (EmulatorError, _SpecialError):
            return place
        following = self._place_after(batch, place, *found)
        self._save(following)
        return following

    def _executed(self, block: Block, place: _Place) -> _Place | None:
        """Return the place after a block; the same to try again, None if that before came back."""
        state, seen = self._state, self._seen
        marks, queues = (len(seen.products.waiting), len(seen.stores)), dict(seen.queues)
        try:
            pc, count, values = block.run(state.cells, place.cycle, self._seen.image, place.values)
        except _DirtyError:
            self._set_queues(queues)
            del seen.products.waiting[marks[0] :], seen.stores[marks[1] :]
            if seen.stores:
                return place if self._carry_out(place) else None
            self._bring_back(place.executed + block.size)
            return None
        except (EmulatorError, _SpecialError):
            self._failures += 1
            self._bring_back(place.executed + block.size)
            return None
        return self._place_after(block, place, pc, count, values)

    def _place_after(
        self, block: Block, place: _Place, pc: int, count: int | None, values: list[Any]
    ) -> _Place:
        loop, left = place.loop, place.left if count is None else count
        if block.sets_loop:
            found = self._loop_of(block.pipeline, values)
            assert found is not None
            loop, left = found
        return _Place(pc, place.cycle + block.size, place.executed + block.size, block.pipeline,
                      values, loop, left)  # fmt: skip

    def _block(
        self, pc: int, loop: Loop, pipeline: Pipeline, turns: int = MAX_BUNDLES
    ) -> Block | None:
        key = pc, loop, pipeline, turns
        if key not in self._blocks:
            if len(self._blocks) >= _MAX_BLOCKS:
                return None
            self._blocks[key] = translate(self._context, pc, loop, pipeline, turns)
        return self._blocks[key]

    # Between single steps and blocks

    def _entered(self) -> _Place | None:
        """Take what is in flight out of the state; None if blocks cannot begin here."""
        state = self._state
        if state.branch is not None or state.quiet_until > state.cycle:
            return None
        now = state.cycle
        cycles = range(now, now + RING)
        writes = [write for cycle in cycles for write in state.flight[cycle % RING]]
        late = [each for cycle in cycles for each in state.late[cycle % RING]]
        pending = [
            Pending(part, landing - now, issue - now, pc, bypass)
            for part, _, landing, issue, pc, bypass in writes
        ]
        waiting = [Waiting(each.pc, each.number, each.issue - now) for each in late]
        values = [write[1] for write in writes] + [each.read for each in late]
        pipeline = Pipeline(tuple(pending), tuple(waiting))
        found = self._loop_of(pipeline, values)
        if found is None:
            return None
        for some in (*state.flight, *state.late):
            some.clear()
        return _Place(state.pc, now, state.executed, pipeline, values, *found)

    def _loop_of(self, pipeline: Pipeline, values: list[Any]) -> tuple[Loop, int] | None:
        """Return the hardware loop and its count in the next cycle; None if they change later."""
        cells = self._state.cells
        found = {part: cells[part][1] for part in (self._start, self._end, self._count)}
        for write, value in zip(pipeline.writes, values):
            if write.part in found:
                if write.landing:
                    return None
                found[write.part] = value
        return Loop(found[self._start], found[self._end]), found[self._count]

    def _put_back(self, place: _Place) -> None:
        """Put what is in flight back into the state."""
        state, values = self._state, iter(place.values)
        state.pc, state.cycle, state.executed = place.pc, place.cycle, place.executed
        for (part, landing, issue, pc, bypass), value in zip(place.pipeline.writes, values):
            land = place.cycle + landing
            write = part, value, land, place.cycle + issue, pc, bypass
            state.flight[land % RING].append(write)
        for (pc, number, issue), read in zip(place.pipeline.waiting, values):
            form = state.late_forms[pc, number]
            late = form._replace(read=read, issue=place.cycle + issue)
            state.late[(late.issue + form.cycle - 1) % RING].append(late)

    def _set_queues(self, held: Mapping[str, bytes]) -> None:
        self._seen.queues.clear()
        self._seen.queues.update(held)

    def _save(self, place: _Place) -> None:
        state = self._state
        self._saved = _Saved(place, list(state.cells), dict(state.queues))
        self._seen.image = bytes(state.memory[MEMORY_START:MEMORY_END])

    def _carry_out(self, place: _Place) -> bool:
        """Compute products and store what was put off; False if the last saved place came back."""
        state, seen = self._state, self._seen
        try:
            state.products.compute_all()
        except EmulatorError:
            self._failures += 1
            self._bring_back(place.executed)
            return False
        for address, data, pc in seen.stores:
            known = data if type(data) is bytes else state.products.joined(data)
            if state.observers:
                state.write_memory(address, known, pc)
            else:
                state.memory[address : address + len(known)] = known
        seen.stores.clear()
        seen.dirty.clear()
        self._save(place)
        return True

    def _bring_back(self, until: int) -> None:
        """Return to the last saved place; single steps go on to after a number of bundles."""
        state, seen = self._state, self._seen
        seen.products.waiting.clear()
        seen.stores.clear()
        seen.dirty.clear()
        state.cells[:] = self._saved.cells
        self._set_queues(self._saved.queues)
        self._slow_until = until
        self._put_back(self._saved.place)
