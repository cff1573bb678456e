"""Hardware repeats: the bundles that they repeat, and whether these are aligned."""

from __future__ import annotations

import re
from typing import Iterator

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.flow.counted_loops.graph import bundle_of_label
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.code_positions import (
    ALIGNING,
    REPEATING,
    SILENT,
    code_sizes,
    is_known,
    position_after,
)
from ipu_asm.program.incremental_cache import LocalResult
from ipu_asm.program.program import Program

MOST_BUNDLES = 256
ALIGNMENT = 8
# A label that a macro numbers, as in ``end\@``, has the same spelling at each use.
_NUMBERED = r"\\(?:@|\(\)|\w)"
_LABEL = re.compile(rf"(?<![\w.$\\])(?:[0-9]+[bf]|[A-Za-z_.](?:[\w.$]|{_NUMBERED})*)(?![\w.$\\])")
_VAGUE = re.compile(r"(?<![\w.$@)])\\|[A-Za-z_]\w*\(")


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
    sizes = code_sizes(program.isa)
    for number in range(repeat.bundle + 1, min(end, len(program.bundles))):
        bundle = program.bundles[number]
        goes_on = length > 0 and is_known(program.isa, bundle)
        yield number, goes_on and bool(bundle.instructions)
        if not goes_on:
            return
        if bundle.instructions:
            length -= sizes.bundle if bundle.syntax.plan.braces else sizes.single
    yield min(end, len(program.bundles)), False


def _extent(program: Program, repeat: Repeat) -> tuple[int, int]:
    """Upper bounds for the number of repeated bytes and for the first bundle after them."""
    instruction = program.bundles[repeat.bundle].instructions[repeat.instruction]
    value, text = instruction.values[-1], instruction.words[-1]
    everything = len(program.bundles)
    if isinstance(value, int):
        return (value + 1) * ALIGNMENT, everything
    if _VAGUE.search(text):
        return 1, everything
    targets = [bundle_of_label(program, label, repeat.bundle) for label in _LABEL.findall(text)]
    ends = [target for target in targets if target is not None and target > repeat.bundle]
    if not ends or None in targets:
        return 1, everything
    return everything * ALIGNMENT, max(ends)


def is_misaligned(program: Program, number: int) -> bool:
    """Whether the body of a bundle's repeat certainly does not begin at a multiple of 8 bytes.

    Call it for all repeats in order: each position is computed from the previous one.
    """
    if not position_after(program, number):
        return False
    return program.per_bundle(_is_body_next, number)


def _is_body_next(program: Program, number: int) -> LocalResult[bool]:
    """Whether no alignment directive is between a bundle and the code after it."""
    last = number + 1
    for last in range(number + 1, len(program.bundles) + 1):
        if last == len(program.bundles):
            break
        bundle = program.bundles[last]
        if bundle.directive in ALIGNING:
            return LocalResult(0, last - number, False)
        if bundle.size or (bundle.directive and not SILENT.fullmatch(bundle.directive)):
            break
    return LocalResult(0, last - number, True)
