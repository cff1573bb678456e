"""Headers of analysed files, under the names by which messages show them."""

from __future__ import annotations

from typing import Iterable

from ipu_asm.cli.paths import path_inside
from ipu_asm.source.expansion import Expansion
from ipu_asm.text import SourceFile


def headers_of(expansions: Iterable[Expansion]) -> dict[str, SourceFile]:
    """Return the headers that expansions read, by absolute path.

    Their names are relative to the working directory, if they are inside of it.
    """
    return {
        path: SourceFile(file.text, path_inside(path) or path, file.lines)
        for expansion in expansions
        for path, file in expansion.files.items()
    }
