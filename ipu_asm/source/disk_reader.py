"""Reading of headers from the disk."""

from __future__ import annotations

from ipu_asm.config.files import scanned_text, stamp_of
from ipu_asm.text import SourceFile


class DiskReader:
    """Reads regular text files, up to the size limit of a search in the workspace."""

    def read(self, path: str) -> SourceFile | None:
        """Return a regular file of source text; None if there is none, or it may not be read."""
        text = scanned_text(path) if stamp_of(path) is not None else None
        return None if text is None else SourceFile(text, path)

    def stamp(self, path: str) -> object:
        """Return a value that changes when the file does; None for a file that cannot be read."""
        return stamp_of(path)
