"""Messages to the user of the client: warnings in a box, everything else in the client's log."""

from __future__ import annotations

import logging

from lsprotocol import types as t

from ipu_asm.diagnostics.rendering import printable
from ipu_lsp.plain_text import plain
from ipu_lsp.server.protocol import LspProtocol

MAX_SHOWN_MESSAGES = 10
"""Maximum number of warnings in boxes between two changes of settings; the rest is logged."""


class UserWarnings:
    """Warnings about mistakes that the user can correct, each shown once."""

    def __init__(self, protocol: LspProtocol) -> None:
        self._protocol = protocol
        self._sent: set[str] = set()
        self._shown = 0

    def warn(self, message: str) -> None:
        """Show a warning that has not been shown; log it if there were too many."""
        if message in self._sent:
            return
        self._sent.add(message)
        method = (
            t.WINDOW_LOG_MESSAGE if self._shown >= MAX_SHOWN_MESSAGES else t.WINDOW_SHOW_MESSAGE
        )
        self._shown += 1
        params = {"type": t.MessageType.Warning.value, "message": plain(printable(message))}
        self._protocol.notify(method, params)

    def settings_changed(self) -> None:
        """Show up to `MAX_SHOWN_MESSAGES` warnings again."""
        self._shown = 0


class ClientLog(logging.Handler):
    """Sends warnings and errors of the server to the client's log.

    Never to a message box: the user has made no mistake.
    """

    def __init__(self, protocol: LspProtocol) -> None:
        super().__init__(logging.WARNING)
        self._protocol = protocol

    def emit(self, record: logging.LogRecord) -> None:
        """Send a record, once the client is initialized."""
        if not self._protocol.is_initialized:
            return
        is_error = record.levelno >= logging.ERROR
        kind = t.MessageType.Error if is_error else t.MessageType.Warning
        params = {"type": kind.value, "message": plain(self.format(record))}
        self._protocol.notify(t.WINDOW_LOG_MESSAGE, params)
