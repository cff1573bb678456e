"""Elements: their recorded values and codes, and the table of their products."""

from __future__ import annotations

import numpy as np
import pytest

from ipu_asm.targets.ipu2.machine.state import (
    ElementType,
    element_values,
    encode_floats,
    products_of,
)
from tests.scalar_ipu2_numbers import element
from tests.scalar_machine import Nan, float_product, to_word
from tests.vectors import Record, records

FLOAT_TYPES = [kind for kind in ElementType if kind is not ElementType.INT8]


def check_products(kind: ElementType) -> None:
    """The table has the words of all products, and its parts agree."""
    table, values = products_of(kind), [element(byte, kind) for byte in range(256)]
    for a in range(256):
        row = [product(values[a], b, kind) for b in values]
        assert table.rows[a].tolist() == table.pairs[a << 8 : a + 1 << 8].tolist() == row
        assert table.squares[a] == row[a]


def product(a: float | Nan, b: float | Nan, kind: ElementType) -> int:
    """The word that two elements multiply to."""
    if kind is not ElementType.INT8:
        return to_word(float_product(a, b))
    assert not isinstance(a, Nan)
    assert not isinstance(b, Nan)
    return int(a * b) & 0xFFFF_FFFF


def record_of(kind: ElementType) -> Record:
    """The recorded values and codes of a type."""
    return next(record for record in records("ipu2_fp8") if record["dtype"] == kind.name)


@pytest.mark.parametrize("kind", FLOAT_TYPES)
def test_elements_have_the_recorded_values(kind: ElementType) -> None:
    found = [content.tobytes().hex() for content in element_values(kind)]
    assert found == record_of(kind)["decode"]


@pytest.mark.parametrize("kind", FLOAT_TYPES)
def test_numbers_become_the_recorded_elements(kind: ElementType) -> None:
    contents, codes = zip(*record_of(kind)["encode"])
    values = np.frombuffer(bytes.fromhex("".join(contents)), "<f4")
    assert encode_floats(kind, values).tolist() == list(codes)


@pytest.mark.parametrize("kind", FLOAT_TYPES)
def test_every_element_is_encoded_as_itself(kind: ElementType) -> None:
    values = element_values(kind)
    numbers = ~np.isnan(values)
    assert np.array_equal(encode_floats(kind, values)[numbers], np.arange(256)[numbers])


@pytest.mark.parametrize("kind", ElementType)
def test_all_products_of_two_elements_are_in_the_table(kind: ElementType) -> None:
    check_products(kind)
