"""Custom requests `ipu/...` and their parameters, commands, URI schemes: see docs/protocol.md."""

from __future__ import annotations

from typing import Any, Callable, Mapping

from lsprotocol import types as t

from ipu_asm.config.host_configurations import register_values
from ipu_asm.named_tuple import NamedTuple

LISTING = "ipu/listing"
EXPANSION = "ipu/expansion"
SLOT_GRID = "ipu/slotGrid"
REFERENCE = "ipu/reference"
MEMORY_MAP = "ipu/memoryMap"
RUN_TOTALS = "ipu/runTotals"
RUN_INPUTS = "ipu/runInputs"
PROFILE_MARKS = "ipu/profileMarks"
DISASSEMBLY = "ipu/disassembly"

ASSEMBLE = "ipu.assemble"
LAUNCHED = "ipu.launched"
LIST = "ipu.listing"
MAP_MEMORY = "ipu.memoryMap"
RUN = "ipu.run"
SELECT_CONFIGURATION = "ipu.selectConfiguration"
SELECT_CONTEXT = "ipu.selectContext"
COMMANDS = (ASSEMBLE, LIST, MAP_MEMORY, RUN, SELECT_CONFIGURATION, SELECT_CONTEXT, LAUNCHED)

LISTING_SCHEME = "ipu-listing"
EXPANSION_SCHEME = "ipu-expansion"
MEMORY_MAP_SCHEME = "ipu-memory-map"
SCHEMES = (LISTING_SCHEME, EXPANSION_SCHEME, MEMORY_MAP_SCHEME)

ParamsReader = Callable[[Any, Any], object]


class DocumentParams(NamedTuple):
    """A document, and optionally a position in it."""

    text_document: t.TextDocumentIdentifier
    position: t.Position | None = None


class RunTotalsParams(NamedTuple):
    """A document, and optionally its text in a commit to compare with."""

    text_document: t.TextDocumentIdentifier
    committed: str | None = None


class ExpansionParams(NamedTuple):
    """A document, and the number of one of its contexts."""

    text_document: t.TextDocumentIdentifier
    context: int = 0


class RunInputsParams(NamedTuple):
    """A document, and the values of registers that the user has chosen already."""

    text_document: t.TextDocumentIdentifier
    registers: Mapping[str, int] = {}


class ProfileMarksParams(NamedTuple):
    """The text of a profile, and optionally of one of a run before."""

    profile: str
    before: str | None = None


def _read_profile_marks(_converter: Any, params: Any) -> ProfileMarksParams:
    before = params.get("before")
    return ProfileMarksParams(str(params["profile"]), None if before is None else str(before))


def _read_run_inputs(converter: Any, params: Any) -> RunInputsParams:
    document = converter.structure(params["textDocument"], t.TextDocumentIdentifier)
    given = {**register_values("cr", params.get("cr")), **register_values("lr", params.get("lr"))}
    return RunInputsParams(document, given)


def _read_expansion(converter: Any, params: Any) -> ExpansionParams:
    document = converter.structure(params["textDocument"], t.TextDocumentIdentifier)
    return ExpansionParams(document, int(params.get("context") or 0))


def _read_run_totals(converter: Any, params: Any) -> RunTotalsParams:
    document = converter.structure(params["textDocument"], t.TextDocumentIdentifier)
    committed = params.get("committed")
    return RunTotalsParams(document, None if committed is None else str(committed))


def _read(converter: Any, params: Any) -> DocumentParams:
    position = params.get("position")
    return DocumentParams(
        converter.structure(params["textDocument"], t.TextDocumentIdentifier),
        None if position is None else converter.structure(position, t.Position),
    )


READERS: Mapping[str, ParamsReader] = {
    LISTING: _read,
    EXPANSION: _read_expansion,
    SLOT_GRID: _read,
    REFERENCE: _read,
    MEMORY_MAP: _read,
    RUN_TOTALS: _read_run_totals,
    RUN_INPUTS: _read_run_inputs,
    PROFILE_MARKS: _read_profile_marks,
    DISASSEMBLY: _read,
}
"""Functions that parse the parameters of a request; any exception means invalid parameters."""
