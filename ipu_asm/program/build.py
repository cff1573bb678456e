"""Construction of the program of a text, from scratch or from the program of an earlier state."""

from __future__ import annotations

from itertools import accumulate
from typing import Callable, Sequence

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.bundle.parser import parser_for
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.bundle_diff import BundleDiff, SlicedText, read_slices
from ipu_asm.program.findings import add_findings
from ipu_asm.program.incremental_cache import IncrementalCache
from ipu_asm.program.labels import (
    MOST_SUGGESTIONS,
    Labels,
    Reference,
    References,
    are_labelled_alike,
    is_labelled,
    merge_references,
    names_labels,
    read_labels,
)
from ipu_asm.program.macros import NO_MACROS, Macros, affects, read_macros
from ipu_asm.program.program import Program, ProgramLayout
from ipu_asm.program.refused_constants import defines_constants, refused_constants
from ipu_asm.text import Change, listed, offsets


def read_program(
    isa: Isa,
    text: str,
    read: Callable[[str], Bundle] | None = None,
    before: Program | None = None,
    change: Change | None = None,
) -> Program:
    """Build the program of a text, reusing parts of `before`, the program of an earlier state.

    `read` parses the text of a bundle and may cache. `change` is the edit from the earlier text to
    this one, if known.
    """
    read = read or parser_for(isa).bundle
    slices, diff = read_slices(isa, text, read, before.slices if before else None, change)
    if before is None or diff is None:
        return _from_scratch(isa, slices)
    return _after_edit(slices, before, diff)


def _from_scratch(isa: Isa, slices: SlicedText) -> Program:
    bundles, cache = slices.bundles, IncrementalCache(isa, slices.bundles)
    macros = _all_macros(isa, bundles, cache)
    addresses = offsets(accumulate([bundle.size for bundle in bundles], initial=0), slices.text)
    labels = read_labels(isa, bundles, cache.where(is_labelled))
    references = _all_references(bundles, addresses, labels, cache)
    program = Program(isa, slices, ProgramLayout(addresses, labels, references), macros, cache)
    return add_findings(program, same_macros=False)


def _after_edit(slices: SlicedText, before: Program, diff: BundleDiff) -> Program:
    isa, bundles = before.isa, slices.bundles
    cache = IncrementalCache(isa, bundles, diff, before.cache)
    moved = before.macros.moved(diff)
    macros = _macros_after(moved, bundles, cache, before, diff)
    old = listed(before.addresses)
    addresses = _addresses_after(old, bundles, diff)
    same = _same_parts(before, bundles, old, addresses, diff)
    if same.labels:
        labels = before.layout.labels.moved(diff)
    else:
        labels = read_labels(isa, bundles, cache.where(is_labelled))
    same_macros = macros == moved
    cache.same_names = same.labels and same_macros
    references: list[Reference] = []
    if all(same) and same_macros:
        references = _references_after(before.references, bundles, addresses, labels, diff)
    references = references or _all_references(bundles, addresses, labels, cache)
    program = Program(isa, slices, ProgramLayout(addresses, labels, references), macros, cache)
    return add_findings(program, same_macros)


class _Same(NamedTuple):
    """What is unchanged since the earlier state, apart from bundle numbers."""

    labels: bool
    addresses: bool


def _same_parts(
    before: Program,
    bundles: list[Bundle],
    old_addresses: list[int],
    addresses: list[int],
    diff: BundleDiff,
) -> _Same:
    fresh = slice(diff.head, diff.tail)
    gone = slice(diff.head, diff.old_tail)
    same_addresses = addresses[diff.tail] == old_addresses[diff.old_tail]
    if not diff.moved:  # only then may the changed bundles have labels
        same_addresses = same_addresses and addresses[fresh] == old_addresses[gone]
    old = [before.bundles[number] for number in diff.replaced]
    new = [bundles[number] for number in diff.inserted]
    return _Same(are_labelled_alike(old, new), same_addresses)


def _all_macros(isa: Isa, bundles: Sequence[Bundle], cache: IncrementalCache) -> Macros:
    if not isa.surface.preprocessed:
        defining = [bundles[n] for n in cache.where(defines_constants)]
        return NO_MACROS._replace(refused=refused_constants(isa, defining))
    return read_macros([(n, bundles[n]) for n in cache.where(affects)], len(bundles))


def _macros_after(
    moved: Macros,
    bundles: list[Bundle],
    cache: IncrementalCache,
    before: Program,
    diff: BundleDiff,
) -> Macros:
    """Return the macros; `moved` are those of the earlier state with current bundle numbers."""
    isa = before.isa
    changed = [before.bundles[number] for number in diff.replaced]
    changed += [bundles[number] for number in diff.inserted]
    # An unclosed region extends to the end of the text, and what is put there is in it.
    is_at_end = diff.old_tail == len(before.bundles)
    is_open = is_at_end and any(r.last == diff.old_tail for r in before.macros.regions[-1:])
    is_cause = affects if isa.surface.preprocessed else defines_constants
    if (is_open and isa.surface.preprocessed) or any(is_cause(isa, each) for each in changed):
        return _all_macros(isa, bundles, cache)
    return moved


def _addresses_after(old: list[int], bundles: list[Bundle], diff: BundleDiff) -> list[int]:
    sizes = [bundle.size for bundle in bundles[diff.head : diff.tail]]
    head, fresh = old[: diff.head], [*accumulate(sizes, initial=old[diff.head])]
    behind, moved = old[diff.old_tail + 1 :], fresh[-1] - old[diff.old_tail]
    if moved:
        behind = [address + moved for address in behind]
    return head + fresh + behind


def _all_references(
    bundles: list[Bundle], addresses: Sequence[int], labels: Labels, cache: IncrementalCache
) -> list[Reference]:
    return References(bundles, addresses, labels).read(cache.where(names_labels))


def _references_after(
    old: list[Reference],
    bundles: list[Bundle],
    addresses: list[int],
    labels: Labels,
    diff: BundleDiff,
) -> list[Reference]:
    """Return the references if labels have not moved; empty if they must be resolved again."""
    naming = [number for number in diff.inserted if bundles[number].label_uses]
    fresh = References(bundles, addresses, labels).read(naming) if naming else []
    references = merge_references(old, fresh, diff)
    unknown = sum([each.problem is not None for each in references])
    return references if unknown <= MOST_SUGGESTIONS else []
