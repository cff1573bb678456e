"""What views show of machines other than the IPU's."""

from __future__ import annotations

from typing import Any

import pytest

from ipu_asm.assembler.encode import assemble
from ipu_asm.debugger.debugger import Debugger
from ipu_asm.debugger.expressions import ExpressionError, assign_with, evaluate
from ipu_asm.debugger.expressions.program_names import live_context
from ipu_asm.debugger.inspection import Inspector
from ipu_asm.debugger.memory_usage import memory_usage
from ipu_asm.emulator import machine_for
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from ipu_asm.program.line_table import LineTable

TEXT = "LDR_MULT_REG r0 lr0 cr3;; INC lr5 1; STR_ACC_REG lr0 cr3;; BKPT;;"


def inspected(**settings: Any) -> tuple[Debugger, Inspector]:
    """A debugger of the IPU 2 at its end, with cr3 = 2, and the view of its machine."""
    state = machine_for("ipu2").make_state(settings)
    state.load_program(assemble(TEXT, isa="ipu2"))
    state.regfile.set_cr(3, 2)
    debugger = Debugger(LineTable(read_program(load_isa("ipu2"), TEXT)), state)
    view = Inspector(state, live_context(debugger.lines, state), debugger.lines)
    debugger.go_to(2)
    view.update_after_stop(None, "step")
    return debugger, view


def shown(view: Inspector, scope: str) -> dict[str, str]:
    """The items of a scope."""
    group = next(each.group for each in view.scopes() if each.name == scope)
    return {item.name: item.value for item in view.children(group)}


def test_a_set_bit_of_a_mask_may_keep_its_element() -> None:
    debugger, view = inspected()
    assert shown(view, "Masks")["mask[0]"].startswith("0 masked, 0..127: 1111")
    context = live_context(debugger.lines, debugger.state)
    assign_with(debugger.edit, context, "mask[0][3]", "0")
    assert view.item_of("mask").value.startswith("1, 0, 0")
    assert view.vector_view("acc", mask="mask[0]").masked == (3,)


@pytest.mark.parametrize(("settings", "address"), [({}, 0x100), ({"wide": "fp32"}, 0x400)])
def test_base_registers_count_rows(settings: dict[str, Any], address: int) -> None:
    _, view = inspected(**settings)
    assert shown(view, "Memory map")["cr3"].startswith(f"at {address:#x}")


def test_settings_of_the_host_are_shown_and_compared() -> None:
    debugger, view = inspected(dtype="E4", elu_alpha=0.5)
    machine = shown(view, "Machine")
    assert (machine["dtype"], machine["wide"], machine["elu_alpha"]) == ("e4", "off", "0.5")
    context = live_context(debugger.lines, debugger.state)
    assert evaluate(context, "dtype == e4 and not wide").value.number is True


def test_pairs_are_registers_and_constants_keep_their_values() -> None:
    debugger, _ = inspected()
    context = live_context(debugger.lines, debugger.state)
    assert evaluate(context, "lrd4").value.numbers == (0, 1)
    assign_with(debugger.edit, context, "lrd4", "[7, 8]")
    assert evaluate(context, "lr4 * 10 + lr5").value.number == 78
    with pytest.raises(ExpressionError, match="`cr0` is always 0"):
        assign_with(debugger.edit, context, "cr0", "5")


@pytest.mark.parametrize(("settings", "size"), [({}, 128), ({"wide": "fp32"}, 512)])
def test_the_memory_map_foretells_rows_of_the_mode(settings: dict[str, Any], size: int) -> None:
    state = machine_for("ipu2").make_state(settings)
    state.load_program(assemble("LDR_MULT_REG r0 lr0 cr3;; BKPT;;", isa="ipu2"))
    state.regfile.set_cr(3, 2)
    program = read_program(load_isa("ipu2"), "LDR_MULT_REG r0 lr0 cr3;; BKPT;;")
    debugger = Debugger(LineTable(program), state)
    assert debugger.planned_accesses == ((range(2 * size, 3 * size),), ())
    [region] = memory_usage(debugger).regions
    assert region.bytes == range(2 * size, 3 * size)
