"""States of machines for notebooks: registers with their values, vectors as strips, memory."""

from __future__ import annotations

import math
from typing import Any, Iterator, Sequence

from ipu_asm.emulator.element_types import MASK, ElementType
from ipu_asm.emulator.html_tables import Html, strip, table
from ipu_asm.emulator.model import machine_for
from ipu_asm.emulator.state import ROW, AnyState, Image, SavedState, changed_rows, image_of
from ipu_asm.emulator.stops import describe_word
from ipu_asm.named_tuple import NamedTuple

_MAX_RANGES = 8


class VectorText(NamedTuple):
    """A vector register for a row of a table."""

    name: str
    type: str
    values: str
    picture: Html


def state_html(state: AnyState | SavedState) -> str:
    """Return what is not zero in a state: scalar registers, vectors and ranges of memory."""
    saved = state if isinstance(state, SavedState) else state.save()
    origin, layout = saved.origin, saved.origin.layout
    types = machine_for(origin.isa_name).types_of(saved.scalars, origin.settings)
    words = zip(layout.scalar_names, saved.scalars)
    scalars = [f"{name} = {describe_word(word)}" for name, word in words if word]
    vectors = list(vector_rows(saved.block, layout.vector_places, types.vectors))
    ranges = [f"{start:#x} to {end:#x}" for start, end in _ranges(saved.memory)]
    more = [f"and {len(ranges) - _MAX_RANGES:,} more"] if len(ranges) > _MAX_RANGES else []
    rows = [
        ("pc", str(saved.pc)),
        ("registers", ", ".join(scalars) or "all zero"),
        ("xmem not zero", ", ".join([*ranges[:_MAX_RANGES], *more]) or "nowhere"),
    ]
    title = f"{origin.isa_name}, {types.name or 'no element type'}"
    head = ("vector", "type", "values", "")
    return table((title, ""), rows) + (table(head, vectors) if vectors else "")


def vector_rows(block: bytes, places: Any, types: Any) -> Iterator[VectorText]:
    """Yield the vector registers that are not zero."""
    for name, place in places.items():
        content = block[place]
        if any(content):
            yield vector_text(name, types[name], content)


def vector_text(name: str, kind: ElementType, content: bytes) -> VectorText:
    """Return a vector register for a row of a table; of a mask, the bits."""
    if kind == MASK:
        bits = [byte >> bit & 1 for byte in content for bit in range(8)]
        return VectorText(name, "mask", f"{sum(bits):,} of {len(bits):,} bits set", strip(bits))
    numbers = kind.decode(content)
    return VectorText(name, kind.name, describe_numbers(numbers), strip(numbers))


def describe_numbers(numbers: Sequence[float]) -> str:
    """Describe numbers by their range, and how many are NaN."""
    known = [number for number in numbers if not math.isnan(number)]
    lost = len(numbers) - len(known)
    spread = f"{min(known):,g} to {max(known):,g}" if known else "no number"
    return spread + (f", {lost:,} NaN" if lost else "")


def _ranges(image: Image) -> Iterator[tuple[int, int]]:
    """Yield first and end of the rows of memory that are not zero."""
    size = sum(len(page) for group in image for page in group)
    begin = end = 0
    for row in changed_rows(image_of(size, ()), image):
        if row != end:
            if end > begin:
                yield begin, end
            begin = row
        end = row + ROW
    if end > begin:
        yield begin, end
