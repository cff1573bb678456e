"""Files to compare the machine with: how debuggers are told to read them."""

from __future__ import annotations

from typing import Callable, TypeAlias

from ipu_asm.debugger.expressions import ExpressionError, Location, MachineView
from ipu_asm.text import Span

ReadExpected: TypeAlias = Callable[[str, Location, MachineView], bytes]
"""Returns the bytes that a file expects at a location, in its type. Raises ExpressionError."""


def no_files(name: str, location: Location, view: MachineView) -> bytes:
    """Refuse to read: for debuggers without access to files."""
    raise ExpressionError("files cannot be read here", Span(0, len(name)))
