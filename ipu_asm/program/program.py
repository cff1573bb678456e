"""A program: the bundles of a text at their addresses, with labels and references."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import cached_property, wraps
from typing import Any, Callable, Mapping, Sequence, TypeVar

from ipu_asm.bundle.bundle import Bundle, LabelUse
from ipu_asm.config.host_configurations import NO_HOSTS, Hosts
from ipu_asm.diagnostics import Diagnostic, UnplacedFinding
from ipu_asm.diagnostics.suggestions import intended_of
from ipu_asm.isa.model import Isa
from ipu_asm.isa.operands import number_value
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.edits import IncrementalCache, LocalResult, SlicedText, Test
from ipu_asm.program.macros import Macros
from ipu_asm.source.templates import TemplateComment
from ipu_asm.text import Span

# Finding similar names costs a scan of all labels: only the first undefined labels get one.
MAX_SUGGESTIONS = 20


class DuplicateLabel(NamedTuple):
    """A repeated definition of a label: its bundle and its token."""

    label: str
    bundle: int
    token: int


class Labels(NamedTuple):
    """Definitions of labels, by bundle number.

    `numeric` labels may be defined several times; references mean the nearest. `distances` are
    labels that no operand can refer to, because they are read as a distance.
    """

    bundles: dict[str, int]
    numeric: dict[str, list[int]]
    repeated: tuple[DuplicateLabel, ...] = ()
    distances: tuple[str, ...] = ()


class Reference(NamedTuple):
    """A label operand: its bundle, its position in it, and its address, None if unknown.

    `problem` is the finding about it, if it has one.
    """

    bundle: int
    use: LabelUse
    text: str
    target: int | None
    problem: UnplacedFinding | None = None


def is_labelled(_isa: Isa, bundle: Bundle) -> bool:
    return bundle.label is not None


def names_labels(_isa: Isa, bundle: Bundle) -> bool:
    return bool(bundle.label_uses)


def is_local(isa: Isa, label: str) -> bool:
    """Check whether a label is internal to its function: a number, or with the local prefix."""
    surface = isa.surface
    if surface.numeric_labels and label.isdigit():
        return True
    return bool(surface.local_prefix) and label.startswith(surface.local_prefix)


def read_labels(isa: Isa, bundles: Sequence[Bundle], labelled: Sequence[int]) -> Labels:
    """Collect the labels that the bundles with numbers `labelled` define."""
    found, numeric = dict[str, int](), dict[str, list[int]]()
    repeated, distances = list[DuplicateLabel](), list[str]()
    has_numeric = isa.surface.numeric_labels
    for number in labelled:
        for label, token in bundles[number].syntax.labels:
            if has_numeric and label.isdigit():
                numeric.setdefault(label, []).append(number)
            elif label in found:
                repeated.append(DuplicateLabel(label, number, token))
            else:
                found[label] = number
                if label[0] == "+" and number_value(label) is not None:
                    distances.append(label)
    return Labels(found, numeric, tuple(repeated), tuple(distances))


def are_labelled_alike(old: Sequence[Bundle], new: Sequence[Bundle]) -> bool:
    """Return whether bundles define the same labels as those that they replace."""
    if len(old) == len(new):
        return all(a.syntax.labels == b.syntax.labels for a, b in zip(old, new))
    return all(bundle.label is None for bundle in (*old, *new))


class References:
    """Resolves label operands to addresses."""

    def __init__(self, bundles: Sequence[Bundle], addresses: Sequence[int], labels: Labels) -> None:
        self._bundles = bundles
        self._addresses = addresses
        self._labels = {label: addresses[number] for label, number in labels.bundles.items()}
        self._numeric = labels.numeric
        self._suggestions = iter(range(MAX_SUGGESTIONS))

    def read(self, numbers: Sequence[int]) -> list[Reference]:
        """Resolve the label operands of some bundles."""
        bundles, addresses, labels = self._bundles, self._addresses, self._labels
        numeric, nearest = self._numeric, self._nearest
        found: list[Reference] = []
        for number in numbers:
            bundle = bundles[number]
            for use in bundle.label_uses:
                instruction = bundle.instructions[use.instruction]
                operand, text = instruction.operands[use.operand], instruction.values[use.operand]
                assert operand is not None
                assert isinstance(text, str)
                target: int | UnplacedFinding | None = None
                if numeric and text[-1] in "bf":
                    target = self._numeric_target(number, text)
                if target is None:
                    target = operand.type.resolve(text, addresses[number], labels, nearest)
                if isinstance(target, UnplacedFinding):
                    found.append(Reference(number, use, text, None, target))
                else:
                    found.append(Reference(number, use, text, target))
        return found

    def _nearest(self, text: str) -> str | None:
        if next(self._suggestions, None) is None:
            return None
        return intended_of(text, self._labels)

    def _numeric_target(self, bundle: int, text: str) -> int | None:
        """Return the address of ``1b`` or ``2f``: the nearest such label backward or forward."""
        numbers = self._numeric.get(text[:-1], ())
        at = bisect_right(numbers, bundle)
        at = at if text[-1] == "f" else at - 1
        return self._addresses[numbers[at]] if 0 <= at < len(numbers) else None


_T = TypeVar("_T")


class ProgramLayout(NamedTuple):
    """The address of each bundle, followed by the end address, and the labels."""

    addresses: Sequence[int]
    labels: Labels
    references: list[Reference]


class Program:
    """A whole text in an instruction set, built by `read_program`. Immutable."""

    def __init__(
        self,
        isa: Isa,
        slices: SlicedText,
        layout: ProgramLayout,
        macros: Macros,
        cache: IncrementalCache,
    ) -> None:
        self.isa = isa
        self.slices = slices
        self.text = slices.text
        self.starts = slices.starts
        self.bundles = slices.bundles
        self.layout = layout
        self.addresses = layout.addresses
        self.references = layout.references
        # The bundle that defines each label, and the bundles that define each numeric label.
        self.labels = layout.labels.bundles
        self.numeric_labels = layout.labels.numeric
        self.macros = macros
        self.cache = cache
        # All findings except those of rules, and whether the source is text rather than binary.
        self.findings: list[Diagnostic] = []
        self.is_text = True
        # The values of registers that the host sets before a run, by name: those given for this
        # run, and before these count the others of each configuration.
        self.presets: Mapping[str, int] = {}
        self.configurations: tuple[Mapping[str, int], ...] = ()
        # What launches and tests say of the others: shown by editors, no finding depends on it.
        self.hosts: Hosts = NO_HOSTS
        # Comments of the template that the text is an expansion of.
        self.template_comments: tuple[TemplateComment, ...] = ()
        # Results of `cached_on_program`, by function.
        self.memo: dict[Callable[[Program], Any], Any] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled: everything but cached results, which are computed again."""
        return {**vars(self), "memo": {}, "cache": IncrementalCache(self.isa, self.bundles)}

    @property
    def size(self) -> int:
        return self.addresses[-1]

    @cached_property
    def notable(self) -> list[tuple[int, Bundle]]:
        """Bundles with a label, a label operand, a directive or a finding, with their numbers."""
        return [(number, self.bundles[number]) for number in self.where(_is_notable)]

    @cached_property
    def directives(self) -> list[tuple[int, Bundle]]:
        return [(number, self.bundles[number]) for number in self.where(_is_directive)]

    @cached_property
    def label_addresses(self) -> dict[str, int]:
        addresses = self.addresses
        return {label: addresses[number] for label, number in self.labels.items()}

    @cached_property
    def bundle_at_address(self) -> list[int]:
        """The number of the bundle at each address; an alignment may have several addresses."""
        numbers = [number for number, bundle in enumerate(self.bundles) if bundle.size]
        if len(numbers) == self.size:
            return numbers
        return [number for number in numbers for _ in range(self.bundles[number].size)]

    def bundle_at(self, offset: int) -> int:
        """Return the number of the bundle whose slice contains an offset."""
        return max(0, min(bisect_right(self.starts, offset), len(self.bundles)) - 1)

    def number_at(self, address: int) -> int:
        return bisect_right(self.addresses, address) - 1

    def span(self, bundle: int, span: Span) -> Span:
        """Convert a span in a bundle's text to one in the file."""
        return span.shifted(self.starts[bundle])

    def label_span(self, label: str) -> Span:
        number = self.labels[label]
        return self.span(number, self.bundles[number].syntax.label_span(label))

    def reference_span(self, reference: Reference) -> Span:
        """Return the span of the label in a label operand."""
        use = reference.use
        bundle = self.bundles[reference.bundle]
        return self.span(reference.bundle, bundle.value_span(use.instruction, use.operand))

    def references_of(self, bundle: int) -> list[Reference]:
        first = bisect_left(self.references, bundle, key=lambda reference: reference.bundle)
        return self.references[first : first + len(self.bundles[bundle].label_uses)]

    def where(self, test: Test) -> list[int]:
        """Return the numbers of the bundles for which a test of the bundle alone holds.

        After an edit only new bundles are tested.
        """
        return self.cache.where(test)

    def per_bundle(
        self, work: Callable[[Program, int], LocalResult[_T]], number: int, of_bundles: bool = False
    ) -> _T:
        """Return the result of `work` for a bundle and its neighbours, reused across edits.

        It is computed again after an edit of a bundle that it looked at. It may depend on labels
        and macros of the whole text, but on no offset and no address; with `of_bundles` it does not
        depend on labels and macros either.
        """
        return self.cache.lookup(work, self, number, of_bundles)


def cached_on_program(function: Callable[[Program], _T]) -> Callable[[Program], _T]:
    """Cache a function's result in the program.

    The result must not refer to the program, or the program would not be freed with its last
    reference.
    """

    @wraps(function)
    def cached(program: Program) -> _T:
        if function not in program.memo:
            program.memo[function] = function(program)
        found: _T = program.memo[function]
        return found

    return cached


def _is_notable(_isa: Isa, bundle: Bundle) -> bool:
    return bundle.is_notable


def _is_directive(_isa: Isa, bundle: Bundle) -> bool:
    return bundle.directive is not None


def distance(bundles: int) -> str:
    """Return a distance in source form, with its sign."""
    return f"{bundles:+d}"


def is_distance(program: Program, reference: Reference) -> bool:
    """Check whether a resolved label operand is written as a distance, not as a label."""
    nowhere: dict[str, int] = {}
    address = program.addresses[reference.bundle]
    return resolve_target(program, reference, reference.text, address, nowhere) == reference.target


def resolve_target(
    program: Program, reference: Reference, text: str, address: int, labels: Mapping[str, int]
) -> int | None:
    """Return the target that `text` would have in place of a label operand; None if it has none."""
    use = reference.use
    operand = program.bundles[reference.bundle].instructions[use.instruction].operands[use.operand]
    if operand is None:
        return None
    target = operand.type.resolve(text, address, labels, lambda _: None)
    return None if isinstance(target, UnplacedFinding) else target
