"""Reads and writes of registers bundle by bundle, the order of bundles, and live registers.

Inside a bundle, a *live* read sees what another instruction of the bundle writes; any other read
sees the value from before the bundle.
"""

from __future__ import annotations

from typing import Mapping, NamedTuple, Sequence

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.diagnostics import Severity
from ipu_asm.flow.accesses import LIVE, accesses_of
from ipu_asm.flow.reachability import falls_through
from ipu_asm.isa.model import Isa
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
    targets = {reference.bundle: reference.target for reference in program.references}
    found: list[Sequence[int]] = []
    for address, number in enumerate(program.bundle_at_address):
        flow, target = program.bundles[number].flow, targets.get(number)
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
    effects: Sequence[BundleReads],
    successors: Sequence[Sequence[int]],
    at_end: frozenset[str],
) -> Sequence[frozenset[str]]:
    """Return the registers that are live behind each address: some path reads them before a write.

    `effects` are those of the bundle at each address. Those `at_end` are read where the program
    ends.
    """
    count = len(effects)
    before: dict[int, frozenset[str]] = {}
    behind: list[frozenset[str]] = [frozenset()] * count
    is_stable = False
    while not is_stable:
        is_stable = True
        for address in range(count - 1, -1, -1):
            live = _joined(before, successors[address], count, at_end)
            old, _, writes = effects[address]
            needed = old | (live - writes)
            behind[address] = live
            if before.get(address) != needed:
                before[address] = needed
                is_stable = False
    return behind


def _joined(
    before: Mapping[int, frozenset[str]],
    following: Sequence[int],
    count: int,
    at_end: frozenset[str],
) -> frozenset[str]:
    if not following:
        return at_end
    found = [before.get(each, frozenset()) if each < count else at_end for each in following]
    return found[0].union(*found[1:])
