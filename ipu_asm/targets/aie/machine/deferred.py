"""Products that are computed when one of them is needed, many at once.

The products of a loop are chains: each adds to the result of an earlier one. What a chain adds does
not depend on the chain: `prepare` computes it for all products of one configuration, and `add` adds
a part of it to accumulators, one product of each chain at a time.
"""

from __future__ import annotations

from itertools import groupby
from typing import Any, Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ipu_asm.named_tuple import NamedTuple

Array = NDArray[Any]


class Terms(NamedTuple):
    """A configuration with what its operation says.

    `first` of the accumulators do not count, `signs` are whether the others are negated. A result
    has `size` bytes.
    """

    shape: Any
    left_signed: bool
    right_signed: bool
    is_negated: bool
    first: int
    signs: tuple[bool, ...]
    size: int
    methods: Methods

    @property
    def is_sum(self) -> bool:
        """Whether it adds products to one accumulator at most."""
        return not any(self.signs) and len(self.signs) <= 1


class Methods(NamedTuple):
    """How products are computed: `exactly` one, or many at once.

    `prepare` returns what a number of products with the same terms add, of the bytes of their
    factors; None if they have to be computed one by one. `add` gets a range of that and the
    accumulators, rows of 32-bit words, and returns such rows. `is_plain` tells whether rows hold
    no number that `add` gets wrong.
    """

    exactly: Callable[[Terms, bytes, bytes, Sequence[bytes], Sequence[bool]], bytes]
    prepare: Callable[[Terms, bytes, bytes, int], Any]
    add: Callable[[Any, slice, Array], Array]
    is_plain: Callable[[Array], bool]


class Product:
    """A sum of products, with the accumulators that count: products or values of parts.

    Values of parts are bytes or pieces of products.
    """

    __slots__ = ("a", "accumulators", "b", "level", "place", "result", "source", "terms")

    def __init__(self, terms: Terms, a: bytes, b: bytes, accumulators: Sequence[Any]) -> None:
        self.terms, self.a, self.b, self.accumulators = terms, a, b, accumulators
        self.result: bytes | None = None
        self.source: Product | None
        self.level: int
        self.place: int

    def compute(self) -> None:
        """Compute the result; the accumulators are known."""
        terms = self.terms
        used = [known_bytes(values) for values in self.accumulators]
        found = terms.methods.exactly(terms, self.a, self.b, used, terms.signs)
        self.set_result(found[: terms.size].ljust(terms.size, b"\0"))

    def set_result(self, result: bytes) -> None:
        """Set the result, and forget what it was computed of: chains have no end."""
        self.result = result
        self.accumulators, self.source, self.a, self.b = (), None, b"", b""


class Piece:
    """The part `where` of the result of a product, in place of the value of a part."""

    __slots__ = ("product", "where")

    def __init__(self, product: Product, where: slice) -> None:
        self.product, self.where = product, where


def known_bytes(values: Any) -> bytes:
    """Return values of parts as one, or the result of a product; all are known."""
    if type(values) is Product:
        assert values.result is not None
        return values.result
    return b"".join(
        [value if type(value) is bytes else value.product.result[value.where] for value in values]
    )


class DeferredProducts:
    """Products that are still to be computed, in the order of their issue.

    `decoders` are those of configurations: equal terms are one object.
    """

    def __init__(self) -> None:
        self.waiting: list[Product] = []
        self.decoders: dict[Any, Mapping[int, Terms]] = {}

    def add(self, product: Product) -> None:
        """Take a product that is computed later."""
        if len(self.waiting) >= _MAX_PRODUCTS:
            self.compute_all()
        self.waiting.append(product)

    def joined(self, values: Any) -> bytes:
        """Return values of parts as one, or the result of a product, computed where needed."""
        if type(values) is Product:
            if values.result is None:
                self.compute_all()
        elif any(type(value) is Piece and value.product.result is None for value in values):
            self.compute_all()
        return known_bytes(values)

    def known(self, piece: Piece) -> bytes:
        """Return a piece of a product, which is computed if it is not yet."""
        return self.joined((piece,))

    def compute_all(self) -> None:
        """Compute all products."""
        waiting = self.waiting[:]
        self.waiting.clear()
        with np.errstate(all="ignore"):  # what infinities and NaNs give is computed anew
            if len(waiting) < _MIN_TOGETHER or not _computed_together(waiting):
                for product in waiting:
                    product.compute()


def _computed_together(products: Sequence[Product]) -> bool:
    """Compute products together; returns False if they have to be computed one by one."""
    kinds: dict[int, list[Product]] = {}
    for product in products:
        source = product.source = _source(product)
        product.level = 0 if source is None else source.level + 1
        kinds.setdefault(id(product.terms), []).append(product)
    sums, results = {}, {}
    for kind, some in kinds.items():
        some.sort(key=_level_of)
        terms = some[0].terms
        if not terms.is_sum:
            return False
        left, right = b"".join([each.a for each in some]), b"".join([each.b for each in some])
        sums[kind] = terms.methods.prepare(terms, left, right, len(some))
        if sums[kind] is None:
            return False
        results[kind] = np.zeros((len(some), terms.size // 4), np.uint32)
        for place, product in enumerate(some):
            product.place = place
    runs = [list(run) for some in kinds.values() for _, run in groupby(some, _level_of)]
    for run in sorted(runs, key=lambda run: run[0].level):
        methods, kind = run[0].terms.methods, id(run[0].terms)
        accumulators = _accumulators(run, results)
        if accumulators is None or not (run[0].level or methods.is_plain(accumulators)):
            return False
        where = slice(run[0].place, run[-1].place + 1)
        results[kind][where] = methods.add(sums[kind], where, accumulators)
    if not all(kinds[kind][0].terms.methods.is_plain(found) for kind, found in results.items()):
        return False
    for kind, some in kinds.items():
        size, data = some[0].terms.size, results[kind].tobytes()
        for place, product in enumerate(some):
            product.set_result(data[place * size : place * size + size])
    return True


def _level_of(product: Product) -> int:
    return product.level


def _source(product: Product) -> Product | None:
    """Return the product whose whole result is the first accumulator; None if it is known."""
    found = None
    for values in product.accumulators:
        if type(values) is Product:
            found = values
        elif type(values[0]) is Piece:
            found, start = values[0].product, 0
            for value in values:
                is_next = type(value) is Piece and value.product is found
                if not is_next or value.where.start != start:
                    return None
                start = value.where.stop
        break
    return None if found is None or found.result is not None else found


def _accumulators(run: Sequence[Product], results: Mapping[int, Array]) -> Array | None:
    """Return the accumulators of products of one level; None if parts of them are not known."""
    size, source = run[0].terms.size, run[0].source
    if source is None:
        zeros = bytes(size)
        try:
            rows = [known_bytes(p.accumulators[0]) if p.accumulators else zeros for p in run]
        except TypeError:  # a piece of a product that is not computed
            return None
        return _rows(rows, size)
    sources = [each.source for each in run if each.source is not None]
    if all(each.terms is source.terms for each in sources):
        found, start = results[id(source.terms)], source.place
        places = [each.place for each in sources]
        if found.shape[1] * 4 != size:
            return None
        is_range = places == list(range(start, start + len(run)))
        return found[start : start + len(run)] if is_range else found[places]
    return _rows([results[id(each.terms)][each.place].tobytes() for each in sources], size)


def _rows(rows: Sequence[bytes], size: int) -> Array | None:
    if any(len(row) != size for row in rows):
        return None
    return np.frombuffer(b"".join(rows), np.uint32).reshape(len(rows), -1)


_MIN_TOGETHER = 4
_MAX_PRODUCTS = 64
