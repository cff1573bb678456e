"""The use of functional units in a run: bundles by unit, loads and stores, share of the peak."""

from __future__ import annotations

from collections import Counter
from typing import Sequence

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.bundle.instruction import Instruction
from ipu_asm.bundle.slot_assignment import units_of
from ipu_asm.flow.control_run.summary import Count
from ipu_asm.flow.loop_numbers import Peak, peak_of, ratio
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.reports.performance.loops import Measured, total

_LOAD, _STORE = "load", "store"


class UnitUse(NamedTuple):
    """How many executed bundles use a unit, and their share of all; None if not known."""

    unit: str
    bundles: Count
    share: float | None


class Use(NamedTuple):
    """The units of a run in the order of the set, and its loads and stores."""

    units: tuple[UnitUse, ...]
    loads: Count
    stores: Count
    peak: Peak | None


def use_of(measured: Measured) -> Use | None:
    """Return the use of units, or of slots; None for a set whose control is known without it."""
    program, isa = measured.program, measured.program.isa
    if measured.facts is not None or not isa.counting.registers:
        return None
    bundles = [program.bundles[number] for number in program.bundle_at_address]
    units = [
        unit for slot in isa.slots if len(slot.units) < 2 for unit in slot.units or (slot.name,)
    ]
    used = [_used_units(isa, bundle) for bundle in bundles]
    cycles = measured.cycles
    by_unit = {unit: [int(unit in each) for each in used] for unit in units}
    traits = [_traits(isa, bundle) for bundle in bundles]
    found = []
    for unit, counts in by_unit.items():
        if any(counts):
            count = _executed(measured, counts)
            found.append(UnitUse(unit, count, ratio(count, cycles)))
    return Use(
        tuple(found),
        _executed(measured, [each[_LOAD] for each in traits]),
        _executed(measured, [each[_STORE] for each in traits]),
        peak_of(program, measured.executions, cycles),
    )


def _executed(measured: Measured, counts: Sequence[int]) -> Count:
    """Return the sum of counts of all bundles, each as often as the bundle is executed."""
    pairs = zip(measured.executions, counts)
    return total(None if n is None else n * count for n, count in pairs if count)


@cached_on_bundle
def _used_units(isa: Isa, bundle: Bundle) -> frozenset[str]:
    return frozenset(
        unit
        for instruction in bundle.instructions
        if not instruction.is_idle
        for unit in units_of(isa, instruction) or _slot_of(instruction)
    )


def _slot_of(instruction: Instruction) -> tuple[str, ...]:
    return (instruction.spec.slot,) if instruction.spec is not None else ()


@cached_on_bundle
def _traits(_isa: Isa, bundle: Bundle) -> Counter[str]:
    specs: Sequence[frozenset[str]] = [
        instruction.spec.traits for instruction in bundle.instructions if instruction.spec
    ]
    return Counter(trait for traits in specs for trait in traits)
