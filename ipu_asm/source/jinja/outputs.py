"""What the parts of a template have made, and what it cost."""

from __future__ import annotations

from typing import Any, Sequence

from jinja2 import Undefined
from jinja2.runtime import Macro

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.jinja.limits import MOST_CREATED, MOST_STEPS
from ipu_asm.source.jinja.pieces import Leaves, Piece
from ipu_asm.source.jinja.sandbox import Recorder

_CONSTANTS = (str, int, float, complex, type(None), range, Macro, Undefined)
_COLLECTIONS = (list, tuple, dict, set, frozenset)


class PartOutput:
    """What a part has made in one context.

    `assigned` are the values of the names that it may set. `undefined`, `values` and `loop_values`
    are those of the `Recorder`; `steps` and `created` are what the part cost.
    """

    steps = 0
    created = 0

    def __init__(self, made: Piece, recorder: Recorder, assigned: dict[str, Any]) -> None:
        self.text = str.__str__(made)
        self.assigned = assigned
        self.is_branch_unknown = recorder.is_branch_unknown
        self.undefined = recorder.undefined
        self.values = recorder.values
        self.loop_values = recorder.loop_values
        self._made: Piece | Leaves = made

    @property
    def leaves(self) -> Leaves:
        """The strings that the text consists of."""
        if not isinstance(self._made, Leaves):
            self._made = Leaves(self._made)
        return self._made

    def with_literal(self, number: int, text: str) -> PartOutput | None:
        """Return the output with another text in the place of a literal; None if not known."""
        leaves = self.leaves.with_literal(number, text)
        if leaves is None:
            return None
        made: PartOutput = object.__new__(PartOutput)
        made.__dict__.update(self.__dict__)
        made.text, made._made = "".join(leaves.texts), leaves
        return made


class Cost(NamedTuple):
    """What the outputs of parts cost together, and whether any of them used an undefined value."""

    steps: int
    created: int
    has_undefined: bool

    @classmethod
    def of(cls, outputs: Sequence[PartOutput]) -> Cost:
        """Return the cost of some outputs."""
        return cls(
            sum([output.steps for output in outputs]),
            sum([output.created for output in outputs]),
            any(output.undefined for output in outputs),
        )

    def after(self, old: Cost, new: Cost) -> Cost:
        """Return the cost after some outputs, none of which used an undefined value, are others."""
        steps, created = (
            self.steps - old.steps + new.steps,
            self.created - old.created + new.created,
        )
        return Cost(steps, created, new.has_undefined)

    @property
    def is_over(self) -> bool:
        """Whether it is more than a template may cost."""
        return self.steps > MOST_STEPS or self.created > MOST_CREATED


def keeps_state(output: PartOutput) -> bool:
    """Return whether an output assigns a value that can change by itself."""
    return any(not _is_constant(value) for value in output.assigned.values())


def _is_constant(value: object) -> bool:
    """Return whether a value is always the same: unlike a namespace or an iterator."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            waiting += [*each.keys(), *each.values()]
        elif isinstance(each, _COLLECTIONS):
            waiting += each
        elif not isinstance(each, _CONSTANTS):
            return False
    return True
