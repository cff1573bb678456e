"""What an analysis of a file found, apart from the analysis itself."""

from __future__ import annotations

from typing import Mapping

from ipu_asm.diagnostics import Diagnostic
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import SourceFile


class Found(NamedTuple):
    """What an analysis of a file found, before rules are selected.

    `empty` are the findings about a file with nothing to assemble, None if they were not asked for.
    `headers` are those with places of findings, `header_paths` all, also missing ones. `read` has
    the digest of each file that was looked for, None for one that is missing.
    """

    findings: tuple[Diagnostic, ...]
    empty: tuple[Diagnostic, ...] | None
    headers: Mapping[str, SourceFile]
    header_paths: frozenset[str]
    read: Mapping[str, str | None]
