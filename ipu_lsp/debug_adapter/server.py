"""The main loop: handle messages, and execute a part of the program while none is waiting."""

from __future__ import annotations

import logging
from typing import Callable

from ipu_lsp.debug_adapter import requests
from ipu_lsp.debug_adapter.messages import CANCELLED, DebugInbox, Outbox, number_of
from ipu_lsp.debug_adapter.requests import (
    REQUESTS,
    ArgumentsError,
    Needs,
    RequestCancelledError,
    RequestEntry,
    RequestError,
    parse_arguments,
)
from ipu_lsp.debug_adapter.session import DebugSession
from ipu_lsp.inbox import EndOfInput, MalformedMessage, Message
from ipu_lsp.transport import Channel, ClientDisconnectedError, Json

log = logging.getLogger("ipu_lsp")


requests.load_all()


_WANTED = {
    Needs.CLIENT: "a session begins with `initialize`",
    Needs.PROGRAM: "no program is loaded: `launch` one first",
    Needs.STOPPED: "the program is running: `pause` it first",
}


def serve(channel: Channel, when_gone: Callable[[], None] = lambda: None) -> int:
    """Serve one client until it disconnects; return the exit status.

    `when_gone` is called on the reader thread at the end of input.
    """
    inbox, outbox = DebugInbox(), Outbox(channel.write)
    session = DebugSession(inbox, outbox)

    inbox.start_reader(channel.read, when_gone)
    try:
        while not session.is_over:
            if session.execution.is_running and inbox.is_empty:
                _guard(session, session.execution.advance)
            else:
                handle(session, inbox.take())
    except ClientDisconnectedError as error:
        log.info("the connection is closed: %s", error)
    finally:
        session.execution.close()
    return 0


def handle(session: DebugSession, message: Message) -> None:
    """Handle a message. Errors are reported to the client and do not end the session."""
    if isinstance(message, EndOfInput):
        log.info("the client has disconnected: %s", message.reason)
        session.is_over = True
    elif isinstance(message, MalformedMessage):
        # No warning: a client that does not read our standard error would block us.
        log.info("%s", message.reason)
        if session.client is not None:
            session.outbox.tell(f"{message.reason}\n", "stderr")
    else:
        _answer(session, message)


def _answer(session: DebugSession, request: Json) -> None:
    outbox, command = session.outbox, request.get("command")
    session.inbox.answering = number_of(request)
    try:
        outbox.respond(request, _body(session, command, request.get("arguments")))
    except RequestCancelledError:
        outbox.send_error(request, CANCELLED)
    except ArgumentsError as error:
        outbox.send_error(request, f"`{command}`: {error}")
    except RequestError as error:
        outbox.send_error(request, str(error), error.is_shown)
    except Exception as error:
        log.exception("`%s` failed", command)
        outbox.send_error(
            request, f"the adapter failed at `{command}`: {error!r}; its log has more"
        )
    session.inbox.answering = None
    _guard(session, session.flush)


def _body(session: DebugSession, command: object, arguments: object) -> Json | None:
    if not isinstance(command, str):
        raise RequestError(f"a request has a `command`, found {type(command).__name__}")
    entry = REQUESTS.get(command)
    if entry is None:
        raise RequestError(f"a request is one that `initialize` announces, found `{command:.80}`")
    _check_state(session, entry)
    given = parse_arguments(entry.handler, arguments)
    if not session.execution.is_running:
        session.progress.begin(f"Answering `{command}`", session.inbox.answering)
    try:
        body: Json | None = entry.handler(session, **given)
        return body
    finally:
        if session.is_over or not session.execution.is_running:
            session.progress.end()


def _guard(session: DebugSession, action: Callable[[], None]) -> None:
    """Run an action that belongs to no request; an exception does not end the session."""
    try:
        action()
    except Exception as error:
        log.exception("the adapter failed")
        session.outbox.tell(f"the adapter failed: {error!r}; its log has more\n", "stderr")


def _check_state(session: DebugSession, entry: RequestEntry) -> None:
    if entry.needs > session.has:
        if session.execution.has_ended:
            raise RequestError("the program has ended: `restart` it, or start another session")
        missing = next(needs for needs in Needs if needs > session.has)
        raise RequestError(_WANTED[missing])
