"""Numeric events: which words a bundle made NaN, and which int32 results do not fit."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence

import pytest

from ipu_asm.emulator.binding import decode_in_order
from ipu_asm.emulator.numeric_events import NumericEvent
from ipu_asm.isa import load_isa
from ipu_asm.targets.ipu2.machine.ipu2 import Ipu2
from ipu_asm.targets.ipu2.machine.model import nan_probe, overflow_probe
from tests.targets.ipu2.machine.machines import machine_with

BIG = 1 << 30
Event = tuple[str, int, int, int | None]


def check_events(machine: Ipu2, nans: Sequence[Event], overflows: Sequence[Event]) -> None:
    """The events of the first bundle: register, number, first element, exact result."""
    word = machine.state.inst_mem[0]
    assert word is not None
    instructions = decode_in_order(load_isa("ipu2"), machine.execution_order, word)
    machine.execute_vliw_cycle()
    for make, expected in ((nan_probe, nans), (overflow_probe, overflows)):
        probe = make(instructions, machine.state.settings)
        events = probe(machine.snapshot, machine.state.regfile) if probe else []
        assert [short(event) for event in events] == list(expected)


def short(event: NumericEvent) -> Event:
    """An event without its instruction."""
    return event.register, event.number, event.first, event.exact


def fill(machine: Ipu2, name: str, code: str, *numbers: float) -> None:
    """The first words of a register; the others are zero."""
    size = len(machine.state.regfile.get_register_bytes(name))
    content = struct.pack(f"<{len(numbers)}{code}", *numbers)
    machine.state.regfile.set_register_bytes(name, 0, content.ljust(size, b"\0"))


def test_a_nan_is_reported_where_it_appears() -> None:
    machine = machine_with(
        "MULT.RC.VV lr0 r0 0 lr0 cr15; ACC.ADD; ACTIVATE.QUANTIZE tanh cr15;;", wide="fp32"
    )
    fill(machine, "r_cyclic_wide", "f", 1.0, math.inf, 3.0)
    fill(machine, "r_wide", "f", 1.0, 0.0, math.nan)
    fill(machine, "r_acc", "f", math.nan)
    names = [("mult_res", 2, 1, None), ("r_acc", 2, 1, None), ("post_aaq_reg", 3, 0, None)]
    check_events(machine, names, [])


def test_integer_modes_have_no_nans() -> None:
    machine = machine_with("MULT.RC.VS lr0 0 lr0 cr15; ACC.ADD.FIRST;;")
    fill(machine, "r_cyclic", "b", 3)
    check_events(machine, [], [])


@pytest.mark.parametrize(
    ("mnemonic", "exact"), [("ACC.ADD", 1 << 31), ("ACC.SUB", -BIG - (1 << 31) + 1)]
)
def test_sums_that_do_not_fit_are_reported(mnemonic: str, exact: int) -> None:
    machine = machine_with(f"{mnemonic};;")
    sign = 1 if mnemonic == "ACC.ADD" else -1
    fill(machine, "r_acc", "i", 5, sign * BIG)
    fill(machine, "mult_res", "i", 5, BIG if sign > 0 else (1 << 31) - 1)
    check_events(machine, [], [("r_acc", 1, 1, exact)])


def test_the_negative_of_the_least_word_does_not_fit() -> None:
    machine = machine_with("ACC.SUB.FIRST;;")
    fill(machine, "mult_res", "i", 1, 2, -(1 << 31))
    check_events(machine, [], [("r_acc", 1, 2, 1 << 31)])


@pytest.mark.parametrize(
    ("mnemonic", "exact"), [("AGG.SUM", 3 * BIG + 4), ("AGG.SUM.FIRST", 3 * BIG)]
)
def test_aggregates_that_do_not_fit_are_reported(mnemonic: str, exact: int) -> None:
    machine = machine_with(f"{mnemonic} lr2 cr15;;")
    machine.state.regfile.set_lr(2, 128 + 1)
    fill(machine, "mult_res", "i", BIG, BIG, BIG)
    fill(machine, "r_acc", "i", 9, 4)
    check_events(machine, [], [("r_acc", 1, 1, exact)])


@pytest.mark.parametrize(
    ("text", "number", "first", "exact"),
    [
        ("MULT.RC.VV lr2 r1 0 lr0 cr15", 1, 0, 3 * BIG),
        ("MULT.RC.VE lr2 lr3 0 lr0 cr15", 1, 0, 3 * BIG),
        ("MULT.RC.VE lr2 cr3 0 lr0 cr15", 1, 0, -2 * BIG - BIG),
        ("MULT.RC.VS lr2 0 lr0 cr15", 1, 0, BIG * BIG),
        ("MULT.VE lr3 cr4 0 lr0 cr15", 128, 0, None),
        ("MULT.EE lr4 cr3 0 lr0 cr15", 0, 0, None),
        ("MULT.RC.VS lr2 0 lr5 cr15", 0, 0, None),
    ],
)
def test_wide_products_that_do_not_fit_are_reported(
    text: str, number: int, first: int, exact: int | None
) -> None:
    machine = machine_with(f"{text};;", wide="int32")
    registers = machine.state.regfile
    for index, value in ((2, 511), (3, 128), (4, 5), (5, 1)):
        registers.set_lr(index, value)
    registers.set_cr(3, 0xFD)
    content = struct.pack("<512i", *[2] * 511, BIG)
    registers.set_register_bytes("r_cyclic_wide", 0, content)
    registers.set_register_bytes("r_wide", 1, struct.pack("<128i", *[3] * 128))
    expected = [("mult_res", number, first, exact)] if exact is not None else []
    check_events(machine, [], expected)
