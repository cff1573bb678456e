"""`workspace/executeCommand` of our commands, which docs/protocol.md describes."""

from __future__ import annotations

import base64
import os
from typing import Callable, Mapping, Sequence

from lsprotocol import types as t
from pygls.exceptions import JsonRpcInvalidParams

from ipu_asm.assembler.encode import (
    AssemblyError,
    UnencodableIsaError,
    object_of,
    required_code,
    written_errors,
)
from ipu_asm.assembler.images import ELF, LISTING, code_image, formats_of
from ipu_asm.config.host_configurations import HostConfiguration, register_values
from ipu_asm.diagnostics import Diagnostic
from ipu_asm.ide.expansions import whole_reading
from ipu_asm.ide.header_findings import findings_shown
from ipu_asm.ide.run_facts import chosen_configuration, shown_configurations
from ipu_asm.program.line_table import EffectiveProgram
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
from ipu_lsp.server.documents import Document
from ipu_lsp.server.findings import encoded_finding
from ipu_lsp.server.handlers.views import listing_of, memory_map_of
from ipu_lsp.server.messages import EncodedJson, json_array, json_object, json_text
from ipu_lsp.server.running import read_options, run
from ipu_lsp.server.session import LspSession, View
from ipu_lsp.server.uris import path_of
from ipu_lsp.transport import Json


def select_configuration(session: LspSession, view: View, arguments: Json) -> Json:
    """Select a configuration of the host by its number, if one is given; return all of them.

    Findings do not depend on it. Raises `JsonRpcInvalidParams` for a number without a
    configuration.
    """
    document = session.documents[arguments["uri"]]
    program = whole_reading(view.analysis).analysis.program
    names = [each.name for each in shown_configurations(program)]
    selected = names.index(chosen_configuration(program).name)
    number = arguments.get("configuration")
    if number is not None:
        if type(number) is not int or not 0 <= number < len(names):
            message = f"`configuration` is a number below {len(names)}, found {number!r:.40}"
            raise JsonRpcInvalidParams(message)
        selected = number
        session.sources.choose(document, names[number])
        _show_again(session, document)
    return {"configurations": names, "selected": selected}


def launched(session: LspSession, arguments: Json) -> None:
    """Remember the registers of a launch: they are shown before those of other launches."""
    path, name = path_of(arguments["uri"]), arguments.get("name")
    values = {
        **register_values("cr", arguments.get("cr")),
        **register_values("lr", arguments.get("lr")),
    }
    if path is None or not values:
        return
    path = os.path.normpath(path)
    origin = f"last launch, {name:.60}" if isinstance(name, str) and name else "last launch"
    session.sources.launched(path, HostConfiguration(values, origin))
    for document in session.documents.values():
        if document.key == path:
            _show_again(session, document)


def _show_again(session: LspSession, document: Document) -> None:
    document.forget()
    session.shown_texts.refresh([document.uri])
    session.refresh_views()


def select_context(session: LspSession, view: View, arguments: Json) -> Json:
    """Select a context by its number, if one is given; return all, and the selected one.

    All contexts are checked whichever is selected. Raises `JsonRpcInvalidParams` for a number
    without a context.
    """
    document = session.documents[arguments["uri"]]
    analysis = document.analysis or view.analysis
    contexts = [each.expansion.context for each in analysis.expanded]
    number = arguments.get("context")
    if number is not None:
        if type(number) is not int or not 0 <= number < len(contexts):
            wanted = f"a number below {len(contexts)}" if contexts else "nothing for a plain text"
            raise JsonRpcInvalidParams(f"`context` is {wanted}, found {number!r:.40}")
        document.context = contexts[number]
        session.shown_texts.refresh([document.uri])
        session.refresh_views()
    is_known = document.context in contexts
    return {
        "contexts": contexts,
        "selected": contexts.index(document.context or "") if is_known else 0,
    }


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
    """Return the code of a program (text, or Base64 for bytes), or the errors that prevent it."""
    effective = _effective(view)
    isa, name = effective.program.isa, arguments.get("format", "hex")
    try:
        formats = formats_of(required_code(isa))
    except UnencodableIsaError as error:
        raise JsonRpcInvalidParams(str(error)) from None
    if name not in formats:
        wanted = ", ".join(formats)
        raise JsonRpcInvalidParams(f"`format` is one of {wanted}, found {name!r:.40}")
    source = view.analysis.source
    try:
        code = object_of(effective, source, is_final=name not in (ELF, LISTING))
    except AssemblyError as error:
        errors = findings_shown(view.analysis.with_diagnostics(error.findings))
        return json_object(findings=_encoded(session, view, arguments["uri"], errors))
    if name == LISTING:
        return {"format": name, "text": listing_of(view)["text"]}
    image = code_image(code, isa, name)
    if name in ("bin", ELF):
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
    return run(program, *options)


def _errors_of(view: View) -> tuple[Diagnostic, ...]:
    """Return all errors of the program in the selected context, where they are written.

    Those that settings or suppressions hide are among them.
    """
    return findings_shown(view.analysis.with_diagnostics(tuple(written_errors(_effective(view)))))


def _effective(view: View) -> EffectiveProgram:
    expansions = tuple(each.expansion for each in view.analysis.expanded[:1])
    return EffectiveProgram(view.analysis.effective_program, expansions)


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
