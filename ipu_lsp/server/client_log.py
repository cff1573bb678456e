"""What goes wrong, in the client's log, too. Never a message box: the user did nothing wrong."""

from __future__ import annotations

import logging

from lsprotocol import types as t

from ipu_lsp.server.protocol import LspProtocol


class ClientLog(logging.Handler):
    """Sends warnings and errors to the client as `window/logMessage`."""

    def __init__(self, protocol: LspProtocol) -> None:
        super().__init__(logging.WARNING)
        self._protocol = protocol

    def emit(self, record: logging.LogRecord) -> None:
        """Send one, if a client has introduced itself."""
        if not self._protocol.is_initialized:
            return
        wrong = record.levelno >= logging.ERROR
        kind = t.MessageType.Error if wrong else t.MessageType.Warning
        params = {"type": kind.value, "message": self.format(record)}
        self._protocol.notify(t.WINDOW_LOG_MESSAGE, params)
