"""Hardware repeats: which bundles they repeat, and where those stand, as far as it is certain.

Positions are bytes behind the last alignment that settles them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
from typing import Iterator, NamedTuple

from ipu_asm.bundle import Bundle
from ipu_asm.isa.operands import number_value
from ipu_asm.program import Program

MOST_BUNDLES = 256
ALIGNMENT = 8
_SINGLE = 4
_BUNDLE = 8
REPEATING = "repeat"
_ALIGNING = {".align": 1, ".balign": 1, ".p2align": 2}
_LARGEST = 64
# Directives that put nothing where they stand.
_SILENT = re.compile(
    r"\.(?:globa?l|type|size|set|equi?v?|extern|weak|hidden|local|loc|file|ident"
    r"|worker|supervisor|(?:allow|warn_on|error_on)_\w+)"
)
_DEFINING = re.compile(r"#\s*(?:define|undef)\b")
_LABEL = re.compile(r"(?<![\w.$])(?:[0-9]+[bf]|[A-Za-z_.][\w.$]*)(?![\w.$])")
_VAGUE = re.compile(r"\\|[A-Za-z_]\w*\(")
# The largest value of which one instruction is made; others may take two.
_SHORT_CONSTANT = (1 << 20) - 1


class Repeat(NamedTuple):
    """An instruction that repeats: its bundle and its place there."""

    bundle: int
    instruction: int


@lru_cache(maxsize=1)
def repeats_of(program: Program) -> tuple[Repeat, ...]:
    """All repeats of a program."""
    return tuple(
        Repeat(number, place)
        for number, bundle in enumerate(program.bundles)
        if REPEATING in bundle.traits
        for place, instruction in enumerate(bundle.instructions)
        if instruction.spec is not None
        and REPEATING in instruction.spec.traits
        and not instruction.problems
    )


def body_of(program: Program, repeat: Repeat) -> Iterator[int]:
    """The bundles that are repeated, with instructions all of which are known.

    Where macros or conditions stand in between it ends before them. A body whose length cannot be
    told has at least one bundle.
    """
    length, end = _extent(program, repeat)
    for number in range(repeat.bundle + 1, min(end, len(program.bundles))):
        bundle = program.bundles[number]
        if length <= 0 or not _goes_on(bundle):
            return
        if bundle.instructions:
            yield number
            length -= _BUNDLE if bundle.syntax.plan.braces else _SINGLE


def _goes_on(bundle: Bundle) -> bool:
    """Whether the bundle is what it seems, so that it is known what follows it."""
    if bundle.directive:
        return bundle.directive in _ALIGNING or bool(_SILENT.fullmatch(bundle.directive))
    broken = bundle.syntax.plan.misfits or bundle.syntax.plan.inner
    return not broken and all(each.spec is not None for each in bundle.instructions)


def _extent(program: Program, repeat: Repeat) -> tuple[int, int]:
    """How many bytes are repeated at most, and the first bundle behind them at the latest."""
    instruction = program.bundles[repeat.bundle].instructions[repeat.instruction]
    value, text = instruction.values[-1], instruction.words[-1]
    everything = len(program.bundles)
    if isinstance(value, int):
        return (value + 1) * _BUNDLE, everything
    if _VAGUE.search(text):
        return 1, everything
    targets = [_bundle_of(program, label, repeat.bundle) for label in _LABEL.findall(text)]
    ends = [target for target in targets if target is not None and target > repeat.bundle]
    if not ends or None in targets:
        return 1, everything
    return everything * _BUNDLE, max(ends)


def _bundle_of(program: Program, label: str, origin: int) -> int | None:
    """The bundle that a label names, seen from another."""
    if label == ".":
        return origin
    if label[0].isdigit():
        numbers = program.numeric_labels.get(label[:-1], [])
        at = bisect_right(numbers, origin) - (label[-1] == "b")
        return numbers[at] if 0 <= at < len(numbers) else None
    return program.labels.get(label)


def ends_of_repeats(program: Program) -> Iterator[tuple[Repeat, int]]:
    """Each repeat whose place is certain, and where it ends."""
    position: int | None = None
    waiting = {repeat.bundle: repeat for repeat in repeats_of(program)}
    if not waiting:
        return
    for number, bundle in enumerate(program.bundles):
        if bundle.directive:
            position = _behind_directive(bundle, position)
        elif bundle.size:
            position = _behind(bundle, position)
        if number in waiting and position is not None:
            yield waiting[number], position


def is_aligned_anew(program: Program, repeat: Repeat) -> bool:
    """Whether an alignment stands between a repeat and what it repeats."""
    for bundle in program.bundles[repeat.bundle + 1 :]:
        if bundle.directive in _ALIGNING:
            return True
        if bundle.size or (bundle.directive and not _SILENT.fullmatch(bundle.directive)):
            return False
    return False


def _behind(bundle: Bundle, position: int | None) -> int | None:
    if position is None or not _goes_on(bundle):
        return None
    if bundle.syntax.plan.braces:
        return position + _BUNDLE
    instruction = bundle.instructions[0]
    if instruction.spec is not None and "macro" in instruction.spec.traits:
        value = instruction.values[-1]
        if not isinstance(value, int) or not 0 <= value <= _SHORT_CONSTANT:
            return None
    return position + _SINGLE


def _behind_directive(bundle: Bundle, position: int | None) -> int | None:
    words = bundle.syntax.words[bundle.syntax.plan.directive :]
    word = words[0]
    if word in _ALIGNING:
        value = number_value(words[1]) if len(words) > 1 else None
        if value is None or not 0 < value <= _LARGEST:
            return None
        step = value if _ALIGNING[word] == 1 else 1 << value
        if step % ALIGNMENT == 0:
            return 0
        return position if position is not None and _SINGLE % step == 0 else None
    if _SILENT.fullmatch(word) or _DEFINING.match(word) or words[1:2] == ("=",):
        return position
    return None
