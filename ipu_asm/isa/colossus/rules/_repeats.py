"""Hardware repeats: the bundles that they repeat, and their positions where these are certain.

Positions are bytes after the last alignment.
"""

from __future__ import annotations

import re
from typing import Iterator, NamedTuple

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.flow.counted_loops.graph import bundle_of_label
from ipu_asm.isa.model import Isa
from ipu_asm.isa.operands import number_value
from ipu_asm.program.incremental_cache import LocalResult
from ipu_asm.program.program import Program

MOST_BUNDLES = 256
ALIGNMENT = 8
_SINGLE = 4
_BUNDLE = 8
REPEATING = "repeat"
_ALIGNING = {".align": 1, ".balign": 1, ".p2align": 2}
_LARGEST = 64
_ANEW = -1
# The number of bundles before a repeat that are examined to find its position.
_FARTHEST = 2_000
# Directives that emit nothing.
_SILENT = re.compile(
    r"\.(?:globa?l|type|size|set|equi?v?|extern|weak|hidden|local|loc|file|ident"
    r"|worker|supervisor|(?:allow|warn_on|error_on)_\w+)"
)
_DEFINING = re.compile(r"#\s*(?:define|undef)\b")
# A label that a macro numbers, as in ``end\@``, has the same spelling at each use.
_NUMBERED = r"\\(?:@|\(\)|\w)"
_LABEL = re.compile(rf"(?<![\w.$\\])(?:[0-9]+[bf]|[A-Za-z_.](?:[\w.$]|{_NUMBERED})*)(?![\w.$\\])")
_VAGUE = re.compile(r"(?<![\w.$@)])\\|[A-Za-z_]\w*\(")
# The largest value that one instruction can set; others may take two.
_SHORT_CONSTANT = (1 << 20) - 1


class Repeat(NamedTuple):
    """An instruction that repeats: its bundle and its place there."""

    bundle: int
    instruction: int


def repeats(_isa: Isa, bundle: Bundle) -> bool:
    """Whether a bundle has an instruction that repeats."""
    return REPEATING in bundle.traits


def repeats_in(program: Program, number: int) -> list[Repeat]:
    """The repeats in a bundle."""
    return [
        Repeat(number, place)
        for place, instruction in enumerate(program.bundles[number].instructions)
        if instruction.spec is not None
        and REPEATING in instruction.spec.traits
        # A count given by a name that a macro may define is valid.
        and all(problem.dropped_if_defined for _, problem in instruction.findings)
    ]


def body_of(program: Program, repeat: Repeat) -> Iterator[tuple[int, bool]]:
    """The bundles after a repeat, each with whether it is repeated, up to the last one examined.

    The body ends before a macro or condition. A body of unknown length has at least one bundle.
    All instructions of repeated bundles are known.
    """
    length, end = _extent(program, repeat)
    for number in range(repeat.bundle + 1, min(end, len(program.bundles))):
        bundle = program.bundles[number]
        goes_on = length > 0 and _goes_on(program.isa, bundle)
        yield number, goes_on and bool(bundle.instructions)
        if not goes_on:
            return
        if bundle.instructions:
            length -= _BUNDLE if bundle.syntax.plan.braces else _SINGLE
    yield min(end, len(program.bundles)), False


@cached_on_bundle
def _goes_on(isa: Isa, bundle: Bundle) -> bool:
    """Whether the content of a bundle is known, and therefore what follows it."""
    if bundle.directive:
        return bundle.directive in _ALIGNING or bool(_SILENT.fullmatch(bundle.directive))
    broken = bundle.syntax.plan.findings or bundle.syntax.plan.inner_directives
    return not broken and all(each.spec is not None for each in bundle.instructions)


def _extent(program: Program, repeat: Repeat) -> tuple[int, int]:
    """Upper bounds for the number of repeated bytes and for the first bundle after them."""
    instruction = program.bundles[repeat.bundle].instructions[repeat.instruction]
    value, text = instruction.values[-1], instruction.words[-1]
    everything = len(program.bundles)
    if isinstance(value, int):
        return (value + 1) * _BUNDLE, everything
    if _VAGUE.search(text):
        return 1, everything
    targets = [bundle_of_label(program, label, repeat.bundle) for label in _LABEL.findall(text)]
    ends = [target for target in targets if target is not None and target > repeat.bundle]
    if not ends or None in targets:
        return 1, everything
    return everything * _BUNDLE, max(ends)


def is_misaligned(program: Program, number: int) -> bool:
    """Whether the body of a bundle's repeat certainly does not begin at a multiple of 8 bytes.

    Call it for all repeats in order: each position is computed from the previous one.
    """
    position = program.per_bundle(_ending, number).position
    if position is None or position % ALIGNMENT == 0:
        return False
    return program.per_bundle(_is_body_next, number)


def _is_body_next(program: Program, number: int) -> LocalResult[bool]:
    """Whether no alignment directive is between a bundle and the code after it."""
    last = number + 1
    for last in range(number + 1, len(program.bundles) + 1):
        if last == len(program.bundles):
            break
        bundle = program.bundles[last]
        if bundle.directive in _ALIGNING:
            return LocalResult(0, last - number, False)
        if bundle.size or (bundle.directive and not _SILENT.fullmatch(bundle.directive)):
            break
    return LocalResult(0, last - number, True)


class _Ending(NamedTuple):
    """The number of bundles back to an alignment, and the bytes from it to the end of a bundle.

    The position is None if it is not certain; then `back` is the number of bundles examined.
    """

    back: int
    position: int | None


def _ending(program: Program, number: int) -> LocalResult[_Ending]:
    """The end of a bundle with a repeat, computed from the alignment or the repeat before it."""
    position = 0
    for back in range(min(number + 1, _FARTHEST)):
        bundle = program.bundles[number - back]
        if back and REPEATING in bundle.traits:
            return _after(program.per_bundle(_ending, number - back), back, position)
        taken = _taken(program.isa, bundle)
        if taken is None:
            return LocalResult(back, 0, _Ending(back, None))
        if taken == _ANEW:
            return LocalResult(back, 0, _Ending(back, position))
        position += taken
    back = min(number + 1, _FARTHEST)
    return LocalResult(back, 0, _Ending(back, None))


def _after(earlier: _Ending, distance: int, position: int) -> LocalResult[_Ending]:
    """The end of a bundle that is `distance` bundles and `position` bytes after another end."""
    back = min(distance + earlier.back, _FARTHEST)
    if earlier.position is None or back == _FARTHEST:
        return LocalResult(back, 0, _Ending(back, None))
    return LocalResult(back, 0, _Ending(back, earlier.position + position))


@cached_on_bundle
def _taken(isa: Isa, bundle: Bundle) -> int | None:
    """The size of a bundle in bytes; `_ANEW` for an alignment, None if it is unknown."""
    if bundle.directive:
        return _taken_by_directive(bundle)
    if not bundle.size:
        return 0
    if not _goes_on(isa, bundle):
        return None
    if bundle.syntax.plan.braces:
        return _BUNDLE
    instruction = bundle.instructions[0]
    if instruction.spec is not None and "macro" in instruction.spec.traits:
        value = instruction.values[-1]
        if not isinstance(value, int) or not 0 <= value <= _SHORT_CONSTANT:
            return None
    return _SINGLE


def _taken_by_directive(bundle: Bundle) -> int | None:
    words = bundle.syntax.words[bundle.syntax.plan.directive :]
    word = words[0]
    if word in _ALIGNING:
        value = number_value(words[1]) if len(words) > 1 else None
        if value is None or not 0 < value <= _LARGEST:
            return None
        step = value if _ALIGNING[word] == 1 else 1 << value
        if step % ALIGNMENT == 0:
            return _ANEW
        return 0 if _SINGLE % step == 0 else None
    is_silent = _SILENT.fullmatch(word) or _DEFINING.match(word) or words[1:2] == ("=",)
    return 0 if is_silent else None
