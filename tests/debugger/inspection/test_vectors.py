"""Whole vectors as data for a view."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from ipu_asm.debugger.expressions import ExpressionError
from ipu_asm.debugger.inspection import VectorView
from ipu_asm.debugger.inspection.vectors import is_shown_as_vector
from ipu_asm.emulator.element_types import TYPE_ALIASES
from tests.debugger.inspection.machines import Bench

BYTES = ("int8", "uint8", "fp8_e4m3", "fp8_e5m2")
WORDS = ("int32", "uint32", "float32")
MASKS = tuple(f"mask[{number}]" for number in range(8))


def check_view(bench: Bench, name: str, type_: str | None = None, *first: object) -> VectorView:
    """A vector that holds together, and begins with these texts."""
    view = bench.inspector.vector_view(name, type_)
    size = len(view.numbers)
    assert view.texts[: len(first)] == tuple(map(str, first))
    assert {len(view.texts), len(view.bits), len(view.expressions)} == {size}
    changes = {len(view.previous), len(view.previous_texts)}
    assert changes == {len(view.changed)}
    for number in (0, size - 1):
        shown = bench.inspector.item_of(view.expressions[number]).value
        assert shown.partition(" ")[0].rstrip(",") in (view.texts[number], "1")
    return view


def array(view: VectorView) -> Any:
    """What the text for Python makes."""
    return eval(view.numpy, {"np": np, "ml_dtypes": ml_dtypes})


@pytest.fixture
def bench() -> Bench:
    bench = Bench()
    bench.put("r0[0]", "-1")
    bench.put("r0[1]", "127")
    bench.put("acc[2]", "-70000")
    return bench


@pytest.mark.parametrize("name", [*TYPE_ALIASES, *TYPE_ALIASES.values(), "fp8", "INT8"])
def test_every_type_of_expressions_can_be_asked_for(bench: Bench, name: str) -> None:
    view = check_view(bench, "acc", name)
    assert view.type in (*BYTES, *WORDS, "int16", "uint16")
    assert view.location.size == 512


@pytest.mark.parametrize(
    ("type_", "kind"),
    [
        ("int8", np.int8), ("uint8", np.uint8), ("fp8_e4m3", ml_dtypes.float8_e4m3fn),
        ("fp8_e5m2", ml_dtypes.float8_e5m2), ("int32", np.int32), ("uint32", np.uint32),
        ("float32", np.float32),
    ],
)  # fmt: skip
def test_the_text_for_python_makes_the_same_array(bench: Bench, type_: str, kind: Any) -> None:
    for place in range(128):
        bench.put(f"acc[{place} : f32]", str((-1.1) ** place))
    bench.put("acc[7 : f32]", "-inf")
    bench.put("acc[8 : f32]", "nan")
    made = array(bench.inspector.vector_view("acc", type_))
    data = bytes(bench.state.regfile.get_r_acc_bytes())
    expected = np.frombuffer(data, kind)
    assert made.dtype == expected.dtype
    numbers = np.array_equal(made.astype("f8"), expected.astype("f8"), equal_nan=True)
    assert numbers, made
    assert math.isnan(np.frombuffer(data, np.float32)[8])


def test_what_is_offered_as_a_vector_has_a_view_and_nothing_else_has_one() -> None:
    bench = Bench()
    for name in ("lr0", "r0", "r0[3]", "r_acc", "mask", "mask[2]", "xmem[0 .. +513]", "pc"):
        location = bench.inspector.item_of(name).location
        assert location is not None
        try:
            bench.inspector.vector_view(name)
        except ExpressionError:
            assert not is_shown_as_vector(location), name
        else:
            assert is_shown_as_vector(location), name
