"""Unified differences of texts on standard output."""

from __future__ import annotations

import difflib
import re
import sys
from typing import Iterator

from ipu_asm.cli.console import write, write_bytes
from ipu_asm.diagnostics.rendering import printable, visible

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_STYLES = {"-": "31", "+": "32", "@": "36"}


def show_difference(name: str, old: str, new: str, color: bool) -> None:
    """Write a unified diff of one file, either for `patch` or with colours.

    Control characters in a source are replaced, so that they do not reach a terminal; a diff with
    such lines does not apply.
    """
    for line in unified_diff(name, old, new):
        if color:
            style = _STYLES.get(line[0])
            shown = printable(line.rstrip("\n"))
            write(f"\x1b[{style}m{shown}\x1b[0m\n" if style else f"{shown}\n", sys.stdout)
        else:
            write_bytes(visible(line).encode("utf-8", "surrogateescape"))


def unified_diff(name: str, old: str, new: str) -> Iterator[str]:
    """Yield the lines of a unified diff with their line breaks; nothing for equal texts."""
    if old == new:
        return
    name = printable(name)
    for line in difflib.unified_diff(_LINE.findall(old), _LINE.findall(new), name, name):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
