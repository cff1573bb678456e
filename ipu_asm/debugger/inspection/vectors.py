"""Whole vectors for the vectors view: numbers, texts and changes of every element."""

from __future__ import annotations

import math
from typing import Final

from ipu_asm.debugger.expressions import (
    ExpressionError,
    Location,
    MachineView,
    Space,
    evaluate,
    quoted,
)
from ipu_asm.debugger.expressions.machine_view import location_text
from ipu_asm.debugger.inspection.comparison import Comparison, Content
from ipu_asm.debugger.inspection.texts import element_texts
from ipu_asm.emulator.element_types import BIT, MASK, ElementType
from ipu_asm.expressions import Number
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import Span

MAX_VECTOR_ELEMENTS: Final = 512
"""Limit on the elements of one `VectorView`."""

_BYTES: Final = ("i8", "u8")
_WORDS: Final = ("i32", "u32", "f32")
_ROW: Final = 16


class VectorInfo(NamedTuple):
    """A register that can be shown: its default type, and the types its bytes can be read as."""

    name: str
    type: str
    types: tuple[str, ...]
    elements: int
    masks: tuple[str, ...]


class VectorView(NamedTuple):
    """A vector of the machine `view` at one stop.

    `path` is the expression of the requested location. `texts` and `bits` are the elements in
    decimal and in hexadecimal; `previous` has the values at the previous stop of the elements with
    the indices `changed`. `masked` has the indices of elements that the mask suppresses. Types have
    their long names, such as `fp8_e4m3`.
    """

    view: MachineView
    location: Location
    path: str
    types: tuple[str, ...]
    masks: tuple[str, ...]
    numbers: tuple[Number, ...]
    texts: tuple[str, ...]
    bits: tuple[str, ...]
    expressions: tuple[str, ...]
    changed: tuple[int, ...]
    previous: tuple[Number, ...]
    previous_texts: tuple[str, ...]
    masked: tuple[int, ...]

    @property
    def type(self) -> str:
        return _long_name(self.view, self.location.kind)

    @property
    def extent(self) -> tuple[str, str] | None:
        """The texts of minimum and maximum; None if all elements are NaN."""
        ordered = [index for index, number in enumerate(self.numbers) if number == number]
        if not ordered:
            return None
        least, most = (pick(ordered, key=self.numbers.__getitem__) for pick in (min, max))
        return self.texts[least], self.texts[most]

    @property
    def nans(self) -> int:
        return sum(number != number for number in self.numbers)

    @property
    def infinities(self) -> int:
        return sum(map(math.isinf, self.numbers))

    @property
    def numpy(self) -> str:
        """A Python expression that creates the same numpy array."""
        texts = [_in_python(text) for text in self.texts]
        rows = [f"    {', '.join(texts[i : i + _ROW])},\n" for i in range(0, len(texts), _ROW)]
        return f"np.array([\n{''.join(rows)}], dtype={self._numpy_type})"

    @property
    def _numpy_type(self) -> str:
        """The element type in Python; float32 for an 8-bit float that Python lacks."""
        kind = self.location.kind
        if kind == BIT:
            return "bool"
        if kind.format is None:
            return f"np.{self.type}"
        return self.view.model.numpy_names.get(kind.name, "np.float32")


def vector_infos(view: MachineView) -> list[VectorInfo]:
    vectors, types = view.model.vectors_shown, view.types.vectors
    names = (*(name for name in vectors if types[name] != MASK), *view.masks)
    return [_vector_info(name, view) for name in names]


def is_shown_as_vector(location: Location) -> bool:
    """Return whether there is a `vector_view` of a location: several elements, or one mask."""
    if (location.length is None) is not (location.kind == MASK):
        return False
    return (location.bits() or location).elements <= MAX_VECTOR_ELEMENTS


def vector_view(
    comparison: Comparison, expression: str, type_: str | None = None, mask: str | None = None
) -> VectorView:
    """Return the vector at an expression's location, read as `type_` and under `mask` if given.

    A mask applies only to a vector of as many elements as it has bits. Raises ExpressionError.
    """
    named = _location(comparison, expression)
    location = named.bits() or named
    if type_ is not None:
        location = _in_type(location, type_, comparison.view)
    if location.elements > MAX_VECTOR_ELEMENTS:
        raise _error(
            f"{MAX_VECTOR_ELEMENTS} elements fit, found {location.elements:,} in", expression
        )
    now, old = comparison.current_and_previous(location)
    numbers, written = _numbers(location.kind, now), location_text(location, comparison.view)
    changed = _changed(location.kind, now, old)
    before = b"" if old is None else b"".join(_elements(location.kind, old)[i] for i in changed)
    view = comparison.view
    return VectorView(
        view,
        location,
        location_text(named, comparison.view).whole,
        _types(view, location),
        _masks(view, location),
        numbers,
        tuple(element_texts(location.kind, now, None)),
        tuple(element_texts(location.kind, now, "x")),
        tuple(expression for _, expression in written.elements(0, location.elements)),
        changed,
        _numbers(location.kind, before),
        tuple(element_texts(location.kind, before, None)),
        () if mask is None else _masked(comparison, mask, location),
    )


def _vector_info(name: str, view: MachineView) -> VectorInfo:
    location = view.existing(name.partition("[")[0])
    if location.kind == MASK:
        location = location.part(0, None).bits() or location
    kind, masks = _long_name(view, location.kind), _masks(view, location)
    return VectorInfo(name, kind, _types(view, location), location.elements, masks)


def _location(comparison: Comparison, expression: str) -> Location:
    """The location of the elements. Raises ExpressionError."""
    location = evaluate(comparison.context, expression).location
    if location is None:
        raise _error("a vector lies in a register or in xmem, found", expression)
    if (location.length is None) is not (location.kind == MASK):
        raise _error("a vector is several elements or one mask, found", expression)
    return location


def _in_type(location: Location, name: str, view: MachineView) -> Location:
    if name == BIT.name == location.kind.name:
        return location
    kind = view.type_named(name.lower())
    if kind is None:
        known = ", ".join(view.names.types)
        raise _error(f"a type is one of {known}, found", name)
    found = location.reinterpreted(kind)
    if found is None or found.length is None:
        raise _error(f"{location.elements} x {location.kind.name} are no vector of", name)
    return found


def _types(view: MachineView, location: Location) -> tuple[str, ...]:
    """The types that a location can be read as, types of its element size first."""
    if location.space is Space.BITS:
        return (BIT.name,)
    every = view.model.element_types
    offered = (every[name] for name in (*_BYTES, *view.names.formats, *_WORDS))
    fitting = [kind for kind in offered if location.size % kind.size == 0]
    fitting.sort(key=lambda kind: kind.size != location.kind.size)
    return tuple(_long_name(view, kind) for kind in fitting)


def _long_name(view: MachineView, kind: ElementType) -> str:
    return view.names.long_types.get(kind.name, kind.name)


def _masks(view: MachineView, location: Location) -> tuple[str, ...]:
    if location.elements != MASK.bits or location.space is Space.BITS:
        return ()
    return view.masks


def _masked(comparison: Comparison, mask: str, location: Location) -> tuple[int, ...]:
    found = evaluate(comparison.context, mask).location
    bits = None if found is None else found.bits()
    if bits is None:
        known = comparison.view.masks
        raise _error(
            f"a mask is one such as `{known[0]}`, found"
            if known
            else "the machine has no masks, found",
            mask,
        )
    if not _masks(comparison.view, location):
        return ()
    current, _ = comparison.current_and_previous(bits)
    masked = comparison.view.model.masked_bit
    return tuple(number for number, bit in enumerate(current) if bit == masked)


def _numbers(kind: ElementType, data: Content) -> tuple[Number, ...]:
    return tuple(data) if kind == BIT else kind.decode(data)


def _changed(kind: ElementType, now: Content, old: Content | None) -> tuple[int, ...]:
    if old is None:
        return ()
    pairs = zip(_elements(kind, now), _elements(kind, old))
    return tuple(number for number, (new, before) in enumerate(pairs) if new != before)


def _elements(kind: ElementType, data: Content) -> list[Content]:
    return [data[i : i + kind.size] for i in range(0, len(data), kind.size)]


def _error(message: str, text: str) -> ExpressionError:
    """An error about a whole text, which is appended to the message."""
    return ExpressionError(f"{message} {quoted(text)}", Span(0, len(text)))


def _in_python(text: str) -> str:
    sign, word = ("-", text[1:]) if text.startswith("-") else ("", text)
    return f"{sign}np.{word}" if word in ("nan", "inf") else text
