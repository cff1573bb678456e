"""The loops of a program: which bundles they repeat, and how full those are."""

from __future__ import annotations

from itertools import accumulate
from typing import NamedTuple

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.flow.control_flow import delay_slots_of
from ipu_asm.isa.model import Isa
from ipu_asm.program.program import Program


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
    room = len({unit for slot in isa.slots for unit in slot.units})
    room = room or sum(slot.capacity for slot in isa.slots)
    labels = _labels(program)
    found = []
    for first, branch in sorted(last_of.items()):
        last = min(branch + delay_slots_of(bundles[branch]), len(bundles) - 1)
        places = (last + 1 - first) * room
        found.append(Loop(first, last, labels.get(first), used[last + 1] - used[first], places))
    return found


def _labels(program: Program) -> dict[int, str]:
    """The label of each address that has one, the last of several."""
    found = {}
    for number, bundle in program.notable:
        if bundle.label is not None:
            found[program.addresses[number]] = bundle.label
    return found


@cached_on_bundle
def _used(isa: Isa, bundle: Bundle) -> int:
    """How many places of a bundle have instructions that do something."""
    return sum(
        max(len(isa.slot_by_name[instruction.spec.slot].units), 1)
        for instruction, place in zip(bundle.instructions, bundle.places)
        if place is not None and instruction.spec is not None and not instruction.is_idle
    )
