"""`ipu.selectConfiguration` and `ipu.launched`: the values of the host that features show."""

from __future__ import annotations

import os

from pygls.exceptions import JsonRpcInvalidParams

from ipu_asm.config.host_configurations import HostConfiguration, register_values
from ipu_asm.ide.expansions import whole_reading
from ipu_asm.ide.run_facts import chosen_configuration, shown_configurations
from ipu_lsp.json_types import Json
from ipu_lsp.server.documents import Document, path_of
from ipu_lsp.server.session import LspSession, View


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
