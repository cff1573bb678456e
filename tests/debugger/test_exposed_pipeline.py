"""Debugging of cores whose results land later: what is on its way belongs to the state."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from ipu_asm.debugger.debugger import Debugger
from ipu_asm.debugger.expressions import evaluate
from ipu_asm.debugger.expressions.program_names import live_context
from ipu_asm.debugger.inspection import Inspector
from ipu_asm.emulator import run_program
from ipu_asm.emulator.code_program import read_code_program
from ipu_asm.emulator.code_runs import code_model, set_up
from ipu_asm.emulator.element_types import BF16
from ipu_asm.emulator.model import machine_for
from ipu_asm.emulator.stops import StopReason

EXAMPLES = Path(__file__).parents[2] / "examples"
KERNELS = ("xdna1/matmul_4x8x4.aie2", "xdna1/add_int16.aie2", "xdna2/matmul_bf16.aie2p")
POINTERS = {"p0": 0x70000, "p1": 0x71000, "p2": 0x72000}
NUMBERS = {KERNELS[1]: {"r0": 3}, KERNELS[2]: {"r0": 60, "r1": 3}}
MAX_CYCLES = 200


def debugger_of(kernel: str) -> Debugger:
    """A debugger of an example, with random numbers from 0.5 to 2 at its pointers."""
    text, isa = (EXAMPLES / kernel).read_text(), kernel.partition("/")[0]
    state = machine_for(isa).make_state({})
    code = read_code_program(text, isa, code_model(isa).data_address)
    state.load_code(code)
    set_up(state.core, code, {**POINTERS, **NUMBERS.get(kernel, {})}, {})
    low = random.Random(1).randbytes(0x1800)
    state.xmem.write_address(0x70000, bytes(byte for each in low for byte in (each, 0x3F)))
    return Debugger(code.lines, state)  # type: ignore[arg-type]


def everything(debugger: Debugger) -> tuple[Any, ...]:
    state = debugger.state
    file = state.regfile
    return bytes(file.block), tuple(file.scalars), file.pc, state.in_flight(), state.xmem.image()


@pytest.mark.parametrize("kernel", KERNELS)
def test_each_cycle_is_the_same_on_the_way_back(kernel: str) -> None:
    debugger, forwards = debugger_of(kernel), []
    for _ in range(MAX_CYCLES):
        forwards.append(everything(debugger))
        debugger.step()
        if debugger.state.is_halted:
            break
    assert debugger.state.is_halted
    order = list(range(len(forwards)))
    random.Random(2).shuffle(order)
    for cycle in [*reversed(range(len(forwards))), *order]:
        debugger.go_to(cycle)
        assert everything(debugger) == forwards[cycle], cycle


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_debugged_run_ends_as_a_run_of_its_own(kernel: str) -> None:
    debugger = debugger_of(kernel)
    memory = {0x70000: bytes(debugger.state.xmem.content[0x70000:0x73000])}
    alone = run_program(
        (EXAMPLES / kernel).read_text(),
        kernel.partition("/")[0],
        registers={**POINTERS, **NUMBERS.get(kernel, {})},
        memory=memory,
    )
    stop = debugger.start()
    assert (stop.reason, alone.end) == (StopReason.HALTED, "returned")
    assert debugger.cycle == alone.cycles
    size = 0x3000
    found = bytes(debugger.state.xmem.content[0x70000 : 0x70000 + size])
    assert found == alone.memory(0x70000, size)
    assert found != memory[0x70000]


def test_an_edit_counts_before_what_lands_in_its_cycle() -> None:
    debugger = debugger_of(KERNELS[0])
    regions = debugger.runner.accesses.regions
    debugger.go_to(7)
    debugger.edit(regions.whole("wl0"), bytes(range(32)))
    debugger.step()
    x0 = debugger.runner.accesses.regions.content(debugger.state.regfile, regions.whole("x0"))
    assert x0[:32] == bytes(range(32))
    debugger.step_back()
    debugger.step()
    assert debugger.state.core.state.register("wl0") == int.from_bytes(range(32), "little")


def test_what_a_bundle_reads_and_stores_is_seen() -> None:
    debugger = debugger_of(KERNELS[1])
    debugger.start()
    counts, last = debugger.memory.counted().counts, debugger.memory.last(is_write=True)
    reads, writes = counts.counts(0x70000, 0x73000)
    assert (reads > 0, writes > 0) == (True, True)
    assert last is not None
    assert last.touched.instruction.startswith("vst ")
    where = debugger.runner.accesses.regions.region("xmem", 0x70000, 1)
    readers: list[str] = []
    for cycle in range(debugger.cycle):
        debugger.go_to(cycle)
        debugger.step()
        readers += filter(None, [debugger.runner.accesses.has_read(where)])
    assert [text.split()[0] for text in readers] == ["vlda"]


def test_a_fault_of_a_late_read_comes_again_and_again() -> None:
    debugger = debugger_of(KERNELS[2])
    debugger.machine.state.xmem.write_address(0x70000, b"\xff" * 0x1800)
    found = [debugger.continue_() for _ in range(3)]
    assert found[0].reason is StopReason.FAULT
    assert found == found[:1] * 3


def test_a_program_that_runs_off_its_end_stops_there_again_and_again() -> None:
    state = machine_for("xdna1").make_state({})
    state.load_code(read_code_program("nop\n", "xdna1", code_model("xdna1").data_address))
    debugger = Debugger(state.lines, state)
    stops = [debugger.start(), debugger.continue_(), debugger.step()]
    assert {(stop.reason, stop.description) for stop in stops} == {
        (
            StopReason.FAULT,
            "fault in bundle 2: the program goes on after its last bundle, at 0x10",
        )
    }
    assert debugger.cycle == 2
    assert debugger.machine.engine_used == "the only one"
    assert debugger.step_back_line().reason is StopReason.STEP
    for cycle in (2, 1, 2, 0, 2):
        debugger.go_to(cycle)
        assert debugger.cycle == cycle
    assert (debugger.step_back().reason, debugger.cycle) == (StopReason.STEP, 1)


@pytest.mark.parametrize(
    ("kernel", "expression", "rows"),
    [
        (KERNELS[0], "bmh0", 4),
        (KERNELS[0], "cm4", 4),
        (KERNELS[0], "x1", 4),
        (KERNELS[2], "dm0", 8),
        (KERNELS[2], "bmll2", 2),
        (KERNELS[2], "x3[0..15]", 2),
    ],
)
def test_registers_are_shown_by_the_rows_of_their_tiles(
    kernel: str, expression: str, rows: int
) -> None:
    debugger = debugger_of(kernel)
    context = live_context(debugger.lines, debugger.state)
    inspector = Inspector(debugger.state, context, debugger.lines)
    item = inspector.item_of(expression)
    assert item.group is not None
    assert len(inspector.children(item.group)) == item.indexed == rows


def test_blocks_are_shown_as_numbers() -> None:
    debugger = debugger_of(KERNELS[2])
    state, mantissas = debugger.state, [1, -1 & 255, 64, 127, 128, 0, 0, 0]
    block = int.from_bytes(bytes(mantissas), "little")
    state.core.state.set_register("ex4", block << 64 | 128 << 8 * 65)
    state.show()
    context = live_context(debugger.lines, state)
    shown = evaluate(context, "ex4[8 .. 15]").value.numbers
    assert shown == (1 / 32, -1 / 32, 2.0, 127 / 32, -4.0, 0, 0, 0)
    inspector = Inspector(state, context, debugger.lines)
    scope = next(each for each in inspector.scopes() if each.name == "Blocks")
    items = inspector.children(scope.group)
    assert (items[1].name, len(items)) == ("ex4, block 1", 8)
    assert items[1].value.startswith("[0.03125, -0.03125, 2.0, 3.96875, -4.0, 0")


@pytest.mark.parametrize(
    ("number", "data"),
    [(1.0, "803f"), (-2.5, "20c0"), (1.00390625, "803f"), (1.01171875, "823f"), (1e-40, "0100")],
)
def test_numbers_are_rounded_to_the_nearest_bfloat16(number: float, data: str) -> None:
    assert BF16.encode(number) == bytes.fromhex(data)
    assert BF16.decode(bytes.fromhex("803f0040c07f"))[:2] == (1.0, 2.0)
