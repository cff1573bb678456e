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


def check_refused(bench: Bench, words: str, *arguments: Any) -> None:
    """Asking for this is answered with a sentence that has these words."""
    with pytest.raises(ExpressionError) as caught:
        bench.inspector.vector_view(*arguments)
    assert words in caught.value.message


@pytest.fixture
def bench() -> Bench:
    bench = Bench()
    bench.put("r0[0]", "-1")
    bench.put("r0[1]", "127")
    bench.put("acc[2]", "-70000")
    return bench


def test_the_registers_that_can_be_shown_are_listed(bench: Bench) -> None:
    found = {info.name: info for info in bench.inspector.vectors()}
    assert list(found) == [
        "r0", "r1", "mem_bypass", "r_cyclic", "mult_res", "r_acc", "aaq_result", *MASKS,
    ]  # fmt: skip
    assert found["r0"][1:] == ("int8", (*BYTES, *WORDS), 128, MASKS)
    assert found["r_acc"][1:] == ("int32", (*WORDS, *BYTES), 128, MASKS)
    assert found["r_cyclic"].elements == 512
    assert found["r_cyclic"].masks == ()
    assert found["mask[3]"][1:] == ("bit", ("bit",), 128, ())
    for info in found.values():
        assert bench.inspector.vector_view(info.name).type == info.type


@pytest.mark.parametrize(
    ("dtype", "element", "word"),
    [(0, "int8", "int32"), (1, "fp8_e4m3", "float32"), (2, "fp8_e5m2", "float32")],
)
def test_elements_are_of_the_type_that_is_selected(dtype: int, element: str, word: str) -> None:
    bench = Bench(dtype=dtype)
    assert bench.inspector.vector_view("r1").type == element
    assert bench.inspector.vector_view("mult_res").type == word
    assert bench.inspector.vector_view("aaq_result").type == "int8"


def test_every_element_has_its_number_its_texts_and_its_expression(bench: Bench) -> None:
    view = check_view(bench, "r0", None, -1, 127, 0)
    assert view.numbers[:3] == (-1, 127, 0)
    assert view.bits[:3] == ("0xff", "0x7f", "0x00")
    assert view.expressions[127] == "r0[127]"
    assert (view.extent, view.nans, view.path) == (("-1", "127"), 0, "r0")


@pytest.mark.parametrize("name", [*TYPE_ALIASES, *TYPE_ALIASES.values(), "fp8", "INT8"])
def test_every_type_of_expressions_can_be_asked_for(bench: Bench, name: str) -> None:
    view = check_view(bench, "acc", name)
    assert view.type in (*BYTES, *WORDS, "int16", "uint16")
    assert view.location.size == 512


def test_another_type_shows_the_same_bytes(bench: Bench) -> None:
    check_view(bench, "r0", "uint8", 255, 127, 0)
    assert check_view(bench, "r0", "fp8_e4m3", "nan", "nan", "0.0").nans == 2
    words = check_view(bench, "r0", "int32", 0x7FFF)
    assert (words.path, words.expressions[1]) == ("r0", "r0[1 : i32]")
    assert check_view(bench, "acc,u8", None, 0, 0).expressions[9] == "r_acc[9 : u8]"


def test_numbers_that_are_none_count(bench: Bench) -> None:
    for place, word in enumerate(("nan", "inf", "-inf", "1.5")):
        bench.put(f"acc[{place} : f32]", word)
    view = check_view(bench, "acc", "float32", "nan", "inf", "-inf", 1.5)
    assert (view.nans, view.infinities) == (1, 2)
    assert view.extent == ("-inf", "inf")
    bench.put("acc[0..127 : f32]", "nan")
    assert bench.inspector.vector_view("acc", "float32").extent is None


def test_what_changed_since_the_stop_before_tells_what_it_was(bench: Bench) -> None:
    bench.leave()
    bench.put("r0[1]", "5")
    bench.put("r0[100]", "6")
    bench.arrive()
    view = check_view(bench, "r0", None, -1, 5)
    assert (view.changed, view.previous) == ((1, 100), (127, 0))
    assert view.previous_texts == ("127", "0")
    assert check_view(bench, "r0", "int32").changed == (0, 25)
    assert check_view(bench, "r1").changed == ()


def test_a_mask_tells_which_elements_it_suppresses(bench: Bench) -> None:
    bench.put("mask[2][5..6]", "1")
    assert bench.inspector.vector_view("r0", None, "mask[2]").masked == (5, 6)
    assert bench.inspector.vector_view("acc", None, "mask[2]").masked == (5, 6)
    assert bench.inspector.vector_view("acc", "int8", "mask[2]").masked == ()
    assert bench.inspector.vector_view("r0", None, "mask[1]").masked == ()


def test_a_mask_is_a_vector_of_bits(bench: Bench) -> None:
    bench.leave()
    bench.put("mask[2][5..6]", "1")
    bench.arrive()
    view = check_view(bench, "mask[2]", "bit", 0, 0, 0, 0, 0, 1, 1, 0)
    assert (view.changed, view.previous) == ((5, 6), (0, 0))
    assert view.numbers[:7] == (0, 0, 0, 0, 0, 1, 1)
    assert (view.path, view.expressions[5]) == ("mask[2]", "mask[2][5]")
    assert array(view).tolist() == [place in (5, 6) for place in range(128)]


def test_a_part_of_memory_is_a_vector_too(bench: Bench) -> None:
    bench.put("xmem[0x1003]", "9")
    view = check_view(bench, "xmem[cr1 .. +8]", None, 0, 0, 0, 9)
    assert view.path == "xmem[0x1000 .. +8]"
    assert view.types == (*BYTES, *WORDS)
    assert bench.inspector.vector_view("xmem[0 .. +6]").types == BYTES


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


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        ("a vector is several elements or one mask, found `lr0`", ["lr0"]),
        ("a vector is several elements or one mask, found `mask`", ["mask"]),
        ("a vector is several elements or one mask, found `r0[3]`", ["r0[3]"]),
        ("a vector is several elements or one mask, found `pc`", ["pc"]),
        ("a vector lies in a register or in xmem, found `r0 + 1`", ["r0 + 1"]),
        ("512 elements fit, found 513 in `xmem[0 .. +513]`", ["xmem[0 .. +513]"]),
        ("no register is called `r9`; there are r0 to r1", ["r9"]),
        ("expected a value, found the end", [""]),
        ("a type is one of i8, u8, i16, u16, i32, ", ["r0", "int4"]),
        ("6 x i8 are no vector of `f32`", ["xmem[0 .. +6]", "f32"]),
        ("128 x bit are no vector of `int8`", ["mask[0]", "int8"]),
        ("a mask is one such as `mask[0]`, found `lr0`", ["r0", None, "lr0"]),
        ("a mask is one such as `mask[0]`, found `1`", ["r0", None, "1"]),
    ],
)  # fmt: skip
def test_what_is_no_vector_is_told(bench: Bench, words: str, arguments: list[Any]) -> None:
    check_refused(bench, words, *arguments)


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
