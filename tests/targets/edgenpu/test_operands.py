"""The operand types that only EdgeNPU has, verb by verb."""

from __future__ import annotations

import pytest

from ipu_asm.diagnostics import UnplacedFinding
from ipu_asm.targets.edgenpu.description import OPERAND_TYPES


def check_operand(name: str, text: str, bits: int, canonical: str | None = None) -> None:
    """`text` is encoded as `bits`, and those are written `canonical`, by default the same."""
    operand_type = OPERAND_TYPES[name]
    value = operand_type.parse(text)
    assert isinstance(value, int)
    assert operand_type.encode(value) == bits
    assert 0 <= bits < 1 << operand_type.width
    assert operand_type.decode(bits) == value
    assert operand_type.format(value) == (canonical or text)
    assert operand_type.parse(operand_type.format(value).replace(" ", "")) == value


def test_buffers_are_encoded_as_their_number() -> None:
    check_operand("ActivationBuffer", "AB[0]", 0)
    check_operand("ActivationBuffer", "ab[0xFF]", 255, "AB[255]")
    check_operand("WeightBuffer", "WB[255]", 255)


def test_the_target_of_a_load_is_one_of_two_memories() -> None:
    check_operand("LoadTarget", "WB", 0)
    check_operand("LoadTarget", "AB", 1)
    check_operand("LoadTarget", "ab[0]", 1, "AB")


def test_a_ddr_address_is_encoded_in_steps_of_64_kib() -> None:
    check_operand("DdrAddress", "0x00000000", 0)
    check_operand("DdrAddress", "0x80000000", 0x8000)
    check_operand("DdrAddress", "0xffff0000", 0xFFFF)
    check_operand("DdrAddress", "65536", 1, "0x00010000")


def test_flags_are_a_bit_each_in_any_order() -> None:
    check_operand("ComputeFlags", "RESIDUAL|RELU", 5, "RELU | RESIDUAL")
    check_operand("LoadFlags", "2d|async", 3, "2D | ASYNC")
    check_operand("SyncFlags", "WAIT_COMPUTE", 2)
    check_operand("SyncFlags", "0", 0)


def test_a_pair_has_its_first_number_in_the_lower_bits() -> None:
    check_operand("WindowSize", "2x3", 0x32)
    check_operand("WindowSize", "0015X15", 0xFF, "15x15")
    check_operand("AxisSizes", "16383x65535", 0x3FFF_FFFF)
    check_operand("AxisSizes", "1x2", 0x8001)


def test_numbers_that_may_be_labels_are_numbers_where_they_look_like_one() -> None:
    check_operand("Cycles", "0x10", 16, "16")
    check_operand("Descriptor", "4096", 4096, "0x1000")


@pytest.mark.parametrize("name", OPERAND_TYPES)
def test_every_choice_offered_can_be_written(name: str) -> None:
    operand_type = OPERAND_TYPES[name]
    for choice in operand_type.complete():
        value = operand_type.parse(choice.text)
        assert isinstance(value, int)
        assert choice.detail
        check_operand(name, choice.text, operand_type.encode(value))


@pytest.mark.parametrize("name", OPERAND_TYPES)
def test_what_a_type_says_of_itself_stands_in_its_refusal(name: str) -> None:
    operand_type = OPERAND_TYPES[name]
    problem = operand_type.parse("1__2")
    assert isinstance(problem, UnplacedFinding)
    assert problem.message.startswith(f"expected {operand_type.describe()}, found ")


@pytest.mark.parametrize(
    ("name", "bits"),
    [("LoadTarget", 2), ("ComputeFlags", 8), ("LoadFlags", 4), ("Pooling", 3), ("Activation", 7)],
)
def test_bits_that_stand_for_nothing_are_not_decoded(name: str, bits: int) -> None:
    assert OPERAND_TYPES[name].decode(bits) is None
