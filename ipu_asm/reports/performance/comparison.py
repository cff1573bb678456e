"""Two versions of a program compared: cycles, loops, units, bytes, and the lines that differ."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import Any, Hashable, Iterator, Sequence

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.flow.control_run.summary import Count
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.line_table import LineTable
from ipu_asm.program.program import Program
from ipu_asm.reports.performance.loops import LoopReport, total
from ipu_asm.reports.performance.report import PerformanceReport
from ipu_asm.reports.performance.wording import grouped

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
    return Comparison(tuple(_changes(old, new)), tuple(_changed_lines(old, new)))


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


def _changed_lines(old: Version, new: Version) -> Iterator[ChangedLines]:
    before, after = (_keys(version.program) for version in (old, new))
    for tag, *place in SequenceMatcher(None, before, after).get_opcodes():
        first, end, new_first, new_end = place
        if tag != "equal" and not any((*before[first:end], *after[new_first:new_end])):
            executions = old.report.executions[first:end], new.report.executions[new_first:new_end]
            if not any(map(any, executions)):
                continue  # what fills up a section
        if tag != "equal":
            yield _lines(old, new, range(first, end), range(new_first, new_end))
            continue
        start: int | None = None
        for offset in range(end - first + 1):
            is_other = offset < end - first and (
                old.report.executions[first + offset] != new.report.executions[new_first + offset]
            )
            if is_other and start is None:
                start = offset
            elif not is_other and start is not None:
                yield _lines(
                    old, new,
                    range(first + start, first + offset),
                    range(new_first + start, new_first + offset),
                )  # fmt: skip
                start = None


def _lines(old: Version, new: Version, before: range, after: range) -> ChangedLines:
    return ChangedLines(
        _rows(old, before),
        _rows(new, after),
        (len(before), len(after)),
        (_cycles(old, before), _cycles(new, after)),
    )


def _rows(version: Version, addresses: range) -> tuple[int, int]:
    first = version.lines.place(addresses.start if addresses else max(0, addresses.start - 1))
    last = version.lines.place(addresses[-1]) if addresses else first
    return (first.line if first else 0), (last.end_line if last else 0)


def _cycles(version: Version, addresses: range) -> Count:
    executions = version.report.executions
    return total(executions[address] for address in addresses)


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
        found += [f"  {_lines_text(each)}" for each in lines[:_MAX_LINES]]
        if len(lines) > _MAX_LINES:
            found.append(f"  and {len(lines) - _MAX_LINES:,} more")
    return "\n".join(found) + "\n"


def _change_text(change: Change) -> str:
    if change.old == change.new:
        return f"{grouped(change.new)}, no change"
    text = f"{grouped(change.old)} -> {grouped(change.new)}"
    return text if change.growth is None else f"{text} ({change.growth:+.1f} %)"


def _lines_text(lines: ChangedLines) -> str:
    (before, after), (old, new) = lines.bundles, lines.cycles
    place = _rows_text(lines.rows) if after else f"after line {lines.rows[0]}"
    origin = _rows_text(lines.old_rows) if before else f"after line {lines.old_rows[0]}"
    parts = [f"{before:,} -> {after:,} bundles" if before != after else f"{after:,} bundles"]
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
    return numbers + [
        {
            "what": "lines",
            "row": lines.rows[0],
            "end_row": lines.rows[1],
            "old_row": lines.old_rows[0],
            "old_end_row": lines.old_rows[1],
            "bundles": lines.bundles,
            "cycles": lines.cycles,
        }
        for lines in comparison.lines
    ]
