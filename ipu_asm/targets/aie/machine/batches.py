"""Bundles of hardware loops as a few numpy operations on a table.

A batch is a block of many bundles. Its function computes numbers, such as addresses, bundle by
bundle; where the bytes of vectors and accumulators are in the table is known when it is translated.
At its end all loads are one gather, products are computed level by level of their chains, and all
stores are one scatter. Nothing is changed before all of it has turned out to be exact, so that
normal blocks can go on in front of a batch that cannot be executed.
"""

from __future__ import annotations

import re
from typing import Any, Callable, Container, Final, Iterable, Iterator, Mapping, NoReturn, Sequence

import numpy as np
from numpy.typing import NDArray

from ipu_asm.emulator.stops import EmulatorError
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.targets.aie.machine.deferred import Terms
from ipu_asm.targets.aie.machine.operations import Operation
from ipu_asm.targets.aie.machine.scalars import (
    BLOCK,
    BLOCKS,
    QUEUE_SIZE,
    QUEUE_STEP,
    held_bytes,
)
from ipu_asm.targets.aie.machine.slots import DATA, NUMBER, Place, Untranslatable, Values, Waiting
from ipu_asm.targets.aie.machine.state import MEMORY_SIZE, MEMORY_START, RegisterStorage, State
from ipu_asm.targets.aie.machine.written_effects import (
    LINE,
    WRITTEN_OUT,
    BoundOperation,
    Bundles,
    DeferredProduct,
    steps_in_dimensions,
)

MAX_BUNDLES: Final = 512
MIN_BUNDLES: Final = 64

_WORD: Final = 8
_LINE_WORDS: Final = LINE // _WORD
_NEVER: Final = 1 << 30
_ZEROS: Final = "bytes(8)"
_POP: Final = BLOCK * BLOCKS
_VARIABLE: Final = re.compile(r"\bv\d+\b")
_INPUTS, _LOADS, _POPS, _PRODUCTS = range(4)
"""Areas of the table."""

Array = NDArray[Any]


class _Node(NamedTuple):
    """A place in an area of the table, in bytes."""

    area: int
    start: int
    size: int


class _Piece(NamedTuple):
    """Bytes of a node, which is known by the name of its variable or by an expression."""

    node: str
    start: int
    size: int


class _Access(NamedTuple):
    """Lines of memory at an offset from a base; the bytes that a store writes, and its address.

    `time` is the number of loads before it.
    """

    base: int
    offset: int
    size: int
    time: int
    pieces: Sequence[_Piece] = ()
    pc: int = 0


_Factors = tuple[Sequence[_Piece], Sequence[_Piece]]


class _Product(NamedTuple):
    node: str
    terms: Terms
    factors: _Factors
    accumulator: Sequence[_Piece]


class BatchValues(Values):
    """The values that the bundles of a batch read and write.

    `nodes` are the values that have a place in the table, `sizes` the bytes of its areas.

    `seen` is what the cells and what is in flight hold when the batch is translated, by variable;
    of these, `guards` are those that it is translated for. `images` are expressions of loads.
    """

    def __init__(self, storage: RegisterStorage, seen: Mapping[str, Any]) -> None:
        super().__init__(storage)
        self.nodes = {_ZEROS: _Node(_INPUTS, 0, _WORD)}
        self.sizes = [_WORD, 0, 0, 0]
        self.images: dict[str, str] = {}
        self.guards: dict[str, Any] = {}
        self._seen = seen
        self._emitted: set[str] = set()

    def node(self, area: int, size: int, name: str = "") -> str:
        """Reserve bytes in an area of the table for a value; return the name of its node."""
        name = name or self.new(1)[0]
        self.nodes[name] = _Node(area, self.sizes[area], size)
        self.sizes[area] += size
        return name

    def fixed(self, text: str) -> Any:
        """Return the value of an expression, for which the batch is translated."""
        text = text.strip("()")
        if text.isdigit():
            return int(text)
        if text not in self._seen:
            raise Untranslatable
        return self.guards.setdefault(text, self._seen[text])

    def guard(self) -> str:
        """Return the condition under which the batch can be executed."""
        found = (
            f"{text} == {value}" if type(value) is int else f"{text} is {self.constant(value)}"
            for text, value in self.guards.items()
        )  # fmt: skip
        return " and ".join(found) or "True"

    def read(self, parts: tuple[int, ...], cycle: int, bypass: str) -> list[_Piece]:
        """Return where the bytes are that a register holds in a cycle."""
        found: list[_Piece] = []
        for part in parts:
            piece = self._piece(part, cycle, bypass)
            last = found.pop() if found else None
            if last is None:
                found.append(piece)
            elif last.node not in self.nodes and piece.node not in self.nodes:
                found.append(_Piece(f"{last.node} + {piece.node}", 0, last.size + piece.size))
            elif last.node == piece.node and last.start + last.size == piece.start:
                found.append(last._replace(size=last.size + piece.size))
            else:
                found += last, piece
        return [self._placed(piece) for piece in found]

    def _piece(self, part: int, cycle: int, bypass: str) -> _Piece:
        write, size = self.source(part, cycle, bypass), self.storage.parts[part].bits // 8
        if write is not None and write.whole[0] in self.nodes:
            name, parts, _ = write.whole
            return _Piece(name, self.storage.width(parts[: parts.index(part)]) // 8, size)
        text = f"c{part}" if write is None else f"({write.text})"
        if self.is_lazy[part]:
            text = f"known(({text},))"
        elif not self.storage.parts[part].is_vector:
            text = f"{text}.to_bytes({size}, 'little')"
        return _Piece(text, 0, size)

    def _placed(self, piece: _Piece) -> _Piece:
        if piece.size % _WORD or piece.start % _WORD:
            raise Untranslatable
        if piece.node not in self.nodes:
            self.node(_INPUTS, piece.size, piece.node)
        return piece

    def given(self, text: str, size: int = 0) -> list[_Piece]:
        """Return the pieces of bytes that an expression gives, as many as it gives now."""
        size = size or len(self._seen[text])
        return [self._placed(_Piece(text, 0, size))]

    def _sources(
        self, parts: tuple[int, ...], cycle: int, bypass: str
    ) -> tuple[list[str], tuple[str, str]]:
        for part in parts:
            write = self.source(part, cycle, bypass)
            name = write.whole[0] if write is not None else ""
            if name in self.nodes and name not in self._emitted:
                if name not in self.images:
                    raise Untranslatable
                self.emit(f"{name} = {self.images[name]}")
                self._emitted.add(name)
        return super()._sources(parts, cycle, bypass)

    def definitions(self, rows: Sequence[str]) -> Iterator[str]:
        """Yield assignments of the bytes of the nodes that some lines use."""
        names = {name for row in rows for name in _VARIABLE.findall(row)}
        for name in sorted(names & self.nodes.keys() - self._emitted):
            start = self.start_of(name)
            yield f"{name} = T[{start}:{start + self.nodes[name].size}]"

    def start_of(self, name: str) -> int:
        """Return the first byte of a node in the table."""
        node = self.nodes[name]
        return sum(self.sizes[: node.area]) + node.start

    def places(self, pieces: Iterable[_Piece]) -> list[int]:
        """Return the words of some pieces in the table."""
        starts = [(self.start_of(node) + start, size) for node, start, size in pieces]
        return [word for at, size in starts for word in range(at // _WORD, (at + size) // _WORD)]

    def words(self, values: Iterable[Iterable[_Piece]]) -> Array:
        """Return the words of values of one size, each a row."""
        rows = [self.places(pieces) for pieces in values]
        if len({len(row) for row in rows}) > 1:
            raise Untranslatable
        return np.array(rows, np.intp)


def seen_values(cells: Sequence[Any], flying: Sequence[Any]) -> dict[str, Any]:
    """Return what variables of a block hold in its beginning, by name."""
    found = {f"c{part}": cell[1] for part, cell in enumerate(cells)}
    for number, value in enumerate(flying):
        found[f"f{number}"] = value
        if type(value) is tuple:
            found |= {f"f{number}[{place}]": each for place, each in enumerate(value)}
    return found


class Batch(Bundles):
    """The bundles of a batch while they are translated."""

    values: BatchValues

    def __init__(self, values: BatchValues, loop_parts: frozenset[int]) -> None:
        super().__init__(values, loop_parts)
        self.loads: list[_Access] = []
        self.stores: list[_Access] = []
        self.pops: list[Sequence[_Piece]] = []
        self.products: list[_Product] = []
        self.bases: dict[str, int] = {}
        self.queues: dict[str, list[_Piece]] = {}

    def access(self, place: Place, size: int) -> _Access:
        """Return an access to whole lines, which are checked with those of its base."""
        base, offset = self.checked(place, size)
        number = self.bases.setdefault(base, len(self.bases))
        return _Access(number, offset, size, len(self.loads))

    def load(self, place: Place, size: int) -> str:
        """Load lines; return their node."""
        self.loads.append(self.access(place, size))
        name = self.values.node(_LOADS, size)
        start = place.offset - MEMORY_START
        self.values.images[name] = f"M[{place.base} + {start}:{place.base} + {start + size}]"
        return name

    def pop(self, pieces: Sequence[_Piece]) -> str:
        """Take blocks out of a queue, their exponents apart; return their node."""
        self.pops.append(pieces)
        return self.values.node(_POPS, _POP)

    def product(self, op: Operation) -> DeferredProduct:
        return _BatchedProduct(self, op)

    def held(self, name: str, text: str) -> list[_Piece]:
        """Return what a queue holds, as its position says."""
        position = self.values.fixed(text)
        if name in self.queues:
            if position != _size(self.queues[name]):
                raise Untranslatable
            return self.queues[name]
        held = f"{self.values.constant(held_bytes)}(B, {name!r}, {position})"
        return self.values.given(held, position) if position else []

    def finish(self, state: Any, leave: Callable[[], NoReturn], after: Sequence[str]) -> list[str]:
        """Return the lines that execute all of it, and give others the bytes that they use."""
        values = self.values
        called = values.constant(_Execution(self, state, leave))
        texts = (f"{text}, " for text, node in values.nodes.items() if node.area == _INPUTS)
        bases = "".join(f"{base}, " for base in self.bases)
        queues = [f"B.queues[{name!r}] = {_text(held)}" for name, held in self.queues.items()]
        call = f"T = {called}(({bases}), ({''.join(texts)}))"
        return [call, *values.definitions([*queues, *after]), *queues]


class _BatchedProduct(DeferredProduct):
    """A product of a batch, whose configuration is that of its translation."""

    _bundles: Batch

    def issue(self, waiting: Waiting) -> None:
        values, cycle = self._bundles.values, waiting.issue + 1
        try:
            terms = self.does.settings[values.fixed(self._bundles.number(self._op, "conf"))]
        except EmulatorError:
            raise Untranslatable from None
        self._take(waiting, terms, (self._read("src1", cycle), self._read("src2", cycle)))

    def resume(self, waiting: Waiting, name: str) -> None:
        values = self._bundles.values
        factors = values.given(f"{name}[1]"), values.given(f"{name}[2]")
        self._take(waiting, values.fixed(f"{name}[0]"), factors)

    def _read(self, name: str, cycle: int) -> Sequence[_Piece]:
        bundles, op = self._bundles, self._op
        return bundles.values.read(bundles.parts(op, name), cycle, op.fields[name].bypass)

    def _take(self, waiting: Waiting, terms: Terms, factors: _Factors) -> None:
        bundles, names = self._bundles, self.does.accumulators
        if not terms.is_sum:
            raise Untranslatable

        def finish(cycle: int) -> None:
            used = names[terms.first :]
            zeros = [_Piece(_ZEROS, 0, _WORD)] * (terms.size // _WORD)
            accumulator = self._read(used[0], waiting.issue + cycle) if used else zeros
            node = bundles.values.node(_PRODUCTS, terms.size)
            bundles.products.append(_Product(node, terms, factors, accumulator))
            self._write(waiting, node, DATA)

        if names:
            texts = ", ".join((bundles.constant_of(terms), *map(_text, factors)))
            cycle = self._op.last_read(*names)
            bundles.later(waiting, cycle, f"({texts})", lambda: finish(cycle))
        else:
            finish(1)


def _vector_load(batch: Batch, op: Operation, bound: BoundOperation) -> bool:
    if op.arguments or steps_in_dimensions(op):
        raise Untranslatable
    batch.result(op, batch.load(batch.address(op), op.width("dst") // 8), DATA)
    return True


def _vector_store(batch: Batch, op: Operation, bound: BoundOperation) -> bool:
    if op.arguments or steps_in_dimensions(op):
        raise Untranslatable
    pieces = batch.values.read(batch.parts(op, "src"), batch.now + 1, op.fields["src"].bypass)
    access = batch.access(batch.address(op), op.width("src") // 8)
    batch.stores.append(access._replace(pieces=pieces, pc=op.pc))
    return True


def _filled(batch: Batch, op: Operation) -> tuple[str, Place, list[_Piece]]:
    """Return a queue, its pointer, and what it holds once it is filled."""
    name, pointer = op.fields["fifo"].text, batch.values.place(batch.number(op, "ptr"))
    held = batch.held(name, batch.number(op, "position"))
    line = pointer._replace(offset=pointer.offset + _size(held))
    return name, pointer, [*held, _Piece(batch.load(line, QUEUE_STEP), 0, QUEUE_STEP)]


def _queue_fill(batch: Batch, op: Operation, bound: BoundOperation) -> bool:
    name, _, held = _filled(batch, op)
    if _size(held) > QUEUE_SIZE:
        raise Untranslatable
    batch.queues[name] = held
    batch.result(op, str(_size(held)), NUMBER, "position")
    return True


def _queue_pop(batch: Batch, op: Operation, bound: BoundOperation) -> bool:
    name, pointer, held = _filled(batch, op)
    if int(op.arguments["bits"]) // 8 != _POP or _size(held) < _POP:
        raise Untranslatable
    taken, left = _split(held, _POP)
    batch.queues[name] = left
    batch.result(op, batch.pop(taken), DATA)
    moved = batch.values.moved(pointer, str(_POP))
    batch.result(op, batch.values.number_at(moved), NUMBER, "ptr")
    batch.result(op, str(_size(left)), NUMBER, "position")
    return True


def _split(pieces: Sequence[_Piece], size: int) -> tuple[list[_Piece], list[_Piece]]:
    """Split pieces after a number of bytes."""
    found: tuple[list[_Piece], list[_Piece]] = [], []
    for node, start, own in pieces:
        taken = min(own, size)
        size -= taken
        for some, piece in zip(found, ((node, start, taken), (node, start + taken, own - taken))):
            some.extend([_Piece(*piece)] if piece[2] else [])
    return found


def _text(pieces: Iterable[_Piece]) -> str:
    """Return the expression of the bytes of some pieces."""
    texts = (f"({node})[{start}:{start + size}]" for node, start, size in pieces)
    return " + ".join(texts) or "b''"


def _size(pieces: Iterable[_Piece]) -> int:
    return sum(piece.size for piece in pieces)


def _untranslatable(batch: Batch, op: Operation, bound: BoundOperation) -> NoReturn:
    raise Untranslatable


BATCHED: Mapping[str, Callable[[Any, Operation, BoundOperation], bool]] = {
    **WRITTEN_OUT,
    "load": _untranslatable,
    "store": _untranslatable,
    "vector_load": _vector_load,
    "vector_store": _vector_store,
    "queue_fill": _queue_fill,
    "queue_pop": _queue_pop,
}
"""Effects that are written out in a batch."""


# Execution


def new_stamps() -> Array:
    """Return the numbers of loads before the first store of each line: none in between."""
    return np.full(MEMORY_SIZE // LINE, _NEVER, np.int32)


class _Level(NamedTuple):
    """Products that are computed together, after those of the levels before.

    Each adds to a product of such a level, at one of the places `sources`, or to words of the
    table.
    """

    where: slice
    sources: slice | list[int]
    words: Array | None


class _Kind(NamedTuple):
    """Products with the same terms, level by level; `first` is the word of their results."""

    terms: Terms
    factors: Sequence[Array]
    levels: Sequence[_Level]
    first: int


def _kinds(batch: Batch) -> Iterator[_Kind]:
    """Yield the products by their terms, and put their nodes in the order of their levels."""
    groups: dict[int, list[_Product]] = {}
    for product in batch.products:
        groups.setdefault(id(product.terms), []).append(product)
    values, end = batch.values, 0
    for products in groups.values():
        terms, start = products[0].terms, end
        places: dict[str, int] = {}
        rows = _rows(products, values, places)
        ordered = [product for row in rows for product in row]
        for product in ordered:
            values.nodes[product.node] = _Node(_PRODUCTS, end, terms.size)
            end += terms.size
        factors = [values.words(each.factors[side] for each in ordered) for side in range(2)]
        levels = [_level(row, places, values) for row in rows]
        yield _Kind(terms, factors, levels, (sum(values.sizes[:_PRODUCTS]) + start) // _WORD)


def _rows(
    products: Sequence[_Product], values: BatchValues, places: dict[str, int]
) -> list[list[_Product]]:
    """Return products by level, chains apart from others; add their places to `places`.

    Those that many others follow are the first of a level, so that levels are mostly ranges.
    """
    levels: dict[str, int] = {}
    rows: dict[tuple[int, bool], list[_Product]] = {}
    follow: dict[str, int] = {}
    for product in products:
        level, size = 0, _size(product.accumulator)
        for piece in product.accumulator:
            if values.nodes[piece.node].area == _PRODUCTS:
                if piece.node not in levels:  # of other terms
                    raise Untranslatable
                level = max(level, levels[piece.node] + 1)
        if size != product.terms.size:
            raise Untranslatable
        levels[product.node] = level
        rows.setdefault((level, not _is_chained(product, levels)), []).append(product)
    for product in reversed(products):
        for piece in product.accumulator:
            follow[piece.node] = max(follow.get(piece.node, 0), follow.get(product.node, 0) + 1)
    for (_, is_first), row in sorted(rows.items()):
        if is_first:
            row.sort(key=lambda each: -follow.get(each.node, 0))
        else:
            row.sort(key=lambda each: places[each.accumulator[0].node])
        places |= {each.node: len(places) + number for number, each in enumerate(row)}
    return [row for _, row in sorted(rows.items())]


def _is_chained(product: _Product, own: Container[str]) -> bool:
    pieces = product.accumulator
    return len(pieces) == 1 and pieces[0].size == product.terms.size and pieces[0].node in own


def _level(row: Sequence[_Product], places: Mapping[str, int], values: BatchValues) -> _Level:
    first = places[row[0].node]
    where = slice(first, first + len(row))
    if not _is_chained(row[0], places):
        return _Level(where, [], values.words(each.accumulator for each in row))
    used = [places[each.accumulator[0].node] for each in row]
    is_range = used == list(range(used[0], used[0] + len(row)))
    return _Level(where, slice(used[0], used[0] + len(row)) if is_range else used, None)


class _Execution:
    """What a batch does with its table, once its bases and inputs are known.

    `state` is that of blocks, whose `stamps` are `new_stamps` whenever nothing is executed.
    """

    def __init__(self, batch: Batch, state: Any, leave: Callable[[], NoReturn]) -> None:
        values = batch.values
        self._state: State = state.core
        self._stamps: Array = state.stamps
        self._leave = leave
        self._kinds = list(_kinds(batch))
        inputs, loads, pops, products = (size // _WORD for size in values.sizes)
        self._table = np.zeros(inputs + loads + pops + products, np.uint64)
        self._inputs = self._table[:inputs]
        self._loaded = self._table[inputs : inputs + loads].reshape(-1, _LINE_WORDS)
        self._popped = self._table[inputs + loads :][:pops].view(np.uint8).reshape(-1, _POP)
        self._pops = values.words(batch.pops) if pops else None
        self._load_lines = _Lines(batch.loads)
        self._store_lines = _Lines(batch.stores)
        self._load_times = np.repeat(np.arange(len(batch.loads)), self._load_lines.counts)
        times = np.array([each.time for each in batch.stores], np.int32)
        self._store_times = np.repeat(times, self._store_lines.counts)
        stored = [place for each in batch.stores for place in values.places(each.pieces)]
        self._stored = np.array(stored, np.intp).reshape(-1, _LINE_WORDS)
        self._stores = batch.stores

    def __call__(self, bases: Sequence[int], inputs: Sequence[bytes]) -> bytes:
        table, at = self._table, np.array(bases, np.int64)
        memory = np.frombuffer(self._state.memory, np.uint64).reshape(-1, _LINE_WORDS)
        loads, stores = self._load_lines.of(at), self._store_lines.of(at)
        self._check_order(loads, stores)
        self._inputs[:] = np.frombuffer(b"".join(inputs), np.uint64)
        np.take(memory, loads, 0, self._loaded, "clip")
        if self._pops is not None:
            blocks = table[self._pops].view(np.uint8).reshape(-1, BLOCKS, BLOCK)
            mantissas = self._popped[:, :-BLOCKS].reshape(-1, BLOCKS, BLOCK - 1)
            mantissas[...] = blocks[:, :, 1:]
            self._popped[:, -BLOCKS:] = blocks[:, :, 0]
        for kind in self._kinds:
            self._multiply(kind)
        data = table[self._stored]
        if self._state.observers:
            self._tell(at, data.tobytes())
        else:
            memory[stores] = data
        return table.tobytes()

    def _check_order(self, loads: Array, stores: Array) -> None:
        """Leave the batch if it loads what it has stored."""
        stamps = self._stamps
        stamps[stores[::-1]] = self._store_times[::-1]  # that of the first store stays
        is_stored = (stamps[loads] <= self._load_times).any()
        stamps[stores] = _NEVER
        if is_stored:
            self._leave()

    def _multiply(self, kind: _Kind) -> None:
        terms, table = kind.terms, self._table
        left, right = (table[places].tobytes() for places in kind.factors)
        sums = terms.methods.prepare(terms, left, right, len(kind.factors[0]))
        if sums is None:
            self._leave()
        rows = sums.results.T
        results = table[kind.first :][: rows.size * rows.itemsize // _WORD]
        results = results.view(rows.dtype).reshape(rows.shape)
        written = 0
        for where, sources, words in kind.levels:
            if words is None:
                sums.add(where, sums.results[:, sources])
                continue
            results[written : where.start] = rows[written : where.start]
            written = where.start
            accumulators = table[words].view(rows.dtype).T
            if not sums.is_plain(accumulators):
                self._leave()
            sums.add(where, accumulators)
        results[written:] = rows[written:]
        if not sums.is_plain(sums.results):
            self._leave()

    def _tell(self, at: Array, data: bytes) -> None:
        """Store one by one."""
        start = 0
        for store in self._stores:
            found = data[start : start + store.size]
            self._state.write_memory(int(at[store.base]) + store.offset, found, store.pc)
            start += store.size


class _Lines:
    """Lines of memory of some accesses, by the numbers of their bases."""

    def __init__(self, accesses: Sequence[_Access]) -> None:
        self.counts = [each.size // LINE for each in accesses]
        self._bases = np.repeat(np.array([each.base for each in accesses], np.intp), self.counts)
        offsets = [each.offset + start for each in accesses for start in range(0, each.size, LINE)]
        self._offsets = np.array(offsets, np.int64)

    def of(self, bases: Array) -> Array:
        """Return the numbers of the lines."""
        found: Array = (bases[self._bases] + self._offsets) // LINE
        return found
