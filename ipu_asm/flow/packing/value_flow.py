"""Which write each read sees, when bundles are executed: the values, without any data."""

from __future__ import annotations

from typing import Mapping, Sequence

from ipu_asm.flow.packing.operations import Operation
from ipu_asm.flow.packing.pack import PackingError
from ipu_asm.flow.packing.possible_faults import FixedRequirement
from ipu_asm.named_tuple import NamedTuple

Name = tuple[int, ...]
"""The name of an instruction that is executed, such as its place in the source."""

Named = Sequence[Sequence[tuple[Name, Operation]]]
"""Bundles that are executed one after the other, with the names of their instructions."""


class Values(NamedTuple):
    """What instructions do, by their names.

    `seen` has the write that each read sees, `last` the last write of each resource, `accesses` the
    accesses of each memory in their order. `before` has what is done in earlier bundles: before a
    break everything, before a possible fault the stores; what several instructions require is
    named by that, and counts where the first does. `behind` is done behind a branch.
    """

    seen: Mapping[tuple[Name, str], Name | None]
    last: Mapping[str, Name]
    accesses: Mapping[str, Sequence[Name]]
    before: Mapping[Name | FixedRequirement, frozenset[Name]]
    behind: frozenset[Name]


def values_of(bundles: Named) -> Values:
    """Execute bundles with the names of instructions as values. Raises `PackingError`."""
    seen: dict[tuple[Name, str], Name | None] = {}
    last: dict[str, Name] = {}
    accesses: dict[str, list[Name]] = {}
    for bundle in bundles:
        for name, operation in sorted(bundle, key=lambda named: named[1].turn):
            for memory in operation.memories:
                accesses.setdefault(memory, []).append(name)
        for name, operation in bundle:
            for resource in operation.early_reads:
                seen[name, resource] = last.get(resource)
        written = [resource for _, operation in bundle for resource in operation.writes]
        if len(set(written)) < len(written):
            raise PackingError("two instructions of a bundle write the same register")
        for name, operation in bundle:
            last.update(dict.fromkeys(operation.writes, name))
        for name, operation in bundle:
            for resource in operation.live_reads:
                seen[name, resource] = last.get(resource)
    before, behind = _order(bundles)
    return Values(seen, last, accesses, before, behind)


def _order(
    bundles: Named,
) -> tuple[dict[Name | FixedRequirement, frozenset[Name]], frozenset[Name]]:
    """Return what is done before breaks and possible faults, and what is done behind branches."""
    before: dict[Name | FixedRequirement, frozenset[Name]] = {}
    behind: set[Name] = set()
    done: list[tuple[Name, Operation]] = []
    for bundle in bundles:
        if any(operation.is_branch for _, operation in done):
            behind.update(name for name, _ in bundle)
        for name, operation in bundle:
            if operation.is_break:
                before[name] = frozenset(place for place, _ in done)
            elif operation.may_fault or operation.requires:
                stores = frozenset(place for place, other in done if other.stores)
                if operation.may_fault:
                    before[name] = stores
                for required in operation.requires:
                    before.setdefault(required, stores)
        done += bundle
    return before, frozenset(behind)
