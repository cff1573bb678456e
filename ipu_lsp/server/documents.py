"""The documents that the client has open, as the client has them."""

from __future__ import annotations

from typing import Any, Iterable
from urllib.parse import unquote

from pygls.uris import to_fs_path

from ipu_asm.analysis.analyzer import Analysis
from ipu_asm.text import Change
from ipu_lsp.json_types import Json
from ipu_lsp.server.convert import Coordinates, Encoding


class Document:
    """One open document. Its text changes with the client's.

    `path` is the file it is stored in, None if there is none. `analysis` is the last one that was
    made, of this text or an earlier one.
    """

    def __init__(
        self, uri: str, language: str, version: int | None, text: str, encoding: Encoding
    ) -> None:
        self.uri = uri
        self.language = language
        self.version = version
        self.path = path_of(uri)
        self.coordinates = Coordinates(text, encoding)
        self.analysis: Analysis | None = None
        self.edit: Change | None = None
        """The client's edits since that analysis, as one; None if there were none."""
        self.tokens: Any = None
        """The last answer about colours, which the next one is told from."""

    @property
    def text(self) -> str:
        """The text as it is now."""
        return self.coordinates.text

    @property
    def name(self) -> str:
        """What to call it: its path, or its address where it has none."""
        return self.path or unquote(self.uri)

    def change(self, version: int | None, changes: Iterable[Json]) -> None:
        """Make the client's changes in their order, each of a range or of the whole text.

        Raises `KeyError` or `TypeError` if one of them is malformed; then none is made.
        """
        coordinates, edit = self.coordinates, self.edit
        for change in changes:
            coordinates, latest = _changed(coordinates, change)
            edit = latest if edit is None else edit.then(latest)
        self.coordinates, self.edit, self.version = coordinates, edit, version

    def forget(self) -> None:
        """Forget the analysis: something else than the text has changed."""
        self.analysis = self.edit = None

    def keep(self, analysis: Analysis) -> None:
        """Keep the analysis of the text as it is now."""
        self.analysis, self.edit = analysis, None
        self.coordinates.adopt(analysis.source.lines)


def _changed(coordinates: Coordinates, change: Json) -> tuple[Coordinates, Change]:
    new_text = change["text"]
    if not isinstance(new_text, str):
        raise TypeError(f"a change has a text, found {type(new_text).__name__}")
    range_ = change.get("range")
    if range_ is None:
        whole = Change(0, len(coordinates.text), len(new_text))
        return Coordinates(new_text, coordinates.encoding), whole
    return coordinates.edited(range_, new_text)


def workspace_edit(document: Document, edits: list[Json], *, versioned: bool) -> Json:
    """Edits of a document; `versioned`, the client rejects them for a later version of it."""
    if not versioned:
        return {"changes": {document.uri: edits}}
    identifier = {"uri": document.uri, "version": document.version}
    return {"documentChanges": [{"textDocument": identifier, "edits": edits}]}


def path_of(uri: str) -> str | None:
    """The file that an address stands for, None if it is that of no file."""
    try:
        return to_fs_path(uri)
    except ValueError:
        # Such as `http://[`: no address at all.
        return None
