"""Changes of sources by a command: written to their files, or shown as unified differences.

Apart from `console`: most runs change nothing, and what this needs takes 3 ms to load.
"""

from __future__ import annotations

import re
import sys
from typing import Iterator

from ipu_asm.cli.console import write, write_bytes
from ipu_asm.config.file_writing import rewrite_file
from ipu_asm.config.files import SourceText, Target
from ipu_asm.diagnostics.rendering import printable, visible

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_STYLES = {"-": "31", "+": "32", "@": "36"}


def write_change(target: Target, original: SourceText, text: str) -> bool:
    """Write a changed text to its file; standard input is always copied to standard output.

    Returns whether the text has changed. Raises `FileError`.
    """
    if target.is_standard_input:
        write_bytes(original.encoded(text))
        return text != original.text
    if text == original.text:
        return False
    return rewrite_file(target.name, original.encoded(original.text), original.encoded(text))


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
    import difflib  # 2 ms, for `--diff` alone

    name = printable(name)
    for line in difflib.unified_diff(_LINE.findall(old), _LINE.findall(new), name, name):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
