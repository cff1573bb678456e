"""Types of the objects in request arguments, with the fields that are used."""

from __future__ import annotations

from ipu_asm.named_tuple import NamedTuple


class SourceArgument(NamedTuple):
    """A DAP `Source`: a file, or a text that the adapter provides."""

    name: str | None = None
    path: str | None = None
    source_reference: int = 0


class SourceBreakpoint(NamedTuple):
    """A breakpoint on a line, or with `column` on a bundle in that line."""

    line: int
    column: int | None = None
    condition: str | None = None
    hit_condition: str | None = None
    log_message: str | None = None


class FunctionBreakpoint(NamedTuple):
    """A breakpoint on a label."""

    name: str
    condition: str | None = None
    hit_condition: str | None = None


class InstructionBreakpoint(NamedTuple):
    """A breakpoint on the address of a bundle."""

    instruction_reference: str
    offset: int = 0
    condition: str | None = None
    hit_condition: str | None = None


class DataBreakpointRequest(NamedTuple):
    """A breakpoint on a register or a range of memory."""

    data_id: str
    access_type: str = "write"
    condition: str | None = None
    hit_condition: str | None = None


class FilterOptions(NamedTuple):
    """An exception filter with its condition."""

    filter_id: str
    condition: str | None = None


class ValueFormat(NamedTuple):
    """The notation of numbers."""

    hex: bool = False


class FrameFormat(NamedTuple):
    """The contents of a frame's name."""

    hex: bool = False
    line: bool = False
    module: bool = False
