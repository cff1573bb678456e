"""JSON-RPC for the language server: each request gets one answer, whatever its form.

From pygls come the registry of features, the builder of capabilities, the protocol's types with
their converter, and its exceptions. Its reader, its workspace and its futures are not used:

- Time. A pygls server that publishes one constant finding for each edit takes as long as this one
  takes to analyse the text (ratio 0.9 to 1.2 for 200 to 10,000 lines, `benchmarks edit_latency`).
  It converts each message to types before it looks at it, and an edit of a text of 10,000 lines
  costs 1.1 ms in its workspace, 0.16 ms in `documents`.
- Cancellation. It reads the next message when a handler has returned, so that a handler on the
  server's thread can neither be cancelled nor see that more edits wait. Handlers on other threads
  would share analyzers that one thread changes.
- Input. A damaged header ends its reader or swallows the messages after it, and its workspace
  splits lines at form feeds and U+2028, where the protocol does not.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from itertools import count
from types import GeneratorType
from typing import Any, Callable, Generator

from lsprotocol import types as t
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcMethodNotFound,
    JsonRpcRequestCancelled,
    JsonRpcServerNotInitialized,
)
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol

from ipu_asm.named_tuple import NamedTuple
from ipu_lsp.inbox import Inbox, QueuedMessage
from ipu_lsp.server import messages
from ipu_lsp.server.custom import READERS
from ipu_lsp.transport import Json, MessageId, is_message_id

log = logging.getLogger("ipu_lsp")
CANCEL = "$/cancelRequest"
OnResult = Callable[[Any], None]
OnError = Callable[[], None]
Steps = Generator[None, None, Any]
"""The result of a handler with long work: it yields after each time slice, and returns the answer.
Edits and other requests are handled between the slices."""

MAX_PAUSE_S = 0.1
"""Maximum seconds without a time slice for such a handler while more messages arrive."""

# Methods whose handlers get plain JSON: edits, which are frequent and must not be lost over a
# column that is too large, and parameters that clients fill with more than the types have.
PLAIN = {t.INITIALIZE, t.TEXT_DOCUMENT_DID_CHANGE, t.WORKSPACE_DID_CHANGE_CONFIGURATION}


class _LongRequest(NamedTuple):
    """A request whose answer is computed in steps."""

    id: MessageId
    method: str
    steps: Steps


class OutgoingRequests:
    """The requests to the client that it has not answered."""

    def __init__(self) -> None:
        self._ids = count(1)
        self._waiting: dict[MessageId, tuple[str, OnResult | None, OnError | None]] = {}

    def add(self, method: str, on_result: OnResult | None, on_error: OnError | None) -> str:
        """Register a request; return its ID."""
        message_id = f"ipu-{next(self._ids)}"
        self._waiting[message_id] = (method, on_result, on_error)
        return message_id

    def settle(self, response: Json) -> None:
        """Call the callback of the request that a response answers."""
        message_id: Any = response.get("id")
        waiting = self._waiting.pop(message_id, None) if is_message_id(message_id) else None
        if waiting is None:
            log.warning("ignored a response: no request has the id %r", message_id)
            return
        method, on_result, on_error = waiting
        # JSON-RPC has either; some clients send both, one of them null.
        if response.get("error") is not None:
            log.info("the client refused %s: %s", method, response["error"])
            if on_error is not None:
                on_error()
        elif on_result is not None:
            try:
                on_result(response.get("result"))
            except Exception:
                log.exception("the response to %s cannot be used", method)


class LspInbox(Inbox):
    """Messages of a language client, and which of its requests it has cancelled."""

    def __init__(self) -> None:
        super().__init__()
        self._unanswered: set[MessageId] = set()
        self._cancelled: set[MessageId] = set()

    def is_cancelled(self, message_id: MessageId) -> bool:
        """Return whether the client has cancelled a request."""
        return message_id in self._cancelled

    def answered(self, message_id: MessageId) -> None:
        """Forget a request: it has its answer."""
        self._unanswered.discard(message_id)
        self._cancelled.discard(message_id)

    def accept(self, queued: QueuedMessage, *, first: bool = False) -> None:
        """Queue a message; a cancellation is not queued but takes effect at once."""
        message = queued.message
        if isinstance(message, dict):
            if message.get("method") == CANCEL and "id" not in message:
                self._cancel(message.get("params"))
                return
            if "method" in message and is_message_id(message.get("id")):
                self._unanswered.add(message["id"])
        super().accept(queued, first=first)

    def _cancel(self, params: object) -> None:
        message_id = params.get("id") if isinstance(params, dict) else None
        if is_message_id(message_id) and message_id in self._unanswered:
            self._cancelled.add(message_id)


class LspProtocol(LanguageServerProtocol):
    """A connection to one client. `write` sends bytes; it is set before the first message."""

    def __init__(self, server: LanguageServer, converter: Any) -> None:
        super().__init__(server, converter)
        self.fm.builtin_features.clear()
        self.inbox = LspInbox()
        self.write: Callable[[bytes], None] = _discard
        self.is_initialized = False
        self.is_shut_down = False
        self._outgoing = OutgoingRequests()
        self._long: deque[_LongRequest] = deque()
        self._worked_at = 0.0

    def dispatch(self, message: Json) -> None:
        """Handle one message. Raises nothing but `ClientDisconnectedError`."""
        method, message_id = message.get("method"), message.get("id")
        if "method" not in message:
            self._outgoing.settle(message)
        elif not isinstance(method, str):
            self.refuse(JsonRpcInvalidRequest("a method is a string"), message_id)
        elif "id" not in message:
            self._handle_notification(method, message.get("params"))
        elif not is_message_id(message_id):
            self.refuse(JsonRpcInvalidRequest("the id of a request is a number or a string"))
        else:
            known: Any = message_id
            params = message.get("params")
            self._answer(known, method, lambda: self._result(known, method, params))

    def refuse(self, error: JsonRpcException, message_id: object = None) -> None:
        """Send an error response, with the id null if the message has no valid one."""
        known: Any = message_id if is_message_id(message_id) else None
        log.warning("refused a message: %s", error.message)
        self.write(messages.error(known, error.code, error.message))

    def notify(self, method: str, params: Any | None = None) -> None:
        """Send a notification to the client."""
        self.write(messages.notification(method, params))

    def ask(
        self,
        method: str,
        params: object,
        on_result: OnResult | None = None,
        on_error: OnError | None = None,
    ) -> None:
        """Send a request to the client; one of the callbacks is called with its response."""
        message_id = self._outgoing.add(method, on_result, on_error)
        self.write(messages.request(message_id, method, params))

    def is_work_due(self) -> bool:
        """Return whether a long request should get a time slice now, before the next message."""
        if not self._long:
            return False
        is_overdue = time.monotonic() - self._worked_at > MAX_PAUSE_S
        return is_overdue or self.inbox.is_empty

    def work(self) -> None:
        """Give the long request that has waited longest a time slice."""
        request = self._long.popleft()
        self._answer(request.id, request.method, lambda: request.steps)
        self._worked_at = time.monotonic()

    def abandon(self) -> None:
        """Answer all long requests with an error: the server ends."""
        while self._long:
            request = self._long.popleft()
            request.steps.close()
            self.inbox.answered(request.id)
            code = t.LSPErrorCodes.ServerCancelled.value
            self.write(messages.error(request.id, code, "the server is shutting down"))

    def _answer(self, message_id: MessageId, method: str, compute: Callable[[], Any]) -> None:
        """Send the response with what `compute` returns or raises.

        If it returns steps, run one, and queue the request unless that was the last.
        """
        try:
            value = compute()
            if isinstance(value, GeneratorType):
                steps, value = value, self._advance(message_id, value)
                if value is steps:
                    self._long.append(_LongRequest(message_id, method, steps))
                    return
            response = messages.result(message_id, value)
        except JsonRpcException as error:
            log.info("request %s %r: %s", method, message_id, error.message)
            response = messages.error(message_id, error.code, error.message)
        except Exception as error:
            log.exception("request %s %r failed", method, message_id)
            reason = f"{type(error).__name__}: {error}"
            response = messages.error(message_id, JsonRpcInternalError.CODE, reason)
        self.inbox.answered(message_id)
        self.write(response)

    def _advance(self, message_id: MessageId, steps: Steps) -> Any:
        """Run one step; what the handler returns in it, or `steps` if it has more."""
        try:
            self._check_cancelled(message_id)
            next(steps)
        except StopIteration as end:
            return end.value
        except JsonRpcRequestCancelled:
            steps.close()
            raise
        return steps

    def _result(self, message_id: MessageId, method: str, params: object) -> Any:
        self._check_cancelled(message_id)
        if self.is_shut_down:
            raise JsonRpcInvalidRequest("the server is shut down")
        if not self.is_initialized and method != t.INITIALIZE:
            raise JsonRpcServerNotInitialized("the first request is `initialize`")
        handler = self.fm.features.get(method)
        if handler is None:
            raise JsonRpcMethodNotFound.of(method)
        result = handler(self._structured(method, params))
        self._check_cancelled(message_id)
        return result

    def _check_cancelled(self, message_id: MessageId) -> None:
        if self.inbox.is_cancelled(message_id):
            raise JsonRpcRequestCancelled("the client cancelled the request")

    def _handle_notification(self, method: str, params: object) -> None:
        if method != t.EXIT and (self.is_shut_down or not self.is_initialized):
            log.info("ignored notification %s: the session has not begun or is over", method)
            return
        handler = self.fm.features.get(method)
        if handler is None:
            log.debug("ignored notification %s: it has no handler", method)
            return
        try:
            handler(self._structured(method, params))
        except JsonRpcException as error:
            log.warning("ignored notification %s: %s", method, error.message)
        except Exception:
            log.exception("notification %s failed", method)

    def _structured(self, method: str, params: object) -> Any:
        if method in PLAIN:
            if not isinstance(params, dict):
                raise JsonRpcInvalidParams(f"the parameters of `{method}` are an object")
            return params
        reader = READERS.get(method)
        kind: Any = None if reader else t.METHOD_TO_TYPES[method][2]
        if reader is None and kind is None:
            return None
        try:
            if reader is not None:
                return reader(self._converter, params)
            return self._converter.structure({} if params is None else params, kind)
        except Exception as error:
            raise JsonRpcInvalidParams(f"invalid parameters of `{method}`") from error


def _discard(_data: bytes) -> None:
    """Discard output while there is no client."""
