"""JSON-RPC as language servers speak it: every request gets one answer, whatever it is like.

From pygls come the registry of features, the types and their converter; its reader, its workspace
and its futures are not used, because they can neither look ahead nor give up on a request.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from itertools import count
from types import GeneratorType
from typing import Any, Callable, Generator, Iterator

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

from ipu_lsp.json_types import Json
from ipu_lsp.server import messages
from ipu_lsp.server.custom import READERS
from ipu_lsp.server.inbox import LspInbox, MessageId, is_message_id

log = logging.getLogger("ipu_lsp")
OnResult = Callable[[Any], None]
OnError = Callable[[], None]
Steps = Generator[None, None, Any]
"""What a handler gives back that has more to do than anybody else should wait for: it stops now and
then to let others have their turn, and in the end returns the answer."""

LONGEST_PAUSE_S = 0.1
"""How long such a handler waits for its next turn while the client keeps talking."""

# What handlers get as plain JSON: edits, of which there are many and which must not be lost over a
# column that is too large, and what clients fill with more than the types foresee.
PLAIN = {t.INITIALIZE, t.TEXT_DOCUMENT_DID_CHANGE, t.WORKSPACE_DID_CHANGE_CONFIGURATION}


class LspProtocol(LanguageServerProtocol):
    """One conversation. `write` sends bytes; it is set before the first message is handled."""

    def __init__(self, server: LanguageServer, converter: Any) -> None:
        super().__init__(server, converter)
        self.fm.builtin_features.clear()
        self.inbox = LspInbox()
        self.write: Callable[[bytes], None] = _nowhere
        self.is_initialized = False
        self.is_shut_down = False
        self._current: MessageId | None = None
        self._ids: Iterator[int] = count(1)
        self._asked: dict[MessageId, tuple[str, OnResult | None, OnError | None]] = {}
        self._running: deque[tuple[MessageId, str, Steps]] = deque()
        self._worked_at = 0.0

    def dispatch(self, message: Json) -> None:
        """Handle one message. Only `ClientDisconnectedError` leaves it."""
        if "method" not in message:
            self._settle(message)
        elif not isinstance(message["method"], str):
            self.refuse(JsonRpcInvalidRequest("a method is a string"), message.get("id"))
        elif "id" not in message:
            self._hear(message["method"], message.get("params"))
        elif not is_message_id(message["id"]):
            self.refuse(JsonRpcInvalidRequest("the id of a request is a number or a string"))
        else:
            self._answer(message["id"], message["method"], message.get("params"))

    def refuse(self, error: JsonRpcException, message_id: object = None) -> None:
        """Answer with an error, without an id if there is no usable one."""
        known: Any = message_id if is_message_id(message_id) else None
        log.warning("refused a message: %s", error.message)
        self.write(messages.error(known, error.code, error.message))

    def notify(self, method: str, params: Any | None = None) -> None:
        """Tell the client something."""
        self.write(messages.notification(method, params))

    def ask(
        self,
        method: str,
        params: object,
        then: OnResult | None = None,
        refused: OnError | None = None,
    ) -> None:
        """Ask the client something; `then` gets its result, `refused` hears of an error instead."""
        message_id = f"ipu-{next(self._ids)}"
        self._asked[message_id] = (method, then, refused)
        self.write(messages.request(message_id, method, params))

    def give_up_if_cancelled(self) -> None:
        """Raise `JsonRpcRequestCancelled` if nobody waits for the current request any more."""
        if self._current is not None and self.inbox.is_cancelled(self._current):
            raise JsonRpcRequestCancelled("the client cancelled the request")

    def is_work_due(self) -> bool:
        """Whether an answer that is made in steps should get its next one now."""
        if not self._running:
            return False
        is_overdue = time.monotonic() - self._worked_at > LONGEST_PAUSE_S
        return is_overdue or self.inbox.is_empty

    def work(self) -> None:
        """Take a step towards the answer that has waited longest for one."""
        message_id, method, steps = self._running.popleft()
        self._attempt(message_id, method, lambda: steps)
        self._worked_at = time.monotonic()

    def abandon(self) -> None:
        """Refuse what is still being worked on: nobody will wait for it."""
        while self._running:
            message_id, _, steps = self._running.popleft()
            steps.close()
            self.inbox.answered(message_id)
            code = t.LSPErrorCodes.ServerCancelled.value
            self.write(messages.error(message_id, code, "the server is about to end"))

    def _answer(self, message_id: MessageId, method: str, params: object) -> None:
        self._attempt(message_id, method, lambda: self._result(method, params))

    def _attempt(self, message_id: MessageId, method: str, find: Callable[[], Any]) -> None:
        self._current = message_id
        try:
            found = find()
            if isinstance(found, GeneratorType):
                steps, found = found, self._advanced(found)
                if found is steps:
                    self._running.append((message_id, method, steps))
                    self._current = None
                    return
            answer = messages.result(message_id, found)
        except JsonRpcException as error:
            log.info("request %s %r: %s", method, message_id, error.message)
            answer = messages.error(message_id, error.code, error.message)
        except Exception as error:
            log.exception("request %s %r failed", method, message_id)
            said = f"{type(error).__name__}: {error}"
            answer = messages.error(message_id, JsonRpcInternalError.CODE, said)
        self._current = None
        self.inbox.answered(message_id)
        self.write(answer)

    def _advanced(self, steps: Steps) -> Any:
        """What a handler returns at the end of its next step, or its steps if there are more."""
        try:
            self.give_up_if_cancelled()
            next(steps)
        except StopIteration as end:
            return end.value
        except JsonRpcRequestCancelled:
            steps.close()
            raise
        return steps

    def _result(self, method: str, params: object) -> Any:
        self.give_up_if_cancelled()
        if self.is_shut_down:
            raise JsonRpcInvalidRequest("the server is shut down")
        if not self.is_initialized and method != t.INITIALIZE:
            raise JsonRpcServerNotInitialized("the first request is `initialize`")
        handler = self.fm.features.get(method)
        if handler is None:
            raise JsonRpcMethodNotFound.of(method)
        result = handler(self._structured(method, params))
        self.give_up_if_cancelled()
        return result

    def _hear(self, method: str, params: object) -> None:
        if method != t.EXIT and (self.is_shut_down or not self.is_initialized):
            log.info("ignored notification %s: it is out of place", method)
            return
        handler = self.fm.features.get(method)
        if handler is None:
            log.debug("ignored notification %s: nothing handles it", method)
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
            raise JsonRpcInvalidParams(f"these are no parameters of `{method}`") from error

    def _settle(self, message: Json) -> None:
        """An answer of the client to one of our questions."""
        message_id: Any = message.get("id")
        asked = self._asked.pop(message_id, None) if is_message_id(message_id) else None
        if asked is None:
            log.warning("an answer to nothing that was asked: id %r", message_id)
            return
        method, then, refused = asked
        # JSON-RPC has either; some clients write both, one of them null.
        if message.get("error") is not None:
            log.info("the client refused %s: %s", method, message["error"])
            if refused is not None:
                refused()
        elif then is not None:
            try:
                then(message.get("result"))
            except Exception:
                log.exception("the answer to %s is of no use", method)


def _nowhere(_data: bytes) -> None:
    """Before there is a client."""
