"""Findings in configuration files, pushed to the client or reported with the workspace's."""

from __future__ import annotations

import hashlib
import os
from functools import lru_cache
from typing import Iterable, Iterator

from lsprotocol import types as t

from ipu_asm.config import ConfigurationFinding
from ipu_asm.config.files import version_of
from ipu_asm.diagnostics import Severity
from ipu_asm.lint.configuration_findings import check_file
from ipu_asm.named_tuple import NamedTuple
from ipu_lsp.server.convert import Coordinates, Encoding
from ipu_lsp.server.messages import EncodedJson, json_array, json_object, json_text
from ipu_lsp.server.protocol import LspProtocol
from ipu_lsp.server.settings import Projects
from ipu_lsp.server.uris import path_of, uri_of


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


SOURCE = "ipu"


class SettingsFiles:
    """The findings in the configuration files of a session.

    `Projects.files_to_check` are the files to check: those that changed or had findings.
    """

    def __init__(self, protocol: LspProtocol, projects: Projects) -> None:
        self.encoding = Encoding.UTF_16
        self._protocol = protocol
        self._projects = projects
        self._are_pulled = False
        self._pushed: dict[str, str] = {}
        # The findings by path, with the version of the file to which they belong.
        self._checked: dict[str, tuple[object, EncodedFindings]] = {}

    def check_again(self, paths: Iterable[str]) -> None:
        """Check files that have changed, and push their findings."""
        for path in paths:
            self._checked.pop(path, None)
            self._projects.files_to_check[path] = None
        self.push()

    def push(self) -> None:
        """Push the findings that the client does not have, unless it pulls the workspace's."""
        if self._are_pulled:
            return
        for path, findings in self._findings():
            if self._pushed.get(path, NO_FINDINGS.items) != findings.items:
                self._publish(path, findings.items)

    def pull(self) -> None:
        """Stop pushing and clear what was pushed: from now on `report` returns the findings."""
        self._are_pulled = True
        for path in list(self._pushed):
            if self._pushed[path] != NO_FINDINGS.items:
                self._publish(path, NO_FINDINGS.items)

    def report(self, reports: WorkspaceReports) -> None:
        """Add the findings of all files to the reports of the workspace."""
        for path, findings in self._findings():
            uri = uri_of(path)
            if uri is None:
                self._projects.files_to_check.pop(path, None)
            elif findings != NO_FINDINGS:
                reports.add(uri, findings)

    def _findings(self) -> Iterator[tuple[str, EncodedFindings]]:
        """Yield the findings of each suspect; a file without findings is no longer a suspect."""
        for path in list(self._projects.files_to_check):
            findings = self._findings_in(path)
            yield path, findings
            if findings == NO_FINDINGS:
                self._projects.files_to_check.pop(path, None)

    def _findings_in(self, path: str) -> EncodedFindings:
        version = version_of(path)
        known = self._checked.get(path)
        if known is not None and known[0] == version:
            return known[1]
        text, found = check_file(path)
        coordinates = Coordinates(text, self.encoding)
        findings = with_result_id(json_array(_encoded(coordinates, finding) for finding in found))
        self._checked[path] = version, findings
        return findings

    def _publish(self, path: str, findings: str) -> None:
        uri = uri_of(path)
        if uri is not None:
            params = json_object(uri=json_text(uri), diagnostics=findings)
            self._protocol.notify(t.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, params)
            self._pushed[path] = findings


def _encoded(coordinates: Coordinates, finding: ConfigurationFinding) -> str:
    severity = Severity.ERROR if finding.is_fatal else Severity.WARNING
    outcome = "; the whole file is ignored" if finding.is_fatal else ""
    return json_object(
        range=coordinates.encoded_range(finding.span),
        severity=json_text(severity.value),
        source=json_text(SOURCE),
        message=json_text(f"{finding.message}{outcome}"),
    )
