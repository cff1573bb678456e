"""Timing of pushed findings: after a burst of edits, and not before the settings are known."""

from __future__ import annotations

import time
from typing import Iterable

from lsprotocol import types as t

from ipu_lsp.server.protocol import LspProtocol

MAX_WAIT_S = 0.1
"""Seconds that findings are held back while the client keeps sending edits."""
MAX_WAIT_FOR_SETTINGS_S = 2.0
"""Seconds that findings are held back for settings that were requested from the client."""


class PublishQueue:
    """The documents whose findings are to be pushed, oldest first."""

    def __init__(self) -> None:
        self._due_since: dict[str, float] = {}
        self._deferred: set[str] = set()
        self._settings_due: float | None = None

    def __bool__(self) -> bool:
        return bool(self._due_since)

    def add(self, uris: Iterable[str]) -> None:
        """Queue documents; one that is queued keeps its place."""
        now = time.monotonic()
        for uri in uris:
            self._due_since.setdefault(uri, now)

    def remove(self, uri: str) -> None:
        """Take a document out of the queue, if it is there."""
        self._due_since.pop(uri, None)

    def pop(self) -> str:
        """Take the document out that has waited longest."""
        uri = next(iter(self._due_since))
        del self._due_since[uri]
        return uri

    def defer(self, uri: str, documents: Iterable[str]) -> bool:
        """Queue a document again, once, if any of those is queued that its findings depend on."""
        if uri in self._deferred or self._due_since.keys().isdisjoint(documents):
            self._deferred.discard(uri)
            return False
        self._deferred.add(uri)
        self.add([uri])
        return True

    def is_overdue(self) -> bool:
        """Return whether the oldest document has waited for `MAX_WAIT_S`."""
        oldest = next(iter(self._due_since.values()))
        return time.monotonic() - oldest > MAX_WAIT_S

    def await_settings(self) -> None:
        """Hold findings back until `settings_known`, for a limited time."""
        self._settings_due = time.monotonic() + MAX_WAIT_FOR_SETTINGS_S

    def settings_known(self) -> None:
        """Publish from now on: the settings have arrived, or are not expected any more."""
        self._settings_due = None

    def seconds_to_settings(self) -> float:
        """Return the seconds for which findings are still held back for settings; 0 if none."""
        if self._settings_due is None:
            return 0
        left = self._settings_due - time.monotonic()
        if left <= 0:
            self.settings_known()
        return max(left, 0)


class ShownTexts:
    """The listings and expansions that the client shows and that are up to date."""

    def __init__(self, protocol: LspProtocol) -> None:
        self._protocol = protocol
        self._shown: dict[str, dict[str, None]] = {}

    def add(self, document: str, shown: str) -> None:
        """Register the URI of a text that the client has received, with its document's."""
        self._shown.setdefault(document, {})[shown] = None

    def refresh(self, documents: Iterable[str]) -> None:
        """Ask the client to fetch the texts of documents again, once until it does."""
        for document in documents:
            for shown in self._shown.pop(document, {}):
                params = {"uri": shown}
                self._protocol.ask(t.WORKSPACE_TEXT_DOCUMENT_CONTENT_REFRESH, params)
