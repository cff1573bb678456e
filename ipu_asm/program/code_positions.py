"""Positions of code in bytes, and the no-ops that fill alignments, in sets with bundles of bytes.

A position is known where the text since the last alignment, or since the start of the section,
tells every size. Machines execute the no-ops, so that they have addresses like bundles.
"""

from __future__ import annotations

import re
from itertools import product
from typing import Iterator, Sequence

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.isa.model import Isa
from ipu_asm.isa.operands import number_value
from ipu_asm.isa.storage import BundleLayouts, CodeSizes
from ipu_asm.isa.surface import ARGUMENTS, INTEGERS
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.edits import BundleDiff, LocalResult, SlicedText
from ipu_asm.program.program import Program
from ipu_asm.syntax.directives import directive_arguments

REPEATING = "repeat"
"""The trait of instructions that repeat those after them."""
ALIGNING = {".align": 1, ".balign": 1, ".p2align": 2}
_MAX_STEP = 1 << 12
# The number of bundles before a place that are examined to find its position.
_FARTHEST = 2_000
# Directives that emit nothing.
SILENT = re.compile(
    r"\.(?:globa?l|type|size|set|equi?v?|eqv|extern|weak|hidden|local|protected|internal|loc|file"
    r"|ident|cfi_\w+|addrsig\w*|worker|supervisor|version|no_dead_strip"
    r"|(?:allow|warn_on|error_on)_\w+)"
)
_TEXT, _CODE = ".text", (".text", ".init")
_PLAIN = (".text", ".data", ".bss")
_SECTIONS = (*_PLAIN, ".section", ".pushsection", ".popsection", ".previous")
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
        sizes = code_sizes(isa)
        alignment = _alignment_of(isa, bundle)
        if alignment is not None:
            if alignment.step % sizes.bundle == 0:
                return -alignment.step
            return 0 if sizes.single % alignment.step == 0 else None
        return 0 if _emits_nothing(bundle) else None
    return size_of(isa, bundle)


def size_of(isa: Isa, bundle: Bundle) -> int | None:
    """Return the size in bytes of a bundle of instructions; None if it is not known."""
    if not bundle.size:
        return 0
    if not is_known(isa, bundle):
        return None
    sizes = code_sizes(isa)
    if sizes.layouts is not None:
        return _least_layout(sizes.layouts, bundle)
    if bundle.syntax.plan.braces:
        return sizes.bundle
    instruction = bundle.instructions[0]
    if instruction.spec is not None and "macro" in instruction.spec.traits:
        value = instruction.values[-1] if instruction.values else None
        if not isinstance(value, int):
            return None
        if not 0 <= value <= _SHORT_CONSTANT:
            return 2 * sizes.single
    return sizes.single


def _least_layout(layouts: BundleLayouts, bundle: Bundle) -> int | None:
    """The bytes of the smallest bundle that holds all instructions, in any of their slots."""
    readings = [
        [spec.slot for spec in (each.spec, *(o.spec for o in each.others)) if spec is not None]
        for each in bundle.instructions
    ]
    found = [layouts.size_of(slots) for slots in product(*readings)]
    return min((size for size in found if size is not None), default=None)


def _emits_nothing(bundle: Bundle) -> bool:
    """Whether a directive puts nothing into a section, and stays in it."""
    word = (bundle.directive or "").lower()
    words = bundle.syntax.words[bundle.syntax.plan.directive :]
    return bool(SILENT.fullmatch(word) or _DEFINING.match(word) or words[1:2] == ("=",))


class _Alignment(NamedTuple):
    """An alignment to a multiple of `step` bytes, unless that takes more than `most` bytes.

    It `has_value` where it is filled with something else than no-ops.
    """

    step: int
    most: int
    has_value: bool


@cached_on_bundle
def _alignment_of(_isa: Isa, bundle: Bundle) -> _Alignment | None:
    """What a directive aligns to, if it is plain to see."""
    power = ALIGNING.get((bundle.directive or "").lower())
    arguments = directive_arguments(bundle.syntax) if power else None
    texts = [argument.text for argument in arguments or ()]
    value = number_value(texts[0]) if texts else None
    most = number_value(texts[2]) if len(texts) > 2 else _MAX_STEP
    if value is None or most is None or not 0 <= value <= _MAX_STEP:
        return None
    step = 1 << min(value, _MAX_STEP.bit_length()) if power == 2 else max(value, 1)
    if step > _MAX_STEP or step & (step - 1):
        return None
    return _Alignment(step, most, len(texts) > 1 and bool(texts[1]))


def with_no_ops(
    isa: Isa, slices: SlicedText, diff: BundleDiff | None = None
) -> tuple[SlicedText, BundleDiff | None]:
    """Return slices whose alignments have the no-ops that fill them.

    `diff` is the difference to an earlier state; the second result is that with no-ops.
    """
    if isa.code_sizes is None:
        return slices, diff
    found = {
        number: bundle
        for number, bundle in _filled(isa, slices.bundles)
        if bundle is not slices.bundles[number]
    }
    if not found:
        return slices, diff
    bundles = [*slices.bundles]
    for number, bundle in found.items():
        bundles[number] = bundle
    return slices._replace(bundles=bundles), diff and diff.widened(found)


def _filled(isa: Isa, bundles: Sequence[Bundle]) -> Iterator[tuple[int, Bundle]]:
    """Yield the alignments in code with their no-ops, by number."""
    taken = [_taken_plainly(isa, bundle) for bundle in bundles]
    sections = _Sections(code_sizes(isa))
    last = 0
    for number in [number for number, size in enumerate(taken) if size < 0]:
        sections.append(sum(taken[last:number]))
        last = number + 1
        bundle = bundles[number]
        word = (bundle.directive or "").lower()
        if word in ALIGNING:
            yield number, bundle.with_no_ops(sections.aligned(_alignment_of(isa, bundle)))
        elif word in _SECTIONS:
            sections.enter(word, [each.text for each in directive_arguments(bundle.syntax) or ()])
        else:
            sections.append(_data_size(bundle))


@cached_on_bundle
def _taken_plainly(isa: Isa, bundle: Bundle) -> int:
    """The size of a bundle of code in bytes; -1 for what else a section may get."""
    if bundle.directive:
        return 0 if _emits_nothing(bundle) else -1
    size = size_of(isa, bundle)
    return -1 if size is None else size


def _data_size(bundle: Bundle) -> int | None:
    taken = ARGUMENTS.get((bundle.directive or "").lower())
    arguments = directive_arguments(bundle.syntax)
    if taken is None or taken.kind != INTEGERS or arguments is None:
        return None
    return taken.bits // 8 * len(arguments)


class _Sections:
    """The place in each section while a text is read: bytes from a multiple of a number of bytes.

    The bytes are None where they are not known.
    """

    def __init__(self, sizes: CodeSizes) -> None:
        self._sizes = sizes
        self._ends: dict[str, tuple[int | None, int]] = {}
        self._is_code: dict[str, bool] = {}
        self._name = self._previous = _TEXT
        self._outer: list[tuple[str, str]] = []

    def append(self, size: int | None) -> None:
        before, step = self._ends.get(self._name, (0, _MAX_STEP))
        after = None if size is None or before is None else before + size
        self._ends[self._name] = after, step

    def aligned(self, alignment: _Alignment | None) -> int | None:
        """Align; return the number of no-ops for that, None if it is not known."""
        before, known = self._ends.get(self._name, (0, _MAX_STEP))
        if alignment is None:
            self.append(None)
            return None if self._holds_code else 0
        gap = None if before is None or alignment.step > known else -before % alignment.step
        if gap is None:
            is_sure = alignment.most >= alignment.step - 1
            self._ends[self._name] = (0 if is_sure else None), alignment.step
        elif gap <= alignment.most:
            self.append(gap)
        else:
            gap = 0
        if not gap or not self._holds_code:
            return gap if self._holds_code else 0
        is_filled = not alignment.has_value and gap % self._sizes.single == 0
        return -(-gap // self._sizes.filling) if is_filled else None

    @property
    def _holds_code(self) -> bool:
        return self._is_code.get(self._name, self._name.startswith(_CODE))

    def enter(self, word: str, texts: Sequence[str]) -> None:
        """Go on in the section that a directive names."""
        left = self._name, self._previous
        if word == ".popsection":
            self._name, self._previous = self._outer.pop() if self._outer else left
            return
        if word == ".pushsection":
            self._outer.append(left)
        if word == ".previous":
            self._name = self._previous
        else:
            self._name = texts[0].strip('"') if texts and word not in _PLAIN else word
            flags = next((each for each in texts[1:] if each[:1] == '"'), None)
            if flags is not None:
                self._is_code.setdefault(self._name, "x" in flags)
        self._previous = left[0]
