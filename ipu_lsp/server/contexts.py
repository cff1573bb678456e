"""`ipu.selectContext`: the contexts of a document, and in which of them features answer."""

from __future__ import annotations

from pygls.exceptions import JsonRpcInvalidParams

from ipu_lsp.json_types import Json
from ipu_lsp.server.session import LspSession, View


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
