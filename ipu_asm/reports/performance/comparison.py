"""Two versions of a program compared: cycles, loops, units, bytes, and the lines that differ."""

from __future__ import annotations

from difflib import SequenceMatcher
from itertools import groupby
from typing import Any, Hashable, Iterator, Sequence

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.flow.control_run.summary import Count
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.line_table import LineTable
from ipu_asm.program.program import Program
from ipu_asm.reports.performance.loops import LoopReport, total
from ipu_asm.reports.performance.report import PerformanceReport
from ipu_asm.reports.performance.wording import grouped
from ipu_asm.text import counted

_MAX_LINES = 40


class Version(NamedTuple):
    """A version of a program; `size` is that of its code in bytes, None if it is not known."""

    program: Program
    lines: LineTable
    report: PerformanceReport
    size: Count


class Change(NamedTuple):
    """A number of both versions, None where it is not known or where there is none."""

    name: str
    old: Count
    new: Count

    @property
    def growth(self) -> float | None:
        """The growth in percent; None if it is not known."""
        if self.old is None or self.new is None or (not self.old and self.new):
            return None
        return 100 * (self.new - self.old) / self.old if self.old else 0.0


class ChangedLines(NamedTuple):
    """Bundles that differ, or are executed more or less often.

    `rows` and `old_rows` are the first and last line in each version; those of bundles that one of
    them does not have are the line after which they would stand, twice. `cycles` are those of all
    executions.
    """

    old_rows: tuple[int, int]
    rows: tuple[int, int]
    bundles: tuple[int, int]
    cycles: tuple[Count, Count]


class Comparison(NamedTuple):
    """The numbers of two versions that differ or that matter most, and the lines."""

    changes: tuple[Change, ...]
    lines: tuple[ChangedLines, ...]

    @property
    def regressions(self) -> list[Change]:
        """The cycles of both versions; of loops and bundles where those are not known."""
        cycles = [
            each for each in self.changes if each.name == "cycles" and each.growth is not None
        ]
        if cycles:
            return cycles
        costs = [each for each in self.changes if each.name.endswith((" cycles", " bundles"))]
        known = [each for each in costs if each.growth is not None]
        return known or [each for each in self.changes if each.name == "bundles"]


def compare(old: Version, new: Version) -> Comparison:
    """Return what differs in a new version."""
    return Comparison(
        tuple(_changes(old, new)), tuple(changed_lines(_executed(old), _executed(new)))
    )


def _changes(old: Version, new: Version) -> Iterator[Change]:
    yield Change("cycles", old.report.cycles, new.report.cycles)
    yield Change("bundles", old.report.bundles, new.report.bundles)
    if old.size is not None or new.size is not None:
        yield Change("bytes", old.size, new.size)
    names = {each.label: each.cycles for each in old.report.functions if each.label}
    if len(names) > 1:
        for function in new.report.functions:
            if function.label in names:
                yield Change(f"{function.label} cycles", names[function.label], function.cycles)
    for before, loop in _pairs(old.report.loops, new.report.loops):
        yield from _loop_changes(before, loop)
    uses = [version.report.use for version in (old, new)]
    units = [{each.unit: each.bundles for each in use.units} if use else {} for use in uses]
    for unit in dict.fromkeys((*units[0], *units[1])):
        yield Change(f"{unit} in use", units[0].get(unit), units[1].get(unit))


def _pairs(
    old: Sequence[LoopReport], new: Sequence[LoopReport]
) -> Iterator[tuple[LoopReport | None, LoopReport | None]]:
    """Pair loops with the same label, and the others in their order."""
    labels = {loop.label: loop for loop in old if loop.label}
    common = {loop.label for loop in new} & labels.keys()
    others = [loop for loop in old if loop.label not in common]
    for loop in new:
        if loop.label in common:
            yield labels[loop.label or ""], loop
        else:
            yield (others.pop(0) if others else None), loop
    yield from ((loop, None) for loop in others)


def _loop_changes(old: LoopReport | None, new: LoopReport | None) -> Iterator[Change]:
    either = new or old
    assert either is not None
    name = f"loop {either.label or f'in line {either.row}'}"
    for what, values in (
        ("bundles", [loop and loop.bundles for loop in (old, new)]),
        ("trips", [loop and loop.most for loop in (old, new)]),
        ("cycles", [loop and loop.cycles for loop in (old, new)]),
        ("bound", [loop and loop.bound for loop in (old, new)]),
        ("dependence", [_dependence(loop) for loop in (old, new)]),
    ):
        yield Change(f"{name} {what}", *values)
    files = [{file.file: file.most for file in loop.windows} if loop else {} for loop in (old, new)]
    for file in dict.fromkeys((*files[0], *files[1])):
        yield Change(f"{name} {file} registers", files[0].get(file), files[1].get(file))


def _dependence(loop: LoopReport | None) -> Count:
    return loop.dependence.bundles if loop is not None and loop.dependence is not None else None


class ExecutedCode(NamedTuple):
    """Bundles in the order of their addresses.

    `keys` are equal where bundles do the same, `executions` are how often they ran, and `rows` the
    first and last line of each, 0 where it has none.
    """

    keys: Sequence[Hashable]
    executions: Sequence[Count]
    rows: Sequence[tuple[int, int]]


def changed_lines(old: ExecutedCode, new: ExecutedCode) -> Iterator[ChangedLines]:
    """Yield bundles that differ, and consecutive equal ones that ran more or less often."""
    for tag, *place in SequenceMatcher(None, old.keys, new.keys).get_opcodes():
        before, after = range(*place[:2]), range(*place[2:])
        if tag == "equal":
            same = [old.executions[n] == new.executions[m] for n, m in zip(before, after)]
            for is_same, run in groupby(range(len(same)), same.__getitem__):
                if not is_same:
                    first, *rest = run
                    end = first + len(rest) + 1
                    yield _lines(old, new, before[first:end], after[first:end])
        elif any(old.keys[n] or old.executions[n] for n in before) or any(
            new.keys[n] or new.executions[n] for n in after
        ):  # else it is what fills up a section
            yield _lines(old, new, before, after)


def _lines(old: ExecutedCode, new: ExecutedCode, before: range, after: range) -> ChangedLines:
    return ChangedLines(
        _rows(old, before),
        _rows(new, after),
        (len(before), len(after)),
        (_cycles(old, before), _cycles(new, after)),
    )


def _rows(code: ExecutedCode, numbers: range) -> tuple[int, int]:
    if not code.rows:
        return 0, 0
    first = code.rows[numbers.start if numbers else max(0, numbers.start - 1)][0]
    return first, (code.rows[numbers[-1]][1] if numbers else first)


def _cycles(code: ExecutedCode, numbers: range) -> Count:
    return total(code.executions[number] for number in numbers)


def _executed(version: Version) -> ExecutedCode:
    keys = _keys(version.program)
    places = [version.lines.place(address) for address in range(len(keys))]
    rows = [(place.line, place.end_line) if place else (0, 0) for place in places]
    return ExecutedCode(keys, version.report.executions, rows)


def _keys(program: Program) -> list[Hashable]:
    """Return the bundles of a program, equal where they do the same with the same operands."""
    return [_key(program.bundles[number]) for number in program.bundle_at_address]


def _key(bundle: Bundle) -> Hashable:
    return tuple(
        sorted(
            (
                instruction.mnemonic.lower(),
                tuple(
                    "@" if isinstance(value, str) else repr(value) for value in instruction.values
                ),
            )
            for instruction in bundle.instructions
            if not instruction.is_idle
        )
    )


def comparison_text(comparison: Comparison, name: str, baseline: str) -> str:
    """Return the differences as lines; numbers that did not change are left out."""
    found = [f"{name} against {baseline}:"]
    shown = [each for each in comparison.changes if each.old != each.new]
    always = [each for each in comparison.changes[:2] if each.old == each.new]
    for change in (*always, *shown):
        found.append(f"  {change.name}: {_change_text(change)}")
    lines = comparison.lines
    if lines:
        found += ["", "changed lines"]
        found += lines_list(lines)
    return "\n".join(found) + "\n"


def lines_list(lines: Sequence[ChangedLines]) -> list[str]:
    """Return the first changed lines as text, and the number of the others."""
    found = [f"  {_lines_text(each)}" for each in lines[:_MAX_LINES]]
    return [*found, f"  and {len(lines) - _MAX_LINES:,} more"] if len(lines) > _MAX_LINES else found


def _change_text(change: Change) -> str:
    if change.old == change.new:
        return f"{grouped(change.new)}, no change"
    text = f"{grouped(change.old)} -> {grouped(change.new)}"
    return text if change.growth is None else f"{text} ({change.growth:+.1f} %)"


def _lines_text(lines: ChangedLines) -> str:
    (before, after), (old, new) = lines.bundles, lines.cycles
    place = _rows_text(lines.rows) if after else f"after line {lines.rows[0]}"
    origin = _rows_text(lines.old_rows) if before else f"after line {lines.old_rows[0]}"
    parts = [f"{before:,} -> {after:,} bundles" if before != after else counted(after, "bundle")]
    if old is not None and new is not None:
        parts.append(f"{old:,} -> {new:,} cycles ({new - old:+,})")
    return f"{place}, was {origin}: {', '.join(parts)}"


def _rows_text(rows: tuple[int, int]) -> str:
    return f"line {rows[0]}" if rows[0] == rows[1] else f"lines {rows[0]} to {rows[1]}"


def comparison_data(comparison: Comparison) -> list[dict[str, Any]]:
    """Return the differences as objects: numbers that changed, and then lines."""
    numbers: list[dict[str, Any]] = [
        {"what": each.name, "old": each.old, "new": each.new}
        for each in comparison.changes
        if each.old != each.new
    ]
    return [*numbers, *lines_data(comparison.lines)]


def lines_data(found: Sequence[ChangedLines]) -> list[dict[str, Any]]:
    """Return changed lines as objects."""
    return [
        {
            "what": "lines",
            "row": lines.rows[0],
            "end_row": lines.rows[1],
            "old_row": lines.old_rows[0],
            "old_end_row": lines.old_rows[1],
            "bundles": lines.bundles,
            "cycles": lines.cycles,
        }
        for lines in found
    ]
