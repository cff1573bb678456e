"""Reports about many documents in one response, sent in parts if the client requests that."""

from __future__ import annotations

import hashlib
import os
from functools import lru_cache

from lsprotocol import types as t

from ipu_asm.named_tuple import NamedTuple
from ipu_lsp.server.documents import path_of
from ipu_lsp.server.messages import EncodedJson, json_array, json_object, json_text
from ipu_lsp.server.protocol import LspProtocol


class EncodedFindings(NamedTuple):
    """An array of findings, and its result ID, which is a hash of the array."""

    result_id: str
    items: EncodedJson


def with_result_id(items: EncodedJson) -> EncodedFindings:
    """Add the result ID to an array of findings."""
    result_id = hashlib.blake2b(items.encode("ascii"), digest_size=12).hexdigest()
    return EncodedFindings(result_id, items)


NO_FINDINGS = with_result_id(json_array(()))


class WorkspaceReports:
    """The reports of one response, at most one per document, with the client's spelling of URIs."""

    def __init__(self, protocol: LspProtocol, params: t.WorkspaceDiagnosticParams) -> None:
        self._protocol = protocol
        self._token = params.partial_result_token
        self._previous = {_key(known.uri): known for known in params.previous_result_ids}
        self._reported: set[str] = set()
        self._waiting: list[EncodedJson] = []

    def add(self, uri: str, findings: EncodedFindings, version: int | None = None) -> None:
        """Add the report of a document, unless there is one already."""
        key = _key(uri)
        if key in self._reported:
            return
        self._reported.add(key)
        known = self._previous.get(key)
        uri, value = (known.uri, known.value) if known else (uri, None)
        members = report(findings, value)
        item = json_object(uri=json_text(uri), version=json_text(version), **members)
        self._waiting.append(item)

    def send_partial(self) -> None:
        """Send the reports so far, if the client accepts partial results."""
        if self._token is not None and self._waiting:
            value = json_object(items=json_array(self._waiting))
            params = json_object(token=json_text(self._token), value=value)
            self._protocol.notify(t.PROGRESS, params)
            self._waiting.clear()

    def answer(self) -> EncodedJson:
        """Return the remaining reports; documents that only the client knows are cleared."""
        for key, known in self._previous.items():
            if key not in self._reported:
                self.add(known.uri, NO_FINDINGS)
        self.send_partial()
        return json_object(items=json_array(self._waiting))


def report(findings: EncodedFindings, previous: str | None) -> dict[str, str]:
    """Return the members of a report to a client that has the result ID `previous`."""
    name = json_text(findings.result_id)
    if findings.result_id == previous:
        return {"kind": '"unchanged"', "resultId": name}
    return {"kind": '"full"', "resultId": name, "items": findings.items}


@lru_cache(maxsize=20_000)
def _key(uri: str) -> str:
    path = path_of(uri)
    return uri if path is None else os.path.normpath(path)
