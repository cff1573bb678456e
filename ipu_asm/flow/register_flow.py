"""Reads and writes of registers bundle by bundle, the order of bundles, and live registers.

Inside a bundle, a *live* read sees what another instruction of the bundle writes; any other read
sees the value from before the bundle.
"""

from __future__ import annotations

from typing import Mapping, Sequence

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.diagnostics import Severity
from ipu_asm.flow.accesses import LIVE, accesses_of
from ipu_asm.flow.reachability import falls_through
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program, cached_on_program


class BundleReads(NamedTuple):
    """What a bundle does to registers: `old` reads see the values from before it, `new` reads those
    that it writes itself.
    """

    old: frozenset[str]
    new: frozenset[str]
    writes: frozenset[str]


@cached_on_bundle
def reads_of(isa: Isa, bundle: Bundle) -> BundleReads:
    """Return the registers, in parts that can be written alone, that a bundle reads and writes."""
    accesses = accesses_of(isa, bundle)
    writers: dict[str, set[int]] = {}
    for access in accesses:
        for unit in access.units if access.writes else ():
            writers.setdefault(unit, set()).add(access.instruction)
    old: set[str] = set()
    new: set[str] = set()
    for access in accesses:
        for unit in access.units if access.reads else ():
            others = writers.get(unit, set()) - {access.instruction}
            (new if others and access.timing.read == LIVE else old).add(unit)
    return BundleReads(frozenset(old), frozenset(new), frozenset(writers))


def is_runnable(program: Program) -> bool:
    """Return whether a program can be executed: it is complete, without errors, and fits."""
    if not program.is_text or not 0 < program.size <= program.isa.program_limit:
        return False
    return all(finding.severity is not Severity.ERROR for finding in program.findings)


@cached_on_program
def successors_of(program: Program) -> Sequence[Sequence[int]] | None:
    """Return the addresses that may be executed after each address.

    An address past the last one leaves the program. None if a branch may lead anywhere.
    """
    numbers, bundles = program.bundle_at_address, program.bundles
    flows = [bundles[number].flow for number in numbers]
    targets = {program.addresses[each.bundle]: each.target for each in program.references}
    # Few edits change them.
    return program.cache.whole("successors", (flows, targets), lambda: _successors(flows, targets))


def _successors(
    flows: Sequence[str | None], targets: Mapping[int, int | None]
) -> Sequence[Sequence[int]] | None:
    found: list[Sequence[int]] = []
    for address, flow in enumerate(flows):
        target = targets.get(address)
        following = [address + 1] if falls_through(flow) else []
        if flow in ("branch", "jump"):
            if target is None:
                return None
            following.append(target)
        elif flow == "indirect":
            return None
        found.append(following)
    return found


def live_registers(
    effects: Sequence[tuple[int, int]],
    successors: Sequence[Sequence[int]],
    at_end: int,
) -> Sequence[int]:
    """Return the registers that are live behind each address: some path reads them before a write.

    All registers are bit sets. `effects` are the old values that the bundle at each address reads,
    and those that it writes; those `at_end` are read where the program ends.
    """
    count = len(effects)
    # Behind the last address there is one more for the end.
    before = [0] * count + [at_end]
    behind = [0] * count
    backwards = [
        (n, *effects[n], [min(each, count) for each in successors[n]] or [count])
        for n in range(count - 1, -1, -1)
    ]
    heads = {each for n, following in enumerate(successors) for each in following if each <= n}
    is_stable = False
    while not is_stable:
        is_stable = True
        for address, old, writes, following in backwards:
            live = before[following[0]]
            for each in following[1:]:
                live |= before[each]
            behind[address] = live
            needed = old | (live & ~writes)
            if before[address] != needed:
                before[address] = needed
                is_stable = is_stable and address not in heads
    return behind
