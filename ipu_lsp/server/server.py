"""The main loop: handle messages, and push findings as soon as no edit is waiting."""

from __future__ import annotations

import gc
import logging
from collections import deque
from functools import partial
from importlib import import_module
from typing import Any, Callable, Sequence

from lsprotocol import types as t
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from ipu_asm import __version__
from ipu_lsp.command import ServerCommand
from ipu_lsp.inbox import EndOfInput, MalformedMessage, Message, QueuedMessage
from ipu_lsp.server import messages
from ipu_lsp.server.client import ClientLog
from ipu_lsp.server.features import FEATURES, Feature
from ipu_lsp.server.handlers import diagnostics
from ipu_lsp.server.protocol import LspProtocol
from ipu_lsp.server.session import LspSession
from ipu_lsp.transport import Channel, ClientDisconnectedError

log = logging.getLogger("ipu_lsp")
_REST_S = 0.2
"""Seconds without a message after which handlers that nobody has called yet are loaded."""


class LspServer(LanguageServer):
    """The language server for one client."""

    protocol: LspProtocol

    def __init__(self) -> None:
        super().__init__(
            "ipu-lsp", __version__, protocol_cls=LspProtocol, converter_factory=messages.converter
        )
        self.session = LspSession(self.protocol)
        for feature in FEATURES:
            self.feature(feature.method, feature.options)(partial(self._call, feature))
        self._unloaded = deque(dict.fromkeys(feature.module for feature in FEATURES))

    def serve(self, channel: Channel) -> int:
        """Handle messages until `exit` or the end of input; return the exit status."""
        self.protocol.write = channel.write
        self.protocol.inbox.start_reader(channel.read)
        client_log = ClientLog(self.protocol)
        log.addHandler(client_log)
        try:
            while self.session.exit_status is None:
                self._step()
        except ClientDisconnectedError as error:
            log.info("the connection is closed: %s", error)
            return 1
        finally:
            log.removeHandler(client_log)
        return self.session.exit_status

    def feed(self, body: bytes) -> None:
        """Queue the message in a body, for `pump`: a host without threads has no reader."""
        inbox = self.protocol.inbox
        inbox.accept(QueuedMessage(inbox.decode(body), len(body)))

    def pump(self) -> bool:
        """Do one piece of work without waiting for messages; return whether there is more to do.

        `protocol.write` gets the answers. What waits for settings is done after a later call.
        """
        if self._has_work:
            self._step()
        elif self._unloaded and self.protocol.is_initialized:
            self._load_next()
        return self._has_work or bool(self._unloaded)

    @property
    def _has_work(self) -> bool:
        """Whether the next step would not block."""
        queue, protocol = self.session.publish_queue, self.protocol
        if not protocol.inbox.is_empty or protocol.is_work_due():
            return True
        return bool(queue) and not queue.seconds_to_settings()

    def _step(self) -> None:
        """Push findings that are due, handle one message, or continue a long request."""
        queue, inbox = self.session.publish_queue, self.protocol.inbox
        # Findings of wrong settings would only flash up.
        wait = queue.seconds_to_settings()
        if queue and not wait:
            if not _is_edit(inbox.peek()) or queue.is_overdue():
                diagnostics.publish_next(self.session)
            if inbox.is_empty:
                return
        if self.protocol.is_work_due():
            self.protocol.work()
        elif self._unloaded and not queue and inbox.peek(_REST_S) is None:
            self._load_next()
        elif not queue or inbox.peek(wait) is not None:
            self._handle(inbox.take())

    def _call(self, feature: Feature, params: Any) -> Any:
        return feature.load()(self.session, params)

    def _load_next(self) -> None:
        """Load the handlers of one more module while the client rests."""
        import_module(self._unloaded.popleft())
        if not self._unloaded:
            gc.collect()
            gc.freeze()  # as `ServerCommand` does with what is loaded before the first message

    def _handle(self, message: Message) -> None:
        if isinstance(message, EndOfInput):
            log.info("the client has disconnected: %s", message.reason)
            self.session.exit_status = 0 if self.protocol.is_shut_down else 1
        elif isinstance(message, MalformedMessage):
            self.protocol.refuse(JsonRpcException(message.reason, message.code))
        else:
            self.protocol.dispatch(message)


def _is_edit(message: Message | None) -> bool:
    return isinstance(message, dict) and message.get("method") == t.TEXT_DOCUMENT_DID_CHANGE


_DESCRIPTION = "Language server for accelerator assembly."


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve one client; return 0 after a `shutdown` request, 1 without, 2 for wrong usage."""
    return ServerCommand("ipu-lsp", _DESCRIPTION).run(arguments, _load)


def _load() -> Callable[[Channel], int]:
    return LspServer().serve
