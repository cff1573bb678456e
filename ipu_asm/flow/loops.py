"""The loops of the source: from the target of a backward branch to its last such branch.

Bundles that an instruction or the registers of a hardware loop repeat are loops, too.

The loops of a run, found in the path that it took, are those of `emulator/profile.py`.
"""

from __future__ import annotations

from itertools import accumulate

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.flow.control_flow import delay_slots_of
from ipu_asm.flow.counted_loops.loops import counted_loops
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program, cached_on_program


class SourceLoop(NamedTuple):
    """The addresses from `first`, where branches lead back to, to `last`, delay slots included.

    Of the `slots` of its bundles, `used` have an instruction that does something; slots that only
    hold breakpoints do not count. `label` is that of its first bundle, None if it has none.
    """

    first: int
    last: int
    label: str | None
    used: int
    slots: int

    @property
    def size(self) -> int:
        """The number of bundles from first to last."""
        return self.last - self.first + 1

    @property
    def utilisation(self) -> float:
        """The fraction of the slots that is used, from 0 to 1."""
        return self.used / self.slots

    @property
    def use_text(self) -> str:
        """What all say of the use: `3 of 14 slots used (21 %)`; "" if there is one slot only."""
        if self.slots == self.size:
            return ""
        percent = (200 * self.used + self.slots) // (2 * self.slots)
        return f"{self.used} of {self.slots} slots used ({percent} %)"


def loops_of(program: Program) -> list[SourceLoop]:
    """The loops of a program by their first address."""
    if not backward_branches(program):
        return []
    isa = program.isa
    bundles = [program.bundles[number] for number in program.bundle_at_address]
    used = [0, *accumulate(_used_slots(isa, bundle) for bundle in bundles)]
    width = len({unit for slot in isa.working_slots for unit in slot.units})
    width = width or sum(slot.capacity for slot in isa.working_slots)
    labels = _labels(program)
    found = []
    for first, last in loop_ends(program).items():
        slots = (last + 1 - first) * width
        found.append(
            SourceLoop(first, last, labels.get(first), used[last + 1] - used[first], slots)
        )
    return found


def loop_ends(program: Program) -> dict[int, int]:
    """Return the last address of each loop by its first, both as in `loops_of`."""
    return {first: _last(program, b) for first, b in sorted(backward_branches(program).items())}


def last_of_loop(program: Program, first: int) -> int | None:
    """Return the last address of the loop that begins at an address; None if none does."""
    branch = backward_branches(program).get(first)
    return None if branch is None else _last(program, branch)


def _last(program: Program, branch: int) -> int:
    """Return the address of the last delay slot of a branch, of the branch if it has none."""
    bundle = program.bundles[program.bundle_at_address[branch]]
    return min(branch + delay_slots_of(bundle), len(program.bundle_at_address) - 1)


def enclosing_loops(program: Program, address: int) -> list[range]:
    """The addresses of the loops around a bundle, innermost first, without delay slots.

    Each loop includes the previous one. Of two loops that overlap partially, only the shorter is
    included.
    """
    around = [
        range(first, last + 1)
        for first, last in backward_branches(program).items()
        if first <= address <= last
    ]
    loops: list[range] = []
    for loop in sorted(around, key=len):
        if not loops or (loop.start <= loops[-1].start and loop.stop >= loops[-1].stop):
            loops.append(loop)
    return loops


@cached_on_program
def backward_branches(program: Program) -> dict[int, int]:
    """For each address that is the target of a backward branch, the last address that has one.

    Repeated bundles count as such, with a branch in the last of them.
    """
    found: dict[int, int] = {}
    if program.isa.counting.registers:
        found.update(counted_loops(program).ranges)
    for reference in program.references:
        source, target = program.addresses[reference.bundle], reference.target
        flow = program.bundles[reference.bundle].flow
        if target is not None and 0 <= target <= source and flow in ("branch", "jump"):
            found[target] = max(found.get(target, 0), source)
    return found


def _labels(program: Program) -> dict[int, str]:
    """The label of each address that has one, the last of several."""
    found = {}
    for number, bundle in program.notable:
        if bundle.label is not None:
            found[program.addresses[number]] = bundle.label
    return found


@cached_on_bundle
def _used_slots(isa: Isa, bundle: Bundle) -> int:
    """Return the number of slots whose instruction has an effect; units where slots share them."""
    units = {slot.name: max(len(slot.units), 1) for slot in isa.working_slots}
    return sum(
        units.get(instruction.spec.slot, 0)
        for instruction, place in zip(bundle.instructions, bundle.places)
        if place is not None and instruction.spec is not None and not instruction.is_idle
    )
