"""Views of a program: listing, expansion, memory map, slot grid, run inputs, reference."""

from __future__ import annotations

from typing import Callable, Mapping
from urllib.parse import unquote, urlsplit

from lsprotocol import types as t
from pygls.exceptions import JsonRpcInvalidParams

from ipu_asm.analysis.annotated_code import annotated
from ipu_asm.assembler.code_files import read_code_file
from ipu_asm.assembler.encode import encode_without_errors
from ipu_asm.config.files import FileError, Target, is_code_file, read_bytes
from ipu_asm.flow.loops import SourceLoop
from ipu_asm.ide import listing as ide_listing
from ipu_asm.ide import memory_map as ide_memory_map
from ipu_asm.ide import run_inputs as ide_run_inputs
from ipu_asm.ide.listing import ExpansionLine, expansion_view
from ipu_asm.ide.syntax_element import instruction_at
from ipu_asm.isa import HostOption, manifests
from ipu_asm.isa.model import Slot
from ipu_asm.reports import recorded_profiles
from ipu_asm.reports.recorded_profiles import ProfileError, read_profile
from ipu_asm.reports.reference import anchor_of, reference_body, reference_title
from ipu_asm.source.source_map import MAIN
from ipu_lsp.server.convert import Coordinates
from ipu_lsp.server.custom import (
    EXPANSION_SCHEME,
    LISTING_SCHEME,
    MEMORY_MAP_SCHEME,
    DocumentParams,
    ExpansionParams,
    ProfileMarksParams,
    RunInputsParams,
    RunTotalsParams,
)
from ipu_lsp.server.session import LspSession, View
from ipu_lsp.server.settings import NO_WORDS
from ipu_lsp.server.uris import path_of, uri_of
from ipu_lsp.transport import Json


def listing(session: LspSession, params: DocumentParams) -> Json | None:
    """Return the listing of a document, with the address and source line of each of its lines.

    None for a document that is not open.
    """
    view = session.view(params.text_document.uri)
    return None if view is None else shown_listing(session, view)


def shown_listing(session: LspSession, view: View) -> Json:
    """Return the listing of a program as the setting `ipu.listing.words` wants it."""
    return listing_of(view, has_words=session.projects.settings.listing_words != NO_WORDS)


def listing_of(view: View, *, has_words: bool = True) -> Json:
    """Return the listing of a program, which may have errors."""
    found = _found(view, has_words)
    lines = [{"address": line.address, "line": line.line} for line in found.lines]
    return {"text": found.text, "lines": lines}


def _found(view: View, has_words: bool) -> ide_listing.Listing:
    program = ide_listing.listed_program(view.analysis)
    return ide_listing.listing(view.analysis, encode_without_errors(program) if has_words else None)


_MAX_OBJECT = 1 << 18  # bytes: no other request is answered meanwhile

_MAKERS: Mapping[str, Callable[[LspSession, View], Json]] = {
    LISTING_SCHEME: shown_listing,
    EXPANSION_SCHEME: lambda _, view: expansion_of(view),
    MEMORY_MAP_SCHEME: lambda _, view: memory_map_of(view),
}


def text_document_content(session: LspSession, params: t.TextDocumentContentParams) -> Json:
    """Return the text of a URI such as `ipu-listing:/kernel.lst?file%3A%2F%2F...`.

    The client is asked to refresh it once when the source changes.
    """
    scheme, source = _parts(session, params.uri)
    view = None if source is None else session.view(source)
    if source is None or view is None:
        return {"text": f"# the program of this {scheme} is not open\n"}
    session.shown_texts.add(source, params.uri)
    make = _MAKERS.get(f"ipu-{scheme}", shown_listing)
    return {"text": make(session, view)["text"]}


def _parts(session: LspSession, uri: str) -> tuple[str, str | None]:
    """Return what a URI shows, and the URI of the open document that its query names, if any."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return "listing", None
    shows = parts.scheme.removeprefix("ipu-") or "listing"
    query = unquote(parts.query)
    if query in session.documents:
        return shows, query
    # Clients percent-encode URIs differently.
    return shows, next((known for known in session.documents if unquote(known) == query), None)


def expansion(session: LspSession, params: ExpansionParams) -> Json | None:
    """Return the expansion of a document; None for a document that is not open."""
    view = session.view(params.text_document.uri)
    return None if view is None else expansion_of(view, params.context)


def expansion_of(view: View, context: int = 0) -> Json:
    """Return the text of an expansion with the written place of each of its lines."""
    found = expansion_view(view.analysis, context)
    return {
        "text": found.text,
        "lines": [_line(line) for line in found.lines],
        "context": found.context,
        "contexts": list(found.contexts),
    }


def _line(line: ExpansionLine) -> Json:
    if line.path == MAIN:
        return {"line": line.line}
    return {"line": line.line, "uri": uri_of(line.path)}


def memory_map(session: LspSession, params: DocumentParams) -> Json | None:
    """Return the memory map of a document; None for a document that is not open."""
    view = session.view(params.text_document.uri)
    return None if view is None else memory_map_of(view)


def memory_map_of(view: View) -> Json:
    """Return the memory map as data, and as a text with the source line of each of its lines."""
    found = ide_memory_map.memory_map(view.analysis)
    lines = list(ide_memory_map.map_lines(view.analysis, found))
    return {
        "text": "".join(f"{line.text}\n" for line in lines),
        "lines": [{"line": line.line} for line in lines],
        "note": found.note,
        "strips": [_strip(strip) for strip in found.strips],
        "accesses": [_access(access, view.coordinates) for access in found.accesses],
    }


def _strip(strip: ide_memory_map.MemoryStrip) -> Json:
    return {
        "memory": strip.memory,
        "size": strip.size,
        "base": strip.base,
        "regions": [
            {
                "start": region.range.start,
                "end": region.range.stop,
                "name": region.name,
                "kind": region.kind,
                "through": list(region.through),
                "accesses": list(region.accesses),
            }
            for region in strip.regions
        ],
        "unknown": list(strip.unknown),
    }


def _access(access: ide_memory_map.MapAccess, coordinates: Coordinates) -> Json:
    return {
        "range": coordinates.range(access.span),
        "text": access.text,
        "kind": access.kind,
        "size": access.size,
        "addresses": access.addresses,
        "executions": access.executions,
        "ranges": [[each.start, each.stop] for each in access.ranges],
    }


def slot_grid(session: LspSession, params: DocumentParams) -> Json | None:
    """Return the table of a document; None for a document that is not open."""
    view = session.view(params.text_document.uri)
    if view is None:
        return None
    coordinates = view.coordinates
    offset = None if params.position is None else coordinates.offset(params.position)
    grid = ide_listing.slot_grid(view.analysis, offset)
    answer: Json = {
        "isa": view.analysis.isa.name,
        "unit": view.analysis.isa.unit,
        "slots": [_slot(slot) for slot in grid.slots],
        "rows": [_row(row, coordinates) for row in grid.rows],
        "loops": [_loop(loop) for loop in grid.loops],
    }
    if grid.current is not None:
        answer["current"] = grid.current
    return answer


def _slot(slot: Slot) -> Json:
    """Encode a slot, with the functional units that it occupies if slots compete for units."""
    written: Json = {"name": slot.name, "title": slot.title, "capacity": slot.capacity}
    if slot.units:
        written["units"] = list(slot.units)
    return written


def _row(row: ide_listing.GridRow, coordinates: Coordinates) -> Json:
    range_ = coordinates.range(row.span)
    return {
        "address": row.address,
        "line": range_["start"]["line"],
        "label": row.label,
        "range": range_,
        "cells": [[_cell(cell, coordinates) for cell in cells] for cells in row.cells],
        "strays": [_cell(cell, coordinates) for cell in row.strays],
        "executions": row.executions,
        **({"causes": [each and each._asdict() for each in row.causes]} if row.causes else {}),
    }


def _cell(cell: ide_listing.GridCell, coordinates: Coordinates) -> Json:
    return {
        "mnemonic": cell.mnemonic,
        "text": cell.text,
        "range": coordinates.range(cell.span),
        "slot": cell.slot,
        "idle": cell.is_idle,
    }


def _loop(loop: SourceLoop) -> Json:
    return {
        "first": loop.first,
        "last": loop.last,
        "label": loop.label,
        "utilisation": round(loop.utilisation, 4),
        "use": loop.use_text,
        "iterationBundles": loop.size,
    }


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
    found = ide_run_inputs.run_inputs(program, path, configuration, params.registers)
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


def run_totals(session: LspSession, params: RunTotalsParams) -> Json | None:
    """Return the totals of a document, compared with its text at the last save and in a commit.

    None for a document that is not open.
    """
    uri = params.text_document.uri
    view, document = session.view(uri), session.documents.get(uri)
    if view is None or document is None:
        return None
    texts = {"": document.saved, "than committed": params.committed}
    before = {}
    for name, text in texts.items():
        if text is not None and text != document.text:
            past = session.view_of(document.with_earlier(text))
            before[name] = past and ide_run_inputs.run_totals(past.analysis).cycles
    return ide_run_inputs.run_totals(view.analysis, before)._asdict()


def profile_marks(_session: LspSession, params: ProfileMarksParams) -> Json:
    """Return the marks of a profile, compared with one of a run before if that is given.

    Raises `JsonRpcInvalidParams` for another text.
    """
    try:
        before = None if params.before is None else read_profile(params.before)
        marks = recorded_profiles.profile_marks(read_profile(params.profile), before)
    except ProfileError as error:
        raise JsonRpcInvalidParams(str(error)) from None
    return {
        "marks": [
            {
                "line": mark.line - 1,
                "endLine": mark.end_line - 1,
                "text": mark.text,
                "tooltip": mark.tooltip,
                "heat": mark.heat,
            }
            for mark in marks
        ]
    }


def disassembly(session: LspSession, params: DocumentParams) -> Json | None:
    """Return the annotated assembly of an object or a listing on the disk, or why there is none.

    None for a URI that is no file.
    """
    path = path_of(params.text_document.uri)
    if path is None:
        return None
    try:
        data = read_bytes(Target(path), _MAX_OBJECT)
        if not is_code_file(data):
            raise FileError("expected an ELF file or a listing of `objdump -d`", path)
        file = read_code_file(data, path)
    except FileError as error:
        return {"isa": None, "language": None, "text": "", "message": str(error)}
    name = file.isa.name
    text = annotated(file, file.lines(has_labels=False), path)
    return {"isa": name, "language": manifests()[name].language_id, "text": text, "message": ""}


def reference(session: LspSession, params: DocumentParams) -> Json | None:
    """Return the reference of a document's instruction set; None if it is not open."""
    view = session.view(params.text_document.uri)
    if view is None:
        return None
    spec = None
    if params.position is not None:
        spec = instruction_at(view.analysis, view.coordinates.offset(params.position))
    isa = view.analysis.isa
    return {
        "isa": isa.name,
        "title": reference_title(isa),
        "mnemonic": spec and spec.mnemonic,
        "anchor": spec and anchor_of(isa, spec),
        "body": reference_body(isa),
    }
