"""The loops of a program: which bundles they repeat, and how full those are."""

from __future__ import annotations

from itertools import accumulate
from typing import NamedTuple

from ipu_asm.bundle import Bundle, once_a_bundle
from ipu_asm.isa.model import Isa
from ipu_asm.program import Program


class Loop(NamedTuple):
    """The addresses from `first` to `last`, the last one that branches back to the first.

    Of the `places` that its bundles have for instructions, `used` do something. `label` is what
    its first bundle is called, None if it has no label.
    """

    first: int
    last: int
    label: str | None
    used: int
    places: int

    @property
    def size(self) -> int:
        """The bundles of one turn, straight through."""
        return self.last - self.first + 1

    @property
    def utilisation(self) -> float:
        """The part of the places that is used, from 0 to 1."""
        return self.used / self.places


def loops(program: Program) -> list[Loop]:
    """The loops of a program by their first address."""
    last_of = program.branches_back
    if not last_of:
        return []
    isa = program.isa
    bundles = [program.bundles[number] for number in program.bundle_at_address]
    used = [0, *accumulate(_used(isa, bundle) for bundle in bundles)]
    room = sum(slot.capacity for slot in isa.slots)
    return [
        Loop(
            first,
            last,
            bundles[first].label,
            used[last + 1] - used[first],
            (last + 1 - first) * room,
        )
        for first, last in sorted(last_of.items())
    ]


@once_a_bundle
def _used(isa: Isa, bundle: Bundle) -> int:
    """How many instructions of a bundle do something, each in a place of its own."""
    return sum(
        place is not None and not instruction.is_idle
        for instruction, place in zip(bundle.instructions, bundle.places)
    )
