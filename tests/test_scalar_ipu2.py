"""The scalar model of the IPU 2 against every recorded run, fault and break stop."""

from __future__ import annotations

import struct
from typing import Final

import pytest

from tests.ipu2_runs import ELEMENT_TYPES, differences, scalar_contents, scalar_machine
from tests.scalar_ipu2 import ScalarIpu2
from tests.scalar_ipu2_numbers import element
from tests.scalar_machine import Nan, ScalarFault, to_word
from tests.vectors import Record, records, words_of

MAX_CYCLES: Final = 100_000
NOPS: Final = 0x3000004000040000400006000C000018000008040200000


def check_run(record: Record) -> None:
    """A run to the end leaves the recorded state."""
    machine = scalar_machine(record)
    machine.run(words_of(record), MAX_CYCLES)
    assert differences(scalar_contents(machine), record, record["final"]) == [], record["id"]


def check_fault(record: Record) -> None:
    """A run faults at the recorded bundle, and the state is the one from before that bundle."""
    machine = scalar_machine(record)
    with pytest.raises(ScalarFault):
        machine.run(words_of(record), MAX_CYCLES)
    assert machine.cycles == record["fault"]["cycles_before"], record["id"]
    assert differences(scalar_contents(machine), record, record["before"]) == [], record["id"]


def check_stops(record: Record, mode: str) -> None:
    """`mode` is `continue` (stop at breaks only) or `step` (before every bundle from one on)."""
    machine, words = scalar_machine(record), words_of(record)
    stops: list[Record] = []
    while machine.pc < 1024:
        word = words[machine.pc] if machine.pc < len(words) else None
        if machine.stops_at(word) or (stops and mode == "step"):
            stops.append({"pc": machine.pc, "cycle": machine.cycles, "lr": machine.lr[:]})
        machine.step(word)
    assert stops == record[mode]["stops"], record["id"]
    for name, value in record[mode]["final"].items():
        assert getattr(machine, name) == value, record["id"]


def test_runs_end_in_the_recorded_state() -> None:
    assert len(records("ipu2_exec")) == 466
    for record in records("ipu2_exec"):
        check_run(record)


def test_faults_leave_the_state_from_before_the_bundle() -> None:
    assert len(records("ipu2_faults")) == 114
    for record in records("ipu2_faults"):
        check_fault(record)


@pytest.mark.parametrize("mode", ["continue", "step"])
def test_breaks_stop_where_they_should(mode: str) -> None:
    assert len(records("ipu2_break")) == 26
    for record in records("ipu2_break"):
        check_stops(record, mode)


def test_elements_have_the_recorded_values() -> None:
    for record in records("ipu2_fp8"):
        exponent_bits = ELEMENT_TYPES.index(record["dtype"])
        for byte, content in enumerate(record["decode"]):
            number = element(byte, exponent_bits)
            bits = number.bits if isinstance(number, Nan) else to_word(number)
            assert struct.pack("<I", bits).hex() == content


@pytest.mark.parametrize(("opcode", "bit"), [(7, 183), (9, 159), (7, 86), (13, 62), (3, 20)])
def test_an_opcode_past_its_list_faults(opcode: int, bit: int) -> None:
    machine = ScalarIpu2(0, None, False, 1.0)
    with pytest.raises(ScalarFault, match="opcode past the list"):
        machine.step(NOPS | opcode << bit)
    assert (machine.pc, machine.cycles) == (0, 0)
