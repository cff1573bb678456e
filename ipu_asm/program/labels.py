"""Labels of a text, and operands that refer to them."""

from __future__ import annotations

from bisect import bisect_right
from typing import Sequence

from ipu_asm.bundle.bundle import Bundle, LabelUse
from ipu_asm.diagnostics import UnplacedFinding
from ipu_asm.diagnostics.suggestions import intended_of
from ipu_asm.isa.model import Isa
from ipu_asm.isa.operands import number_value
from ipu_asm.named_tuple import NamedTuple

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
