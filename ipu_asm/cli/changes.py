"""What `--fix` writes and `--diff` shows."""

from __future__ import annotations

import re
import sys
from typing import Iterator, Sequence

from ipu_asm.cli.console import write, write_bytes
from ipu_asm.cli.linting import Linted
from ipu_asm.files import FileProblem, replace_file
from ipu_asm.rendering import printable

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_STYLES = {"-": "31", "+": "32", "@": "36"}


def write_changes(linted: Sequence[Linted]) -> Iterator[FileProblem]:
    """Put the mended texts in place of the files, and what came from standard input on standard
    output, mended or not. Yields what could not be written.
    """
    for one in linted:
        data = one.written.encoded(one.analysis.text)
        if one.target.is_standard_input:
            write_bytes(data)
        elif one.analysis.text != one.written.text:
            try:
                replace_file(one.target.name, data)
            except FileProblem as problem:
                yield problem


def show_differences(linted: Sequence[Linted], color: bool) -> None:
    """Write a unified diff to standard output: one that `patch` understands, or one in colours."""
    for one in linted:
        for line in unified_diff(one.target.name, one.written.text, one.analysis.text):
            if color:
                style = _STYLES.get(line[0])
                shown = printable(line.rstrip("\n"))
                write(f"\x1b[{style}m{shown}\x1b[0m\n" if style else f"{shown}\n", sys.stdout)
            else:
                write_bytes(line.encode("utf-8", "surrogateescape"))


def unified_diff(name: str, old: str, new: str) -> Iterator[str]:
    """The lines of a unified diff, each with its line break; nothing for equal texts."""
    if old == new:
        return
    import difflib

    name = printable(name)
    for line in difflib.unified_diff(_LINE.findall(old), _LINE.findall(new), name, name):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
