"""Positions of code in bytes after an alignment, in sets whose instructions have fixed sizes.

A position is known where the text between the alignment and the code tells every size.
"""

from __future__ import annotations

import re
from typing import Sequence

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.isa.model import Isa
from ipu_asm.isa.operands import number_value
from ipu_asm.isa.storage import CodeSizes
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.incremental_cache import LocalResult
from ipu_asm.program.program import Program

REPEATING = "repeat"
"""The trait of instructions that repeat those after them."""
ALIGNING = {".align": 1, ".balign": 1, ".p2align": 2}
_LARGEST = 64
# The number of bundles before a place that are examined to find its position.
_FARTHEST = 2_000
# Directives that emit nothing.
SILENT = re.compile(
    r"\.(?:globa?l|type|size|set|equi?v?|extern|weak|hidden|local|loc|file|ident"
    r"|worker|supervisor|(?:allow|warn_on|error_on)_\w+)"
)
_DEFINING = re.compile(r"#\s*(?:define|undef)\b")
# The largest value that one instruction can set; others may take two.
_SHORT_CONSTANT = (1 << 20) - 1


def code_sizes(isa: Isa) -> CodeSizes:
    assert isa.code_sizes is not None
    return isa.code_sizes


def position_after(program: Program, number: int) -> int | None:
    """The position of the end of a bundle, modulo the size of a bundle; None if it is unknown."""
    position = program.per_bundle(_ending, number).position
    return None if position is None else position % code_sizes(program.isa).bundle


def no_ops_at(program: Program, number: int) -> int:
    """The number of no-ops that the assembler inserts at an alignment; 0 if it is unknown."""
    sizes, bundle = program.isa.code_sizes, program.bundles[number]
    if sizes is None or bundle.directive not in ALIGNING or number == 0:
        return 0
    step = _step(bundle.syntax.words[bundle.syntax.plan.directive :])
    before = program.per_bundle(_ending, number - 1)
    # The position counts from a multiple of `before.step` bytes.
    if step is None or before.position is None or before.step % step:
        return 0
    return -before.position % step // sizes.single


def _step(words: Sequence[str]) -> int | None:
    """The multiple of bytes to which an alignment directive leads, if it is plain to see."""
    value = number_value(words[1]) if len(words) > 1 else None
    if value is None or not 0 < value <= _LARGEST:
        return None
    return value if ALIGNING[words[0]] == 1 else 1 << value


@cached_on_bundle
def is_known(isa: Isa, bundle: Bundle) -> bool:
    """Whether the content of a bundle is known, and therefore what follows it."""
    if bundle.directive:
        return bundle.directive in ALIGNING or bool(SILENT.fullmatch(bundle.directive))
    broken = bundle.syntax.plan.findings or bundle.syntax.plan.inner_directives
    return not broken and all(each.spec is not None for each in bundle.instructions)


class _Ending(NamedTuple):
    """The number of bundles back to an alignment, and the bytes from it to the end of a bundle.

    The alignment is to a multiple of `step` bytes. The position is None if it is not certain; then
    `back` is the number of bundles examined.
    """

    back: int
    position: int | None
    step: int = 1


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
        if taken < 0:
            return LocalResult(back, 0, _Ending(back, position, -taken))
        position += taken
    back = min(number + 1, _FARTHEST)
    return LocalResult(back, 0, _Ending(back, None))


def _after(earlier: _Ending, distance: int, position: int) -> LocalResult[_Ending]:
    """The end of a bundle that is `distance` bundles and `position` bytes after another end."""
    back = min(distance + earlier.back, _FARTHEST)
    if earlier.position is None or back == _FARTHEST:
        return LocalResult(back, 0, _Ending(back, None))
    return LocalResult(back, 0, _Ending(back, earlier.position + position, earlier.step))


@cached_on_bundle
def _taken(isa: Isa, bundle: Bundle) -> int | None:
    """The size of a bundle in bytes, None if it is unknown; of an alignment, its step negated."""
    if bundle.directive:
        return _taken_by_directive(code_sizes(isa), bundle)
    if not bundle.size:
        return 0
    if not is_known(isa, bundle):
        return None
    sizes = code_sizes(isa)
    if bundle.syntax.plan.braces:
        return sizes.bundle
    instruction = bundle.instructions[0]
    if instruction.spec is not None and "macro" in instruction.spec.traits:
        value = instruction.values[-1]
        if not isinstance(value, int):
            return None
        if not 0 <= value <= _SHORT_CONSTANT:
            return 2 * sizes.single
    return sizes.single


def _taken_by_directive(sizes: CodeSizes, bundle: Bundle) -> int | None:
    words = bundle.syntax.words[bundle.syntax.plan.directive :]
    word = words[0]
    if word in ALIGNING:
        step = _step(words)
        if step is None:
            return None
        if step % sizes.bundle == 0:
            return -step
        return 0 if sizes.single % step == 0 else None
    is_silent = SILENT.fullmatch(word) or _DEFINING.match(word) or words[1:2] == ("=",)
    return 0 if is_silent else None
