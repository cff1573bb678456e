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
    uri, lines = _page(isa.name)
    line = lines.get(_heading(isa, spec))
    return None if line is None else f"{uri}#L{line}"


def _heading(isa: Isa, spec: InstructionSpec) -> str:
    from ipu_asm.reports.reference import heading_of

    return heading_of(isa, spec)


@lru_cache(maxsize=16)
def _page(name: str) -> tuple[str, Mapping[str, int]]:
    """Return the URI of an instruction set's page, and the first line of each heading.

    There are no headings without the page.
    """
    path = Path(os.path.dirname(pages_folder()), "reference", f"{name}.md")
    found: dict[str, int] = {}
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return "", found
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("### "):
            found.setdefault(line.removeprefix("### "), number)
    return path.as_uri(), found
