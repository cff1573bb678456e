"""Numeric events of a bundle, such as NaNs that it created or integer sums that wrapped.

A probe detects them from the registers before and after the bundle. Which instructions can have
events is the business of each machine.
"""

from __future__ import annotations

from typing import Any, Callable, Protocol, Sequence, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ipu_asm.assembler.word_code import DecodedInstruction
from ipu_asm.emulator.core import checks
from ipu_asm.emulator.core.checks import ALWAYS, Check, Kind, Opcode
from ipu_asm.emulator.registers import RegisterFile, RegisterLayout
from ipu_asm.emulator.words import LANES, is_nan_word
from ipu_asm.named_tuple import NamedTuple

_INT32_LOWEST = -1 << 31


class NumericEvent(NamedTuple):
    """An event in `number` elements of a register of words; `first` is the lowest index.

    `exact` is the sum that did not fit; None for a NaN. A scalar register has one element.
    """

    instruction: DecodedInstruction
    register: str
    number: int
    first: int
    exact: int | None = None


class Probe(Protocol):
    """Detects the events of a bundle."""

    @property
    def check(self) -> Check:
        """The check, after the bundle, that it may have had an event."""

    def __call__(self, before: Any, after: Any) -> list[NumericEvent]:
        """Return the events, from the registers before the bundle and those after it."""


ProbeMaker: TypeAlias = Callable[[Sequence[DecodedInstruction], Any], Probe | None]
"""Returns the probe of a bundle with these instructions, for states with the given settings; None
if it can have no such event."""

IsOn: TypeAlias = Callable[[Any], bool]
"""Whether there are events at all, from the registers after a bundle."""


class NanProbe:
    """Detects float32 words of registers that a bundle changed to NaN.

    `written` has instructions with a register that they write.
    """

    def __init__(
        self,
        written: Sequence[tuple[DecodedInstruction, str]],
        layout: RegisterLayout,
        is_on: IsOn = lambda after: True,
    ) -> None:
        self._written = written
        self._layout = layout
        self._is_on = is_on

    @property
    def check(self) -> Check:
        """The check that a word of a register is NaN and was not before."""
        found = [self._new_nans(name) for name in dict.fromkeys(name for _, name in self._written)]
        check = found[0]
        for other in found[1:]:
            check = checks.binary(Opcode.OR, check, other)
        return check

    def __call__(self, before: Any, after: Any) -> list[NumericEvent]:
        """Return the events, from the registers before the bundle and those after it."""
        if not self._is_on(after):
            return []
        return [
            NumericEvent(instruction, name, int(fresh.sum()), int(fresh.argmax()))
            for instruction, name in self._written
            if (fresh := _new_nans(before, after, name)).any()
        ]

    def _new_nans(self, name: str) -> Check:
        place = self._layout.places[name]
        size = place.stop - place.start if isinstance(place, slice) else 4
        return checks.new_nans(checks.register_offset(self._layout, name), size)


class Computed(NamedTuple):
    """Words that an instruction computes and writes to registers.

    `exact` returns them as int64, from the registers before the bundle and those after it; `check`
    is true if one of them may be no int32.
    """

    instruction: DecodedInstruction
    registers: Sequence[str]
    exact: Callable[[Any, Any], NDArray[np.int64]]
    check: Check = ALWAYS


class OverflowProbe:
    """Detects words that a bundle computes and that exceed int32."""

    def __init__(self, computed: Sequence[Computed], is_on: IsOn = lambda after: True) -> None:
        self._computed = computed
        self._is_on = is_on

    @property
    def check(self) -> Check:
        """The check that a word may exceed int32."""
        check = self._computed[0].check
        for each in self._computed[1:]:
            check = checks.binary(Opcode.OR, check, each.check)
        return check

    def __call__(self, before: Any, after: Any) -> list[NumericEvent]:
        """Return the events, from the registers before the bundle and those after it."""
        if not self._is_on(after):
            return []
        found: list[NumericEvent] = []
        for instruction, registers, exact_words, _ in self._computed:
            exact = exact_words(before, after)
            wrapped = exact != exact.astype(np.int32)
            if wrapped.any():
                number, first = int(wrapped.sum()), int(wrapped.argmax())
                events = (
                    NumericEvent(instruction, name, number, first, int(exact[first]))
                    for name in registers
                )
                found += events
        return found


class Addend(NamedTuple):
    """A register of int32 words that is added, or subtracted: before the bundle, or after it."""

    register: str
    is_live: bool
    is_negative: bool = False


def overflow_check(layout: RegisterLayout, addends: Sequence[Addend]) -> Check:
    """Return the check that a sum of vectors and scalars exceeds int32 in a lane."""
    offsets = {each: checks.register_offset(layout, each.register) for each in addends}
    old, new = ([each for each in addends if each.is_live is live] for live in (False, True))
    is_plain = not any(each.is_negative or each.register not in layout.vectors for each in addends)
    if is_plain and len(old) == len(new) == 1:
        return checks.sum_overflows(offsets[old[0]], offsets[new[0]])
    total = checks.number(-_INT32_LOWEST)
    for each, offset in offsets.items():
        stride = 4 if each.register in layout.vectors else 0
        word = checks.load(Kind.I32, offset, stride, is_before=not each.is_live)
        total = checks.binary(Opcode.SUBTRACT if each.is_negative else Opcode.ADD, total, word)
    # Counted from the lowest int32 on, those that fit are 0 to 2^32 - 1.
    beyond = checks.binary(Opcode.SHIFT_RIGHT, total, checks.number(32))
    return checks.folded(Opcode.OR, checks.number(0), beyond, LANES)


def _new_nans(before: RegisterFile, after: RegisterFile, name: str) -> NDArray[np.bool_]:
    """A truth value per element: whether it is NaN now and was not before."""
    place = after.layout.places[name]
    if isinstance(place, int):
        is_new = is_nan_word(after.scalars[place]) and not is_nan_word(before.scalars[place])
        return np.array([is_new])
    nans: NDArray[np.bool_] = np.isnan(after.view(name, "<f4"))
    return nans & ~np.isnan(before.view(name, "<f4")) if nans.any() else nans
