"""Bundles in their places: addresses, labels, references, and what is wrong between bundles."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Callable, Iterable, Iterator, NamedTuple

from ipu_asm.bundle import Bundle, LabelUse
from ipu_asm.diagnostics import Diagnostic, Fix, Problem, RelatedInformation
from ipu_asm.errors import DUPLICATE_LABEL, PROGRAM_TOO_LARGE, SYNTAX_ERROR
from ipu_asm.isa.model import Isa
from ipu_asm.isa.operands import number_value, quoted
from ipu_asm.macros import NO_MACROS, Macros, read_macros, without_foreign_names
from ipu_asm.resolve import resolver_for
from ipu_asm.spelling import nearest_of
from ipu_asm.text import Change, Span, TextEdit, changed_stretch

_BYTE_ORDER_MARK = "\ufeff"
# Looking for near names costs a look at every label; a file full of undefined ones gets a few.
_MOST_SUGGESTIONS = 20


class Slices(NamedTuple):
    """A text cut into bundle slices: `starts[i]` is where slice i begins, the last entry the end.

    A byte-order mark at the start of the text belongs to no slice.
    """

    text: str
    starts: list[int]
    bundles: list[Bundle]


class Reference(NamedTuple):
    """A label operand: its bundle and place in it, and the address, None if it has none."""

    bundle: int
    use: LabelUse
    text: str
    target: int | None


def read_slices(
    isa: Isa,
    text: str,
    read: Callable[[str], Bundle],
    before: Slices | None = None,
    change: Change | None = None,
) -> Slices:
    """Cut `text` into bundles and read each. What `before` has in common is not read again.

    `change` is how `text` came out of `before`, if that is known.
    """
    grammar = resolver_for(isa).grammar
    cut = grammar.ends_of_slices
    if before is not None and change is None:
        change = changed_stretch(before.text, text)
    if before is None or change is None or change.start == 0:
        starts = [1 if text.startswith(_BYTE_ORDER_MARK) else 0]
        starts += cut(text, starts[0])
        return Slices(text, starts, [read(text[a:b]) for a, b in pairwise(starts)])
    first, fresh, rest = _recut(cut, text, before.starts, change, 1 + grammar.looks_ahead)
    cuts = [before.starts[first], *fresh]
    bundles = [read(text[start:end]) for start, end in zip(cuts, fresh)]
    tail = before.starts[rest + 1 :]
    delta = change.new_end - change.old_end
    if delta:
        tail = [start + delta for start in tail]
    return Slices(
        text,
        before.starts[: first + 1] + fresh + tail,
        before.bundles[:first] + bundles + before.bundles[rest:],
    )


def _recut(
    cut: Callable[[str, int], Iterable[int]],
    text: str,
    old: list[int],
    change: Change,
    back: int,
) -> tuple[int, list[int], int]:
    """The first slice to read anew, the ends of the new slices, the first old slice that stays.

    Every slice begins outside comments, so where old and new cuts meet behind the change, they
    stay together. The slice with the character before the change is cut anew: its end mark may
    have grown; with `back` 2 also the one before that.
    """
    first = min(max(bisect_right(old, change.start - 1) - back, 0), len(old) - 2)
    delta = change.new_end - change.old_end
    fresh: list[int] = []
    for end in cut(text, old[first]):
        fresh.append(end)
        if end >= change.new_end and end - delta > old[first]:
            met = bisect_right(old, end - delta) - 1
            if old[met] == end - delta:
                return first, fresh, met
    return first, fresh, len(old) - 1


class Program:
    """A whole text in an instruction set. Nothing in it changes after it is made."""

    def __init__(self, isa: Isa, slices: Slices) -> None:
        self.isa = isa
        self.slices = slices
        self.text = slices.text
        self.starts = slices.starts
        self.bundles = slices.bundles
        self.addresses = [0, *accumulate([bundle.size for bundle in slices.bundles])]
        # Bundles with a label, a label operand or a finding, with their numbers: most have none.
        self.notable = [(i, bundle) for i, bundle in enumerate(slices.bundles) if bundle.is_notable]
        self.findings: list[Diagnostic] = []
        self.labels: dict[str, int] = {}
        self.numeric_labels: dict[str, list[int]] = {}
        self._read_labels()
        self.references = self._read_references()
        self._check_size()

    @property
    def size(self) -> int:
        """How many addresses the program takes."""
        return self.addresses[-1]

    @cached_property
    def directives(self) -> list[tuple[int, Bundle]]:
        """The bundles that are directives, with their numbers."""
        return [(number, bundle) for number, bundle in self._telling if bundle.directive]

    @cached_property
    def _telling(self) -> list[tuple[int, Bundle]]:
        """The bundles that are directives or have some between their braces."""
        return [(n, b) for n, b in self.notable if b.directive or b.syntax.plan.inner]

    @cached_property
    def macros(self) -> Macros:
        """What macros and a preprocessor may make of the text."""
        if not self.isa.surface.preprocessed:
            return NO_MACROS
        return read_macros(self._telling, len(self.bundles))

    @cached_property
    def leaving(self) -> list[int]:
        """The numbers of the bundles from which control goes elsewhere than to the next one."""
        return [number for number, bundle in enumerate(self.bundles) if bundle.leaves]

    @cached_property
    def label_addresses(self) -> dict[str, int]:
        """The address that each label stands for."""
        addresses = self.addresses
        return {label: addresses[bundle] for label, bundle in self.labels.items()}

    @cached_property
    def bundle_at_address(self) -> list[int]:
        """The number of the bundle at each address."""
        return [number for number, bundle in enumerate(self.bundles) if bundle.size]

    @cached_property
    def branches_back(self) -> dict[int, int]:
        """For each address that is branched back to, the last address from which it is."""
        found: dict[int, int] = {}
        for reference in self.references:
            source, target = self.addresses[reference.bundle], reference.target
            flow = self.bundles[reference.bundle].flow
            if target is not None and 0 <= target <= source and flow in ("branch", "jump"):
                found[target] = max(found.get(target, 0), source)
        return found

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
        return self.span(number, self.bundles[number].syntax.label_spans(label)[0])

    def reference_span(self, reference: Reference) -> Span:
        """Where the label of a label operand stands."""
        use = reference.use
        bundle = self.bundles[reference.bundle]
        return self.span(reference.bundle, bundle.value_span(use.instruction, use.operand))

    def references_of(self, bundle: int) -> list[Reference]:
        """The label operands of one bundle."""
        first = bisect_left(self.references, bundle, key=lambda reference: reference.bundle)
        return self.references[first : first + len(self.bundles[bundle].label_uses)]

    def _read_labels(self) -> None:
        for number, bundle in self.notable:
            if bundle.findings:
                self.findings += self._findings_of(number, bundle)
            if bundle.label is None:
                continue
            for label, token in bundle.syntax.labels:
                if self.isa.surface.numeric_labels and label.isdigit():
                    self.numeric_labels.setdefault(label, []).append(number)
                elif label in self.labels:
                    self._report_duplicate(label, number, token)
                else:
                    self.labels[label] = number
                    if label[0] == "+" and number_value(label) is not None:
                        self._report_distance(label)
        if self.isa.surface.preprocessed:
            self.findings = without_foreign_names(self.findings)

    def _findings_of(self, number: int, bundle: Bundle) -> Iterator[Diagnostic]:
        """What is wrong with a bundle, if no macro makes it right."""
        macros, start = self.macros, self.starts[number]
        if macros.reads_files and bundle.hangs_on_names:
            return
        findings = [each for each in bundle.findings if not macros.excuse(each, number)]
        if findings and any(macros.define(each.mnemonic) for each in bundle.instructions):
            return
        for finding in findings:
            yield finding.shifted(start)

    def _report_duplicate(self, label: str, number: int, token: int) -> None:
        if self.macros.region_of(number) or self.macros.region_of(self.labels[label]):
            return
        if self.macros.define(label):
            return
        span = self.span(number, self.bundles[number].syntax.span_of(token, token + 1))
        first = RelatedInformation(self.label_span(label), f"{quoted(label)} is defined here first")
        message = f"a label is defined once, found a second definition of {quoted(label)}"
        self.findings.append(Diagnostic(DUPLICATE_LABEL, message, span, (first,)))

    def _report_distance(self, label: str) -> None:
        message = f"an operand {quoted(label)} is always a distance, so no label can be called that"
        self.findings.append(Diagnostic(SYNTAX_ERROR, message, self.label_span(label)))

    def _read_references(self) -> list[Reference]:
        labels, addresses = self.label_addresses, self.addresses
        numeric = bool(self.numeric_labels)
        references = []
        suggestions = iter(range(_MOST_SUGGESTIONS))

        def nearest(text: str) -> str | None:
            return nearest_of(text, labels) if next(suggestions, None) is not None else None

        for number, bundle in self.notable:
            for use in bundle.label_uses:
                instruction = bundle.instructions[use.instruction]
                operand, text = instruction.operands[use.operand], instruction.values[use.operand]
                assert operand is not None
                assert isinstance(text, str)
                target: int | Problem | None
                target = self._numeric_target(number, text) if numeric else None
                if target is None:
                    target = operand.type.resolve(text, addresses[number], labels, nearest)
                if isinstance(target, Problem):
                    references.append(Reference(number, use, text, None))
                    self._report(references[-1], target)
                else:
                    references.append(Reference(number, use, text, target))
        return references

    def _numeric_target(self, bundle: int, text: str) -> int | None:
        """The address that ``1b`` or ``2f`` stands for: the nearest such label before or behind."""
        numbers = self.numeric_labels.get(text[:-1], ()) if text[-1] in "bf" else ()
        at = bisect_right(numbers, bundle)
        at = at if text[-1] == "f" else at - 1
        return self.addresses[numbers[at]] if 0 <= at < len(numbers) else None

    def _report(self, reference: Reference, problem: Problem) -> None:
        if problem.unless and (self.macros.make_labels or self.macros.make(problem.unless)):
            return
        span = self.reference_span(reference)
        message, fix = problem.message, None
        if problem.replacement is not None:
            message += f"; did you mean `{problem.replacement}`?"
            edit = TextEdit(span, problem.replacement)
            fix = Fix(f"replace by `{problem.replacement}`", (edit,))
        self.findings.append(Diagnostic(problem.kind, message, span, fix=fix))

    def _check_size(self) -> None:
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
        self.findings.append(Diagnostic(PROGRAM_TOO_LARGE, message, span))


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
    read = read or resolver_for(isa).bundle
    return Program(isa, read_slices(isa, text, read, before.slices if before else None, change))
