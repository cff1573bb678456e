"""Products that are computed when one of them is needed, many at once.

The products of a loop are chains: each adds to the result of an earlier one. What a chain adds does
not depend on the chain: `prepare` computes it for all products of one configuration, and `add` adds
a part of it to accumulators, one product of each chain at a time.
"""

from __future__ import annotations

from typing import Any, Callable, Mapping, Protocol, Sequence

import numpy as np
from numpy.typing import NDArray

from ipu_asm.named_tuple import NamedTuple

Array = NDArray[Any]

_MIN_TOGETHER = 4
_MAX_WAITING = 64


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


class Sums(Protocol):
    """What the products of many terms add to accumulators; `results` are by lane and product."""

    results: Array

    def add(self, where: slice, accumulators: Array) -> None:
        """Add a range of the products to accumulators, one to each."""

    def is_plain(self, numbers: Array) -> bool:
        """Return whether there is no number that `add` gets wrong."""


class Methods(NamedTuple):
    """How products are computed: `exactly` one, or many at once.

    `prepare` gets the bytes of the factors of a number of products with the same terms; it returns
    None if they have to be computed one by one.
    """

    exactly: Callable[[Terms, bytes, bytes, Sequence[bytes], Sequence[bool]], bytes]
    prepare: Callable[[Terms, bytes, bytes, int], Sums | None]


class Product:
    """A sum of products. Accumulators are products or values of parts: bytes and pieces."""

    __slots__ = ("a", "accumulators", "b", "kind", "level", "place", "result", "source", "terms")

    def __init__(self, terms: Terms, a: bytes, b: bytes, accumulators: Sequence[Any]) -> None:
        self.terms, self.a, self.b, self.accumulators = terms, a, b, accumulators
        self.result: bytes | None = None
        self.source: Product | None
        self.level: int
        self.place: int
        self.kind: _Kind

    def compute(self) -> None:
        """Compute the result; the accumulators are known."""
        terms = self.terms
        used = [known_bytes(values) for values in self.accumulators[terms.first :]]
        found = terms.methods.exactly(terms, self.a, self.b, used, terms.signs)
        self.result = found[: terms.size].ljust(terms.size, b"\0")
        self.accumulators = ()


class Piece:
    """The part `where` of the result of a product, in place of the value of a part."""

    __slots__ = ("product", "where")

    def __init__(self, product: Product, where: slice) -> None:
        self.product, self.where = product, where


def known_bytes(values: Any) -> bytes:
    """Return the bytes of a product or of the parts of a register, all computed already."""
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
        if len(self.waiting) >= _MAX_WAITING:
            self.compute_all()
        self.waiting.append(product)

    def joined(self, values: Any) -> bytes:
        """Return the bytes of a product or of the parts of a register; compute what is missing."""
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
        waiting = self.waiting[:]
        self.waiting.clear()
        with np.errstate(all="ignore"):  # what infinities and NaNs give is computed anew
            if len(waiting) < _MIN_TOGETHER or not _computed_together(waiting):
                for product in waiting:
                    product.compute()


def _computed_together(products: Sequence[Product]) -> bool:
    """Compute products in batches; return False if a product needs the scalar method."""
    kinds = [_Kind(levels) for levels in _levels(products).values()]
    if not all(kind.is_known for kind in kinds):
        return False
    runs = [(level, kind) for kind in kinds for level in range(len(kind.levels))]
    for level, kind in sorted(runs, key=lambda run: run[0]):
        run = kind.levels[level]
        if not run:
            continue
        accumulators = _accumulators(run, kind)
        if accumulators is None or not (level or kind.sums.is_plain(accumulators)):
            return False
        where = slice(run[0].place, run[-1].place + 1)
        kind.sums.add(where, accumulators)
    if not all(kind.sums.is_plain(kind.sums.results) for kind in kinds):
        return False
    for kind in kinds:
        kind.set_results()
    return True


def _levels(products: Sequence[Product]) -> Mapping[int, list[list[Product]]]:
    """Group products by their terms, then by level: their number of predecessors in the chain."""
    found: dict[int, list[list[Product]]] = {}
    last, levels = None, []
    for product in products:
        terms, accumulators = product.terms, product.accumulators
        if terms.first:
            accumulators = accumulators[1:]
        source, level = None, 0
        if accumulators:
            source = accumulators[0]
            if type(source) is Product and source.result is None:
                level = source.level + 1
            else:
                source, level = _source(source)
        product.source, product.level = source, level
        if terms is not last:
            last, levels = terms, found.setdefault(id(terms), [])
        while len(levels) <= level:
            levels.append([])
        levels[level].append(product)
    return found


def _source(values: Any) -> tuple[Product | None, int]:
    """Return the product whose whole result is the accumulator, and the level after its own.

    The product is None if the accumulator is computed already, or has parts of several products.
    """
    if type(values) is Product:
        return (None, 0) if values.result is not None else (values, values.level + 1)
    found, start, is_whole, level = None, 0, True, 0
    for value in values:
        if type(value) is Piece:
            product = value.product
            if product.result is None and product.level >= level:
                level = product.level + 1
            found = found or product
            is_whole = is_whole and product is found and value.where.start == start
            start = value.where.stop
        else:
            is_whole = False
    return (found if is_whole and level else None), level


class _Kind:
    """Products with the same terms, by level, in the order of their places."""

    def __init__(self, levels: list[list[Product]]) -> None:
        self.levels = levels
        self.products = [product for level in levels for product in level]
        self.terms = self.products[0].terms
        for place, product in enumerate(self.products):
            product.place = place
            product.kind = self
        sums = self._prepared() if self.terms.is_sum else None
        self.is_known = sums is not None
        if sums is not None:
            self.sums = sums

    def _prepared(self) -> Sums | None:
        left = b"".join([product.a for product in self.products])
        right = b"".join([product.b for product in self.products])
        return self.terms.methods.prepare(self.terms, left, right, len(self.products))

    def set_results(self) -> None:
        """Give products their results, and forget what they were computed of."""
        size, data, start = self.terms.size, self.sums.results.T.tobytes(), 0
        for product in self.products:
            product.result = data[start : start + size]
            product.accumulators, product.source = (), None
            del product.kind  # a cycle, which only the garbage collector would free
            start += size


def _accumulators(run: Sequence[Product], kind: _Kind) -> Array | None:
    """Return the accumulators of products of one level; None if their sizes differ."""
    sources = [each.source for each in run]
    if all(source is not None and source.terms is kind.terms for source in sources):
        places = [source.place for source in sources if source is not None]
        start = places[0]
        is_range = places == list(range(start, start + len(run)))
        return kind.sums.results[:, slice(start, start + len(run)) if is_range else places]
    zeros = [bytes(kind.terms.size)]
    rows = [
        b"".join(
            [_computed(value) for value in (each.accumulators[each.terms.first :] or [zeros])[0]]
        )
        if each.source is None
        else _result(each.source)
        for each in run
    ]
    if any(len(row) != kind.terms.size for row in rows):
        return None
    return np.frombuffer(b"".join(rows), kind.sums.results.dtype).reshape(len(rows), -1).T


def _computed(value: Any) -> bytes:
    """Return a value of a part, of a product computed in an earlier level."""
    return value if type(value) is bytes else _result(value.product)[value.where]


def _result(product: Product) -> bytes:
    if product.result is not None:
        return product.result
    found: bytes = product.kind.sums.results[:, product.place].tobytes()
    return found
