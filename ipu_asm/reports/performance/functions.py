"""The functions of a text in which data may decide control, with their cycles."""

from __future__ import annotations

from ipu_asm.flow.control_run.summary import Count
from ipu_asm.flow.counted_loops.loops import counted_loops
from ipu_asm.flow.functions import local_labels
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.line_table import LineTable, SourceLocation
from ipu_asm.program.program import Program


class FunctionReport(NamedTuple):
    """A function: the place and the label of its first bundle, and the cycles of a call.

    `label` is None if it has none. `cycles` are None if they are not known; then those are known
    that come before the bundle at `undecided`, or before the end of the file if that is None.
    """

    place: SourceLocation
    label: str | None
    cycles: Count
    undecided: SourceLocation | None


def function_reports(program: Program, lines: LineTable) -> list[FunctionReport]:
    """Return the functions by address; none for a set without counters."""
    local = local_labels(program)
    labels = sorted(program.label_addresses, key=lambda label: label not in local)
    names = {program.label_addresses[label]: label for label in labels}
    found: list[FunctionReport] = []
    for function in counted_loops(program).functions:
        place = lines.place(function.start)
        assert place is not None
        undecided = lines.place(function.undecided) if function.cycles is None else None
        label = names.get(function.start)
        found.append(FunctionReport(place, label, function.cycles, undecided))
    return found
