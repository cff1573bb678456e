"""Bundles in their places: addresses, labels, references, and what is wrong between bundles."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import cached_property, wraps
from itertools import accumulate
from typing import Any, Callable, Iterator, NamedTuple, TypeVar

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.bundle.invalid_utf8 import is_broken_by_bytes, is_undecodable, undecodable_byte
from ipu_asm.bundle.parser import parser_for
from ipu_asm.diagnostics import Diagnostic, RelatedInformation, UnplacedFinding
from ipu_asm.diagnostics.errors import DUPLICATE_LABEL, PROGRAM_TOO_LARGE, SYNTAX_ERROR
from ipu_asm.isa.model import Isa
from ipu_asm.isa.operands import quoted
from ipu_asm.program.bundle_diff import BundleDiff, Slices, read_slices
from ipu_asm.program.incremental_cache import IncrementalCache, LocalResult, Test
from ipu_asm.program.labels import (
    MOST_SUGGESTIONS,
    Reference,
    References,
    Repeated,
    are_labelled_alike,
    is_labelled,
    joined,
    names_labels,
    read_labels,
)
from ipu_asm.program.macros import NO_MACROS, Macros, read_macros, tells, without_foreign_names
from ipu_asm.program.unread import no_text, outside_comments
from ipu_asm.text import Change, Span

_T = TypeVar("_T")


class _Holds(NamedTuple):
    """What is as it was in the earlier state, apart from the numbers of the bundles."""

    labels: bool
    macros: bool
    addresses: bool


class Program:
    """A whole text in an instruction set. Nothing in it changes after it is made."""

    def __init__(
        self,
        isa: Isa,
        slices: Slices,
        before: Program | None = None,
        kept: BundleDiff | None = None,
    ) -> None:
        self.isa = isa
        self.slices = slices
        self.text = slices.text
        self.starts = slices.starts
        self.bundles = slices.bundles
        # Results of `cached_on_program` by function.
        self.memo: dict[Callable[[Program], Any], Any] = {}
        earlier = before._cache if before else None
        self._cache: IncrementalCache = IncrementalCache(isa, self.bundles, kept, earlier)
        moved = before.macros.moved(kept) if before is not None and kept is not None else None
        self.macros: Macros = self._read_macros(before, kept, moved)
        if before is None or kept is None:
            self.addresses = [0, *accumulate([bundle.size for bundle in self.bundles])]
            self._labels = read_labels(isa, self.bundles, self.where(is_labelled))
            self.references = self._all_references()
            self._faulty = self._told(False)
        else:
            self._take_over(before, kept, self.macros == moved)
        findings = list(self._findings())
        if "/*" in self.text and not isa.surface.block_comments:
            findings = outside_comments(self.text, findings, self._end_of_bundle)
        no_source = no_text(self.text, findings)
        self.is_text = no_source is None
        self.findings = findings if no_source is None else [no_source]

    def _read_macros(
        self, before: Program | None, kept: BundleDiff | None, moved: Macros | None
    ) -> Macros:
        """The macros; `moved` are those of the earlier state, had the edit changed none of them."""
        if not self.isa.surface.preprocessed:
            return NO_MACROS
        if before is not None and kept is not None and moved is not None:
            changed = before.bundles[kept.head : kept.old_tail]
            changed += self.bundles[kept.head : kept.tail]
            # A region without an end grows with the text.
            is_open = any(r.last == len(before.bundles) for r in before.macros.regions[-1:])
            if not is_open and not any(tells(self.isa, bundle) for bundle in changed):
                return moved
        return read_macros(self._chosen(tells), len(self.bundles))

    def _take_over(self, before: Program, kept: BundleDiff, macros_hold: bool) -> None:
        """Read what is not as it was in the earlier state."""
        self.addresses = _addresses_after(before.addresses, self.bundles, kept)
        holds = self._holds(before, kept, macros_hold)
        if holds.labels:
            self._labels = before._labels.moved(kept)
        else:
            self._labels = read_labels(self.isa, self.bundles, self.where(is_labelled))
        self._cache.holds = holds.labels and holds.macros
        self.references = self._references_after(before, kept) if all(holds) else []
        if not self.references:
            self.references = self._all_references()
        self._faulty = self._told(holds.macros)

    def _holds(self, before: Program, kept: BundleDiff, macros_hold: bool) -> _Holds:
        fresh = slice(kept.head, kept.tail)
        gone = slice(kept.head, kept.old_tail)
        stays = self.addresses[kept.tail] == before.addresses[kept.old_tail]
        if not kept.moved:  # only then may labels stand among the bundles that changed
            stays = stays and self.addresses[fresh] == before.addresses[gone]
        return _Holds(
            are_labelled_alike(before.bundles[gone], self.bundles[fresh]),
            macros_hold,
            stays,
        )

    @property
    def size(self) -> int:
        """How many addresses the program takes."""
        return self.addresses[-1]

    @property
    def labels(self) -> dict[str, int]:
        """The bundle in which each label is defined."""
        return self._labels.bundles

    @property
    def numeric_labels(self) -> dict[str, list[int]]:
        """The bundles in which each label is defined that may be defined many times."""
        return self._labels.numeric

    @cached_property
    def notable(self) -> list[tuple[int, Bundle]]:
        """Bundles with a label, a label operand, a directive or a finding, with their numbers."""
        return self._chosen(_is_notable)

    @cached_property
    def directives(self) -> list[tuple[int, Bundle]]:
        """The bundles that are directives, with their numbers."""
        return self._chosen(_is_directive)

    @cached_property
    def label_addresses(self) -> dict[str, int]:
        """The address that each label stands for."""
        addresses = self.addresses
        return {label: addresses[number] for label, number in self.labels.items()}

    @cached_property
    def bundle_at_address(self) -> list[int]:
        """The number of the bundle at each address."""
        return [number for number, bundle in enumerate(self.bundles) if bundle.size]

    def bundle_at(self, offset: int) -> int:
        """The number of the bundle whose slice holds an offset."""
        return max(0, min(bisect_right(self.starts, offset), len(self.bundles)) - 1)

    def number_at(self, address: int) -> int:
        """The number of the bundle at an address of the program."""
        return bisect_right(self.addresses, address) - 1

    def span(self, bundle: int, span: Span) -> Span:
        """A span of a bundle's text, in the file."""
        return span.shifted(self.starts[bundle])

    def label_span(self, label: str) -> Span:
        """Where a label is defined."""
        number = self.labels[label]
        return self.span(number, self.bundles[number].syntax.label_span(label))

    def reference_span(self, reference: Reference) -> Span:
        """Where the label of a label operand stands."""
        use = reference.use
        bundle = self.bundles[reference.bundle]
        return self.span(reference.bundle, bundle.value_span(use.instruction, use.operand))

    def references_of(self, bundle: int) -> list[Reference]:
        """The label operands of one bundle."""
        first = bisect_left(self.references, bundle, key=lambda reference: reference.bundle)
        return self.references[first : first + len(self.bundles[bundle].label_uses)]

    def where(self, test: Test) -> list[int]:
        """The numbers of the bundles for which a test holds that looks at nothing else.

        After an edit only new bundles are tested, for the same test.
        """
        return self._cache.where(test)

    def per_bundle(
        self, work: Callable[[Program, int], LocalResult[_T]], number: int, of_bundles: bool = False
    ) -> _T:
        """What some work finds out about a bundle and those around it.

        After an edit that changed nothing of what it looked at it is not done again. It may look
        at labels and macros of the whole text, but at no offset and no address. Work that looks
        `of_bundles` alone is not done again when labels or macros elsewhere have changed.
        """
        return self._cache.lookup(work, self, number, of_bundles)

    def _chosen(self, test: Test) -> list[tuple[int, Bundle]]:
        bundles = self.bundles
        return [(number, bundles[number]) for number in self.where(test)]

    def _all_references(self) -> list[Reference]:
        return self._read_references(self.where(names_labels))

    def _read_references(self, numbers: list[int]) -> list[Reference]:
        labels, numeric = self.label_addresses, self.numeric_labels
        return References(self.bundles, self.addresses, labels, numeric).read(numbers)

    def _references_after(self, before: Program, kept: BundleDiff) -> list[Reference]:
        """The references where labels stayed where they were; none if they must be read again."""
        naming = [number for number in kept.fresh if self.bundles[number].label_uses]
        fresh = self._read_references(naming) if naming else []
        references = joined(before.references, fresh, kept)
        unknown = sum([each.problem is not None for each in references])
        return references if unknown <= MOST_SUGGESTIONS else []

    def _told(self, hold: bool) -> list[int]:
        """The bundles with findings that no macro excuses; `hold` if macros are what they were."""
        faulty = self.where(_has_findings)
        return self._cache.among("faulty", faulty, lambda n: bool(self._unexcused(n)), hold)

    def _unexcused(self, number: int) -> list[Diagnostic]:
        """What is wrong with a bundle, if no macro makes it right."""
        macros, bundle = self.macros, self.bundles[number]
        if macros.reads_files and bundle.hangs_on_names:
            return []
        findings = [each for each in bundle.findings if not macros.excuse(each, number)]
        if findings and any(macros.define(each.mnemonic) for each in bundle.instructions):
            return []
        return findings

    def _findings(self) -> Iterator[Diagnostic]:
        """All that is wrong, apart from what rules find."""
        starts, faulty = self.starts, self._faulty
        undecodable = self.where(is_undecodable)
        if undecodable:
            first = undecodable[0]
            yield undecodable_byte(self.bundles[first]).shifted(starts[first])
            faulty = [n for n in faulty if not is_broken_by_bytes(self.bundles[n])]
        found = [each.shifted(starts[n]) for n in faulty for each in self._unexcused(n)]
        for repeated in self._labels.repeated:
            found += self._duplicates(repeated)
        found += map(self._distance, self._labels.distances)
        yield from without_foreign_names(found) if self.isa.surface.preprocessed else found
        for reference in self.references:
            if reference.problem is not None:
                yield from self._unresolved(reference, reference.problem)
        yield from self._excess()

    def _end_of_bundle(self, offset: int) -> int:
        number = self.bundle_at(offset)
        return self.starts[number] + len(self.bundles[number].syntax.text)

    def _duplicates(self, repeated: Repeated) -> Iterator[Diagnostic]:
        label, number, token = repeated
        if self.macros.region_of(number) or self.macros.region_of(self.labels[label]):
            return
        if self.macros.define(label):
            return
        span = self.span(number, self.bundles[number].syntax.span_of(token, token + 1))
        first = RelatedInformation(self.label_span(label), f"{quoted(label)} is defined here first")
        message = f"a label is defined once, found a second definition of {quoted(label)}"
        yield Diagnostic(DUPLICATE_LABEL, message, span, (first,))

    def _distance(self, label: str) -> Diagnostic:
        message = f"an operand {quoted(label)} is always a distance, so no label can be called that"
        return Diagnostic(SYNTAX_ERROR, message, self.label_span(label))

    def _unresolved(self, reference: Reference, problem: UnplacedFinding) -> Iterator[Diagnostic]:
        if problem.unless and (self.macros.make_labels or self.macros.make(problem.unless)):
            return
        yield problem.at(self.reference_span(reference))._replace(unless=())

    def _excess(self) -> Iterator[Diagnostic]:
        limit = self.isa.program_limit
        if self.size > limit:
            number = self.number_at(limit)
            message = f"instruction memory holds {limit} {self.isa.unit}s, found {self.size}"
        elif self.size == limit and self.bundles[self.number_at(limit - 1)].open_slots:
            number = self.number_at(limit - 1)
            slot = self.bundles[number].open_slots[0]
            message = (
                f"the last bundle of instruction memory needs an instruction for slot "
                f"`{slot.name}`: its no-op would go on at address {limit}"
            )
        else:
            return
        span = self.span(number, self.bundles[number].first_token)
        yield Diagnostic(PROGRAM_TOO_LARGE, message, span)


def cached_on_program(function: Callable[[Program], _T]) -> Callable[[Program], _T]:
    """Compute a function of a program once; the program holds the result.

    The result must not refer to the program, which is then freed with its last reference.
    """

    @wraps(function)
    def cached(program: Program) -> _T:
        if function not in program.memo:
            program.memo[function] = function(program)
        found: _T = program.memo[function]
        return found

    return cached


def read_program(
    isa: Isa,
    text: str,
    read: Callable[[str], Bundle] | None = None,
    before: Program | None = None,
    change: Change | None = None,
) -> Program:
    """The program of a text; `read` may remember bundles, `before` is an earlier state of it.

    `change` is how `text` came out of that state, if it is known.
    """
    read = read or parser_for(isa).bundle
    slices, kept = read_slices(isa, text, read, before.slices if before else None, change)
    return Program(isa, slices, before, kept)


def _addresses_after(old: list[int], bundles: list[Bundle], kept: BundleDiff) -> list[int]:
    sizes = [bundle.size for bundle in bundles[kept.head : kept.tail]]
    head, fresh = old[: kept.head], [*accumulate(sizes, initial=old[kept.head])]
    behind, moved = old[kept.old_tail + 1 :], fresh[-1] - old[kept.old_tail]
    if moved:
        behind = [address + moved for address in behind]
    return head + fresh + behind


def _is_notable(_isa: Isa, bundle: Bundle) -> bool:
    return bundle.is_notable


def _is_directive(_isa: Isa, bundle: Bundle) -> bool:
    return bundle.directive is not None


def _has_findings(_isa: Isa, bundle: Bundle) -> bool:
    return bool(bundle.findings)
