"""Result of a console command."""

from __future__ import annotations

from typing import NamedTuple

from ipu_asm.debugger.expressions import Result
from ipu_asm.debugger.stop import Stop


class Answer(NamedTuple):
    """The text to show to the user.

    `stop` is the new position if the command moved the machine, `changed` whether it wrote a value,
    `result` the value if the input was an expression only.
    """

    text: str
    stop: Stop | None = None
    changed: bool = False
    result: Result | None = None
