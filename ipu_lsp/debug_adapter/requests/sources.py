"""Requests about the loaded program: its source text, and program memory as a module."""

from __future__ import annotations

from ipu_asm import __version__
from ipu_asm.isa.ipu.machine.state import INST_MEM_SIZE
from ipu_lsp.debug_adapter.argument_types import SourceArgument
from ipu_lsp.debug_adapter.request_table import Needs, RequestError, request
from ipu_lsp.debug_adapter.session import DebugSession
from ipu_lsp.json_types import Json


@request("loadedSources", Needs.PROGRAM, "supportsLoadedSourcesRequest")
def loaded_sources(session: DebugSession) -> Json:
    """Return the program's only source."""
    return {"sources": [session.program.source()]}


@request("source", Needs.PROGRAM)
def source(
    session: DebugSession,
    *,
    source_reference: int = 0,
    source: SourceArgument | None = None,  # the argument's name in the protocol
) -> Json:
    """Return the text of the program as it was when it was loaded."""
    debuggee = session.program
    path = None if source is None else source.path
    reference = source_reference or (0 if source is None else source.source_reference)
    if not debuggee.is_source(path, reference):
        name = debuggee.source()["name"]
        raise RequestError(f"the only source is {name}, found `{path or reference}`")
    return {"content": debuggee.kernel.program.text, "mimeType": "text/x-asm"}


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
        "name": session.program.source()["name"],
        "path": session.program.configuration.program,
        "isUserCode": True,
        "version": f"{kernel.isa.name}, ipu-asm {__version__}",
        "symbolStatus": "disassembled" if kernel.is_image else "source",
        "addressRange": f"0x0-{kernel.program.size - 1:#x}",
        "bundles": f"{kernel.program.size} of {INST_MEM_SIZE}",
    }
    end = start_module + module_count if module_count > 0 else None
    return {"modules": [program][max(0, start_module) : end], "totalModules": 1}
