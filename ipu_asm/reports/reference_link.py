"""Links to the installed reference pages of instruction sets."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import Mapping

from ipu_asm.isa.model import InstructionSpec, Isa
from ipu_asm.lint.rule import pages_folder


def reference_link(isa: Isa, spec: InstructionSpec) -> str | None:
    """Return the place of an instruction in the reference as a `file:` URI with its line.

    Returns None if the page is not installed or does not have the instruction.
    """
    folder = os.path.join(os.path.dirname(pages_folder()), "reference")
    path = os.path.join(folder, f"{isa.name}.md")
    line = _lines_of_headings(path).get(_heading(isa, spec))
    return None if line is None else f"{Path(path).as_uri()}#L{line}"


def _heading(isa: Isa, spec: InstructionSpec) -> str:
    from ipu_asm.reports.reference import heading_of

    return heading_of(isa, spec)


@lru_cache(maxsize=16)
def _lines_of_headings(path: str) -> Mapping[str, int]:
    """Return the first line of each instruction's heading in a page; empty without the page."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return {}
    found: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("### "):
            found.setdefault(line.removeprefix("### "), number)
    return found
