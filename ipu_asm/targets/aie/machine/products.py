"""Effects of the multipliers: products of matrices and lanes, and sums of accumulators.

Bits of a configuration: 0 no accumulator, 1-2 and 3-4 the widths of accumulators and operands, 5-7
the variant, 8 and 9 signed operands, 11 products subtracted, 12 accumulator subtracted.
"""

from __future__ import annotations

from typing import Any, Callable, Mapping, Sequence

import numpy as np

from ipu_asm.emulator.stops import UnknownResultError
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.targets.aie.machine.deferred import Methods, Product, Terms
from ipu_asm.targets.aie.machine.numbers import Lanes, bytes_of, lanes_of
from ipu_asm.targets.aie.machine.operations import Generation, Operation, Run

_NO_ACCUMULATOR = 1
_UNKNOWN_BITS = 1 << 10 | 1 << 13 | 0xFFFF << 16
_SUBTRACT_PRODUCT = 1 << 11
_SUBTRACT_ACCUMULATOR = 1 << 12
_UNKNOWN_BITS_OF_SUMS = 0x3C01
_LONG_LANES = 1


class Shape(NamedTuple):
    """An integer product: A of `rows` x `depth` times B of `depth` x `columns`, and bits of lanes.

    Without `rows` it is of lanes: lane i is the sum of A[i + columns * k] * B[i + columns * k].
    """

    rows: int
    depth: int
    columns: int
    left_bits: int
    right_bits: int
    bits: int


class Multiplication:
    """What a product does, as bound to its operation.

    `settings` are what configurations say, by their numbers. The number of accumulators that count
    depends on them.
    """

    def __init__(self, op: Operation) -> None:
        arguments, products = op.arguments, op.state.products
        self.is_float = "float" in arguments
        self.accumulators = [name for name in op.fields if name.startswith("acc")]
        is_negated = "negate" in arguments or arguments["kind"] == "msc"
        subtracts_second = arguments.get("two") == "sub"
        size = op.width("dst") // 8
        key = self.is_float, is_negated, subtracts_second, len(self.accumulators), size
        decoder = products.decoders.get(key)
        if decoder is None:
            decoder = products.decoders[key] = _Decoder(op.generation, *key)
        self.settings: Mapping[int, Terms] = decoder


class _Decoder(dict[int, Terms]):
    """The terms of configurations, decoded when they are asked for first.

    Raises `UnknownResultError` for a configuration that is not public.
    """

    def __init__(
        self, generation: Generation, is_float: bool, is_negated: bool, *more: Any
    ) -> None:
        self._shapes = generation.float_shapes if is_float else generation.shapes
        self._methods = generation.multiply_floats if is_float else INTEGERS
        self._is_negated = is_negated
        self._subtracts_second, self._count, self._size = more

    def __missing__(self, value: int) -> Terms:
        key = value >> 1 & 3, value >> 3 & 3, value >> 5 & 7
        shape = self._shapes.get(key)
        if shape is None or value & _UNKNOWN_BITS:
            raise UnknownResultError(f"the configuration {value:#x} is not public")
        first = value & _NO_ACCUMULATOR
        signs = bool(value & _SUBTRACT_ACCUMULATOR), self._subtracts_second
        found = self[value] = Terms(
            shape,
            bool(value >> 9 & 1),
            bool(value >> 8 & 1),
            self._is_negated != bool(value & _SUBTRACT_PRODUCT),
            first,
            signs[first : self._count],
            self._size,
            self._methods,
        )
        return found


def multiply(op: Operation) -> Run:
    """Multiply matrices or lanes, and add up to two accumulators."""
    does = Multiplication(op)
    settings, conf, names = does.settings, op.number("conf"), does.accumulators
    left, right = op.data("src1"), op.data("src2")
    has_bypass = any(op.fields[name].bypass for name in ("dst", *names))
    is_deferred = does.is_float and op.generation.defers_floats and not has_bypass
    finish = (_defer if is_deferred else _compute)(op, names)
    if not names:
        state = op.state
        return lambda: finish((settings[conf()], left(), right()), state.cycle)
    wait = op.later(op.last_read(*names), finish, "dst")
    return lambda: wait((settings[conf()], left(), right()))


def _compute(op: Operation, names: Sequence[str]) -> Callable[[Any, int], None]:
    readers, write = [op.data(name) for name in names], op.data_writer("dst")

    def finish(read: Any, issue: int) -> None:
        terms, a, b = read
        used = [reader() for reader in readers[terms.first :]]
        write(terms.methods.exactly(terms, a, b, used, terms.signs), issue)

    return finish


def _defer(op: Operation, names: Sequence[str]) -> Callable[[Any, int], None]:
    """A product that is computed with others, when one of them is needed: 3 times as fast."""
    readers, write = [op.pieces(name) for name in names], op.product_writer("dst")
    products = op.state.products

    def finish(read: Any, issue: int) -> None:
        terms, a, b = read
        product = Product(terms, a, b, [reader() for reader in readers])
        products.add(product)
        write(product, issue)

    return finish


def _integer_product(
    terms: Terms, a: bytes, b: bytes, accumulators: Sequence[bytes], signs: Sequence[bool]
) -> bytes:
    """Return exact sums of products, which wrap."""
    bits = terms.shape.bits
    (total,) = _integer_sums(terms, a, b, 1)
    for data, is_negated in zip(accumulators, signs):
        lanes = lanes_of(data, bits, is_signed=True)[: len(total)]
        total = total - lanes if is_negated else total + lanes
    return bytes_of(total, bits)


def _integer_sums(terms: Terms, a: bytes, b: bytes, count: int) -> Lanes:
    """Return the sums of a number of products, without accumulators."""
    shape: Shape = terms.shape
    left = lanes_of(a, shape.left_bits, is_signed=terms.left_signed).reshape(count, -1)
    right = lanes_of(b, shape.right_bits, is_signed=terms.right_signed).reshape(count, -1)
    size = shape.depth * shape.columns
    if shape.rows:
        # In float64, which BLAS multiplies: no sum has more than 53 bits.
        one = left[:, : shape.rows * shape.depth].astype(np.float64)
        other = right[:, :size].astype(np.float64)
        sums = one.reshape(count, shape.rows, -1) @ other.reshape(count, shape.depth, -1)
        total = sums.astype(np.int64).reshape(count, -1)
    else:
        total = (left[:, :size] * right[:, :size]).reshape(count, shape.depth, -1).sum(1)
    return -total if terms.is_negated else total


class _IntegerSums:
    """Sums of integers, which wrap."""

    def __init__(self, sums: Lanes, bits: int) -> None:
        self._sums = np.ascontiguousarray(sums.T, np.int64 if bits == 64 else np.int32)
        self.results = np.zeros_like(self._sums)

    def add(self, where: slice, accumulators: Lanes) -> None:
        np.add(self._sums[:, where], accumulators, out=self.results[:, where])

    def is_plain(self, rows: Lanes) -> bool:
        return True


def _prepared_integers(terms: Terms, a: bytes, b: bytes, count: int) -> _IntegerSums | None:
    sums = _integer_sums(terms, a, b, count)
    is_whole = sums.shape[1] * terms.shape.bits == terms.size * 8
    return _IntegerSums(sums, terms.shape.bits) if is_whole else None


INTEGERS = Methods(_integer_product, _prepared_integers)


def accumulator_add(op: Operation) -> Run:
    """Add or subtract accumulators, lane by lane."""
    function = op.arguments["fn"]
    if function not in ("add", "sub"):
        raise UnknownResultError("no public source says which terms are negated")
    is_float, is_difference = "float" in op.arguments, function == "sub"
    first, second, conf = op.data("acc1"), op.data("acc2"), op.number("conf")
    write = op.data_writer("dst")
    add_floats = op.generation.add_floats

    def finish(settings: Any, issue: int) -> None:
        if is_float:
            write(add_floats(first(), second(), is_difference), issue)
            return
        bits = 64 if settings >> 1 & 3 == _LONG_LANES else 32
        a, b = (lanes_of(read(), bits, is_signed=True) for read in (first, second))
        write(bytes_of(a - b if is_difference else a + b, bits), issue)

    return _with_known_settings(conf, op.later(op.last_read("acc1", "acc2"), finish, "dst"))


def accumulator_negate(op: Operation) -> Run:
    """Negate an accumulator, lane by lane of integers."""
    if "float" in op.arguments:
        raise UnknownResultError("the sign of a negated zero is not public")
    accumulator, conf, write = op.data("acc"), op.number("conf"), op.data_writer("dst")

    def finish(settings: Any, issue: int) -> None:
        bits = 64 if settings >> 1 & 3 == _LONG_LANES else 32
        write(bytes_of(-lanes_of(accumulator(), bits, is_signed=True), bits), issue)

    return _with_known_settings(conf, op.later(op.last_read("acc"), finish, "dst"))


def _with_known_settings(conf: Callable[[], int], wait: Callable[[int], None]) -> Run:
    """Return a run of an operation on sums, unless its configuration is not public."""

    def run() -> None:
        settings = conf()
        if settings & _UNKNOWN_BITS_OF_SUMS:
            raise UnknownResultError(f"the configuration {settings:#x} is not public")
        wait(settings)

    return run


def clear(op: Operation) -> Run:
    """Write zero to all lanes."""
    state, write = op.state, op.data_writer("dst")
    zeros = bytes(op.width("dst") // 8)
    return lambda: write(zeros, state.cycle)


EFFECTS: Mapping[str, Callable[[Operation], Run]] = {
    "multiply": multiply,
    "accumulator_add": accumulator_add,
    "accumulator_negate": accumulator_negate,
    "clear": clear,
}
