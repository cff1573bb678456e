"""The table of all methods that the server handles, and its main loop.

A new feature is a function in `ipu_asm/ide` that computes the result, one in a module of `handlers`
that encodes it, and a row here. The advertised capabilities are derived from the rows. The loop
pushes findings as soon as no edit is waiting.
"""

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
from ipu_asm.ide import CODE_ACTION_KINDS, ON_TYPE
from ipu_asm.named_tuple import NamedTuple
from ipu_lsp.command import ServerCommand
from ipu_lsp.inbox import EndOfInput, MalformedMessage, Message, QueuedMessage
from ipu_lsp.server import handlers, messages
from ipu_lsp.server.client import ClientLog
from ipu_lsp.server.custom import (
    COMMANDS,
    DISASSEMBLY,
    EXPANSION,
    LISTING,
    MEMORY_MAP,
    PROFILE_MARKS,
    REFERENCE,
    RUN_INPUTS,
    RUN_TOTALS,
    SCHEMES,
    SLOT_GRID,
)
from ipu_lsp.server.handlers import decorations, diagnostics
from ipu_lsp.server.protocol import LspProtocol
from ipu_lsp.server.session import LspSession
from ipu_lsp.server.settings_files import SOURCE
from ipu_lsp.transport import Channel, ClientDisconnectedError


class Feature(NamedTuple):
    """A method of the protocol, the name of its handler, and the options that are advertised.

    The handler is a function ``(session, params) -> result`` in a module of `handlers`, written
    `module.function`. The module is loaded when the method is first called, so that a server that
    starts waits for none of them.
    """

    method: str
    handler: str
    options: Any = None

    @property
    def module(self) -> str:
        """The full name of the handler's module."""
        return f"{handlers.__name__}.{self.handler.partition('.')[0]}"

    def load(self) -> Callable[..., Any]:
        """Return the handler, after loading its module if need be."""
        handler: Callable[..., Any] = getattr(
            import_module(self.module), self.handler.partition(".")[2]
        )
        return handler


FEATURES = (
    Feature(t.INITIALIZE, "lifecycle.initialize"),
    Feature(t.INITIALIZED, "lifecycle.initialized"),
    Feature(t.SHUTDOWN, "lifecycle.shutdown"),
    Feature(t.EXIT, "lifecycle.leave"),
    Feature(t.TEXT_DOCUMENT_DID_OPEN, "lifecycle.did_open"),
    Feature(t.TEXT_DOCUMENT_DID_CHANGE, "lifecycle.did_change"),
    Feature(t.TEXT_DOCUMENT_DID_CLOSE, "lifecycle.did_close"),
    Feature(t.TEXT_DOCUMENT_DID_SAVE, "lifecycle.did_save", t.SaveOptions(include_text=False)),
    Feature(t.WORKSPACE_DID_CHANGE_CONFIGURATION, "configuration.did_change_configuration"),
    Feature(t.WORKSPACE_DID_CHANGE_WATCHED_FILES, "configuration.did_change_watched_files"),
    Feature(t.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, "lifecycle.did_change_workspace_folders"),
    Feature(
        t.TEXT_DOCUMENT_DIAGNOSTIC,
        "diagnostics.of_document",
        t.DiagnosticOptions(
            identifier=SOURCE,
            inter_file_dependencies=False,
            workspace_diagnostics=True,
            work_done_progress=True,
        ),
    ),
    Feature(t.WORKSPACE_DIAGNOSTIC, "diagnostics.of_workspace"),
    Feature(t.TEXT_DOCUMENT_HOVER, "completion.hover"),
    Feature(
        t.TEXT_DOCUMENT_COMPLETION,
        "completion.completions",
        t.CompletionOptions(trigger_characters=[" ", ".", "[", "#", "$"], resolve_provider=True),
    ),
    Feature(t.COMPLETION_ITEM_RESOLVE, "completion.resolve"),
    Feature(t.TEXT_DOCUMENT_DEFINITION, "navigation.definition"),
    Feature(t.TEXT_DOCUMENT_DOCUMENT_LINK, "navigation.document_links", t.DocumentLinkOptions()),
    Feature(t.TEXT_DOCUMENT_REFERENCES, "navigation.references"),
    Feature(t.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, "navigation.document_highlight"),
    Feature(t.TEXT_DOCUMENT_PREPARE_RENAME, "navigation.prepare_rename"),
    Feature(t.TEXT_DOCUMENT_RENAME, "navigation.rename", t.RenameOptions(prepare_provider=True)),
    Feature(
        t.TEXT_DOCUMENT_SIGNATURE_HELP,
        "completion.signature_help",
        t.SignatureHelpOptions(trigger_characters=[" ", ",", "("], retrigger_characters=[" ", ","]),
    ),
    Feature(t.TEXT_DOCUMENT_FOLDING_RANGE, "structure.folding_ranges"),
    Feature(t.TEXT_DOCUMENT_SELECTION_RANGE, "structure.selection_ranges"),
    Feature(t.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, "decorations.full", decorations.legend()),
    Feature(t.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA, "decorations.delta"),
    Feature(t.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, "decorations.in_range"),
    Feature(t.TEXT_DOCUMENT_FORMATTING, "edits.formatting"),
    Feature(
        t.TEXT_DOCUMENT_RANGE_FORMATTING,
        "edits.range_formatting",
        t.DocumentRangeFormattingOptions(ranges_support=True),
    ),
    Feature(t.TEXT_DOCUMENT_RANGES_FORMATTING, "edits.ranges_formatting"),
    Feature(
        t.TEXT_DOCUMENT_ON_TYPE_FORMATTING,
        "edits.on_type_formatting",
        t.DocumentOnTypeFormattingOptions(ON_TYPE[0], list(ON_TYPE[1:])),
    ),
    Feature(
        t.TEXT_DOCUMENT_INLAY_HINT,
        "decorations.inlay_hints",
        t.InlayHintOptions(resolve_provider=False),
    ),
    Feature(t.TEXT_DOCUMENT_INLINE_VALUE, "decorations.inline_values"),
    Feature(
        t.TEXT_DOCUMENT_CODE_LENS,
        "decorations.code_lenses",
        t.CodeLensOptions(resolve_provider=False),
    ),
    Feature(t.TEXT_DOCUMENT_DOCUMENT_SYMBOL, "structure.document_symbols"),
    Feature(t.WORKSPACE_SYMBOL, "structure.workspace_symbols"),
    Feature(
        t.TEXT_DOCUMENT_CODE_ACTION,
        "edits.code_actions",
        t.CodeActionOptions(list(CODE_ACTION_KINDS), resolve_provider=True),
    ),
    Feature(t.CODE_ACTION_RESOLVE, "edits.resolve"),
    Feature(
        t.WORKSPACE_EXECUTE_COMMAND,
        "commands.execute",
        t.ExecuteCommandRegistrationOptions(list(COMMANDS)),
    ),
    Feature(
        t.WORKSPACE_TEXT_DOCUMENT_CONTENT,
        "views.text_document_content",
        t.TextDocumentContentRegistrationOptions(list(SCHEMES)),
    ),
    Feature(LISTING, "views.listing"),
    Feature(EXPANSION, "views.expansion"),
    Feature(SLOT_GRID, "views.slot_grid"),
    Feature(REFERENCE, "views.reference"),
    Feature(MEMORY_MAP, "views.memory_map"),
    Feature(RUN_TOTALS, "views.run_totals"),
    Feature(RUN_INPUTS, "views.run_inputs"),
    Feature(PROFILE_MARKS, "views.profile_marks"),
    Feature(DISASSEMBLY, "views.disassembly"),
)


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
