"""The performance report as text for a terminal."""

from __future__ import annotations

from itertools import zip_longest
from textwrap import wrap
from typing import Any, Iterator, Sequence

from ipu_asm.diagnostics.rendering import paint
from ipu_asm.flow.loop_numbers import ratio
from ipu_asm.reports.performance.loops import LoopReport
from ipu_asm.reports.performance.memory import Region
from ipu_asm.reports.performance.report import PerformanceReport, Use
from ipu_asm.reports.performance.wording import (
    by_savings,
    chain_text,
    cycles_text,
    end_text,
    extent_text,
    function_text,
    grouped,
    lanes_text,
    limit_text,
    lines_of,
    missing_overlaps,
    moves_text,
    name_of,
    overlap_limit_text,
    overlap_text,
    peak_text,
    percent,
    picture_text,
    presets_text,
    pressure_text,
    product_of,
    region_text,
    region_title,
    savings_text,
    use_text,
    values_hint,
    windows_text,
)
from ipu_asm.text import counted

_Row = Sequence[str]


_INDENT = 2
_MIN_COLUMN = 12
_TITLE, _BOUND_STYLE = "1", "1;33"
_BOUND_MARK = " <- bound"
_UNBROKEN_MARK = _BOUND_MARK.replace(" ", "\N{NO-BREAK SPACE}")


def report_text(
    report: PerformanceReport, name: str, *, columns: int | None = None, color: bool = False
) -> str:
    """Return the report on the program called `name`, as lines of at most so many columns."""
    lines = _fitted(f"{name}: {_summary(report)}", columns)
    lines[0] = lines[0].replace(name, paint(name, _TITLE, color), 1)
    if report.presets:
        lines += _fitted(f"with {presets_text(report.presets, report.origins)}", columns)
    room = None if columns is None else columns - _INDENT
    for title, section in (
        ("functions", map(function_text, report.functions)),
        ("loops", _loops(report)),
        ("units", _units(report)),
        ("packing", _packing(report)),
        ("memory", _accesses(report, room)),
        ("regions", _regions(report, room)),
        ("unknown", _unknown(report)),
    ):
        found = [*section]
        if found:
            lines += ["", paint(title, _TITLE, color)]
            fitted = (part for line in found for part in _fitted(line, room))
            lines += [f"{' ' * _INDENT}{part}".rstrip() for part in fitted]
    text = "\n".join(lines) + "\n"
    return text.replace(_BOUND_MARK, paint(_BOUND_MARK, _BOUND_STYLE, color))


def _fitted(line: str, columns: int | None) -> list[str]:
    """Break a line between words; what is cut off is indented further."""
    if columns is None or len(line) <= columns:
        return [line]
    indent = " " * (len(line) - len(line.lstrip()) + 2 * _INDENT)
    return _words_wrapped(line, columns, indent)


def _words_wrapped(text: str, columns: int, indent: str = "") -> list[str]:
    lines = wrap(
        text.replace(_BOUND_MARK, _UNBROKEN_MARK),
        columns,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace(_UNBROKEN_MARK, _BOUND_MARK) for line in lines]


def _summary(report: PerformanceReport) -> str:
    bundles = counted(report.bundles, report.isa.unit)
    if report.end is None:
        return f"{cycles_text(report)}, {bundles}" if report.functions else bundles
    return f"{cycles_text(report)}, {bundles}; {end_text(report)}"


def _loops(report: PerformanceReport) -> Iterator[str]:
    for loop in report.loops:
        yield _loop(report, loop)
        for detail in _details(report, loop):
            yield f"  {detail}"


def _loop(report: PerformanceReport, loop: LoopReport) -> str:
    share = percent(loop.own_cycles, report.cycles)
    cost = product_of(loop, report.isa.unit) + (f" ({share})" if share else "")
    limit = loop.limit
    parts = [cost, pressure_text(loop.pressure, is_bound=limit is None or bool(limit.slots))]
    if loop.dependence is not None and limit is not None:
        parts.append(f"dependence {loop.dependence.bundles}{_BOUND_MARK * limit.is_dependence}")
        if limit.delay_slots:
            parts.append(f"branch with delay slots {limit.bundles}{_BOUND_MARK}")
    blocks = report.moves.inside(loop.own)
    if blocks:
        parts.append(f"moves save {sum(block.saved for block in blocks)}")
    return f"{name_of(loop)}: {'; '.join(part for part in parts if part)}"


def _details(report: PerformanceReport, loop: LoopReport) -> Iterator[str]:
    unit = report.isa.unit
    if loop.iterations is not None and loop.iterations != loop.most:
        yield f"trips an entry: {loop.trips}"
    if loop.entry_cycles is not None:
        yield f"cycles an entry: {grouped(loop.entry_cycles)}"
    if loop.windows and loop.dependence is not None and loop.dependence.chain:
        yield f"dependence {loop.dependence.bundles}: {chain_text(loop.dependence)}"
    for file in loop.windows:
        yield windows_text(file)
    if loop.picture is not None and report.isa.has_exposed_pipeline:
        yield picture_text(loop.picture)
    elif lanes_text(report, loop):
        yield lanes_text(report, loop)
    if loop.bundles != len(loop.own):
        yield f"with inner loops: {counted(loop.bundles, unit)}, {grouped(loop.cycles)} cycles"
    blocks = report.moves.inside(loop.own)
    for block in blocks:
        if len(blocks) == 1:
            yield limit_text(report, block)
        elif len(block.addresses) - block.saved > 1:
            yield f"lines {block.lines}: {limit_text(report, block)}"
    length = sum(len(block.addresses) - block.saved for block in blocks)
    if loop.limit is not None and 0 < loop.limit.bundles < length:
        yield overlap_limit_text(loop.limit, unit)


def _units(report: PerformanceReport) -> Iterator[str]:
    if report.use is None or report.cycles is None:
        return
    for each in report.use.units:
        yield f"{each.unit:5}{grouped(each.bundles):>9}  {percent(each.bundles, report.cycles)}"
    yield use_text(report.use, report.cycles)
    if report.use.peak is not None:
        yield peak_text(report.use.peak)


def _packing(report: PerformanceReport) -> Iterator[str]:
    if report.moves.reason:
        if report.isa.spaces:
            yield f"no moves: {report.moves.reason}"
        return
    yield savings_text(report)
    for block in by_savings(report.moves.blocks):
        yield moves_text(report, block)


def _accesses(report: PerformanceReport, columns: int | None) -> Iterator[str]:
    rows = [
        (
            str(access.place.line),
            access.mnemonic,
            f"{access.kind}s {access.size}",
            extent_text(access),
            grouped(access.distinct),
            grouped(access.executions),
        )
        for access in report.accesses
    ]
    heads = ("line", "instruction", "", "addresses", "distinct", "executions")
    yield from _table(heads, rows, (0, 4, 5), columns)


def _regions(report: PerformanceReport, columns: int | None) -> Iterator[str]:
    rows = [_region_row(region) for region in report.regions]
    yield from _table(("through", "read", "written", "bytes", "lines"), rows, (3,), columns)
    for overlap in report.overlaps:
        yield f"overlap: {overlap_text(overlap)}"
    missing = missing_overlaps(report)
    if missing:
        yield missing
    elif len(report.regions) > 1 and not report.overlaps:
        yield "no overlaps"


def _region_row(region: Region) -> _Row:
    lines = lines_of([access.place for access in region.accesses])
    size = grouped(sum(map(len, region.touched))) if region.is_known else "?"
    read, written = (region_text(region, kind) for kind in ("read", "write"))
    return region_title(region), read, written, size, lines


def _unknown(report: PerformanceReport) -> Iterator[str]:
    if report.unknown:
        yield f"numbers marked ? depend on {', '.join(report.unknown)}"
        yield f"give values with {values_hint(report.unknown)}"


def _table(
    heads: _Row, rows: Sequence[_Row], right: Sequence[int], columns: int | None
) -> Iterator[str]:
    """Format rows as lines with aligned columns; the columns in `right` are aligned right.

    The text of a cell that is too wide is broken between words.
    """
    if not rows:
        return
    widths = [max(map(len, column)) for column in zip(heads, *rows)]
    while columns is not None and sum(widths) + 2 * (len(widths) - 1) > columns:
        widest = max(range(len(widths)), key=widths.__getitem__)
        if widths[widest] <= _MIN_COLUMN:
            break
        widths[widest] -= 1
    for row in (heads, *rows):
        broken = [_words_wrapped(cell, width) for cell, width in zip(row, widths)]
        for cells in zip_longest(*broken, fillvalue=""):
            aligned = [
                cell.rjust(width) if number in right else cell.ljust(width)
                for number, (cell, width) in enumerate(zip(cells, widths))
            ]
            yield "  ".join(aligned).rstrip()


def report_data(report: PerformanceReport) -> dict[str, Any]:
    """Return the report as an object; numbers that are not known are null.

    Rows are those of the written file. `start` and `end` of an access are offsets in bytes from its
    `base`, the last one exclusive; `count` is the number of different offsets.
    """
    return {
        "cycles": report.cycles,
        "bundles": report.bundles,
        "loops": [_loop_data(loop) for loop in report.loops],
        "accesses": [
            {
                "row": access.place.line,
                "mnemonic": access.mnemonic,
                "base": access.base.text,
                "start": access.first,
                "end": access.end,
                "count": access.distinct,
                "executions": access.executions,
            }
            for access in report.accesses
        ],
        "unknown": list(report.unknown),
        **(_use_data(report, report.use) if report.use is not None else {}),
    }


def _use_data(report: PerformanceReport, use: Use) -> dict[str, Any]:
    found: dict[str, Any] = {
        "units": {each.unit: {"bundles": each.bundles, "share": each.share} for each in use.units},
        "loads_per_cycle": ratio(use.loads, report.cycles),
        "stores_per_cycle": ratio(use.stores, report.cycles),
    }
    if use.peak is not None:
        found["peak"] = {"flop_per_cycle": use.peak.flop_per_cycle, "share": use.peak.share}
    return found


def _loop_data(loop: LoopReport) -> dict[str, Any]:
    found: dict[str, Any] = {
        "label": loop.label,
        "row": loop.row,
        "bundles": loop.bundles,
        "trips": {"least": loop.least, "most": loop.most},
        "cycles": loop.cycles,
        "bound": {each.slot: each.bundles for each in loop.pressure},
        "dependence": loop.dependence and loop.dependence.bundles,
    }
    if loop.limit is not None and loop.bundles > 1:
        found["limit"] = {
            "bundles": loop.limit.bundles,
            "slots": list(loop.limit.slots),
            "delay_slots": loop.limit.delay_slots,
            "instructions": [
                {"row": each.line, "mnemonic": each.mnemonic, "register": each.resource}
                for each in loop.limit.instructions
            ],
        }
    if loop.formula:
        found["trips"]["formula"] = loop.formula
    if loop.windows:
        chain = loop.dependence.chain if loop.dependence else ()
        found["chain"] = [
            {"row": each.line, "mnemonic": each.mnemonic, "register": each.resource}
            for each in chain
        ]
        found["registers"] = {
            file.file: {"most": file.most, "of": file.parts, "free": file.free}
            for file in loop.windows
        }
    return found
