"""Views show what is written down."""

from __future__ import annotations

import pytest

from ipu_asm.debugger.expressions import ExpressionError
from tests.debugger.inspection.machines import Bench
from tests.debugger.inspection.views import FOLDER, play
from tests.scripts import Script, titled_scripts


@pytest.mark.parametrize("script", titled_scripts(FOLDER))
def test_a_view_shows_what_is_written_down(script: Script) -> None:
    assert play(script) == script.lines


@pytest.mark.parametrize("dtype", [3, 255, 0xFFFF_FFFF])
def test_a_number_that_is_no_element_type_fails_nothing(dtype: int) -> None:
    bench = Bench(dtype=dtype)
    bench.step(4)
    assert all(item.name for item in bench.everything())


def test_registers_and_masks_are_the_items_of_their_scopes() -> None:
    bench = Bench()
    for name in ("r0", "r_acc", "mult_res", "mem_bypass"):
        assert bench.inspector.item_of(name) in bench.items("Vectors")
    assert bench.inspector.item_of("mask[1]") in bench.items("Masks")


def test_computed_values_that_are_no_more_are_refused() -> None:
    bench = Bench()
    bench.put("lr6", "1")
    item = bench.inspector.item_of("r0 // lr6")
    bench.put("lr6", "0")
    assert item.group is not None
    with pytest.raises(ExpressionError, match="zero"):
        bench.inspector.children(item.group)
