"""Numeric events of a bundle, such as NaNs that it created or integer sums that wrapped.

A probe detects them from the registers before and after the bundle. Which instructions can have
events is the business of each machine.
"""

from __future__ import annotations

from typing import Any, Callable, NamedTuple, Sequence, TypeAlias

from ipu_asm.assembler.decode import DecodedInstruction


class NumericEvent(NamedTuple):
    """An event in `number` elements of a register of words; `first` is the lowest index.

    `exact` is the sum that did not fit; None for a NaN. A scalar register has one element.
    """

    instruction: DecodedInstruction
    register: str
    number: int
    first: int
    exact: int | None = None


Probe: TypeAlias = Callable[[Any, Any], list[NumericEvent]]
"""Returns the events of a bundle, from the registers before it and those after it."""

ProbeMaker: TypeAlias = Callable[[Sequence[DecodedInstruction], Any], Probe | None]
"""Returns the probe of a bundle with these instructions, for states with the given settings; None
if it can have no such event."""
