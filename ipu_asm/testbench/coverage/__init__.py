"""Coverage of kernels: lines, bundles, and branches taken and not, over any number of runs.

Counts of addresses are collected by the machine and lead back to written lines at the end. Bundles
that a template, a macro or an include has made of the same lines are copies: they are one written
bundle, whose executions are those of all copies. So is a branch in them. After this, read
`formats.py`.
"""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import Any, Iterable, Iterator, Mapping

from ipu_asm.named_tuple import NamedTuple

Line = tuple[str, int]
"""A line of a file, from 1, by the absolute path of the file."""


class Place(NamedTuple):
    """Where something was written: path of the file, line, and column, each from 1."""

    path: str
    line: int
    column: int


class WrittenBundle(NamedTuple):
    """A bundle at its first instruction, and the lines that its instructions are on."""

    place: Place
    lines: tuple[Line, ...]


class Branch(NamedTuple):
    """A conditional branch, as it is written."""

    place: Place
    text: str


class Outcomes(NamedTuple):
    """How often a branch was taken, and how often not."""

    taken: int
    not_taken: int

    def plus(self, other: Outcomes) -> Outcomes:
        """Return the sums of both."""
        return Outcomes(self.taken + other.taken, self.not_taken + other.not_taken)

    @property
    def is_executed(self) -> bool:
        return self.taken + self.not_taken > 0

    @property
    def seen(self) -> int:
        """How many of the two have occurred."""
        return (self.taken > 0) + (self.not_taken > 0)

    @property
    def missing(self) -> str:
        """What has not happened, for people; empty where both have occurred."""
        if not self.is_executed:
            return "never executed"
        if not self.taken:
            return "never taken"
        return "" if self.not_taken else "always taken"


class Share(NamedTuple):
    """A coverage count: `hit` of `of` lines, bundles or branches were executed."""

    hit: int
    of: int

    @property
    def missed(self) -> int:
        """The number that were not executed."""
        return self.of - self.hit

    @property
    def percent(self) -> int:
        """Percentage, 100 only for all and 0 only for none; 100 of nothing."""
        if self.hit in (0, self.of):
            return 0 if self.of and not self.hit else 100
        return min(99, max(1, round(100 * self.hit / self.of)))

    def plus(self, other: Share) -> Share:
        """Return the share of both."""
        return Share(self.hit + other.hit, self.of + other.of)

    def __str__(self) -> str:
        return f"{self.hit} of {self.of}"


class LineCoverage(NamedTuple):
    """A line with parts of bundles: the executions of each of these, and its branches."""

    bundles: tuple[int, ...]
    branches: tuple[tuple[Branch, Outcomes], ...] = ()

    @property
    def executions(self) -> int:
        """Executions of the line: those of its most executed bundle."""
        return max(self.bundles)

    @property
    def notes(self) -> list[str]:
        """What has not happened on an executed line, for people."""
        missed = self.bundles.count(0)
        notes = [f"{missed} of {len(self.bundles)} bundles never executed"] if missed else []
        for branch, outcomes in self.branches:
            if outcomes.is_executed and outcomes.missing:
                several = f"`{branch.text}` " if len(self.branches) > 1 else "branch "
                notes.append(f"{several}{outcomes.missing}")
        return notes if self.executions else []


class KernelCoverage:
    """Executions of one kernel, the source `path`; its bundles may be in headers, too."""

    def __init__(self, path: str, isa: str) -> None:
        self.path = path
        self.isa = isa
        self.runs = 0
        self.bundles: Counter[WrittenBundle] = Counter()
        self.branches: dict[Branch, Outcomes] = {}

    def add_bundle(self, bundle: WrittenBundle, count: int) -> None:
        """Add executions of a bundle; one that was not executed is known after it, too."""
        self.bundles[bundle] += count

    def add_branch(self, branch: Branch, outcomes: Outcomes) -> None:
        """Add executions of a branch."""
        old = self.branches.get(branch, Outcomes(0, 0))
        self.branches[branch] = Outcomes(
            old.taken + outcomes.taken, old.not_taken + outcomes.not_taken
        )

    def update(self, other: KernelCoverage) -> None:
        """Add another coverage of the same kernel, also of other expansions of it."""
        self.runs += other.runs
        for bundle, count in other.bundles.items():
            self.add_bundle(bundle, count)
        for branch, outcomes in other.branches.items():
            self.add_branch(branch, outcomes)

    @property
    def files(self) -> dict[str, dict[int, LineCoverage]]:
        """The lines with parts of bundles, by file, its own first, and by line."""
        return files_of([self])

    @property
    def lines(self) -> Share:
        """The lines with parts of bundles that were executed."""
        counts = [line.executions > 0 for file in self.files.values() for line in file.values()]
        return Share(sum(counts), len(counts))

    @property
    def bundle_share(self) -> Share:
        """The bundles that were executed."""
        return Share(sum(count > 0 for count in self.bundles.values()), len(self.bundles))

    @property
    def branch_share(self) -> Share:
        """The outcomes of conditional branches that have occurred; each has two."""
        return Share(
            sum(outcomes.seen for outcomes in self.branches.values()), 2 * len(self.branches)
        )

    @property
    def total(self) -> Share:
        """Lines and branch outcomes together."""
        return self.lines.plus(self.branch_share)

    @property
    def missing(self) -> str:
        """The lines that were not executed, and what branches have not done, for people."""
        parts = []
        for path, lines in self.files.items():
            prefix = "" if path == self.path else f"{path.replace(chr(92), '/').split('/')[-1]}:"
            parts += [f"{prefix}{each}" for each in _ranges(lines)]
            for number, line in sorted(lines.items()):
                parts += [f"{prefix}{number} {note.replace('`', '')}" for note in line.notes]
        return ", ".join(parts)


def files_of(kernels: Iterable[KernelCoverage]) -> dict[str, dict[int, LineCoverage]]:
    """Return the lines with parts of bundles of all kernels, by file and line.

    A bundle of a header counts over all kernels that include it.
    """
    merged = KernelCoverage("", "")
    files: dict[str, dict[int, LineCoverage]] = {}
    for kernel in kernels:
        files.setdefault(kernel.path, {})
        merged.update(kernel)
    for bundle, count in sorted(merged.bundles.items()):
        for path, line in bundle.lines:
            lines = files.setdefault(path, {})
            before = lines[line].bundles if line in lines else ()
            lines[line] = LineCoverage((*before, count))
    for branch, outcomes in sorted(merged.branches.items()):
        lines = files[branch.place.path]
        known = lines[branch.place.line]
        lines[branch.place.line] = known._replace(branches=(*known.branches, (branch, outcomes)))
    return {path: dict(sorted(lines.items())) for path, lines in files.items()}


def _ranges(lines: Mapping[int, LineCoverage]) -> Iterator[str]:
    """The lines that were not executed; those without bundles do not part a range."""
    for is_missed, group in groupby(sorted(lines), key=lambda line: not lines[line].executions):
        if is_missed:
            numbers = list(group)
            yield "-".join(map(str, dict.fromkeys((numbers[0], numbers[-1]))))


class Coverage:
    """The coverage of all kernels that were run, by path."""

    def __init__(self) -> None:
        self.kernels: dict[str, KernelCoverage] = {}

    def add(self, kernel: KernelCoverage) -> None:
        own = self.kernels.setdefault(kernel.path, KernelCoverage(kernel.path, kernel.isa))
        own.update(kernel)

    def update(self, other: Coverage) -> None:
        """Add another coverage."""
        for kernel in other.kernels.values():
            self.add(kernel)

    @property
    def data(self) -> list[Any]:
        """The same as lists, strings and numbers, to send to another process."""
        return [_data_of(kernel) for kernel in self.kernels.values()]

    @classmethod
    def of_data(cls, data: list[Any]) -> Coverage:
        """Return what `data` of a coverage stands for."""
        coverage = cls()
        for each in data:
            coverage.add(_kernel_of(each))
        return coverage


def _data_of(kernel: KernelCoverage) -> list[Any]:
    bundles = [
        [list(bundle.place), [list(line) for line in bundle.lines], count]
        for bundle, count in kernel.bundles.items()
    ]
    branches = [
        [list(branch.place), branch.text, *outcomes] for branch, outcomes in kernel.branches.items()
    ]
    return [kernel.path, kernel.isa, kernel.runs, bundles, branches]


def _kernel_of(data: list[Any]) -> KernelCoverage:
    path, isa, runs, bundles, branches = data
    kernel = KernelCoverage(path, isa)
    kernel.runs = runs
    for place, lines, count in bundles:
        written = tuple((path, line) for path, line in lines)
        kernel.add_bundle(WrittenBundle(Place(*place), written), count)
    for place, text, taken, not_taken in branches:
        kernel.add_branch(Branch(Place(*place), text), Outcomes(taken, not_taken))
    return kernel
