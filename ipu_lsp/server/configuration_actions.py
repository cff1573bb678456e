"""Code actions that edit the nearest configuration file, or create one."""

from __future__ import annotations

import json
import os
from typing import Generator

from ipu_asm.config import Configuration
from ipu_asm.config.configuration_file import FILE_NAMES
from ipu_asm.config.globs import files_named
from ipu_asm.config.toml_edits import add_context_name, add_define, add_include_path, add_isa
from ipu_asm.diagnostics import Diagnostic
from ipu_asm.ide import QUICK_FIX
from ipu_asm.ide.header_findings import missing_headers, names_to_declare, set_to_choose
from ipu_asm.isa import manifests
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.expansion import DEFAULT_INCLUDE_PATHS
from ipu_asm.text import Span, TextEdit
from ipu_lsp.server.convert import Coordinates
from ipu_lsp.server.documents import Document, workspace_edit_of_files
from ipu_lsp.server.findings import encoded_finding
from ipu_lsp.server.session import LspSession, View
from ipu_lsp.server.uris import uri_of
from ipu_lsp.server.workspace import TimeSlice
from ipu_lsp.transport import Json

_MAX_FOLDERS = 3
"""How many folders are offered for one header."""


class _ConfigurationText(NamedTuple):
    """A configuration, and the text of its file; `is_new` if there is no file yet."""

    configuration: Configuration
    text: str
    is_new: bool


class _Change(NamedTuple):
    """Edits of a configuration file that resolve a finding."""

    title: str
    finding: Diagnostic
    edits: list[TextEdit]


def configuration_actions(
    session: LspSession, document: Document, view: View, span: Span
) -> Generator[None, None, list[Json]]:
    """Return the code actions at a span that change the configuration of a document."""
    names = list(names_to_declare(view.analysis, span))
    headers = list(missing_headers(view.analysis, span))
    chosen = set_to_choose(view.analysis, span)
    target = _target(session, document) if names or headers or chosen else None
    if target is None:
        return []
    changes = []
    if chosen is not None:
        changes += _choosing(document, target, *chosen)
    for finding, name, is_in_template in names:
        changes.append(_declaring(document, target, name, finding, is_in_template))
    for finding, name in headers:
        folders: list[str] = []
        yield from _search(session, document, name, folders)
        changes += [_searching(target, folder, finding) for folder in folders]
    return [_action(session, document, view, target, c) for c in changes if c.edits]


def _target(session: LspSession, document: Document) -> _ConfigurationText | None:
    """Return the nearest configuration file, or a new one; None where none can be edited."""
    configuration = session.projects.of_folder(os.path.dirname(document.key)).configuration
    if not document.key:
        return None
    if configuration.path:
        file = session.headers.read(configuration.path)
        return None if file is None else _ConfigurationText(configuration, file.text, False)
    folder = session.workspace.folder_of(document.key) or os.path.dirname(document.key)
    path = os.path.join(folder, FILE_NAMES[0])
    if os.path.lexists(path) or not session.client.creates_files:
        return None
    return _ConfigurationText(Configuration(path=path, folder=folder), "", True)


def _declaring(
    document: Document,
    target: _ConfigurationText,
    name: str,
    finding: Diagnostic,
    is_in_template: bool,
) -> _Change:
    file = os.path.basename(target.configuration.path)
    if is_in_template:
        title = f"Add `{name}` to the contexts of {file}"
        edits = add_context_name(target.text, target.configuration, document.key, name)
        return _Change(title, finding, edits)
    edit = add_define(target.text, target.configuration, name)
    return _Change(f"Add `{name}` to [defines] of {file}", finding, [edit] if edit else [])


def _choosing(
    document: Document, target: _ConfigurationText, finding: Diagnostic, name: str
) -> list[_Change]:
    """Return the changes that choose an instruction set, for a document or for all files."""
    file = os.path.basename(target.configuration.path)
    title = manifests()[name].title
    scopes = ((f"`{os.path.basename(document.key)}`", True), ("all files", False))
    edits = [
        (scope, add_isa(target.text, target.configuration, document.key, name, for_file=is_alone))
        for scope, is_alone in scopes
    ]
    return [
        _Change(f"Read {scope} as {title} (in {file})", finding, [edit])
        for scope, edit in edits
        if edit is not None
    ]


def _search(
    session: LspSession, document: Document, name: str, folders: list[str]
) -> Generator[None, None, None]:
    """Find the folders of the workspace in which an include would find a file of that name."""
    time_slice = TimeSlice()
    root = session.workspace.folder_of(document.key)
    for path in files_named(root, name) if root else ():
        yield from time_slice.pause()
        if path is not None:
            folders.append(path[: -len(name)].rstrip("/" + os.sep) or os.sep)
            if len(folders) >= _MAX_FOLDERS:
                return


def _searching(target: _ConfigurationText, folder: str, finding: Diagnostic) -> _Change:
    configuration = target.configuration
    relative = os.path.relpath(folder, configuration.folder).replace(os.sep, "/")
    default = [
        each
        for each in DEFAULT_INCLUDE_PATHS
        if os.path.isdir(os.path.join(configuration.folder, each)) and each != relative
    ]
    edit = add_include_path(target.text, configuration, relative, tuple(default))
    file = os.path.basename(configuration.path)
    title = f"Add `{relative}` to the include-paths of {file}"
    return _Change(title, finding, [edit] if edit else [])


def _action(
    session: LspSession, document: Document, view: View, target: _ConfigurationText, change: _Change
) -> Json:
    encoded = encoded_finding(session, document.uri, view, change.finding)
    return {
        "title": change.title,
        "kind": QUICK_FIX,
        "diagnostics": [json.loads(encoded)],
        "edit": _edit(session, target, change),
    }


def _edit(session: LspSession, target: _ConfigurationText, change: _Change) -> Json:
    uri = uri_of(target.configuration.path) or ""
    coordinates = Coordinates(target.text, session.client.encoding)
    edits = [coordinates.edit(edit) for edit in change.edits]
    is_versioned = session.client.document_changes
    edit = workspace_edit_of_files([(uri, None, edits)], versioned=is_versioned)
    if target.is_new:
        create = {"kind": "create", "uri": uri, "options": {"ignoreIfExists": True}}
        edit["documentChanges"] = [create, *edit["documentChanges"]]
    return edit
