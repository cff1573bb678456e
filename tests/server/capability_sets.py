"""What different editors say about themselves."""

from __future__ import annotations

from typing import Callable

from lsprotocol import types as t
from pytest_lsp import client_capabilities


def vscode() -> t.ClientCapabilities:
    """VS Code as it is today: the recorded one, which also asks for findings."""
    capabilities = client_capabilities("visual-studio-code")
    assert capabilities.text_document
    assert capabilities.workspace
    assert capabilities.general
    capabilities.text_document.diagnostic = t.DiagnosticClientCapabilities(
        dynamic_registration=True, related_document_support=False
    )
    capabilities.workspace.diagnostics = t.DiagnosticWorkspaceClientCapabilities(
        refresh_support=True
    )
    completion = capabilities.text_document.completion
    assert completion
    assert completion.completion_item
    completion.completion_item.label_details_support = True
    capabilities.general.position_encodings = ["utf-16"]
    return capabilities


def only(*encodings: str) -> t.ClientCapabilities:
    """A client that can do nothing but count columns in certain ways."""
    general = t.GeneralClientCapabilities(position_encodings=list(encodings))
    return t.ClientCapabilities(general=general)


EDITORS: dict[str, Callable[[], t.ClientCapabilities]] = {
    "vscode": vscode,
    "vscode-2022": lambda: client_capabilities("visual-studio-code"),
    "neovim": lambda: client_capabilities("neovim@v0.11"),
    "emacs": lambda: client_capabilities("emacs"),
    "nothing": t.ClientCapabilities,
    "utf-8": lambda: only("utf-8"),
    "utf-32": lambda: only("utf-99", "utf-32", "utf-16"),
}
ENCODINGS = {"neovim": "utf-8", "emacs": "utf-32", "utf-8": "utf-8", "utf-32": "utf-32"}
PULLING = ("vscode", "neovim")
