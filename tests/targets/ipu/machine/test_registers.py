"""The register file, as hosts and new instructions use it."""

from __future__ import annotations

import pytest

from ipu_asm.emulator import MULT_STAGE_MAP, RegFile
from ipu_asm.targets.ipu.machine.state import BLOCK_SIZE, VECTORS

SIZES = {
    "r": 128, "mem_bypass": 128, "r_cyclic": 512, "r_mask": 128, "r_acc": 512, "mult_res": 512,
    "aaq_result": 128,
}  # fmt: skip


def check_vector(registers: RegFile, name: str, element: int, size: int) -> None:
    """A vector register takes exactly its bytes, gives a copy of them, and keeps to itself."""
    before = bytes(registers.block)
    content = bytes(n % 251 for n in range(size))
    registers.set_register_bytes(name, element, content)
    copy = registers.get_register_bytes(name, element)
    assert copy == content
    copy[0] ^= 0xFF
    assert registers.get_register_bytes(name, element) == content
    assert len(registers.block) == BLOCK_SIZE
    registers.set_register_bytes(name, element, bytes(size))
    assert registers.block == before


@pytest.mark.parametrize("name", SIZES)
def test_vector_registers_keep_what_is_put_in(name: str) -> None:
    for element in range(2 if name == "r" else 1):
        check_vector(RegFile(), name, element, SIZES[name])


def test_vector_registers_fill_the_block_without_gaps() -> None:
    places = [v.place(e) for v in VECTORS.values() for e in range(v.elements)]
    ends = [0, *(place.stop for place in places)]
    assert [place.start for place in places] == ends[:-1]
    assert ends[-1] == BLOCK_SIZE


@pytest.mark.parametrize(
    ("name", "element", "error"),
    [("r", 2, IndexError), ("r", -1, IndexError), ("r_acc", 1, IndexError), ("x", 0, KeyError)],
)
def test_there_are_no_other_vector_registers(
    name: str, element: int, error: type[Exception]
) -> None:
    with pytest.raises(error):
        RegFile().get_register_bytes(name, element)


@pytest.mark.parametrize("size", [0, 127, 129])
def test_data_of_another_size_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match=f"takes 128 bytes, found {size}"):
        RegFile().set_register_bytes("r", 0, bytes(size))


def test_the_accumulator_is_a_vector_register_and_an_array_of_words() -> None:
    registers = RegFile()
    registers.set_r_acc_bytes(b"\1\0\0\x80" * 128)
    assert registers.get_r_acc_bytes() == registers.get_register_bytes("r_acc")
    assert registers.acc_words.tolist() == [0x8000_0001] * 128
    assert registers.acc_ints.tolist() == [-0x7FFF_FFFF] * 128


@pytest.mark.parametrize(("name", "count"), [("lr", 16), ("cr", 16), ("aaq", 4)])
def test_scalar_registers_keep_32_bits(name: str, count: int) -> None:
    registers = RegFile()
    getters, setters = getattr(registers, f"get_{name}"), getattr(registers, f"set_{name}")
    for index in range(count):
        setters(index, -1 - index)
    assert [getters(index) for index in range(count)] == [0xFFFF_FFFF - i for i in range(count)]
    for index in (-1, count):
        with pytest.raises(IndexError):
            getters(index)
        with pytest.raises(IndexError):
            setters(index, 0)


def test_the_program_counter_is_never_negative() -> None:
    registers = RegFile()
    registers.set_pc(0xFFFF_FFFF)
    with pytest.raises(ValueError, match="never negative"):
        registers.set_pc(-1)
    assert registers.pc == 0xFFFF_FFFF


def test_numbers_of_mult_stage_registers_stand_for_names_and_elements() -> None:
    assert MULT_STAGE_MAP == {0: ("r", 0), 1: ("r", 1), 2: ("mem_bypass", 0)}
