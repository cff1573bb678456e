"""Scheduled regions and the text of their bundles: straight code, or loops whose turns overlap."""

from __future__ import annotations

import re
from itertools import combinations, pairwise
from typing import Iterable, Sequence

from ipu_asm.flow.accesses import RegisterAccess
from ipu_asm.flow.packing.operations import Operation
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.build import read_program
from ipu_asm.program.code_positions import code_sizes, size_of
from ipu_asm.program.program import Program
from ipu_asm.text import Span, TextEdit

INDENT = "    "
_REMARK = re.compile(r"//(.*)|/\*(.*?)\*/", re.S)


class Region(NamedTuple):
    """Operations to schedule: their bundles, and registers whose addresses never meet.

    With a `counter`, they are the body of a loop, which has the number of its turns, `least` at
    least.
    """

    name: str
    addresses: range
    disjoint: frozenset[str]
    counter: str = ""
    least: int = 1


class ScheduledRegion(NamedTuple):
    """A region, its operations with their accesses, and the bundle and the text of each of them.

    `length` counts the bundles; delay slots are among them. An `interval` is that of a loop.
    """

    region: Region
    operations: Sequence[Operation]
    accesses: Sequence[Sequence[RegisterAccess]]
    times: Sequence[int]
    texts: Sequence[str]
    length: int
    interval: int = 0

    @property
    def stages(self) -> int:
        """The turns of a loop that are under way at the same time."""
        return max(self.times) // self.interval + 1 if self.interval else 1

    def turns(self, count: int) -> ScheduledRegion:
        """Return the operations of so many turns of a loop, one turn after the other."""
        times = [t + turn * self.interval for turn in range(count) for t in self.times]
        return self._replace(
            operations=[*self.operations] * count,
            accesses=[*self.accesses] * count,
            times=times,
            texts=[*self.texts] * count,
        )


class RegionText(NamedTuple):
    """The lines of a region: those before a loop, its body, and those after it.

    `setup` and `entry` make the loop; a region without a loop is a `prologue`.
    """

    setup: Sequence[str]
    prologue: Sequence[str]
    entry: Sequence[str]
    body: Sequence[str]
    epilogue: Sequence[str]
    exit: Sequence[str]

    @property
    def lines(self) -> list[str]:
        return [line for part in self for line in part]


def region_text(program: Program, found: ScheduledRegion) -> RegionText:
    """Return the text of a region in bundles; comments go with their operations."""
    isa, interval = program.isa, found.interval
    remarks = _remarks(program, found)
    if not interval:
        return RegionText((), _lines(isa, found, range(found.length), remarks), (), (), (), ())
    ahead = interval * (found.stages - 1)
    turns = found.turns(found.stages)
    prologue = _lines(isa, turns, range(ahead))
    body = _lines(isa, turns, range(ahead, ahead + interval), remarks * found.stages, is_body=True)
    epilogue = _lines(isa, turns, range(ahead + interval, ahead + found.length))
    return _with_loop(isa, found, RegionText((), prologue, (), body, epilogue, ()))


def _with_loop(isa: Isa, found: ScheduledRegion, text: RegionText) -> RegionText:
    """Add the set-up of a hardware loop, its labels, and the updates of its counter."""
    scheduling, counter, ahead = isa.scheduling, found.region.counter, found.stages - 1
    assert scheduling is not None
    label = f".Lloop{found.region.addresses[0]}"
    values = {"turns": counter, "start": label, "end": f"{label}_last", "last": found.interval - 1}

    def filled(lines: Iterable[str], added: int) -> list[str]:
        return [f"{INDENT}{each.format(**values, added=added)}" for each in lines]

    setup, before, body = filled(scheduling.loop_setup, -ahead), [*text.prologue], [*text.body]
    padding = [f"{INDENT}nop"] * max(0, scheduling.setup_bundles - len(before))
    alignment = [f"{INDENT}{scheduling.loop_alignment}"]
    if before and isa.has_exposed_pipeline:
        aligned = _aligned(isa, [*padding, *before])
        padding, before = aligned[: -len(before)], aligned[-len(before) :]
        setup += alignment
    entry = [*alignment, *filled(scheduling.loop_entry, -ahead)]
    if any(label in line for line in setup):
        entry.append(f"{label}:")
        body.insert(-1, f"{label}_last:")
    updates = [scheduling.counter_update] if scheduling.counter_update and ahead else []
    setup = [*filled(updates, -ahead), *setup, *padding]
    return RegionText(setup, before, entry, body, text.epilogue, filled(updates, ahead))


def _aligned(isa: Isa, lines: Sequence[str]) -> list[str]:
    """Pad bundles, so that they end at an aligned address if they begin at one.

    What fills an alignment is a bundle of its own, in which results would land: so a bundle is
    written with its no-ops, or one of no-ops goes in front.
    """
    bundles = [
        bundle
        for bundle in read_program(isa, "".join(f"{line}\n" for line in lines)).bundles
        if bundle.instructions
    ]
    sizes = [size_of(isa, bundle) or 0 for bundle in bundles]
    gap = -sum(sizes) % code_sizes(isa).bundle
    for number, bundle in enumerate(bundles if gap else ()):
        slots = [i.spec.slot for i in bundle.instructions if i.spec and not i.is_idle]
        texts = _no_ops(isa, slots, sizes[number] + gap)
        if texts:
            written = [lines[number].strip(), *texts] if slots else texts
            return [*lines[:number], f"{INDENT}{'; '.join(written)}", *lines[number + 1 :]]
    return [f"{INDENT}{'; '.join(_no_ops(isa, (), gap))}", *lines] if gap else [*lines]


def _no_ops(isa: Isa, slots: Sequence[str], size: int) -> list[str]:
    """Return the fewest no-ops that give a bundle with some slots a size; empty if none do."""
    layouts = code_sizes(isa).layouts
    assert layouts is not None
    no_ops = {each.slot: each.mnemonic for each in isa.instructions.values() if each.nop}
    for count in range(1, len(no_ops)):
        for names in combinations(no_ops, count):
            if layouts.size_of((*slots, *names)) == size:
                return [no_ops[name] for name in names]
    return []


def _lines(
    isa: Isa,
    found: ScheduledRegion,
    places: range,
    remarks: Sequence[str] = (),
    *,
    is_body: bool = False,
) -> list[str]:
    """Return the lines of the bundles at some times.

    Without an exposed pipeline empty bundles are left out, except in the body of a loop.
    """
    lines = []
    for place in places:
        bundle = [number for number, time in enumerate(found.times) if time == place]
        bundle.sort(key=lambda number: found.operations[number].address)
        if bundle or isa.has_exposed_pipeline or is_body:
            said = "; ".join(remarks[n] for n in bundle if remarks and remarks[n])
            code = _bundle(isa, found, bundle, is_body=is_body)
            lines.append(f"{INDENT}{code}{'  // ' + said if said else ''}")
    return lines


def _bundle(isa: Isa, found: ScheduledRegion, numbers: Sequence[int], *, is_body: bool) -> str:
    assert isa.scheduling is not None
    no_ops = isa.scheduling.no_ops
    if not no_ops:
        return "; ".join(found.texts[number] for number in numbers) or "nop"
    written = dict(no_ops) if is_body else {}
    written |= {found.operations[number].slot: found.texts[number] for number in numbers}
    texts = [written[slot] for slot in no_ops if slot in written]
    return texts[0] if len(texts) == 1 else f"{{ {' ; '.join(texts)} }}"


def region_edit(program: Program, found: ScheduledRegion) -> TextEdit:
    """Return the edit that replaces the operations of a region by its bundles."""
    text, spans = program.text, [span_of(program, each) for each in found.operations]
    start = text.rfind("\n", 0, spans[0].start) + 1
    begins = start if not text[start : spans[0].start].strip() else spans[0].start
    written = "\n".join(region_text(program, found).lines)
    span = Span(begins, line_end(text, spans[-1].end))
    return TextEdit(span, written if begins == start else written.lstrip())


def _remarks(program: Program, found: ScheduledRegion) -> list[str]:
    """Return the comments of each operation, which are between it and the next one."""
    text, spans = program.text, [span_of(program, each) for each in found.operations]
    ends = [*(after.start for _, after in pairwise(spans)), line_end(text, spans[-1].end)]
    gaps = (text[span.end : end] for span, end in zip(spans, ends))
    return [
        " ".join(" ".join((m[1] or m[2] or "").split()) for m in _REMARK.finditer(gap)).strip()
        for gap in gaps
    ]


def span_of(program: Program, operation: Operation) -> Span:
    """Return the range of an operation in the text."""
    number = program.bundle_at_address[operation.address]
    syntax = program.bundles[number].syntax
    return program.span(number, syntax.instruction_span(operation.number))


def line_end(text: str, offset: int) -> int:
    """Return the end of the line around an offset."""
    end = text.find("\n", offset)
    return len(text) if end < 0 else end
