"""`ipu/runInputs`: what a program can be run with, and where each value is from."""

from __future__ import annotations

from ipu_asm.ide import run_inputs as ide
from ipu_asm.isa import manifests
from ipu_asm.isa.manifest import HostOption
from ipu_lsp.json_types import Json
from ipu_lsp.server.custom import RunInputsParams
from ipu_lsp.server.documents import path_of
from ipu_lsp.server.session import LspSession


def run_inputs(session: LspSession, params: RunInputsParams) -> Json | None:
    """Return the inputs of a document; None for a document that is not open."""
    uri = params.text_document.uri
    view = session.view(uri)
    if view is None:
        return None
    document = session.documents[uri]
    configuration = session.projects.of(document).configuration
    manifest = manifests()[view.analysis.program.isa.name]
    program, path = view.analysis.effective_program, path_of(uri) or ""
    found = ide.run_inputs(program, path, configuration, params.registers)
    return {
        "registers": [each._asdict() for each in found.registers],
        "load": [each._asdict() for each in found.load],
        "expect": [each._asdict() for each in found.expect],
        "options": [_option(each) for each in manifest.host_options],
        "settings": dict(found.settings),
        "define": dict(found.define),
        "origin": found.origin,
        "missing": found.missing,
        "unknown": [
            {"region": each.region, "start": each.start, "size": each.size_text}
            for each in found.unknown
        ],
    }


def _option(option: HostOption) -> Json:
    return {
        "name": option.name,
        "kind": option.kind,
        "summary": option.summary,
        "choices": list(option.choices),
        "least": option.least,
        "most": option.most,
    }
