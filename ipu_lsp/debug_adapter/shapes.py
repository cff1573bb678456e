"""The objects that clients send inside of their requests, as far as they are looked at."""

from __future__ import annotations

from typing import Any, NamedTuple


class SourceArgument(NamedTuple):
    """A file, or a text that the adapter made."""

    name: str | None = None
    path: str | None = None
    source_reference: int = 0


class SourceBreakpoint(NamedTuple):
    """A breakpoint on a line, with a column on one of its instructions."""

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
    """A breakpoint on a bundle by its address."""

    instruction_reference: str
    offset: int = 0
    condition: str | None = None
    hit_condition: str | None = None


class DataBreakpointRequest(NamedTuple):
    """A breakpoint on a register or on memory."""

    data_id: str
    access_type: str = "write"
    condition: str | None = None
    hit_condition: str | None = None


class FilterOptions(NamedTuple):
    """An exception filter with its condition."""

    filter_id: str
    condition: str | None = None


class ValueFormat(NamedTuple):
    """How numbers are to be shown."""

    hex: bool = False


class FrameFormat(NamedTuple):
    """How a frame is to be shown."""

    hex: bool = False
    line: bool = False
    module: bool = False


class LoadRequest(NamedTuple):
    """A file that goes into xmem before the run."""

    file: Any = None
    address: Any = None
    length: Any = None


class DumpRequest(NamedTuple):
    """A part of xmem that goes into a file after the run."""

    file: Any = None
    address: Any = None
    length: Any = None


class LaunchArguments(NamedTuple):
    """What a user writes down to debug a program. All that is wrong with it is told at once, so
    anything is taken here.
    """

    program: Any = None
    isa: Any = None
    dtype: Any = None
    cr: Any = None
    lr: Any = None
    load: Any = None
    dump: Any = None
    stop_on_entry: Any = None
    stop_on_halt: Any = None
    max_cycles: Any = None
    aaq_shift: Any = None
    history_memory: Any = None
    cwd: Any = None
    no_debug: Any = None
