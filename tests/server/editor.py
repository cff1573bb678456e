"""An editor in front of a real server process."""

from __future__ import annotations

import asyncio
import itertools
import sys
from typing import Any, NamedTuple

from lsprotocol import types as t
from pygls.protocol import default_converter
from pytest_lsp import ClientServerConfig, LanguageClient
from pytest_lsp.client import DEFAULT_CLIENT_FEATURES, register_lsp_features

PATIENCE_S = 60
SERVER = [sys.executable, "-m", "ipu_lsp"]
_numbers = itertools.count(1)


class Opened(NamedTuple):
    """An open document and its text."""

    uri: str
    text: str


class Editor(LanguageClient):
    """A client that remembers what it was told."""

    def __init__(self) -> None:
        super().__init__(converter_factory=default_converter)
        register_lsp_features(self, {**DEFAULT_CLIENT_FEATURES, **_FEATURES})
        self.registered: dict[str, t.Registration] = {}
        self.published: dict[str, t.PublishDiagnosticsParams] = {}
        self.publications: list[t.PublishDiagnosticsParams] = []
        self.news = asyncio.Event()
        self.name = ""
        self.offer = t.ServerCapabilities()

    async def greet(self, name: str, capabilities: t.ClientCapabilities, **more: Any) -> None:
        """Introduce ourselves as the editor of that name."""
        self.name = name
        params = t.InitializeParams(capabilities=capabilities, **more)
        self.offer = (await self.initialize_session(params)).capabilities

    @property
    def encoding(self) -> str:
        """What columns count in this session."""
        return str(getattr(self.offer.position_encoding, "value", self.offer.position_encoding))

    def open(self, text: str, *, name: str = "", language: str = "ipu-asm") -> Opened:
        """Open a document of its own."""
        uri = f"untitled:{next(_numbers)}-{name or 'kernel.s'}" if ":" not in name else name
        item = t.TextDocumentItem(uri=uri, language_id=language, version=1, text=text)
        self.text_document_did_open(t.DidOpenTextDocumentParams(item))
        return Opened(uri, text)

    def edit(self, uri: str, version: int, *changes: t.TextDocumentContentChangeEvent) -> None:
        """Edit a document."""
        document = t.VersionedTextDocumentIdentifier(version=version, uri=uri)
        params = t.DidChangeTextDocumentParams(document, list(changes))
        self.text_document_did_change(params)

    def close(self, uri: str) -> None:
        """Close a document."""
        self.text_document_did_close(t.DidCloseTextDocumentParams(t.TextDocumentIdentifier(uri)))

    def position(self, text: str, offset: int) -> t.Position:
        """The position of an offset; lines end at line feeds here."""
        line = text.count("\n", 0, offset)
        before = text[text.rfind("\n", 0, offset) + 1 : offset]
        return t.Position(line, columns(before, self.encoding))

    def range(self, text: str, start: int, end: int) -> t.Range:
        """The range between two offsets."""
        return t.Range(self.position(text, start), self.position(text, end))

    def range_of(self, text: str, part: str) -> t.Range:
        """The range of the first `part` in a text."""
        start = text.index(part)
        return self.range(text, start, start + len(part))

    async def findings(self, uri: str, version: int = 1) -> list[t.Diagnostic]:
        """The findings of a document, asked for or waited for as this editor does it."""
        if self.offer.diagnostic_provider is None:
            return list((await self.publication(uri, version)).diagnostics)
        params = t.DocumentDiagnosticParams(t.TextDocumentIdentifier(uri))
        report = await self.text_document_diagnostic_async(params)
        assert isinstance(report, t.RelatedFullDocumentDiagnosticReport)
        return list(report.items)

    async def publication(self, uri: str, version: int | None) -> t.PublishDiagnosticsParams:
        """What is pushed about a version of a document, when it is there."""
        await self.until(lambda: uri in self.published and self.published[uri].version == version)
        return self.published[uri]

    async def until(self, is_so: Any) -> None:
        """Wait for messages until something is so."""
        async with asyncio.timeout(PATIENCE_S):
            while not is_so():
                self.news.clear()
                await self.news.wait()


def _published(editor: Editor, params: t.PublishDiagnosticsParams) -> None:
    editor.published[params.uri] = params
    editor.publications.append(params)
    editor.news.set()


def _registered(editor: Editor, params: t.RegistrationParams) -> None:
    editor.registered.update({entry.method: entry for entry in params.registrations})
    editor.news.set()


def _shown(editor: Editor, params: t.ShowMessageParams) -> None:
    editor.messages.append(params)
    editor.news.set()


_FEATURES = {
    t.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS: _published,
    t.CLIENT_REGISTER_CAPABILITY: _registered,
    t.WINDOW_SHOW_MESSAGE: _shown,
}


def columns(text: str, encoding: str) -> int:
    """How many columns a text takes."""
    width = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
    name = encoding if width == 1 else f"{encoding}-le"
    return len(text.encode(name, "surrogatepass")) // width


CONFIG = ClientServerConfig(server_command=SERVER, client_factory=Editor)
