"""`workspace/executeCommand` of our commands, which docs/protocol.md describes."""

from __future__ import annotations

import base64
from typing import Callable, Mapping, Sequence

from lsprotocol import types as t
from pygls.exceptions import JsonRpcInvalidParams

from ipu_asm.assembler.encode import UnencodableIsaError, encode, require_words, written_errors
from ipu_asm.assembler.images import FORMATS, encode_image
from ipu_asm.diagnostics import Diagnostic
from ipu_asm.ide.header_findings import findings_shown
from ipu_asm.program.line_table import EffectiveProgram
from ipu_lsp.json_types import Json
from ipu_lsp.server.contexts import select_context
from ipu_lsp.server.custom import (
    ASSEMBLE,
    COMMANDS,
    LAUNCHED,
    LIST,
    MAP_MEMORY,
    RUN,
    SELECT_CONFIGURATION,
    SELECT_CONTEXT,
)
from ipu_lsp.server.findings import encoded_finding
from ipu_lsp.server.handlers.views import listing_of, memory_map_of
from ipu_lsp.server.host_configurations import launched, select_configuration
from ipu_lsp.server.messages import EncodedJson, json_array, json_object, json_text
from ipu_lsp.server.running import RunRequest, read_options, run
from ipu_lsp.server.session import LspSession, View

_LISTING = "listing"


def execute(session: LspSession, params: t.ExecuteCommandParams) -> object:
    """Execute a command and return its result.

    Raises `JsonRpcInvalidParams` for an unknown command or for malformed arguments.
    """
    if params.command not in COMMANDS:
        raise JsonRpcInvalidParams(f"there is no command `{params.command}`")
    arguments = params.arguments[0] if params.arguments else None
    if not isinstance(arguments, dict) or not isinstance(arguments.get("uri"), str):
        raise JsonRpcInvalidParams(f"`{params.command}` takes one object with a `uri`")
    if params.command == LAUNCHED:  # unlike the others, it may be about a program that is not open
        launched(session, arguments)
        return None
    view = session.view(arguments["uri"])
    if view is None:
        raise JsonRpcInvalidParams(f"no open document is {arguments['uri']}")
    return _COMMANDS[params.command](session, view, arguments)


def _assemble(session: LspSession, view: View, arguments: Json) -> object:
    """Return the image of a program (text, or Base64 for `bin`), or the errors that prevent one."""
    name = arguments.get("format", "hex")
    if name not in (*FORMATS, _LISTING):
        wanted = ", ".join((*FORMATS, _LISTING))
        raise JsonRpcInvalidParams(f"`format` is one of {wanted}, found {name!r:.40}")
    program = view.analysis.effective_program
    try:
        require_words(program.isa)
    except UnencodableIsaError as error:
        raise JsonRpcInvalidParams(str(error)) from error
    errors = _errors_of(view)
    if errors:
        return json_object(findings=_encoded(session, view, arguments["uri"], errors))
    if name == _LISTING:
        return {"format": name, "text": listing_of(view)["text"]}
    image = encode_image(encode(program), program.isa, name)
    if name == "bin":
        return {"format": name, "base64": base64.b64encode(image).decode("ascii")}
    return {"format": name, "text": image.decode("ascii")}


def _list(_session: LspSession, view: View, _arguments: Json) -> Json:
    return listing_of(view)


def _map(_session: LspSession, view: View, _arguments: Json) -> Json:
    return memory_map_of(view)


def _run(session: LspSession, view: View, arguments: Json) -> object:
    """Run the program to its end, however long that takes; return its final state or its errors."""
    options = read_options(arguments.get("options"))
    if isinstance(options, str):
        raise JsonRpcInvalidParams(options)
    program = view.analysis.effective_program
    errors = _errors_of(view)
    if errors:
        return json_object(
            why=json_text("the program has errors: nothing was run"),
            cycles="0",
            exitStatus="1",
            registers="{}",
            findings=_encoded(session, view, arguments["uri"], errors),
        )
    return run(RunRequest(program.text, program.isa.name, options))


def _errors_of(view: View) -> tuple[Diagnostic, ...]:
    """Return all errors of the program in the selected context, where they are written.

    Those that settings or suppressions hide are among them.
    """
    analysis = view.analysis
    expansions = tuple(each.expansion for each in analysis.expanded[:1])
    errors = written_errors(EffectiveProgram(analysis.effective_program, expansions))
    return findings_shown(analysis.with_diagnostics(tuple(errors)))


def _encoded(
    session: LspSession, view: View, uri: str, errors: Sequence[Diagnostic]
) -> EncodedJson:
    return json_array(encoded_finding(session, uri, view, error) for error in errors)


_COMMANDS: Mapping[str, Callable[[LspSession, View, Json], object]] = {
    ASSEMBLE: _assemble,
    LIST: _list,
    MAP_MEMORY: _map,
    RUN: _run,
    SELECT_CONFIGURATION: select_configuration,
    SELECT_CONTEXT: select_context,
}
