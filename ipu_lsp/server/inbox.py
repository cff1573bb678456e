"""The inbox of the language server: it applies cancellations as soon as they are read."""

from __future__ import annotations

from ipu_lsp.inbox import Inbox, QueuedMessage

CANCEL = "$/cancelRequest"
MessageId = int | str


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


def is_message_id(value: object) -> bool:
    """Return whether a value can be the ID of a request: an integer or a string, but no boolean."""
    return type(value) in (int, str)
