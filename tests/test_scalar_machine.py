"""The scalar machine against every recorded run, fault and break stop."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path
from typing import Any, Final, TypeAlias

import ml_dtypes
import numpy as np
import pytest

from tests.scalar_machine import (
    FP8_E4M3,
    FP8_E5M2,
    Nan,
    ScalarFault,
    ScalarMachine,
    element_values,
    to_word,
)

Record: TypeAlias = dict[str, Any]
Ranges: TypeAlias = dict[str, list[list[int]]]

MAX_CYCLES: Final = 100_000
WORD_REGISTERS: Final = ("r_acc", "mult_res")
BYTE_REGISTERS: Final = ("mem_bypass", "r_cyclic", "r_mask", "aaq_result")
ROOT: Final = Path(__file__).resolve().parents[1]
FOLDERS: Final = (ROOT / "tests" / "data" / "vectors", ROOT.parent / "shared" / "vectors")


def read_records(kind: str) -> list[Record]:
    """All records of `<kind>_public.jsonl.gz` from the first folder that has it."""
    name = f"{kind}_public.jsonl.gz"
    path = next(folder / name for folder in FOLDERS if (folder / name).exists())
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def start(record: Record) -> tuple[ScalarMachine, list[int | None]]:
    """A machine in the record's initial state, and its program."""
    machine = ScalarMachine()
    for name, value in record["init"].items():
        if name in ("lr", "cr", "aaq"):
            for index, word in value.items():
                getattr(machine, name)[int(index)] = word & 0xFFFF_FFFF
        elif name == "xmem":
            for piece in value:
                content = bytes.fromhex(piece["hex"])
                machine.xmem[piece["addr"] : piece["addr"] + len(content)] = content
        else:
            set_register(machine, name, bytes.fromhex(value))
    return machine, [int(word, 16) for word in record["words"]]


def set_register(machine: ScalarMachine, name: str, content: bytes) -> None:
    """Fill a register that holds more than one word or element."""
    if name in WORD_REGISTERS:
        words = [content[i : i + 4] for i in range(0, len(content), 4)]
        getattr(machine, name)[:] = [int.from_bytes(word, "little") for word in words]
    elif name in BYTE_REGISTERS:
        getattr(machine, name)[:] = content
    else:
        machine.r[int(name.removeprefix("r"))][:] = content


def register_bytes(machine: ScalarMachine, name: str) -> bytes:
    """What `set_register` would need to fill the register as it is now."""
    if name in WORD_REGISTERS:
        return words_to_bytes(getattr(machine, name))
    if name in BYTE_REGISTERS:
        return bytes(getattr(machine, name))
    return bytes(machine.r[int(name.removeprefix("r"))])


def words_to_bytes(words: list[int]) -> bytes:
    """32-bit words, each little-endian."""
    return b"".join(word.to_bytes(4, "little") for word in words)


def without(content: bytes, ranges: list[list[int]]) -> bytes:
    """The content with the given [offset, length] ranges blanked."""
    blanked = bytearray(content)
    for offset, length in ranges:
        blanked[offset : offset + length] = bytes(length)
    return bytes(blanked)


def differences(machine: ScalarMachine, xmem: bytes, expected: Record) -> list[str]:
    """What of the machine differs from a recorded state; `xmem` is the memory it began with."""
    ignored: Ranges = expected["nan_dontcare"]
    memory = bytearray(xmem)
    for row in expected["xmem_rows"]:
        content = bytes.fromhex(row["hex"])
        memory[row["addr"] : row["addr"] + len(content)] = content
    found = {name: register_bytes(machine, name) for name in expected["regs"]}
    wanted = {name: bytes.fromhex(content) for name, content in expected["regs"].items()}
    found |= {"xmem": bytes(machine.xmem), "aaq": words_to_bytes(machine.aaq)}
    wanted |= {"xmem": bytes(memory), "aaq": words_to_bytes(expected["aaq"])}
    scalars = ("pc", "cycles", "lr", "cr")
    wrong = [name for name in scalars if getattr(machine, name) != expected[name]]
    for name, content in wanted.items():
        ranges = ignored.get(name, [])
        if without(content, ranges) != without(found[name], ranges):
            wrong.append(name)
    return wrong


def check_run(record: Record) -> None:
    """A run to the end leaves the recorded state."""
    machine, words = start(record)
    xmem = bytes(machine.xmem)
    machine.run(words, MAX_CYCLES)
    assert differences(machine, xmem, record["final"]) == [], record["id"]


def check_fault(record: Record) -> None:
    """A run faults at the recorded bundle, and the state is the one from before that bundle."""
    machine, words = start(record)
    xmem = bytes(machine.xmem)
    with pytest.raises(ScalarFault):
        machine.run(words, MAX_CYCLES)
    assert machine.cycles == record["fault"]["cycles_before"], record["id"]
    assert differences(machine, xmem, record["before"]) == [], record["id"]


def check_stops(record: Record, mode: str) -> None:
    """`mode` is `continue` (stop at breaks only) or `step` (before every bundle from one on)."""
    machine, words = start(record)
    stops: list[Record] = []
    while not machine.is_halted:
        word = words[machine.pc] if machine.pc < len(words) else None
        if machine.stops_at(word) or (stops and mode == "step"):
            stops.append({"pc": machine.pc, "cycle": machine.cycles, "lr": machine.lr[:]})
        machine.step(word)
    assert stops == record[mode]["stops"], record["id"]
    for name, value in record[mode]["final"].items():
        assert getattr(machine, name) == value, record["id"]


def test_runs_end_in_the_recorded_state() -> None:
    for record in read_records("exec"):
        check_run(record)


def test_faults_leave_the_state_from_before_the_bundle() -> None:
    for record in read_records("faults"):
        check_fault(record)


@pytest.mark.parametrize("mode", ["continue", "step"])
def test_breaks_stop_where_they_should(mode: str) -> None:
    for record in read_records("break"):
        check_stops(record, mode)


def test_a_bundle_that_was_never_loaded_takes_a_cycle() -> None:
    machine = ScalarMachine()
    machine.step(None)
    assert (machine.pc, machine.cycles) == (1, 1)


@pytest.mark.parametrize(("opcode", "bit"), [(3, 177), (7, 154), (7, 137), (15, 109), (3, 94)])
def test_an_opcode_past_its_list_faults(opcode: int, bit: int) -> None:
    machine = ScalarMachine()
    with pytest.raises(ScalarFault, match="opcode past the list"):
        machine.step(opcode << bit)
    assert (machine.pc, machine.cycles) == (0, 0)


@pytest.mark.parametrize("word", [1 << 154 | 3 << 152 | 3 << 137, 4 << 154 | 3 << 135])
def test_an_instruction_with_mult_stage_register_3_faults(word: int) -> None:
    with pytest.raises(ScalarFault, match="no mult-stage register"):
        ScalarMachine().step(word)


@pytest.mark.parametrize("sign", [1, -1])
def test_rounding_reaches_infinity_half_a_step_past_the_largest_float32(sign: int) -> None:
    largest, infinity = (0x7F7F_FFFF, 0x7F80_0000) if sign > 0 else (0xFF7F_FFFF, 0xFF80_0000)
    boundary = 2.0**128 - 2.0**103
    assert to_word(sign * math.nextafter(boundary, 0.0)) == largest
    assert to_word(sign * boundary) == infinity
    assert to_word(sign * 1e300) == infinity


def test_rounding_takes_ties_to_even_down_to_the_subnormals() -> None:
    assert to_word(1.0 + 2.0**-24) == 0x3F80_0000
    assert to_word(1.0 + 3 * 2.0**-24) == 0x3F80_0002
    assert to_word(2.0**-150) == 0
    assert to_word(3 * 2.0**-150) == 2


@pytest.mark.parametrize(
    ("dtype", "element_type"),
    [(FP8_E4M3, ml_dtypes.float8_e4m3fn), (FP8_E5M2, ml_dtypes.float8_e5m2)],
)
def test_fp8_elements_mean_what_ml_dtypes_says(dtype: int, element_type: type[Any]) -> None:
    expected = np.arange(256, dtype=np.uint8).view(element_type).astype(np.float64)
    for value, other in zip(element_values(dtype), expected, strict=True):
        if isinstance(value, Nan):
            assert math.isnan(other)
        else:
            assert (value, math.copysign(1, value)) == (other, math.copysign(1, other))
