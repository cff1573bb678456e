"""Effects of the multipliers: products of matrices and lanes, and sums of accumulators.

Bits of a configuration: 0 no accumulator, 1-2 and 3-4 the widths of accumulators and operands, 5-7
the variant, 8 and 9 signed operands, 11 products subtracted, 12 accumulator subtracted.
"""

from __future__ import annotations

from typing import Any, Callable, Mapping, Sequence

from ipu_asm.emulator.faults import UnknownResultError
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.targets.aie.machine.numbers import bytes_of, lanes_of
from ipu_asm.targets.aie.machine.operations import DeferredProduct, Operation, Run
from ipu_asm.targets.aie.machine.state import Product

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


class Terms(NamedTuple):
    """The configuration of one product, as decoded from its register."""

    shape: Any
    left_signed: bool
    right_signed: bool
    is_negated: bool
    has_first: bool
    first_negated: bool


def multiply(op: Operation) -> Run:
    """Multiply matrices or lanes, and add up to two accumulators."""
    arguments, state = op.arguments, op.state
    is_float = "float" in arguments
    shapes = op.generation.float_shapes if is_float else op.generation.shapes
    negated = "negate" in arguments or arguments["kind"] == "msc"
    subtracts_second = arguments.get("two") == "sub"
    terms_of = _terms_reader(op, shapes, negated)
    left, right, write = op.data("src1"), op.data("src2"), op.data_writer("dst")
    names = [name for name in op.fields if name.startswith("acc")]
    accumulators = [op.data(name) for name in names]
    compute = op.generation.multiply_floats if is_float else _integer_product

    deferred = op.product("dst", names) if is_float else None
    if deferred is not None:
        return _deferred_product(op, terms_of, deferred, subtracts_second)
    if not accumulators:

        def run() -> None:
            write(compute(terms_of(), left(), right(), (), ()), state.cycle)

        return run

    def finish(read: Any, issue: int) -> None:
        terms, a, b = read
        used, signs = _used(terms, accumulators, subtracts_second)
        write(compute(terms, a, b, used, signs), issue)

    wait = op.later(op.last_read(*names), finish, "dst")
    return lambda: wait((terms_of(), left(), right()))


def _deferred_product(
    op: Operation, terms_of: Callable[[], Terms], deferred: DeferredProduct, subtracts_second: bool
) -> Run:
    """A product that is computed with others, when one of them is needed: 3 times as fast."""
    state, left, right = op.state, op.data("src1"), op.data("src2")
    names = [name for name in op.fields if name.startswith("acc")]

    def finish(read: Any, issue: int) -> None:
        terms, a, b = read
        used, signs = _used(terms, deferred.accumulators, subtracts_second)
        product = Product(terms, a, b, used, signs)
        state.products.add(product)
        deferred.write(product, issue)

    if not names:
        return lambda: finish((terms_of(), left(), right()), state.cycle)
    wait = op.later(op.last_read(*names), finish, "dst")
    return lambda: wait((terms_of(), left(), right()))


def _used(
    terms: Terms, accumulators: Sequence[Callable[[], Any]], subtracts_second: bool
) -> tuple[list[Any], list[bool]]:
    """Return the accumulators that count, and which of them are negated."""
    signs = [terms.first_negated, subtracts_second]
    first = 0 if terms.has_first else 1
    used = [read() for read in accumulators[first:]]
    return used, signs[first : len(accumulators)]


def _terms_reader(
    op: Operation, shapes: Mapping[tuple[int, int, int], Any], negated: bool
) -> Callable[[], Terms]:
    """Return what decodes the configuration; the last ones are remembered."""
    conf = op.number("conf")
    known: dict[int, Terms] = {}

    def decode(value: int) -> Terms:
        key = value >> 1 & 3, value >> 3 & 3, value >> 5 & 7
        shape = shapes.get(key)
        if shape is None or value & _UNKNOWN_BITS:
            raise UnknownResultError(f"the configuration {value:#x} is not public")
        return Terms(
            shape,
            bool(value >> 9 & 1),
            bool(value >> 8 & 1),
            negated != bool(value & _SUBTRACT_PRODUCT),
            not value & _NO_ACCUMULATOR,
            bool(value & _SUBTRACT_ACCUMULATOR),
        )

    def terms_of() -> Terms:
        value = conf()
        found = known.get(value)
        if found is None:
            found = known[value] = decode(value)
        return found

    return terms_of


def _integer_product(
    terms: Terms, a: bytes, b: bytes, accumulators: Sequence[bytes], signs: Sequence[bool]
) -> bytes:
    """Return exact sums of products, which wrap."""
    shape: Shape = terms.shape
    left = lanes_of(a, shape.left_bits, is_signed=terms.left_signed)
    right = lanes_of(b, shape.right_bits, is_signed=terms.right_signed)
    if shape.rows:
        one = left[: shape.rows * shape.depth].reshape(shape.rows, shape.depth)
        other = right[: shape.depth * shape.columns].reshape(shape.depth, shape.columns)
        total = (one @ other).reshape(-1)
    else:
        count = shape.depth * shape.columns
        total = (left[:count] * right[:count]).reshape(shape.depth, shape.columns).sum(0)
    if terms.is_negated:
        total = -total
    for data, is_negated in zip(accumulators, signs):
        lanes = lanes_of(data, shape.bits, is_signed=True)[: len(total)]
        total = total - lanes if is_negated else total + lanes
    return bytes_of(total, shape.bits)


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

    wait = op.later(op.last_read("acc1", "acc2"), finish, "dst")

    def run() -> None:
        settings = conf()
        if settings & _UNKNOWN_BITS_OF_SUMS:
            raise UnknownResultError(f"the configuration {settings:#x} is not public")
        wait(settings)

    return run


def accumulator_negate(op: Operation) -> Run:
    """Negate an accumulator, lane by lane of integers."""
    if "float" in op.arguments:
        raise UnknownResultError("the sign of a negated zero is not public")
    accumulator, conf, write = op.data("acc"), op.number("conf"), op.data_writer("dst")

    def finish(settings: Any, issue: int) -> None:
        bits = 64 if settings >> 1 & 3 == _LONG_LANES else 32
        write(bytes_of(-lanes_of(accumulator(), bits, is_signed=True), bits), issue)

    wait = op.later(op.last_read("acc"), finish, "dst")

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
