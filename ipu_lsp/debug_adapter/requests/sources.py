"""Requests about the loaded program: its source text, and program memory as a module."""

from __future__ import annotations

from functools import partial

from ipu_asm import __version__
from ipu_lsp.debug_adapter.argument_types import SourceArgument
from ipu_lsp.debug_adapter.request_table import Needs, RequestError, request
from ipu_lsp.debug_adapter.session import DebugSession
from ipu_lsp.debug_adapter.source_view import SourceView
from ipu_lsp.json_types import Json


@request("loadedSources", Needs.PROGRAM, "supportsLoadedSourcesRequest")
def loaded_sources(session: DebugSession) -> Json:
    """Return the program's source; of a template, its expansion as well."""
    return {"sources": [view.source for view in session.program.views]}


@request("source", Needs.PROGRAM)
def source(
    session: DebugSession,
    *,
    source_reference: int = 0,
    source: SourceArgument | None = None,  # the argument's name in the protocol
) -> Json:
    """Return the text of the program as it was when it was loaded."""
    wanted = source or SourceArgument()
    if source_reference:
        wanted = wanted._replace(source_reference=source_reference)
    view = session.program.view_of(wanted)
    if view is None:
        names, found = session.program.source_names, wanted.path or wanted.source_reference
        raise RequestError(f"the only source is {names}, found `{found}`")
    return {"content": view.text, "mimeType": "text/x-asm"}


@request("ipu/showSource", Needs.STOPPED)
def show_source_(session: DebugSession, *, source: SourceArgument | None = None) -> Json:
    """Make positions refer to a source from now on, by default to the one not shown."""
    debuggee = session.program
    view = debuggee.view_of(source) if source else None
    if source is not None and view is None:
        raise RequestError(f"a source is {debuggee.source_names}, found another one", True)
    if len(debuggee.views) == 1:
        raise RequestError("the program is not expanded: it has one source", True)
    view = view or next(each for each in debuggee.views if each is not debuggee.shown)
    show_source(session, view)
    return {"source": view.source}


def show_source(session: DebugSession, view: SourceView) -> None:
    """Make positions refer to a source, and have the client ask for the stack again."""
    session.program.debugger.show(view.resolver)
    session.program.inspector.use_lines(view.resolver.table)
    if session.client is not None and session.client.has_invalidated:
        body = {"areas": ["stacks", "variables"]}
        session.later(partial(session.outbox.event, "invalidated", body))


@request(
    "modules",
    Needs.PROGRAM,
    "supportsModulesRequest",
    additionalModuleColumns=[
        {
            "attributeName": "bundles",
            "label": "Bundles",
            "type": "string",
        }
    ],
)
def modules(session: DebugSession, *, start_module: int = 0, module_count: int = 0) -> Json:
    """Return program memory as the only module."""
    kernel = session.program.kernel
    program = {
        "id": "program",
        "name": session.program.file.source["name"],
        "path": session.program.configuration.program,
        "isUserCode": True,
        "version": f"{kernel.isa.name}, ipu-asm {__version__}",
        "symbolStatus": "disassembled" if kernel.is_image else "source",
        "addressRange": f"0x0-{kernel.program.size - 1:#x}",
        "bundles": f"{kernel.program.size} of {kernel.isa.program_limit}",
    }
    end = start_module + module_count if module_count > 0 else None
    return {"modules": [program][max(0, start_module) : end], "totalModules": 1}
