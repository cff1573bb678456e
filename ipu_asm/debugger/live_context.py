"""The state of a machine as context of expressions, with the names that its program defines."""

from __future__ import annotations

from ipu_asm.debugger.expressions import LiveContext
from ipu_asm.debugger.expressions.register_names import names_from_notes
from ipu_asm.debugger.expressions.template_names import NamesAtBundle, names_from_template
from ipu_asm.emulator.model import machine_for
from ipu_asm.emulator.state import AnyState
from ipu_asm.program.line_table import LineTable


def live_context(lines: LineTable, state: AnyState) -> LiveContext:
    """Return the context of a machine that runs the program of `lines`.

    Names are those of register notes and of the template, at the bundle that is executed next.
    """
    model = machine_for(state.isa_name)
    values = names_from_template(lines.expansion, model).values
    names = NamesAtBundle({**names_from_notes(lines.program), **values}, lines, state)
    return LiveContext(state, 0, lines.program.label_addresses, names)
