"""What the console answers."""

from __future__ import annotations

from typing import NamedTuple

from ipu_asm.debugger.expressions import Result
from ipu_asm.debugger.stop import Stop


class Answer(NamedTuple):
    """A text for the user.

    `stop` is where the machine stands if a command has moved it, `changed` whether something was
    written, `result` the value of an expression that was no more than that.
    """

    text: str
    stop: Stop | None = None
    changed: bool = False
    result: Result | None = None
