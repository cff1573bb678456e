"""Tests of a machine's state for breakpoints, traps and queries, compiled from expressions."""

from __future__ import annotations

from typing import Callable

from ipu_asm.debugger.expressions import Context, ExpressionError, evaluate_condition, parse
from ipu_asm.debugger.expressions.compilation import compile_condition
from ipu_asm.debugger.expressions.fixed import registers_read
from ipu_asm.debugger.expressions.machine_view import MachineView
from ipu_asm.emulator.core.checks import ALWAYS, Check
from ipu_asm.emulator.state import AnyState

CurrentContext = Callable[[], Context]
"""Returns the context of a machine, with its present cycle."""

OnError = Callable[[ExpressionError], bool]
"""Called if an evaluation fails; returns whether the condition holds then."""


class ExpressionCondition:
    """A condition on the state of a machine, in the language of expressions.

    It is a `Condition`; besides, it says what a core needs to know so as not to ask it in vain.
    """

    def __init__(self, context: CurrentContext, text: str, on_error: OnError) -> None:
        self.text = text
        self._context = context
        self._on_error = on_error
        self._compiled: tuple[MachineView, Check] | None = None

    def __call__(self, state: AnyState) -> bool:
        """Return whether it holds."""
        try:
            return evaluate_condition(self._context(), self.text)
        except ExpressionError as error:
            return self._on_error(error)

    @property
    def check(self) -> Check:
        """The check that the condition may hold, in the present mode of the machine."""
        context = self._context()
        if self._compiled is None or self._compiled[0] is not context.view:
            self._compiled = context.view, self._compile(context)
        return self._compiled[1]

    @property
    def reads(self) -> frozenset[str] | None:
        """The registers, `xmem` among them, on which it depends; None if on the cycle as well."""
        try:
            return registers_read(self._context(), parse(self.text).node)
        except ExpressionError:
            return frozenset()  # it fails in every state

    def _compile(self, context: Context) -> Check:
        try:
            return compile_condition(context, parse(self.text).node) or ALWAYS
        except ExpressionError:
            return ALWAYS


def check_of(condition: object) -> Check:
    """Return the check that a condition of any kind may hold; None is one that always holds."""
    return condition.check if isinstance(condition, ExpressionCondition) else ALWAYS
