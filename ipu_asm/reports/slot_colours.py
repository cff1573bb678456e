"""Colours of slots: the same in editors, on pages and in pictures, in light and dark.

A slot keeps its colour in every set of its language, and no two working slots of a set share one.
"""

from __future__ import annotations

from typing import Final, Mapping

from ipu_asm.isa import load_isa, manifests
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple


class SlotColour(NamedTuple):
    """Colours for text on light and on dark paper, and of a filled box with black text."""

    light: str
    dark: str
    box: str


# Each text reaches a contrast of 4.5 on white and on #1f1f1f; a test computes it.
PALETTE: Final = (
    SlotColour("#0b5cad", "#6cb2f7", "#a8d5f2"),  # blue
    SlotColour("#a34700", "#f2a35e", "#f7c794"),  # orange
    SlotColour("#1f7a1f", "#8fce7a", "#b9e3b0"),  # green
    SlotColour("#7a3db8", "#c8a2f2", "#d6b8ee"),  # purple
    SlotColour("#00736b", "#5cd1c4", "#a9e2dc"),  # teal
    SlotColour("#b0246e", "#f590c0", "#f5b8d6"),  # magenta
    SlotColour("#6b6200", "#d6c85a", "#f2e694"),  # olive
    SlotColour("#4d5f73", "#a9b8c8", "#cfd3da"),  # steel
)


def slot_colours(isa: Isa) -> dict[str, int]:
    """Return the number of the colour in `PALETTE` of each slot that does work."""
    manifest = manifests().get(isa.name)
    numbers = colours_of_language(manifest.language_id) if manifest else _with_colours({}, isa)
    return {slot.name: numbers[slot.name] for slot in isa.working_slots}


def colours_of_language(language_id: str) -> dict[str, int]:
    """Return the number of the colour of each slot of all sets that are written in a language."""
    numbers: dict[str, int] = {}
    for name, manifest in manifests().items():
        if manifest.language_id == language_id:
            numbers = _with_colours(numbers, load_isa(name))
    return numbers


def _with_colours(numbers: Mapping[str, int], isa: Isa) -> dict[str, int]:
    """Return `numbers` and those of the set's other slots: the first that none of its slots has."""
    slots = [slot.name for slot in isa.working_slots]
    taken = {numbers[slot] for slot in slots if slot in numbers}
    free = (number for number in range(len(PALETTE)) if number not in taken)
    # With more slots than colours, the last ones share the last colour.
    new = {slot: next(free, len(PALETTE) - 1) for slot in slots if slot not in numbers}
    return {**numbers, **new}
