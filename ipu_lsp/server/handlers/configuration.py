"""Settings: sent or pulled from the client, and configuration files that the client watches."""

from __future__ import annotations

import os
from itertools import product
from typing import Any

from lsprotocol import types as t

from ipu_asm.config.configuration_file import FILE_NAMES
from ipu_asm.config.files import source_extensions
from ipu_asm.config.host_search import WATCHED, is_watched
from ipu_lsp.server.session import LspSession
from ipu_lsp.server.settings import read_settings, unwrap_section
from ipu_lsp.server.settings_files import SOURCE
from ipu_lsp.server.sources import HEADER_EXTENSIONS, HEADER_LANGUAGES
from ipu_lsp.server.uris import file_schemes, path_of

_SECTION = "ipu"
_METHODS_OF_HEADERS = (
    t.TEXT_DOCUMENT_DID_OPEN,
    t.TEXT_DOCUMENT_DID_CHANGE,
    t.TEXT_DOCUMENT_DID_CLOSE,
    t.TEXT_DOCUMENT_HOVER,
    t.TEXT_DOCUMENT_DEFINITION,
    t.TEXT_DOCUMENT_REFERENCES,
    t.TEXT_DOCUMENT_RENAME,
)

_METHODS_OF_CONFIGURATION = (*_METHODS_OF_HEADERS[:4], t.TEXT_DOCUMENT_COMPLETION)
"""Opening, changing and closing a document, hover and completion."""
_OPTIONS_OF_CHANGES = {
    t.TEXT_DOCUMENT_DID_CHANGE: {"syncKind": t.TextDocumentSyncKind.Incremental.value}
}


def apply(session: LspSession, section: object) -> bool:
    """Apply the settings of the section `ipu`; return whether any of them changed."""
    settings, complaints = read_settings(section)
    for complaint in complaints:
        session.warnings.warn(complaint)
    is_new = settings != session.projects.settings
    session.projects.settings = settings
    return is_new


def subscribe(session: LspSession) -> None:
    """Register for changes of the client's settings, of configuration files and of sources."""
    registrations = []
    if session.client.registers_configuration:
        method, options = t.WORKSPACE_DID_CHANGE_CONFIGURATION, {"section": _SECTION}
        registrations.append(_registration(method, options))
    if session.client.registers_watched_files:
        extensions = {*source_extensions(), *HEADER_EXTENSIONS}
        endings = ",".join(sorted(extension[1:] for extension in extensions))
        patterns = (*(f"**/{name}" for name in FILE_NAMES), f"**/*.{{{endings}}}", *WATCHED)
        watchers = [{"globPattern": pattern} for pattern in patterns]
        method = t.WORKSPACE_DID_CHANGE_WATCHED_FILES
        registrations.append(_registration(method, {"watchers": watchers}))
    if session.client.registers_headers:
        registrations += _of_headers(session)
    if session.client.registers_keys:
        pattern = f"**/{FILE_NAMES[0]}"
        selector = [{"scheme": scheme, "pattern": pattern} for scheme in file_schemes()]
        registrations += [
            _of_files("configuration", selector, method, _OPTIONS_OF_CHANGES.get(method, {}))
            for method in _METHODS_OF_CONFIGURATION
        ]
    if registrations:
        session.protocol.ask(t.CLIENT_REGISTER_CAPABILITY, {"registrations": registrations})


def pull(session: LspSession) -> None:
    """Request the settings from clients that support it; apply them when the response arrives."""
    if not session.client.gives_configuration:
        return

    def use(answer: object) -> None:
        session.publish_queue.settings_known()
        if not isinstance(answer, list) or not answer:
            return
        # Null: the section does not exist (any more). Fall back to the initialization options.
        section = session.first_settings if answer[0] is None else answer[0]
        if apply(session, section):
            session.settings_changed()

    params = {"items": [{"section": _SECTION}]}
    session.protocol.ask(
        t.WORKSPACE_CONFIGURATION, params, use, session.publish_queue.settings_known
    )


def did_change_configuration(session: LspSession, params: dict[str, Any]) -> None:
    """Apply the settings that the notification carries, or pull them if it has none.

    Some clients support pulling and still send settings before they open a document.
    """
    settings = params.get("settings")
    are_sent = isinstance(settings, dict) and _SECTION in settings
    if session.client.gives_configuration and not are_sent:
        pull(session)
        return
    session.publish_queue.settings_known()
    if apply(session, unwrap_section(settings)):
        session.settings_changed()


def did_change_watched_files(session: LspSession, params: t.DidChangeWatchedFilesParams) -> None:
    """Invalidate results that depend on configuration files or sources that changed on disk."""
    paths = [path for change in params.changes if (path := path_of(change.uri)) is not None]
    settings = [path for path in paths if os.path.basename(path) in FILE_NAMES]
    if any(is_watched(path) for path in paths):
        session.hosts_changed()
    for path in paths:
        session.workspace.forget(os.path.normpath(path))
    for change in params.changes:
        is_new = change.type is t.FileChangeType.Created
        if change.type is t.FileChangeType.Deleted and path_of(change.uri) not in settings:
            session.workspace.deleted.add(change.uri)
        session.file_changed(os.path.normpath(path_of(change.uri) or ""), is_new=is_new)
    if settings:
        session.settings_changed()
        session.settings_files.check_again(settings)
    elif any(_is_read(session, os.path.normpath(path)) for path in paths):
        session.refresh_diagnostics()


def _of_headers(session: LspSession) -> list[dict[str, Any]]:
    """Register headers, which editors take for C, for what we know of names and findings alone.

    With the other documents of ours, headers of C would get our colours and formatter, too.
    """
    endings = ",".join(extension[1:] for extension in HEADER_EXTENSIONS)
    selector = [
        {"scheme": scheme, "language": language, "pattern": f"**/*.{{{endings}}}"}
        for scheme, language in product(file_schemes(), HEADER_LANGUAGES)
    ]
    options: dict[str, dict[str, Any]] = {method: {} for method in _METHODS_OF_HEADERS}
    options |= _OPTIONS_OF_CHANGES
    options[t.TEXT_DOCUMENT_RENAME] = {"prepareProvider": True}
    if session.client.pulls_diagnostics:
        pulled = {"identifier": SOURCE, "interFileDependencies": False}
        options[t.TEXT_DOCUMENT_DIAGNOSTIC] = {**pulled, "workspaceDiagnostics": False}
    return [_of_files("header", selector, method, options[method]) for method in options]


def _of_files(
    name: str, selector: list[dict[str, str]], method: str, options: dict[str, Any]
) -> dict[str, Any]:
    return {
        "id": f"ipu-{name}-{method}",
        "method": method,
        "registerOptions": {"documentSelector": selector, **options},
    }


def _is_read(session: LspSession, path: str) -> bool:
    """Return whether results depend on a file on the disk: a source, or a header of one."""
    if session.is_open(path):
        return False
    if is_watched(path):
        return False
    is_header = os.path.splitext(path)[1] in HEADER_EXTENSIONS
    return not is_header or session.workspace.reads(path)


def _registration(method: str, options: dict[str, Any]) -> dict[str, Any]:
    return {"id": f"ipu-{method}", "method": method, "registerOptions": options}
