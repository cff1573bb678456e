"""Numbers, places and sentences of the performance report, for all of its formats."""

from __future__ import annotations

from typing import Iterable, Mapping, Sequence

from ipu_asm.config.kernel_keys import setting_text
from ipu_asm.flow.control_run.run import CANCELLED, ENDLESS, FAULT, HALTED, LIMIT, RAN_OFF, UNKNOWN
from ipu_asm.flow.control_run.summary import Count
from ipu_asm.flow.loop_numbers import Peak, ratio
from ipu_asm.flow.packing.dependences import SlotPressure
from ipu_asm.flow.steady_loops import RegisterWindows
from ipu_asm.isa.storage import signed
from ipu_asm.program.line_table import SourceLocation
from ipu_asm.reports.performance.loops import CarriedDependence, FunctionReport, Limit, LoopReport
from ipu_asm.reports.performance.memory import AccessReport, Base, Overlap, Region
from ipu_asm.reports.performance.picture import DELAY, ENDED, FREE, WAITS, Picture
from ipu_asm.reports.performance.report import BlockMoves, PerformanceReport, Use
from ipu_asm.text import counted, percentage

_MAX_LINES = 10
_MAX_MOVES = 8
_MAX_LINKS = 6
_MAX_WINDOWS = 24
_LARGEST_DECIMAL = 9


def grouped(count: Count) -> str:
    """Return a number with separators; `?` if it is not known."""
    return "?" if count is None else f"{count:,}"


def short(count: Count) -> str:
    """Return a number of a million or more with three digits: `1.77 M`."""
    for power, letter in ((3, "G"), (2, "M")):
        if count is not None and count >= 1_000**power:
            value = count / 1_000**power
            return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2}f} {letter}"
    return grouped(count)


def percent(part: Count, whole: Count) -> str:
    """Return a fraction as a short percentage; empty if it is not known."""
    return "" if part is None or not whole else percentage(part, whole)


def name_of(loop: LoopReport) -> str:
    """Return the name of a loop: its label, and the line of that or of its first bundle."""
    label = f" {loop.label}" if loop.label else ""
    return f"loop{label}, line {loop.row}"


def product_of(loop: LoopReport, unit: str) -> str:
    """Return how the cycles of a loop come about: `16 bundles x 110,592 = 1.77 M cycles`."""
    own = len(loop.own)
    size = counted(own, unit)
    if own != loop.bundles:
        size += " of its own"
    if loop.iterations is None or loop.own_cycles is None:
        return f"{size} x {loop.trips}"
    cycles = f"{short(loop.own_cycles)} cycle{'' if loop.own_cycles == 1 else 's'}"
    times = grouped(loop.iterations)
    is_exact = own * loop.iterations == loop.own_cycles
    if is_exact:
        return f"{size} x {times} = {cycles}"
    return f"{size}, {counted(loop.iterations, 'trip')}, {cycles}"


def pressure_text(pressure: Sequence[SlotPressure], *, is_bound: bool = True) -> str:
    """Return the pressure by slot, with the bound marked: `lr 22/2 = 11 <- bound, mult 9`.

    Nothing is marked if a dependence bounds the loop.
    """
    most = max((each.bundles for each in pressure), default=0)
    bounding = sum(each.bundles == most for each in pressure)
    texts = [_slot_text(each) for each in pressure]
    if texts and is_bound:
        texts[bounding - 1] += " <- bound"
    return ", ".join(texts)


def _slot_text(each: SlotPressure) -> str:
    if each.capacity == 1:
        return f"{each.slot} {each.operations}"
    return f"{each.slot} {each.operations}/{each.capacity} = {each.bundles}"


def end_text(report: PerformanceReport) -> str:
    """Return how the run ends: `halts in line 62`."""
    end, place = report.end, report.end_place
    assert end is not None
    line = f"line {place.line}" if place else f"address {end.address}"
    texts = {
        HALTED: f"halts in {line}",
        RAN_OFF: "runs off its end",
        FAULT: f"faults in {line}",
        LIMIT: f"not followed beyond {line}",
        CANCELLED: f"cancelled in {line}",
        ENDLESS: f"never leaves the loop in {line}",
        UNKNOWN: f"the branch in {line} depends on {', '.join(end.unknown)}",
    }
    return texts[end.reason]


def failure_text(report: PerformanceReport) -> str:
    """Return how the run ends, and why it faults if it does."""
    return f"{end_text(report)}: {report.refused}" if report.refused else end_text(report)


def function_text(function: FunctionReport) -> str:
    """Return the cycles of a function: `scale, line 22: not known, data decides in line 33`."""
    name = f"{function.label}, line" if function.label else "line"
    text = f"{name} {function.place.line}: "
    if function.cycles is not None:
        return text + counted(function.cycles, "cycle")
    if function.formula:
        return f"{text}{function.formula} cycles"
    if function.undecided is None:
        return f"{text}cycles not known, control runs past the end of the file"
    return f"{text}cycles not known, line {function.undecided.line} decides"


def basis_text(report: PerformanceReport) -> str:
    """Return what the numbers of a report follow from, or why there are none."""
    if report.end is not None:
        basis = "computed from loop registers and branches, no data was needed"
        return f"{failure_text(report)}; {basis}"
    if report.functions:
        return f"cycles are {report.isa.unit}s that one thread issues, without stalls"
    why = f"what control of {report.isa.title} depends on is not described"
    return f"no cycles, trips and addresses: {why}"


def presets_text(presets: Mapping[str, int], origins: Mapping[str, str] = {}) -> str:
    """Return the values of registers at the start: `cr0 = 0, cr1 = 0x20000 from ipu.toml`."""
    by_origin: dict[str, list[str]] = {}
    for name in sorted(presets, key=register_order):
        value = presets[name]
        shown = hex(value) if signed(value) > _LARGEST_DECIMAL else setting_text(name, value)
        by_origin.setdefault(origins.get(name, ""), []).append(f"{name} = {shown}")
    texts = ((", ".join(shown), origin) for origin, shown in by_origin.items())
    return "; ".join(f"{shown} from {origin}" if origin else shown for shown, origin in texts)


def cycles_text(report: PerformanceReport) -> str:
    """Return the cycles of the whole run: `1,304 cycles`, `more than 200,000 cycles`."""
    if report.cycles is not None:
        return counted(report.cycles, "cycle")
    if report.executed:
        return f"more than {counted(report.executed, 'cycle')}"
    if report.unknown:
        return f"cycles depend on {', '.join(report.unknown)}"
    return "cycles not known"


def base_text(base: Base) -> str:
    """Return a base with its value, if it is known: `cr1 = 0x20000`, `row cr2 = 64`."""
    row = "row " if base.unit > 1 else ""
    if base.value is None:
        return row + base.text
    return row + presets_text({base.text: base.value // base.unit})


def region_title(region: Region) -> str:
    """Return a region with its name, if it has one: `weights, cr1 = 0x20000`."""
    return ", ".join(filter(None, (region.name, base_text(region.base))))


def range_text(start: int, end: int) -> str:
    """Return the bytes from `start` to before `end`: `0x0..0x4ff`."""
    return f"{start:#x}..{end - 1:#x}"


def extent_text(access: AccessReport) -> str:
    """Return the bytes of an access, as addresses if its base is known."""
    if access.executions == 0:
        return "never executed"
    base, is_row = access.base.value, access.base.unit > 1
    if access.first is None or access.end is None or (base is None and is_row):
        return access.text or f"{'rows ' if is_row else ''}{access.base.text} + ?"
    if base is not None:
        return range_text(access.first + base, access.end + base)
    return f"{access.base.text} + {range_text(access.first, access.end)}"


def lines_of(places: Sequence[SourceLocation]) -> str:
    """Return the lines of places, each once: `38, 44`; of many, the first ones."""
    lines = [*dict.fromkeys(str(place.line) for place in places)]
    more = ["..."] if len(lines) > _MAX_LINES else []
    return ", ".join(lines[:_MAX_LINES] + more)


def overlap_text(overlap: Overlap) -> str:
    """Return an overlap: `cr1 and cr2 share 256 bytes of 0x40000..0x400ff, which are written`."""
    low, high = overlap.shared[0].start, overlap.shared[-1].stop
    size = sum(map(len, overlap.shared))
    place = f"at {range_text(low, high)}" if size == high - low else f"of {range_text(low, high)}"
    use = "written" if overlap.is_written else "only read"
    first, second = overlap.first.base.text, overlap.second.base.text
    return f"{first} and {second} share {counted(size, 'byte')} {place}, {use}"


def register_order(name: str) -> tuple[str, int, str]:
    """Return a key that sorts registers by their names and numbers."""
    letters = name.rstrip("0123456789")
    return letters, len(name), name


def options_for(names: Sequence[str]) -> str:
    """Return the options that give the values of registers: `--cr 4=VALUE --cr 5=VALUE`."""
    parts = [(name.rstrip("0123456789"), name) for name in sorted(names, key=register_order)]
    return " ".join(f"--{file} {name.removeprefix(file)}=VALUE" for file, name in parts)


def values_hint(names: Sequence[str]) -> str:
    """Return the ways in which the values of registers can be given."""
    comment = f"`# CR {names[0]} = VALUE`"
    return f"{options_for(names)}, a comment {comment}, or `[kernel]` in ipu.toml"


def missing_overlaps(report: PerformanceReport) -> str:
    """Return whether some overlaps are not known, and what would tell them; empty if all are."""
    names = {*report.bases_without_value}
    if not all(region.is_known for region in report.regions):
        names |= {*report.unknown}
    if not names or len(report.regions) < 2:
        return ""
    return f"not all overlaps are known: give {options_for([*names])}"


def region_text(region: Region, kind: str) -> str:
    """Return the bytes of a region that are read or written; `-` for none."""
    if not any(access.kind == kind for access in region.accesses):
        return "-"
    touched = region.read if kind == "read" else region.written
    if not region.is_known:
        return "?"
    if not touched:
        return "-"
    base = region.base.value or 0
    return range_text(touched[0].start + base, touched[-1].stop + base)


def savings_text(report: PerformanceReport) -> str:
    """Return what all moves save: `moves save 2 of 7 bundles, 12 of 1,304 cycles (0.9 %)`."""
    saved = sum(block.saved for block in report.moves.blocks)
    unit = report.isa.unit
    if not saved:
        text = f"no move inside of a block saves a {unit}"
        is_least = all(block.is_at_bound for block in report.moves.blocks)
        return f"{text}: every block is at its bound" if is_least else text
    text = f"moves save {saved:,} of {counted(report.bundles, unit)}"
    cycles = report.moves.saved_cycles
    if cycles is None or report.cycles is None:
        return text
    share = percent(cycles, report.cycles)
    return f"{text}, {cycles:,} of {counted(report.cycles, 'cycle')} ({share})"


def chain_text(carried: CarriedDependence) -> str:
    """Return a chain: `line 67 vlda (p0), line 68 vlda (p0)`; of a long one, its beginning."""
    links = [f"line {each.line} {each.mnemonic} ({each.resource})" for each in carried.chain]
    more = [f"{len(links) - _MAX_LINKS} more"] if len(links) > _MAX_LINKS else []
    return ", ".join(links[:_MAX_LINKS] + more)


def windows_text(windows: RegisterWindows) -> str:
    """Return the pressure on a register file, and the cycles in which registers are free.

    `w: 8 of 24 in use at most; free in cycles: x0 7-13, 23-29; x1 ...`. A window that ends in the
    next iteration has an end after the last bundle.
    """
    text = f"{windows.file}: {windows.most} of {windows.parts} in use at most"
    shown = [
        f"{name} {', '.join(_window_text(*window) for window in free)}"
        for name, free in windows.free.items()
        if free
    ]
    more = [f"{len(shown) - _MAX_WINDOWS} more"] if len(shown) > _MAX_WINDOWS else []
    return f"{text}; free in cycles: {'; '.join(shown[:_MAX_WINDOWS] + more)}" if shown else text


def _window_text(first: int, end: int) -> str:
    return f"{first}-{end - 1}" if end > first + 1 else str(first)


def use_text(use: Use, cycles: Count) -> str:
    """Return loads and stores: `1.78 loads and 0.44 stores a cycle`."""
    loads, stores = (ratio(count, cycles) or 0 for count in (use.loads, use.stores))
    return f"{loads:.2f} loads and {stores:.2f} stores a cycle"


def peak_text(peak: Peak) -> str:
    """Return the share of the peak: `peak 256 flop a cycle, of which 88.9 % are done`."""
    done = "?" if peak.share is None else f"{100 * peak.share:.1f} %"
    return f"peak {peak.flop_per_cycle:,} flop a cycle, of which {done} are done"


def by_savings(blocks: Iterable[BlockMoves]) -> list[BlockMoves]:
    """Return the blocks that moves make shorter, those that save most cycles first."""
    changed = [block for block in blocks if block.saved]
    return sorted(changed, key=lambda block: -(block.saved_cycles or 0))


def moves_text(report: PerformanceReport, block: BlockMoves) -> str:
    """Return the moves in a block and what they save: `lines 36 to 37: 1 bundle, 1 cycle: ...`."""
    cycles = "" if block.saved_cycles is None else f", {counted(block.saved_cycles, 'cycle')}"
    size = counted(block.saved, report.isa.unit)
    lines = f"line{'s' * (' ' in block.lines)} {block.lines}"
    return f"{lines}: {size}{cycles}: {moves_of(block)}"


def moves_of(block: BlockMoves) -> str:
    """Return the moves in a block: `set, line 37 -> line 36`."""
    moves = [f"{m.origin.mnemonic}, line {m.origin.line} -> line {m.target}" for m in block.moves]
    more = [f"{len(moves) - _MAX_MOVES} more"] if len(moves) > _MAX_MOVES else []
    return "; ".join(moves[:_MAX_MOVES] + more)


def limit_text(report: PerformanceReport, block: BlockMoves) -> str:
    """Return why a packed block is not shorter: `no fewer than 2 bundles: lr is full`."""
    length = counted(len(block.addresses) - block.saved, report.isa.unit)
    if block.full:
        verb = "is" if len(block.full) == 1 else "are"
        return f"no fewer than {length}: {', '.join(block.full)} {verb} full"
    if block.chain:
        places = " -> ".join(dict.fromkeys(f"line {place.line}" for place in block.chain))
        return f"no fewer than {length}: each instruction waits for the one before, {places}"
    return f"no order with fewer than {length} was found"


def overlap_limit_text(limit: Limit, unit: str) -> str:
    """Return why overlapping iterations cannot begin more often, with instructions and lines."""
    length = counted(limit.bundles, unit)
    if limit.bundles == 1:
        return f"overlapping iterations may take {length}"
    start = f"overlapping iterations take no fewer than {length}"
    places = [f"{each.mnemonic} (line {each.line})" for each in limit.instructions]
    shown = places[:_MAX_MOVES] + (["..."] if len(places) > _MAX_MOVES else [])
    if limit.slots:
        verb = "is" if len(limit.slots) == 1 else "are"
        return f"{start}: {', '.join(limit.slots)} {verb} full with {', '.join(shown)}"
    if limit.delay_slots:
        return f"{start}: {places[0]} has {counted(limit.delay_slots, 'delay slot')}"
    return f"{start}: each waits for the one before, {' -> '.join([*shown, places[0]])}"


_CAUSES = {
    WAITS: "wait for a result",
    DELAY: "are delay slots",
    ENDED: "have nothing left to issue",
    FREE: "could hold a later instruction",
}


def picture_text(picture: Picture) -> str:
    """Return why slots are empty: `empty slots: 12 wait for a result, 4 are delay slots`."""
    causes = picture.causes
    texts = [f"{causes[kind]:,} {text}" for kind, text in _CAUSES.items() if causes[kind]]
    return f"empty slots: {', '.join(texts)}" if texts else "no slot is empty"


def lanes_text(report: PerformanceReport, loop: LoopReport) -> str:
    """Return the use of lanes: `empty slots: main 0 of 3, aux 2 of 3 (66.7 %)`; "" if unknown."""
    isa, own = report.isa, len(loop.own)
    lanes = [slot.name for slot in isa.working_slots]
    if report.end is not None or isa.has_exposed_pipeline or len(lanes) < 2:
        return ""
    used = {each.slot: each.operations for each in loop.pressure}
    empty = {lane: max(0, own - used.get(lane, 0)) for lane in lanes}
    texts = [f"{lane} {count} of {own}" + _share(count, own) for lane, count in empty.items()]
    return f"empty slots: {', '.join(texts)}"


def _share(part: int, whole: int) -> str:
    return f" ({percent(part, whole)})" if part else ""


def bounds_of(loop: LoopReport) -> str:
    """Return what keeps a loop from taking fewer bundles: slots, a dependence, or its branch."""
    if loop.limit is not None and loop.limit.is_dependence:
        return "dependence"
    if loop.limit is not None and loop.limit.delay_slots:
        return "delay slots"
    return ", ".join(each.slot for each in loop.pressure if each.bundles == loop.bound)


def headroom_text(loop: LoopReport, unit: str) -> str:
    """Return how far the hottest loop is from its bound: `bounds it: 11 of 16 bundles`."""
    least, own = loop.bound, len(loop.own)
    if least >= own:
        return f"bounds it: at its bound of {counted(own, unit)}"
    return f"bounds it: {least} of {counted(own, unit)} are needed"
